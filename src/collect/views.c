/*
 * views.c - see views.h. Counters are read and never reset (design D7); what a role may not see has
 * a condition that is asked first, so that no statement is ever refused.
 */
#include "collect/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "collect/table.h"

#define SQL_MAX  (256 * 1024)
#define ROWS_TOP 20

#define HAS_STATEMENTS                                            \
    "current_setting('pg_stat_statements.max', true) IS NOT NULL" \
    " AND EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements')"
#define STATEMENTS_COLUMNS                                                                \
    " rows, shared_blks_hit, shared_blks_read, shared_blks_dirtied, shared_blks_written," \
    " temp_blks_written"
#define STATEMENTS_FROM                                                              \
    " FROM " VIEW_STATEMENTS                                                         \
    " WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())" \
    " AND userid = (SELECT oid FROM pg_roles WHERE rolname = current_user)"
#define ONE_OF_OURS(table) table ".schemaname !~ '^pg_(toast|temp)'"

const struct view view_rows[] = {
    { "database", VIEW_SECOND, NULL, QUERY_OBJECT, 0, 0, NULL, NULL,
      " numbackends size_bytes frozen_xid_age " },
    { "bgwriter", VIEW_SECOND, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, NULL },
    { "checkpointer", VIEW_SECOND, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, NULL },
    { "wal", VIEW_SECOND, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, NULL },
    { "io", VIEW_SECOND, NULL, QUERY_LIST, 0, 0, NULL, " backend_type object context ", NULL },
    { "archiver", VIEW_EDGE, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, NULL },
    { "slru", VIEW_EDGE, NULL, QUERY_LIST, 0, 0, NULL, " name ", NULL },
    { "waldir", VIEW_EDGE, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, " files bytes " },

    /* All tables as one, for the series: what piles up until a vacuum. */
    { "all_tables", VIEW_SECOND,
      "SELECT sum(n_tup_ins)::bigint AS n_tup_ins, sum(n_tup_upd)::bigint AS n_tup_upd,"
      " sum(n_tup_hot_upd)::bigint AS n_tup_hot_upd, sum(n_tup_del)::bigint AS n_tup_del,"
      " sum(n_live_tup)::bigint AS n_live_tup, sum(n_dead_tup)::bigint AS n_dead_tup,"
      " sum(seq_scan)::bigint AS seq_scan, sum(idx_scan)::bigint AS idx_scan,"
      " sum(vacuum_count)::bigint AS vacuums, sum(autovacuum_count)::bigint AS autovacuums,"
      " sum(autoanalyze_count)::bigint AS autoanalyzes FROM pg_stat_user_tables",
      QUERY_OBJECT, 0, 0, NULL, NULL, " n_live_tup n_dead_tup " },
    { "vacuumed", VIEW_SECOND,
      "SELECT relid::int8 AS id, schemaname || '.' || relname AS name,"
      " extract(epoch FROM last_vacuum)::float8 AS vacuum_s,"
      " extract(epoch FROM last_autovacuum)::float8 AS autovacuum_s FROM pg_stat_user_tables"
      " WHERE greatest(last_vacuum, last_autovacuum) > now() - interval '10 seconds' LIMIT 100",
      QUERY_LIST, 0, 0, NULL, " id name ", NULL },
    { "vacuuming", VIEW_SECOND,
      "SELECT p.pid, p.relid::int8 AS id, p.phase, a.backend_type = 'autovacuum worker' AS auto,"
      " extract(epoch FROM a.query_start)::float8 AS query_s,"
      " (SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n"
      " ON n.oid = c.relnamespace WHERE c.oid = p.relid AND p.datname = current_database()) AS name"
      " FROM pg_stat_progress_vacuum p LEFT JOIN pg_stat_activity a USING (pid)",
      QUERY_LIST, 0, 0, NULL, " pid id ", NULL },
    { "sizes", VIEW_EDGE, "SELECT pg_database_size(current_database()) AS database_bytes",
      QUERY_OBJECT, 0, 0,
      "has_database_privilege(current_database(), 'connect')"
      " OR pg_has_role('pg_read_all_stats', 'usage')",
      NULL, " database_bytes " },
    { "control", VIEW_SECOND,
      "SELECT extract(epoch FROM checkpoint_time)::float8 AS checkpoint_s"
      " FROM pg_control_checkpoint()",
      QUERY_OBJECT, 0, 0, "has_function_privilege('pg_catalog.pg_control_checkpoint()', 'execute')",
      NULL, " checkpoint_s " },
    { "activity", VIEW_SECOND,
      "SELECT count(*) FILTER (WHERE state = 'active') AS active,"
      " count(*) FILTER (WHERE state LIKE 'idle in%') AS idle_in_transaction,"
      " count(*) FILTER (WHERE state = 'idle') AS idle,"
      " count(*) FILTER (WHERE backend_type = 'autovacuum worker') AS autovacuum_workers,"
      " max(age(backend_xmin)) AS oldest_xmin_age FROM pg_stat_activity"
      " WHERE pid <> pg_backend_pid()",
      QUERY_OBJECT, 0, 0, NULL, NULL,
      " active idle_in_transaction idle autovacuum_workers oldest_xmin_age " },
    { "replication", VIEW_SECOND,
      "SELECT count(*) AS replicas, max(pg_wal_lsn_diff(sent_lsn, replay_lsn))::float8 AS"
      " replay_lag_bytes, max(pg_wal_lsn_diff(sent_lsn, flush_lsn))::float8 AS flush_lag_bytes,"
      " extract(epoch FROM max(replay_lag))::float8 AS replay_lag_s,"
      " extract(epoch FROM max(flush_lag))::float8 AS flush_lag_s FROM pg_stat_replication",
      QUERY_OBJECT, 0, 0, NULL, NULL,
      " replicas replay_lag_bytes flush_lag_bytes replay_lag_s flush_lag_s " },

    { "tables", VIEW_EDGE,
      "SELECT s.schemaname AS schema, s.relname AS name, s.seq_scan, s.seq_tup_read, s.idx_scan,"
      " s.idx_tup_fetch, s.n_tup_ins, s.n_tup_upd, s.n_tup_del, s.n_tup_hot_upd, s.n_live_tup,"
      " s.n_dead_tup, s.vacuum_count, s.autovacuum_count, s.analyze_count, s.autoanalyze_count,"
      " i.heap_blks_read, i.heap_blks_hit, i.idx_blks_read, i.idx_blks_hit,"
      " pg_relation_size(s.relid) AS size_bytes"
      " FROM pg_stat_user_tables s JOIN pg_statio_user_tables i USING (relid)"
      " WHERE " ONE_OF_OURS("s") " ORDER BY s.n_tup_ins + s.n_tup_upd + s.n_tup_del +"
                                 " coalesce(s.idx_scan, 0) + s.seq_scan DESC LIMIT 500",
      QUERY_LIST, 0, 0, NULL, " schema name ", " n_live_tup n_dead_tup size_bytes " },
    { "tables_new_page", VIEW_EDGE,
      "SELECT sum(n_tup_newpage_upd)::bigint AS n_tup_newpage_upd FROM pg_stat_user_tables",
      QUERY_OBJECT, 16, 0, NULL, NULL, NULL },
    { "indexes", VIEW_EDGE,
      "SELECT s.schemaname AS schema, s.relname AS table, s.indexrelname AS name, s.idx_scan,"
      " s.idx_tup_read, s.idx_tup_fetch, i.idx_blks_read, i.idx_blks_hit,"
      " pg_relation_size(s.indexrelid) AS size_bytes"
      " FROM pg_stat_user_indexes s JOIN pg_statio_user_indexes i USING (indexrelid)"
      " WHERE " ONE_OF_OURS("s") " ORDER BY s.idx_scan DESC LIMIT 500",
      QUERY_LIST, 0, 0, NULL, " schema table name ", " size_bytes " },

    /* By the number of a statement: its text may be somebody's. */
    { "statements", VIEW_EDGE,
      "SELECT queryid::text AS queryid, calls, total_time AS exec_ms," STATEMENTS_COLUMNS
          STATEMENTS_FROM,
      QUERY_LIST, 12, 12, HAS_STATEMENTS, " queryid ", NULL },
    { "statements", VIEW_EDGE,
      "SELECT queryid::text AS queryid, calls, total_exec_time AS exec_ms, total_plan_time AS"
      " plan_ms, wal_records, wal_fpi, wal_bytes::bigint AS wal_bytes," STATEMENTS_COLUMNS
          STATEMENTS_FROM,
      QUERY_LIST, 13, 0, HAS_STATEMENTS, " queryid ", NULL },
    { NULL, VIEW_EDGE, NULL, QUERY_OBJECT, 0, 0, NULL, NULL, NULL },
};

