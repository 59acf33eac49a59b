/*
 * table_test.c - every major gets each metric that it has, once, and none that it has not.
 */
#include "collect/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int count(const char *name, int major)
{
    int found = 0;
    for (const struct table_row *row = table_next(NULL, major); row != NULL;
         row = table_next(row, major))
        found += strcmp(row->name, name) == 0;
    return found;
}

static void rows_by_major(void **state)
{
    (void)state;
    for (int major = 12; major <= 19; major++) {
        assert_int_equal(count("server", major), 1);
        assert_int_equal(count("bgwriter", major), 1);
        assert_int_equal(count("checkpointer", major), 1);
        assert_int_equal(count("wal", major), major < 14 ? 1 : 2);
        assert_int_equal(count("slru", major), major < 13 ? 0 : 1);
        assert_int_equal(count("io", major), major < 16 ? 0 : 1);
    }
}

static void rows_are_well_formed(void **state)
{
    (void)state;
    const struct table_row *row = table_rows;
    for (; row->name != NULL; row++) {
        assert_memory_equal(row->sql, "SELECT ", 7);
        assert_null(strchr(row->sql, ';')); /* one statement, one commit */
        assert_true(row->max_major == 0 || row->max_major >= row->min_major);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_major),
        cmocka_unit_test(rows_are_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
