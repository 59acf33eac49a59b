/*
 * literal_test.c - what stands for $n in a statement of the simple protocol, and what is no $n.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire_private.h"

static void says(const char *sql, const struct value *values, int count, const char *wanted)
{
    struct text out;

    text_init(&out, 100000);
    wire_interpolate(&out, sql, values, count);
    assert_string_equal(out.bytes, wanted);
    text_close(&out);
}

static void says_one(const char *sql, struct value value, const char *wanted)
{
    says(sql, &value, 1, wanted);
}

static void kinds_of_values(void **state)
{
    int64_t wholes[] = { 1, -2, INT64_MIN };

    (void)state;
    says_one("a=$1", value_whole(5), "a=5");
    says_one("a-$1", value_whole(-5), "a-(-5)");
    says_one("$1", value_whole(INT64_MIN), "('-9223372036854775808'::int8)");
    says_one("$1", value_whole(INT64_MAX), "9223372036854775807");
    says_one("$1", value_real(0.1), "'0.1'");
    says_one("$1", value_real(3), "'3'");
    says_one("$1", value_real((double)INFINITY), "'Infinity'");
    says_one("$1", value_null(), "NULL");
    says_one("$1", value_wholes(wholes, 3), "'{1,-2,-9223372036854775808}'");
    says_one("$1", value_wholes(wholes, 0), "'{}'");
}

static void texts(void **state)
{
    (void)state;
    says_one("$1", value_text("it's"), "'it''s'");
    says_one("$1", value_text(""), "''");
    says_one("$1", value_text("a\\'b"), "E'a\\\\''b'");
    says_one("$1", value_text("$1"), "'$1'");
    says_one("$1", value_bytes("a\0b", 3), "E'a\\000b'");
    says_one("$1", value_text("'; DROP TABLE x; --"), "'''; DROP TABLE x; --'");
}

static void numbers_of_parameters(void **state)
{
    struct value values[12];

    (void)state;
    for (int i = 0; i < 12; i++)
        values[i] = value_whole(i + 1);
    says("$12, $1, $2,$11", values, 12, "12, 1, 2,11");
    says("$2 $0 $3 $99999999999999999999999 $01", values, 2, "2 $0 $3 $99999999999999999999999 1");
    says("$1", NULL, 0, "$1");
    says("", values, 12, "");
    says("$", values, 12, "$");
    says("$1+$1", values, 1, "1+1");
}

static void no_parameters(void **state)
{
    static const char *const same[] = {
        "'$1'",
        "'a''$1'",
        "'\\' || '$1'",
        "E'\\'$1'",
        "e'a''b\\'c $1'",
        "\"$1\"",
        "\"a\"\"$1\"",
        "$$ $1 $$",
        "$a$ $1 $$ $1 $b$ $1 $a$",
        "$_1\xc3\xa4$ $1 $_1\xc3\xa4$",
        "-- $1",
        "-- it's $1\n",
        "/* $1 */",
        "/* /* */ $1 */",
        "/* ' */ '$1'",
        "foo$1",
        "foo$1$2",
        "\xc3\xa4$1",
        "'$1",
        "E'$1\\",
        "\"$1",
        "$a$ $1",
        "/* $1",
        "/* $1 *",
        "--",
        "/*",
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(same); i++)
        says_one(same[i], value_whole(7), same[i]);
}

static void parameters_after_them(void **state)
{
    static const char *const pairs[][2] = {
        { "'a'=$1", "'a'=7" },
        { "E'\\\\'=$1", "E'\\\\'=7" },
        { "'\\'=$1", "'\\'=7" },
        { "namee'\\'=$1", "namee'\\'=7" },
        { "$$'$$=$1", "$$'$$=7" },
        { "-- '\n$1", "-- '\n7" },
        { "/*/**/'*/$1", "/*/**/'*/7" },
        { "a--$1\r$1", "a--$1\r7" },
        { "a - $1", "a - 7" },
        { "a/ $1", "a/ 7" },
        { "$1::int", "7::int" },
        { "$ 1 $1", "$ 1 7" },
        { "($1)", "(7)" },
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(pairs); i++)
        says_one(pairs[i][0], value_whole(7), pairs[i][1]);
}

static void literals_touch_nothing(void **state)
{
    (void)state;
    says_one("U&$1", value_text("a"), "U& 'a'");
    says_one("$1and", value_null(), "NULL and");
    says_one("1$1", value_whole(5), "1 5");
    says_one("'a'$1", value_text("b"), "'a' 'b'");
    says_one("$1'b'", value_text("a"), "'a' 'b'");
    says_one("$1$1", value_whole(5), "5  5");
    says_one("a.$1", value_whole(5), "a. 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_values),       cmocka_unit_test(texts),
        cmocka_unit_test(numbers_of_parameters), cmocka_unit_test(no_parameters),
        cmocka_unit_test(parameters_after_them), cmocka_unit_test(literals_touch_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
