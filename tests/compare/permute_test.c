/*
 * permute_test.c - p values that can be counted by hand, and drawn ones beside enumerated ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "compare/permute.h"

static void counted_signs(void **state)
{
    const double same_sign[] = { 1, 2, 3, 4, 5, 6 }, one_off[] = { 1, -0.5, 3, 4, 5, 6 };
    const double zeros[] = { 0, 0, 0 };

    (void)state;
    assert_true(permute_signs(same_sign, 6, 1) == 2.0 / 64);
    assert_true(permute_signs(same_sign, 5, 1) == 2.0 / 32);
    /* As far or farther: this flip, the one with -0.5 turned, and their mirrors. */
    assert_true(permute_signs(one_off, 6, 1) == 4.0 / 64);
    assert_true(permute_signs(zeros, 3, 1) == 1);
    assert_true(permute_signs(zeros, 0, 1) == 1);
}

static void ties_in_the_last_digits(void **state)
{
    /* 0.1 + 0.2 and 0.3 differ in binary; all sums of size 0.6 must count. */
    const double values[] = { 0.1, 0.2, 0.3 };

    (void)state;
    assert_true(permute_signs(values, 3, 1) == 2.0 / 8);
}

static void drawn_beside_enumerated(void **state)
{
    double values[PERMUTE_SIGNS_MAX + 1], fewer, more;

    (void)state;
    for (int i = 0; i <= PERMUTE_SIGNS_MAX; i++)
        values[i] = sin(i * 12.9898) + 0.3;
    values[PERMUTE_SIGNS_MAX] = 0; /* changes nothing, but makes it too many to enumerate */
    fewer = permute_signs(values, PERMUTE_SIGNS_MAX, 1);
    more = permute_signs(values, PERMUTE_SIGNS_MAX + 1, 1);
    assert_true(fewer > 0.01 && fewer < 0.9);
    assert_true(fabs(fewer - more) < 0.006); /* 4 deviations of 100,000 draws at most */
    assert_true(more == permute_signs(values, PERMUTE_SIGNS_MAX + 1, 1));
}

static void counted_groups(void **state)
{
    const double low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 }, one[] = { 9 };

    (void)state;
    assert_true(permute_groups(low, 4, high, 4, 1) == 2.0 / 70);
    assert_true(permute_groups(high, 4, low, 4, 1) == 2.0 / 70);
    assert_true(permute_groups(low, 4, one, 1, 1) == 1.0 / 5);
    assert_true(permute_groups(low, 4, low, 4, 1) == 1);
    assert_true(permute_groups(low, 4, one, 0, 1) == 1);
}

static void drawn_groups(void **state)
{
    double base[40], head[40], p;

    (void)state;
    for (int i = 0; i < 40; i++) {
        base[i] = sin(i * 78.233);
        head[i] = sin(i * 12.9898) + 0.3;
    }
    p = permute_groups(base, 40, head, 40, 1);
    assert_true(p > 0.001 && p < 0.5);
    assert_true(p == permute_groups(base, 40, head, 40, 1));
    assert_true(fabs(p - permute_groups(head, 40, base, 40, 2)) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_signs),
        cmocka_unit_test(ties_in_the_last_digits),
        cmocka_unit_test(drawn_beside_enumerated),
        cmocka_unit_test(counted_groups),
        cmocka_unit_test(drawn_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
