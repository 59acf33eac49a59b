/*
 * bench_steps_test.c - the order of a bench: blocks that are whole, targets side by side, the same
 * for the same seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command/bench.h"

#define TARGETS 3
#define UNITS   4
#define ROWS    6 /* the second unit has three */

static struct plan_file_target plan_targets[TARGETS] = { { .name = "a" },
                                                         { .name = "b" },
                                                         { .name = "c" } };
static struct bench_target targets[TARGETS] = { { .plan = &plan_targets[0] },
                                                { .plan = &plan_targets[1] },
                                                { .plan = &plan_targets[2] } };
static struct bench_unit units[UNITS] = { { 0, 1 }, { 1, 3 }, { 4, 1 }, { 5, 1 } };

static struct bench make(int repeats, int64_t seed)
{
    struct bench bench = { .arena = arena_new(64 << 20),
                           .plan_path = "plan",
                           .plan = { .target_count = TARGETS, .targets = plan_targets },
                           .repeats = repeats,
                           .seed = seed,
                           .targets = targets,
                           .row_count = ROWS,
                           .units = units,
                           .unit_count = UNITS };
    struct error err;

    assert_true(bench_make_steps(&bench, &err));
    return bench;
}

/* The server cuts names at 63 bytes: DROP DATABASE would hit the template itself. */
static void a_template_has_a_short_name(void **state)
{
    char name[64];
    struct error err;

    (void)state;
    memset(name, 'a', sizeof name);
    for (size_t length = 0; length < sizeof name; length++) {
        name[length] = '\0';
        assert_int_equal(bench_template_fits(name, &err), length <= 50);
        name[length] = 'a';
    }
    assert_false(bench_template_fits(NULL, &err));
    assert_false(bench_template_fits("a\"; DROP DATABASE b; --", &err));
}

static void a_block_has_everything_once(void **state)
{
    struct bench bench = make(5, 7);

    (void)state;
    assert_int_equal(bench.step_count, 5 * TARGETS * ROWS);
    for (int block = 0; block < 5; block++) {
        bool seen[TARGETS][ROWS] = { { false } };
        for (int i = 0; i < TARGETS * ROWS; i++) {
            const struct bench_step *step = &bench.steps[block * TARGETS * ROWS + i];
            assert_int_equal(step->block, block + 1);
            assert_false(seen[step->target][step->row]);
            seen[step->target][step->row] = true;
            assert_true(step->seed == bench_block_seed(7, block + 1));
        }
    }
    assert_true(bench_block_seed(7, 1) != bench_block_seed(7, 2));
    arena_free(bench.arena);
}

static void units_stay_together_and_targets_side_by_side(void **state)
{
    struct bench bench = make(20, 3);
    int i = 0;

    (void)state;
    while (i < bench.step_count) {
        int count = bench.steps[i].row >= 1 && bench.steps[i].row <= 3 ? 3 : 1;
        int first = bench.steps[i].row;
        for (int target = 0; target < TARGETS; target++)
            for (int at = 0; at < count; at++, i++) {
                assert_int_equal(bench.steps[i].row, first + at);
                assert_true(bench.steps[i].begins == (at == 0));
                assert_int_equal(bench.steps[i].target, bench.steps[i - at].target);
            }
    }
    arena_free(bench.arena);
}

/* Each target comes first about as often as the others. */
static void order_is_random(void **state)
{
    struct bench bench = make(300, 5);
    int first[TARGETS] = { 0 }, begins[UNITS] = { 0 };

    (void)state;
    for (int block = 0; block < 300; block++) {
        const struct bench_step *step = &bench.steps[block * TARGETS * ROWS];
        first[step->target]++;
        for (int unit = 0; unit < UNITS; unit++)
            begins[unit] += step->row == units[unit].first;
    }
    for (int i = 0; i < TARGETS; i++)
        assert_in_range(first[i], 60, 140);
    for (int i = 0; i < UNITS; i++)
        assert_in_range(begins[i], 40, 110);
    arena_free(bench.arena);
}

static void the_same_seed_is_the_same_order(void **state)
{
    struct bench one = make(3, 9), more = make(6, 9), other = make(3, 10);
    bool same = true;

    (void)state;
    for (int i = 0; i < one.step_count; i++) {
        assert_string_equal(one.steps[i].id, more.steps[i].id);
        assert_true(one.steps[i].seed == more.steps[i].seed);
        same = same && strcmp(one.steps[i].id, other.steps[i].id) == 0;
    }
    assert_false(same);
    arena_free(one.arena);
    arena_free(more.arena);
    arena_free(other.arena);
}

static void times_for_people(void **state)
{
    char out[32];

    (void)state;
    assert_string_equal(bench_time(INT64_C(12400000000), out), "12 s");
    assert_string_equal(bench_time(INT64_C(300000000000), out), "5 min");
    assert_string_equal(bench_time(INT64_C(7500000000000), out), "2 h 5 min");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_has_a_short_name),
        cmocka_unit_test(a_block_has_everything_once),
        cmocka_unit_test(units_stay_together_and_targets_side_by_side),
        cmocka_unit_test(order_is_random),
        cmocka_unit_test(the_same_seed_is_the_same_order),
        cmocka_unit_test(times_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
