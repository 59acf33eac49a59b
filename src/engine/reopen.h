/*
 * reopen.h - connections opened anew while the run goes on.
 *
 * A worker never connects: it hands a session whose connection is gone to the reopener's threads,
 * and gets it back through its mailbox with a new one, or with the reason why there is none.
 * Threads: reopener_ask() and mailbox_take() the session's worker, the rest the engine's.
 */
#ifndef ENGINE_REOPEN_H
#define ENGINE_REOPEN_H

#include <pthread.h>

#include "engine/connect.h"

#define REOPEN_PAUSE_MIN_NS (10 * INT64_C(1000000))   /* back-off after a first failure, */
#define REOPEN_PAUSE_MAX_NS (1000 * INT64_C(1000000)) /* doubled up to this one */

/* Where a worker finds its sessions again. */
struct mailbox {
    pthread_mutex_t lock;
    struct session *first;
    int wake_fd; /* the worker's */
};

struct reopener;

/* Starts the threads. Owned: reopener_free(). */
struct reopener *reopener_new(const char *conninfo, int64_t timeout_ns, int thread_count);
/* Ends the threads; what was not delivered stays where it is. Those that are connecting have
 * `grace_ns` to be done with it: one that is broken off leaves nobody knowing what the server
 * committed for it. NULL is fine. */
#define REOPEN_GRACE_NS (300 * INT64_C(1000000))
void reopener_free(struct reopener *reopener, int64_t grace_ns);

/* The session, which has no connection, is to get one, not before `due_ns`. Its worker leaves it
 * alone until it is back. */
void reopener_ask(struct reopener *reopener, struct session *session, int64_t due_ns);

/* All that came back: a list by reopen.next; NULL when there is none. A session without a wire has
 * its reason in reopen.err. */
struct session *mailbox_take(struct mailbox *mailbox);

#endif
