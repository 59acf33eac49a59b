/*
 * The 32 microbenchmarks: their names, the options that are published with them, and the rows that
 * they ask for (spec sysbench 3.2). What they send is held against the server's log in
 * tests/real/micro_test.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/micro/micro.h"
#include "workload/micro/suite.h"
#include "workload/oltp/oltp.h"

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

/* Of the family's defaults and the workload's own. */
static struct oltp_options *options_of(const struct workload *workload)
{
    struct oltp_options *options = arena_take(arena, workload->options_size);
    struct option_group group = { workload->options, options };
    struct error err;

    option_defaults(&group, 1, arena);
    for (const struct option *row = workload->options; row->name != NULL; row++)
        assert_true(option_set(row, options, workload_default(workload, row), arena, &err));
    return options;
}

static struct oltp_world *open_world(const struct workload *workload, struct oltp_options *options)
{
    struct oltp_world *world = arena_take(arena, workload->world_size);
    struct error err;

    assert_true(workload->open(world, options, &err));
    return world;
}

/* ---- names ---- */

static void names(void **state)
{
    int tests = 0;

    (void)state;
    for (int i = 0; workload_table[i] != NULL; i++) {
        const struct workload *workload = workload_table[i];
        if (workload->suite == NULL) {
            assert_null(strchr(workload->name, '/'));
            continue;
        }
        tests++;
        assert_string_equal(workload->suite, "micro");
        assert_memory_equal(workload->name, "micro/", 6);
        assert_non_null(workload->group);
        assert_ptr_equal(workload_find(workload->name), workload);
        assert_string_equal(workload->family, workload_oltp_read_only.family);
        assert_ptr_equal(workload->describe, workload_oltp_read_only.describe);
    }
    assert_int_equal(tests, 32);
    assert_non_null(workload_find("micro/read-only-range=10"));
    assert_string_equal(workload_nearest("scan"), "micro/scan");
    assert_string_equal(workload_nearest("random_points_range=10"), "micro/random-points_range=10");
    assert_string_equal(workload_nearest("oltp_pont_select"), "oltp_point_select");
}

/* Each test is reported once in the suite, and no other. */
static void suite_runs_each(void **state)
{
    const struct suite_step *step;

    (void)state;
    for (int i = 0; workload_table[i] != NULL; i++) {
        int times = 0;
        for (int at = 0; (step = suite_step(at)) != NULL; at++)
            times +=
                step->kind == SUITE_RUN && strcmp(step->workload, workload_table[i]->name) == 0;
        assert_int_equal(times, workload_table[i]->suite != NULL);
    }
    for (int at = 0; (step = suite_step(at)) != NULL; at++)
        assert_true(step->workload == NULL || workload_find(step->workload) != NULL);
}

static void groups_are_as_large_as_published(void **state)
{
    static const int sizes[] = { 9, 5, 8, 10 };
    const char *group = NULL;
    int at = -1, counts[4] = { 0 };

    (void)state;
    for (int i = 0; workload_table[i] != NULL; i++) {
        const struct workload *workload = workload_table[i];
        if (workload->suite == NULL)
            continue;
        at += group == NULL || strcmp(workload->group, group) != 0;
        assert_true(at < 4);
        counts[at]++;
        group = workload->group;
    }
    assert_memory_equal(counts, sizes, sizeof sizes);
}

/* ---- options ---- */

/* A preset that names no option would be none. */
static void presets_are_options(void **state)
{
    (void)state;
    for (int i = 0; workload_table[i] != NULL; i++)
        for (int at = 0;
             workload_table[i]->presets != NULL && workload_table[i]->presets[at] != NULL; at++) {
            struct option_group group = { workload_table[i]->options, NULL };
            char *name = arena_format(arena, "%s", workload_table[i]->presets[at]);
            char *equals = strchr(name, '=');
            assert_non_null(equals);
            *equals = '\0';
            const struct option *row = option_find(&group, 1, name, NULL);
            assert_non_null(row);
            assert_string_equal(row->name, name);
        }
}

