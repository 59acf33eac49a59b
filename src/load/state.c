/*
 * state.c - the table pgdyno_dataset: what is done of the data beside it.
 *
 * A row says one thing that is done: `data set` (parameters and token), `table` (made, its oid),
 * `chunk` (rows part..last are in it; as detail how many COPY rows, where a number may say
 * several), `copied` (all rows are, `last` of them; its chunks are gone), `after` and `link`
 * (statement number part), `vacuum`, `object` (a function, its oid and as detail what made it),
 * `checkpoint`. So what is missing is what has no row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "load/grow.h"
#include "load/guard_keys.h"
#include "load/job.h"
#include "load/state_data.h"

static const char table_sql[] =
    "CREATE TABLE %s (family text NOT NULL, kind text NOT NULL, name text NOT NULL,"
    " part bigint NOT NULL, last bigint, relation oid, detail jsonb, loader text NOT NULL,"
    " at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (family, kind, name, part));"
    "COMMENT ON TABLE %s IS 'what pgdyno load has made in this schema; pgdyno drop removes it'";

bool state_make(struct job *job, struct error *err)
{
    const char *sql;

    if (job->state_there)
        return true;
    sql = arena_format(job->arena, table_sql, job->state, job->state);
    if (!channel_run(&job->guard, sql, "creating table pgdyno_dataset", err))
        return false;
    job->state_there = true;
    return true;
}

/* ---- SQL of steps ---- */

void state_begin_sql(const struct job *job, struct text *sql)
{
    text_format(sql, "BEGIN; SELECT pg_advisory_xact_lock_shared(%d, %d); ", STEP_KEY,
                (int)job->schema_oid);
}

/* NULL, which the column refuses, when the data set is another load's by now. */
static void add_token(const struct job *job, struct text *sql)
{
    text_format(sql,
                "(SELECT loader FROM %s WHERE family = %s AND kind = 'data set' AND loader = '%s')",
                job->state, job->family, job->token);
}

void state_record_sql(const struct job *job, struct text *sql, const struct mark *mark,
                      const char *rest)
{
    text_format(sql,
                "INSERT INTO %s (family, kind, name, part, last, relation, detail, loader) "
                "VALUES (%s, '%s', %s, %lld, %s, ",
                job->state, job->family, mark->kind,
                mark->table != NULL    ? mark->table->literal
                : mark->object != NULL ? mark->object->literal
                                       : "''",
                (long long)mark->part, rest);
    add_token(job, sql);
    text_add(sql, ")");
}

bool state_recorded(const struct job *job, struct channel *channel, const struct mark *mark,
                    bool *answer, struct error *err)
{
    const char *name = mark->table != NULL ? mark->table->spec.name : "";
    char first[24], last[24], sql[512];
    const char *values[] = { job->setup->workload->family, mark->kind, name, first, last };
    PGresult *found;

    snprintf(first, sizeof first, "%lld", (long long)mark->part);
    snprintf(last, sizeof last, "%lld", (long long)mark->last);
    snprintf(sql, sizeof sql,
             "SELECT FROM %s WHERE family = $1 AND kind = $2 AND name = $3 AND"
             " CASE kind WHEN 'chunk' THEN part <= $4::bigint AND last >= $5::bigint"
             " ELSE part = $4::bigint END",
             job->state);
    found = channel_ask(channel, sql, COUNT_OF(values), values, err);
    if (found == NULL)
        return error_wrap(err, "reading pgdyno_dataset");
    *answer = PQntuples(found) > 0;
    PQclear(found);
    return true;
}

/* ---- chunks ---- */

/* Takes all chunks of the table away and writes them again as few ranges as they make. */
static void add_merge(const struct job *job, struct text *sql, const struct table_job *table)
{
    text_format(sql,
                "WITH gone AS (DELETE FROM %s WHERE family = %s AND kind = 'chunk' AND name = %s"
                " RETURNING part, last, (detail #>> '{}')::bigint AS rows),"
                " marked AS (SELECT part, last, rows, coalesce(part > max(last)"
                " OVER (ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) + 1, true)"
                " AS fresh FROM gone), islands AS (SELECT part, last, rows, sum(fresh::int)"
                " OVER (ORDER BY part) AS island FROM marked)"
                " INSERT INTO %s (family, kind, name, part, last, detail, loader)"
                " SELECT %s, 'chunk', %s, min(part), max(last), to_jsonb(sum(rows)), ",
                job->state, job->family, table->literal, job->state, job->family, table->literal);
    add_token(job, sql);
    text_add(sql, " FROM islands GROUP BY island RETURNING part, last, detail #>> '{}'");
}

