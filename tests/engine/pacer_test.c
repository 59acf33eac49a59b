/*
 * pacer_test.c - what is started, what is dropped and with which age, what a session that rests
 * does, and how long pauses for thinking are. No server; the instant is set before each step, since
 * drawing an input late reads the clock anew.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/pacer.h"
#include "workload/null/null.h"

#define PAUSES 20000

/* One worker of an open loop at 1000/s: arrival i is due at (i + 1) ms. */
struct bench {
    double weight;
    struct plan plan;
    struct run run;
    struct schedule schedule;
    struct session_io io;
    struct session sessions[3];
};

static void begin(struct bench *bench)
{
    static const char *const names[] = { "nothing" };
    struct plan *plan = &bench->plan;
    struct run *run = &bench->run;

    plan->statement_cache = 1;
    bench->weight = 1;
    *run = (struct run){ .plan = plan,
                         .workload = &workload_null,
                         .transaction_count = 1,
                         .weights = &bench->weight,
                         .weight_total = 1,
                         .measure_begin_ns = plan->warmup_ns,
                         .end_ns = plan->time_ns > 0 ? plan->warmup_ns + plan->time_ns : 0 };
    run->recorder = recorder_new(&(struct recorder_layout){ .lane_count = 1,
                                                            .transaction_count = 1,
                                                            .statement_count = 1,
                                                            .transaction_names = names,
                                                            .statement_names = names,
                                                            .interval_ns = NS_PER_S,
                                                            .open_loop = plan_open_loop(plan) });
    bench->io = (struct session_io){ .lane = recorder_lane(run->recorder, 0) };
    if (plan_open_loop(plan)) {
        schedule_init(&bench->schedule, plan);
        schedule_set_clock(&bench->schedule, 0, run->measure_begin_ns, run->end_ns);
        bench->io.schedule = &bench->schedule;
        bench->io.paced = true;
    }
    timers_init(&bench->io.timers, 4);
    run->input_size = TXN_INPUT_MAX;
    for (int i = 0; i < 3; i++) {
        session_init(&bench->sessions[i], run, i);
        bench->sessions[i].io = &bench->io;
    }
}

static void end(struct bench *bench)
{
    for (int i = 0; i < 3; i++)
        session_close(&bench->sessions[i]);
    timers_close(&bench->io.timers);
    if (plan_open_loop(&bench->plan))
        schedule_close(&bench->schedule);
    recorder_free(bench->run.recorder);
}

static struct plan at_1000(void)
{
    return (struct plan){
        .rate_per_s = 1000, .arrival = ARRIVAL_CONSTANT, .time_ns = 10 * NS_PER_S, .connections = 3
    };
}

/* What was dropped so far in a phase; with their ages when it is the measured one. */
static const struct phase_totals *totals(struct bench *bench, enum phase phase)
{
    struct interval rest[PHASE_COUNT];

    recorder_collect_rest(bench->run.recorder, NS_PER_S, rest);
    return recorder_totals(bench->run.recorder, phase);
}

static int64_t dropped(struct bench *bench, enum phase phase)
{
    return totals(bench, phase)->all.outcome[OUTCOME_DROPPED];
}

/* ---- open loop ---- */

static void starts_when_due_and_never_before(void **state)
{
    struct bench bench = { .plan = at_1000() };
    struct session *session = &bench.sessions[0];

    (void)state;
    begin(&bench);
    bench.io.now_ns = NS_PER_MS - 10;
    assert_false(pacer_start(session));
    assert_true(bench.io.reserved); /* one ahead */
    pacer_rest(session);
    assert_ptr_equal(bench.io.idle, session);
    pacer_draw_reserved(&bench.io); /* drawn before its time */
    assert_true(session->drawn);
    assert_int_equal(session->sequence, 0);
    bench.io.now_ns = NS_PER_MS + 10;
    assert_true(pacer_start(session));
    assert_true(llabs(session->scheduled_ns - NS_PER_MS) <= 2);
    assert_int_equal(session->sent_ns, NS_PER_MS + 10);
    assert_int_equal(session->phase, PHASE_MEASURE);
    assert_false(pacer_start(&bench.sessions[1])); /* the next one is due at 2 ms */
    bench.io.now_ns = 4 * NS_PER_MS + 10;          /* late: two wait, and both start */
    assert_true(pacer_start(&bench.sessions[1]));
    assert_true(llabs(bench.sessions[1].scheduled_ns - 2 * NS_PER_MS) <= 2);
    assert_int_equal(bench.sessions[1].sequence, 1);
    assert_int_equal(dropped(&bench, PHASE_MEASURE), 0);
    end(&bench);
}

