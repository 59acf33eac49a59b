/*
 * engine.h - makes it happen, on time.
 *
 * The engine opens the sessions, runs transactions on them as the plan says, and tells the
 * recorder. A worker is a thread with an event loop and its share of the sessions; a transaction in
 * flight is a coroutine, or with the thread engine a worker's only one, which blocks (design D1).
 * It knows nothing of warehouses, JSON, percentiles or terminals.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

struct engine;

/* What a pooler between us and the server lends a backend for. */
enum pooling { POOLING_NONE, POOLING_SESSION, POOLING_TRANSACTION, POOLING_STATEMENT };
#define ENGINE_POOLER_TEXT_MAX 160

struct engine_setup {
    const struct plan *plan; /* checked; seed drawn */
    const struct workload *workload;
    void *world;          /* const once engine_connect() has asked the workload's questions */
    const char *conninfo; /* resolved target; a secret, never shown */
    /* Called from engine_run()'s thread, once an interval and once at the end of warm-up. May be
     * NULL. */
    void (*on_interval)(void *context, const struct interval *intervals, int count);
    void (*on_connect)(void *context, int open, int wanted); /* progress of connecting */
    /* The instants between which is measured (the end 0: by count), a moment before the load
     * begins; and the last transaction is over, from a worker. Neither may wait. May be NULL. */
    void (*on_clock)(void *context, int64_t begin_ns, int64_t end_ns);
    void (*on_over)(void *context);
    void *context;
};

/* Of a figure over the sessions; the deviation is the population's. */
struct engine_spread {
    double mean, deviation;
};

/* A server of a list, and what went to it. */
#define ENGINE_HOSTS_MAX 32 /* beyond, the last row counts for all others */
struct engine_host {
    char host[256], port[16];
    int sessions; /* opened there before the run */
    int64_t done; /* transactions committed in the measured window by these sessions */
};

#define ENGINE_OUTAGES_MAX 64

/* From the first operation that failed because the server was away to the first good one of any
 * session after it. */
struct engine_outage {
    int64_t begin_ns, end_ns; /* one that did not end: the end of the run */
    bool ended;
    int64_t failed, unknown;   /* operations that it ended */
    int64_t refused;           /* tries to connect in vain, and losses of sessions that were idle */
    char code[ERROR_CODE_MAX]; /* of the first failure */
};

/* One transaction of a workload that keeps its times; those of a session. */
struct engine_trip {
    int64_t at_ns, took_ns; /* sent, and until it was done */
};
struct engine_trips {
    struct engine_trip *list;
    int64_t count, room, missed; /* missed: found no room */
};

/* What the kernel says of the way to the server, at the end of the run. */
struct engine_network {
    int sockets;             /* of TCP; 0: nothing is known */
    int64_t min_ns, mean_ns; /* shortest of all; smoothed, over the sockets. 0: unknown */
    int64_t retransmits;
};

/* What the run was, when it is over. Times on clock_now_ns(). */
struct engine_facts {
    int64_t connect_begin_ns, connect_end_ns;
    int64_t start_wall_ns;                    /* wall time of start_ns */
    int64_t start_ns;                         /* the barrier: warm-up begins */
    int64_t measure_begin_ns, measure_end_ns; /* measured_s is their difference */
    int64_t drained_ns;                       /* the last session was idle or given up */
    int worker_count;
    int64_t last_due_ns, last_sent_ns; /* open loop: of the last that was started; else 0 */
    int64_t sessions_reopened;
    int sessions_open, sessions_lost; /* after connecting; lost in the run */
    int sessions_away;                /* without a connection when it was over */
    bool interrupted;                 /* engine_stop() */
    bool stopped_by_error;            /* the class table said stop */
    char stop_code[ERROR_CODE_MAX];
    char stop_message[ERROR_TEXT_MAX];
    struct engine_outage outages[ENGINE_OUTAGES_MAX];
    int outage_count;
    bool outage_open;           /* the last one was not over at the end */
    int64_t outages_unlisted;   /* that found no room in the list */
    int64_t own_server_commits; /* connects and prepares of load sessions, for the books (D6) */
    /* committed in the measured window by a session, and seconds it spent on them */
    struct engine_spread session_done, session_busy_s;
    struct engine_host hosts[ENGINE_HOSTS_MAX];
    int host_count;
    struct engine_network network;
    struct engine_trips *trips; /* sessions_open of them, or NULL; valid until engine_free() */
    char tls_version[16], tls_cipher[64]; /* of the first session; "" when plain */
    int tls_bits;
    int protocol; /* enum protocol: what was used, never auto */
    enum pooling pooling;
    char pooler[ENGINE_POOLER_TEXT_MAX]; /* the signs of a pooler; "" when there are none */
};

/* One worker's use of its CPU over the measured window, for the client's saturation. */
struct engine_worker_use {
    int tid;              /* kernel thread id */
    int64_t cpu_ns;       /* run by it */
    int64_t run_delay_ns; /* runnable but not running; -1 when the kernel does not tell */
    int64_t busy_ns;      /* outside of waiting for events */
    int64_t lateness_p50_ns, lateness_p99_ns, lateness_max_ns; /* of its probe timers */
};

/* Owned: engine_free(). Cannot fail. */
struct engine *engine_new(const struct engine_setup *setup);
void engine_free(struct engine *engine);

/* Whether the server has room for all connections, asked on a connection of its own that is closed
 * again: before anything that takes time. ERROR_SERVER, ERROR_PLAN. */
bool engine_preflight(const struct engine *engine, struct error *err);

/* Counts against max_connections (within a second), describes every shape, then opens all sessions
 * in parallel; returns when all are open or one cannot be had. ERROR_SERVER, ERROR_PLAN or
 * ERROR_MACHINE: need and have, or host, port and reason. Nothing is left open after a failure. */
bool engine_connect(struct engine *engine, struct error *err);

/* Runs warm-up and the measured window; returns when all sessions are closed. True also when the
 * server's errors stopped it: see the facts. False: our own machine failed (err). */
bool engine_run(struct engine *engine, struct error *err);

/* Asks engine_connect() and engine_run() to end soon (within two seconds) and keep what was
 * measured. Async-signal-safe, any thread. */
void engine_stop(struct engine *engine);

/* Valid until engine_free(). */
struct recorder *engine_recorder(struct engine *engine);
const struct engine_facts *engine_facts(const struct engine *engine);
/* What the load sessions say, as the server has described it: valid from engine_connect() until
 * engine_free(). */
struct engine_statement {
    const char *name;
    const char *sql; /* of instance 1; NULL: made each time, or not said under these options */
    const uint32_t *types; /* of its values, as they are declared */
    int type_count;
};
/* The workload's statement `index`; false when there are no more. */
bool engine_statement(const struct engine *engine, int index, struct engine_statement *statement);
/* "session", "transaction", "statement"; NULL for none. */
const char *pooling_name(enum pooling pooling);
/* worker_count of them. */
const struct engine_worker_use *engine_worker_uses(const struct engine *engine);

#endif
