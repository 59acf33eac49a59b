/*
 * Tests for plan/assignments.c: files of shell assignments, read and never executed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan/assignments.h"

static void gives(const char *line, const char *name, const char *value)
{
    struct assignment assignment;
    struct error err = { 0 };

    assert_true(assignment_parse(line, &assignment, &err));
    assert_string_equal(assignment.name, name);
    assert_string_equal(assignment.value, value);
}

static void fails(const char *line, const char *words)
{
    struct assignment assignment;
    struct error err = { 0 };

    assert_false(assignment_parse(line, &assignment, &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.text, words));
}

static void lines_mean_what_they_mean_to_a_shell(void **state)
{
    (void)state;
    gives("UPDATE_PCT=10", "UPDATE_PCT", "10");
    gives("  SCALE=1G   # of each", "SCALE", "1G");
    gives("export DBNAME='pg 10'", "DBNAME", "pg 10");
    gives("CONNECT_STRING=\"host=db1 dbname='a b'\"", "CONNECT_STRING", "host=db1 dbname='a b'");
    gives("A=x\"y z\"'#w'\\ v", "A", "xy z#w v");
    gives("A=\"\\$HOME \\\"q\\\" \\n\"", "A", "$HOME \"q\" \\n");
    gives("A='$HOME `ls`'", "A", "$HOME `ls`");
    gives("A=b#c", "A", "b#c");
    gives("A=; # done", "A", "");
    gives("RUN_TIME=120\r", "RUN_TIME", "120");
    gives("", "", "");
    gives("   # UPDATE_PCT=10", "", "");
}

static void what_needs_a_shell_is_refused(void **state)
{
    (void)state;
    fails("A=$HOME", "shell");
    fails("A=\"$(rm -rf /)\"", "shell");
    fails("A=`ls`", "shell");
    fails("A=1 ls", "more than one");
    fails("A=1; B=2", "more than one");
    fails("A=1|cat", "shell");
    fails("ls", "no assignment");
    fails("A = 1", "no assignment");
    fails("1A=2", "no assignment");
    fails("A='open", "quote");
}

static bool keep(void *context, const struct assignment *assignment, struct error *err)
{
    char *names = context;
    size_t length = strlen(names);

    names[length] = assignment->name[0];
    names[length + 1] = '\0';
    return strcmp(assignment->value, "bad") != 0 || error_set(err, ERROR_USAGE, "not bad");
}

static void a_file_is_read_in_order_and_an_error_names_the_line(void **state)
{
    char path[] = "/tmp/pgdyno-assignments-XXXXXX", names[100] = "", wanted[64];
    int fd = mkstemp(path);
    struct error err = { 0 };
    static const char words[] = "# c\nA=1\n\nB=2\nC=bad\nD=4\n";

    (void)state;
    assert_int_equal(write(fd, words, sizeof words - 1), sizeof words - 1);
    close(fd);
    assert_false(assignments_read(path, keep, names, &err));
    assert_string_equal(names, "ABC");
    snprintf(wanted, sizeof wanted, "%s, line 5: not bad", path);
    assert_string_equal(err.text, wanted);
    unlink(path);
    assert_false(assignments_read(path, keep, names, &err));
    assert_int_equal(err.kind, ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_mean_what_they_mean_to_a_shell),
        cmocka_unit_test(what_needs_a_shell_is_refused),
        cmocka_unit_test(a_file_is_read_in_order_and_an_error_names_the_line),
    };

    return cmocka_run_group_tests_name("assignments", tests, NULL, NULL);
}
