/* Files and folders: whole or not at all, and never through a link. */
#include <setjmp.h>
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
#include "server/folder.h"

static char top[] = "/tmp/pgdyno-folder-XXXXXX";

static const char *below(const char *name)
{
    static char path[2][256];
    static int turn;

    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", top, name);
    return path[turn];
}

static void made_written_and_read(void **state)
{
    struct error err;
    struct stat facts;
    char *content;

    (void)state;
    umask(077);
    assert_true(folder_make(below("a/b/c"), 0755, &err));
    assert_true(folder_make(below("a/b/c"), 0755, &err));
    assert_int_equal(stat(below("a/b"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0755);
    assert_true(folder_write(below("a/file"), "words", 0644, &err));
    assert_true(folder_write(below("a/file"), "other words", 0640, &err));
    content = folder_read(below("a/file"));
    assert_string_equal(content, "other words");
    memory_free(content);
    assert_int_equal(stat(below("a/file"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    assert_int_not_equal(access(below("a/file.new"), F_OK), 0);
    assert_null(folder_read(below("a/none")));
    assert_true(folder_is_empty(below("a/b/c")));
    assert_false(folder_is_empty(below("a/b")));
    assert_true(folder_is_empty(below("none")));
    assert_true(folder_size_bytes(below("a")) > 0);
    assert_int_equal(folder_size_bytes(below("none")), -1);
}

static void a_link_is_removed_and_not_followed(void **state)
{
    struct error err;

    (void)state;
    assert_true(folder_make(below("mine/in"), 0700, &err));
    assert_true(folder_make(below("others"), 0700, &err));
    assert_true(folder_write(below("others/dear"), "x", 0600, &err));
    assert_int_equal(symlink(below("others"), below("mine/in/link")), 0);
    assert_true(folder_remove(below("mine"), &err));
    assert_int_not_equal(access(below("mine"), F_OK), 0);
    assert_int_equal(access(below("others/dear"), F_OK), 0);
    assert_int_equal(symlink(below("others"), below("link")), 0);
    assert_false(folder_remove(below("link"), &err));
    assert_int_equal(access(below("others/dear"), F_OK), 0);
    assert_true(folder_remove(below("never was"), &err));
}

static void errors_name_the_path(void **state)
{
    struct error err;
    char path[SERVER_PATH_MAX], nearest[SERVER_PATH_MAX];

    (void)state;
    assert_true(folder_write(below("plain"), "x", 0600, &err));
    assert_false(folder_make(below("plain/deeper"), 0700, &err));
    assert_non_null(strstr(err.text, "plain/deeper"));
    assert_false(folder_write(below("none/file"), "x", 0600, &err));
    assert_non_null(strstr(err.text, "none/file"));
    memset(nearest, 'x', sizeof nearest - 1);
    nearest[sizeof nearest - 1] = '\0';
    assert_false(folder_join(path, "/tmp", nearest, &err));
    snprintf(nearest, sizeof nearest, "%s", below("not/here"));
    folder_existing(nearest);
    assert_string_equal(nearest, top);
}

static int make(void **state)
{
    (void)state;
    return mkdtemp(top) != NULL ? 0 : -1;
}

static int clean(void **state)
{
    struct error err;

    (void)state;
    return folder_remove(top, &err) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_written_and_read),
        cmocka_unit_test(a_link_is_removed_and_not_followed),
        cmocka_unit_test(errors_name_the_path),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
