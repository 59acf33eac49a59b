/*
 * Inputs are pure, and transactions say what sysbench's say (spec sysbench 2). The verbs of txn.h
 * are ours here: they write down what was said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "workload/oltp/oltp.h"

#define SAID_MAX   2048
#define VALUES_MAX 1000

struct said {
    int statement, instance, count;
    struct value values[4];
};

static struct said said[SAID_MAX];
static int said_count, current_instance, begins, commits;
static int64_t long_values[VALUES_MAX]; /* of the last statement with many */
static struct arena *room;
static char *text_said;

/* ---- the verbs ---- */

void txn_instance(struct txn *txn, int instance)
{
    (void)txn;
    current_instance = instance;
}

void txn_begin(struct txn *txn)
{
    (void)txn;
    assert_int_equal(said_count, 0);
    begins++;
}

void txn_commit(struct txn *txn)
{
    (void)txn;
    commits++;
}

struct reply txn_send_list(struct txn *txn, const struct value *list, int count)
{
    struct said *now = &said[said_count++];

    (void)txn;
    assert_true(said_count < SAID_MAX && count - 1 <= TXN_VALUES_MAX && commits == 0);
    *now = (struct said){ (int)list[0].whole, current_instance, count - 1, { { 0 } } };
    for (int i = 1; i < count; i++) {
        if (i <= 4)
            now->values[i - 1] = list[i];
        long_values[i - 1] = list[i].whole;
    }
    return (struct reply){ (uint32_t)said_count - 1 };
}

struct reply txn_send_text(struct txn *txn, int statement, const char *sql, int length)
{
    (void)txn;
    (void)statement;
    assert_int_equal(strlen(sql), length);
    memory_free(text_said);
    text_said = memory_text(sql);
    return (struct reply){ 0 };
}

const struct rows *txn_rows(struct txn *txn, struct reply reply)
{
    (void)txn;
    assert_int_equal(reply.number, said_count - 1);
    return NULL;
}

void *txn_room(struct txn *txn, size_t size)
{
    (void)txn;
    return arena_take(room, size);
}

/* Verbs that this family never says. */
void txn_rollback(struct txn *txn)
{
    (void)txn;
    fail();
}

void txn_tally(struct txn *txn, int tally, int64_t count)
{
    (void)txn;
    fail_msg("tally %d by %lld", tally, (long long)count);
}

void txn_note(struct txn *txn, double value)
{
    (void)txn;
    fail_msg("note %g", value);
}

bool txn_wants_block(const struct txn *txn)
{
    (void)txn;
    fail();
    return false;
}

/* ---- helpers ---- */

static struct arena *arena;

/* Default options; the caller changes what it wants and opens. */
static void *options_of(const struct workload *workload)
{
    void *options = arena_take(arena, workload->options_size);
    struct option_group group = { workload->options, options };

    option_defaults(&group, 1, arena);
    return options;
}

static void *open_world(const struct workload *workload, const void *options)
{
    void *world = arena_take(arena, workload->world_size);
    struct error err = { 0 };

    assert_true(workload->open(world, options, &err));
    return world;
}

static const unsigned char *draw(const struct workload *workload, const void *world, int64_t stream,
                                 int64_t streams, int64_t sequence)
{
    unsigned char *input = arena_take(arena, TXN_INPUT_MAX);
    struct draw draw = { .number = sequence * streams + stream,
                         .stream = stream,
                         .streams = streams };

    assert_true(workload->transactions[0].input_size <= TXN_INPUT_MAX);
    rng_init(&draw.rng, 7, (uint64_t)stream, (uint64_t)sequence);
    workload->transactions[0].draw(input, world, &draw);
    return input;
}

static void run(const struct workload *workload, const void *world, const void *input)
{
    said_count = begins = commits = 0;
    arena_reset(room);
    workload->transactions[0].run(NULL, input, world);
}

