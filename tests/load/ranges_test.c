/*
 * ranges_test.c - sets of rows against a plain array of flags.
 */
#include "load/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"

#define ROWS 200

static void joins_neighbours(void **state)
{
    struct ranges ranges = { 0 };

    (void)state;
    assert_true(ranges_add(&ranges, 11, 20));
    assert_true(ranges_add(&ranges, 31, 40));
    assert_int_equal(ranges.count, 2);
    assert_true(ranges_add(&ranges, 21, 30));
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges.list[0].first, 11);
    assert_int_equal(ranges.list[0].last, 40);
    assert_int_equal(ranges_rows(&ranges), 30);
    assert_true(ranges_hold(&ranges, 11, 40));
    assert_false(ranges_hold(&ranges, 10, 12));
    ranges_close(&ranges);
}

static void tells_what_was_there(void **state)
{
    struct ranges ranges = { 0 };

    (void)state;
    assert_true(ranges_add(&ranges, 1, 10));
    assert_false(ranges_add(&ranges, 10, 12));
    assert_false(ranges_add(&ranges, 3, 4));
    assert_true(ranges_add(&ranges, 13, 13));
    assert_int_equal(ranges_rows(&ranges), 13);
    ranges_close(&ranges);
}

static void finds_the_lowest_gap(void **state)
{
    const struct range whole = { 1, 100 };
    struct ranges ranges = { 0 };
    struct range gap;

    (void)state;
    assert_true(ranges_missing(&ranges, whole, 30, &gap));
    assert_int_equal(gap.first, 1);
    assert_int_equal(gap.last, 30);
    ranges_add(&ranges, 1, 30);
    ranges_add(&ranges, 41, 60);
    assert_true(ranges_missing(&ranges, whole, 30, &gap));
    assert_int_equal(gap.first, 31);
    assert_int_equal(gap.last, 40);
    ranges_add(&ranges, 31, 40);
    assert_true(ranges_missing(&ranges, whole, 100, &gap));
    assert_int_equal(gap.first, 61);
    assert_int_equal(gap.last, 100);
    ranges_add(&ranges, 61, 100);
    assert_false(ranges_missing(&ranges, whole, 100, &gap));
    ranges_close(&ranges);
}

static void an_empty_table_misses_nothing(void **state)
{
    struct ranges ranges = { 0 };
    struct range gap;

    (void)state;
    assert_false(ranges_missing(&ranges, (struct range){ 1, 0 }, 10, &gap));
    ranges_close(&ranges);
}

static int64_t count_flags(const bool *flags)
{
    int64_t count = 0;

    for (int i = 1; i <= ROWS; i++)
        count += flags[i];
    return count;
}

static void agrees_with_flags(void **state)
{
    struct rng rng;

    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        struct ranges ranges = { 0 };
        bool flags[ROWS + 2] = { false };
        rng_init(&rng, 7, 1, round);
        for (int step = 0; step < 30; step++) {
            int64_t first = rng_between(&rng, 1, ROWS);
            int64_t last = rng_between(&rng, first, first + 20 < ROWS ? first + 20 : ROWS);
            bool fresh = true;
            for (int64_t at = first; at <= last; at++) {
                fresh = fresh && !flags[at];
                flags[at] = true;
            }
            assert_int_equal(ranges_add(&ranges, first, last), fresh);
            assert_int_equal(ranges_rows(&ranges), count_flags(flags));
            for (int i = 1; i < ranges.count; i++)
                assert_true(ranges.list[i].first > ranges.list[i - 1].last + 1);
        }
        ranges_close(&ranges);
    }
}

/* Taking piece after piece gives each row once. */
static void pieces_cover_all(void **state)
{
    const struct range whole = { 1, ROWS };
    struct ranges ranges = { 0 };
    struct range piece;

    (void)state;
    ranges_add(&ranges, 17, 23);
    ranges_add(&ranges, 90, 90);
    while (ranges_missing(&ranges, whole, 13, &piece)) {
        assert_true(piece.last - piece.first < 13);
        assert_true(ranges_add(&ranges, piece.first, piece.last));
    }
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges_rows(&ranges), ROWS);
    ranges_close(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_neighbours),     cmocka_unit_test(tells_what_was_there),
        cmocka_unit_test(finds_the_lowest_gap), cmocka_unit_test(an_empty_table_misses_nothing),
        cmocka_unit_test(agrees_with_flags),    cmocka_unit_test(pieces_cover_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
