/*
 * histogram_test.c - told values against exact ones: cells, the error bound, ends, merging, reset.
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
#include "base/rng.h"
#include "recorder/histogram.h"

#define SAMPLES 20000

static void cells_tile_the_range(void **state)
{
    int64_t next_ns = 0;

    (void)state;
    for (int cell = 0; cell < HISTOGRAM_CELLS; cell++) {
        int64_t low_ns = histogram_cell_low_ns(cell), high_ns = histogram_cell_high_ns(cell);

        assert_int_equal(low_ns, next_ns);
        assert_int_equal(histogram_cell(low_ns), cell);
        assert_int_equal(histogram_cell(high_ns), cell);
        assert_true((high_ns - low_ns) * 1024 < (low_ns > 0 ? low_ns : 1));
        next_ns = high_ns + 1;
    }
    assert_int_equal(next_ns, HISTOGRAM_MAX_NS + 1);
}

/* ---- the error bound ---- */

static double normal(struct rng *rng)
{
    double a = 1 - rng_unit(rng), b = rng_unit(rng);

    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static int64_t draw(struct rng *rng, int law)
{
    switch (law) {
    case 0: /* a narrow bell at 200 us */
        return (int64_t)(200e3 + 5e3 * normal(rng));
    case 1: /* usual latencies */
        return (int64_t)(1e6 * exp(0.8 * normal(rng)));
    case 2: /* heavy tail */
        return (int64_t)(50e3 / pow(1 - rng_unit(rng), 1 / 1.1));
    case 3: /* two humps, the buffer and the disk */
        return (int64_t)(rng_unit(rng) < 0.9 ? 30e3 + 1e3 * normal(rng) : 8e6 + 1e6 * normal(rng));
    case 4: /* waiting times */
        return (int64_t)(-20e6 * log(1 - rng_unit(rng)));
    case 5: /* where a cell is one ns */
        return rng_between(rng, 0, 2047);
    case 6: /* all octaves alike */
        return (int64_t)exp2(43 * rng_unit(rng)) - 1;
    case 7: /* only one value */
        return 123456789;
    default: /* powers of two and their neighbours */
        return (INT64_C(1) << rng_between(rng, 1, 42)) + rng_between(rng, -1, 1);
    }
}

static int compare_values(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

static void percentiles_keep_the_bound(void **state)
{
    /* In thousandths of a percent, so that the exact rank is whole numbers' work. */
    static const int milli[] = { 1,     100,   1000,  10000, 25000, 50000, 75000,
                                 90000, 95000, 99000, 99900, 99990, 99999, 100000 };
    int64_t *values = MEMORY_ARRAY(int64_t, SAMPLES);
    struct histogram *histogram = histogram_new();

    (void)state;
    for (int law = 0; law <= 8; law++) {
        struct rng rng;
        int64_t sum_ns = 0;

        rng_init(&rng, 7, (uint64_t)law, 0);
        histogram_reset(histogram);
        for (int i = 0; i < SAMPLES; i++) {
            int64_t value = draw(&rng, law);

            values[i] = value < 0 ? 0 : value;
            sum_ns += values[i];
            histogram_record(histogram, value);
        }
        qsort(values, SAMPLES, sizeof values[0], compare_values);
        for (size_t i = 0; i < sizeof milli / sizeof milli[0]; i++) {
            int64_t rank = ((int64_t)milli[i] * SAMPLES + 99999) / 100000;
            int64_t exact_ns = values[rank - 1];
            int64_t told_ns = histogram_percentile_ns(histogram, milli[i] / 1000.0);

            assert_true(told_ns >= exact_ns);
            assert_true((told_ns - exact_ns) * 1024 < (exact_ns > 0 ? exact_ns : 1));
        }
        assert_int_equal(histogram->count, SAMPLES);
        assert_int_equal(histogram->min_ns, values[0]);
        assert_int_equal(histogram->max_ns, values[SAMPLES - 1]);
        assert_int_equal(histogram->sum_ns, sum_ns);
        assert_true(histogram_mean_ns(histogram) == (double)sum_ns / SAMPLES);
    }
    histogram_free(histogram);
    memory_free(values);
}

/* Values 0 .. count - 1, each told exactly: the percentile tells its rank. */
static void ranks_are_whole_numbers(void **state)
{
    struct histogram *histogram = histogram_new();
    int64_t count = 0;

    (void)state;
    for (int64_t want = 1; want <= 2000; want++) {
        while (count < want)
            histogram_record(histogram, count++);
        for (int milli = 500; milli <= 100000; milli += 500) {
            int64_t rank = (milli * count + 99999) / 100000;

            assert_int_equal(histogram_percentile_ns(histogram, milli / 1000.0), rank - 1);
        }
        assert_int_equal(histogram_percentile_ns(histogram, 99.9), (999 * count + 999) / 1000 - 1);
        assert_int_equal(histogram_percentile_ns(histogram, 99.99),
                         (9999 * count + 9999) / 10000 - 1);
    }
    histogram_free(histogram);
}

/* 0.017 * 100,000 / 100 is a breath more than 17 in doubles. */
static void a_breath_above_is_not_the_next_rank(void **state)
{
    struct histogram *histogram = histogram_new();

    (void)state;
    for (int i = 0; i < 100000; i++)
        histogram_record(histogram, i < 17 ? i : 1000);
    assert_int_equal(histogram_percentile_ns(histogram, 0.017), 16);
    assert_int_equal(histogram_percentile_ns(histogram, 0.0171), 1000);
    histogram_free(histogram);
}

/* ---- ends ---- */

static void empty_and_one(void **state)
{
    struct histogram *histogram = histogram_new();

    (void)state;
    assert_int_equal(histogram_percentile_ns(histogram, 50), 0);
    assert_int_equal(histogram_percentile_ns(histogram, 100), 0);
    assert_true(histogram_mean_ns(histogram) == 0);
    assert_int_equal(histogram->min_ns, INT64_MAX);
    histogram_record(histogram, 1234567);
    for (int i = 0; i <= 100; i++)
        assert_int_equal(histogram_percentile_ns(histogram, i), 1234567);
    assert_int_equal(histogram_percentile_ns(histogram, 0.001), 1234567);
    assert_int_equal(histogram_percentile_ns(histogram, -1), 1234567);
    assert_int_equal(histogram_percentile_ns(histogram, NAN), 1234567);
    histogram_free(histogram);
}

static void a_clock_gone_back_counts_as_zero(void **state)
{
    struct histogram *histogram = histogram_new();

    (void)state;
    histogram_record(histogram, -5);
    histogram_record(histogram, INT64_MIN);
    assert_int_equal(histogram->count, 2);
    assert_int_equal(histogram->sum_ns, 0);
    assert_int_equal(histogram->min_ns, 0);
    assert_int_equal(histogram_percentile_ns(histogram, 100), 0);
    histogram_free(histogram);
}

/* Others clamp at 16 s or 100 s and say so nowhere. */
static void long_ones_are_told(void **state)
{
    static const int64_t seconds[] = { 20, 101, 7200 };
    struct histogram *histogram = histogram_new();

    (void)state;
    for (int i = 0; i < 3; i++) {
        int64_t value = seconds[i] * NS_PER_S;

        histogram_reset(histogram);
        for (int n = 0; n < 100; n++)
            histogram_record(histogram, NS_PER_MS);
        histogram_record(histogram, value + 1);
        histogram_record(histogram, value);
        assert_int_equal(histogram->overflow, 0);
        assert_int_equal(histogram->max_ns, value + 1);
        assert_int_equal(histogram_percentile_ns(histogram, 100), value + 1);
        assert_true(histogram_percentile_ns(histogram, 99) >= value);
        assert_true(histogram_percentile_ns(histogram, 99) <= value + value / 1024);
        assert_true(histogram_percentile_ns(histogram, 50) < 2 * NS_PER_MS);
    }
    histogram_free(histogram);
}

static void overflow_is_counted_and_shown(void **state)
{
    struct histogram *histogram = histogram_new();
    int64_t three_hours = 3 * 3600 * NS_PER_S;

    (void)state;
    for (int n = 0; n < 98; n++)
        histogram_record(histogram, NS_PER_S);
    histogram_record(histogram, HISTOGRAM_MAX_NS);
    histogram_record(histogram, three_hours);
    assert_int_equal(histogram->overflow, 1);
    assert_int_equal(histogram->count, 100);
    assert_int_equal(histogram->max_ns, three_hours);
    assert_int_equal(histogram->sum_ns, 98 * NS_PER_S + HISTOGRAM_MAX_NS + three_hours);
    assert_int_equal(histogram_percentile_ns(histogram, 99), HISTOGRAM_MAX_NS);
    assert_int_equal(histogram_percentile_ns(histogram, 99.5), three_hours);
    assert_int_equal(histogram_percentile_ns(histogram, 100), three_hours);
    histogram_record(histogram, INT64_C(1) << 61);
    assert_int_equal(histogram->overflow, 2);
    histogram_free(histogram);
}

/* ---- merge and reset ---- */

static void merging_is_recording_all(void **state)
{
    struct histogram *parts[3], *all = histogram_new(), *sum = histogram_new();

    (void)state;
    for (int i = 0; i < 3; i++)
        parts[i] = histogram_new();
    for (int i = 0; i < 9; i++) {
        struct rng rng;

        rng_init(&rng, 8, (uint64_t)i, 0);
        for (int n = 0; n < 1000; n++) {
            int64_t value = draw(&rng, i);

            histogram_record(parts[i % 2], value); /* the third stays empty */
            histogram_record(all, value);
        }
    }
    histogram_record(parts[1], 4 * 3600 * NS_PER_S);
    histogram_record(all, 4 * 3600 * NS_PER_S);
    for (int i = 2; i >= 0; i--)
        histogram_merge(sum, parts[i]);
    assert_memory_equal(sum, all, sizeof *all);
    for (int i = 0; i < 3; i++)
        histogram_free(parts[i]);
    histogram_free(all);
    histogram_free(sum);
}

static void reset_leaves_nothing(void **state)
{
    struct histogram *fresh = histogram_new(), *used = histogram_new();

    (void)state;
    for (int law = 0; law <= 8; law++) {
        struct rng rng;

        rng_init(&rng, 9, (uint64_t)law, 0);
        for (int n = 0; n < 100; n++)
            histogram_record(used, draw(&rng, law));
        if (law % 2 == 0)
            histogram_record(used, INT64_C(1) << 50);
        histogram_reset(used);
        assert_memory_equal(used, fresh, sizeof *fresh);
    }
    histogram_free(fresh);
    histogram_free(used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_tile_the_range),
        cmocka_unit_test(percentiles_keep_the_bound),
        cmocka_unit_test(ranks_are_whole_numbers),
        cmocka_unit_test(a_breath_above_is_not_the_next_rank),
        cmocka_unit_test(empty_and_one),
        cmocka_unit_test(a_clock_gone_back_counts_as_zero),
        cmocka_unit_test(long_ones_are_told),
        cmocka_unit_test(overflow_is_counted_and_shown),
        cmocka_unit_test(merging_is_recording_all),
        cmocka_unit_test(reset_leaves_nothing),
    };

    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
