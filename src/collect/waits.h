/*
 * waits.h - what the load sessions were doing, from samples: average active sessions by class.
 * Pure: samples in, JSON out. Private to the room.
 *
 * A session that waits for a row lock waits for what the holder of the lock is doing. So where
 * locks are a tenth of everything, the chains of the waiting are looked at as well, and the lock
 * class is divided among the classes of their roots.
 */
#ifndef COLLECT_WAITS_H
#define COLLECT_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum wait_class {
    WAIT_CPU,         /* active and waiting for nothing that the server knows of */
    WAIT_IO_READ,     /* reading data */
    WAIT_IO_WRITE,    /* writing data */
    WAIT_WAL,         /* writing and flushing WAL, and the locks on the way there */
    WAIT_REPLICATION, /* a synchronous standby */
    WAIT_LOCK,        /* locks of rows, tables, transactions */
    WAIT_INTERNAL,    /* the server's own light locks */
    WAIT_BUFFER_PIN,
    WAIT_CLIENT, /* inside a transaction, the client's turn */
    WAIT_IPC,    /* other processes of the server */
    WAIT_TIMEOUT,
    WAIT_OTHER,
    WAIT_CLASSES
};

extern const char *const wait_class_names[WAIT_CLASSES];

#define WAIT_NAME_MAX     64
#define WAIT_EVENTS_MAX   256
#define WAIT_SESSIONS     20000
#define WAIT_BLOCKERS     8
#define WAIT_LOCKS_MATTER 0.1 /* share of the active ones from which chains are looked at */

/* Names as the newest major spells them, so that majors can be held against each other. */
struct wait_name {
    char type[WAIT_NAME_MAX], event[WAIT_NAME_MAX];
};
struct wait_name wait_canonical(const char *type, const char *event);

/* Is a session in this state active, that is in a transaction or statement? Then what it is at. Any
 * text may be NULL or "". */
bool wait_classify(const char *state, const char *type, const char *event, enum wait_class *found);

/* A session of a sample in which chains were looked at. */
struct wait_session {
    int pid;
    bool load; /* one of ours */
    const char *state, *type, *event;
    int blockers[WAIT_BLOCKERS], blocker_count;
};
/* What the root of the chain of session `at` is at; WAIT_LOCK when it cannot be told: a circle, a
 * prepared transaction, a session that may not be seen. WAIT_CLASSES when the chain came apart
 * while it was looked at: the holder has let go, or who waited has got the lock. */
enum wait_class wait_root(const struct wait_session *sessions, int count, int at);

struct wait_event {
    struct wait_name name;
    int64_t count;
};

struct waits {
    int64_t samples, chain_samples;
    int64_t direct[WAIT_CLASSES];
    int64_t roots[WAIT_CLASSES]; /* of sessions waiting for locks, where chains were looked at */
    struct wait_event events[WAIT_EVENTS_MAX];
    int event_count;
};

/* `count` load sessions were seen so in the sample that is being counted. */
void waits_add(struct waits *waits, const char *state, const char *type, const char *event,
               int64_t count);
void waits_add_all(struct waits *waits, const struct waits *more);

/* {"samples", "missed", "chain_samples", "average_active_sessions", "classes": {..},
 * "classes_direct": {..}, "events": [{"type", "event", "aas"}]}; owned. */
json_t *waits_json(const struct waits *waits, int64_t missed);
/* {"samples", "<class>": aas, ...} of the classes that were seen, directly. Owned. */
json_t *waits_second_json(const struct waits *waits);

#endif
