/*
 * Tests for command/blocks.c: rates of the window from counts that lag behind it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/blocks.h"

static void without_a_warm_up_it_is_what_was_counted(void **state)
{
    struct blocks_sums sums = { .life_read = 30000,
                                .life_hit = 10000,
                                .window_read = 30000,
                                .window_hit = 10000,
                                .life_transactions = 200,
                                .window_transactions = 200,
                                .seconds = 10 };
    struct blocks_rates rates = blocks_rates(&sums);

    (void)state;
    assert_true(rates.per_transaction == 200);
    assert_true(fabs(rates.miss_share - 0.75) < 1e-12);
    assert_true(fabs(rates.read_per_s - 3000) < 1e-9);
    assert_true(fabs(rates.hit_per_s - 1000) < 1e-9);
}

/* 100 transactions that all missed to warm up, 400 that missed a quarter; the server told of the
 * window's begin as it was 20 transactions before. */
static void a_warm_up_is_left_out(void **state)
{
    struct blocks_sums sums = { .life_read = 100 * 100 + 400 * 25,
                                .life_hit = 400 * 75,
                                .window_read = 20 * 100 + 400 * 25,
                                .window_hit = 400 * 75,
                                .life_transactions = 500,
                                .window_transactions = 400,
                                .seconds = 4 };
    struct blocks_rates rates = blocks_rates(&sums);

    (void)state;
    assert_true(rates.per_transaction == 100);
    assert_true(fabs(rates.read_per_s + rates.hit_per_s - 10000) < 1e-6);
    assert_true(rates.read_per_s > 2500 && rates.read_per_s < 2900);
}

static void nothing_gives_nothing(void **state)
{
    struct blocks_sums sums = { .seconds = 4 };
    struct blocks_rates rates = blocks_rates(&sums);

    (void)state;
    assert_true(isnan(rates.read_per_s) && isnan(rates.hit_per_s) && isnan(rates.miss_share));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_warm_up_it_is_what_was_counted),
        cmocka_unit_test(a_warm_up_is_left_out),
        cmocka_unit_test(nothing_gives_nothing),
    };

    return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
