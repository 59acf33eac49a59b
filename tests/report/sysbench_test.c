/*
 * sysbench_test.c - the words of sysbench: which percentile is shown, by whose rule, and what comes
 * before.
 */
#include <math.h>
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

/* ---- sysbench's rule: cell k is exp(ln 0.001 + k * 18.420681 / 1023), 0.0180065 apart ---- */

#define MS INT64_C(1000000)

static double percentile_of(const int64_t *values_ns, int count, double percent)
{
    struct histogram *histogram = histogram_new();
    double ms;

    for (int i = 0; i < count; i++)
        histogram_record(histogram, values_ns[i]);
    ms = report_sysbench_percentile_ms(histogram, percent);
    histogram_free(histogram);
    return ms;
}

static void assert_ms(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-5 * wanted)
        fail_msg("%.9g ms, wanted %.9g", found, wanted);
}

/* 196.61 ms is what sysbench 1.0.20 itself showed as 196.89. The others by hand: 1 ms is at
 * 6.907755 / 0.0180065 = 383.625, so in cell 384, which is exp(6.914508 - 6.907755). */
static void cells_of_sysbench(void **state)
{
    static const struct {
        int64_t value_ns;
        double wanted_ms;
    } rows[] = {
        { 196610000, 196.894076 }, { MS, 1.006775 },
        { 2 * MS, 1.995711 },      { MS / 2, 0.498824 },
        { 1000 * MS, 995.508485 }, { 7700000, 7.702080 },
        { 1000, 0.001 },           { 0, 0.001 },
        { 99999 * MS, 100000 },    { 200000 * MS, 100000 },
        { INT64_MAX / 2, 100000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_ms(percentile_of(&rows[i].value_ns, 1, 95), rows[i].wanted_ms);
}

/* The rank is floor(n p / 100 + 0.5), where ours is the whole number above n p / 100: of 11 values
 * the 95th percentile is the 10th rather than the last. */
static void rank_of_sysbench(void **state)
{
    int64_t values[20];
    struct histogram *none = histogram_new();

    (void)state;
    for (int i = 0; i < 20; i++)
        values[i] = (i + 1) * 2 * MS;
    assert_ms(percentile_of(values, 11, 95), 20.0020850); /* 20 ms: cell 550 */
    assert_ms(percentile_of(values, 10, 95), 20.0020850);
    assert_ms(percentile_of(values, 20, 95), 38.2472483);  /* 38 ms: cell 586 */
    assert_ms(percentile_of(values, 20, 100), 39.6497514); /* 40 ms: cell 588 */
    assert_ms(percentile_of(values, 1, 10), 0.001);        /* rank 0 */
    assert_true(report_sysbench_percentile_ms(none, 95) == 0);
    histogram_free(none);
}

static void what_was_kept_is_shown(void **state)
{
    static const char *const summaries[] = { "{}",
                                             "{\"sysbench_percentiles_ms\": {\"p95\": 5.1}}" };
    static const char *const wanted[] = { " 0.00\n", " 5.10\n" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        char *words = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&words, &size);
        json_t *result = json_object();

        json_object_set_new(result, "summary", json_loads(summaries[i], 0, NULL));
        report_sysbench(out, result);
        fclose(out);
        const char *line = strstr(words, "95th percentile:");
        assert_non_null(line);
        assert_memory_equal(strchr(line, '\n') + 1 - strlen(wanted[i]), wanted[i],
                            strlen(wanted[i]));
        json_decref(result);
        free(words);
    }
}

static void compat_of_options(void **state)
{
    static const struct {
        const char *options;
        int64_t events;
        bool compat;
    } rows[] = {
        { "{}", 1, false },
        { "{\"compat\": \"none\", \"rows\": 100}", 1, false },
        { "{\"compat\": \"sysbench\", \"rows\": 100}", 100, true },
        { "{\"compat\": \"sysbench\"}", 1, true },
        { "{\"compat\": \"percona\"}", 1, true },
        { "{\"compat\": \"percona-fixed\"}", 1, true },
        { "{\"compat\": \"hammerdb\"}", 1, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *options = json_loads(rows[i].options, 0, NULL);
        struct report_sysbench found = report_sysbench_of(options);

        assert_int_equal(found.events, rows[i].events);
        assert_int_equal(found.compat, rows[i].compat);
        json_decref(options);
    }
}

static void rolled_back_is_done(void **state)
{
    static const char result_words[] =
        "{\"plan\": {\"workload_options\": {\"compat\": \"percona\"}}, \"summary\": "
        "{\"measured_s\": 10, \"transactions\": {\"done\": 90, \"rolled_back\": 10}, "
        "\"errors\": {\"40001\": 7}}}";
    char *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);
    json_t *result = json_loads(result_words, 0, NULL);

    (void)state;
    report_sysbench(out, result);
    fclose(out);
    assert_non_null(strstr(words, "transactions:                        100    (10.00 per sec.)"));
    assert_non_null(strstr(words, "ignored errors:                      17     (1.70 per sec.)"));
    json_decref(result);
    free(words);
}

/* ---- the rest ---- */

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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_percentile_asked_for), cmocka_unit_test(cells_of_sysbench),
        cmocka_unit_test(rank_of_sysbench),         cmocka_unit_test(what_was_kept_is_shown),
        cmocka_unit_test(compat_of_options),        cmocka_unit_test(the_lines_before),
        cmocka_unit_test(rolled_back_is_done)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
