/*
 * lane_test.c - what a lane counts where, and when it hands over. Time is an argument.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "recorder/inside.h"

#define INTERVAL_NS 64000

static const char *const names[] = { "one", "two" };

static struct lane *make_lane(bool open_loop)
{
    struct recorder_layout layout = { .lane_count = 1,
                                      .transaction_count = 2,
                                      .statement_count = 2,
                                      .transaction_names = names,
                                      .statement_names = names,
                                      .open_loop = open_loop,
                                      .interval_ns = INTERVAL_NS };

    return lane_new(&layout);
}

static struct transaction_record record_of(enum phase phase, enum outcome outcome)
{
    return (struct transaction_record){ .transaction = 1,
                                        .phase = phase,
                                        .outcome = outcome,
                                        .attempts = 3,
                                        .scheduled_ns = 100,
                                        .sent_ns = 130,
                                        .done_ns = 200 };
}

static void outcomes_go_to_their_places(void **state)
{
    (void)state;
    for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
        struct lane *lane = make_lane(true);
        struct transaction_record record = record_of(PHASE_MEASURE, (enum outcome)outcome);
        const struct block_phase *block = &lane->blocks[0].phases[PHASE_MEASURE];
        bool ended = outcome == OUTCOME_COMMITTED || outcome == OUTCOME_ROLLED_BACK;
        bool censored = outcome == OUTCOME_DROPPED || outcome == OUTCOME_UNFINISHED;

        lane_transaction(lane, &record);
        assert_int_equal(lane->transactions[PHASE_MEASURE][1].scheduled, 1);
        assert_int_equal(lane->transactions[PHASE_MEASURE][1].count[outcome], 1);
        assert_int_equal(lane->transactions[PHASE_MEASURE][1].attempts[outcome], 3);
        assert_int_equal(lane->transactions[PHASE_MEASURE][1].retried, 2);
        assert_int_equal(block->counts.scheduled, 1);
        assert_int_equal(block->counts.outcome[outcome], 1);
        assert_int_equal(block->counts.attempts, 3);
        assert_int_equal(block->counts.retried, 2);
        assert_int_equal(block->response[1].count, ended);
        assert_int_equal(block->response[1].sum_ns, ended ? 100 : 0);
        assert_int_equal(lane->service[1].sum_ns, ended ? 70 : 0);
        assert_int_equal(lane->queue[1].sum_ns, ended ? 30 : 0);
        assert_int_equal(lane->censored[1].count, censored);
        assert_int_equal(lane->censored[1].sum_ns, censored ? 100 : 0);
        lane_free(lane);
    }
}

static void warmup_keeps_counts_and_response(void **state)
{
    struct lane *lane = make_lane(true);
    struct transaction_record record = record_of(PHASE_WARMUP, OUTCOME_COMMITTED);
    struct statement_record statement = {
        .statement = 1, .phase = PHASE_WARMUP, .kind = QUERY_WRITE, .latency_ns = 50
    };

    (void)state;
    lane_transaction(lane, &record);
    lane_statement(lane, &statement);
    assert_int_equal(lane->blocks[0].phases[PHASE_WARMUP].response[1].count, 1);
    assert_int_equal(lane->blocks[0].phases[PHASE_WARMUP].queries[QUERY_WRITE], 1);
    assert_int_equal(lane->statements[PHASE_WARMUP][1].kind[QUERY_WRITE], 1);
    assert_int_equal(lane->statements[PHASE_WARMUP][1].without_rows, 1);
    assert_int_equal(lane->service[1].count, 0);
    assert_int_equal(lane->latency[1].count, 0);
    statement.phase = PHASE_MEASURE;
    statement.rows = 7;
    lane_statement(lane, &statement);
    assert_int_equal(lane->latency[1].sum_ns, 50);
    assert_int_equal(lane->statements[PHASE_MEASURE][1].rows, 7);
    assert_int_equal(lane->statements[PHASE_MEASURE][1].without_rows, 0);
    lane_free(lane);
}

static void first_attempts_are_no_retries(void **state)
{
    struct lane *lane = make_lane(false);
    struct transaction_record record = record_of(PHASE_MEASURE, OUTCOME_DROPPED);

    (void)state;
    for (record.attempts = 0; record.attempts < 2; record.attempts++)
        lane_transaction(lane, &record);
    assert_int_equal(lane->blocks[0].phases[PHASE_MEASURE].counts.attempts, 1);
    assert_int_equal(lane->blocks[0].phases[PHASE_MEASURE].counts.retried, 0);
    assert_null(lane->service);
    lane_free(lane);
}

/* ---- errors ---- */

