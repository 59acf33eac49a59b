/*
 * recorder_test.c - collecting: late lanes, a late coordinator, and many threads at once.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/rng.h"
#include "recorder/inside.h"

#define TRANSACTIONS 3
#define STATEMENTS   4
#define LANES        4

static const char *const names[] = { "a", "b", "c", "d" };

static struct recorder *make(int lane_count, int64_t interval_ns)
{
    struct recorder_layout layout = { .lane_count = lane_count,
                                      .transaction_count = TRANSACTIONS,
                                      .statement_count = STATEMENTS,
                                      .transaction_names = names,
                                      .statement_names = names,
                                      .open_loop = true,
                                      .interval_ns = interval_ns };

    return recorder_new(&layout);
}

static void commit(struct lane *lane, enum phase phase, int64_t done_ns)
{
    struct transaction_record record = { .transaction = 2,
                                         .phase = phase,
                                         .outcome = OUTCOME_COMMITTED,
                                         .attempts = 1,
                                         .scheduled_ns = done_ns - 1000,
                                         .sent_ns = done_ns - 900,
                                         .done_ns = done_ns };

    lane_transaction(lane, &record);
}

/* ---- one thread: intervals that are over long ago, so that nothing waits ---- */

#define PAST_NS (1000 * NS_PER_S)

static struct recorder *two_lanes(struct lane *lanes[2])
{
    struct recorder *recorder = make(2, NS_PER_S);

    recorder_start(recorder, clock_now_ns() - PAST_NS);
    for (int i = 0; i < 2; i++)
        lanes[i] = recorder_lane(recorder, i);
    return recorder;
}

static void tick(struct recorder *recorder, struct lane *lane, int number)
{
    lane_tick(lane, recorder->start_ns + number * NS_PER_S);
}

static void an_interval_is_what_lanes_handed_over(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];

    (void)state;
    commit(lanes[0], PHASE_WARMUP, 5000);
    commit(lanes[1], PHASE_WARMUP, 5000);
    commit(lanes[1], PHASE_MEASURE, 5000);
    lane_error(lanes[1], PHASE_MEASURE, "40001", 1, "words");
    tick(recorder, lanes[0], 1);
    tick(recorder, lanes[1], 1);
    assert_int_equal(recorder_collect(recorder, 0, out), 2);
    assert_int_equal(out[0].phase, PHASE_WARMUP);
    assert_int_equal(out[0].counts.outcome[OUTCOME_COMMITTED], 2);
    assert_int_equal(out[0].response[2]->count, 2);
    assert_int_equal(out[0].all->count, 2);
    assert_int_equal(out[0].errors, 0);
    assert_int_equal(out[1].phase, PHASE_MEASURE);
    assert_int_equal(out[1].counts.scheduled, 1);
    assert_int_equal(out[1].errors, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(out[i].number, 1);
        assert_int_equal(out[i].stalled_lanes, 0);
        assert_int_equal(out[i].begin_ns, recorder->start_ns);
        assert_int_equal(out[i].end_ns, recorder->start_ns + NS_PER_S);
    }
    tick(recorder, lanes[0], 2);
    tick(recorder, lanes[1], 2);
    assert_int_equal(recorder_collect(recorder, 0, out), 1);
    assert_int_equal(out[0].phase, PHASE_MEASURE); /* nothing happened: the last phase goes on */
    assert_int_equal(out[0].number, 2);
    assert_int_equal(out[0].counts.scheduled, 0);
    assert_int_equal(out[0].all->count, 0);
    assert_int_equal(recorder_collect_rest(recorder, clock_now_ns(), out), 0);
    recorder_free(recorder);
}

