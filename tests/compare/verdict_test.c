/*
 * verdict_test.c - what may be said of an interval, alone and among many.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/compare.h"
#include "compare/distribution.h"

#define ROW_MAX 16

static const struct verdict_rules plain = { .threshold = 0.03, .level = 0.05 };
static const struct verdict_rules lower = { .threshold = 0.03,
                                            .level = 0.05,
                                            .lower_is_better = true };

/* Blocks whose ratios lie alternately above and below `ratio` by the factor 1 + `spread`. */
static struct ratio blocks(double ratio, double spread, int count)
{
    double base[ROW_MAX], head[ROW_MAX];

    for (int i = 0; i < count; i++) {
        base[i] = 1000 + i;
        head[i] = base[i] * ratio * (i % 2 == 0 ? 1 + spread : 1 / (1 + spread));
    }
    return ratio_of_blocks(base, head, count, 1);
}

static struct finding judged(struct ratio ratio, struct verdict_rules rules)
{
    struct finding finding;

    verdicts(&ratio, &rules, 1, &finding);
    return finding;
}

static void says(struct ratio ratio, struct verdict_rules rules, enum verdict wanted)
{
    struct finding finding = judged(ratio, rules);

    assert_string_equal(verdict_word(finding.verdict), verdict_word(wanted));
}

static void four_verdicts(void **state)
{
    (void)state;
    says(blocks(1.10, 0.01, 6), plain, VERDICT_FASTER);
    says(blocks(0.90, 0.01, 6), plain, VERDICT_SLOWER);
    says(blocks(1.00, 0.01, 6), plain, VERDICT_SAME);
    says(blocks(1.04, 0.02, 6), plain, VERDICT_CANNOT_TELL);
    says(blocks(1.00, 0.10, 6), plain, VERDICT_CANNOT_TELL);
}

static void lower_is_better(void **state)
{
    (void)state;
    says(blocks(1.10, 0.01, 6), lower, VERDICT_SLOWER);
    says(blocks(0.90, 0.01, 6), lower, VERDICT_FASTER);
    says(blocks(1.00, 0.01, 6), lower, VERDICT_SAME);
}

static void the_interval_decides(void **state)
{
    struct finding finding = judged(blocks(1.10, 0.01, 6), plain);
    struct verdict_rules at_the_bound = plain;

    (void)state;
    assert_true(finding.low > 1.08 && finding.high < 1.12 && finding.p < 0.05);
    at_the_bound.threshold = finding.low - 1 - 1e-9;
    says(blocks(1.10, 0.01, 6), at_the_bound, VERDICT_FASTER);
    at_the_bound.threshold = finding.low - 1 + 1e-9;
    says(blocks(1.10, 0.01, 6), at_the_bound, VERDICT_CANNOT_TELL);
    at_the_bound.threshold = finding.high - 1 + 1e-9;
    says(blocks(1.10, 0.01, 6), at_the_bound, VERDICT_SAME);
}

static void five_blocks_claim_nothing(void **state)
{
    struct finding finding = judged(blocks(2, 0.001, 5), plain);

    (void)state;
    assert_int_equal(finding.verdict, VERDICT_CANNOT_TELL);
    assert_int_equal(finding.further, 1);
    assert_true(finding.low > 1.9);
    says(blocks(1, 0.0001, 2), plain, VERDICT_CANNOT_TELL);
    says(blocks(2, 0, 6), plain, VERDICT_FASTER);
    says(blocks(1, 0, 6), plain, VERDICT_SAME);
}

static void one_run_says_nothing(void **state)
{
    struct finding finding = judged(blocks(3, 0, 1), plain);
    const double one[] = { 10 }, two[] = { 1, 1.01 };

    (void)state;
    assert_int_equal(finding.verdict, VERDICT_NONE);
    assert_true(finding.p == 1);
    says(ratio_of_groups(two, 2, one, 1, 1), plain, VERDICT_NONE);
}

static void groups_of_four(void **state)
{
    const double low[] = { 100, 101, 99, 100.5 }, high[] = { 120, 121, 119, 120.5 };

    (void)state;
    says(ratio_of_groups(low, 4, high, 4, 1), plain, VERDICT_FASTER);
    says(ratio_of_groups(low, 3, high, 3, 1), plain, VERDICT_CANNOT_TELL);
    says(ratio_of_groups(low, 4, low, 4, 1), plain, VERDICT_SAME);
}

/* A t interval alone would call these faster; half of the flips say that nothing happened. */
static void the_exact_test_is_asked(void **state)
{
    struct ratio ratio = blocks(1.10, 0.01, 6);

    (void)state;
    ratio.permutation_p = 0.0625;
    says(ratio, plain, VERDICT_CANNOT_TELL);
}

