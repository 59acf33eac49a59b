/*
 * sample_test.c - spread, neighbours, trends and strangers of small samples.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "compare/sample.h"

static void middles(void **state)
{
    const double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 };

    (void)state;
    assert_true(sample_median(odd, 3) == 3);
    assert_true(sample_median(even, 4) == 2.5);
    assert_true(sample_mean(even, 4) == 2.5);
    assert_true(sample_deviation(odd, 3) == 2);
    assert_true(fabs(sample_variation(odd, 3) - 2.0 / 3) < 1e-15);
    assert_true(sample_deviation(odd, 1) == 0 && sample_variation(odd, 0) == 0);
    assert_true(sample_median(odd, 0) == 0);
}

static void digits_are_kept(void **state)
{
    double values[100];

    (void)state;
    for (int i = 0; i < 100; i++)
        values[i] = 1e9 + i % 2;
    assert_true(fabs(sample_deviation(values, 100) - sqrt(25.0 / 99)) < 1e-9);
}

static void neighbours(void **state)
{
    const double turns[] = { 1, -1, 1, -1, 1, -1, 1, -1 }, rises[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const double flat[] = { 2, 2, 2, 2 };

    (void)state;
    assert_true(sample_autocorrelation(turns, 8) == -7.0 / 8);
    assert_true(sample_autocorrelation(rises, 8) > 0.5);
    assert_true(sample_autocorrelation(flat, 4) == 0);
}

static void trends(void **state)
{
    const double rises[] = { 100, 101, 102, 103, 104 }, flat[] = { 7, 7, 7, 7 };
    struct trend trend = sample_trend(rises, 5);

    (void)state;
    assert_true(fabs(trend.slope - 1) < 1e-12 && trend.p < 1e-6);
    assert_true(fabs(trend.total - 4.0 / 102) < 1e-12);
    trend = sample_trend(flat, 4);
    assert_true(trend.slope == 0 && trend.p == 1 && trend.total == 0);
    trend = sample_trend(rises, 2);
    assert_true(trend.p == 1);
}

static void strangers_are_named(void **state)
{
    const double one[] = { 100, 101, 99, 100.5, 42 }, none[] = { 100, 101, 99, 100.5, 102 };
    /* Two alike hide each other from a test that looks at one at a time. */
    const double two[] = { 100,   101,  99,  100.5, 100.2, 99.7,  60,   61,
                           100.1, 99.9, 101, 100.6, 99.5,  100.3, 99.8, 100.4 };
    const double flat[] = { 5, 5, 5, 5 };
    bool marks[16];

    (void)state;
    assert_int_equal(sample_outliers(one, 5, 0.05, marks), 1);
    assert_true(marks[4] && !marks[0]);
    assert_int_equal(sample_outliers(one, 5, 0.0005, marks), 1);
    assert_int_equal(sample_outliers(none, 5, 0.05, marks), 0);
    assert_int_equal(sample_outliers(two, 16, 0.05, marks), 2);
    assert_true(marks[6] && marks[7] && !marks[8]);
    assert_int_equal(sample_outliers(flat, 4, 0.05, marks), 0);
    assert_int_equal(sample_outliers(flat, 0, 0.05, marks), 0);
}

/* Of 1,000 samples of six that hold no stranger, 5 in 100 may be said to. */
static void false_alarms_are_bounded(void **state)
{
    struct rng rng;
    int alarms = 0;

    (void)state;
    rng_init(&rng, 11, 0, 0);
    for (int i = 0; i < 1000; i++) {
        double values[6];
        bool marks[6];

        for (int j = 0; j < 6; j++) {
            values[j] = 0;
            for (int k = 0; k < 12; k++) /* near enough to a normal distribution */
                values[j] += rng_unit(&rng);
        }
        alarms += sample_outliers(values, 6, 0.05, marks) > 0;
    }
    assert_in_range(alarms, 20, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(middles),
        cmocka_unit_test(digits_are_kept),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(trends),
        cmocka_unit_test(strangers_are_named),
        cmocka_unit_test(false_alarms_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
