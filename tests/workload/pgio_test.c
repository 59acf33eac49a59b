/*
 * Tests for workload/pgio: sizes, rows, and which operations come with which keys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "workload/pgio/pgio.h"

static struct pgio_options defaults(void)
{
    struct pgio_options options = { 0 };
    struct option_group group = { .rows = pgio_option_rows, .base = &options };
    struct arena *arena = arena_new(1 << 16);
    static char scale[16], scan[16];

    option_defaults(&group, 1, arena);
    strncpy(scale, options.scale, sizeof scale - 1);
    strncpy(scan, options.scan_table_size, sizeof scan - 1);
    options.scale = scale;
    options.scan_table_size = scan;
    options.conf = NULL;
    arena_free(arena);
    return options;
}

/* As after the data were asked. */
static void open_world(struct pgio_world *world, const struct pgio_options *options, int64_t rows)
{
    struct error err = { 0 };

    memset(world, 0, sizeof *world);
    assert_true(pgio_open(world, options, &err));
    for (int i = 0; i < options->num_schemas; i++)
        pgio_answer(world, i, rows);
    assert_true(pgio_accept(world, &err));
}

static void sizes_are_blocks_or_bytes(void **state)
{
    int64_t blocks;
    struct error err = { 0 };
    static const struct {
        const char *words;
        int64_t blocks;
    } good[] = {
        { "1024", 1024 }, { "8M", 1024 }, { "1G", 131072 }, { "2T", 268435456 }, { "1g", 131072 }
    };
    static const char *const bad[] = { "", "G", "1GB", "-1", "1.5G", "9999999T", "1K" };

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++) {
        assert_true(pgio_blocks("--scale", good[i].words, &blocks, &err));
        assert_int_equal(blocks, good[i].blocks);
    }
    for (int i = 0; i < COUNT_OF(bad); i++)
        assert_false(pgio_blocks("--scale", bad[i], &blocks, &err));
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    struct error err = { 0 };

    (void)state;
    options.scale = "4M";
    assert_false(pgio_open(&world, &options, &err));
    options.scale = "8M";
    options.work_unit = 1023;
    assert_false(pgio_open(&world, &options, &err));
    options.work_unit = 255;
    options.update_pct = 60;
    options.scan_pct = 41;
    assert_false(pgio_open(&world, &options, &err));
}

/* The data hold less than is asked. */
static void a_run_keeps_to_what_there_is(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world = { 0 };
    struct error err = { 0 };

    (void)state;
    options.num_schemas = 1;
    assert_true(pgio_open(&world, &options, &err));
    pgio_answer(&world, 0, 2048);
    assert_true(pgio_accept(&world, &err));
    assert_int_equal(world.blocks, 2048);
    world.scale_given = true;
    world.blocks = 4096;
    pgio_answer(&world, 0, 2048);
    assert_false(pgio_accept(&world, &err));
    assert_non_null(strstr(err.text, "only 2048"));
    pgio_answer(&world, 0, 0);
    assert_false(pgio_accept(&world, &err));
}

/* Of each hundred operations in a row exactly so many, and never far from their turn. */
static void updates_are_spread_evenly(void **state)
{
    (void)state;
    for (int percent = 0; percent <= 100; percent++) {
        int count = 0;
        for (uint64_t number = 0; number < 1000; number++) {
            count += pgio_even(number, percent, 100);
            assert_int_equal(count, (int)((number + 1) * (uint64_t)percent / 100));
        }
    }
}

static void shares_of_a_mix_are_exact(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    int counts[PGIO_KINDS] = { 0 };

    (void)state;
    options.update_pct = 30;
    options.scan_pct = 7;
    options.num_schemas = 1;
    open_world(&world, &options, 131072);
    for (uint64_t sequence = 0; sequence < 10000; sequence++) {
        struct draw draw = { .sequence = sequence, .key = 12345 };
        counts[pgio_pick(&world, &draw)]++;
    }
    assert_int_equal(counts[PGIO_UPDATE], 3000);
    assert_in_range(counts[PGIO_SCAN], 699, 701);
}

struct range {
    int table;
    int64_t first, last;
};

static struct range drawn(const struct pgio_world *world, int kind, uint64_t sequence,
                          int64_t stream, int64_t streams)
{
    union {
        struct range range;
        char bytes[TXN_INPUT_MAX];
    } input;
    struct draw draw = { .sequence = sequence, .stream = stream, .streams = streams };

    memset(&input, 0, sizeof input);
    rng_init(&draw.rng, 7, (uint64_t)stream, sequence);
    pgio_transactions[kind].draw(&input, world, &draw);
    return input.range;
}

static void keys_are_all_there_and_all_are_drawn(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    int64_t low[2] = { INT64_MAX, INT64_MAX }, high[2] = { 0, 0 };
    static const int64_t units[] = { 255, 8 };

    (void)state;
    open_world(&world, &options, 1024);
    for (uint64_t sequence = 0; sequence < 20000; sequence++)
        for (int kind = PGIO_SELECT; kind <= PGIO_UPDATE; kind++) {
            struct range range = drawn(&world, kind, sequence, (int64_t)(sequence % 8), 8);
            assert_int_equal(range.table, sequence % 8 % 4 + 1);
            assert_int_equal(range.last - range.first, units[kind]);
            low[kind] = range.first < low[kind] ? range.first : low[kind];
            high[kind] = range.last > high[kind] ? range.last : high[kind];
        }
    for (int kind = PGIO_SELECT; kind <= PGIO_UPDATE; kind++) {
        assert_int_equal(low[kind], 1);
        assert_int_equal(high[kind], 1024);
    }
}

