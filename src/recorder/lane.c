/*
 * lane.c - the worker's side: counts, and hands over at a tick.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "recorder/inside.h"

/* A worker that found its last block still waiting tries again after this part of an interval,
 * within the coordinator's patience, so that one late report does not make all later ones late. */
#define RETRY_PARTS 64

/* ---- life ---- */

struct lane *lane_new(const struct recorder_layout *layout)
{
    int transactions = layout->transaction_count;
    struct lane *lane = MEMORY_NEW(struct lane);

    touch_pages(lane, sizeof *lane);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        lane->transactions[phase] = MEMORY_ARRAY(struct transaction_tally, transactions);
        lane->statements[phase] = MEMORY_ARRAY(struct statement_tally, layout->statement_count);
        for (int i = 0; i < 2; i++)
            lane->blocks[i].phases[phase].response =
                histogram_array_of(layout->transaction_names, transactions);
    }
    if (layout->open_loop) {
        lane->service = histogram_array_of(layout->transaction_names, transactions);
        lane->queue = histogram_array_of(layout->transaction_names, transactions);
    }
    lane->put_off = histogram_array(layout->open_loop);
    lane->censored = histogram_array_of(layout->transaction_names, transactions);
    lane->latency = histogram_array_of(layout->statement_names, layout->statement_count);
    lane->connects = histogram_array(2 + CONNECT_PARTS);
    lane->tallies = MEMORY_ARRAY(int64_t, layout->tally_count);
    lane->interval_ns = layout->interval_ns;
    lane->late_above_ns = layout->latency_limit_ns > 0 ? layout->latency_limit_ns : INT64_MAX;
    lane->tick_ns = INT64_MAX;
    lane->current = &lane->blocks[0];
    atomic_init(&lane->handed, NULL);
    atomic_init(&lane->ended, false);
    return lane;
}

void lane_free(struct lane *lane)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        memory_free(lane->transactions[phase]);
        memory_free(lane->statements[phase]);
        for (int i = 0; i < 2; i++)
            histogram_free(lane->blocks[i].phases[phase].response);
    }
    histogram_free(lane->service);
    histogram_free(lane->queue);
    histogram_free(lane->censored);
    histogram_free(lane->put_off);
    histogram_free(lane->latency);
    histogram_free(lane->connects);
    memory_free(lane->tallies);
    memory_free(lane);
}

void lane_start(struct lane *lane, int64_t start_ns)
{
    lane->start_ns = start_ns;
    lane->tick_ns = start_ns + lane->interval_ns;
}

void block_empty(struct block *block, int transaction_count)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        struct histogram *response = block->phases[phase].response;

        for (int i = 0; i < transaction_count; i++)
            histogram_reset(&response[i]);
        block->phases[phase] = (struct block_phase){ .response = response };
    }
}

/* ---- errors ---- */

