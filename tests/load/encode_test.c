/*
 * encode_test.c - the bytes of COPY (FORMAT binary), as the documentation of PostgreSQL gives them.
 */
#include "load/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void fill(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)rng;
    copy_whole(row, -2);
    copy_whole(row, number);
    copy_whole(row, 1 + ((int64_t)1 << 40));
    copy_text(row, "abc", 3);
    copy_null(row);
    copy_whole(row, -705);
}

static void bytes_are_as_documented(void **state)
{
    static const char *const types[] = {
        "int2", "int4", "int8", "bpchar", "text", "varchar", NULL
    };
    static const unsigned char expected[] = {
        'P',  'G',  'C',  'O',  'P',  'Y',  '\n', 0xff, '\r', '\n', 0, 0,
        0,    0,    0,    0,    0,    0,    0,                            /* head */
        0,    6,                                                          /* fields */
        0,    0,    0,    2,    0xff, 0xfe,                               /* int2 */
        0,    0,    0,    4,    0,    0,    1,    2,                      /* int4 */
        0,    0,    0,    8,    0,    0,    1,    0,    0,    0,    0, 1, /* int8 */
        0,    0,    0,    3,    'a',  'b',  'c',                          /* text */
        0xff, 0xff, 0xff, 0xff,                                           /* NULL */
        0,    0,    0,    4,    '-',  '7',  '0',  '5',                    /* digits */
        0xff, 0xff,                                                       /* end */
    };
    const struct table_spec spec = { .row = fill };
    const uint64_t where[2] = { 1, 0 };
    struct copy_row row;
    struct error err;

    (void)state;
    copy_open(&row);
    assert_true(copy_columns(&row, types, &err));
    copy_begin(&row);
    copy_add(&row, &spec, NULL, where, 258);
    copy_end(&row);
    assert_int_equal(row.length, sizeof expected);
    assert_memory_equal(row.bytes, expected, sizeof expected);
    copy_close(&row);
}

static int64_t numeric_value;

static void fill_numeric(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)number;
    (void)rng;
    copy_whole(row, numeric_value);
}

/* Digits to base 10000 after the row's head: count, weight, sign, scale, digits. */
static void check_numeric(int64_t value, const unsigned char *expected, size_t length)
{
    static const char *const types[] = { "numeric", NULL };
    const struct table_spec spec = { .row = fill_numeric };
    const uint64_t where[2] = { 1, 0 };
    struct copy_row row;
    struct error err;

    numeric_value = value;
    copy_open(&row);
    assert_true(copy_columns(&row, types, &err));
    copy_add(&row, &spec, NULL, where, 1);
    assert_int_equal(row.length, 6 + length);
    assert_memory_equal(row.bytes + 6, expected, length);
    copy_close(&row);
}

static void numerics(void **state)
{
    static const unsigned char zero[] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    static const unsigned char million[] = { 0, 1, 0, 1, 0, 0, 0, 0, 0, 100 };
    static const unsigned char mixed[] = { 0, 2, 0, 1, 0x40, 0, 0, 0, 0, 3, 0, 7 };

    (void)state;
    check_numeric(0, zero, sizeof zero);
    check_numeric(1000000, million, sizeof million);
    check_numeric(-30007, mixed, sizeof mixed);
}

static void fill_random(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    copy_whole(row, rng_between(rng, 1, 1000000));
}

static void rows_hang_on_nothing_else(void **state)
{
    static const char *const types[] = { "int8", "int4", NULL };
    const struct table_spec spec = { .row = fill_random };
    const uint64_t where[2] = { 5, 3 }, other[2] = { 5, 4 };
    struct copy_row one, two;
    struct error err;

    (void)state;
    copy_open(&one);
    copy_open(&two);
    assert_true(copy_columns(&one, types, &err) && copy_columns(&two, types, &err));
    copy_add(&one, &spec, NULL, where, 77);
    copy_add(&two, &spec, NULL, other, 77);
    assert_memory_not_equal(one.bytes, two.bytes, one.length);
    two.length = 0;
    for (int64_t number = 60; number < 77; number++)
        copy_add(&two, &spec, NULL, where, number);
    two.length = 0;
    copy_add(&two, &spec, NULL, where, 77);
    assert_int_equal(one.length, two.length);
    assert_memory_equal(one.bytes, two.bytes, one.length);
    copy_close(&one);
    copy_close(&two);
}

static void fill_long(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)number;
    (void)rng;
    copy_text(row, world, 300000);
}

static void the_buffer_grows(void **state)
{
    static char words[300000];
    static const char *const types[] = { "text", NULL };
    const struct table_spec spec = { .row = fill_long };
    const uint64_t where[2] = { 1, 1 };
    struct copy_row row;
    struct error err;

    (void)state;
    memset(words, 'w', sizeof words);
    copy_open(&row);
    assert_true(copy_columns(&row, types, &err));
    copy_add(&row, &spec, words, where, 1);
    assert_int_equal(row.length, 2 + 4 + sizeof words);
    assert_memory_equal(row.bytes + 6, words, sizeof words);
    copy_close(&row);
}

static void unknown_types_are_told(void **state)
{
    static const char *const types[] = { "int4", "polygon", NULL };
    struct copy_row row;
    struct error err;

    (void)state;
    copy_open(&row);
    assert_false(copy_columns(&row, types, &err));
    assert_int_equal(err.kind, ERROR_BUG);
    assert_non_null(strstr(err.text, "polygon"));
    copy_close(&row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_documented),   cmocka_unit_test(numerics),
        cmocka_unit_test(rows_hang_on_nothing_else), cmocka_unit_test(the_buffer_grows),
        cmocka_unit_test(unknown_types_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
