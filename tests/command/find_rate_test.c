/*
 * find_rate_test.c - a limit is read, and the search ends near the rate that just meets it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "command/find_rate.h"

static void limits(void **state)
{
    static const struct {
        const char *text, *figure;
        double ms;
    } good[] = {
        { "p99<=20ms", "p99", 20 },
        { "p99.99 <= 1.5s", "p99.99", 1500 },
        { "mean<=250us", "mean", 0.25 },
        { "max<=1s", "max", 1000 },
    };
    static const char *const wrong[] = { "",           "p99",       "p99<20ms",  "p98<=20ms",
                                         "p99<=20",    "p99<=0ms",  "p99<=-1ms", "p99<=20min",
                                         "p99<=20msx", "p99>=20ms", "p99<=infs", "20ms" };
    struct find_limit limit;
    struct error err;

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++) {
        assert_true(find_limit_read(good[i].text, &limit, &err));
        assert_string_equal(limit.figure, good[i].figure);
        assert_true(limit.ms > good[i].ms * 0.999 && limit.ms < good[i].ms * 1.001);
    }
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        if (find_limit_read(wrong[i], &limit, &err))
            fail_msg("taken: %s", wrong[i]);
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_non_null(strstr(err.text, "p99<=20ms"));
    }
}

/* A server that meets the limit up to `truth`. */
static double search(double high, double truth)
{
    struct find_search found = { .high = high };
    double rate;

    while ((rate = find_next(&found)) > 0) {
        assert_true(rate > found.low && rate < found.high);
        find_take(&found, rate, rate <= truth);
        assert_in_range(found.tries, 1, FIND_TRIES_MAX);
    }
    return found.low;
}

static void it_ends_close_by(void **state)
{
    (void)state;
    for (double truth = 500; truth < 10000; truth += 250) {
        double found = search(10500, truth);
        assert_true(found <= truth);
        assert_true(found >= truth - FIND_CLOSE * 10500);
    }
    assert_true(search(10500, 0) == 0); /* none meets it */
    assert_true(search(0.5, 1) == 0);
    assert_true(search(20, 15) > 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(it_ends_close_by),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