/* Copies what fits and never ends inside a character, or the result would not be UTF-8. */
static void copy_words(char *to, const char *from, size_t size)
{
    size_t length = strnlen(from, size);

    if (length == size) {
        length--;
        while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

static struct error_totals *find_row(struct error_table *table, const char *code)
{
    struct error_totals *row;
    int at = 0;

    while (at < table->count && strcmp(table->rows[at].code, code) != 0)
        at++;
    if (at > RECORDER_ERRORS_MAX)
        at = RECORDER_ERRORS_MAX;
    row = &table->rows[at];
    if (at == table->count) {
        table->count++;
        copy_words(row->code, at == RECORDER_ERRORS_MAX ? "other" : code, sizeof row->code);
        row->statement = -1;
    }
    return row;
}

static void add_to_row(struct error_totals *row, int64_t count, int statement, const char *message)
{
    if (row->count == 0) {
        row->statement = statement;
        copy_words(row->message, message != NULL ? message : "", sizeof row->message);
    }
    row->count += count;
}

void error_table_add(struct error_table *table, const struct error_totals *error)
{
    add_to_row(find_row(table, error->code), error->count, error->statement, error->message);
}

void lane_error(struct lane *lane, enum phase phase, const char *code, int statement,
                const char *message)
{
    char kept[ERROR_CODE_MAX];

    copy_words(kept, code, sizeof kept);
    add_to_row(find_row(&lane->errors[phase], kept), 1, statement, message);
    lane->current->phases[phase].errors++;
}

/* ---- the path of a transaction ---- */

void lane_transaction(struct lane *lane, const struct transaction_record *record)
{
    struct block_phase *block = &lane->current->phases[record->phase];
    struct transaction_tally *tally = &lane->transactions[record->phase][record->transaction];
    int64_t response_ns = record->done_ns - record->scheduled_ns;

    tally->scheduled++;
    tally->count[record->outcome]++;
    tally->attempts[record->outcome] += record->attempts;
    block->counts.scheduled++;
    block->counts.outcome[record->outcome]++;
    block->counts.attempts += record->attempts;
    if (UNLIKELY(record->attempts > 1)) {
        tally->retried += record->attempts - 1;
        block->counts.retried += record->attempts - 1;
    }
    if (LIKELY(record->outcome <= OUTCOME_ROLLED_BACK)) {
        if (UNLIKELY(response_ns > lane->late_above_ns)) {
            tally->late++;
            block->counts.late++;
        }
        histogram_record(&block->response[record->transaction], response_ns);
        /* Only the measured phase keeps more than the response times of its intervals. */
        if (UNLIKELY(lane->service != NULL) && record->phase == PHASE_MEASURE) {
            histogram_record(&lane->service[record->transaction],
                             record->done_ns - record->sent_ns);
            histogram_record(&lane->queue[record->transaction],
                             record->sent_ns - record->scheduled_ns);
        }
    } else if (record->outcome >= OUTCOME_DROPPED && record->phase == PHASE_MEASURE) {
        histogram_record(&lane->censored[record->transaction], response_ns);
    }
}

void lane_dropped(struct lane *lane, int transaction, enum phase phase, int64_t count,
                  int64_t age_ns)
{
    struct block_phase *block = &lane->current->phases[phase];
    struct transaction_tally *tally = &lane->transactions[phase][transaction];

    if (count <= 0)
        return;
    tally->scheduled += count;
    tally->count[OUTCOME_DROPPED] += count;
    block->counts.scheduled += count;
    block->counts.outcome[OUTCOME_DROPPED] += count;
    if (phase == PHASE_MEASURE)
        histogram_record_many(&lane->censored[transaction], age_ns, count);
}

void lane_committed(struct lane *lane, int transaction, enum phase phase, int64_t response_ns)
{
    struct block_phase *block = &lane->current->phases[phase];
    struct transaction_tally *tally = &lane->transactions[phase][transaction];

    tally->committed++;
    block->committed++;
    if (UNLIKELY(response_ns > lane->late_above_ns)) {
        tally->late++;
        block->counts.late++;
    }
    histogram_record(&block->response[transaction], response_ns);
}

_Static_assert(OUTCOME_COMMITTED < OUTCOME_ROLLED_BACK && OUTCOME_ROLLED_BACK < OUTCOME_FAILED &&
                   OUTCOME_UNKNOWN < OUTCOME_DROPPED && OUTCOME_DROPPED < OUTCOME_UNFINISHED,
               "done, then undone by errors, then censored");

void lane_statement(struct lane *lane, const struct statement_record *record)
{
    struct statement_tally *tally = &lane->statements[record->phase][record->statement];

    tally->kind[record->kind]++;
    tally->rows += record->rows;
    tally->without_rows += record->rows == 0;
    lane->current->phases[record->phase].queries[record->kind]++;
    if (record->phase == PHASE_MEASURE)
        histogram_record(&lane->latency[record->statement], record->latency_ns);
}

void lane_connect(struct lane *lane, int64_t took_ns, bool reopened)
{
    histogram_record(&lane->connects[reopened], took_ns);
}

void lane_connect_part(struct lane *lane, enum connect_part part, int64_t took_ns)
{
    histogram_record(&lane->connects[2 + part], took_ns);
}

void lane_put_off(struct lane *lane, enum phase phase, int64_t late_ns)
{
    if (phase == PHASE_MEASURE)
        histogram_record(lane->put_off, late_ns);
}

void lane_tally(struct lane *lane, int tally, int64_t count)
{
    lane->tallies[tally] += count;
}

void lane_server_commit(struct lane *lane, int64_t commits)
{
    lane->server_commits += commits;
}

/* ---- ticks ---- */

void lane_tick(struct lane *lane, int64_t now_ns)
{
    int64_t ended, next_ns;

    if (now_ns < lane->tick_ns)
        return;
    ended = (now_ns - lane->start_ns) / lane->interval_ns;
    next_ns = lane->start_ns + (ended + 1) * lane->interval_ns;
    if (atomic_load_explicit(&lane->handed, memory_order_acquire) != NULL) {
        int64_t again_ns = now_ns + lane->interval_ns / RETRY_PARTS;

        lane->tick_ns = again_ns < next_ns ? again_ns : next_ns;
        return;
    }
    lane->current->until = ended;
    atomic_store_explicit(&lane->handed, lane->current, memory_order_release);
    lane->current = lane->current == &lane->blocks[0] ? &lane->blocks[1] : &lane->blocks[0];
    lane->tick_ns = next_ns;
}

void lane_end(struct lane *lane)
{
    atomic_store_explicit(&lane->ended, true, memory_order_release);
}

int64_t lane_next_tick_ns(const struct lane *lane)
{
    return lane->tick_ns;
}
