/*
 * self_test.c - the first reading has no share, the next ones have; a busy process shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "collect/collect.h"

static void readings(void **state)
{
    (void)state;
    struct collect_self self = { 0 };
    json_t *first = collect_self_second(&self);
    assert_true(json_is_null(json_object_get(first, "cpu")));
    assert_true(json_integer_value(json_object_get(first, "rss_bytes")) > 100000);
    json_decref(first);
    int64_t before_ns = clock_process_cpu_ns(), wall_ns = clock_now_ns();
    while (clock_process_cpu_ns() - before_ns < 30 * NS_PER_MS)
        continue;
    json_t *next = collect_self_second(&self);
    double span = (double)(clock_now_ns() - wall_ns);
    double cpu = json_number_value(json_object_get(next, "cpu"));
    assert_true(cpu > 0.8 * (double)(30 * NS_PER_MS) / span && cpu < 1.5);
    json_t *delay = json_object_get(next, "run_delay");
    assert_true(json_is_null(delay) || json_number_value(delay) >= 0);
    json_decref(next);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(readings) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
