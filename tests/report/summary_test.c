/*
 * summary_test.c - the summary of two frozen results, at two widths, and what no words of a server
 * may do to a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden/golden.h"
#include "report/page.h"
#include "report/report.h"

static json_t *frozen(const char *name)
{
    char *path = golden_path(name);
    json_t *result = json_load_file(path, 0, NULL);

    if (result == NULL)
        fail_msg("%s cannot be read", path);
    memory_free(path);
    return result;
}

/* Owned; free(). */
COLD static char *told(const json_t *result, const struct report_style *style)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);

    report_summary(out, style, result);
    report_path(out, style, "results/20261130T181500Z-x");
    fclose(out);
    return bytes;
}

static void check_golden(const char *from, const char *name, struct report_style style)
{
    json_t *result = frozen(from);
    char *bytes = told(result, &style);

    assert_true(golden_same(name, bytes));
    free(bytes);
    json_decref(result);
}

static void goldens(void **state)
{
    struct report_style wide = { .columns = 0 }, narrow = { .columns = 80 };

    (void)state;
    check_golden("result-closed.json", "summary-closed-100.txt", wide);
    check_golden("result-closed.json", "summary-closed-80.txt", narrow);
    check_golden("result-open.json", "summary-open-100.txt", wide);
    check_golden("result-open.json", "summary-open-80.txt", narrow);
    narrow.colour = true;
    check_golden("result-open.json", "summary-open-80-colour.txt", narrow);
}

/* No line is longer than the terminal, down to 80 columns (the result's path may be). */
static void lines_fit(void **state)
{
    static const char *const names[] = { "result-closed.json", "result-open.json" };

    (void)state;
    for (int i = 0; i < COUNT_OF(names); i++)
        for (int columns = 80; columns <= 140; columns += 7) {
            struct report_style style = { .columns = columns };
            json_t *result = frozen(names[i]);
            char *bytes = told(result, &style), *line = bytes;
            while (*line != '\0') {
                size_t length = strcspn(line, "\n");
                char *copy = memory_format("%.*s", (int)length, line);
                if (page_width(copy) > columns)
                    fail_msg("%d columns: %s", columns, copy);
                memory_free(copy);
                line += length + 1;
            }
            free(bytes);
            json_decref(result);
        }
}

/* Nothing below a blank but newlines, no DEL, and no C1 control in UTF-8. */
static void nothing_acts(void **state)
{
    struct report_style style = { .columns = 80 };
    json_t *result = frozen("result-open.json");
    char *bytes = told(result, &style);

    (void)state;
    for (const unsigned char *at = (const unsigned char *)bytes; *at != '\0'; at++) {
        assert_true(*at >= ' ' || *at == '\n');
        assert_int_not_equal(*at, 0x7f);
        assert_false(at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9f);
    }
    assert_non_null(strstr(bytes, "\\x1B]0;owned"));
    free(bytes);
    json_decref(result);
}

/* What is not there is not told, and nothing falls over: any JSON is a result to this room. */
static void any_tree(void **state)
{
    static const char *const trees[] = {
        "{}",
        "[]",
        "null",
        "{\"summary\": 1, \"errors\": {}, \"notes\": [1, null], \"books\": [], \"client\": 5,"
        " \"transactions\": [1, 2], \"statements\": null, \"plan\": \"x\", \"target\": []}",
        "{\"errors\": [1, {}, {\"code\": 5, \"count\": \"x\"}], \"transactions\": {\"a\": 1,"
        " \"b\": {}}, \"statements\": {\"a\": 1, \"b\": []}, \"summary\": {\"latency_ms\":"
        " {\"response\": {\"p50\": 1e308, \"max\": \"x\"}}}}",
    };
    struct report_style style = { .columns = 1 };

    (void)state;
    for (int i = 0; i < COUNT_OF(trees); i++) {
        json_t *tree = json_loads(trees[i], JSON_DECODE_ANY, NULL);
        char *bytes = told(tree, &style);
        assert_null(strstr(bytes, "nan"));
        assert_null(strstr(bytes, "inf"));
        free(bytes);
        json_decref(tree);
    }
}

/* Whose CPUs were too few. A result of before this was told apart says what it always said. */
static void whose_limit(void **state)
{
    static const struct {
        const char *client, *words;
    } cases[] = {
        { "{\"saturated\": false, \"shares_cpus\": false, \"why\": \"\"}", "not the limit" },
        { "{\"saturated\": true, \"shares_cpus\": false, \"why\": \"x\"}",
          "THE CLIENT WAS THE LIMIT: x" },
        { "{\"saturated\": true, \"why\": \"x\"}", "THE CLIENT WAS THE LIMIT: x" },
        { "{\"saturated\": true, \"shares_cpus\": true, \"why\": \"x\"}",
          "SHARED CPUS WERE THE LIMIT: x" },
    };
    struct report_style style = { .columns = 80 };

    (void)state;
    for (int i = 0; i < COUNT_OF(cases); i++) {
        json_t *tree = json_pack("{s:o}", "client", json_loads(cases[i].client, 0, NULL));
        char *bytes = told(tree, &style);
        assert_non_null(strstr(bytes, cases[i].words));
        free(bytes);
        json_decref(tree);
    }
}

static void blocks_have_no_rows(void **state)
{
    json_t *tree = json_loads("{\"statements\": {\"begin\": {\"count\": 37, \"rows\": 0,"
                              " \"without_rows\": 37}, \"get\": {\"count\": 41, \"rows\": 1,"
                              " \"without_rows\": 40}}}",
                              0, NULL);
    struct report_style style = { .columns = 100 };
    char *bytes = told(tree, &style), *begin = strstr(bytes, "  begin"), *get;

    (void)state;
    assert_non_null(begin);
    get = strstr(begin, "  get");
    assert_non_null(get);
    assert_non_null(strstr(get, "40"));
    *get = '\0';
    assert_non_null(strstr(begin, "37"));
    assert_null(strstr(strstr(begin, "37") + 2, "37"));
    free(bytes);
    json_decref(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),      cmocka_unit_test(lines_fit),
        cmocka_unit_test(nothing_acts), cmocka_unit_test(any_tree),
        cmocka_unit_test(whose_limit),  cmocka_unit_test(blocks_have_no_rows),
    };

    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
