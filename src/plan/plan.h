/*
 * plan.h - everything that is to be run, checked once and then const.
 *
 * The rows in plan/table.c are the only place where an option that holds for every workload is
 * declared; a workload's own options are rows of its family. A plan knows no libpq, no time of day
 * and no terminal.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/option.h"

enum protocol {
    PROTOCOL_PREPARED,
    PROTOCOL_EXTENDED,
    PROTOCOL_SIMPLE,
    PROTOCOL_AUTO, /* the engine chooses one of the others */
};
enum isolation {
    ISOLATION_DEFAULT, /* whatever the server's default is; BEGIN alone */
    ISOLATION_READ_COMMITTED,
    ISOLATION_REPEATABLE_READ,
    ISOLATION_SERIALIZABLE,
};
enum engine_kind { ENGINE_COROUTINE, ENGINE_THREAD };
#define ENGINE_THREADS_MAX 512 /* connections of the thread engine */
enum retry { RETRY_AUTO, RETRY_SAME, RETRY_REDRAW };
enum arrival_law { ARRIVAL_POISSON, ARRIVAL_CONSTANT };
#define TERMINALS_FULL  (-1) /* as many as the workload's rules want for its data */
#define RETRIES_AUTO    (-2)
#define RETRIES_ENDLESS (-1)
#define RETRIES_DEFAULT 10
enum check_when { CHECK_AUTO, CHECK_ALWAYS, CHECK_NEVER }; /* are the data consistent after a run */
enum on_error { ON_ERROR_POLICY, ON_ERROR_CONTINUE, ON_ERROR_STOP };

/* --ramp FROM..TO/TIME; `to` is 0 when there is none. */
struct ramp {
    double from, to, seconds;
};

struct plan {
    /* target */
    const char *target; /* conninfo, URI, local, local:17; NULL: plan_target() decides */
    const char *pgsql_host, *pgsql_port, *pgsql_user, *pgsql_password, *pgsql_db,
        *pgsql_sslmode;   /* sysbench's spellings */
    const char *pg_bin;   /* folder with postgres, initdb, pg_ctl for local targets; NULL: search */
    const char *settings; /* file of settings for a local server; NULL: none */
    /* load shape */
    int64_t connections, workers; /* workers 0: chosen from CPUs and connections */
    int64_t time_ns; /* of the measured window; 0: no limit, transactions end the run */
    int64_t warmup_ns, interval_ns, connect_timeout_ns;
    int64_t transactions; /* total over all sessions; 0: no limit, time ends the run */
    int protocol;         /* enum protocol */
    bool pipeline;
    int engine;    /* enum engine_kind */
    int isolation; /* enum isolation */
    int on_error;  /* enum on_error */
    int check;     /* enum check_when */
    bool vacuum;   /* the workload's tables, after the run */
    int64_t
        retries; /* of 40001 and 40P01, beyond the first try; or RETRIES_AUTO, RETRIES_ENDLESS */
    int retry;   /* enum retry */
    bool retry_unique;    /* no option: 23505 is retried as well, as an imitated original does */
    int64_t collect_rate; /* samples a second of what the load sessions do; 0: no collecting */
    int64_t reconnect;    /* transactions after which a session connects anew; 0: never */
    /* open loop, when the rate or the ramp is set */
    double rate_per_s;
    int arrival;           /* enum arrival_law */
    const char *ramp_text; /* as it was said; plan_check() makes the ramp of it */
    struct ramp ramp;
    int64_t terminals;        /* 0: sessions by themselves; TERMINALS_FULL */
    double pace_scale;        /* terminals key and think so many times as fast */
    int64_t think_ns;         /* mean of the pause between transactions, closed loop only */
    int64_t latency_limit_ns; /* 0: none */
    int64_t statement_cache;
    int64_t seed; /* -1: drawn at start, recorded */
    int64_t data_seed;
    /* output */
    struct percentiles percentiles;
    const char *label, *results;
    bool quiet, force, yes;
    bool help;
};

/* Rows of struct plan, ended by name NULL; topics "target", "sessions", "run", "data", "output". */
extern const struct option plan_options[];

/* Defaults that hang on what was said: a number of transactions without a time has no limit of
 * time. */
void plan_settle(struct plan *plan, bool time_given);
/* Checks what single rows cannot: combinations. ERROR_USAGE or ERROR_PLAN. Fills no defaults. */
bool plan_check(const struct plan *plan, struct error *err);

/* What of the environment decides where the target is; NULL and "" are the same. */
struct plan_environment {
    const char *target; /* PGDYNO_TARGET: as --target, for what nobody should see in argv */
    const char *host, *hostaddr, *port, *service, *database; /* PGHOST, PGHOSTADDR, ... */
};

/* Where the target is, by this rule: --target, else sysbench's spellings made
 * into a conninfo, else PGDYNO_TARGET, else "" (libpq's own variables and files) when the
 * environment names a server, else "local". Borrowed or in the arena. `local` and `local:MAJOR`
 * pass as they are. A password in it is a secret: see D11. */
const char *plan_target(const struct plan *plan, struct arena *arena);
const char *plan_target_from(const struct plan *plan, const struct plan_environment *environment,
                             struct arena *arena);
/* True for `local` and `local:MAJOR`; `major` gets 0 for the newest. False with `err` set when what
 * follows the colon is no major; false with err->kind ERROR_NONE when it is not a local target. */
bool plan_target_local(const char *target, int *major, struct error *err);

/* Open loop: a rate or a ramp is set, so transactions have a schedule. */
bool plan_open_loop(const struct plan *plan);
/* That, or terminals: transactions are due whether or not a session is free. */
bool plan_paced(const struct plan *plan);

const char *protocol_name(int protocol);   /* "prepared", ... */
const char *isolation_name(int isolation); /* "default", "read committed", ... as SQL says it */

#endif
