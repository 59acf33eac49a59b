/*
 * The suite of microbenchmarks is the published one (spec sysbench 3.3).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workload/micro/suite.h"

static int place_of(const char *name)
{
    const struct suite_step *step;

    for (int i = 0; (step = suite_step(i)) != NULL; i++)
        if (strcmp(step->name, name) == 0)
            return i;
    fail_msg("no step %s", name);
    return -1;
}

static void test_counts(void **state)
{
    int counts[SUITE_POSTWRITE + 1] = { 0 };
    const struct suite_step *step;

    (void)state;
    for (int i = 0; (step = suite_step(i)) != NULL; i++) {
        counts[step->kind]++;
        assert_int_equal(place_of(step->name), i); /* no name twice */
        assert_int_equal(step->workload == NULL, step->kind == SUITE_POSTWRITE);
        if (step->workload != NULL) {
            assert_memory_equal(step->workload, "micro/", 6);
            assert_memory_equal(step->name, step->workload + 6, strlen(step->workload) - 6);
        }
    }
    assert_int_equal(counts[SUITE_RUN], 32);
    assert_int_equal(counts[SUITE_WARM], 6);
    assert_int_equal(counts[SUITE_POSTWRITE], 2);
    assert_null(suite_step(-1));
}

/* Each before the next. */
static void test_order(void **state)
{
    static const char *const names[] = {
        "point-query.warm",
        "postwrite.load",
        "scan.warmpre",
        "update-inlist",
        "write-only",
        "read-write_range=10",
        "read-write_range=100",
        "postwrite.writes",
        "scan.warm",
        "scan",
        "points-covered-si",
        "delete",
        "insert",
    };

    (void)state;
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++)
        assert_true(place_of(names[i - 1]) < place_of(names[i]));
    assert_int_equal(place_of(names[0]), 0);
    assert_null(suite_step(place_of("insert") + 1));
}

static void test_lengths(void **state)
{
    const struct suite_step *step;
    int writes = 0;

    (void)state;
    for (int i = 0; (step = suite_step(i)) != NULL; i++)
        writes += step->length == SUITE_WRITE || step->length == SUITE_INSERT;
    assert_int_equal(writes, 9); /* write-only is as long as a read */
    assert_int_equal(suite_step(place_of("write-only"))->length, SUITE_READ);
    assert_int_equal(suite_step(place_of("scan.warm"))->length, SUITE_MINUTE);
    assert_int_equal(suite_published_s(SUITE_WRITE), 1200);
    assert_int_equal(suite_postwrite_s(80 * 1000000), 140);
    assert_int_equal(suite_postwrite_s(999), 60);
    assert_int_equal(suite_postwrite_s(INT64_C(9000000000)), 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_lengths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
