/*
 * real_check.c - the engine on a real PostgreSQL: what it counts is what the tables say.
 * tests/real/engine_test.py starts the server and names it in PGDYNO_ENGINE_CONNINFO.
 */
#include "stage.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#define TABLES_MAX 40

static const char *conninfo;
static PGconn *admin;

static char *ask(const char *sql)
{
    static char answer[256];
    PGresult *result = PQexec(admin, sql);

    if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(admin));
    answer[0] = '\0';
    if (PQntuples(result) > 0)
        snprintf(answer, sizeof answer, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    return answer;
}

/* Tables ledger1, ... with all counters at 0. */
static void make_tables(int tables)
{
    char sql[400];

    for (int i = 1; i <= TABLES_MAX; i++) {
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS ledger%d", i);
        ask(sql);
    }
    for (int i = 1; i <= tables; i++) {
        snprintf(sql, sizeof sql,
                 "CREATE TABLE ledger%d AS SELECT id, 0::bigint AS n, ''::text AS note"
                 " FROM generate_series(1, %d) id; ALTER TABLE ledger%d ADD PRIMARY KEY (id)",
                 i, LEDGER_COUNTER, i);
        ask(sql);
    }
}

/* An expression over all rows of all tables. */
static char *ask_all(int tables, const char *expression)
{
    struct text sql;
    char *answer;

    text_init(&sql, 1 << 16);
    text_format(&sql, "SELECT %s FROM (", expression);
    for (int i = 1; i <= tables; i++)
        text_format(&sql, "%s SELECT %d AS t, * FROM ledger%d", i > 1 ? " UNION ALL" : "", i, i);
    text_add(&sql, ") rows");
    answer = ask(sql.bytes);
    text_close(&sql);
    return answer;
}

/* ---- increments ---- */

static void counters_equal_commits(void **state)
{
    enum ledger_kind kind = LEDGER_TRANSFER;
    struct stage stage;
    char expected[32];
    int64_t retried = 0;

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        make_tables(3);
        stage_plan(&stage, &kind, 1, 600);
        stage_form(&stage, form);
        stage.plan.connections = 8;
        stage.plan.workers = 2;
        stage.plan.isolation = ISOLATION_SERIALIZABLE;
        stage.plan.retries = 1000;
        stage.world.instances = 3;
        stage.world.counters = 10;
        stage_run(&stage, conninfo);
        assert_int_equal(stage_outcome(&stage, OUTCOME_COMMITTED), 600);
        snprintf(expected, sizeof expected, "%d", 600 * LEDGER_PICKS);
        assert_string_equal(ask_all(3, "sum(n)"), expected);
        assert_int_equal(stage_errors(&stage, NULL),
                         stage_errors(&stage, "40001") + stage_errors(&stage, "40P01"));
        assert_int_equal(stage_errors(&stage, NULL), stage.totals->all.retried);
        retried += stage.totals->all.retried;
        stage_close(&stage);
    }
    assert_true(retried > 100);
}

/* Retries run out: what is counted as failed has left no trace. */
static void failures_leave_no_trace(void **state)
{
    enum ledger_kind kind = LEDGER_TRANSFER;
    struct stage stage;
    char expected[32];

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        make_tables(1);
        stage_plan(&stage, &kind, 1, 400);
        stage_form(&stage, form);
        stage.plan.connections = 8;
        stage.plan.isolation = ISOLATION_REPEATABLE_READ;
        stage.plan.retries = 0;
        stage.world.counters = 5;
        stage_run(&stage, conninfo);
        assert_true(stage_outcome(&stage, OUTCOME_FAILED) > 0);
        assert_int_equal(
            stage_outcome(&stage, OUTCOME_FAILED) + stage_outcome(&stage, OUTCOME_COMMITTED), 400);
        snprintf(expected, sizeof expected, "%d",
                 (int)stage_outcome(&stage, OUTCOME_COMMITTED) * LEDGER_PICKS);
        assert_string_equal(ask_all(1, "sum(n)"), expected);
        stage_close(&stage);
    }
}

/* ---- the six forms ---- */

static void all_forms_end_in_the_same_data(void **state)
{
    static const enum ledger_kind kinds[] = { LEDGER_SINGLE, LEDGER_PAIR, LEDGER_TRANSFER,
                                              LEDGER_UNDO,   LEDGER_TEXT, LEDGER_BLIND };
    char first[256] = "", sum[256];
    struct stage stage;

    (void)state;
    for (int form = 0; form < STAGE_FORMS + 1; form++) {
        make_tables(5);
        stage_plan(&stage, kinds, COUNT_OF(kinds), 500);
        stage_form(&stage, form % STAGE_FORMS);
        stage.world.instances = 5;
        stage.plan.statement_cache = form == STAGE_FORMS ? 4 : 256;
        stage_run(&stage, conninfo);
        assert_int_equal(stage_outcome(&stage, OUTCOME_COMMITTED) +
                             stage_outcome(&stage, OUTCOME_ROLLED_BACK),
                         500);
        assert_int_equal(stage_errors(&stage, NULL), 0);
        stage_close(&stage);
        snprintf(sum, sizeof sum, "%s",
                 ask_all(5, "sum(hashtextextended(t || ':' || id || ':' || n || ':' || note, 0))"));
        if (form == 0)
            snprintf(first, sizeof first, "%s", sum);
        assert_string_equal(sum, first);
    }
    make_tables(5);
    stage_plan(&stage, kinds, COUNT_OF(kinds), 500);
    stage.world.instances = 5;
    stage.plan.seed++;
    stage_run(&stage, conninfo);
    stage_close(&stage);
    assert_string_not_equal(
        ask_all(5, "sum(hashtextextended(t || ':' || id || ':' || n || ':' || note, 0))"), first);
}

