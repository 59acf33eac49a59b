/*
 * folder_test.c - the result directory: names, what lies in it, and disks that do not take it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "frozen.h"
#include "golden/golden.h"
#include "scratch.h"

#define WALL_NS (INT64_C(1796062500) * 1000000000)

static char *folder;

static int open_folder(void **state)
{
    (void)state;
    folder = scratch_open();
    return 0;
}

static int close_folder(void **state)
{
    char *disk = memory_format("%s/disk", folder);

    (void)state;
    umount2(disk, MNT_DETACH); /* full_disk's own, when it failed before its end */
    memory_free(disk);
    scratch_close(folder);
    return 0;
}

static char *read_in(const char *path, const char *name)
{
    char *whole = memory_format("%s/%s", path, name);
    char *bytes = golden_read(whole);

    memory_free(whole);
    return bytes;
}

static bool is_there(const char *path, const char *name)
{
    char *whole = memory_format("%s/%s", path, name);
    bool there = access(whole, F_OK) == 0;

    memory_free(whole);
    return there;
}

static struct store *begin(const char *results, const char *label)
{
    struct error err = { 0 };
    struct store *store = store_begin(results, "null", label, WALL_NS, &err);

    if (store == NULL)
        fail_msg("%s", err.text);
    return store;
}

static void check_name(struct store *store, const char *results, const char *name)
{
    char *wanted = memory_format("%s/%s", results, name);

    assert_string_equal(store_path(store), wanted);
    memory_free(wanted);
    store_abandon(store);
}

/* The clock's stamp of WALL_NS is 20261130T181500Z. Folders on the way are made. */
static void names_do_not_collide(void **state)
{
    char *deep = memory_format("%s/a//b/", folder);

    (void)state;
    check_name(begin(folder, NULL), folder, "20261130T181500Z-null");
    check_name(begin(folder, NULL), folder, "20261130T181500Z-null-2");
    check_name(begin(folder, ""), folder, "20261130T181500Z-null-3");
    check_name(begin(folder, "a.B_7-"), folder, "20261130T181500Z-null-a.B_7-");
    check_name(begin(deep, NULL), deep, "20261130T181500Z-null");
    memory_free(deep);
}