static void further_blocks(void **state)
{
    /* Half of the way to the bound, so half-width and power must fit into it. */
    struct ratio ratio = blocks(1.00, 0.05, 6);
    struct finding finding = judged(ratio, plain);
    double deviation = ratio.error * sqrt(6), z = 1.959964 + 0.841621;
    double needed = pow(z * deviation / -log(0.97) * 1, 2);

    (void)state;
    needed = fmax(needed, pow(z * deviation / log(1.03), 2)) + 1.959964 * 1.959964 / 2;
    assert_int_equal(finding.further, (int)ceil(needed) - 6);
    /* On the bound itself no number of blocks tells. */
    assert_int_equal(judged(blocks(1.03, 0.05, 6), plain).further, FURTHER_MAX + 1);
}

static void holm(void **state)
{
    /* p of 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1, and never falling: 0.04, 0.06, 0.06, 0.06. */
    struct ratio ratios[4];
    struct verdict_rules rules[4];
    struct finding findings[4];

    (void)state;
    for (int i = 0; i < 4; i++) {
        double t = student_quantile((4 - i) * 0.01 / 2, 11);

        rules[i] = plain;
        ratios[i] = (struct ratio){ .paired = true,
                                    .base_count = 12,
                                    .head_count = 12,
                                    .log_mean = log(1.03) + 0.01 * t,
                                    .error = 0.01,
                                    .freedom = 11,
                                    .permutation_p = 0.001 };
    }
    verdicts(ratios, rules, 4, findings);
    assert_int_equal(findings[3].verdict, VERDICT_FASTER);
    assert_true(fabs(findings[3].p - 0.01) < 1e-9 && fabs(findings[3].p_held - 0.04) < 1e-9);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(findings[i].verdict, VERDICT_CANNOT_TELL);
        assert_true(fabs(findings[i].p_held - 0.06) < 1e-9 && findings[i].further >= 1);
    }
    /* Alone each of them would stand, and one that can claim nothing does not count as a test. */
    says(ratios[0], plain, VERDICT_FASTER);
    ratios[0] = blocks(2, 0.01, 5);
    ratios[1] = blocks(2, 0, 1);
    verdicts(ratios, rules, 4, findings);
    assert_true(fabs(findings[3].p_held - 0.02) < 1e-9 && fabs(findings[2].p_held - 0.02) < 1e-9);
}

static void geometric_mean(void **state)
{
    struct ratio pair[] = { blocks(1.10, 0.01, 6), blocks(0.90, 0.02, 8) }, group;
    double low, high;

    (void)state;
    group = ratio_of_group(pair, 2);
    assert_true(fabs(exp(group.log_mean) - sqrt(1.10 * 0.90)) < 1e-9);
    assert_true(fabs(group.error - sqrt(pow(pair[0].error, 2) + pow(pair[1].error, 2)) / 2) <
                1e-12);
    assert_int_equal(group.base_count, 6);
    assert_true(group.freedom > 5 && group.freedom < 12);
    pair[0] = blocks(1.10, 0, 1);
    group = ratio_of_group(pair, 2);
    assert_false(ratio_interval(&group, 0.05, &low, &high));
}

/* Runs a side at 95 % and 80 %: rows variation 1, 2, 3.7, 5, 8, 15 %, columns 1, 2, 3, 5, 10,
 * 20 %. */
static void runs_table(void **state)
{
    static const double variations[] = { 0.01, 0.02, 0.037, 0.05, 0.08, 0.15 };
    static const double effects[] = { 0.01, 0.02, 0.03, 0.05, 0.10, 0.20 };
    static const int wanted[6][6] = {
        { 17, 5, 3, 3, 3, 3 },      { 64, 17, 8, 4, 3, 3 },        { 216, 55, 25, 10, 4, 3 },
        { 394, 100, 45, 17, 5, 3 }, { 1006, 253, 113, 42, 12, 4 }, { 3533, 884, 394, 143, 37, 10 },
    };

    (void)state;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_int_equal(runs_needed(variations[i], effects[j], 0.05, 0.8), wanted[i][j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_verdicts),
        cmocka_unit_test(lower_is_better),
        cmocka_unit_test(the_interval_decides),
        cmocka_unit_test(five_blocks_claim_nothing),
        cmocka_unit_test(one_run_says_nothing),
        cmocka_unit_test(groups_of_four),
        cmocka_unit_test(the_exact_test_is_asked),
        cmocka_unit_test(further_blocks),
        cmocka_unit_test(holm),
        cmocka_unit_test(geometric_mean),
        cmocka_unit_test(runs_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
