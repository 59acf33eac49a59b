/*
 * schedule_test.c - instants, phases and counts of an open loop; the same whoever claims them; and
 * what a large backlog comes to when it is taken in bulk.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/schedule.h"

#define MANY     20000
#define START_NS INT64_C(1000000000000)

static void begin(struct schedule *schedule, const struct plan *plan)
{
    int64_t measure_ns = START_NS + plan->warmup_ns;

    schedule_init(schedule, plan);
    schedule_set_clock(schedule, START_NS, measure_ns,
                       plan->time_ns > 0 ? measure_ns + plan->time_ns : 0);
}

static bool near(double found, double wanted, double share)
{
    return fabs(found - wanted) <= share * fabs(wanted);
}

static double since_start_s(const struct arrival *arrival)
{
    return (double)(arrival->due_ns - START_NS) / (double)NS_PER_S;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* ---- instants ---- */

static void constant_is_exact(void **state)
{
    struct plan plan = {
        .rate_per_s = 1000, .arrival = ARRIVAL_CONSTANT, .warmup_ns = NS_PER_S, .time_ns = NS_PER_S
    };
    struct schedule schedule;
    struct arrival arrival;
    int warmup = 0, measured = 0;

    (void)state;
    begin(&schedule, &plan);
    for (int64_t i = 0; schedule_claim(&schedule, &arrival); i++) {
        int64_t wanted_ns = START_NS + (i + 1) * NS_PER_MS;
        assert_int_equal(arrival.number, i);
        assert_true(llabs(arrival.due_ns - wanted_ns) <= 2);
        assert_int_equal(arrival.warmup, arrival.due_ns < START_NS + NS_PER_S);
        warmup += arrival.warmup;
        measured += !arrival.warmup;
    }
    assert_in_range(warmup, 999, 1000);
    assert_in_range(measured, 999, 1001);
    assert_false(schedule_claim(&schedule, &arrival)); /* and it stays so */
    assert_false(schedule_spent(&schedule));           /* it was the time that ended it */
    schedule_close(&schedule);
}

/* Kolmogorov and Smirnov: the largest distance of the gaps' distribution from the exponential one,
 * against its 99.9 % bound. */
static void poisson_gaps_are_exponential(void **state)
{
    struct plan plan = { .rate_per_s = 5000, .transactions = MANY, .seed = 7 };
    struct schedule schedule;
    struct arrival arrival;
    double *gaps = MEMORY_ARRAY(double, MANY), last_s = 0, worst = 0;

    (void)state;
    begin(&schedule, &plan);
    for (int i = 0; i < MANY; i++) {
        assert_true(schedule_claim(&schedule, &arrival));
        gaps[i] = since_start_s(&arrival) - last_s;
        last_s = since_start_s(&arrival);
    }
    qsort(gaps, MANY, sizeof *gaps, by_size);
    for (int i = 0; i < MANY; i++) {
        double wanted = 1 - exp(-gaps[i] * plan.rate_per_s);
        worst = fmax(worst, fmax(fabs(wanted - (double)i / MANY), fabs((i + 1.0) / MANY - wanted)));
    }
    if (worst > 1.95 / sqrt(MANY))
        fail_msg("distance %g", worst);
    assert_true(near(last_s, MANY / plan.rate_per_s, 4 / sqrt(MANY)));
    assert_true(schedule_spent(&schedule));
    assert_false(schedule_claim(&schedule, &arrival));
    memory_free(gaps);
    schedule_close(&schedule);
}

