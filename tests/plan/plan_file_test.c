/*
 * plan_file_test.c - what a plan means, and what is said of one that means nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "plan/plan_file.h"

struct family {
    int64_t tables, table_size;
};

static const struct option family_rows[] = {
    { .name = "tables",
      .type = OPTION_WHOLE,
      .at = offsetof(struct family, tables),
      .low = 1,
      .high = 100,
      .topic = "oltp",
      .help = "tables" },
    { .name = "table-size",
      .type = OPTION_WHOLE,
      .at = offsetof(struct family, table_size),
      .low = 0,
      .high = 1e9,
      .marks = OPTION_SCALES,
      .topic = "oltp",
      .help = "rows" },
    { .name = NULL },
};

static bool family_options(const char *workload, const char *compat, const struct option **rows)
{
    *rows = compat == NULL ? family_rows : NULL;
    return strcmp(workload, "point") == 0 || strcmp(workload, "range") == 0;
}

static const char *nearest_workload(const char *workload)
{
    return strcmp(workload, "piont") == 0 ? "point" : NULL;
}

static const char *const suites[] = { "micro", NULL };
static const char *const suite_workloads[] = { "point", NULL };

static const struct plan_words words = { .options = family_options,
                                         .nearest = nearest_workload,
                                         .suites = suites,
                                         .suite_workloads = suite_workloads };

struct reading {
    struct arena *arena;
    struct plan_file plan;
    struct error err;
};

static bool read_scaled(struct reading *reading, const char *content, double scale, double time)
{
    reading->arena = arena_new(64 << 20);
    return plan_file_read(&(struct plan_file_source){ .path = "p.yaml",
                                                      .content = content,
                                                      .size = strlen(content),
                                                      .words = &words,
                                                      .scale = scale,
                                                      .time = time },
                          reading->arena, &reading->plan, &reading->err);
}

static void done(struct reading *reading)
{
    plan_file_close(&reading->plan);
    arena_free(reading->arena);
}

static const char *item(const struct plan_file_row *row, const char *key)
{
    for (int i = 0; i < row->item_count; i++)
        if (strcmp(row->items[i].key, key) == 0)
            return row->items[i].value;
    return "";
}

static const char whole[] = "name: mine\n"
                            "about: two of a kind\n"
                            "seed: 7\n"
                            "targets:\n"
                            "  - {name: old, target: 'local:12', settings: [a.conf, b.conf]}\n"
                            "  - {name: new, target: \"$NEW\", price: {compute_month: 280}}\n"
                            "workloads:\n"
                            "  - {workload: point, connections: [1, 2], table_size: [10k, 50k],\n"
                            "     time: 10s, warmup: 2, percentiles: [50, 99]}\n"
                            "  - {workload: range, tables: 4}\n"
                            "  - {suite: micro, read-time: 600s, tables: 8}\n"
                            "load: {connections: 4}\n"
                            "precondition: [checkpoint, quiet]\n"
                            "quiet-limit: 2min\n"
                            "repeats: 6\n"
                            "restore: reload\n"
                            "on-failure: stop\n";

static void a_whole_plan(void **state)
{
    struct reading reading;
    const struct plan_file *plan = &reading.plan;

    (void)state;
    if (!read_scaled(&reading, whole, 1, 1))
        fail_msg("%s", reading.err.text);
    assert_string_equal(plan->name, "mine");
    assert_int_equal(plan->seed, 7);
    assert_int_equal(plan->target_count, 2);
    assert_int_equal(plan->targets[0].settings_count, 2);
    assert_string_equal(plan->targets[1].target, "$NEW");
    assert_true(json_number_value(json_object_get(plan->targets[1].price, "compute_month")) == 280);
    assert_int_equal(plan->repeats, 6);
    assert_int_equal(plan->restore, RESTORE_RELOAD);
    assert_int_equal(plan->preconditions, PRECONDITION_CHECKPOINT | PRECONDITION_QUIET);
    assert_true(plan->quiet_limit_ns == INT64_C(120000000000));
    assert_true(plan->stop_on_failure);
    assert_int_equal(plan->load_count, 1);
    done(&reading);
}

static void a_list_is_a_grid(void **state)
{
    struct reading reading;
    const struct plan_file_row *rows;

    (void)state;
    assert_true(read_scaled(&reading, whole, 1, 1));
    rows = reading.plan.rows;
    assert_int_equal(reading.plan.row_count, 6);
    assert_string_equal(rows[0].name, "point connections=1 table-size=10k");
    assert_string_equal(rows[1].name, "point connections=1 table-size=50k");
    assert_string_equal(rows[3].name, "point connections=2 table-size=50k");
    assert_string_equal(item(&rows[3], "percentiles"), "50,99");
    assert_string_equal(rows[4].name, "range");
    assert_null(rows[5].workload);
    assert_string_equal(rows[5].suite, "micro");
    assert_true(rows[5].suite_ns[0] == INT64_C(600000000000));
    assert_true(rows[5].suite_ns[1] == -1);
    done(&reading);
}

static void sizes_and_times_have_factors(void **state)
{
    struct reading reading;
    const struct plan_file_row *row;

    (void)state;
    assert_true(read_scaled(&reading, whole, 0.00004, 0.05));
    row = &reading.plan.rows[3];
    assert_string_equal(item(row, "table-size"), "2");
    assert_string_equal(item(row - 1, "table-size"), "1"); /* never nothing */
    assert_string_equal(item(row, "time"), "500ms");
    assert_string_equal(item(row, "warmup"), "100ms");
    assert_string_equal(item(row, "connections"), "2");
    assert_string_equal(item(&reading.plan.rows[4], "tables"), "4");
    done(&reading);
    assert_true(read_scaled(&reading, whole, 3, 60));
    assert_string_equal(item(&reading.plan.rows[0], "table-size"), "30000");
    assert_string_equal(item(&reading.plan.rows[0], "time"), "600s");
    assert_true(reading.plan.rows[5].suite_ns[0] == INT64_C(36000000000000));
    done(&reading);
}

