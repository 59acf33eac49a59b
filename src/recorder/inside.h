/*
 * inside.h - what stands behind the recorder's door. Private to the room and its tests.
 *
 * Two ways of counting that must agree: a lane's tallies live as long as the run, its blocks travel
 * to the coordinator interval by interval. Response times are recorded once, in the block, and
 * become the totals when the coordinator merges it; counts are kept both ways, so that
 * recorder_balanced() would see a block that was lost or taken twice.
 */
#ifndef RECORDER_INSIDE_H
#define RECORDER_INSIDE_H

#include <stdatomic.h>
#include <stddef.h>

#include "recorder/recorder.h"

/* Owned: histogram_free() of the first; empty, every page touched. */
struct histogram *histogram_array(int count);
/* The same for things of these names; the pages of what has none are left alone. */
struct histogram *histogram_array_of(const char *const *names, int count);
/* Writes zeros, so that memory is there before the clock runs. */
void touch_pages(void *memory, size_t size_bytes);

/* What one phase of an interval counted. */
struct block_phase {
    int64_t committed; /* by lane_committed(); not in counts yet */
    struct counts counts;
    int64_t queries[QUERY_KINDS], errors;
    struct histogram *response; /* transaction_count of them */
};

struct block {
    int64_t until; /* number of the interval that was over when it was handed to the coordinator */
    struct block_phase phases[PHASE_COUNT];
};

struct transaction_tally {
    int64_t committed; /* by lane_committed(); in nothing else */
    int64_t scheduled, retried, late;
    int64_t count[OUTCOME_COUNT], attempts[OUTCOME_COUNT];
};

struct statement_tally {
    int64_t kind[QUERY_KINDS], rows, without_rows;
};

/* The row behind the last is for what found no place: code "other". */
struct error_table {
    struct error_totals rows[RECORDER_ERRORS_MAX + 1];
    int count;
};

/* Thread: the worker; only `handed` is shared. Of the two blocks the worker fills `current`. A
 * handed block is the coordinator's until it is empty again and the slot is NULL. */
struct lane {
    struct block *current;
    struct transaction_tally *transactions[PHASE_COUNT];
    struct statement_tally *statements[PHASE_COUNT];
    struct histogram *service, *queue; /* open loop, measured phase only; else NULL */
    struct histogram *censored;        /* measured phase only, a transaction each */
    struct histogram *latency;         /* measured phase only, a statement each */
    struct histogram *put_off;         /* measured phase only, open loop only */
    struct histogram *connects;        /* [0] first ones, [1] reopened, [2 + part] of both */
    int64_t *tallies;
    int64_t server_commits;
    int64_t late_above_ns;
    int64_t tick_ns, start_ns, interval_ns;
    struct block blocks[2];
    struct error_table errors[PHASE_COUNT];
    _Atomic(struct block *) handed; /* NULL: the other block is empty and waits for the worker */
    atomic_bool ended;              /* nothing more is handed over */
};

struct lane *lane_new(const struct recorder_layout *layout);
void lane_free(struct lane *lane);
void lane_start(struct lane *lane, int64_t start_ns);
/* Forgets what the block counted, in the time that its used cells need. */
void block_empty(struct block *block, int transaction_count);
/* Counts into a table `times` errors of this code. */
void error_table_add(struct error_table *table, const struct error_totals *error);

/* Thread: the coordinator. */
struct recorder {
    struct recorder_layout layout;
    struct lane **lanes;
    int64_t *reported;        /* a lane each: number of the last interval that it handed over */
    int64_t start_ns, number; /* `number` of the interval that is collected next */
    enum phase last_phase;    /* the last that saw anything */

    struct histogram *interval_cells;        /* behind the pointers of `gathered` */
    struct interval gathered[PHASE_COUNT];   /* the interval being collected */
    struct interval collected[PHASE_COUNT];  /* sums of the counts of all intervals */
    struct histogram *response[PHASE_COUNT]; /* sums of all intervals, a transaction each */
    struct histogram *service, *queue;       /* measured phase; service NULL in a closed loop */
    struct histogram *censored, *latency;    /* measured phase */
    struct histogram *empty;                 /* stands for what warm-up does not keep */
    struct histogram *connects;              /* as in a lane */
    struct histogram *put_off;
    struct phase_totals totals[PHASE_COUNT];
    bool summed;
};

void counts_add(struct counts *into, const struct counts *from);

#endif
