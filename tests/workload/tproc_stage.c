/*
 * tproc_stage.c - see tproc_stage.h.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tproc_stage.h"

/* ---- the verbs of COPY ---- */

struct field fields[ROWS_MAX][FIELDS_MAX];
int row_count, field_count;

static struct field *next_field(void)
{
    struct field *field = &fields[row_count - 1][field_count++];

    assert_true(field_count <= FIELDS_MAX);
    *field = (struct field){ .number = NONE };
    return field;
}

void copy_whole(struct copy_row *row, int64_t whole)
{
    (void)row;
    next_field()->number = whole;
}

void copy_text(struct copy_row *row, const char *text, int length)
{
    struct field *field = next_field();

    (void)row;
    assert_true(length >= 0 && length < TEXT_MAX);
    memcpy(field->text, text, (size_t)length);
    field->text[length] = '\0';
}

void copy_decimal(struct copy_row *row, int64_t unscaled, int scale)
{
    (void)row;
    assert_true(scale >= 0);
    next_field()->number = unscaled;
}

void copy_moment(struct copy_row *row, int64_t unix_us)
{
    (void)row;
    next_field()->number = unix_us;
}

void copy_null(struct copy_row *row)
{
    (void)row;
    next_field();
}

void copy_next(struct copy_row *row)
{
    (void)row;
    row_count++;
    field_count = 0;
    assert_true(row_count <= ROWS_MAX);
}

/* ---- the verbs of transactions ---- */

char said[4096];
int said_count, last_statement;
int64_t tallies[TPROC_TALLIES];
struct arena *arena;

struct reply txn_send_list(struct txn *txn, const struct value *list, int count)
{
    (void)txn;
    last_statement = (int)list[0].whole;
    said_count = count - 1;
    said[0] = '\0';
    return (struct reply){ 0 };
}

struct reply txn_send_text(struct txn *txn, int statement, const char *sql, int length)
{
    (void)txn;
    assert_int_equal(strlen(sql), length);
    last_statement = statement;
    said_count = -1;
    snprintf(said, sizeof said, "%s", sql);
    return (struct reply){ 0 };
}

const struct rows *txn_rows(struct txn *txn, struct reply reply)
{
    (void)txn;
    (void)reply;
    return NULL;
}

int64_t rows_count(const struct rows *rows)
{
    (void)rows;
    return 0;
}

bool rows_null(const struct rows *rows, int64_t row, int column)
{
    (void)rows;
    (void)row;
    (void)column;
    return false;
}

void *txn_room(struct txn *txn, size_t size)
{
    (void)txn;
    return arena_take(arena, size);
}

bool txn_wants_block(const struct txn *txn)
{
    (void)txn;
    return false;
}

void txn_begin(struct txn *txn)
{
    (void)txn;
    fail();
}

void txn_commit(struct txn *txn)
{
    (void)txn;
    fail();
}

void txn_tally(struct txn *txn, int tally, int64_t count)
{
    (void)txn;
    tallies[tally] += count;
}

/* ---- helpers ---- */

int setup(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    return 0;
}

int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

struct tproc_world *world_of(int compat, int64_t warehouses)
{
    struct tproc_world *world = ARENA_NEW(arena, struct tproc_world);
    struct tproc_options *options = ARENA_NEW(arena, struct tproc_options);
    struct option_group group = { tproc_option_rows, options };
    struct error err = { 0 };

    option_defaults(&group, 1, arena);
    options->compat = compat;
    options->warehouses = warehouses;
    assert_true(tproc_open(world, options, &err));
    tproc_set_data_seed(world, 1);
    return world;
}

void make(const struct tproc_world *world, enum tproc_table table, int64_t number)
{
    struct rng rng;

    rng_init(&rng, 1, (uint64_t)table, (uint64_t)number);
    row_count = 1;
    field_count = 0;
    tproc_rows[table].row(NULL, world, number, &rng);
}

void assert_near(double found, double wanted, double tolerance)
{
    if (fabs(found - wanted) > tolerance)
        fail_msg("found %g, wanted %g within %g", found, wanted, tolerance);
}
