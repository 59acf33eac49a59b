/*
 * find_test.c - paths into a result: dotted, longest key first, and RFC 6901 with its own examples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "store/store.h"

struct wanted {
    const char *path;
    int value; /* -1: nothing is there */
};

static void check(const char *document, const struct wanted *wanted, size_t count)
{
    json_t *json = json_loads(document, 0, NULL);

    assert_non_null(json);
    for (size_t i = 0; i < count; i++) {
        json_t *found = store_find(json, wanted[i].path);
        if (wanted[i].value < 0 ? found != NULL : json_integer_value(found) != wanted[i].value)
            fail_msg("%s in %s", wanted[i].path, document);
    }
    json_decref(json);
}

static void dotted(void **state)
{
    static const struct wanted wanted[] = {
        { "a", 1 },         { "p99.9", 2 },
        { "s.l.p99.9", 3 }, { "s.l.p99", 4 },
        { "list.0", 5 },    { "list.1.x", 6 },
        { "list.2", -1 },   { "list.01", -1 },
        { "list.-1", -1 },  { "list.9999999999", -1 },
        { "s.q", -1 },      { "a.b", -1 },
        { "s..l", -1 },     { ".", -1 },
        { "a.", -1 },       { "x.y.z", 7 },
        { "x.y.w", 8 },     { "n/o", 9 },
        { "list.", -1 },    { "A", -1 },
    };

    (void)state;
    check("{\"a\": 1, \"p99.9\": 2, \"s\": {\"l\": {\"p99.9\": 3, \"p99\": 4}},"
          " \"list\": [5, {\"x\": 6}], \"x.y\": {\"z\": 7}, \"x\": {\"y\": {\"z\": 0, \"w\": 8}},"
          " \"n/o\": 9}",
          wanted, sizeof wanted / sizeof wanted[0]);
}

/* Section 5 of the RFC, and what its section 3 and 4 forbid. */
static void pointer(void **state)
{
    static const struct wanted wanted[] = {
        { "/foo/0", 10 },  { "/", 0 },     { "/a~1b", 1 },    { "/c%d", 2 },       { "/e^f", 3 },
        { "/g|h", 4 },     { "/i\\j", 5 }, { "/k\"l", 6 },    { "/ ", 7 },         { "/m~0n", 8 },
        { "/m~n", -1 },    { "/m~", -1 },  { "/foo/00", -1 }, { "/foo/-", -1 },    { "/foo/2", -1 },
        { "/foo/0/", -1 }, { "/p.q", 9 },  { "/~01", 11 },    { "/foo/1/~1", 12 },
    };

    (void)state;
    check("{\"foo\": [10, {\"/\": 12}], \"\": 0, \"a/b\": 1, \"c%d\": 2, \"e^f\": 3, \"g|h\": 4,"
          " \"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, \"m~n\": 8, \"p.q\": 9, \"~1\": 11}",
          wanted, sizeof wanted / sizeof wanted[0]);
}

static void the_whole(void **state)
{
    json_t *json = json_object();

    (void)state;
    assert_ptr_equal(store_find(json, ""), json);
    json_decref(json);
}

/* A path from outside may be anything: long, and all dots. */
static void monsters(void **state)
{
    json_t *json = json_loads("{\"a\": {\"a\": {\"a\": 1}}}", 0, NULL);
    char *path = memory_make(100001, 1);

    (void)state;
    memset(path, 'a', 100000);
    assert_null(store_find(json, path));
    memset(path, '.', 4000);
    path[4000] = '\0';
    assert_null(store_find(json, path));
    for (int i = 0; i < 4000; i++)
        path[i] = i % 2 ? '.' : 'a';
    assert_null(store_find(json, path));
    path[0] = '/';
    assert_null(store_find(json, path));
    memory_free(path);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(dotted), cmocka_unit_test(pointer),
                                        cmocka_unit_test(the_whole), cmocka_unit_test(monsters) };

    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
