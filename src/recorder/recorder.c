/*
 * recorder.c - the coordinator's side: empties the mailboxes, an interval at a time.
 */
#include <assert.h>

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/inside.h"

/* How often the mailboxes of late lanes are looked at. */
#define POLL_NS (500 * NS_PER_US)

/* ---- life ---- */

static void make_intervals(struct recorder *recorder)
{
    int count = recorder->layout.transaction_count;
    struct histogram *next = histogram_array(PHASE_COUNT * (count + 1));

    recorder->interval_cells = next;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct interval *interval = &recorder->gathered[phase];

        interval->phase = (enum phase)phase;
        interval->response = MEMORY_ARRAY(struct histogram *, count);
        for (int i = 0; i < count; i++)
            interval->response[i] = next++;
        interval->all = next++;
    }
}

static void make_totals(struct recorder *recorder)
{
    const struct recorder_layout *layout = &recorder->layout;
    int errors_max = RECORDER_ERRORS_MAX + 1;

    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct phase_totals *totals = &recorder->totals[phase];

        recorder->response[phase] =
            histogram_array_of(layout->transaction_names, layout->transaction_count);
        totals->transactions = MEMORY_ARRAY(struct transaction_totals, layout->transaction_count);
        totals->statements = MEMORY_ARRAY(struct statement_totals, layout->statement_count);
        totals->errors = MEMORY_ARRAY(struct error_totals, errors_max);
    }
    if (layout->open_loop)
        recorder->service =
            histogram_array_of(layout->transaction_names, layout->transaction_count);
    recorder->queue = histogram_array_of(layout->transaction_names, layout->transaction_count);
    recorder->censored = histogram_array_of(layout->transaction_names, layout->transaction_count);
    recorder->latency = histogram_array_of(layout->statement_names, layout->statement_count);
    recorder->put_off = histogram_new();
    recorder->connects = histogram_array(2 + CONNECT_PARTS);
    recorder->empty = histogram_new();
}

struct recorder *recorder_new(const struct recorder_layout *layout)
{
    struct recorder *recorder = MEMORY_NEW(struct recorder);

    assert(layout->lane_count > 0 && layout->interval_ns > 0);
    recorder->layout = *layout;
    recorder->number = 1;
    recorder->lanes = MEMORY_ARRAY(struct lane *, layout->lane_count);
    recorder->reported = MEMORY_ARRAY(int64_t, layout->lane_count);
    for (int i = 0; i < layout->lane_count; i++)
        recorder->lanes[i] = lane_new(layout);
    make_intervals(recorder);
    make_totals(recorder);
    return recorder;
}

void recorder_free(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    for (int i = 0; i < recorder->layout.lane_count; i++)
        lane_free(recorder->lanes[i]);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        memory_free(recorder->gathered[phase].response);
        histogram_free(recorder->response[phase]);
        memory_free(recorder->totals[phase].transactions);
        memory_free(recorder->totals[phase].statements);
        memory_free(recorder->totals[phase].errors);
    }
    histogram_free(recorder->interval_cells);
    histogram_free(recorder->service);
    histogram_free(recorder->queue);
    histogram_free(recorder->censored);
    histogram_free(recorder->latency);
    histogram_free(recorder->connects);
    histogram_free(recorder->put_off);
    histogram_free(recorder->empty);
    memory_free(recorder->lanes);
    memory_free(recorder->reported);
    memory_free(recorder);
}

const struct recorder_layout *recorder_layout(const struct recorder *recorder)
{
    return &recorder->layout;
}

struct lane *recorder_lane(struct recorder *recorder, int index)
{
    assert(index >= 0 && index < recorder->layout.lane_count);
    return recorder->lanes[index];
}

void recorder_start(struct recorder *recorder, int64_t start_ns)
{
    recorder->start_ns = start_ns;
    for (int i = 0; i < recorder->layout.lane_count; i++)
        lane_start(recorder->lanes[i], start_ns);
}

/* ---- an interval ---- */

void counts_add(struct counts *into, const struct counts *from)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        into->outcome[i] += from->outcome[i];
    into->scheduled += from->scheduled;
    into->attempts += from->attempts;
    into->retried += from->retried;
    into->late += from->late;
}

static int64_t interval_begin_ns(const struct recorder *recorder)
{
    return recorder->start_ns + (recorder->number - 1) * recorder->layout.interval_ns;
}

static void begin_interval(struct recorder *recorder)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct interval *interval = &recorder->gathered[phase];

        for (int i = 0; i < recorder->layout.transaction_count; i++)
            histogram_reset(interval->response[i]);
        histogram_reset(interval->all);
        *interval = (struct interval){ .phase = (enum phase)phase,
                                       .number = recorder->number,
                                       .begin_ns = interval_begin_ns(recorder),
                                       .response = interval->response,
                                       .all = interval->all };
    }
}

