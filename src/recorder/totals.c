/*
 * totals.c - the run as a whole, once the workers have ended; and whether the books balance.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "recorder/inside.h"

/* ---- sums over lanes ---- */

static void sum_tallies(const struct recorder *recorder, enum phase phase, int index,
                        struct counts *into)
{
    for (int i = 0; i < recorder->layout.lane_count; i++) {
        const struct transaction_tally *tally = &recorder->lanes[i]->transactions[phase][index];

        into->outcome[OUTCOME_COMMITTED] += tally->committed;
        into->attempts += tally->committed;
        into->scheduled += tally->committed;
        into->scheduled += tally->scheduled;
        into->retried += tally->retried;
        into->late += tally->late;
        for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
            into->outcome[outcome] += tally->count[outcome];
            into->attempts += tally->attempts[outcome];
        }
    }
}

/* In a closed loop a transaction is sent when it is scheduled: nobody ever waits. */
static void fill_queue_of_closed_loop(struct histogram *queue, const struct histogram *response)
{
    histogram_reset(queue);
    if (response->count == 0)
        return;
    queue->count = response->count;
    queue->min_ns = 0;
    queue->cells[0] = response->count;
}

static void sum_transaction(struct recorder *recorder, enum phase phase, int index)
{
    struct transaction_totals *totals = &recorder->totals[phase].transactions[index];

    sum_tallies(recorder, phase, index, &totals->counts);
    counts_add(&recorder->totals[phase].all, &totals->counts);
    totals->response = &recorder->response[phase][index];
    totals->service = totals->queue = totals->censored = recorder->empty;
    if (phase == PHASE_WARMUP)
        return;
    totals->queue = &recorder->queue[index];
    totals->censored = &recorder->censored[index];
    for (int i = 0; i < recorder->layout.lane_count; i++)
        histogram_merge(totals->censored, &recorder->lanes[i]->censored[index]);
    if (!recorder->layout.open_loop) {
        totals->service = totals->response;
        fill_queue_of_closed_loop(totals->queue, totals->response);
        return;
    }
    totals->service = &recorder->service[index];
    for (int i = 0; i < recorder->layout.lane_count; i++) {
        histogram_merge(totals->service, &recorder->lanes[i]->service[index]);
        histogram_merge(totals->queue, &recorder->lanes[i]->queue[index]);
    }
}

static void sum_statement(struct recorder *recorder, enum phase phase, int index)
{
    struct statement_totals *totals = &recorder->totals[phase].statements[index];

    totals->latency = phase == PHASE_WARMUP ? recorder->empty : &recorder->latency[index];
    for (int i = 0; i < recorder->layout.lane_count; i++) {
        const struct lane *lane = recorder->lanes[i];
        const struct statement_tally *tally = &lane->statements[phase][index];

        for (int kind = 0; kind < QUERY_KINDS; kind++) {
            totals->kind[kind] += tally->kind[kind];
            recorder->totals[phase].queries[kind] += tally->kind[kind];
        }
        totals->rows += tally->rows;
        totals->without_rows += tally->without_rows;
        if (phase == PHASE_MEASURE)
            histogram_merge(totals->latency, &lane->latency[index]);
    }
}

/* ---- errors ---- */

/* Most frequent first, then by code, so that the order does not depend on lanes. */
static int compare_errors(const void *left, const void *right)
{
    const struct error_totals *a = left, *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->code, b->code);
}

/* A code that one lane has in a row may be among the "other" of another lane: the sums of rows are
 * then a lower bound, but nothing is lost. */
static void sum_errors(struct recorder *recorder, enum phase phase)
{
    struct phase_totals *totals = &recorder->totals[phase];
    struct error_table *table = MEMORY_NEW(struct error_table);

    for (int i = 0; i < recorder->layout.lane_count; i++) {
        const struct error_table *from = &recorder->lanes[i]->errors[phase];

        for (int row = 0; row < from->count && row < RECORDER_ERRORS_MAX; row++)
            error_table_add(table, &from->rows[row]);
    }
    /* Those without a row of their own last, or they would take one from a code. */
    for (int i = 0; i < recorder->layout.lane_count; i++) {
        const struct error_table *from = &recorder->lanes[i]->errors[phase];

        if (from->count > RECORDER_ERRORS_MAX)
            error_table_add(table, &from->rows[RECORDER_ERRORS_MAX]);
    }
    totals->error_count = table->count;
    memcpy(totals->errors, table->rows, sizeof table->rows[0] * (size_t)table->count);
    qsort(totals->errors, (size_t)table->count, sizeof totals->errors[0], compare_errors);
    memory_free(table);
}

/* ---- the door ---- */