/* ---- asking ---- */

static bool has(const struct view *view, int major)
{
    return major >= view->min_major && (view->max_major == 0 || major <= view->max_major);
}

/* One value of the object; a number after the name keeps rows of one view apart. */
static void add_value(struct text *sql, const char *name, int number, enum query_shape shape,
                      const char *select)
{
    text_format(sql, ", '%s:%d', ", name, number);
    if (shape == QUERY_OBJECT)
        text_format(sql, "(SELECT row_to_json(t) FROM (%s) t LIMIT 1)", select);
    else
        text_format(sql, "(SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (%s) t)", select);
}

/* The text with the place of the extension put in; the views of everything else have none. */
static void add_own(struct text *sql, const struct view *view, int number, const char *statements)
{
    const char *hole = strstr(view->sql, VIEW_STATEMENTS);
    char *select;

    if (hole == NULL) {
        add_value(sql, view->name, number, view->shape, view->sql);
        return;
    }
    select = memory_format("%.*s%s%s", (int)(hole - view->sql), view->sql,
                           statements != NULL ? statements : "pg_stat_statements",
                           hole + strlen(VIEW_STATEMENTS));
    add_value(sql, view->name, number, view->shape, select);
    memory_free(select);
}

/* A row of the snapshot's table has its own condition; what has one is left to the snapshot, but
 * for what the row here says as well. */
