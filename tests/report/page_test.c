/*
 * page_test.c - numbers as people read them, lines that wrap, tables that fit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/page.h"
#include "report/sqlstate.h"

static void check(struct text *text, const char *wanted)
{
    assert_string_equal(text->bytes, wanted);
    text_clear(text);
}

static void numbers(void **state)
{
    static const struct {
        double ms;
        const char *words;
    } times[] = {
        { 0, "0.000" },        { 0.0004, "0.000" },           { 9.9994, "9.999" },
        { 9.9996, "10.00" },   { 99.994, "99.99" },           { 99.996, "100.0" },
        { 999.96, "1,000.0" }, { 1234567.89, "1,234,567.9" },
    };
    struct text text;

    (void)state;
    text_init(&text, PAGE_TEXT_MAX);
    add_whole(&text, 0);
    check(&text, "0");
    add_whole(&text, 999);
    check(&text, "999");
    add_whole(&text, 1000);
    check(&text, "1,000");
    add_whole(&text, -1234567);
    check(&text, "-1,234,567");
    add_whole(&text, INT64_MIN);
    check(&text, "-9,223,372,036,854,775,808");
    add_real(&text, NAN, 2);
    check(&text, "-");
    add_real(&text, -0.25, 2);
    check(&text, "-0.25");
    add_real(&text, 1e300, 1);
    text_clear(&text);
    for (int i = 0; i < COUNT_OF(times); i++) {
        add_ms(&text, times[i].ms);
        check(&text, times[i].words);
    }
    text_close(&text);
}

static void times_at_least(void **state)
{
    json_t *times =
        json_loads("{\"p50\": 1.5, \"p99\": 20, \"p99_at_least\": true, \"max\": null}", 0, NULL);
    struct text text;

    (void)state;
    text_init(&text, PAGE_TEXT_MAX);
    add_json_ms(&text, times, "p50");
    check(&text, "1.500");
    add_json_ms(&text, times, "p99");
    check(&text, ">= 20.00");
    add_json_ms(&text, times, "max");
    check(&text, "-");
    add_json_ms(&text, times, "p1");
    check(&text, "-");
    text_close(&text);
    json_decref(times);
}

static char *line(int columns, const char *label, const char *words)
{
    struct report_style style = { .columns = columns };
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    struct page page = page_open(out, &style);

    page_line(&page, label, TONE_BAD, words);
    fclose(out);
    return bytes;
}

static void check_line(int columns, const char *label, const char *words, const char *wanted)
{
    char *found = line(columns, label, words);

    assert_string_equal(found, wanted);
    free(found);
}

static void wrapping(void **state)
{
    (void)state;
    check_line(80, "label", "some words", "  label         some words\n");
    check_line(80, "label", "", "  label\n");
    check_line(40, "label", "one two three four five six seven",
               "  label         one two three four five\n                six seven\n");
    check_line(40, "label", "0123456789012345678901234567890",
               "  label         012345678901234567890123\n                4567890\n");
    /* 24 letters of two bytes each just fit. */
    check_line(40, "l",
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 b",
               "  l             "
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
               "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\n                b\n");
}

static char *table(int columns, bool turn)
{
    static const char *const heads[] = { "name", "one", "two", "three", NULL };
    struct report_style style = { .columns = columns };
    struct table *cells = table_new(heads);
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    struct page page = page_open(out, &style);

    cells->rank[2] = 2;
    cells->rank[3] = 1;
    for (int i = 0; i < 2; i++) {
        table_row(cells);
        table_cell(cells, 0, i == 0 ? "first row" : "b");
        table_cell(cells, 1, i == 0 ? "1" : "1,000,000");
        table_cell(cells, 2, "22");
        table_cell(cells, 3, "a very long cell");
    }
    if (turn)
        table_turn(cells);
    table_write(&page, cells);
    fclose(out);
    table_free(cells);
    return bytes;
}

static void check_table(int columns, bool turn, const char *wanted)
{
    char *found = table(columns, turn);

    assert_string_equal(found, wanted);
    free(found);
}

static void tables(void **state)
{
    (void)state;
    check_table(80, false,
                "  name             one  two             three\n"
                "  first row          1   22  a very long cell\n"
                "  b          1,000,000   22  a very long cell\n");
    check_table(41, false,
                "  name             one             three\n"
                "  first row          1  a very long cell\n"
                "  b          1,000,000  a very long cell\n");
    check_table(80, true,
                "  name          first row                 b\n"
                "  one                   1         1,000,000\n"
                "  two                  22                22\n"
                "  three  a very long cell  a very long cell\n");
}

static void too_many_rows(void **state)
{
    static const char *const heads[] = { "n", NULL };
    struct table *cells = table_new(heads);

    (void)state;
    for (int i = 1; i < TABLE_ROWS_MAX; i++)
        assert_true(table_row(cells));
    assert_false(table_row(cells));
    assert_int_equal(cells->left_out, 1);
    table_free(cells);
}

static void meanings(void **state)
{
    (void)state;
    assert_string_equal(sqlstate_meaning("40001"), "serialization failure");
    assert_string_equal(sqlstate_meaning("57P01"), "the server or its session was shut down");
    assert_string_equal(sqlstate_meaning("53999"), "the server lacks something");
    assert_string_equal(sqlstate_meaning("net:odd"), "the network or the server's kernel");
    assert_string_equal(sqlstate_meaning("ZZ999"), "");
    assert_string_equal(sqlstate_meaning(""), "");
    assert_string_equal(sqlstate_meaning("4"), "");
}

static void not_a_terminal(void **state)
{
    FILE *out = tmpfile();
    struct report_style style = report_style_of(out);

    (void)state;
    assert_false(style.colour);
    assert_int_equal(style.columns, 0);
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),        cmocka_unit_test(times_at_least),
        cmocka_unit_test(wrapping),       cmocka_unit_test(tables),
        cmocka_unit_test(too_many_rows),  cmocka_unit_test(meanings),
        cmocka_unit_test(not_a_terminal),
    };

    return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
