/*
 * attempt_test.c - the failure policy as a table: class of the error, --on-error, tries so far.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/attempt.h"

#define RETRIES 10

enum { R = ATTEMPT_RETRY, C = ATTEMPT_COUNT, O = ATTEMPT_REOPEN, S = ATTEMPT_STOP };

/* What follows the first try, and the one after the last retry. */
struct row {
    const char *code;
    struct {
        int first, last;
    } policy, go_on, stop;
};

static const struct row rows[] = {
    { "40001", { R, C }, { R, C }, { R, S } },
    { "40P01", { R, C }, { R, C }, { R, S } },
    { "40002", { S, S }, { C, C }, { S, S } },
    { "40003", { S, S }, { C, C }, { S, S } },
    { "55P03", { C, C }, { C, C }, { S, S } },
    { "57014", { C, C }, { C, C }, { S, S } },
    { "23505", { C, C }, { C, C }, { S, S } },
    { "23503", { S, S }, { C, C }, { S, S } },
    { "08006", { O, O }, { O, O }, { S, S } },
    { "08P01", { O, O }, { O, O }, { S, S } },
    { "57P01", { O, O }, { O, O }, { S, S } },
    { "57P02", { O, O }, { O, O }, { S, S } },
    { "57P03", { O, O }, { O, O }, { S, S } },
    { "53300", { O, O }, { O, O }, { S, S } },
    { "25P03", { O, O }, { O, O }, { S, S } },
    { "25P04", { O, O }, { O, O }, { S, S } },
    { "25P02", { S, S }, { C, C }, { S, S } },
    { "connect", { O, O }, { O, O }, { S, S } },
    { "57P05", { O, O }, { O, O }, { S, S } },
    { "net:closed", { O, O }, { O, O }, { S, S } },
    { "net:reset", { O, O }, { O, O }, { S, S } },
    { "net:timeout", { O, O }, { O, O }, { S, S } },
    { "net:other", { O, O }, { O, O }, { S, S } },
    { "tls", { O, O }, { O, O }, { S, S } },
    { "protocol", { S, S }, { C, C }, { S, S } },
    { "42P01", { S, S }, { C, C }, { S, S } },
    { "42P05", { S, S }, { C, C }, { S, S } },
    { "53100", { S, S }, { C, C }, { S, S } },
    { "XX000", { S, S }, { C, C }, { S, S } },
    { "commit:rollback", { S, S }, { C, C }, { S, S } },
    { "", { S, S }, { C, C }, { S, S } },
};

static void check(const struct row *row, int on_error, int first, int last)
{
    struct plan plan = { .on_error = on_error, .retries = RETRIES };

    for (int attempts = 1; attempts <= RETRIES; attempts++)
        if ((int)attempt_decide(&plan, row->code, attempts) != first)
            fail_msg("%s, on_error %d, try %d", row->code, on_error, attempts);
    for (int attempts = RETRIES + 1; attempts <= RETRIES + 2; attempts++)
        if ((int)attempt_decide(&plan, row->code, attempts) != last)
            fail_msg("%s, on_error %d, last try", row->code, on_error);
    plan.retries = 0;
    assert_int_equal(attempt_decide(&plan, row->code, 1), last);
}

static void the_whole_table(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(rows); i++) {
        check(&rows[i], ON_ERROR_POLICY, rows[i].policy.first, rows[i].policy.last);
        check(&rows[i], ON_ERROR_CONTINUE, rows[i].go_on.first, rows[i].go_on.last);
        check(&rows[i], ON_ERROR_STOP, rows[i].stop.first, rows[i].stop.last);
    }
}

/* As sysbench does: a unique violation is retried, and nothing else is that was not. */
static void unique_violations_retried(void **state)
{
    static const int laws[] = { ON_ERROR_POLICY, ON_ERROR_CONTINUE, ON_ERROR_STOP };

    (void)state;
    for (int i = 0; i < COUNT_OF(laws); i++) {
        struct plan plan = { .on_error = laws[i], .retries = RETRIES_ENDLESS };
        int otherwise = laws[i] == ON_ERROR_STOP ? S : C;
        assert_int_equal(attempt_decide(&plan, "23505", 1), otherwise);
        plan.retry_unique = true;
        assert_int_equal(attempt_decide(&plan, "23505", 1), R);
        assert_int_equal(attempt_decide(&plan, "23505", 1000000), R);
        assert_int_equal(attempt_decide(&plan, "40P01", 1000000), R);
        assert_int_equal(attempt_decide(&plan, "57014", 1), otherwise);
        assert_int_not_equal(attempt_decide(&plan, "23503", 1), R);
        plan.retries = 3;
        assert_int_equal(attempt_decide(&plan, "23505", 3), R);
        assert_int_equal(attempt_decide(&plan, "23505", 4), otherwise);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_whole_table),
                                        cmocka_unit_test(unique_violations_retried) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