static void add_shared(struct text *sql, const struct view *view, int major, int *number)
{
    for (const struct table_row *row = table_next(NULL, major); row != NULL;
         row = table_next(row, major))
        if (strcmp(row->name, view->name) == 0 && (row->need == NULL || view->when == VIEW_EDGE))
            add_value(sql, row->name, (*number)++, row->shape, row->sql);
}

char *views_sql(int major, enum view_when when, const bool *holds, const char *statements)
{
    struct text sql;
    int number = 0;

    text_init(&sql, SQL_MAX);
    text_add(&sql, "SELECT json_build_object('at_s', extract(epoch FROM clock_timestamp())::float8,"
                   " 'started', pg_postmaster_start_time()::text");
    for (int i = 0; view_rows[i].name != NULL; i++) {
        const struct view *view = &view_rows[i];
        if (!has(view, major) || !holds[i] || (when == VIEW_SECOND && view->when != VIEW_SECOND))
            continue;
        if (view->sql != NULL)
            add_own(&sql, view, number++, statements);
        else
            add_shared(&sql, view, major, &number);
    }
    text_add(&sql, ")");
    return text_finish(&sql);
}

/* The conditions of the snapshot's rows that a view refers to. */
static void add_shared_needs(struct text *sql, const struct view *view, int major)
{
    text_add(sql, "true");
    for (const struct table_row *row = table_next(NULL, major); row != NULL;
         row = table_next(row, major))
        if (strcmp(row->name, view->name) == 0 && row->need != NULL && view->when == VIEW_EDGE)
            text_format(sql, " AND (%s)", row->need);
}

