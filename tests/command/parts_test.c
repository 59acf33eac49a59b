/*
 * parts_test.c - whose an interval is, around the end of warm-up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/parts.h"

#define SECOND INT64_C(1000000000)

static struct interval interval(int64_t begin_ns, int64_t end_ns, enum phase phase, int64_t done)
{
    return (struct interval){
        .begin_ns = begin_ns, .end_ns = end_ns, .phase = phase, .counts.scheduled = done
    };
}

static void assert_part(const struct interval *part, int64_t begin_ns, int64_t end_ns)
{
    assert_int_equal(part->begin_ns, begin_ns);
    assert_int_equal(part->end_ns, end_ns);
}

static void what_came_a_moment_late_is_not_the_line(void **state)
{
    struct interval both[] = { interval(0, SECOND, PHASE_WARMUP, 17000000),
                               interval(0, SECOND, PHASE_MEASURE, 43) };
    struct interval parts[PHASE_COUNT];

    (void)state;
    assert_int_equal(parts_cut(both, 2, SECOND, parts), 0);
    assert_part(&parts[0], 0, SECOND);
    assert_part(&parts[1], SECOND, SECOND);
    assert_int_equal(parts[1].counts.scheduled, 43);
}

static void what_warmup_left_over_is_not_the_line(void **state)
{
    struct interval both[] = { interval(SECOND, 2 * SECOND, PHASE_WARMUP, 8),
                               interval(SECOND, 2 * SECOND, PHASE_MEASURE, 1000) };
    struct interval parts[PHASE_COUNT];

    (void)state;
    assert_int_equal(parts_cut(both, 2, SECOND, parts), 1);
    assert_part(&parts[0], SECOND, SECOND);
    assert_part(&parts[1], SECOND, 2 * SECOND);
}

static void a_boundary_within(void **state)
{
    struct interval both[] = { interval(0, SECOND, PHASE_WARMUP, 700),
                               interval(0, SECOND, PHASE_MEASURE, 300) };
    struct interval parts[PHASE_COUNT];

    (void)state;
    assert_int_equal(parts_cut(both, 2, 700 * SECOND / 1000, parts), 0);
    assert_part(&parts[0], 0, 700 * SECOND / 1000);
    assert_part(&parts[1], 700 * SECOND / 1000, SECOND);
    assert_int_equal(parts_cut(both, 2, SECOND / 2, parts), 1);
    assert_int_equal(parts_cut(both, 2, SECOND / 4, parts), 1);
}

static void an_empty_one_is_of_its_time(void **state)
{
    struct interval empty = interval(SECOND, 2 * SECOND, PHASE_WARMUP, 0);
    struct interval part;

    (void)state;
    assert_int_equal(parts_cut(&empty, 1, SECOND, &part), 0);
    assert_int_equal(part.phase, PHASE_MEASURE);
    assert_part(&part, SECOND, 2 * SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_a_moment_late_is_not_the_line),
        cmocka_unit_test(what_warmup_left_over_is_not_the_line),
        cmocka_unit_test(a_boundary_within),
        cmocka_unit_test(an_empty_one_is_of_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
