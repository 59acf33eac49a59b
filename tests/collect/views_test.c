/*
 * views_test.c - statements by major, and what becomes of two readings.
 */
#include "collect/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static char *sql_of(int major, enum view_when when)
{
    bool holds[128];

    for (int i = 0; i < 128; i++)
        holds[i] = true;
    return views_sql(major, when, holds, "\"s t\".pg_stat_statements(false)");
}

static void statements(void **state)
{
    (void)state;
    for (int major = 12; major <= 19; major++) {
        char *edge = sql_of(major, VIEW_EDGE), *second = sql_of(major, VIEW_SECOND);
        assert_null(strchr(edge, ';'));
        assert_non_null(strstr(edge, "FROM \"s t\".pg_stat_statements(false) WHERE"));
        assert_int_equal(strstr(edge, "total_exec_time") != NULL, major >= 13);
        assert_int_equal(strstr(edge, "pg_stat_wal") != NULL, major >= 14);
        assert_int_equal(strstr(edge, "pg_stat_io") != NULL, major >= 16);
        assert_int_equal(strstr(edge, "pg_stat_checkpointer") != NULL, major >= 17);
        assert_int_equal(strstr(edge, "pg_stat_slru") != NULL, major >= 13);
        assert_null(strstr(second, "pg_stat_statements"));
        assert_null(strstr(second, "pg_relation_size"));
        assert_true(strlen(second) < strlen(edge));
        memory_free(edge);
        memory_free(second);
    }
    bool none[128] = { false };
    char *empty = views_sql(17, VIEW_EDGE, none, NULL);
    assert_null(strstr(empty, "pg_stat_"));
    memory_free(empty);
}

static json_t *parse(const char *words)
{
    json_t *json = json_loads(words, 0, NULL);
    assert_non_null(json);
    json_t *gathered = views_gather(json);
    json_decref(json);
    return gathered;
}

static int64_t get(const json_t *json, const char *view, const char *column)
{
    const json_t *value = json_object_get(json_object_get(json, view), column);
    return json_is_integer(value) ? json_integer_value(value) : -999;
}

static void differences(void **state)
{
    (void)state;
    json_t *notes = json_array();
    json_t *begin =
        parse("{\"started\": \"a\", \"database:0\": {\"xact_commit\": 10,"
              " \"numbackends\": 3, \"stats_reset\": null, \"deadlocks\": null},"
              " \"database:1\": {\"encoding\": \"UTF8\"}, \"wal:2\": {\"bytes\": 5,"
              " \"stats_reset\": \"x\"}, \"slru:3\": [{\"name\": \"a\", \"blks_hit\": 4}]}");
    json_t *end =
        parse("{\"started\": \"a\", \"database:0\": {\"xact_commit\": 25,"
              " \"numbackends\": 7, \"stats_reset\": null, \"deadlocks\": 2},"
              " \"database:1\": {\"encoding\": \"UTF8\"}, \"wal:2\": {\"bytes\": 9,"
              " \"stats_reset\": \"y\"}, \"slru:3\": [{\"name\": \"a\", \"blks_hit\": 5},"
              " {\"name\": \"b\", \"blks_hit\": 40}, {\"name\": \"c\", \"blks_hit\": 0}]}");
    json_t *grown = views_difference(begin, end, notes);

    assert_int_equal(get(grown, "database", "xact_commit"), 15);
    assert_int_equal(get(grown, "database", "numbackends"), 7);
    assert_int_equal(get(grown, "database", "numbackends_growth"), 4);
    assert_int_equal(get(grown, "database", "deadlocks"), 2);
    assert_null(json_object_get(json_object_get(grown, "database"), "encoding"));
    /* Reset by somebody: nothing is known, and that is said. */
    assert_true(json_is_null(json_object_get(grown, "wal")));
    assert_int_equal(json_array_size(notes), 1);
    assert_int_equal(get(grown, "slru", "blks_hit"), 41);
    json_t *rows = json_object_get(json_object_get(grown, "slru"), "rows");
    assert_int_equal(json_array_size(rows), 2); /* nothing happened in c */
    assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "name")), "b");
    json_decref(grown);
    json_object_set_new(end, "started", json_string("b"));
    grown = views_difference(begin, end, notes);
    assert_true(json_is_null(grown));
    assert_int_equal(json_array_size(notes), 2);
    json_decref(grown);
    json_decref(begin);
    json_decref(end);
    json_decref(notes);
}

/* A counter that went back was reset, whoever tells: no negative figure is one. */
static void counters_that_go_back(void **state)
{
    (void)state;
    json_t *notes = json_array();
    json_t *begin =
        parse("{\"started\": \"a\", \"all_tables:0\": {\"n_tup_ins\": 10, \"n_dead_tup\":"
              " 9}, \"io:1\": [{\"backend_type\": \"x\", \"object\": \"relation\","
              " \"context\": \"normal\", \"reads\": 7}], \"slru:2\": [{\"name\": \"a\","
              " \"blks_hit\": 4}]}");
    json_t *end =
        parse("{\"started\": \"a\", \"all_tables:0\": {\"n_tup_ins\": 10, \"n_dead_tup\": 3},"
              " \"io:1\": [{\"backend_type\": \"x\", \"object\": \"relation\", \"context\":"
              " \"normal\", \"reads\": 6}], \"slru:2\": []}");
    json_t *grown = views_difference(begin, end, notes);

    assert_int_equal(get(grown, "all_tables", "n_dead_tup_growth"), -6); /* no counter */
    assert_true(json_is_null(json_object_get(grown, "io")));
    assert_true(json_is_object(json_object_get(grown, "slru")));
    assert_int_equal(json_array_size(notes), 1);
    json_decref(grown);
    json_object_set_new(json_object_get(end, "all_tables"), "n_tup_ins", json_integer(9));
    grown = views_difference(begin, end, notes);
    assert_true(json_is_null(json_object_get(grown, "all_tables")));
    assert_int_equal(json_array_size(notes), 3);
    json_decref(grown);
    json_decref(begin);
    json_decref(end);
    json_decref(notes);
}

/* Of a list of which only the first rows are read, one that moved up is not new. */
static void rows_not_read_before(void **state)
{
    (void)state;
    json_t *notes = json_array(), *grown, *rows = json_array();
    json_t *begin = json_pack("{s:s, s:o}", "started", "a", "tables", rows);
    json_t *end;

    for (int i = 0; i < VIEW_LIST_MAX; i++)
        json_array_append_new(
            rows, json_pack("{s:s, s:i, s:i}", "schema", "public", "name", i, "n_tup_ins", 1000));
    end = json_deep_copy(begin);
    rows = json_object_get(end, "tables");
    json_object_set_new(json_array_get(rows, 3), "name", json_integer(VIEW_LIST_MAX));
    json_object_set_new(json_array_get(rows, 4), "n_tup_ins", json_integer(1007));
    grown = views_difference(begin, end, notes);
    assert_int_equal(get(grown, "tables", "n_tup_ins"), 7);
    json_decref(grown);
    /* All there were had been read. */
    json_array_remove(json_object_get(begin, "tables"), 3);
    grown = views_difference(begin, end, notes);
    assert_int_equal(get(grown, "tables", "n_tup_ins"), 1007);
    json_decref(grown);
    json_decref(begin);
    json_decref(end);
    json_decref(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(differences),
        cmocka_unit_test(counters_that_go_back),
        cmocka_unit_test(rows_not_read_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