bool state_merge(const struct job *job, struct channel *channel, const struct table_job *table,
                 struct error *err)
{
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    state_begin_sql(job, &sql);
    text_add(&sql, "SET LOCAL synchronous_commit = off; ");
    add_merge(job, &sql, table);
    text_add(&sql, "; COMMIT");
    ok = channel_run(channel, sql.bytes, "merging what is recorded", err);
    text_close(&sql);
    return ok || error_wrap(err, "table %s", table->spec.name);
}

static bool read_merged(const struct job *job, struct channel *channel, struct table_job *table,
                        struct text *sql, struct error *err)
{
    int64_t rows = 0;
    PGresult *merged;

    text_clear(sql);
    add_merge(job, sql, table);
    merged = channel_ask(channel, sql->bytes, 0, NULL, err);
    if (merged == NULL)
        return false;
    ranges_clear(&table->done);
    for (int i = 0; i < PQntuples(merged); i++) {
        ranges_add(&table->done, strtoll(PQgetvalue(merged, i, 0), NULL, 10),
                   strtoll(PQgetvalue(merged, i, 1), NULL, 10));
        rows += strtoll(PQgetvalue(merged, i, 2), NULL, 10);
    }
    if (table->counted)
        table->rows = rows;
    PQclear(merged);
    return true;
}

static bool seal_rest(const struct job *job, struct channel *channel, struct table_job *table,
                      bool whole, struct error *err)
{
    const struct mark mark = { .kind = "copied", .table = table };
    struct text sql;
    char rest[64];
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    snprintf(rest, sizeof rest, "%lld, NULL, NULL", (long long)table->rows);
    if (whole) {
        text_format(&sql, "DELETE FROM %s WHERE family = %s AND kind = 'chunk' AND name = %s; ",
                    job->state, job->family, table->literal);
        state_record_sql(job, &sql, &mark, rest);
        text_add(&sql, "; ");
    }
    text_add(&sql, "COMMIT");
    ok = channel_run(channel, sql.bytes, "recording the rows", err);
    text_close(&sql);
    return ok;
}

bool state_seal(const struct job *job, struct channel *channel, struct table_job *table,
                bool *whole, struct error *err)
{
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    state_begin_sql(job, &sql);
    ok = channel_run(channel, sql.bytes, "recording the rows", err) &&
         read_merged(job, channel, table, &sql, err);
    text_close(&sql);
    if (!ok)
        return error_wrap(err, "table %s", table->spec.name);
    *whole = ranges_rows(&table->done) == table->spec.row_count;
    return seal_rest(job, channel, table, *whole, err);
}

/* ---- claiming ---- */

/* What is to be done again: tables that somebody dropped by hand, and the end of it all. */
static bool forget_gone(struct job *job, struct error *err)
{
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    text_format(&sql, "DELETE FROM %s WHERE family = %s AND kind = 'checkpoint'", job->state,
                job->family);
    ok = channel_run(&job->guard, sql.bytes, "forgetting the last step", err);
    job->checkpointed = false;
    for (int i = 0; i < job->table_count && ok; i++) {
        if (job->tables[i].made == TODO_DONE)
            continue;
        text_clear(&sql);
        text_format(&sql, "DELETE FROM %s WHERE family = %s AND name = %s", job->state, job->family,
                    job->tables[i].literal);
        ok = channel_run(&job->guard, sql.bytes, "forgetting a table that is gone", err);
    }
    text_close(&sql);
    return ok;
}

static bool claim(struct job *job, struct error *err)
{
    const char *values[3] = { job->setup->workload->family, job->token, NULL };
    json_t *detail = data_describe(job);
    char *words = json_dumps(detail, JSON_COMPACT);
    const char *sql =
        arena_format(job->arena,
                     "INSERT INTO %s AS s (family, kind, name, part, loader, detail)"
                     " VALUES ($1, 'data set', '', 0, $2, $3::jsonb)"
                     " ON CONFLICT (family, kind, name, part) DO UPDATE SET loader = $2",
                     job->state);
    PGresult *done;

    values[2] = words;
    done = channel_ask(&job->guard, sql, 3, values, err);
    free(words);
    json_decref(detail);
    if (done == NULL)
        return error_wrap(err, "writing pgdyno_dataset");
    PQclear(done);
    return true;
}

bool state_claim(struct job *job, struct error *err)
{
    if (!(job->growing ? grow_record(job, err) : claim(job, err)))
        return false;
    return !job->known || forget_gone(job, err);
}