static void add_block(struct recorder *recorder, struct block *block)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct interval *interval = &recorder->gathered[phase];
        const struct block_phase *from = &block->phases[phase];

        counts_add(&interval->counts, &from->counts);
        interval->counts.scheduled += from->committed;
        interval->counts.attempts += from->committed;
        interval->counts.outcome[OUTCOME_COMMITTED] += from->committed;
        for (int i = 0; i < QUERY_KINDS; i++)
            interval->queries[i] += from->queries[i];
        interval->errors += from->errors;
        for (int i = 0; i < recorder->layout.transaction_count; i++)
            histogram_merge(interval->response[i], &from->response[i]);
    }
    block_empty(block, recorder->layout.transaction_count);
}

static bool saw_anything(const struct interval *interval)
{
    int64_t sum = interval->counts.scheduled + interval->errors;

    for (int i = 0; i < QUERY_KINDS; i++)
        sum += interval->queries[i];
    return sum > 0;
}

/* What was gathered becomes part of the totals here and nowhere else: so they always agree. */
static void add_to_sums(struct recorder *recorder, struct interval *interval)
{
    struct interval *sum = &recorder->collected[interval->phase];

    counts_add(&sum->counts, &interval->counts);
    for (int i = 0; i < QUERY_KINDS; i++)
        sum->queries[i] += interval->queries[i];
    sum->errors += interval->errors;
    for (int i = 0; i < recorder->layout.transaction_count; i++) {
        histogram_merge(interval->all, interval->response[i]);
        histogram_merge(&recorder->response[interval->phase][i], interval->response[i]);
    }
}

static int end_interval(struct recorder *recorder, int64_t end_ns, int stalled_lanes,
                        struct interval out[PHASE_COUNT])
{
    int count = 0;

    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct interval *interval = &recorder->gathered[phase];

        interval->end_ns = end_ns;
        interval->stalled_lanes = stalled_lanes;
        if (saw_anything(interval)) {
            add_to_sums(recorder, interval);
            recorder->last_phase = interval->phase;
            out[count++] = *interval;
        }
    }
    return count;
}

/* ---- collecting ---- */

/* Empties the mailbox of a lane when it holds something of this interval or an earlier one. Gives
 * true while there is reason to wait: the lane has not come to the end of this interval. */
static bool sweep_lane(struct recorder *recorder, int index)
{
    struct lane *lane = recorder->lanes[index];
    bool ended = atomic_load_explicit(&lane->ended, memory_order_acquire);
    struct block *block = atomic_load_explicit(&lane->handed, memory_order_acquire);

    if (block == NULL && ended)
        recorder->reported[index] = recorder->number;
    if (block == NULL)
        return recorder->reported[index] < recorder->number;
    /* A block that goes on into a later interval is that one's: we are the late ones. */
    if (block->until > recorder->number)
        return false;
    recorder->reported[index] = block->until;
    add_block(recorder, block);
    atomic_store_explicit(&lane->handed, NULL, memory_order_release);
    return recorder->reported[index] < recorder->number;
}

static int sweep(struct recorder *recorder)
{
    int late = 0;

    for (int i = 0; i < recorder->layout.lane_count; i++)
        late += sweep_lane(recorder, i);
    return late;
}

static int count_stalled(const struct recorder *recorder)
{
    int stalled = 0;

    for (int i = 0; i < recorder->layout.lane_count; i++)
        stalled += recorder->reported[i] < recorder->number;
    return stalled;
}

int recorder_collect(struct recorder *recorder, int64_t patience_ns,
                     struct interval out[PHASE_COUNT])
{
    int64_t end_ns = interval_begin_ns(recorder) + recorder->layout.interval_ns;
    int count;

    begin_interval(recorder);
    while (sweep(recorder) > 0) {
        int64_t now_ns = clock_now_ns(), next_ns = end_ns;

        if (now_ns >= end_ns + patience_ns)
            break;
        if (now_ns >= end_ns)
            next_ns = now_ns + POLL_NS;
        clock_sleep_until_ns(next_ns);
    }
    count = end_interval(recorder, end_ns, count_stalled(recorder), out);
    if (count == 0)
        out[count++] = recorder->gathered[recorder->last_phase];
    recorder->number++;
    return count;
}

/* Without a clock and without waiting: the workers have ended. */
static void gather_rest(struct recorder *recorder)
{
    for (int i = 0; i < recorder->layout.lane_count; i++) {
        struct lane *lane = recorder->lanes[i];

        add_block(recorder, &lane->blocks[0]);
        add_block(recorder, &lane->blocks[1]);
        atomic_store_explicit(&lane->handed, NULL, memory_order_release);
    }
}

int recorder_collect_rest(struct recorder *recorder, int64_t now_ns,
                          struct interval out[PHASE_COUNT])
{
    int64_t begin_ns = interval_begin_ns(recorder);
    int count;

    begin_interval(recorder);
    gather_rest(recorder);
    count = end_interval(recorder, now_ns > begin_ns ? now_ns : begin_ns, 0, out);
    recorder->number += count > 0;
    return count;
}