static void fewer_sessions_than_tables_go_to_all(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    int seen[5] = { 0 };

    (void)state;
    open_world(&world, &options, 1024);
    for (uint64_t sequence = 0; sequence < 1000; sequence++)
        seen[drawn(&world, PGIO_SELECT, sequence, 0, 1).table]++;
    for (int table = 1; table <= 4; table++)
        assert_in_range(seen[table], 200, 300);
}

static void one_in_three_goes_to_the_hot_spot(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;

    (void)state;
    options.do_hotspot = true;
    options.hot_schema_frequency = 2;
    open_world(&world, &options, 131072);
    for (uint64_t sequence = 0; sequence < 3000; sequence++) {
        struct range range = drawn(&world, PGIO_SELECT, sequence, 3, 4);
        assert_int_equal(range.table, sequence % 2 == 1 ? 1 : 4);
        if (sequence % 3 == 2) {
            assert_in_range(range.first, 16 * 128 + 1, 24 * 128);
            assert_in_range(range.last, 16 * 128 + 1, 24 * 128);
        }
    }
}

/* ---- rows ---- */

struct copy_row {
    int64_t wholes[2];
    int whole_count;
    char filler[PGIO_FILLER];
};

void __wrap_copy_whole(struct copy_row *row, int64_t whole);
void __wrap_copy_whole(struct copy_row *row, int64_t whole)
{
    row->wholes[row->whole_count++] = whole;
}

void __wrap_copy_text(struct copy_row *row, const char *text, int length);
void __wrap_copy_text(struct copy_row *row, const char *text, int length)
{
    assert_int_equal(length, PGIO_FILLER);
    memcpy(row->filler, text, PGIO_FILLER);
}

static struct copy_row row_of(const struct pgio_world *world, int table, int64_t number)
{
    struct arena *arena = arena_new(1 << 16);
    struct table_spec spec;
    struct copy_row row = { .whole_count = 0 };
    struct rng rng;

    rng_init(&rng, 1, (uint64_t)table, (uint64_t)number);
    pgio_describe(&spec, world, table, arena);
    spec.row(&row, world, number, &rng);
    arena_free(arena);
    return row;
}

/* Each key once, in another order than the rows; scratch rises; all tables are alike. */
static void rows_are_in_order_of_scratch(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    char *seen = memory_make(1025, 1);
    int64_t last = -1, in_place = 0;

    (void)state;
    open_world(&world, &options, 1024);
    pgio_set_data_seed(&world, 5);
    for (int64_t number = 1; number <= 1024; number++) {
        struct copy_row row = row_of(&world, 0, number), other = row_of(&world, 2, number);
        assert_memory_equal(row.wholes, other.wholes, sizeof row.wholes);
        assert_in_range(row.wholes[0], 1, 1024);
        assert_false(seen[row.wholes[0]]);
        seen[row.wholes[0]] = 1;
        in_place += row.wholes[0] == number;
        assert_true(row.wholes[1] > last && row.wholes[1] <= PGIO_SCRATCH_MAX);
        last = row.wholes[1];
        for (int i = 0; i < PGIO_FILLER; i++)
            assert_int_equal(row.filler[i], 'X');
    }
    assert_true(in_place < 20);
    memory_free(seen);
}

static void filler_may_be_random(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    int counts[128] = { 0 };

    (void)state;
    options.obfuscate = true;
    open_world(&world, &options, 1024);
    for (int64_t number = 1; number <= 200; number++) {
        struct copy_row row = row_of(&world, 0, number);
        for (int i = 0; i < PGIO_FILLER; i++) {
            assert_in_range(row.filler[i], '!', '~');
            counts[(int)row.filler[i]]++;
        }
    }
    for (int c = '!'; c <= '~'; c++) /* 2179 on average, in steps of 2 or 3 of 256 */
        assert_in_range(counts[c], 1200, 3000);
}

static void tables_are_the_published_ones(void **state)
{
    struct pgio_options options = defaults();
    struct pgio_world world;
    struct arena *arena = arena_new(1 << 16);
    struct table_spec table;
    struct error err = { 0 };

    (void)state;
    options.scan_pct = 5;
    options.create_base_table = true;
    assert_true(pgio_open(&world, &options, &err));
    assert_int_equal(pgio_table_count(&world), 6);
    pgio_describe(&table, &world, 3, arena);
    assert_string_equal(table.name, "pgio4");
    assert_string_equal(table.create,
                        "(mykey bigint, scratch bigint, filler character(1024)) WITH (fillfactor = "
                        "10); CREATE INDEX pgio4_idx ON pgio4 (mykey)");
    assert_int_equal(table.row_count, 131072);
    pgio_describe(&table, &world, 4, arena);
    assert_string_equal(table.name, "pgio_scan");
    assert_int_equal(table.row_count, 128);
    pgio_describe(&table, &world, 5, arena);
    assert_string_equal(table.name, "pgio_base");
    assert_string_equal(table.create, "(mykey bigint, scratch bigint, filler character(1024))");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_blocks_or_bytes),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_run_keeps_to_what_there_is),
        cmocka_unit_test(updates_are_spread_evenly),
        cmocka_unit_test(shares_of_a_mix_are_exact),
        cmocka_unit_test(keys_are_all_there_and_all_are_drawn),
        cmocka_unit_test(fewer_sessions_than_tables_go_to_all),
        cmocka_unit_test(one_in_three_goes_to_the_hot_spot),
        cmocka_unit_test(rows_are_in_order_of_scratch),
        cmocka_unit_test(filler_may_be_random),
        cmocka_unit_test(tables_are_the_published_ones),
    };

    return cmocka_run_group_tests_name("pgio", tests, NULL, NULL);
}
