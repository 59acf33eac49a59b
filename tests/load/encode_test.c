/*
 * encode_test.c - the bytes of COPY (FORMAT binary), as the documentation of PostgreSQL gives them.
 */
#include "load/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
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

static struct {
    int64_t unscaled;
    int scale;
} decimal;

static void fill_decimal(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)number;
    (void)rng;
    copy_decimal(row, decimal.unscaled, decimal.scale);
}

/* Holds the one field of a row against hexadecimal digits as encode(numeric_send(...)) gives. */
static void check_field(const char *type,
                        void (*fill_field)(struct copy_row *, const void *, int64_t, struct rng *),
                        const char *hex)
{
    const char *const types[] = { type, NULL };
    const struct table_spec spec = { .row = fill_field };
    const uint64_t where[2] = { 1, 0 };
    struct copy_row row;
    struct error err;

    copy_open(&row);
    assert_true(copy_columns(&row, types, &err));
    copy_add(&row, &spec, NULL, where, 1);
    assert_int_equal((row.length - 6) * 2, strlen(hex));
    for (size_t i = 6; i < row.length; i++) {
        char pair[3];
        snprintf(pair, sizeof pair, "%02x", row.bytes[i]);
        assert_memory_equal(pair, hex + (i - 6) * 2, 2);
    }
    copy_close(&row);
}

static void decimals_as_the_server_sends_them(void **state)
{
    static const struct {
        int64_t unscaled;
        int scale;
        const char *hex;
    } cases[] = {
        { 0, 0, "0000000000000000" },
        { 0, 2, "0000000000000002" },
        { 1234, 2, "0002000000000002000c0d48" },
        { -30000000, 2, "0001000140000002001e" },
        { 7, 4, "0001ffff000000040007" },
        { 1999, 4, "0001ffff0000000407cf" },
        { 500000, 2, "00010000000000021388" },
        { 999999999999, 4, "0003000100000004270f270f270f" },
        { -1, 8, "0001fffe400000080001" },
        { 123456789987654321, 9, "0006000200000009000109291a852694153803e8" },
        { 100000000, 4, "00010001000000040001" },
        { INT64_MAX, 0, "0005000400000000039a0d2c0170156516af" },
        { INT64_MAX, 2, "0006000400000002000908b91c231ac61e4e02bc" },
        { 100000000, 0, "00010002000000000001" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        decimal.unscaled = cases[i].unscaled;
        decimal.scale = cases[i].scale;
        check_field("numeric", fill_decimal, cases[i].hex);
    }
    decimal.unscaled = -125;
    decimal.scale = 2;
    check_field("float8", fill_decimal, "bff4000000000000");
}

static void fill_moment(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)number;
    (void)rng;
    copy_moment(row, decimal.unscaled);
}

static void moments_as_the_server_sends_them(void **state)
{
    (void)state;
    decimal.unscaled = 1709210096789012; /* 2024-02-29 12:34:56.789012 UTC */
    check_field("timestamptz", fill_moment, "0002b58341728614");
    check_field("timestamp", fill_moment, "0002b58341728614");
    decimal.unscaled = 0;
    check_field("timestamptz", fill_moment, "fffca2fec4c82000");
}

static void fill_lines(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)rng;
    for (int64_t line = 1; line <= number; line++) {
        if (line > 1)
            copy_next(row);
        copy_whole(row, number);
        copy_whole(row, line);
    }
}

static void a_number_may_say_several_rows(void **state)
{
    static const char *const types[] = { "int2", "int2", NULL };
    static const unsigned char expected[] = {
        0, 2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 2, 0, 1, /* the first line of number 2 */
        0, 2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 2, 0, 2,
    };
    const struct table_spec spec = { .row = fill_lines };
    const uint64_t where[2] = { 1, 0 };
    struct copy_row row;
    struct error err;

    (void)state;
    copy_open(&row);
    assert_true(copy_columns(&row, types, &err));
    copy_add(&row, &spec, NULL, where, 2);
    assert_int_equal(row.length, sizeof expected);
    assert_memory_equal(row.bytes, expected, sizeof expected);
    copy_add(&row, &spec, NULL, where, 5);
    assert_int_equal(row.rows, 7);
    copy_close(&row);
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
        cmocka_unit_test(bytes_are_as_documented),
        cmocka_unit_test(numerics),
        cmocka_unit_test(rows_hang_on_nothing_else),
        cmocka_unit_test(the_buffer_grows),
        cmocka_unit_test(unknown_types_are_told),
        cmocka_unit_test(decimals_as_the_server_sends_them),
        cmocka_unit_test(moments_as_the_server_sends_them),
        cmocka_unit_test(a_number_may_say_several_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
