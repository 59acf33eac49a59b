/*
 * load.h - fills a workload's tables: parallel COPY of rows that are a pure function of (data seed,
 * table, row), keys and indexes after, then VACUUM and CHECKPOINT. Uses libpq as it is.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "workload/workload.h"

struct load_progress {
    const char
        *step; /* "drop", "create", "copy", "index", "vacuum", "link", "object", "checkpoint" */
    const char *what;              /* "sbtest3", "k_3 on sbtest3"; "" */
    int64_t rows_done, rows_total; /* of the step; tables when it is "drop" */
    int64_t rows_before;           /* of them done by an earlier load */
    int64_t bytes_done;
    int64_t elapsed_ns; /* of the step */
    int64_t left_ns;    /* estimated, -1 unknown */
    bool finished;      /* the step is over */
    const char
        *trouble; /* what it waits for, when that takes long; NULL. `step` may be "waiting" */
};

struct load_setup {
    const struct plan *plan; /* data_seed, force, connect_timeout_ns */
    const struct workload *workload;
    const void *world;
    const struct option_group *options; /* the family's, kept with the data set */
    const char *conninfo;               /* a secret */
    int64_t check_limit_ns; /* load_check() and load_vacuum() ask no longer than that, all in all;
                               0: no limit */
    int connections;        /* at most that many at work; 0: min(CPUs, 4) */
    void (*progress)(void *context,
                     const struct load_progress *progress); /* may be NULL; calling thread */
    void *context;
};

/* Makes what is missing. A second call does nothing, unless the tables have other rows by now: that
 * is refused, as other parameters are, with the difference; plan->force makes all of it anew; a
 * table of that name that we did not make is never touched. Fills `report` (owned, may be NULL;
 * "connections" are the most that had something to do at once):
 * {"workload", "family", "data_seed", "parameters", "schema", "role", "tables", "rows",
 * "size_bytes", "connections", "nothing_to_do", "seconds", "phases":
 * [{"step", "seconds", "rows", "bytes", "count"}], "steps": [{"step", "what", "seconds", "rows",
 * "bytes"}], "notes"}. ERROR_SERVER: SQLSTATE, message, table, row range, or no sign of
 * life for twice plan->connect_timeout_ns; ERROR_PLAN; ERROR_INTERRUPTED. Beside the `connections`
 * at work there is one that holds a lock. */
bool load_data(const struct load_setup *setup, json_t **report, struct error *err);

/* Removes exactly what load_data() made and recorded. `count` gets how many tables. */
bool load_drop(const struct load_setup *setup, int *count, struct error *err);
/* The tables that load_drop() would remove, as an array of {"table", "rows", "exact",
 * "size_bytes"}; rows that are there now, owned.
 */
json_t *load_drop_list(const struct load_setup *setup, struct error *err);

/* One thing that load_check() looked at; texts are borrowed until the call returns. */
struct load_checked {
    const char *what; /* "sbtest3: rows" */
    const char *found, *wanted;
    /* Why it cannot be held against this variant of the workload: it is told, and no failure. NULL
     * when it must hold. */
    const char *excuse;
    bool refused; /* the server could not even tell: `found` is its message */
};

/* Puts the workload's checks to the server, whoever made the data, and tells each answer from the
 * calling thread. True when all could be put; ERROR_SERVER; ERROR_PLAN: the role may not ask;
 * ERROR_INTERRUPTED after load_stop(). */
bool load_check(const struct load_setup *setup,
                void (*tell)(void *context, const struct load_checked *checked), void *context,
                struct error *err);

/* The options that the family's data were made with, as load_data() has recorded them; owned, NULL:
 * nothing is recorded. ERROR_SERVER. */
bool load_recorded(const struct load_setup *setup, json_t **parameters, struct error *err);

/* One thing that load_vacuum() did; texts are borrowed until the call returns. */
struct load_kept {
    const char *what; /* "VACUUM stock1", "CHECKPOINT" */
    int64_t begin_wall_ns, took_ns;
    int64_t bytes_before, bytes_after; /* of the table with all that belongs to it; -1: no table */
    const char *refusal;               /* what the server said against it, or NULL */
    bool timed_out;                    /* that was for want of time */
};

/* VACUUM of the workload's tables, whoever made them, then CHECKPOINT; each is told, from the
 * calling thread. True when all could be asked for; ERROR_SERVER, ERROR_INTERRUPTED. */
bool load_vacuum(const struct load_setup *setup,
                 void (*tell)(void *context, const struct load_kept *kept), void *context,
                 struct error *err);

/* Asks a load, drop, check or vacuum under way to stop: chunks end, the rest is cancelled; what is
 * finished stays. Async-signal-safe. */
void load_stop(void);
/* Has it been asked for? It stays so. */
bool load_stopped(void);
/* SIGINT and SIGTERM call load_stop() from here on; a second one finds the default action. */
void load_signals(void);

/* Statements for their effect, outside of any load: VACUUM, CHECKPOINT, CREATE DATABASE. Over at
 * most `connections` connections at once, each statement by itself. */
struct load_upkeep {
    const char *conninfo; /* a secret */
    const char *const *statements;
    int count, connections;
    bool (*stopped)(void); /* asked now and then; true cancels what runs and ends it. NULL: never */
};
/* ERROR_SERVER: the first that failed, with what the server said; the others are still waited for.
 * ERROR_INTERRUPTED. */
bool load_upkeep(const struct load_upkeep *upkeep, struct error *err);

#endif