#define HEAD    "name: x\ntargets: [{name: a, target: local}]\n"
#define TARGETS "name: x\nworkloads: [{workload: point}]\ntargets:\n- "
#define ROW     HEAD "workloads:\n- "
#define GOOD    HEAD "workloads: [{workload: point}]\n"

static const struct {
    const char *content, *says;
} wrong[] = {
    { "", "p.yaml:1:1: the plan is empty" },
    { "[", "p.yaml:2:1: did not find" },
    { "- a", "p.yaml:1:1: found a list, wanted is a mapping" },
    { "name: x\nname: y", "p.yaml:2:1: name: stands here twice, first in line 1" },
    { "nmae: x", "p.yaml:1:7: unknown key nmae: did you mean name?" },
    { "a: &x [b]\n", "anchors and aliases" },
    { "a: *x\n", "anchors and aliases" },
    { "a:\n\t- b\n", "if it is a tab, indent with spaces" },
    { "a: !!int 3", "tags" },
    { GOOD "--- b", "p.yaml:4:1: a plan is one document" },
    { "[[[[[[[[[]]]]]]]]]", "nested too deeply" },
    { "? [a]\n: b", "a key must be a plain word" },
    { "name: x", "p.yaml:1:1: a plan needs the key targets" },
    { HEAD, "a plan needs the key workloads" },
    { "name: a b", "p.yaml:1:7: name: found a b, wanted are 1 to 40 letters" },
    { GOOD "repeats: 0", "p.yaml:4:10: repeats: found 0, wanted is a whole number, 1 to 1000" },
    { GOOD "repeats: many", "repeats: found many" },
    { GOOD "restore: rewind",
      "restore: found rewind, allowed is one of keep, copy, template, reload" },
    { GOOD "precondition: [vacum]",
      "p.yaml:4:16: found vacum, allowed is none, or a list of vacuum, checkpoint, quiet" },
    { GOOD "quiet-limit: soon", "quiet-limit: found soon, wanted is a time" },
    { "targets: []", "p.yaml:1:10: targets: found a list, wanted is a list of 1 to 64 targets" },
    { TARGETS "{name: a}", "p.yaml:4:3: a target needs a target" },
    { TARGETS "{name: a, target: here}", "p.yaml:4:21: target: found here, wanted is local" },
    { TARGETS "{name: a, target: 'local:x'}", "target: found local:x" },
    { TARGETS "{name: a, target: local, setings: b}",
      "unknown key setings: did you mean settings?" },
    { TARGETS "{name: a, target: local}\n- {name: a, target: local}",
      "p.yaml:5:3: name: a is the target of line 4 already" },
    { TARGETS "{name: a, target: host=x, settings: b}", "settings and pg-bin are for local" },
    { TARGETS "{name: a, target: local, price: {x: y}}", "x: found y, wanted is a number" },
    { TARGETS "{name: a, target: host=x}\nrestore: copy", "p.yaml:5:10: restore: copy copies" },
    { ROW "{workload: piont}", "p.yaml:4:14: workload: found piont, which is no workload: did "
                               "you mean point?" },
    { ROW "{tables: 3}", "wanted is one of workload and suite" },
    { ROW "{suite: macro}", "suite: found macro, wanted is a suite: micro" },
    { ROW "{workload: point, conections: 3}",
      "p.yaml:4:33: unknown key conections: did you mean connections?" },
    { ROW "{workload: point, tables: 0}",
      "p.yaml:4:29: tables: --tables=0: too small, the least is 1" },
    { ROW "{workload: point, tables: [1, 101]}", "p.yaml:4:33: tables: --tables=101: too large" },
    { ROW "{workload: point, tables: []}", "tables: a list of values needs 1 to 1024" },
    { ROW "{workload: point, tables: {a: b}}", "tables: found a mapping, wanted is one value" },
    { ROW "{workload: point, target: local}", "where the server is belongs to a target" },
    { ROW "{workload: point, pgsql-password: x}", "unknown key pgsql-password" },
    { ROW "{workload: point, seed: 3}", "seed: this is not said here" },
    { ROW "{workload: point, label: x}", "label: this is not said here" },
    { ROW "{workload: point, tables: 1, tables: 2}", "stands here twice" },
    { ROW "{workload: point}\n- {workload: point}", "there is another workload called point" },
    { ROW "{workload: point, read-time: 3s}", "unknown key read-time" },
    { ROW "{workload: point, name: 'a b'}", "name: found a b" },
    { GOOD "load: {conections: 3}", "unknown key conections" },
};

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        struct reading reading;

        if (read_scaled(&reading, wrong[i].content, 1, 1))
            fail_msg("taken: %s", wrong[i].content);
        if (strstr(reading.err.text, wrong[i].says) == NULL)
            fail_msg("%s\n  says: %s\n  not:  %s", wrong[i].content, reading.err.text,
                     wrong[i].says);
        assert_int_equal(reading.err.kind, ERROR_PLAN);
        done(&reading);
    }
}

