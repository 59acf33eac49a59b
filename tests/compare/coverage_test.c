/*
 * coverage_test.c - thousands of comparisons whose truth is known: intervals must hold it as often
 * as they say, and differences must be found as often as the table of runs promises. Seeds are
 * fixed, so the outcome is the same everywhere.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/rng.h"
#include "compare/compare.h"
#include "compare/sample.h"
#include "compare/steady.h"

#define COMPARISONS 2000
#define SECONDS     100
#define BLOCKS_MAX  120
#define TRUTH       1.07

static double gauss(struct rng *rng)
{
    double radius = sqrt(-2 * log(1 - rng_unit(rng)));

    return radius * cos(2 * M_PI * rng_unit(rng));
}

/* A second resembles the one before it by `memory`, and seconds vary by `variation`. */
static void fill_series(double *seconds, int count, double memory, double variation,
                        struct rng *rng)
{
    double state = gauss(rng);

    for (int i = 0; i < count; i++) {
        state = memory * state + sqrt(1 - memory * memory) * gauss(rng);
        seconds[i] = 1 + variation * state;
    }
}

/* A run: its own level, which varies from run to run by `variation`, times the mean of its
 * seconds. */
static double run_of(double variation, struct rng *rng)
{
    double seconds[SECONDS], sigma = sqrt(log1p(variation * variation));

    fill_series(seconds, SECONDS, 0.7, 0.10, rng);
    return exp(sigma * gauss(rng)) * sample_mean(seconds, SECONDS);
}

struct tally {
    int held, wrong; /* intervals that hold the truth; verdicts that are not true */
};

static struct tally compare_blocks(double variation, int blocks, double truth)
{
    static const struct verdict_rules rules = { .threshold = 0.03, .level = 0.05 };
    struct tally tally = { 0 };

    for (int i = 0; i < COMPARISONS; i++) {
        double base[BLOCKS_MAX], head[BLOCKS_MAX];
        struct rng rng;
        struct ratio ratio;
        struct finding finding;

        rng_init(&rng, 20261130, (uint64_t)(variation * 1000), (uint64_t)i);
        for (int block = 0; block < blocks; block++) {
            double machine = exp(0.05 * gauss(&rng)); /* what the block did to both */

            base[block] = 1000 * machine * run_of(variation, &rng);
            head[block] = 1000 * machine * run_of(variation, &rng) * truth;
        }
        ratio = ratio_of_blocks(base, head, blocks, 1);
        verdicts(&ratio, &rules, 1, &finding);
        tally.held += finding.low <= truth && truth <= finding.high;
        tally.wrong += finding.verdict == VERDICT_SLOWER || finding.verdict == VERDICT_FASTER;
    }
    return tally;
}

static void holds(int found, double low, double high)
{
    double share = (double)found / COMPARISONS;

    if (share < low || share > high)
        fail_msg("a share of %.4f, but %.2f to %.2f is wanted", share, low, high);
}

static void intervals_of_blocks(void **state)
{
    static const double variations[] = { 0.01, 0.05, 0.15 };

    (void)state;
    for (int i = 0; i < COUNT_OF(variations); i++)
        holds(compare_blocks(variations[i], 6, TRUTH).held, 0.93, 0.97);
}

/* With no difference at all, wrong verdicts are rarer than the level. */
static void the_same_is_not_different(void **state)
{
    (void)state;
    holds(compare_blocks(0.01, 6, 1).wrong, 0, 0.05);
    holds(compare_blocks(0.15, 6, 1).wrong, 0, 0.05);
}

static struct ratio two_groups(int base_count, int head_count, double sigma, double effect,
                               struct rng *rng)
{
    double base[BLOCKS_MAX], head[BLOCKS_MAX];

    for (int i = 0; i < base_count; i++)
        base[i] = exp(sigma * gauss(rng));
    for (int i = 0; i < head_count; i++)
        head[i] = exp(effect + 1.5 * sigma * gauss(rng));
    return ratio_of_groups(base, base_count, head, head_count, 1);
}

static void intervals_of_groups(void **state)
{
    int held = 0;

    (void)state;
    for (int i = 0; i < COMPARISONS; i++) {
        struct rng rng;
        struct ratio ratio;
        double low, high;

        rng_init(&rng, 1, 2, (uint64_t)i);
        ratio = two_groups(5, 7, 0.05, log(TRUTH), &rng);
        assert_true(ratio_interval(&ratio, 0.05, &low, &high));
        held += low <= TRUTH && TRUTH <= high;
    }
    holds(held, 0.93, 0.97);
}

/* As many runs a side as the table says find a difference of that size in 80 %. Welch's test,
 * spelled out on logarithms: going through divisions of 100 runs 18,000 times would take too long.
 */
static void power(void **state)
{
    static const double cells[][2] = { { 0.01, 0.01 }, { 0.02, 0.01 }, { 0.02, 0.02 },
                                       { 0.05, 0.02 }, { 0.05, 0.03 }, { 0.08, 0.03 },
                                       { 0.05, 0.05 }, { 0.08, 0.05 }, { 0.15, 0.10 } };

    (void)state;
    for (int cell = 0; cell < COUNT_OF(cells); cell++) {
        int runs = runs_needed(cells[cell][0], cells[cell][1], 0.05, 0.8), found = 0;

        assert_in_range(runs, 2, BLOCKS_MAX);
        for (int i = 0; i < COMPARISONS; i++) {
            double sides[2][BLOCKS_MAX], squares[2], low, high;
            struct ratio ratio = { 0 };
            struct rng rng;

            rng_init(&rng, 3, (uint64_t)cell, (uint64_t)i);
            for (int run = 0; run < runs; run++) {
                sides[0][run] = cells[cell][0] * gauss(&rng);
                sides[1][run] = cells[cell][0] * gauss(&rng) + cells[cell][1];
            }
            for (int side = 0; side < 2; side++)
                squares[side] = pow(sample_deviation(sides[side], runs), 2) / runs;
            ratio.log_mean = sample_mean(sides[1], runs) - sample_mean(sides[0], runs);
            ratio.error = sqrt(squares[0] + squares[1]);
            ratio.freedom = pow(squares[0] + squares[1], 2) /
                            (pow(squares[0], 2) + pow(squares[1], 2)) * (runs - 1);
            assert_true(ratio_interval(&ratio, 0.05, &low, &high));
            found += low > 1 || high < 1;
        }
        holds(found, 0.77, 0.84);
    }
}

static void intervals_within_a_run(void **state)
{
    /* So many seconds, and how much one resembles the one before it. Of 40 no more than two can be
     * joined, and the rest of the resemblance must widen the interval. */
    static const struct {
        int count;
        double memory;
    } cells[] = { { 400, 0 }, { 400, 0.3 }, { 400, 0.6 }, { 40, 0 }, { 40, 0.4 } };

    (void)state;
    for (int cell = 0; cell < COUNT_OF(cells); cell++) {
        int held = 0;

        for (int i = 0; i < COMPARISONS; i++) {
            double seconds[400];
            struct within within;
            struct rng rng;

            rng_init(&rng, 4, (uint64_t)cell, (uint64_t)i);
            fill_series(seconds, cells[cell].count, cells[cell].memory, 0.05, &rng);
            assert_true(within_run(seconds, cells[cell].count, 0.05, &within));
            held += within.low <= 1 && 1 <= within.high;
        }
        holds(held, 0.93, 0.97);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_blocks),    cmocka_unit_test(the_same_is_not_different),
        cmocka_unit_test(intervals_of_groups),    cmocka_unit_test(power),
        cmocka_unit_test(intervals_within_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