/* The summed rate of the instant of arrival u is u, before, in and after a ramp, up and down. */
static void ramp_is_the_integral(void **state)
{
    static const double ends[][2] = { { 100, 900 }, { 900, 100 }, { 500, 500 } };

    (void)state;
    for (int i = 0; i < 3; i++) {
        double from = ends[i][0], to = ends[i][1];
        struct plan plan = { .arrival = ARRIVAL_CONSTANT,
                             .ramp = { .from = from, .to = to, .seconds = 4 },
                             .warmup_ns = 2 * NS_PER_S,
                             .time_ns = 6 * NS_PER_S };
        struct schedule schedule;
        struct arrival arrival;
        int64_t count = 0, warmup = 0, in_ramp = 0;
        begin(&schedule, &plan);
        while (schedule_claim(&schedule, &arrival)) {
            double at_s = since_start_s(&arrival), in_s = fmax(0, fmin(4, at_s - 2)), sum;
            sum = from * fmin(at_s, 2) + from * in_s + (to - from) / 4 * in_s * in_s / 2 +
                  to * fmax(0, at_s - 6);
            count++;
            if (fabs(sum - (double)count) > 1e-4)
                fail_msg("arrival %ld at %g s: summed rate %g", (long)count, at_s, sum);
            assert_true(fabs(schedule_sum(&schedule, at_s) - (double)count) < 1e-4);
            warmup += arrival.warmup;
            in_ramp += at_s >= 2 && at_s < 6;
        }
        assert_in_range(llabs(warmup - (int64_t)(2 * from)), 0, 1);
        assert_in_range(llabs(in_ramp - (int64_t)(2 * (from + to))), 0, 1);
        assert_in_range(llabs(count - (int64_t)(2 * from + 2 * (from + to) + 2 * to)), 0, 2);
        schedule_close(&schedule);
    }
}

static void count_is_of_the_measured(void **state)
{
    struct plan plan = { .rate_per_s = 1000, .warmup_ns = NS_PER_S, .transactions = 77 };
    struct schedule schedule;
    struct arrival arrival;
    int measured = 0, warmup = 0;

    (void)state;
    begin(&schedule, &plan);
    while (schedule_claim(&schedule, &arrival)) {
        measured += !arrival.warmup;
        warmup += arrival.warmup;
    }
    assert_int_equal(measured, 77);
    assert_in_range(warmup, 850, 1150);
    schedule_close(&schedule);
}

/* ---- whoever claims ---- */

struct claimer {
    struct schedule *schedule;
    int64_t *due_ns; /* by number, shared: each number is claimed once */
    int64_t claimed;
    bool in_order;
};

static void *claim_all(void *arg)
{
    struct claimer *claimer = arg;
    struct arrival arrival;
    int64_t last = -1;

    while (schedule_claim(claimer->schedule, &arrival)) {
        claimer->in_order = claimer->in_order && arrival.number > last;
        last = arrival.number;
        claimer->due_ns[arrival.number] = arrival.due_ns;
        claimer->claimed++;
    }
    return NULL;
}

static void same_whoever_claims(void **state)
{
    static const int counts[] = { 1, 2, 4, 8 };
    struct plan plan = { .rate_per_s = 5000, .transactions = MANY, .seed = 3 };
    int64_t *due_ns[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct schedule schedule;
        struct claimer claimers[8];
        pthread_t threads[8];
        int64_t claimed = 0;
        begin(&schedule, &plan);
        due_ns[i] = MEMORY_ARRAY(int64_t, MANY);
        for (int j = 0; j < counts[i]; j++) {
            claimers[j] =
                (struct claimer){ .schedule = &schedule, .due_ns = due_ns[i], .in_order = true };
            assert_int_equal(pthread_create(&threads[j], NULL, claim_all, &claimers[j]), 0);
        }
        for (int j = 0; j < counts[i]; j++) {
            pthread_join(threads[j], NULL);
            assert_true(claimers[j].in_order);
            claimed += claimers[j].claimed;
        }
        assert_int_equal(claimed, MANY);
        assert_memory_equal(due_ns[i], due_ns[0], MANY * sizeof *due_ns[0]);
        schedule_close(&schedule);
    }
    for (int i = 0; i < 4; i++)
        memory_free(due_ns[i]);
}

/* ---- a large backlog ---- */

struct drained {
    int64_t count, singles, bulks;
    double age_sum_s; /* at the end of the window */
};

/* Takes all that is due before an instant, as those who drop do. */
static struct drained drain(struct schedule *schedule, int64_t before_ns)
{
    struct drained drained = { 0 };
    struct arrival arrival;
    int64_t last_ns = 0, many;