static void a_late_lane_is_stalled_and_comes_later(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];

    (void)state;
    commit(lanes[0], PHASE_MEASURE, 5000);
    commit(lanes[1], PHASE_MEASURE, 5000);
    tick(recorder, lanes[0], 1);
    assert_int_equal(recorder_collect(recorder, 0, out), 1);
    assert_int_equal(out[0].stalled_lanes, 1);
    assert_int_equal(out[0].counts.scheduled, 1);
    commit(lanes[1], PHASE_MEASURE, 6000);
    tick(recorder, lanes[0], 2);
    tick(recorder, lanes[1], 2);
    assert_int_equal(recorder_collect(recorder, 0, out), 1);
    assert_int_equal(out[0].stalled_lanes, 0);
    assert_int_equal(out[0].counts.scheduled, 2);
    assert_int_equal(out[0].response[2]->count, 2);
    recorder_free(recorder);
}

/* A worker that has no more to do is no late one; what it had left comes with the rest. */
static void an_ended_lane_is_not_waited_for(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];

    (void)state;
    commit(lanes[1], PHASE_MEASURE, 5000);
    lane_end(lanes[1]);
    for (int number = 1; number <= 2; number++) {
        tick(recorder, lanes[0], number);
        assert_int_equal(recorder_collect(recorder, 0, out), 1);
        assert_int_equal(out[0].stalled_lanes, 0);
    }
    assert_int_equal(recorder_collect_rest(recorder, clock_now_ns(), out), 1);
    assert_int_equal(out[0].counts.scheduled, 1);
    recorder_free(recorder);
}

/* The coordinator sleeps over three intervals; the worker never waits, and no count is taken for
 * an interval that it did not end in or before. */
static void a_late_coordinator_loses_nothing(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];
    static const int64_t scheduled[] = { 2, 0, 6 }, stalled[] = { 0, 2, 0 };

    (void)state;
    for (int number = 1; number <= 3; number++) {
        for (int i = 0; i < 2; i++) {
            commit(lanes[i], PHASE_MEASURE, 5000);
            tick(recorder, lanes[i], number);
        }
    }
    for (int number = 1; number <= 3; number++) {
        assert_int_equal(recorder_collect(recorder, 0, out), 1);
        assert_int_equal(out[0].number, number);
        assert_int_equal(out[0].counts.scheduled, scheduled[number - 1]);
        assert_int_equal(out[0].stalled_lanes, stalled[number - 1]);
        if (number == 2) { /* the slot was empty again before the third tick was repeated */
            for (int i = 0; i < 2; i++) {
                commit(lanes[i], PHASE_MEASURE, 5000);
                tick(recorder, lanes[i], 3);
                lane_tick(lanes[i], lane_next_tick_ns(lanes[i]));
            }
        }
    }
    recorder_free(recorder);
}

static void a_block_of_later_waits_for_its_interval(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];

    (void)state;
    commit(lanes[0], PHASE_MEASURE, 5000);
    tick(recorder, lanes[0], 2); /* busy through the end of the first */
    tick(recorder, lanes[1], 1);
    assert_int_equal(recorder_collect(recorder, NS_PER_S, out), 1);
    assert_int_equal(out[0].counts.scheduled, 0);
    assert_int_equal(out[0].stalled_lanes, 1);
    tick(recorder, lanes[1], 2);
    assert_int_equal(recorder_collect(recorder, 0, out), 1);
    assert_int_equal(out[0].counts.scheduled, 1);
    assert_int_equal(out[0].stalled_lanes, 0);
    recorder_free(recorder);
}

static void the_rest_is_one_last_interval(void **state)
{
    struct lane *lanes[2];
    struct recorder *recorder = two_lanes(lanes);
    struct interval out[PHASE_COUNT];
    int64_t now_ns = recorder->start_ns + NS_PER_S / 2;

    (void)state;
    commit(lanes[0], PHASE_WARMUP, 5000);
    tick(recorder, lanes[0], 1);
    commit(lanes[0], PHASE_WARMUP, 5000);
    commit(lanes[1], PHASE_WARMUP, 5000);
    assert_int_equal(recorder_collect_rest(recorder, now_ns, out), 1);
    assert_int_equal(out[0].number, 1);
    assert_int_equal(out[0].end_ns, now_ns);
    assert_int_equal(out[0].counts.scheduled, 3);
    assert_int_equal(recorder_collect_rest(recorder, now_ns, out), 0);
    assert_int_equal(recorder_totals(recorder, PHASE_WARMUP)->all.scheduled, 3);
    recorder_free(recorder);
}

