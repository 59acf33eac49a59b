/*
 * sysbench_test.c - the words of sysbench: which percentile is shown, and what comes before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/report.h"

/* The report of a result with p95 5 ms, p99 9 ms, at most 11 ms whose plan says `percentiles`. */
static char *report_of(const char *percentiles)
{
    char *words = NULL, plan[256];
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    json_t *result = json_loads("{\"summary\": {\"latency_ms\": {\"response\": "
                                "{\"p95\": 5.0, \"p99\": 9.0, \"p99.9\": 10.0, \"max\": 11.0}}}}",
                                0, NULL);

    snprintf(plan, sizeof plan, "{%s}", percentiles);
    assert_non_null(result);
    json_object_set_new(result, "plan", json_loads(plan, 0, NULL));
    report_sysbench(out, result);
    fclose(out);
    json_decref(result);
    return words;
}

static void the_percentile_asked_for(void **state)
{
    static const struct {
        const char *plan, *name, *wanted;
    } rows[] = {
        { "\"percentiles\": [99.0]", "99th percentile:", "9.00" },
        { "\"percentiles\": [99]", "99th percentile:", "9.00" },
        { "\"percentiles\": [99.9]", "99.9th percentile:", "10.00" },
        { "\"percentiles\": [100]", "100th percentile:", "11.00" },
        { "\"percentiles\": [50, 95, 99]", "95th percentile:", "5.00" },
        { "\"percentiles\": [50, 99]", "99th percentile:", "9.00" },
        { "", "95th percentile:", "5.00" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *words = report_of(rows[i].plan);
        const char *line = strstr(words, rows[i].name);
        if (line == NULL)
            fail_msg("%s: %s", rows[i].plan, words);
        line += strlen(rows[i].name);
        line += strspn(line, " ");
        assert_int_equal(strcspn(line, "\n"), strlen(rows[i].wanted));
        assert_memory_equal(line, rows[i].wanted, strlen(rows[i].wanted));
        free(words);
    }
}

static void the_lines_before(void **state)
{
    char *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);

    (void)state;
    report_sysbench_begin(out, 12);
    fclose(out);
    assert_non_null(strstr(words, "\nNumber of threads: 12\n"));
    assert_non_null(strstr(words, "\nThreads started!\n"));
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_percentile_asked_for),
                                        cmocka_unit_test(the_lines_before) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
