/* A copy of the data: saved once, put back whole, whatever was left half done; never by a link. */
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
#include "server/server.h"

#define MAJOR 17
#define HOME  "pgdyno/benches/test/17"

static char top[] = "/tmp/pgdyno-saved-XXXXXX";

static const char *below(const char *name)
{
    static char path[2][256];
    static int turn;

    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/" HOME "/%s", top, name);
    return path[turn];
}

static void write_data(const char *content)
{
    struct error err;

    assert_true(folder_make(below("data/base"), 0755, &err));
    assert_true(folder_write(below("data/base/rows"), content, 0644, &err));
}

static void expect(const char *name, const char *content)
{
    char *found = folder_read(below(name));

    assert_non_null(found);
    assert_string_equal(found, content);
    memory_free(found);
}

static int begin(void **state)
{
    struct error err;

    (void)state;
    if (mkdtemp(top) == NULL || chmod(top, 0755) < 0)
        return -1;
    setenv("XDG_STATE_HOME", top, 1);
    setenv("PGDYNO_SERVERS", "test", 1);
    return folder_make(below("data"), 0755, &err) &&
                   folder_write(below("pgdyno-server"), "pgdyno server 1\nmajor = 17\n", 0644, &err)
               ? 0
               : -1;
}

static int end(void **state)
{
    struct error err;

    (void)state;
    return folder_remove(top, &err) ? 0 : -1;
}

/* As the data folder must not be root's, its owner is the account. */
static void own(void)
{
    if (geteuid() == 0)
        assert_int_equal(lchown(below("data"), 65534, 65534), 0);
}

static void put_back_as_it_was(void **state)
{
    static const struct server_options options;
    struct error err;

    (void)state;
    write_data("loaded");
    own();
    assert_false(server_restore(MAJOR, &options, &err));
    assert_true(server_save(MAJOR, &options, &err));
    for (int i = 0; i < 2; i++) {
        write_data("what runs left");
        assert_true(folder_write(below("data/more"), "of a run", 0644, &err));
        /* One that was killed while it copied. */
        assert_true(folder_make(below("data.new/base"), 0755, &err));
        assert_true(folder_write(below("data.new/base/half"), "", 0644, &err));
        assert_true(server_restore(MAJOR, &options, &err));
        expect("data/base/rows", "loaded");
        expect("saved/base/rows", "loaded");
        assert_int_not_equal(access(below("data/more"), F_OK), 0);
        assert_int_not_equal(access(below("data/base/half"), F_OK), 0);
        assert_int_not_equal(access(below("data.new"), F_OK), 0);
    }
    /* One that was killed where the file system cannot exchange two folders. */
    assert_true(folder_remove(below("data"), &err));
    assert_true(server_restore(MAJOR, &options, &err));
    expect("data/base/rows", "loaded");
}

/* A copy of a link would be the data themselves, and nothing would ever be put back. */
static void links_are_left_alone(void **state)
{
    static const struct server_options options;
    struct error err;

    (void)state;
    write_data("elsewhere");
    assert_int_equal(rename(below("data"), below("moved")), 0);
    assert_int_equal(symlink("moved", below("data")), 0);
    own();
    assert_false(server_save(MAJOR, &options, &err));
    assert_non_null(strstr(err.text, "left alone"));
    assert_false(server_restore(MAJOR, &options, &err));
    assert_non_null(strstr(err.text, "left alone"));
    expect("moved/base/rows", "elsewhere");
    expect("saved/base/rows", "loaded");
}

static void one_bench_has_them(void **state)
{
    struct error err;
    int hold = server_hold(&err), other;

    (void)state;
    assert_true(hold >= 0);
    assert_int_equal(server_hold(&err), -1);
    assert_int_equal(err.kind, ERROR_PLAN);
    setenv("PGDYNO_SERVERS", "other", 1);
    other = server_hold(&err);
    assert_true(other >= 0);
    close(other);
    setenv("PGDYNO_SERVERS", "test", 1);
    close(hold);
    hold = server_hold(&err);
    assert_true(hold >= 0);
    close(hold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_back_as_it_was),
        cmocka_unit_test(one_bench_has_them),
        cmocka_unit_test(links_are_left_alone),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