/* ---- waiting ---- */

static void collecting_waits_for_the_end_and_no_longer_than_patience(void **state)
{
    struct recorder *recorder = make(1, 20 * NS_PER_MS);
    struct interval out[PHASE_COUNT];
    int64_t start_ns = clock_now_ns();

    (void)state;
    recorder_start(recorder, start_ns);
    assert_int_equal(recorder_collect(recorder, 10 * NS_PER_MS, out), 1);
    assert_true(clock_now_ns() - start_ns >= 30 * NS_PER_MS);
    assert_int_equal(out[0].stalled_lanes, 1);
    recorder_free(recorder);
}

/* ---- threads ---- */

struct worker {
    struct lane *lane;
    int index;
    atomic_bool *over;
    int64_t scheduled, errors, statements; /* what it did, to hold against what was told */
    pthread_t thread;
};

static void record_one(struct worker *worker, struct rng *rng, enum phase phase, int64_t now_ns)
{
    struct transaction_record record = { .transaction = (int)rng_between(rng, 0, TRANSACTIONS - 1),
                                         .phase = phase,
                                         .outcome =
                                             (enum outcome)rng_between(rng, 0, OUTCOME_COUNT - 1),
                                         .attempts = (int)rng_between(rng, 0, 4),
                                         .done_ns = now_ns };
    struct statement_record statement = { .statement = (int)rng_between(rng, 0, STATEMENTS - 1),
                                          .phase = phase,
                                          .kind = (enum query_kind)rng_between(rng, 0, 2),
                                          .latency_ns = rng_between(rng, 0, 1000000),
                                          .rows = rng_between(rng, 0, 2) };

    record.sent_ns = now_ns - rng_between(rng, 0, 100000);
    record.scheduled_ns = record.sent_ns - rng_between(rng, 0, 1000000);
    lane_transaction(worker->lane, &record);
    lane_statement(worker->lane, &statement);
    worker->scheduled++;
    worker->statements++;
    if (rng_between(rng, 0, 9) == 0) {
        lane_error(worker->lane, phase, rng_between(rng, 0, 1) ? "40001" : "57014", -1, "words");
        worker->errors++;
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct rng rng;
    int64_t begin_ns = clock_now_ns(), now_ns;

    rng_init(&rng, 11, (uint64_t)worker->index, 0);
    while (!atomic_load(worker->over)) {
        now_ns = clock_now_ns();
        if (now_ns >= lane_next_tick_ns(worker->lane))
            lane_tick(worker->lane, now_ns);
        for (int i = 0; i < 20; i++)
            record_one(worker, &rng,
                       now_ns - begin_ns < 100 * NS_PER_MS ? PHASE_WARMUP : PHASE_MEASURE, now_ns);
        if (rng_between(&rng, 0, 200) == 0) /* sometimes too late for a tick */
            clock_sleep_until_ns(now_ns + rng_between(&rng, 0, 12) * NS_PER_MS);
    }
    lane_tick(worker->lane, clock_now_ns());
    return NULL;
}

struct sums {
    struct interval counts[PHASE_COUNT];
    struct histogram *response[PHASE_COUNT][TRANSACTIONS], *all[PHASE_COUNT];
    int64_t last_number;
};

static void add_intervals(struct sums *sums, const struct interval *out, int count)
{
    for (int i = 0; i < count; i++) {
        struct interval *sum = &sums->counts[out[i].phase];

        assert_true(out[i].number == sums->last_number + (i == 0));
        sums->last_number = out[i].number;
        counts_add(&sum->counts, &out[i].counts);
        sum->errors += out[i].errors;
        for (int kind = 0; kind < QUERY_KINDS; kind++)
            sum->queries[kind] += out[i].queries[kind];
        for (int j = 0; j < TRANSACTIONS; j++)
            histogram_merge(sums->response[out[i].phase][j], out[i].response[j]);
        histogram_merge(sums->all[out[i].phase], out[i].all);
    }
}

static void totals_equal_sums(struct recorder *recorder, const struct sums *sums)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        const struct phase_totals *totals = recorder_totals(recorder, (enum phase)phase);
        const struct interval *sum = &sums->counts[phase];
        struct histogram *all = histogram_new();
        struct text why;

        text_init(&why, 10000);
        assert_true(recorder_balanced(recorder, (enum phase)phase, &why));
        assert_string_equal(why.bytes, "");
        text_close(&why);
        assert_memory_equal(&totals->all, &sum->counts, sizeof sum->counts);
        assert_memory_equal(totals->queries, sum->queries, sizeof sum->queries);
        for (int i = 0; i < TRANSACTIONS; i++) {
            assert_memory_equal(totals->transactions[i].response, sums->response[phase][i],
                                sizeof(struct histogram));
            histogram_merge(all, totals->transactions[i].response);
        }
        assert_memory_equal(all, sums->all[phase], sizeof *all);
        histogram_free(all);
    }
}