/* The input is the arrival's, drawn ahead or not, on whatever session. */
static void input_is_of_the_arrival(void **state)
{
    struct bench bench = { .plan = at_1000() }, other = { .plan = at_1000() };
    int64_t first, second;

    (void)state;
    begin(&bench);
    begin(&other);
    bench.io.now_ns = 3 * NS_PER_MS;
    assert_true(pacer_start(&bench.sessions[2]));
    bench.io.now_ns = 3 * NS_PER_MS;
    assert_true(pacer_start(&bench.sessions[1]));
    memcpy(&first, bench.sessions[2].input, sizeof first);
    memcpy(&second, bench.sessions[1].input, sizeof second);
    assert_int_not_equal(first, second);
    other.io.now_ns = 0;
    assert_false(pacer_start(&other.sessions[0]));
    pacer_rest(&other.sessions[0]);
    pacer_draw_reserved(&other.io); /* the first one, on a session that does not get it */
    other.io.now_ns = 3 * NS_PER_MS;
    assert_true(pacer_start(&other.sessions[1]));
    assert_memory_equal(other.sessions[1].input, &first, sizeof first);
    other.io.now_ns = 3 * NS_PER_MS;
    assert_true(pacer_start(&other.sessions[0]));
    assert_memory_equal(other.sessions[0].input, &second, sizeof second);
    end(&bench);
    end(&other);
}

static void warm_up_leaves_nothing_to_the_window(void **state)
{
    struct bench bench = { .plan = at_1000() };

    (void)state;
    bench.plan.warmup_ns = NS_PER_S;
    begin(&bench);
    bench.io.now_ns = NS_PER_S - 1;
    assert_true(pacer_start(&bench.sessions[0])); /* 999 ms late, but it is warm-up still */
    assert_int_equal(bench.sessions[0].phase, PHASE_WARMUP);
    bench.io.now_ns = NS_PER_S + 5 * NS_PER_MS;
    assert_true(pacer_start(&bench.sessions[1]));
    assert_int_equal(bench.sessions[1].phase, PHASE_MEASURE);
    assert_true(bench.sessions[1].scheduled_ns - NS_PER_S <= NS_PER_MS);
    assert_in_range(dropped(&bench, PHASE_WARMUP), 998, 999);
    assert_int_equal(dropped(&bench, PHASE_MEASURE), 0);
    end(&bench);
}

/* A backlog of a minute at a million a second is gone before anybody notices. */
static void large_warm_up_takes_no_time(void **state)
{
    struct bench bench = { .plan = at_1000() };
    int64_t begin_ns;

    (void)state;
    bench.plan.rate_per_s = 1e6;
    bench.plan.warmup_ns = 60 * NS_PER_S;
    begin(&bench);
    bench.io.now_ns = 60 * NS_PER_S + NS_PER_MS;
    begin_ns = clock_thread_cpu_ns();
    assert_true(pacer_start(&bench.sessions[0]));
    assert_true(clock_thread_cpu_ns() - begin_ns < NS_PER_S); /* one by one it would be 6 s */
    assert_int_equal(bench.sessions[0].phase, PHASE_MEASURE);
    assert_in_range(dropped(&bench, PHASE_WARMUP), 60000000 - 1, 60000000);
    end(&bench);
}

static void limit_drops_what_is_late(void **state)
{
    struct bench bench = { .plan = at_1000() };
    const struct phase_totals *measured;

    (void)state;
    bench.plan.latency_limit_ns = 100 * NS_PER_MS;
    begin(&bench);
    bench.io.now_ns = 500 * NS_PER_MS + NS_PER_MS / 2;
    assert_true(pacer_start(&bench.sessions[0])); /* due at 401: not yet beyond the limit */
    assert_true(llabs(bench.sessions[0].scheduled_ns - 401 * NS_PER_MS) <= 2);
    measured = totals(&bench, PHASE_MEASURE);
    assert_int_equal(measured->all.outcome[OUTCOME_DROPPED], 400);
    assert_int_equal(measured->all.attempts, 0);
    assert_int_equal(measured->transactions[0].censored->count, 400);
    assert_true(measured->transactions[0].censored->max_ns / NS_PER_MS == 499);
    end(&bench);
}

