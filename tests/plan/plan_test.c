/*
 * plan_test.c - where the target is, and what a plan must not say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "plan/plan.h"

#define LONG_LABEL "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-"

static struct plan default_plan(struct arena *arena)
{
    struct plan plan = { 0 };
    struct option_group group = { .rows = plan_options, .base = &plan };

    option_defaults(&group, 1, arena);
    return plan;
}

static void target_by_the_rule(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct plan plan = default_plan(arena);
    struct plan_environment empty = { 0 }, blank = { .host = "", .service = "" };
    struct plan_environment host = { .host = "db" }, port = { .port = "5433" },
                            service = { .service = "s" }, database = { .database = "d" };

    (void)state;
    assert_string_equal(plan_target_from(&plan, &empty, arena), "local");
    assert_string_equal(plan_target_from(&plan, &blank, arena), "local");
    assert_string_equal(plan_target_from(&plan, &host, arena), "");
    assert_string_equal(plan_target_from(&plan, &port, arena), "");
    assert_string_equal(plan_target_from(&plan, &service, arena), "");
    assert_string_equal(plan_target_from(&plan, &database, arena), "");
    host.target = "host=secret";
    assert_string_equal(plan_target_from(&plan, &host, arena), "host=secret");
    plan.pgsql_host = "/run/x";
    plan.pgsql_db = "it's \\ here";
    plan.pgsql_sslmode = "require";
    assert_string_equal(plan_target_from(&plan, &host, arena),
                        "host='/run/x' sslmode='require' dbname='it\\'s \\\\ here'");
    plan.pgsql_db = "dbname=x connect_timeout=3";
    assert_string_equal(plan_target_from(&plan, &host, arena),
                        "host='/run/x' sslmode='require' dbname=x connect_timeout=3");
    plan.target = "local:17";
    assert_string_equal(plan_target_from(&plan, &host, arena), "local:17");
    arena_free(arena);
}

static void local_targets(void **state)
{
    static const struct {
        const char *target;
        bool local, wrong;
        int major;
    } rows[] = {
        { "local", true, false, 0 },       { "local:17", true, false, 17 },
        { "local:", false, true, 0 },      { "local:9.6", false, true, 0 },
        { "local:x", false, true, 0 },     { "local:-1", false, true, 0 },
        { "local:0", false, true, 0 },     { "local:99999999999999", false, true, 0 },
        { "localhost", false, false, 0 },  { "", false, false, 0 },
        { "host=local", false, false, 0 }, { "Local", false, false, 0 },
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(rows); i++) {
        struct error err = { .kind = ERROR_BUG };
        int major = -1;
        bool local = plan_target_local(rows[i].target, &major, &err);

        if (local != rows[i].local || major != rows[i].major ||
            (err.kind == ERROR_USAGE) != rows[i].wrong)
            fail_msg("%s", rows[i].target);
    }
}

static void refuses(const struct plan *plan, const char *message)
{
    struct error err = { 0 };

    assert_false(plan_check(plan, &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    if (strstr(err.text, message) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, message);
}

static void combinations_are_checked(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct plan good = default_plan(arena), plan = good;
    struct error err = { 0 };

    (void)state;
    assert_true(plan_check(&good, &err));
    plan.time_ns = 0;
    refuses(&plan, "a run needs an end");
    plan.transactions = 5;
    assert_true(plan_check(&plan, &err));
    plan = good;
    plan.target = "host=a";
    plan.pgsql_host = "b";
    refuses(&plan, "give one of them");
    plan = good;
    plan.target = "geheim";
    refuses(&plan, "--target is no target");
    assert_null(strstr(err.text, "geheim"));
    plan.target = "";
    refuses(&plan, "--target is empty");
    plan.target = "local:x";
    refuses(&plan, "local:17");
    plan = good;
    plan.target = "host=a";
    plan.settings = "f";
    refuses(&plan, "--settings is for a local target");
    plan.target = "local";
    assert_true(plan_check(&plan, &err));
    plan = good;
    plan.pgsql_db = "postgresql://x/y";
    assert_true(plan_check(&plan, &err));
    plan.pgsql_user = "u";
    refuses(&plan, "leave the other");
    plan = good;
    plan.terminals = 200;
    plan.connections = 200;
    assert_true(plan_check(&plan, &err));
    plan.connections = 203;
    refuses(&plan, "3 of these would have nothing to do");
    plan.connections = 8;
    plan.rate_per_s = 10;
    refuses(&plan, "leave --rate");
    plan.rate_per_s = 0;
    plan.think_ns = 1;
    refuses(&plan, "leave --think");
    plan.think_ns = 0;
    plan.engine = ENGINE_THREAD;
    refuses(&plan, "--engine=coroutine");
    plan.engine = ENGINE_COROUTINE;
    plan.terminals = TERMINALS_FULL; /* known later, and then checked again */
    plan.connections = 100000;
    assert_true(plan_check(&plan, &err));
    plan = good;
    plan.results = "";
    refuses(&plan, "--results");
    arena_free(arena);
}

static void labels(void **state)
{
    static const char *const good[] = { "a", "pg17.2_x-Y", ".." };
    static const char *const bad[] = { "",    "a b",      "a/b", "../x",
                                       "a\n", "\xc3\xa9", "a:b", LONG_LABEL };
    struct arena *arena = arena_new(1 << 20);
    struct plan plan = default_plan(arena);
    struct error err = { 0 };

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++) {
        plan.label = good[i];
        assert_true(plan_check(&plan, &err));
    }
    for (int i = 0; i < COUNT_OF(bad); i++) {
        plan.label = bad[i];
        refuses(&plan, "--label");
    }
    arena_free(arena);
}

static void a_count_without_a_time_has_no_time(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct plan plan = default_plan(arena);

    (void)state;
    plan_settle(&plan, false);
    assert_int_equal(plan.time_ns, INT64_C(10000000000));
    plan.transactions = 7;
    plan_settle(&plan, true);
    assert_int_equal(plan.time_ns, INT64_C(10000000000));
    plan_settle(&plan, false);
    assert_int_equal(plan.time_ns, 0);
    arena_free(arena);
}

static void names_as_sql_says_them(void **state)
{
    (void)state;
    assert_string_equal(protocol_name(PROTOCOL_EXTENDED), "extended");
    assert_string_equal(isolation_name(ISOLATION_REPEATABLE_READ), "repeatable read");
    assert_string_equal(isolation_name(99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(target_by_the_rule),
        cmocka_unit_test(local_targets),
        cmocka_unit_test(combinations_are_checked),
        cmocka_unit_test(labels),
        cmocka_unit_test(a_count_without_a_time_has_no_time),
        cmocka_unit_test(names_as_sql_says_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
