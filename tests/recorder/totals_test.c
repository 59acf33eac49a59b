/*
 * totals_test.c - sums over lanes, errors of all lanes, and books that do not balance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "recorder/inside.h"

#define LANES 3

static const char *const names[] = { "one", "two" };

static struct recorder *make(bool open_loop)
{
    struct recorder_layout layout = { .lane_count = LANES,
                                      .transaction_count = 2,
                                      .statement_count = 2,
                                      .transaction_names = names,
                                      .statement_names = names,
                                      .open_loop = open_loop,
                                      .interval_ns = NS_PER_S };
    struct recorder *recorder = recorder_new(&layout);

    recorder_start(recorder, 0);
    return recorder;
}

/* One transaction of every outcome and one statement, in both phases, on each lane. */
static void fill(struct recorder *recorder)
{
    for (int i = 0; i < LANES; i++) {
        struct lane *lane = recorder_lane(recorder, i);

        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            struct statement_record statement = { .statement = 1,
                                                  .phase = (enum phase)phase,
                                                  .kind = QUERY_READ,
                                                  .latency_ns = 10,
                                                  .rows = i };

            for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++) {
                struct transaction_record record = { .transaction = i % 2,
                                                     .phase = (enum phase)phase,
                                                     .outcome = (enum outcome)outcome,
                                                     .attempts = 2,
                                                     .scheduled_ns = 100,
                                                     .sent_ns = 120,
                                                     .done_ns = 200 };

                lane_transaction(lane, &record);
            }
            lane_statement(lane, &statement);
            lane_error(lane, (enum phase)phase, "40001", i, "words");
        }
        lane_connect(lane, 1000 + i, false);
        lane_connect(lane, 5000, true);
        lane_server_commit(lane, 7);
    }
}

static void lanes_are_summed(void **state)
{
    struct recorder *recorder = make(true);

    (void)state;
    fill(recorder);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        const struct phase_totals *totals = recorder_totals(recorder, (enum phase)phase);
        const struct transaction_totals *first = &totals->transactions[0];
        bool measured = phase == PHASE_MEASURE;

        assert_int_equal(totals->all.scheduled, LANES * OUTCOME_COUNT);
        assert_int_equal(totals->all.attempts, 2 * LANES * OUTCOME_COUNT);
        assert_int_equal(totals->all.retried, LANES * OUTCOME_COUNT);
        assert_int_equal(totals->queries[QUERY_READ], LANES);
        assert_int_equal(first->counts.scheduled, 2 * OUTCOME_COUNT);
        assert_int_equal(first->response->count, 4);
        assert_int_equal(first->response->sum_ns, 400);
        assert_int_equal(first->service->sum_ns, measured ? 320 : 0);
        assert_int_equal(first->queue->sum_ns, measured ? 80 : 0);
        assert_int_equal(first->censored->count, measured ? 4 : 0);
        assert_int_equal(totals->statements[1].rows, 3);
        assert_int_equal(totals->statements[1].without_rows, 1);
        assert_int_equal(totals->statements[1].latency->count, measured ? 3 : 0);
        assert_int_equal(totals->statements[0].latency->count, 0);
        assert_int_equal(totals->error_count, 1);
        assert_int_equal(totals->errors[0].count, LANES);
        assert_int_equal(totals->errors[0].statement, 0);
        assert_ptr_equal(recorder_totals(recorder, (enum phase)phase), totals);
    }
    assert_int_equal(recorder_totals(recorder, PHASE_MEASURE)->all.scheduled,
                     LANES * OUTCOME_COUNT);
    assert_int_equal(recorder_connects(recorder, false)->count, LANES);
    assert_int_equal(recorder_connects(recorder, false)->max_ns, 1002);
    assert_int_equal(recorder_connects(recorder, true)->sum_ns, 15000);
    assert_int_equal(recorder_server_commits(recorder), 21);
    recorder_free(recorder);
}

static void a_closed_loop_never_queues(void **state)
{
    struct recorder *recorder = make(false);
    const struct transaction_totals *totals;

    (void)state;
    fill(recorder);
    totals = &recorder_totals(recorder, PHASE_MEASURE)->transactions[0];
    assert_int_equal(totals->response->count, 4);
    assert_ptr_equal(totals->service, totals->response);
    assert_int_equal(totals->queue->count, 4);
    assert_int_equal(totals->queue->sum_ns, 0);
    assert_int_equal(histogram_percentile_ns(totals->queue, 100), 0);
    recorder_free(recorder);
}

/* ---- errors ---- */

