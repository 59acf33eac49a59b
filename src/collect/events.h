/*
 * events.h - checkpoints and vacuums that fell into the load, from what is seen of them at several
 * instants. Pure: what is seen goes in with its time, a list comes out. Private to the room.
 *
 * Times are seconds on one clock of the caller's. Counters tell for certain that something was, the
 * checkpointer's wait events and the progress of vacuums tell when it began.
 */
#ifndef COLLECT_EVENTS_H
#define COLLECT_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MAX       512
#define EVENT_NAME_MAX   160
#define EVENTS_STRETCHES 16

struct event {
    const char *kind; /* "checkpoint", "vacuum", "autovacuum" */
    const char *why;  /* of a checkpoint: "timed", "requested"; or NULL */
    double at_s, until_s;
    bool open, seen;           /* not over yet; in the last look at the progress */
    int64_t id, pid;           /* of a vacuum: its table and process */
    int64_t buffers;           /* written by a checkpoint; -1 */
    char name[EVENT_NAME_MAX]; /* of the table; "" when it is not known */
};

struct event_stretch {
    double begin_s, end_s;
    bool open;
};

struct events {
    struct event row[EVENTS_MAX];
    int count;
    int64_t unlisted;
    struct event_stretch busy[EVENTS_STRETCHES]; /* of the checkpointer, the latest ones */
    int busy_count;
    bool known; /* the first look has been */
    int64_t timed, requested, done, buffers;
    double last_s, worked_ms;
    double newest_vacuum_s; /* on the server's clock */
};

/* Whether the checkpointer was at work, at an instant; instants do not go back. */
void events_checkpointer(struct events *events, double at_s, bool busy);

/* A look at the counters and the progress, as views_gather() gives it. `behind_s`: the time that
 * the server's clock shows at 0 of ours. */
void events_look(struct events *events, double at_s, double behind_s, const json_t *look);

/* [{"kind", "at_s", "until_s", ...}] in the order of their beginning, `zero_s` taken off; what was
 * not over has until_s null. Owned. */
json_t *events_json(const struct events *events, double zero_s);

#endif
