/*
 * worker.h - a thread, its event loop, its share of the sessions, its lane of the recorder. Workers
 * share nothing but the run.
 */
#ifndef ENGINE_WORKER_H
#define ENGINE_WORKER_H

#include <pthread.h>

#include "engine/session.h"

struct worker {
    /* set by the engine before the thread starts */
    struct run *run;
    struct session **sessions;
    int session_count;
    pthread_barrier_t
        *barrier;        /* all workers and the coordinator meet here before the clock starts */
    atomic_int *running; /* counts workers that have not ended */

    /* the worker's own */
    pthread_t thread;
    struct session_io io;
    int epoll_fd, wake_fd;  /* wake_fd is written by engine_stop() and at the end */
    int64_t drain_until_ns; /* 0: not draining yet */
    int64_t next_probe_ns;
    int64_t all_lost_since_ns; /* 0: some session is open */
    struct histogram *lateness;
    struct engine_worker_use use;
    int64_t cpu_begin_ns, delay_begin_ns;
    bool measuring;
    bool coarse_waits; /* the kernel waits in milliseconds only */
    char problem[128]; /* a system call that failed; "" when all is well */
};

/* Makes descriptors and watches the sessions. ERROR_MACHINE. */
bool worker_open(struct worker *worker, struct error *err);
void worker_close(struct worker *worker);
/* The thread's function; `arg` is the worker. */
void *worker_main(void *arg);
/* Makes the loop look at the run's stop flag. Async-signal-safe. */
void worker_wake(struct worker *worker);

#endif