static void nothing_is_lost_between_threads(void **state)
{
    struct recorder *recorder = make(LANES, 5 * NS_PER_MS);
    struct worker workers[LANES];
    struct sums sums = { 0 };
    struct interval out[PHASE_COUNT];
    struct rng rng;
    atomic_bool over = false;
    int64_t start_ns = clock_now_ns() + NS_PER_MS, scheduled = 0, errors = 0, statements = 0;

    (void)state;
    rng_init(&rng, 12, 0, 0);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        sums.all[phase] = histogram_new();
        for (int i = 0; i < TRANSACTIONS; i++)
            sums.response[phase][i] = histogram_new();
    }
    recorder_start(recorder, start_ns);
    for (int i = 0; i < LANES; i++) {
        workers[i] =
            (struct worker){ .lane = recorder_lane(recorder, i), .index = i, .over = &over };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    while (clock_now_ns() < start_ns + 400 * NS_PER_MS) {
        int64_t patience_ns = rng_between(&rng, 0, 3) * NS_PER_MS;

        add_intervals(&sums, out, recorder_collect(recorder, patience_ns, out));
        if (rng_between(&rng, 0, 9) == 0) /* sometimes late itself */
            clock_sleep_until_ns(clock_now_ns() + 12 * NS_PER_MS);
    }
    atomic_store(&over, true);
    for (int i = 0; i < LANES; i++) {
        pthread_join(workers[i].thread, NULL);
        scheduled += workers[i].scheduled;
        errors += workers[i].errors;
        statements += workers[i].statements;
    }
    add_intervals(&sums, out, recorder_collect_rest(recorder, clock_now_ns(), out));
    totals_equal_sums(recorder, &sums);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        scheduled -= sums.counts[phase].counts.scheduled;
        errors -= sums.counts[phase].errors;
        for (int i = 0; i < QUERY_KINDS; i++)
            statements -= sums.counts[phase].queries[i];
        assert_true(sums.counts[phase].counts.scheduled > 1000);
        histogram_free(sums.all[phase]);
        for (int i = 0; i < TRANSACTIONS; i++)
            histogram_free(sums.response[phase][i]);
    }
    assert_int_equal(scheduled, 0);
    assert_int_equal(errors, 0);
    assert_int_equal(statements, 0);
    recorder_free(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_what_lanes_handed_over),
        cmocka_unit_test(a_late_lane_is_stalled_and_comes_later),
        cmocka_unit_test(an_ended_lane_is_not_waited_for),
        cmocka_unit_test(a_late_coordinator_loses_nothing),
        cmocka_unit_test(a_block_of_later_waits_for_its_interval),
        cmocka_unit_test(the_rest_is_one_last_interval),
        cmocka_unit_test(collecting_waits_for_the_end_and_no_longer_than_patience),
        cmocka_unit_test(nothing_is_lost_between_threads),
    };

    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