    while (schedule_claim(schedule, &arrival)) {
        assert_true(arrival.due_ns >= last_ns);
        last_ns = arrival.due_ns;
        if (arrival.due_ns >= before_ns)
            break;
        drained.count++;
        drained.singles++;
        drained.age_sum_s += (double)(before_ns - arrival.due_ns) / (double)NS_PER_S;
        many = schedule_claim_bulk(schedule, before_ns, &arrival);
        if (many > 0) {
            assert_true(arrival.due_ns >= last_ns && arrival.due_ns < before_ns);
            last_ns = arrival.due_ns;
            drained.count += many;
            drained.bulks++;
            drained.age_sum_s +=
                (double)many * (double)(before_ns - arrival.due_ns) / (double)NS_PER_S;
        }
    }
    return drained;
}

static void bulk_is_exact_when_constant(void **state)
{
    struct plan plan = { .rate_per_s = 1e6, .arrival = ARRIVAL_CONSTANT, .time_ns = 60 * NS_PER_S };
    struct schedule schedule;
    struct drained drained;

    (void)state;
    begin(&schedule, &plan);
    drained = drain(&schedule, START_NS + 60 * NS_PER_S);
    assert_in_range(drained.count, 60000000 - 1, 60000000);
    assert_true(near(drained.age_sum_s, 30 * 6e7, 1e-4));
    assert_true(drained.bulks > 0 && drained.singles < 200000); /* no time to speak of */
    schedule_close(&schedule);
}

static void bulk_is_the_law_when_poisson(void **state)
{
    double sum = 0, squares = 0, mean, deviation;

    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        struct plan plan = { .rate_per_s = 1e5, .time_ns = 10 * NS_PER_S, .seed = seed };
        struct schedule schedule;
        struct drained drained;
        begin(&schedule, &plan);
        drained = drain(&schedule, START_NS + 10 * NS_PER_S);
        assert_true(drained.bulks > 1000);
        sum += (double)drained.count;
        squares += ((double)drained.count - 1e6) * ((double)drained.count - 1e6);
        schedule_close(&schedule);
    }
    mean = sum / 60;
    deviation = sqrt(squares / 60);
    assert_true(fabs(mean - 1e6) < 4 * 1000 / sqrt(60));
    assert_true(deviation > 650 && deviation < 1400); /* 1000 is right */
}

static void bulk_keeps_phases_and_counts(void **state)
{
    struct plan plan = { .rate_per_s = 1e6,
                         .arrival = ARRIVAL_CONSTANT,
                         .warmup_ns = NS_PER_S,
                         .transactions = 400000 };
    struct schedule schedule;
    struct arrival arrival;
    int64_t warmup = 0, measured = 0, many;

    (void)state;
    begin(&schedule, &plan);
    while ((many = schedule_claim_bulk(&schedule, START_NS + 9 * NS_PER_S, &arrival)) > 0) {
        assert_true(arrival.warmup);
        warmup += many;
    }
    assert_true(1000000 - warmup <= SCHEDULE_BULK_MIN); /* the rest of it one by one */
    while (schedule_claim(&schedule, &arrival)) {
        warmup += arrival.warmup;
        measured += !arrival.warmup;
        if (!arrival.warmup)
            measured += schedule_claim_bulk(&schedule, START_NS + 9 * NS_PER_S, &arrival);
    }
    assert_in_range(warmup, 999999, 1000000);
    assert_int_equal(measured, 400000);
    assert_true(schedule_spent(&schedule));
    assert_int_equal(schedule_claim_bulk(&schedule, START_NS + 9 * NS_PER_S, &arrival), 0);
    schedule_close(&schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_exact),
        cmocka_unit_test(poisson_gaps_are_exponential),
        cmocka_unit_test(ramp_is_the_integral),
        cmocka_unit_test(count_is_of_the_measured),
        cmocka_unit_test(same_whoever_claims),
        cmocka_unit_test(bulk_is_exact_when_constant),
        cmocka_unit_test(bulk_is_the_law_when_poisson),
        cmocka_unit_test(bulk_keeps_phases_and_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
