/*
 * child_test.c - a child finds its way back. This program stands in for pgdyno: begun with words,
 * it does what they say.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "command/child.h"

static char folder[] = "/tmp/pgdyno-child-XXXXXX";
static char *output;

/* ---- what the child does ---- */

static volatile sig_atomic_t signals_seen;

static void see(int number)
{
    (void)number;
    signals_seen++;
}

static void leave_result(const char *results, const char *label, const char *stamp)
{
    char *path = memory_format("%s/%s-null-%s", results, stamp, label);
    char *name = memory_format("%s/result.json", path);
    FILE *file;

    assert_int_equal(mkdir(path, 0777), 0);
    file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
    memory_free(name);
    memory_free(path);
}

/* The value of "--name=value" among the words. */
static const char *value_of(char **words, const char *name)
{
    for (; *words != NULL; words++)
        if (strncmp(*words, name, strlen(name)) == 0)
            return *words + strlen(name);
    return "";
}

static int act(char **words)
{
    if (strcmp(words[0], "tell-target") == 0) {
        printf("pgdyno: %s\n", getenv("PGDYNO_TARGET"));
        for (; *words != NULL; words++)
            if (strstr(*words, "hunter2") != NULL)
                return 9;
        return 4;
    }
    if (strcmp(words[0], "result") == 0)
        leave_result(value_of(words, "--results="), value_of(words, "--label="), words[1]);
    if (strcmp(words[0], "until-signal") == 0) {
        signal(SIGINT, see);
        if (getpgid(0) != getpid())
            return 9;
        puts("ready");
        fflush(stdout);
        while (signals_seen == 0)
            usleep(1000);
        usleep(100000); /* a second one would be here by then */
        return 100 + (int)signals_seen;
    }
    return 0;
}

/* ---- the tests ---- */

static struct child_end run_words(const char *const *words, struct child child)
{
    struct child_end end;
    struct error err;

    child.words = words;
    child.output = output;
    assert_true(child_run(&child, &end, &err));
    return end;
}

static void target_goes_by_the_environment(void **state)
{
    const char *const words[] = { "tell-target", NULL };
    struct child_end end;

    (void)state;
    setenv("PGDYNO_TARGET", "host=other", 1);
    end = run_words(words, (struct child){ .target = "host=x password=hunter2" });
    unsetenv("PGDYNO_TARGET");
    assert_int_equal(end.code, 4);
    assert_string_equal(end.said, "host=x password=hunter2");
    assert_null(end.result);
    child_end_free(&end);
}

static void result_is_the_one_that_is_new(void **state)
{
    const char *first[] = { "result", "20260101T000000Z", NULL };
    const char *second[] = { "result", "20260102T000000Z", NULL };
    const char *const none[] = { "nothing", NULL };
    char *results = memory_format("%s/runs", folder);
    struct child child = { .results = results, .label = "b1" };
    struct child_end end = run_words(first, child);

    (void)state;
    assert_non_null(strstr(end.result, "/20260101T000000Z-null-b1"));
    child_end_free(&end);
    end = run_words(none, child);
    assert_null(end.result); /* an older one with this label is not its */
    child_end_free(&end);
    end = run_words(second, (struct child){ .results = results, .label = "xb1" });
    child_end_free(&end);
    end = run_words(none, child); /* "xb1" ends in "b1" and is another label */
    assert_null(end.result);
    child_end_free(&end);
    memory_free(results);
}

/* Once the child says that it is ready. */
static void interrupt_when_ready(void *context)
{
    bool *sent = context;
    struct stat facts;

    if (*sent || stat(output, &facts) < 0 || facts.st_size == 0)
        return;
    *sent = true;
    raise(SIGINT);
}

static void a_signal_reaches_it_once(void **state)
{
    const char *const words[] = { "until-signal", NULL };
    struct child_signals signals;
    struct child_end end;
    bool sent = false;

    (void)state;
    unlink(output);
    child_catch(&signals);
    assert_false(child_stopped());
    end = run_words(words, (struct child){ .wait = interrupt_when_ready, .context = &sent });
    assert_int_equal(end.code, 101);
    assert_true(child_stopped());
    child_release(&signals);
    child_end_free(&end);
}

static int make_folder(void **state)
{
    (void)state;
    output = mkdtemp(folder) != NULL ? memory_format("%s/output", folder) : NULL;
    return output != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{

    pid_t child = fork();

    (void)state;
    memory_free(output);
    if (child == 0)
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(target_goes_by_the_environment),
        cmocka_unit_test(result_is_the_one_that_is_new),
        cmocka_unit_test(a_signal_reaches_it_once),
    };

    if (argc > 1)
        return act(argv + 1);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