static void rest_is_dropped_with_its_age(void **state)
{
    struct bench bench = { .plan = at_1000() };
    const struct phase_totals *measured;

    (void)state;
    bench.plan.time_ns = 2 * NS_PER_S;
    begin(&bench);
    bench.io.now_ns = NS_PER_S + NS_PER_MS / 2;
    assert_true(pacer_start(&bench.sessions[0]));
    bench.io.now_ns = NS_PER_S + NS_PER_MS / 2;
    assert_true(pacer_due(&bench.io, &bench.run)); /* claimed, and nobody comes for it */
    bench.io.now_ns = 2 * NS_PER_S;
    assert_false(pacer_start(&bench.sessions[1])); /* the end */
    pacer_drop_rest(&bench.io, &bench.run, 2 * NS_PER_S);
    measured = totals(&bench, PHASE_MEASURE);
    assert_in_range(measured->all.outcome[OUTCOME_DROPPED], 1998, 1999);
    assert_in_range(measured->transactions[0].censored->max_ns, 1998 * NS_PER_MS - 5,
                    1998 * NS_PER_MS + 5);
    end(&bench);
}

static void stop_starts_nothing(void **state)
{
    struct bench bench = { .plan = at_1000() };

    (void)state;
    begin(&bench);
    bench.io.now_ns = NS_PER_S;
    atomic_store(&bench.run.stop, STOP_SOON);
    assert_false(pacer_start(&bench.sessions[0]));
    end(&bench);
}

/* A session that lost its connection while it was idle rests twice: the list stays a list. */
static void list_of_idle_is_a_list(void **state)
{
    struct bench bench = { .plan = at_1000() };
    int count = 0;

    (void)state;
    begin(&bench);
    for (int i = 0; i < 3; i++)
        pacer_rest(&bench.sessions[i]);
    pacer_rest(&bench.sessions[0]);
    pacer_rest(&bench.sessions[1]);
    for (struct session *at = bench.io.idle; at != NULL && count < 10; at = at->next_idle)
        count++;
    assert_int_equal(count, 3);
    end(&bench);
}

/* Whoever rests longest is the next, also after the list was empty. */
static void sessions_take_turns(void **state)
{
    struct bench bench = { .plan = at_1000() };

    (void)state;
    begin(&bench);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 3; i++)
            pacer_rest(&bench.sessions[i]);
        for (int i = 0; i < 3; i++) {
            assert_ptr_equal(bench.io.idle, &bench.sessions[i]);
            bench.io.idle = bench.sessions[i].next_idle;
            bench.sessions[i].listed = false;
        }
        assert_null(bench.io.idle);
    }
    end(&bench);
}

/* An input drawn anew has a number of its own: no other arrival sees it. */
static void redrawn_has_its_own_number(void **state)
{
    struct bench bench = { .plan = at_1000() };
    struct session *session = &bench.sessions[0];

    (void)state;
    begin(&bench);
    bench.io.now_ns = NS_PER_S;
    assert_true(pacer_start(session));
    assert_int_equal(session->sequence, 0);
    pacer_redraw(session);
    assert_int_equal(session->sequence, 1);
    assert_false(session->drawn);
    assert_true(llabs(session->scheduled_ns - NS_PER_MS) <= 2); /* its time stays */
    bench.io.now_ns = NS_PER_S;
    assert_true(pacer_start(&bench.sessions[1]));
    assert_int_equal(bench.sessions[1].sequence, 2);
    assert_true(llabs(bench.sessions[1].scheduled_ns - 2 * NS_PER_MS) <= 2);
    end(&bench);
}