static void assert_digits(struct value text, int groups)
{
    assert_int_equal(text.kind, VALUE_TEXT);
    assert_int_equal(text.length, 12 * groups - 1);
    for (int i = 0; i < text.length; i++)
        assert_true(i % 12 == 11 ? text.text[i] == '-'
                                 : text.text[i] >= '0' && text.text[i] <= '9');
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    room = arena_new(64 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    arena_free(room);
    memory_free(text_said);
    text_said = NULL;
    return 0;
}

/* ---- inputs ---- */

static void inputs_are_pure(void **state)
{
    (void)state;
    for (int i = 0; workload_table[i] != NULL; i++) {
        const struct workload *workload = workload_table[i];
        /* Tests of a suite may ask for the same each time; it has no transactions itself. */
        if (strcmp(workload->family, "oltp") != 0 || workload->suite != NULL ||
            workload->transactions[0].name == NULL)
            continue;
        struct oltp_options *options = options_of(workload);
        options->tables = 5;
        void *world = open_world(workload, options);
        const unsigned char *first = draw(workload, world, 1, 3, 9);
        assert_memory_equal(first, draw(workload, world, 1, 3, 9), TXN_INPUT_MAX);
        assert_true(memcmp(first, draw(workload, world, 1, 3, 10), TXN_INPUT_MAX) != 0);
        assert_true(memcmp(first, draw(workload, world, 2, 3, 9), TXN_INPUT_MAX) != 0);
    }
}

/* A retry says the same again, strings included. */
static void runs_are_pure(void **state)
{
    const struct workload *workload = &workload_oltp_read_write;
    void *world = open_world(workload, options_of(workload));
    const void *input = draw(workload, world, 0, 1, 0);
    char c[OLTP_C_LENGTH];

    (void)state;
    run(workload, world, input);
    memcpy(c, said[15].values[0].text, OLTP_C_LENGTH);
    run(workload, world, input);
    assert_memory_equal(c, said[15].values[0].text, OLTP_C_LENGTH);
    assert_true(memcmp(c, said[17].values[2].text, OLTP_C_LENGTH) != 0);
}

/* ---- groups ---- */

static void read_write_says(void **state)
{
    const struct workload *workload = &workload_oltp_read_write;
    struct oltp_options *options = options_of(workload);
    int statements[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    int64_t ids = 0, tables_differ = 0;

    (void)state;
    options->tables = 50;
    options->table_size = 1000;
    void *world = open_world(workload, options);
    for (int turn = 0; turn < 200; turn++) {
        run(workload, world, draw(workload, world, 0, 1, turn));
        assert_int_equal(said_count, 18);
        assert_int_equal(begins, 1);
        assert_int_equal(commits, 1);
        for (int i = 0; i < 18; i++) {
            int64_t id = said[i].values[i == 15 ? 1 : 0].whole;
            assert_int_equal(said[i].statement, statements[i]);
            assert_in_range(said[i].instance, 1, 50);
            assert_in_range(id, 1, 1000);
            ids += id != said[0].values[0].whole;
            if (i >= 10 && i <= 13)
                assert_int_equal(said[i].values[1].whole, id + 99);
            if (i > 0 && i < 10)
                assert_int_equal(said[i].instance, said[0].instance);
            else if (i < 17)
                tables_differ += said[i].instance != said[0].instance;
        }
        assert_digits(said[15].values[0], OLTP_C_GROUPS);
        assert_int_equal(said[16].values[0].whole, said[17].values[0].whole);
        assert_int_equal(said[16].instance, said[17].instance);
        assert_in_range(said[17].values[1].whole, 1, 1000);
        assert_digits(said[17].values[2], OLTP_C_GROUPS);
        assert_digits(said[17].values[3], OLTP_PAD_GROUPS);
    }
    assert_true(ids > 200 * 16);
    assert_true(tables_differ > 200 * 6); /* of 7 other groups, 98 % have another table */
}

static void options_change_groups(void **state)
{
    struct oltp_options *options = options_of(&workload_oltp_read_only);

    (void)state;
    options->range_selects = false;
    options->skip_trx = true;
    options->repetitions[GROUP_POINT] = 3;
    void *world = open_world(&workload_oltp_read_only, options);
    run(&workload_oltp_read_only, world, draw(&workload_oltp_read_only, world, 0, 1, 0));
    assert_int_equal(said_count, 3);
    assert_int_equal(begins + commits, 0);
    /* The others say their own statements, the first of their tables. */
    world = open_world(&workload_oltp_write_only, options);
    run(&workload_oltp_write_only, world, draw(&workload_oltp_write_only, world, 0, 1, 0));
    assert_int_equal(said_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(said[i].statement, i);
    options->repetitions[GROUP_NON_INDEX_UPDATE] = 700;
    world = open_world(&workload_oltp_update_non_index, options);
    run(&workload_oltp_update_non_index, world,
        draw(&workload_oltp_update_non_index, world, 0, 1, 0));
    assert_int_equal(said_count, 700);
    assert_int_equal(said[699].statement, 0);
    assert_digits(said[699].values[0], OLTP_C_GROUPS);
}

static void too_many_or_none(void **state)
{
    struct oltp_options *options = options_of(&workload_oltp_read_only);
    struct oltp_world *world = arena_take(arena, sizeof *world);
    struct error err = { 0 };

    (void)state;
    options->repetitions[GROUP_POINT] = 1000;
    assert_false(workload_oltp_read_only.open(world, options, &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    options->repetitions[GROUP_POINT] = 996;
    assert_true(workload_oltp_read_only.open(world, options, &err));
    options->repetitions[GROUP_INDEX_UPDATE] = 0;
    assert_false(workload_oltp_update_index.open(world, options, &err));
}

/* ---- select_random_* ---- */

static void parts_of_streams(void **state)
{
    const struct workload *workload = &workload_select_random_points;
    struct oltp_options *options = options_of(workload);

    (void)state;
    options->table_size = 1000;
    options->random_points = 1000;
    options->tables = 4;
    for (int kind = DISTRIBUTION_UNIFORM; kind <= DISTRIBUTION_ZIPFIAN; kind++) {
        options->rand.kind = kind;
        void *world = open_world(workload, options);
        for (int stream = 0; stream < 3; stream++) {
            int64_t low = INT64_MAX, high = 0;
            int bounds[3][2] = { { 0, 333 }, { 333, 666 }, { 666, 1000 } };
            run(workload, world, draw(workload, world, stream, 3, 5));
            assert_int_equal(said_count, 1);
            assert_int_equal(said[0].count, 1000);
            for (int i = 0; i < 1000; i++) {
                low = long_values[i] < low ? long_values[i] : low;
                high = long_values[i] > high ? long_values[i] : high;
            }
            assert_true(low >= bounds[stream][0] && high <= bounds[stream][1]);
            if (kind == DISTRIBUTION_UNIFORM)
                assert_true(low < bounds[stream][0] + 10 && high > bounds[stream][1] - 10);
        }
    }
}

static void ranges_say(void **state)
{
    const struct workload *workload = &workload_select_random_ranges;
    struct oltp_options *options = options_of(workload);
    struct text sql;

    (void)state;
    options->number_of_ranges = 2;
    options->delta = 7;
    void *world = open_world(workload, options);
    run(workload, world, draw(workload, world, 0, 1, 5));
    assert_int_equal(said[0].count, 4);
    assert_int_equal(said[0].values[1].whole, said[0].values[0].whole + 7);
    assert_int_equal(said[0].values[3].whole, said[0].values[2].whole + 7);
    text_init(&sql, WORKLOAD_SQL_MAX);
    workload_sql(workload, world, 0, 1, &sql);
    assert_string_equal(sql.bytes, "SELECT count(k) FROM sbtest1 WHERE k BETWEEN $1 AND $2 OR k "
                                   "BETWEEN $3 AND $4");
    text_close(&sql);
}

/* ---- new ids ---- */

static void scatter_is_a_permutation(void **state)
{
    unsigned char *seen = memory_make((size_t)SCATTER_BLOCK, 1);
    int64_t next_to = 0;

    (void)state;
    for (int64_t i = 0; i < SCATTER_BLOCK; i++) {
        int64_t at = oltp_scatter(i);
        if (at < 0 || at >= SCATTER_BLOCK || seen[at]++ != 0)
            fail_msg("%lld goes to %lld", (long long)i, (long long)at);
        next_to += llabs(oltp_scatter(i + 1) - at) < SCATTER_BLOCK / 1000;
    }
    assert_true(next_to < SCATTER_BLOCK / 100);
    assert_int_equal(oltp_scatter(SCATTER_BLOCK + 5), SCATTER_BLOCK + oltp_scatter(5));
    memory_free(seen);
}

static void inserts_continue(void **state)
{
    const struct workload *workload = &workload_oltp_insert;
    struct oltp_options *options = options_of(workload);
    struct text sql;
    int questions = 0;

    (void)state;
    text_init(&sql, WORKLOAD_SQL_MAX);
    void *world = open_world(workload, options);
    assert_false(workload->ask(&sql, world, 0));
    run(workload, world, draw(workload, world, 0, 1, 0));
    assert_int_equal(said[0].count, 3);
    options->auto_inc = false;
    options->tables = 2;
    world = open_world(workload, options);
    for (; workload->ask(&sql, world, questions); questions++)
        workload->answer(world, questions, 5000 - questions);
    assert_int_equal(questions, 2);
    run(workload, world, draw(workload, world, 1, 4, 2));
    assert_int_equal(said[0].count, 4);
    assert_int_equal(said[0].values[0].whole, 5001 + oltp_scatter(9));
    text_close(&sql);
}

/* Five streams on two tables: in each table every id once, without a gap. */
static void bulk_ids_are_dense(void **state)
{
    const struct workload *workload = &workload_bulk_insert;
    unsigned char *seen = memory_make(2 * 4000, 1);
    void *options = options_of(workload), *world;
    struct option_group group = { workload->options, options };
    struct error err = { 0 };
    int counts[2] = { 0, 0 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *names[] = { "tables", "rows" }, *values[] = { "2", "3" };
        assert_true(
            option_set(option_find(&group, 1, names[i], NULL), options, values[i], arena, &err));
    }
    world = open_world(workload, options);
    workload->answer(world, 0, 100);
    for (int stream = 0; stream < 5; stream++)
        for (int turn = 0; turn < 20; turn++) {
            run(workload, world, draw(workload, world, stream, 5, turn));
            int table, first, used = 0;
            assert_int_equal(
                sscanf(text_said, "INSERT INTO sbtest%d VALUES (%d,%n", &table, &first, &used), 2);
            assert_int_equal(table, stream % 2 + 1);
            first -= table == 1 ? 100 : 0;
            for (int i = 0; i < 3; i++)
                assert_int_equal(seen[4000 * (table - 1) + first + i]++, 0);
            counts[table - 1] += 3;
        }
    assert_int_equal(counts[0], 180);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(seen[4000 * i], 0);
        for (int id = 1; id <= counts[i]; id++)
            assert_int_equal(seen[4000 * i + id], 1);
    }
    memory_free(seen);
}

static void bulk_says(void **state)
{
    const struct workload *workload = &workload_bulk_insert;
    void *world = open_world(workload, options_of(workload));
    const char *at;
    int rows = 0;

    (void)state;
    run(workload, world, draw(workload, world, 0, 1, 0));
    assert_memory_equal(text_said, "INSERT INTO sbtest1 VALUES (1,1),(2,2),(3,3)", 44);
    for (at = text_said; (at = strchr(at, '(')) != NULL; at++)
        rows++;
    assert_int_equal(rows, 30000);
    assert_string_equal(text_said + strlen(text_said) - 13, "(30000,30000)");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(inputs_are_pure),  TEST(runs_are_pure),
        TEST(read_write_says),  TEST(options_change_groups),
        TEST(too_many_or_none), TEST(parts_of_streams),
        TEST(ranges_say),       TEST(scatter_is_a_permutation),
        TEST(inserts_continue), TEST(bulk_ids_are_dense),
        TEST(bulk_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