char *views_needs_sql(int major)
{
    struct text sql;

    text_init(&sql, SQL_MAX);
    text_add(&sql, "SELECT true AS always");
    for (int i = 0; view_rows[i].name != NULL; i++) {
        text_add(&sql, ", (");
        if (view_rows[i].sql == NULL)
            add_shared_needs(&sql, &view_rows[i], major);
        else
            text_add(&sql, view_rows[i].need != NULL ? view_rows[i].need : "true");
        text_format(&sql, ") AS need_%d", i);
    }
    return text_finish(&sql);
}

json_t *views_gather(json_t *answer)
{
    json_t *out = json_object(), *value;
    const char *key;

    json_object_foreach(answer, key, value)
    {
        char *name = memory_format("%.*s", (int)strcspn(key, ":"), key);
        json_t *there = json_object_get(out, name);
        if (json_is_object(there) && json_is_object(value))
            json_object_update(there, value);
        else
            json_object_set_new(out, name, json_deep_copy(value));
        memory_free(name);
    }
    return out;
}

/* ---- differences ---- */

static bool is_word(const char *words, const char *word)
{
    char *padded;
    bool found;

    if (words == NULL)
        return false;
    padded = memory_format(" %s ", word);
    found = strstr(words, padded) != NULL;
    memory_free(padded);
    return found;
}

static json_t *minus(const json_t *begin, const json_t *end)
{
    if (!json_is_number(end) || (begin != NULL && !json_is_number(begin)))
        return json_null();
    if (json_is_integer(end) && (begin == NULL || json_is_integer(begin)))
        return json_integer(json_integer_value(end) - json_integer_value(begin));
    return json_real(json_number_value(end) - (begin != NULL ? json_number_value(begin) : 0));
}

static void put_gauge(json_t *out, const char *column, const json_t *begin, json_t *end)
{
    char *growth = memory_format("%s_growth", column);

    json_object_set(out, column, end);
    json_object_set_new(out, growth, minus(begin, end));
    memory_free(growth);
}

/* Of one row; a row that was not there at the beginning was 0 then. */
static json_t *difference_of(const struct view *view, const json_t *begin, json_t *end)
{
    json_t *out = json_object(), *value;
    const char *column;

    json_object_foreach(end, column, value)
    {
        const json_t *before = json_object_get(begin, column);
        if (is_word(view->keys, column))
            json_object_set(out, column, value);
        else if (is_word(view->gauges, column))
            put_gauge(out, column, json_is_null(before) ? NULL : before, value);
        else if (json_is_number(value) && (begin == NULL || before != NULL) &&
                 strcmp(column, "datid") != 0)
            json_object_set_new(out, column, minus(json_is_null(before) ? NULL : before, value));
    }
    return out;
}

static bool same_row(const struct view *view, const json_t *one, json_t *other)
{
    const char *column;
    json_t *value;

    json_object_foreach(other, column, value)
    {
        if (is_word(view->keys, column) && !json_equal(json_object_get(one, column), value))
            return false;
    }
    return true;
}

static const json_t *find_row(const struct view *view, const json_t *rows, json_t *row)
{
    size_t index;
    json_t *other;

    json_array_foreach(rows, index, other)
    {
        if (same_row(view, other, row))
            return other;
    }
    return NULL;
}

/* How much happened in a row: its counters, whatever they count. */
static double activity(const struct view *view, json_t *row)
{
    double sum = 0;
    const char *column;
    json_t *value;

    json_object_foreach(row, column, value)
    {
        if (!is_word(view->gauges, column) && !is_word(view->keys, column))
            sum += fabs(json_number_value(value));
    }
    return sum;
}

static void add_to(json_t *sums, const char *column, const json_t *value)
{
    const json_t *sum = json_object_get(sums, column);

    if (!json_is_number(value))
        return;
    if (json_is_integer(value) && (sum == NULL || json_is_integer(sum)))
        json_object_set_new(sums, column,
                            json_integer(json_integer_value(sum) + json_integer_value(value)));
    else
        json_object_set_new(
            sums, column,
            json_real((sum != NULL ? json_number_value(sum) : 0) + json_number_value(value)));
}