static void published_options(void **state)
{
    static const struct {
        const char *name;
        int64_t random_points, range_size;
        int repetitions[GROUP_COUNT];
    } rows[] = {
        { "point-query", 10, 100, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "hot-points", 100, 100, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "random-points_range=1000", 1000, 100, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "range-covered-si", 100, 100, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "update-inlist", 10, 100, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "read-only_range=10000", 10, 10000, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "read-only-count", 10, 1000, { 10, 1, 1, 1, 1, 1, 1, 1 } },
        { "read-only-simple", 10, 1000, { 10, 1, 0, 0, 0, 1, 1, 1 } },
        { "read-only-sum", 10, 1000, { 10, 0, 1, 0, 0, 1, 1, 1 } },
        { "read-only-order", 10, 1000, { 10, 0, 0, 1, 0, 1, 1, 1 } },
        { "read-only-distinct", 10, 1000, { 10, 0, 0, 0, 1, 1, 1, 1 } },
        { "read-write_range=10", 10, 10, { 10, 1, 1, 1, 1, 1, 1, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = arena_format(arena, "micro/%s", rows[i].name);
        const struct workload *workload = workload_find(name);
        assert_non_null(workload);
        const struct oltp_world *world = open_world(workload, options_of(workload));
        assert_int_equal(world->options.random_points, rows[i].random_points);
        assert_int_equal(world->options.range_size, rows[i].range_size);
        assert_memory_equal(world->repetitions, rows[i].repetitions, sizeof rows[i].repetitions);
    }
}

/* What is left out by options is not of the run. */
static void unused_statements(void **state)
{
    const struct workload *workload = workload_find("micro/read-only-order");
    const struct oltp_world *world = open_world(workload, options_of(workload));

    (void)state;
    for (int i = GROUP_POINT; i <= GROUP_DISTINCT; i++)
        assert_int_equal(workload->uses(world, i), i == GROUP_POINT || i == GROUP_ORDER);
    workload = workload_find("micro/write-only");
    world = open_world(workload, options_of(workload));
    for (int i = 0; i < workload_statement_count(workload); i++)
        assert_true(workload->uses(world, i));
}

/* ---- rows ---- */

/* What is asked for differs, and the data do not. */
static void requests_are_of_the_test(void **state)
{
    const struct workload *one = workload_find("micro/update-one");
    const struct workload *zipf = workload_find("micro/update-zipf");
    struct oltp_options *options = options_of(one);
    struct rng rng;

    (void)state;
    options->table_size = 1000000;
    struct oltp_world *world = open_world(one, options);
    rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < 100; i++)
        assert_int_equal(distribution_draw(&world->ids, &rng), 1);
    assert_int_equal(world->ks.count, 1000000);
    assert_int_equal(world->ks.kind, DISTRIBUTION_UNIFORM);
    world = open_world(zipf, options);
    assert_int_equal(world->ids.kind, DISTRIBUTION_ZIPFIAN);
    assert_int_equal(world->ids.count, 1000000);
    assert_true(world->ids.exponent == 0.8);
    assert_int_equal(world->ks.kind, DISTRIBUTION_UNIFORM);
}

static void a_scan_counts_rows(void **state)
{
    const struct workload *scan = workload_find("micro/scan");
    struct oltp_options *options = options_of(scan);

    (void)state;
    options->table_size = 12345;
    assert_true(scan->headlines[0].counts_for(open_world(scan, options)) == 12345);
}

static void longest_lists(void **state)
{
    const struct workload *update = workload_find("micro/update-inlist");
    struct oltp_options *options = options_of(update);
    void *world = arena_take(arena, update->world_size);
    struct error err;

    (void)state;
    options->random_points = TXN_VALUES_MAX - 1;
    assert_true(update->open(world, options, &err));
    options->random_points = TXN_VALUES_MAX;
    assert_false(update->open(world, options, &err));
    assert_int_equal(err.kind, ERROR_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names),
        TEST(suite_runs_each),
        TEST(groups_are_as_large_as_published),
        TEST(presets_are_options),
        TEST(published_options),
        TEST(unused_statements),
        TEST(requests_are_of_the_test),
        TEST(a_scan_counts_rows),
        TEST(longest_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
