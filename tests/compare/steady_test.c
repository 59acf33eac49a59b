/*
 * steady_test.c - intervals within one run, truncation and trends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "compare/steady.h"

#define VALUES_MAX 200

/* Around 100, by +-1. */
static void noise(double *values, int count, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 0, 0);
    for (int i = 0; i < count; i++)
        values[i] = 99 + 2 * rng_unit(&rng);
}

static void independent_pieces_stay(void **state)
{
    double values[VALUES_MAX];
    struct within within;

    (void)state;
    noise(values, 50, 1);
    assert_true(within_run(values, 50, 0.05, &within));
    assert_int_equal(within.joined, 1);
    assert_int_equal(within.batches, 50);
    assert_true(within.low < 100 && within.high > 100 && within.high - within.low < 0.8);
    assert_true(within.effective > 25 && within.effective <= 50);
}

static void alike_pieces_are_joined(void **state)
{
    double values[VALUES_MAX], slow = 0;
    struct within within;
    struct rng rng;

    (void)state;
    rng_init(&rng, 7, 0, 0);
    for (int i = 0; i < VALUES_MAX; i++) {
        slow = 0.8 * slow + rng_unit(&rng) - 0.5;
        values[i] = 100 + slow;
    }
    assert_true(within_run(values, VALUES_MAX, 0.05, &within));
    assert_true(within.joined > 2 && within.batches >= WITHIN_BATCHES_MIN);
    assert_true(within.effective < VALUES_MAX / 3.0);
}

static void few_pieces_have_no_interval(void **state)
{
    const double values[] = { 1, 2, 3, 4 }, flat[] = { 5, 5, 5, 5, 5, 5 };
    struct within within;

    (void)state;
    assert_false(within_run(values, 4, 0.05, &within));
    assert_true(within.mean == 2.5 && within.error == 0);
    assert_false(within_run(values, 0, 0.05, &within));
    assert_true(within_run(flat, 6, 0.05, &within));
    assert_true(within.low == 5 && within.high == 5 && within.effective == 6);
}

static void a_slow_beginning_is_cut(void **state)
{
    double values[VALUES_MAX];

    (void)state;
    noise(values, VALUES_MAX, 2);
    assert_true(steady_truncation(values, VALUES_MAX, 5) <= VALUES_MAX / 2);
    for (int i = 0; i < 30; i++)
        values[i] = 50 + i;
    assert_in_range(steady_truncation(values, VALUES_MAX, 5), 30, 60);
}

static void steadiness(void **state)
{
    double values[VALUES_MAX];
    struct steadiness steady;

    (void)state;
    noise(values, VALUES_MAX, 3);
    steady = steady_judge(values, VALUES_MAX);
    assert_true(steady.judged && steady.steady && steady.why == NULL);
    assert_true(fabs(steady.drift) < STEADY_DRIFT);

    /* Little but sure is not enough, and much but unsure is not either. */
    for (int i = 0; i < VALUES_MAX; i++)
        values[i] += i * 0.005;
    steady = steady_judge(values, VALUES_MAX);
    assert_true(steady.steady && steady.p < 0.05);

    for (int i = 0; i < VALUES_MAX; i++)
        values[i] += i * 0.05;
    steady = steady_judge(values, VALUES_MAX);
    assert_true(steady.judged && !steady.steady && steady.drift > 0.02 && steady.why != NULL);

    assert_false(steady_judge(values, STEADY_VALUES_MIN - 1).judged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_pieces_stay),
        cmocka_unit_test(alike_pieces_are_joined),
        cmocka_unit_test(few_pieces_have_no_interval),
        cmocka_unit_test(a_slow_beginning_is_cut),
        cmocka_unit_test(steadiness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
