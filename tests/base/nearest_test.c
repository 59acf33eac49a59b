/*
 * nearest_test.c - slips of the finger find the name that was meant; other words find none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/compiler.h"
#include "base/nearest.h"

static const char *find(const char *wanted)
{
    static const char *const names[] = { "connections", "connect-timeout", "time",
                                         "table-size",  "tables",          "run",
                                         "drop" };
    struct nearest nearest = { .wanted = wanted };

    for (int i = 0; i < COUNT_OF(names); i++)
        nearest_offer(&nearest, names[i]);
    return nearest.best != NULL ? nearest.best : "";
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("", ""), 0);
    assert_int_equal(nearest_distance("abc", ""), 3);
    assert_int_equal(nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(nearest_distance("time", "tmie"), 1);
    assert_int_equal(nearest_distance("table_size", "table-size"), 0);
    assert_int_equal(nearest_distance("ca", "abc"), 3);
}

static void slips_find_what_was_meant(void **state)
{
    (void)state;
    assert_string_equal(find("conections"), "connections");
    assert_string_equal(find("conenctions"), "connections");
    assert_string_equal(find("table_sise"), "table-size");
    assert_string_equal(find("tabels"), "tables");
    assert_string_equal(find("rnu"), "run");
    assert_string_equal(find("times"), "time");
}

static void other_words_find_nothing(void **state)
{
    char longest[4 * NEAREST_NAME_MAX];

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_string_equal(find(""), "");
    assert_string_equal(find("x"), "");
    assert_string_equal(find("frobnicate"), "");
    assert_string_equal(find(longest), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(slips_find_what_was_meant),
        cmocka_unit_test(other_words_find_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
