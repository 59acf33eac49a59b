/*
 * views.c - see views.h. Counters are read and never reset (design D7); what a role may not see has
 * a condition that is asked first, so that no statement is ever refused.
 */
#include "collect/views.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "collect/table.h"

#define SQL_MAX (256 * 1024)

#define HAS_STATEMENTS                                            \
    "current_setting('pg_stat_statements.max', true) IS NOT NULL" \
    " AND EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_stat_statements')"
#define STATEMENTS_COLUMNS                                      \
    " sum(calls)::bigint AS calls, sum(rows)::bigint AS rows,"  \
    " sum(shared_blks_hit)::bigint AS shared_blks_hit,"         \
    " sum(shared_blks_read)::bigint AS shared_blks_read,"       \
    " sum(shared_blks_dirtied)::bigint AS shared_blks_dirtied," \
    " sum(shared_blks_written)::bigint AS shared_blks_written," \
    " sum(temp_blks_written)::bigint AS temp_blks_written"
#define STATEMENTS_FROM                                                              \
    " FROM " VIEW_STATEMENTS                                                         \
    " WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())" \
    " AND userid = (SELECT oid FROM pg_roles WHERE rolname = current_user) GROUP BY queryid"
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
                                 " coalesce(s.idx_scan, 0) + s.seq_scan DESC LIMIT " VIEW_LIST_ROWS,
      QUERY_LIST, 0, 0, NULL, " schema name ", " n_live_tup n_dead_tup size_bytes " },
    { "tables_new_page", VIEW_EDGE,
      "SELECT sum(n_tup_newpage_upd)::bigint AS n_tup_newpage_upd FROM pg_stat_user_tables",
      QUERY_OBJECT, 16, 0, NULL, NULL, NULL },
    { "indexes", VIEW_EDGE,
      "SELECT s.schemaname AS schema, s.relname AS table, s.indexrelname AS name, s.idx_scan,"
      " s.idx_tup_read, s.idx_tup_fetch, i.idx_blks_read, i.idx_blks_hit,"
      " pg_relation_size(s.indexrelid) AS size_bytes"
      " FROM pg_stat_user_indexes s JOIN pg_statio_user_indexes i USING (indexrelid)"
      " WHERE " ONE_OF_OURS("s") " ORDER BY s.idx_scan DESC LIMIT " VIEW_LIST_ROWS,
      QUERY_LIST, 0, 0, NULL, " schema table name ", " size_bytes " },

    /* By the number of a statement: its text may be somebody's. From 14 on it may have two rows. */
    { "statements", VIEW_EDGE,
      "SELECT queryid::text AS queryid, sum(total_time) AS exec_ms," STATEMENTS_COLUMNS
          STATEMENTS_FROM,
      QUERY_LIST, 12, 12, HAS_STATEMENTS, " queryid ", NULL },
    { "statements", VIEW_EDGE,
      "SELECT queryid::text AS queryid, sum(total_exec_time) AS exec_ms,"
      " sum(total_plan_time) AS plan_ms, sum(wal_records)::bigint AS wal_records,"
      " sum(wal_fpi)::bigint AS wal_fpi, sum(wal_bytes)::bigint AS wal_bytes," STATEMENTS_COLUMNS
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
