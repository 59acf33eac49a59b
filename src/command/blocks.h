/*
 * blocks.h - blocks of the workload's tables that PostgreSQL found in its buffers, and those it had
 * to ask the kernel for: what PGIO calls cache hits and RIOPS.
 *
 * The server counts them, and a session tells its counts only between transactions and about once a
 * second: while it runs they lag. When it is gone all is told. So what is exact is the whole life
 * of the load sessions; of the measured window the client knows how many transactions there were.
 * The figures are: accesses a transaction over the whole life, times transactions a second of the
 * window, times the share that missed since about the window's begin. Without a warm-up that is
 * simply what was counted by the window's time.
 */
#ifndef COMMAND_BLOCKS_H
#define COMMAND_BLOCKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct collect;
struct command_call;
struct engine_facts;
struct recorder;
struct workload;

/* What the server had counted at one time; -1: not told. */
struct blocks_count {
    int64_t read, hit;                   /* of the workload's tables and their indexes */
    int64_t database_read, database_hit; /* of the whole database */
    int64_t wal;                         /* bytes ever written */
    int64_t at_ns;                       /* when it was asked */
};

struct blocks {
    struct collect *collect; /* NULL: nothing is counted */
    char *names;             /* SQL: the tables */
    bool in_window;
    struct blocks_count before, window;
};

/* Before the load sessions connect. Nothing for workloads that do not ask for it. */
void blocks_begin(struct blocks *blocks, struct collect *collect, const struct workload *workload,
                  const void *world);
/* Counts when the measured window has begun, at the first call after it; not without a warm-up. */
void blocks_window(struct blocks *blocks, int64_t start_ns, int64_t begin_ns);
void blocks_close(struct blocks *blocks);

/* Accesses and transactions that they are computed from. Pure. */
struct blocks_sums {
    int64_t life_read, life_hit;                    /* over the life of the sessions */
    int64_t window_read, window_hit;                /* since about the begin of the window */
    int64_t life_transactions, window_transactions; /* that were begun */
    double seconds;                                 /* of the window */
};
struct blocks_rates {
    double per_transaction, miss_share, read_per_s, hit_per_s; /* NaN: cannot be told */
};
struct blocks_rates blocks_rates(const struct blocks_sums *sums);

struct blocks_asked {
    const struct command_call *call; /* with "compat": "pgio1" the published line as well */
    struct recorder *recorder;
    const struct engine_facts *facts;
    const json_t *target, *before, *machine; /* as the result has them; may be NULL */
    json_t *notes;                           /* sessions that died are told here */
};
/* When the sessions are gone: `blocks` of the result. NULL when nothing was counted; owned. */
json_t *blocks_end(const struct blocks *blocks, const struct blocks_asked *asked);

#endif
