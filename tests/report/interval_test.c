/*
 * interval_test.c - the lines of a run in progress: aligned under their header at every width.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "golden/golden.h"
#include "report/page.h"

#define BEGIN_NS (100 * NS_PER_S)

static void one(FILE *out, const struct report_style *style, struct interval *interval,
                const struct percentiles *percentiles)
{
    interval->begin_ns = BEGIN_NS + (interval->number - 1) * NS_PER_S;
    if (interval->end_ns == 0)
        interval->end_ns = interval->begin_ns + NS_PER_S;
    report_interval(out, style, interval, percentiles, BEGIN_NS);
    interval->end_ns = 0;
    interval->number++;
}

/* Quiet, busy, in trouble, and a last short one. Owned; free(). */
static char *lines(int columns, const struct percentiles *percentiles)
{
    struct report_style style = { .columns = columns };
    struct histogram *all = histogram_new();
    struct interval interval = { .number = 1, .phase = PHASE_WARMUP, .all = all };
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);

    one(out, &style, &interval, percentiles);
    for (int i = 0; i < 1000; i++)
        histogram_record(all, 400 * NS_PER_US + i * 10 * NS_PER_US);
    interval.phase = PHASE_MEASURE;
    interval.counts.outcome[OUTCOME_COMMITTED] = 18234;
    interval.queries[QUERY_READ] = 18234;
    one(out, &style, &interval, percentiles);
    interval.counts.outcome[OUTCOME_COMMITTED] = 1234567;
    interval.queries[QUERY_READ] = 12345678;
    interval.queries[QUERY_WRITE] = 1000;
    interval.queries[QUERY_OTHER] = 7;
    interval.errors = 1234;
    interval.stalled_lanes = 2;
    one(out, &style, &interval, percentiles);
    interval.number = 21;
    interval.end_ns = BEGIN_NS + 20 * NS_PER_S + 250 * NS_PER_MS;
    one(out, &style, &interval, percentiles);
    fclose(out);
    histogram_free(all);
    return bytes;
}

static void check(int columns, const struct percentiles *percentiles, const char *name)
{
    char *bytes = lines(columns, percentiles);

    assert_true(golden_same(name, bytes));
    free(bytes);
}

static void goldens(void **state)
{
    struct percentiles three = { .count = 3, .percent = { 50, 95, 99 } };
    struct percentiles many = { .count = 8, .percent = { 1, 5, 25, 50, 75, 95, 99.9, 99.99 } };

    (void)state;
    check(0, &three, "interval-100.txt");
    check(80, &three, "interval-80.txt");
    check(120, &many, "interval-many-120.txt");
}

/* But for the mark of a stalled worker nothing is wider than the terminal. */
static void lines_fit(void **state)
{
    struct percentiles many = { .count = 16 };

    (void)state;
    for (int i = 0; i < many.count; i++)
        many.percent[i] = i * 6.25 + 0.125;
    for (int columns = 80; columns < 300; columns += 9) {
        char *bytes = lines(columns, &many);
        for (char *line = bytes; *line != '\0'; line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            char *copy = memory_format("%.*s", (int)length, line);
            if (strstr(copy, "stalled") == NULL && page_width(copy) > columns)
                fail_msg("%d columns: %s", columns, copy);
            memory_free(copy);
        }
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(goldens), cmocka_unit_test(lines_fit) };

    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