static void codes_beyond_the_table_are_other(void **state)
{
    struct lane *lane = make_lane(false);
    const struct error_table *table = &lane->errors[PHASE_MEASURE];
    char code[16];

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < RECORDER_ERRORS_MAX + 5; i++) {
            snprintf(code, sizeof code, "%05d", i);
            lane_error(lane, PHASE_MEASURE, code, round, round == 0 ? code : "later");
        }
    }
    assert_int_equal(table->count, RECORDER_ERRORS_MAX + 1);
    for (int i = 0; i < RECORDER_ERRORS_MAX; i++) {
        assert_int_equal(table->rows[i].count, 3);
        assert_int_equal(table->rows[i].statement, 0);
        assert_string_equal(table->rows[i].message, table->rows[i].code);
    }
    assert_string_equal(table->rows[RECORDER_ERRORS_MAX].code, "other");
    assert_int_equal(table->rows[RECORDER_ERRORS_MAX].count, 15);
    assert_string_equal(table->rows[RECORDER_ERRORS_MAX].message, "00064");
    assert_int_equal(lane->current->phases[PHASE_MEASURE].errors, 3 * (RECORDER_ERRORS_MAX + 5));
    lane_free(lane);
}

static void long_messages_end_between_characters(void **state)
{
    struct lane *lane = make_lane(false);
    const struct error_totals *row = &lane->errors[PHASE_WARMUP].rows[0];
    char message[2 * ERROR_SAMPLE_MAX];

    (void)state;
    memset(message, 'x', sizeof message);
    memcpy(message + ERROR_SAMPLE_MAX - 2, "\xe2\x82\xac", 3); /* a euro sign over the edge */
    message[sizeof message - 1] = '\0';
    lane_error(lane, PHASE_WARMUP, "a code that is far too long for its row", -1, message);
    lane_error(lane, PHASE_WARMUP, "a code that is far too long for its row", 2, NULL);
    assert_int_equal(lane->errors[PHASE_WARMUP].count, 1);
    assert_int_equal(row->count, 2);
    assert_int_equal(row->statement, -1);
    assert_int_equal(strlen(row->message), ERROR_SAMPLE_MAX - 2);
    assert_int_equal(strlen(row->code), ERROR_CODE_MAX - 1);
    lane_error(lane, PHASE_MEASURE, "57014", 1, NULL);
    assert_string_equal(lane->errors[PHASE_MEASURE].rows[0].message, "");
    lane_free(lane);
}

/* ---- ticks ---- */

static void a_tick_hands_over_once(void **state)
{
    struct lane *lane = make_lane(false);
    struct block *first = &lane->blocks[0], *second = &lane->blocks[1];

    (void)state;
    lane_tick(lane, INT64_MAX - 1); /* not started */
    assert_null(atomic_load(&lane->handed));
    lane_start(lane, 1000);
    assert_int_equal(lane_next_tick_ns(lane), 1000 + INTERVAL_NS);
    lane_tick(lane, 999 + INTERVAL_NS);
    assert_null(atomic_load(&lane->handed));
    lane_tick(lane, 1000 + INTERVAL_NS);
    assert_ptr_equal(atomic_load(&lane->handed), first);
    assert_int_equal(first->until, 1);
    assert_ptr_equal(lane->current, second);
    assert_int_equal(lane_next_tick_ns(lane), 1000 + 2 * INTERVAL_NS);
    atomic_store(&lane->handed, NULL);
    lane_tick(lane, 1000 + 5 * INTERVAL_NS + 7); /* slept over three */
    assert_ptr_equal(atomic_load(&lane->handed), second);
    assert_int_equal(second->until, 5);
    assert_int_equal(lane_next_tick_ns(lane), 1000 + 6 * INTERVAL_NS);
    lane_free(lane);
}

static void a_full_slot_is_tried_again_soon(void **state)
{
    struct lane *lane = make_lane(false);
    struct transaction_record record = record_of(PHASE_MEASURE, OUTCOME_COMMITTED);

    (void)state;
    lane_start(lane, 0);
    lane_transaction(lane, &record);
    lane_tick(lane, INTERVAL_NS);
    lane_transaction(lane, &record);
    lane_tick(lane, 2 * INTERVAL_NS);
    assert_int_equal(lane_next_tick_ns(lane), 2 * INTERVAL_NS + INTERVAL_NS / 64);
    assert_int_equal(lane->blocks[0].phases[PHASE_MEASURE].counts.scheduled, 1);
    assert_int_equal(lane->blocks[1].phases[PHASE_MEASURE].counts.scheduled, 1);
    lane_tick(lane, 3 * INTERVAL_NS - 1); /* never later than the next end */
    assert_int_equal(lane_next_tick_ns(lane), 3 * INTERVAL_NS);
    atomic_store(&lane->handed, NULL);
    lane_transaction(lane, &record);
    lane_tick(lane, 3 * INTERVAL_NS + 1);
    assert_ptr_equal(atomic_load(&lane->handed), &lane->blocks[1]);
    assert_int_equal(lane->blocks[1].phases[PHASE_MEASURE].counts.scheduled, 2);
    assert_int_equal(lane->blocks[1].until, 3);
    lane_free(lane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_go_to_their_places),
        cmocka_unit_test(warmup_keeps_counts_and_response),
        cmocka_unit_test(first_attempts_are_no_retries),
        cmocka_unit_test(codes_beyond_the_table_are_other),
        cmocka_unit_test(long_messages_end_between_characters),
        cmocka_unit_test(a_tick_hands_over_once),
        cmocka_unit_test(a_full_slot_is_tried_again_soon),
    };

    return cmocka_run_group_tests_name("lane", tests, NULL, NULL);
}
