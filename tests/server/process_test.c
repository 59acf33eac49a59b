/* Programs run with a clean environment, in a session of their own, and not for ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "server/process.h"

static struct process_result run(const char *script, int timeout_s)
{
    const char *arguments[] = { "-c", script, NULL };
    struct process process = { .program = "/bin/sh",
                               .arguments = arguments,
                               .library_path = "/some/lib",
                               .timeout_s = timeout_s };
    struct process_result result;
    struct error err;

    assert_true(process_run(&process, &result, &err));
    return result;
}

static void both_streams_and_the_status(void **state)
{
    struct process_result result = run("echo one; echo two >&2; exit 7", 10);

    (void)state;
    assert_int_equal(result.status, 7);
    assert_false(result.timed_out);
    assert_string_equal(result.output, "one\ntwo\n");
    assert_int_equal(run("kill -9 $$", 10).status, 128 + 9);
}

static void nothing_of_ours_gets_in(void **state)
{
    struct process_result result;

    (void)state;
    setenv("PGOPTIONS", "-c nonsense=1", 1);
    setenv("LD_PRELOAD_NOT", "x", 1);
    result = run("env; pwd; read word || echo no input", 10);
    assert_null(strstr(result.output, "PGOPTIONS"));
    assert_null(strstr(result.output, "LD_PRELOAD_NOT"));
    assert_non_null(strstr(result.output, "LC_ALL=C\n"));
    assert_non_null(strstr(result.output, "LD_LIBRARY_PATH=/some/lib\n"));
    assert_non_null(strstr(result.output, "\n/\n"));
    assert_non_null(strstr(result.output, "no input"));
}

static void a_session_of_its_own(void **state)
{
    struct process_result result = run("cut -d' ' -f6 /proc/self/stat", 10);

    (void)state;
    assert_int_not_equal(strtol(result.output, NULL, 10), getsid(0));
}

static void the_end_of_much_output(void **state)
{
    struct process_result result = run("i=0; while [ $i -lt 3000 ]; do echo line $i; "
                                       "i=$((i+1)); done; printf last",
                                       30);

    (void)state;
    assert_int_equal(strlen(result.output), PROCESS_OUTPUT_MAX - 1);
    assert_string_equal(result.output + strlen(result.output) - 4, "last");
}

static void not_for_ever(void **state)
{
    int64_t begin_ns = clock_now_ns();
    struct process_result result = run("echo begun; sleep 60 & sleep 60", 1);

    (void)state;
    assert_true(result.timed_out);
    assert_int_equal(result.status, 128 + 9);
    assert_string_equal(result.output, "begun\n");
    assert_true(clock_now_ns() - begin_ns < 10 * NS_PER_S);
}

/* What a daemon keeps open must not keep us waiting. */
static bool at_once(void)
{
    return true;
}

static void ended_when_asked(void **state)
{
    const char *arguments[] = { "-c", "sleep 100", NULL };
    struct process process = {
        .program = "/bin/sh", .arguments = arguments, .timeout_s = 50, .stopped = at_once
    };
    struct process_result result;
    struct error err;

    (void)state;
    assert_true(process_run(&process, &result, &err));
    assert_int_equal(result.status, 128 + 15);
    assert_false(result.timed_out);
}

static void a_daemon_is_not_waited_for(void **state)
{
    int64_t begin_ns = clock_now_ns();
    struct process_result result = run("sleep 5 & echo off", 10);

    (void)state;
    assert_int_equal(result.status, 0);
    assert_true(clock_now_ns() - begin_ns < 4 * NS_PER_S);
}

static void what_cannot_be_run_says_so(void **state)
{
    const char *arguments[] = { NULL };
    struct process process = { .program = "/nowhere/initdb",
                               .arguments = arguments,
                               .timeout_s = 10 };
    struct process_result result;
    struct error err;

    (void)state;
    assert_true(process_run(&process, &result, &err));
    assert_int_equal(result.status, 127);
    assert_string_equal(result.output, "cannot run /nowhere/initdb: no such program\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_streams_and_the_status),
        cmocka_unit_test(nothing_of_ours_gets_in),
        cmocka_unit_test(a_session_of_its_own),
        cmocka_unit_test(the_end_of_much_output),
        cmocka_unit_test(not_for_ever),
        cmocka_unit_test(ended_when_asked),
        cmocka_unit_test(a_daemon_is_not_waited_for),
        cmocka_unit_test(what_cannot_be_run_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