static void a_password_is_refused_and_not_repeated(void **state)
{
    static const char *const targets[] = { "host=a password=hunter2", "postgresql://u:hunter2@h/d",
                                           "host=a PASSWORD = hunter2" };

    (void)state;
    for (int i = 0; i < COUNT_OF(targets); i++) {
        struct reading reading;
        char content[256];

        snprintf(content, sizeof content, TARGETS "{name: a, target: '%s'}", targets[i]);
        assert_false(read_scaled(&reading, content, 1, 1));
        assert_non_null(strstr(reading.err.text, "PGPASSFILE"));
        assert_null(strstr(reading.err.text, "hunter2"));
        done(&reading);
    }
}

static void what_it_holds_is_bounded(void **state)
{
    struct reading reading;
    struct text text;

    (void)state;
    text_init(&text, 2 << 20);
    text_add(&text, "a: [");
    for (int i = 0; i < 30000; i++)
        text_add(&text, "1,");
    text_add(&text, "]");
    assert_false(read_scaled(&reading, text.bytes, 1, 1));
    assert_non_null(strstr(reading.err.text, "too large"));
    done(&reading);
    while (text.length <= 1 << 20)
        text_add(&text, "# a long story              \n");
    assert_false(read_scaled(&reading, text.bytes, 1, 1));
    assert_non_null(strstr(reading.err.text, "at most 1 MB"));
    done(&reading);
    text_close(&text);
}

static void settings_that_act(void **state)
{
    static const char *const refused[] = {
        "archive_command", "Restore_Command",  "shared_preload_libraries",
        "archive_library", "include",          "include_if_exists",
        "data_directory",  "listen_addresses", "unix_socket_directories"
    };
    static const char *const taken[] = { "shared_buffers", "jit", "log_statement", "fsync" };

    (void)state;
    for (int i = 0; i < COUNT_OF(refused); i++)
        assert_non_null(plan_refuses_setting(refused[i]));
    for (int i = 0; i < COUNT_OF(taken); i++)
        assert_null(plan_refuses_setting(taken[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_plan),
        cmocka_unit_test(a_list_is_a_grid),
        cmocka_unit_test(sizes_and_times_have_factors),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(a_password_is_refused_and_not_repeated),
        cmocka_unit_test(what_it_holds_is_bounded),
        cmocka_unit_test(settings_that_act),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