static void errors_of_lanes_are_merged_and_sorted(void **state)
{
    struct recorder *recorder = make(false);
    const struct phase_totals *totals;
    int64_t sum = 0;
    char code[16];

    (void)state;
    for (int lane = 0; lane < LANES; lane++) {
        for (int i = 0; i < 40; i++) { /* 120 codes, of which lanes share none */
            snprintf(code, sizeof code, "%02d%03d", lane, i);
            for (int n = 0; n <= i % 4; n++)
                lane_error(recorder_lane(recorder, lane), PHASE_MEASURE, code, -1, code);
        }
        for (int n = 0; n < 100; n++)
            lane_error(recorder_lane(recorder, lane), PHASE_MEASURE, "other", -1, "a strange code");
    }
    totals = recorder_totals(recorder, PHASE_MEASURE);
    assert_int_equal(totals->error_count, RECORDER_ERRORS_MAX + 1);
    for (int i = 0; i < totals->error_count; i++) {
        sum += totals->errors[i].count;
        if (i > 0)
            assert_true(totals->errors[i - 1].count >= totals->errors[i].count);
    }
    assert_int_equal(sum, LANES * (100 + 100));
    assert_string_equal(totals->errors[0].code, "other");
    recorder_free(recorder);
}

/* ---- the books ---- */

static void unbalanced(struct recorder *recorder, const char *part)
{
    struct text why;

    text_init(&why, 10000);
    assert_false(recorder_balanced(recorder, PHASE_MEASURE, &why));
    assert_non_null(strstr(why.bytes, part));
    text_clear(&why);
    assert_true(recorder_balanced(recorder, PHASE_WARMUP, &why));
    assert_string_equal(why.bytes, "");
    text_close(&why);
    recorder_free(recorder);
}

static void whole_books_balance(void **state)
{
    (void)state;
    for (int open_loop = 0; open_loop < 2; open_loop++) {
        struct recorder *recorder = make(open_loop);
        struct text why;

        text_init(&why, 10000);
        assert_true(recorder_balanced(recorder, PHASE_MEASURE, &why)); /* empty */
        recorder_free(recorder);
        recorder = make(open_loop);
        fill(recorder);
        for (int phase = 0; phase < PHASE_COUNT; phase++)
            assert_true(recorder_balanced(recorder, (enum phase)phase, &why));
        assert_string_equal(why.bytes, "");
        text_close(&why);
        recorder_free(recorder);
    }
}

static void every_missing_count_is_seen(void **state)
{
    struct recorder *recorder = make(true);
    struct transaction_tally *tally;
    struct block_phase *block;

    (void)state;
    fill(recorder);
    recorder->lanes[1]->transactions[PHASE_MEASURE][1].scheduled++;
    unbalanced(recorder, "scheduled and outcomes: 19 is not 18");

    recorder = make(true);
    fill(recorder);
    recorder->lanes[0]->transactions[PHASE_MEASURE][0].attempts[OUTCOME_FAILED]--;
    unbalanced(recorder, "attempts: outcomes and intervals: 35 is not 36");

    recorder = make(true);
    fill(recorder);
    tally = &recorder->lanes[0]->transactions[PHASE_MEASURE][0];
    tally->count[OUTCOME_FAILED]--;
    tally->count[OUTCOME_UNKNOWN]++;
    unbalanced(recorder, "failed: 2 is not 3; unknown: 4 is not 3");

    recorder = make(true);
    fill(recorder);
    block = &recorder->lanes[2]->current->phases[PHASE_MEASURE];
    block->queries[QUERY_READ] = 0;
    unbalanced(recorder, "read: 3 is not 2");

    recorder = make(true);
    fill(recorder);
    histogram_reset(&recorder->lanes[2]->current->phases[PHASE_MEASURE].response[0]);
    unbalanced(recorder, "ended and response times: 4 is not 2");

    recorder = make(true);
    fill(recorder);
    histogram_record(&recorder->lanes[1]->censored[1], 5);
    unbalanced(recorder, "censored and their ages: 2 is not 3");

    recorder = make(true);
    fill(recorder);
    recorder->lanes[1]->errors[PHASE_MEASURE].rows[0].count--;
    unbalanced(recorder, "errors: codes and intervals: 2 is not 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_summed),
        cmocka_unit_test(a_closed_loop_never_queues),
        cmocka_unit_test(errors_of_lanes_are_merged_and_sorted),
        cmocka_unit_test(whole_books_balance),
        cmocka_unit_test(every_missing_count_is_seen),
    };

    return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
