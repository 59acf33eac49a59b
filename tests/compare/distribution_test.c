/*
 * distribution_test.c - against tables made with 50 digits: to 1e-9 of the value.
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
#include "compare/sample.h"
#include "compare/tables.h"

static void close_to(double found, double wanted, double size)
{
    if (!(fabs(found - wanted) <= 1e-9 * fabs(size)))
        fail_msg("%.17g, but %.17g is wanted", found, wanted);
}

static void normal(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(normal_tails); i++)
        close_to(normal_tail(normal_tails[i].at), normal_tails[i].value, normal_tails[i].value);
    for (int i = 0; i < COUNT_OF(normal_quantiles); i++)
        close_to(normal_quantile(normal_quantiles[i].at), normal_quantiles[i].value,
                 fmax(1e-3, fabs(normal_quantiles[i].value)));
}

static void student(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(student_tails); i++)
        close_to(student_tail(student_tails[i].at, student_tails[i].freedom),
                 student_tails[i].value, student_tails[i].value);
    for (int i = 0; i < COUNT_OF(student_quantiles); i++)
        close_to(student_quantile(student_quantiles[i].at, student_quantiles[i].freedom),
                 student_quantiles[i].value, fmax(1e-3, fabs(student_quantiles[i].value)));
}

static void beta(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(betas); i++)
        close_to(beta_incomplete(betas[i].a, betas[i].b, betas[i].x), betas[i].value,
                 fmax(1e-300, betas[i].value));
}

/* ---- what is made of them ---- */

static void ratio_as(const struct ratio *ratio, const struct ratio_row *row)
{
    double low, high;

    assert_true(ratio_interval(ratio, 0.05, &low, &high));
    close_to(ratio->log_mean, row->log_mean, row->log_mean);
    close_to(ratio->error, row->error, row->error);
    close_to(ratio->freedom, row->freedom, row->freedom);
    close_to(low, row->low, row->low);
    close_to(high, row->high, row->high);
}

static void ratios(void **state)
{
    struct ratio blocks = ratio_of_blocks(table_base, table_head, COUNT_OF(table_base), 1);
    struct ratio groups =
        ratio_of_groups(table_base, COUNT_OF(table_base), table_other, COUNT_OF(table_other), 1);

    (void)state;
    ratio_as(&blocks, &ratio_rows[0]);
    ratio_as(&groups, &ratio_rows[1]);
}

static void trend(void **state)
{
    struct trend trend = sample_trend(table_base, COUNT_OF(table_base));

    (void)state;
    close_to(trend.slope, trend_rows[0].slope, trend_rows[0].slope);
    close_to(trend.p, trend_rows[0].p, trend_rows[0].p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal), cmocka_unit_test(student), cmocka_unit_test(beta),
        cmocka_unit_test(ratios), cmocka_unit_test(trend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
