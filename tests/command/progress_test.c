/*
 * progress_test.c - what somebody who waits for a load is told: rows/s, MB/s, time left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "command/progress.h"
#include "load/load.h"

/* What is written, to a pipe or file, of one report. The caller frees it. */
static char *told(const struct load_progress *now, bool quiet)
{
    char *words = NULL;
    size_t size = 0;
    struct progress progress = { .out = open_memstream(&words, &size), .quiet = quiet };

    progress_tell(&progress, now);
    fclose(progress.out);
    return words;
}

static void assert_told(const struct load_progress *now, const char *wanted)
{
    char *words = told(now, false);

    assert_string_equal(words, wanted);
    free(words);
}

/* Half of what is there was loaded before: it counts for the share, not for the speed. */
static void rows_speed_and_time_left(void **state)
{
    struct load_progress now = { .step = "copy",
                                 .what = "sbtest3",
                                 .rows_done = 1200000,
                                 .rows_before = 600000,
                                 .rows_total = 4000000,
                                 .bytes_done = 50 * 1024 * 1024,
                                 .elapsed_ns = 5 * NS_PER_S,
                                 .left_ns = 13 * NS_PER_S };

    (void)state;
    assert_told(&now, "copy        30 %, 1,200,000 of 4,000,000 rows, 120,000 rows/s, 10.0 MB/s, "
                      "13 s left (sbtest3)\n");
    now.left_ns = -1;
    assert_told(&now, "copy        30 %, 1,200,000 of 4,000,000 rows, 120,000 rows/s, 10.0 MB/s "
                      "(sbtest3)\n");
    now.finished = true;
    assert_told(&now, "copy       done in 5.0 s\n");
}

static void a_step_without_rows(void **state)
{
    (void)state;
    assert_told(
        &(struct load_progress){
            .step = "index", .what = "k_3 on sbtest3", .elapsed_ns = 7 * NS_PER_S, .left_ns = -1 },
        "index      7 s (k_3 on sbtest3)\n");
}

/* In a log a line in two seconds is enough; trouble is told at once. */
static void not_too_often(void **state)
{
    struct load_progress now = { .step = "copy", .what = "", .elapsed_ns = NS_PER_S };

    (void)state;
    assert_told(&now, "");
    now.trouble = "waiting for a lock";
    assert_told(&now, "copy       waiting for a lock\n");
    now.trouble = NULL;
    now.elapsed_ns = 3 * NS_PER_S;
    char *words = told(&now, true);
    assert_string_equal(words, "");
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_speed_and_time_left),
                                        cmocka_unit_test(a_step_without_rows),
                                        cmocka_unit_test(not_too_often) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