/* ---- thinking ---- */

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Exponential up to ten times the mean, by Kolmogorov and Smirnov (99.9 %). */
static void pauses_are_exponential_and_cut(void **state)
{
    struct bench bench = { .plan = { .think_ns = NS_PER_MS, .time_ns = NS_PER_S, .seed = 5 } };
    double *pauses = MEMORY_ARRAY(double, PAUSES), worst = 0;

    (void)state;
    begin(&bench);
    for (int i = 0; i < PAUSES; i++) {
        struct session *session = &bench.sessions[0];
        session->tired = true;
        session->sequence = (uint64_t)i;
        pacer_rest(session);
        assert_int_equal(session->state, SESSION_THINKING);
        pauses[i] = (double)timers_next_ns(&bench.io.timers) / NS_PER_MS;
        assert_true(pauses[i] >= 0 && pauses[i] <= 10);
        assert_ptr_equal(timers_take(&bench.io.timers, INT64_MAX), session);
    }
    qsort(pauses, PAUSES, sizeof *pauses, by_size);
    for (int i = 0; i < PAUSES; i++)
        worst = fmax(worst, fabs(1 - exp(-pauses[i]) - (i + 0.5) / PAUSES));
    if (worst > 1.95 / sqrt(PAUSES))
        fail_msg("distance %g", worst);
    memory_free(pauses);
    end(&bench);
}

/* Over so many that some would be beyond the cut: they are at it. */
static void cut_is_at_ten_means(void **state)
{
    struct bench bench = { .plan = { .think_ns = 1000, .time_ns = NS_PER_S, .seed = 5 } };
    int at_cut = 0;

    (void)state;
    begin(&bench);
    for (int i = 0; i < 400000; i++) {
        bench.sessions[0].tired = true;
        bench.sessions[0].sequence = (uint64_t)i;
        pacer_rest(&bench.sessions[0]);
        assert_true(timers_next_ns(&bench.io.timers) <= 10000);
        at_cut += timers_next_ns(&bench.io.timers) == 10000;
        timers_take(&bench.io.timers, INT64_MAX);
    }
    assert_in_range(at_cut, 3, 45); /* 400,000 / e^10 = 18 */
    end(&bench);
}

/* Input n takes n seconds to key in and n hundred to think about. */
static void draw_own(void *input, const void *world, struct draw *draw)
{
    (void)world;
    *(int64_t *)input = (int64_t)draw->sequence + 1;
}

static int64_t own_pause_ns(const void *input, const void *world, bool before)
{
    (void)world;
    return *(const int64_t *)input * (before ? 1 : 100) * NS_PER_S;
}

/* Before the first input, and between each two: thinking about the one, keying in the other. */
static void workload_has_pauses_of_its_own(void **state)
{
    static const struct transaction own[] = {
        { .name = "own", .weight = 1, .input_size = sizeof(int64_t), .draw = draw_own },
        { .name = NULL },
    };
    struct workload workload = workload_null;
    struct bench bench = { .plan = { .time_ns = 1000 * NS_PER_S, .seed = 5 } };
    struct session *session = &bench.sessions[0];

    (void)state;
    begin(&bench);
    workload.transactions = own;
    workload.pause_ns = own_pause_ns;
    bench.run.workload = &workload;
    bench.run.pauses = bench.run.rests = true;
    session->tired = true;
    assert_false(pacer_start(session));
    pacer_rest(session);
    assert_int_equal(session->state, SESSION_THINKING);
    assert_int_equal(timers_next_ns(&bench.io.timers), 1 * NS_PER_S);
    assert_ptr_equal(timers_take(&bench.io.timers, INT64_MAX), session);
    session->tired = false;
    assert_true(pacer_start(session));
    assert_int_equal(*(int64_t *)session->input, 1);
    session->tired = true;
    pacer_rest(session);
    assert_int_equal(timers_next_ns(&bench.io.timers), (100 + 2) * NS_PER_S);
    end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_when_due_and_never_before),
        cmocka_unit_test(input_is_of_the_arrival),
        cmocka_unit_test(warm_up_leaves_nothing_to_the_window),
        cmocka_unit_test(large_warm_up_takes_no_time),
        cmocka_unit_test(limit_drops_what_is_late),
        cmocka_unit_test(rest_is_dropped_with_its_age),
        cmocka_unit_test(stop_starts_nothing),
        cmocka_unit_test(list_of_idle_is_a_list),
        cmocka_unit_test(workload_has_pauses_of_its_own),
        cmocka_unit_test(sessions_take_turns),
        cmocka_unit_test(redrawn_has_its_own_number),
        cmocka_unit_test(pauses_are_exponential_and_cut),
        cmocka_unit_test(cut_is_at_ten_means),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
