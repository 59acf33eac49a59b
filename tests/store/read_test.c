/*
 * read_test.c - a result from disk, and every way in which it can be none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "scratch.h"
#include "store/store.h"

static char *folder;

static int open_folder(void **state)
{
    (void)state;
    folder = scratch_open();
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    scratch_close(folder);
    return 0;
}

static void put(const char *name, const char *bytes)
{
    char *path = memory_format("%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(bytes, file);
    fclose(file);
    memory_free(path);
}

static void refused(const char *path, enum error_kind kind, const char *words)
{
    struct error err = { 0 };

    assert_null(store_read(path, &err));
    assert_int_equal(err.kind, kind);
    if (strstr(err.text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.text, words);
}

static void missing(void **state)
{
    char *path = memory_format("%s/nowhere", folder);

    (void)state;
    refused(path, ERROR_USAGE, "no result at");
    refused(folder, ERROR_USAGE, "is no result");
    put("run.log", "2026 begun\n");
    refused(folder, ERROR_USAGE, "a run that did not end");
    memory_free(path);
}

static void broken(void **state)
{
    static const struct {
        const char *bytes, *words;
    } cases[] = {
        { "{\n  \"schema\": 1,\n  oops", "line 3, column" },
        { "", "broken at line 1" },
        { "{\"schema\": 1, \"schema\": 1}", "duplicate" },
        { "[]", "not a result of pgdyno" },
        { "{}", "not a result of pgdyno" },
        { "{\"schema\": \"1\", \"tool\": {\"name\": \"pgdyno\"}}", "not a result of pgdyno" },
        { "{\"schema\": 1, \"tool\": {\"name\": \"other\"}}", "not a result of pgdyno" },
        { "{\"schema\": 1, \"tool\": []}", "not a result of pgdyno" },
        { "{\"schema\": 1, \"tool\": {\"name\": \"pgdyno\"}}", "plan is missing" },
        { "{\"schema\": 0, \"tool\": {\"name\": \"pgdyno\"}}", "there is no schema 0" },
        { "{\"schema\": -5, \"tool\": {\"name\": \"pgdyno\"}}", "there is no schema -5" },
        { "{\"schema\": 99, \"tool\": {\"name\": \"pgdyno\", \"version\": \"9.1\"}}",
          "newer pgdyno (9.1, schema 99" },
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        put("result.json", cases[i].bytes);
        refused(folder, ERROR_PLAN, cases[i].words);
    }
}

static void odd_files(void **state)
{
    char *path = memory_format("%s/result.json", folder);

    (void)state;
    refused("/dev/null", ERROR_USAGE, "is no file");
    assert_int_equal(mkdir(path, 0700), 0);
    refused(folder, ERROR_USAGE, "is no file");
    memory_free(path);
}

static void good(void **state)
{
    char *path = memory_format("%s/result.json", folder);
    struct error err = { 0 };
    json_t *result;

    (void)state;
    put("result.json", "{\"schema\": 1, \"tool\": {\"name\": \"pgdyno\", \"version\": \"0.1\"},"
                       " \"plan\": {}, \"phases\": {}, \"summary\": {\"x\": 1},"
                       " \"transactions\": {}, \"statements\": {}}");
    for (int i = 0; i < 2; i++) {
        result = store_read(i == 0 ? folder : path, &err);
        assert_non_null(result);
        assert_int_equal(json_integer_value(store_find(result, "summary.x")), 1);
        json_decref(result);
    }
    memory_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(missing, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(broken, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(odd_files, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(good, open_folder, close_folder),
    };

    return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}
