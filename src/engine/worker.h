/*
 * worker.h - a thread, its event loop, its share of the sessions, its lane of the recorder. Workers
 * share nothing but the run; with the thread engine they share lanes too.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include <pthread.h>

#include "base/compiler.h"
#include "engine/session.h"

/* Why a blocking wait of the thread engine ended in vain. */
enum in_vain { IN_VAIN_NOT, IN_VAIN_LOST, IN_VAIN_FAILED, IN_VAIN_AT_END };

struct worker {
    /* set by the engine before the thread starts */
    struct run *run;
    struct session **sessions;
    int session_count;
    pthread_barrier_t
        *barrier;          /* all workers and the coordinator meet here before the clock starts */
    pthread_mutex_t *made; /* held by the engine until it has made all threads, or ... */
    const bool *given_up;  /* ... cannot: then they end at once */
    atomic_int *running;   /* counts workers that have not ended */
    bool blocking;         /* the thread engine: one session, which blocks in its waits */
    pthread_mutex_t *lane_lock; /* held whenever this thread does not wait; NULL: a lane alone */

    /* the worker's own */
    pthread_t thread;
    struct session_io io;
    int epoll_fd, wake_fd;  /* wake_fd is written by engine_stop() and at the end */
    int64_t drain_until_ns; /* 0: not draining yet */
    int64_t next_probe_ns;
    int64_t soon_ns; /* a wait so short says that the next may be made in recv(); 0: it may not */
    int64_t all_lost_since_ns; /* 0: some session is open */
    struct histogram *lateness;
    struct engine_worker_use use;
    int64_t cpu_begin_ns, delay_begin_ns;
    bool measuring;
    bool alone;         /* its one session waits for answers in recv() itself, or could */
    bool answered_soon; /* the last wait was so short that the next may be made there */
    bool coarse_waits;  /* the kernel waits in milliseconds only */
    enum in_vain in_vain;
    char problem[128]; /* a system call that failed; "" when all is well */
};

/* Makes descriptors and watches the sessions. ERROR_MACHINE. */
bool worker_open(struct worker *worker, struct error *err);
void worker_close(struct worker *worker);
/* The workers' threads, as many of them as can be made: they wait for `made`. */
int worker_make_threads(struct worker *workers, int count);
/* What hangs on the time alone: ticks, phases, the end of the run. */
void worker_look_at_clock(struct worker *worker, int64_t now_ns);
/* Gives up every transaction in flight: they are unfinished. */
void worker_abandon_all(struct worker *worker, int64_t now_ns);
/* Around every wait: others may use the lane meanwhile. */
static inline void worker_rests(struct worker *worker)
{
    if (UNLIKELY(worker->lane_lock != NULL))
        pthread_mutex_unlock(worker->lane_lock);
}
static inline void worker_is_back(struct worker *worker)
{
    if (UNLIKELY(worker->lane_lock != NULL))
        pthread_mutex_lock(worker->lane_lock);
}
/* Makes the loop look at the run's stop flag. Async-signal-safe. */
void worker_wake(struct worker *worker);

#endif