/* The row of the greatest activity, moved out of `rows`; NULL when nothing happened in any. */
static json_t *take_busiest(const struct view *view, json_t *rows)
{
    size_t index, busiest = 0;
    double most = 0;
    json_t *row;

    json_array_foreach(rows, index, row)
    {
        if (activity(view, row) > most) {
            most = activity(view, row);
            busiest = index;
        }
    }
    if (most == 0)
        return NULL;
    row = json_incref(json_array_get(rows, busiest));
    json_array_remove(rows, busiest);
    return row;
}

static json_t *list_difference(const struct view *view, const json_t *begin, const json_t *end)
{
    json_t *out = json_object(), *rows = json_array(), *top = json_array(), *row, *value;
    const char *column;
    size_t index;

    json_array_foreach(end, index, row)
    {
        json_t *grown = difference_of(view, find_row(view, begin, row), row);
        json_object_foreach(grown, column, value)
        {
            if (!is_word(view->keys, column))
                add_to(out, column, value);
        }
        json_array_append_new(rows, grown);
    }
    while (json_array_size(top) < ROWS_TOP && (row = take_busiest(view, rows)) != NULL)
        json_array_append_new(top, row);
    json_decref(rows);
    json_object_set_new(out, "rows", top);
    return out;
}

/* What only tells of events. */
static bool is_inner(const struct view *view)
{
    return strcmp(view->name, "vacuumed") == 0 || strcmp(view->name, "vacuuming") == 0 ||
           strcmp(view->name, "control") == 0;
}

/* Either told by the server, or seen: a counter never goes back. */
static bool was_reset(const json_t *begin, const json_t *end)
{
    const json_t *before = json_object_get(begin, "stats_reset");
    const json_t *after = json_object_get(end, "stats_reset");

    return json_is_object(end) && json_is_string(after) && !json_equal(before, after);
}

static json_t *view_difference(const struct view *view, const json_t *begin, const json_t *end,
                               json_t *notes)
{
    const json_t *before = json_object_get(begin, view->name);
    json_t *after = json_object_get(end, view->name);

    if (after == NULL || before == NULL)
        return NULL;
    if (was_reset(before, after)) {
        json_array_append_new(
            notes, json_sprintf("somebody reset the server's statistics (%s) during the run: they "
                                "tell nothing of it",
                                view->name));
        return json_null();
    }
    if (json_is_array(after))
        return list_difference(view, before, after);
    return json_is_object(after) ? difference_of(view, before, after) : json_null();
}

json_t *views_difference(const json_t *begin, const json_t *end, json_t *notes)
{
    json_t *out = json_object();

    if (!json_equal(json_object_get(begin, "started"), json_object_get(end, "started"))) {
        json_array_append_new(notes, json_string("the server was restarted during the run: its "
                                                 "statistics tell nothing of it"));
        json_decref(out);
        return json_null();
    }
    for (const struct view *view = view_rows; view->name != NULL; view++) {
        json_t *grown = !is_inner(view) && json_object_get(out, view->name) == NULL
                            ? view_difference(view, begin, end, notes)
                            : NULL;
        if (grown != NULL)
            json_object_set_new(out, view->name, grown);
    }
    return out;
}

/* The line of the series needs no rows, nor how an amount grew: the one before has it. */
static void shorten(json_t *view)
{
    const char *column;
    json_t *value;
    void *next;

    json_object_del(view, "rows");
    json_object_foreach_safe(view, next, column, value)
    {
        size_t length = strlen(column), ending = strlen("_growth");
        if (json_is_null(value) ||
            (length > ending && strcmp(column + length - ending, "_growth") == 0))
            json_object_del(view, column);
    }
}

json_t *views_short(const json_t *begin, const json_t *end)
{
    json_t *ignored = json_array(), *grown = views_difference(begin, end, ignored), *view;
    const char *name;

    json_object_foreach(grown, name, view)
    {
        shorten(view);
    }
    json_decref(ignored);
    return grown;
}
