/*
 * Tests for command/evidence.c: figures from trees as results have them, and the verdict back into
 * one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command/evidence.h"

static json_t *parse(const char *text)
{
    json_error_t err;
    json_t *json = json_loads(text, 0, &err);

    if (json == NULL)
        print_error("%s at %d\n", err.text, err.column);
    assert_non_null(json);
    return json;
}

static void is_near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-6))
        print_error("%g, wanted %g\n", found, wanted);
    assert_true(fabs(found - wanted) < 1e-6);
}

/* Eight sessions on one row of a server elsewhere: no machine. */
static const char locks[] =
    "{\"plan\": {\"connections\": 8, \"pipeline\": false}, \"client\": {\"saturated\": false,"
    " \"shares_cpus\": false, \"workers\": [{\"cpu\": 0.1, \"run_delay\": 0.05}, {\"cpu\": 0.3,"
    " \"run_delay\": null}]}, \"summary\": {\"transactions\": {\"done\": 1000, \"per_s\": 100.0},"
    " \"queries\": {\"total\": 5000}, \"latency_ms\": {\"service\": {\"mean\": 80.0}}},"
    " \"network\": {\"sockets\": 8, \"min_rtt_ms\": 0.8, \"retransmits\": 0},"
    " \"waits\": {\"average_active_sessions\": 7.8, \"classes\": {\"cpu\": 0.2, \"wal\": 5.0,"
    " \"client\": 1.4, \"lock\": 0.9, \"io_read\": 0.3}, \"classes_direct\": {\"cpu\": 0.2,"
    " \"wal\": 0.7, \"client\": 0.7, \"lock\": 5.9, \"io_read\": 0.3}}, \"machine\": {\"server\":"
    " null, \"seconds\": 10.0, \"whole\": {\"busy\": 0.99}}, \"rate\": null}";

static void a_server_elsewhere(void **state)
{
    json_t *result = parse(locks), *verdict, *found;
    struct evidence evidence = evidence_of(result);
    const double *value = evidence.value;

    (void)state;
    is_near(value[FIGURE_CLIENT_BUSY], 0.3);
    is_near(value[FIGURE_ROUND_TRIPS], 5 * 0.8 / 80);
    is_near(value[FIGURE_OUTSIDE], 1 - 6.4 / 8);
    is_near(value[FIGURE_ACTIVE_SHARE], 6.4 / 8);
    is_near(value[FIGURE_WAIT_LOCK], 5.9 / 7.8);
    is_near(value[FIGURE_WAIT_WAL], 5.0 / 7.8);
    assert_true(isnan(value[FIGURE_MACHINE_BUSY])); /* That is the client's machine. */
    assert_true(isnan(value[FIGURE_CHECKPOINTS]));
    verdict = evidence_verdict(result);
    found = json_object_get(verdict, "found");
    assert_string_equal(json_string_value(json_object_get(verdict, "limit")), "row_locks");
    assert_string_equal(json_string_value(json_object_get(found, "holders_at")), "wal");
    assert_string_equal(json_string_value(json_object_get(found, "area")), "database design");
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(found, "evidence"), 0), "name")),
                        "wait_lock");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(verdict, "runner_up"), "name")),
        "wal_flush");
    json_decref(verdict);
    json_decref(result);
}

/* Two checkpoints in ten seconds, both asked for; throughput halves while they run. */
static const char checkpoints[] =
    "{\"phases\": {\"measure\": {\"begin_s\": 2.0}}, \"batch_means\": {\"begin_s\": [0, 1, 2, 3, 4,"
    " 5, 6, 7], \"per_s\": [100, 100, 50, 50, 100, 100, 50, 50]}, \"events\": [{\"kind\":"
    " \"checkpoint\", \"at_s\": 4.0, \"until_s\": 6.0, \"why\": \"requested\"}, {\"kind\":"
    " \"checkpoint\", \"at_s\": 8.0, \"until_s\": null, \"why\": \"requested\"}, {\"kind\":"
    " \"autovacuum\", \"at_s\": 0.0, \"until_s\": 4.0}], \"machine\": {\"seconds\": 8.0,"
    " \"server\": {\"cpu_s\": 4.0}, \"whole\": {\"cpus\": 2, \"cpu_s\": 8.0, \"busy\": 0.5,"
    " \"steal_s\": 1.6}, \"devices\": [{\"busy_s\": 6.0, \"reads\": 1000, \"read_s\": 2.0,"
    " \"read_bytes\": 819200, \"flushes\": 100, \"flush_s\": 4.0}, {\"busy_s\": 2.0, \"reads\": 0,"
    " \"read_s\": 0, \"read_bytes\": 0, \"flushes\": null, \"flush_s\": null}]}, \"statistics\":"
    " {\"seconds\": 8.0, \"database\": {\"blks_read\": 1000, \"temp_bytes\": 16000000}, \"wal\":"
    " {\"position_bytes\": 80000000}}, \"rate\": {\"kept\": true}}";