static void sum_once(struct recorder *recorder)
{
    struct interval rest[PHASE_COUNT];

    if (recorder->summed)
        return;
    recorder->summed = true;
    /* Nothing is left when the caller has collected the rest. */
    recorder_collect_rest(recorder, 0, rest);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        for (int i = 0; i < recorder->layout.transaction_count; i++)
            sum_transaction(recorder, (enum phase)phase, i);
        for (int i = 0; i < recorder->layout.statement_count; i++)
            sum_statement(recorder, (enum phase)phase, i);
        sum_errors(recorder, (enum phase)phase);
    }
}

const struct phase_totals *recorder_totals(struct recorder *recorder, enum phase phase)
{
    sum_once(recorder);
    return &recorder->totals[phase];
}

static const struct histogram *sum_connects(struct recorder *recorder, int index)
{
    struct histogram *connects = &recorder->connects[index];

    histogram_reset(connects);
    for (int i = 0; i < recorder->layout.lane_count; i++)
        histogram_merge(connects, &recorder->lanes[i]->connects[index]);
    return connects;
}

const struct histogram *recorder_connects(struct recorder *recorder, bool reopened)
{
    return sum_connects(recorder, reopened);
}

const struct histogram *recorder_connect_part(struct recorder *recorder, enum connect_part part)
{
    return sum_connects(recorder, 2 + (int)part);
}

const struct histogram *recorder_put_off(struct recorder *recorder)
{
    histogram_reset(recorder->put_off);
    for (int i = 0; i < recorder->layout.lane_count && recorder->layout.open_loop; i++)
        histogram_merge(recorder->put_off, recorder->lanes[i]->put_off);
    return recorder->put_off;
}

int64_t recorder_server_commits(struct recorder *recorder)
{
    int64_t commits = 0;

    for (int i = 0; i < recorder->layout.lane_count; i++)
        commits += recorder->lanes[i]->server_commits;
    return commits;
}

int64_t recorder_tally(const struct recorder *recorder, int tally)
{
    int64_t sum = 0;

    for (int i = 0; i < recorder->layout.lane_count; i++)
        sum += recorder->lanes[i]->tallies[tally];
    return sum;
}

/* ---- the books ---- */

static bool equal(int64_t left, int64_t right, const char *what, struct text *why)
{
    if (left == right)
        return true;
    text_format(why, "%s%s: %" PRId64 " is not %" PRId64, why->length > 0 ? "; " : "", what, left,
                right);
    return false;
}

static bool balanced_intervals(const struct recorder *recorder, enum phase phase, struct text *why)
{
    const struct phase_totals *totals = &recorder->totals[phase];
    const struct interval *sum = &recorder->collected[phase];
    int64_t errors = 0;
    bool good =
        equal(totals->all.scheduled, sum->counts.scheduled, "scheduled: lanes and intervals", why);

    good &=
        equal(totals->all.attempts, sum->counts.attempts, "attempts: outcomes and intervals", why);
    good &= equal(totals->all.retried, sum->counts.retried, "retried: lanes and intervals", why);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        good &= equal(totals->all.outcome[i], sum->counts.outcome[i], outcome_table[i].name, why);
    for (int i = 0; i < QUERY_KINDS; i++)
        good &= equal(totals->queries[i], sum->queries[i], query_kind_names[i], why);
    for (int i = 0; i < totals->error_count; i++)
        errors += totals->errors[i].count;
    good &= equal(errors, sum->errors, "errors: codes and intervals", why);
    return good;
}

static bool balanced_times(const struct recorder *recorder, enum phase phase, int index,
                           struct text *why)
{
    const struct transaction_totals *totals = &recorder->totals[phase].transactions[index];
    const int64_t *outcome = totals->counts.outcome;
    int64_t ended = outcome[OUTCOME_COMMITTED] + outcome[OUTCOME_ROLLED_BACK];
    int64_t censored = outcome[OUTCOME_DROPPED] + outcome[OUTCOME_UNFINISHED];
    bool good = equal(ended, totals->response->count, "ended and response times", why);

    if (phase == PHASE_MEASURE) {
        good &= equal(ended, totals->service->count, "ended and service times", why);
        good &= equal(ended, totals->queue->count, "ended and queue times", why);
        good &= equal(censored, totals->censored->count, "censored and their ages", why);
    }
    return good;
}

bool recorder_balanced(struct recorder *recorder, enum phase phase, struct text *why)
{
    const struct phase_totals *totals = recorder_totals(recorder, phase);
    int64_t outcomes = 0;
    bool good;

    for (int i = 0; i < OUTCOME_COUNT; i++)
        outcomes += totals->all.outcome[i];
    good = equal(totals->all.scheduled, outcomes, "scheduled and outcomes", why);
    good &= balanced_intervals(recorder, phase, why);
    for (int i = 0; i < recorder->layout.transaction_count; i++)
        good &= balanced_times(recorder, phase, i, why);
    return good;
}
