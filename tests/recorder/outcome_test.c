/*
 * outcome_test.c - every row of the tables is filled and its name is its own.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "recorder/recorder.h"

static void check_name(const char *name)
{
    assert_non_null(name);
    assert_true(strlen(name) > 0);
    for (; *name != '\0'; name++)
        assert_true(islower((unsigned char)*name) || *name == '_');
}

static void rows_are_full(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        check_name(outcome_table[i].name);
        assert_non_null(outcome_table[i].meaning);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(outcome_table[i].name, outcome_table[j].name);
    }
    for (int i = 0; i < PHASE_COUNT; i++)
        check_name(phase_names[i]);
    for (int i = 0; i < QUERY_KINDS; i++)
        check_name(query_kind_names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_are_full) };

    return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