static void a_server_here(void **state)
{
    json_t *result = parse(checkpoints);
    struct evidence evidence = evidence_of(result);
    const double *value = evidence.value;

    (void)state;
    is_near(value[FIGURE_CHECKPOINTS], 2);
    is_near(value[FIGURE_CHECKPOINT_REQUEST], 1);
    is_near(value[FIGURE_CHECKPOINT_DIP], 0.5);
    is_near(value[FIGURE_AUTOVACUUM], 0.25);
    is_near(value[FIGURE_MACHINE_BUSY], 0.5);
    is_near(value[FIGURE_SERVER_PART], 0.5);
    is_near(value[FIGURE_STEAL], 0.1);
    is_near(value[FIGURE_DEVICE_BUSY], 0.75);
    is_near(value[FIGURE_UTILISATION], 0.75);
    is_near(value[FIGURE_READ_MS], 2);
    is_near(value[FIGURE_FLUSH_MS], 40);
    is_near(value[FIGURE_FLUSH_BUSY], 0.5);
    is_near(value[FIGURE_PAGE_CACHE], 0.9);
    is_near(value[FIGURE_WAL_MB_PER_S], 10);
    is_near(value[FIGURE_TEMP_MB_PER_S], 2);
    is_near(value[FIGURE_OPEN_LOOP], 1);
    is_near(value[FIGURE_RATE_KEPT], 1);
    json_decref(result);
}

static void what_is_left_out(void **state)
{
    json_t *result = parse(
        "{\"phases\": {\"measure\": {\"begin_s\": 10.0, \"seconds\": 5.0}}, \"events\": [{\"kind\":"
        " \"checkpoint\", \"at_s\": 2.0, \"until_s\": 3.0, \"why\": \"requested\"}, {\"kind\":"
        " \"checkpoint\", \"at_s\": 9.0, \"until_s\": null, \"why\": \"timed\"}, {\"kind\":"
        " \"checkpoint\", \"at_s\": 16.0, \"until_s\": 17.0}], \"statistics\": {\"seconds\": 5.0,"
        " \"tables\": {\"seq_tup_read\": 4000000, \"idx_tup_fetch\": 10}}, \"summary\":"
        " {\"transactions\": {\"per_s\": 100.0}, \"latency_ms\": {\"service\": {\"mean\": 10.0}}},"
        " \"target\": {\"pooler\": \"another pid\"}, \"plan\": {\"connections\": 2}, \"waits\":"
        " {\"average_active_sessions\": 0.0, \"classes\": {\"client\": 0.0}}}");
    struct evidence evidence = evidence_of(result);

    (void)state;
    is_near(evidence.value[FIGURE_CHECKPOINTS], 1); /* the others were not in the window */
    is_near(evidence.value[FIGURE_CHECKPOINT_REQUEST], 0);
    is_near(evidence.value[FIGURE_SEQUENTIAL], 0); /* less than a million a second */
    /* Sessions that are never seen behind a pooler are not idle. */
    assert_true(isnan(evidence.value[FIGURE_OUTSIDE]));
    assert_true(isnan(evidence.value[FIGURE_ACTIVE_SHARE]));
    json_object_set_new(json_object_get(json_object_get(result, "statistics"), "tables"),
                        "seq_tup_read", json_integer(90000000));
    json_object_set_new(json_object_get(result, "target"), "pooler", json_null());
    evidence = evidence_of(result);
    assert_true(evidence.value[FIGURE_SEQUENTIAL] > 0.99);
    is_near(evidence.value[FIGURE_OUTSIDE], 1);
    json_decref(result);
}

/* Rates are over the load, not over what was waited for beside it; a limit of a control group that
 * is met for an instant on many CPUs stops nobody. */
static void over_what_time(void **state)
{
    json_t *result =
        parse("{\"phases\": {\"measure\": {\"begin_s\": 0.0, \"seconds\": 2.0}}, \"statistics\": "
              "{\"seconds\":"
              " 4.0, \"lag_s\": 0, \"wal\": {\"position_bytes\": 8000000}}, \"machine\": "
              "{\"seconds\": 2.0,"
              " \"server\": {\"cpu_s\": 1.0}, \"cgroup\": {\"throttled_s\": 1.5, \"periods\": 20,"
              " \"periods_throttled\": 1}}}");
    struct evidence evidence = evidence_of(result);

    (void)state;
    assert_true(isnan(evidence.value[FIGURE_NO_FLUSH]));
    is_near(evidence.value[FIGURE_WAL_MB_PER_S], 4);
    is_near(evidence.value[FIGURE_THROTTLED], 0.05);
    json_object_set_new(json_object_get(result, "statistics"), "lag_s", json_integer(1));
    json_object_set_new(result, "durability",
                        json_pack("{s:s, s:s}", "fsync", "on", "synchronous_commit", "off"));
    is_near(evidence_of(result).value[FIGURE_NO_FLUSH], 1);
    json_object_del(json_object_get(json_object_get(result, "machine"), "cgroup"), "periods");
    evidence = evidence_of(result);
    is_near(evidence.value[FIGURE_WAL_MB_PER_S], 2);
    is_near(evidence.value[FIGURE_THROTTLED], 0.75);
    json_decref(result);
}

static void nothing_is_unknown(void **state)
{
    json_t *result = json_object(), *verdict = evidence_verdict(result);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(verdict, "limit")), "unknown");
    assert_true(json_is_null(json_object_get(verdict, "found")));
    assert_true(json_array_size(json_object_get(verdict, "missing")) > 0);
    json_decref(verdict);
    json_decref(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_elsewhere), cmocka_unit_test(a_server_here),
        cmocka_unit_test(what_is_left_out),   cmocka_unit_test(over_what_time),
        cmocka_unit_test(nothing_is_unknown),
    };

    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