static void labels_are_checked(void **state)
{
    char much[66] = "";
    const char *const bad[] = { "a/b", "..\n", "a b", "\xc3\xa4", "a\x1b[m", "$(x)", much };

    (void)state;
    memset(much, 'x', sizeof much - 1);
    for (int i = 0; i < COUNT_OF(bad); i++) {
        struct error err = { 0 };
        assert_null(store_begin(folder, "null", bad[i], WALL_NS, &err));
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}

/* Root may write anywhere, so the folder that takes nothing is a file. */
static void unwritable(void **state)
{
    char *file = memory_format("%s/file", folder), *under = memory_format("%s/file/x", folder);
    struct error err = { 0 };

    (void)state;
    fclose(fopen(file, "w"));
    assert_null(store_begin(file, "null", NULL, WALL_NS, &err));
    assert_int_equal(err.kind, ERROR_MACHINE);
    assert_non_null(strstr(err.text, file));
    assert_non_null(strstr(err.text, strerror(ENOTDIR)));
    assert_null(store_begin(under, "null", NULL, WALL_NS, &err));
    assert_int_equal(err.kind, ERROR_MACHINE);
    memory_free(file);
    memory_free(under);
}

static void log_is_one_line_each(void **state)
{
    struct store *store = begin(folder, NULL);
    char *path = memory_text(store_path(store)), *log;

    (void)state;
    store_log(store, "first");
    store_log(store, FROZEN_HOSTILE);
    store_abandon(store);
    log = read_in(path, "run.log");
    assert_non_null(strstr(log, "Z first\n"));
    assert_non_null(strstr(log, "evil\\x1B]0;owned\\x07"));
    assert_null(strchr(log, '\x1b'));
    assert_int_equal(strlen(log) - strlen(strrchr(log, '\n')), strlen(log) - 1);
    assert_false(is_there(path, "result.json"));
    assert_false(is_there(path, "result.json.part"));
    memory_free(log);
    memory_free(path);
}

/* Runs `sha256sum -c` in the folder; gives its exit code. */
static int check_sums(const char *path)
{
    pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        if (chdir(path) == 0)
            execlp("sha256sum", "sha256sum", "--status", "--strict", "-c", "sha256sums", NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *finish_closed(struct error *err, bool *finished)
{
    struct store *store = begin(folder, "closed");
    char *path = memory_text(store_path(store));
    struct frozen frozen;
    json_t *result;

    frozen_closed(&frozen, store);
    store_series(store, json_pack("{s:i}", "x", 1));
    store_series(store, json_pack("{s:s}", "y", "two\nlines"));
    result = store_result(&frozen.run);
    *finished = store_finish(store, &frozen.run, result, err);
    json_decref(result);
    frozen_close(&frozen);
    return path;
}

static void a_whole_result(void **state)
{
    static const char *const names[] = { "result.json", "series.jsonl", "latency.hlog",
                                         "before.json", "after.json",   "run.log" };
    struct error err = { 0 };
    bool finished;
    char *path = finish_closed(&err, &finished), *sums, *series;
    json_t *result;

    (void)state;
    assert_true(finished);
    result = store_read(path, &err);
    assert_non_null(result);
    assert_int_equal(json_integer_value(store_find(result, "summary.transactions.done")), 800);
    json_decref(result);
    sums = read_in(path, "sha256sums");
    for (int i = 0; i < COUNT_OF(names); i++)
        assert_non_null(strstr(sums, names[i]));
    assert_null(strstr(sums, ".part"));
    assert_false(is_there(path, "result.json.part"));
    assert_int_equal(check_sums(path), 0);
    series = read_in(path, "series.jsonl");
    assert_string_equal(series, "{\"x\":1}\n{\"y\":\"two\\nlines\"}\n");
    memory_free(series);
    memory_free(sums);
    memory_free(path);
}

static void a_changed_file_is_seen(void **state)
{
    struct error err = { 0 };
    bool finished;
    char *path = finish_closed(&err, &finished), *log = memory_format("%s/run.log", path);
    FILE *file = fopen(log, "a");

    (void)state;
    fputs("added\n", file);
    fclose(file);
    assert_int_equal(check_sums(path), 1);
    memory_free(log);
    memory_free(path);
}

/* Adds up the lines of a tag, as any reader of the log does. */
static int64_t sum_of_tag(const char *log, const char *tag)
{
    char *mark = memory_format("Tag=%s,", tag);
    struct histogram *sum = histogram_new(), *one = histogram_new();
    int64_t count;

    for (const char *at = log; (at = strstr(at, mark)) != NULL; at += strlen(mark)) {
        size_t length = strcspn(at, "\n");
        char *line = memory_format("%.*s", (int)length, at);
        assert_true(histogram_decode(one, strrchr(line, ',') + 1));
        histogram_merge(sum, one);
        memory_free(line);
    }
    count = sum->count;
    histogram_free(sum);
    histogram_free(one);
    memory_free(mark);
    return count;
}

static void the_log_of_times_adds_up(void **state)
{
    struct error err = { 0 };
    bool finished;
    char *path = finish_closed(&err, &finished), *log = read_in(path, "latency.hlog");

    (void)state;
    assert_int_equal(sum_of_tag(log, "warmup/point_select"), 400);
    assert_int_equal(sum_of_tag(log, "measure/point_select"), 800);
    assert_int_equal(sum_of_tag(log, "measure/statement/point_select"), 800);
    assert_int_equal(sum_of_tag(log, "connect"), 8);
    assert_null(strstr(log, "/queue"));
    memory_free(log);
    memory_free(path);
}

/* ---- a disk that fills up: a tmpfs of our own ---- */

static void fill(const char *path, off_t leave_bytes)
{
    char *name = memory_format("%s/filler", path), block[4096] = { 0 };
    FILE *file = fopen(name, "w");

    setvbuf(file, NULL, _IONBF, 0);
    while (fwrite(block, 1, sizeof block, file) == sizeof block)
        ;
    if (leave_bytes > 0)
        assert_int_equal(ftruncate(fileno(file), ftell(file) - leave_bytes), 0);
    fclose(file);
    memory_free(name);
}

static void full_disk(void **state)
{
    char *disk = memory_format("%s/disk", folder), *path;
    struct error err = { 0 };
    struct frozen frozen;
    struct store *store;
    json_t *result;

    (void)state;
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("none", disk, "tmpfs", 0, "size=4m") != 0) {
        memory_free(disk);
        skip();
    }
    store = store_begin(disk, "null", NULL, WALL_NS, &err);
    assert_non_null(store);
    path = memory_text(store_path(store));
    fill(disk, 0);
    frozen_closed(&frozen, store); /* its intervals find no room */
    result = store_result(&frozen.run);
    assert_false(store_finish(store, &frozen.run, result, &err));
    json_decref(result);
    assert_int_equal(err.kind, ERROR_MACHINE);
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    assert_non_null(strstr(err.text, "result.json is there"));
    /* The room that was set aside: there is a result, and it tells. */
    result = store_read(path, &err);
    assert_non_null(result);
    assert_non_null(strstr(
        json_string_value(json_array_get(json_object_get(result, "notes"),
                                         json_array_size(json_object_get(result, "notes")) - 1)),
        "is not complete"));
    json_decref(result);
    frozen_close(&frozen);
    fill(disk, 0);
    assert_null(store_begin(disk, "null", NULL, WALL_NS, &err));
    assert_int_equal(err.kind, ERROR_MACHINE);
    memory_free(path);
    memory_free(disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_do_not_collide, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(labels_are_checked, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(unwritable, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(log_is_one_line_each, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(a_whole_result, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(a_changed_file_is_seen, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(the_log_of_times_adds_up, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(full_disk, open_folder, close_folder),
    };

    return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