/* ---- prepared statements in doubt ---- */

/* Errors in the middle of blocks whose statements are parsed, evicted and parsed again: none of
 * them is ever met under a name that is taken or not there. */
static void no_name_is_met_twice(void **state)
{
    static const int caches[] = { 1, 2, 10, 33, 256 };
    enum ledger_kind kind = LEDGER_DOUBT;
    struct stage stage;
    char expected[32];

    (void)state;
    make_tables(TABLES_MAX);
    for (int i = 0; i < COUNT_OF(caches) * 2; i++) {
        for (int table = 1; table <= TABLES_MAX; table++) {
            char sql[64];
            snprintf(sql, sizeof sql, "UPDATE ledger%d SET n = 0", table);
            ask(sql);
        }
        stage_plan(&stage, &kind, 1, 150);
        stage.plan.pipeline = i % 2 == 0;
        stage.plan.statement_cache = caches[i / 2];
        stage.plan.on_error = ON_ERROR_CONTINUE;
        stage.world.instances = TABLES_MAX;
        stage_run(&stage, conninfo);
        assert_true(stage_outcome(&stage, OUTCOME_FAILED) > 10);
        assert_int_equal(stage_errors(&stage, "22012"), stage_outcome(&stage, OUTCOME_FAILED));
        if (stage_errors(&stage, NULL) != stage_errors(&stage, "22012"))
            stage_say(&stage);
        assert_int_equal(stage_errors(&stage, NULL), stage_errors(&stage, "22012"));
        snprintf(expected, sizeof expected, "%d",
                 (int)stage_outcome(&stage, OUTCOME_COMMITTED) * 20);
        assert_string_equal(ask_all(TABLES_MAX, "sum(n)"), expected);
        stage_close(&stage);
    }
}

/* ---- connections that the server ends ---- */

struct killer {
    int64_t until_ns;
    int killed;
};

static void kill_some(void *context, const struct interval *intervals, int count)
{
    struct killer *killer = context;

    (void)intervals;
    (void)count;
    if (clock_now_ns() < killer->until_ns)
        killer->killed += (int)strtol(
            ask("SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity"
                " WHERE application_name = 'pgdyno' ORDER BY random() LIMIT 2) one"),
            NULL, 10);
}

/* Backends are killed in mid work: the tables hold what was confirmed, and at most the unknown. */
static void kills_are_counted(void **state)
{
    enum ledger_kind kind = LEDGER_TRANSFER;
    struct stage stage;
    struct killer killer;
    int64_t least, most, sum;

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        make_tables(2);
        stage_plan(&stage, &kind, 1, 0);
        stage_form(&stage, form);
        stage.plan.time_ns = 1 * NS_PER_S;
        stage.plan.interval_ns = 100 * NS_PER_MS;
        stage.plan.connections = 6;
        stage.plan.isolation = ISOLATION_REPEATABLE_READ;
        stage.plan.retries = 1000;
        stage.world.instances = 2;
        killer = (struct killer){ .until_ns = clock_now_ns() + 900 * NS_PER_MS };
        stage.on_interval = kill_some;
        stage.context = &killer;
        stage_run(&stage, conninfo);
        assert_true(killer.killed > 0);
        /* One may be told twice before it goes, or while it is not ours yet. */
        assert_in_range(stage.facts->sessions_lost, 1, killer.killed);
        assert_int_equal(stage_outcome(&stage, OUTCOME_UNFINISHED), 0);
        least = stage_outcome(&stage, OUTCOME_COMMITTED) * LEDGER_PICKS;
        most = least + stage_outcome(&stage, OUTCOME_UNKNOWN) * LEDGER_PICKS;
        sum = strtoll(ask_all(2, "sum(n)"), NULL, 10);
        assert_in_range(sum, least, most);
        assert_true(stage_outcome(&stage, OUTCOME_UNKNOWN) <= killer.killed);
        stage_close(&stage);
    }
}

/* ---- the books ---- */

static void nobody_is_left_behind(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        if (strcmp(ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE"
                       " 'pgdyno%'"),
                   "0") == 0)
            return;
        clock_sleep_until_ns(clock_now_ns() + 20 * NS_PER_MS);
    }
    fail_msg("sessions are still there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_equal_commits),
        cmocka_unit_test(failures_leave_no_trace),
        cmocka_unit_test(all_forms_end_in_the_same_data),
        cmocka_unit_test(no_name_is_met_twice),
        cmocka_unit_test(kills_are_counted),
        cmocka_unit_test(nobody_is_left_behind),
    };
    int failed;

    conninfo = getenv("PGDYNO_ENGINE_CONNINFO");
    if (conninfo == NULL)
        return 77;
    admin = PQconnectdb(conninfo);
    if (PQstatus(admin) != CONNECTION_OK)
        return 1;
    PQclear(PQexec(admin, "SET client_min_messages = warning"));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    PQfinish(admin);
    return failed;
}
