/*
 * drop.c - removes what load_data() made: functions and tables that are recorded, still the same
 * ones under the same name, and owned by this role. Nothing else is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/job.h"

#define FINISHED_TOLD_NS NS_PER_S /* a drop that took longer says how long */

/* Recorded tables of the family: name, whether it is ours, rows, size. */
static PGresult *list_recorded(struct job *job, struct error *err)
{
    const char *sql =
        arena_format(job->arena,
                     "SELECT s.name, c.oid IS NOT NULL, coalesce(s.last, 0),"
                     " coalesce(" LOAD_SIZE_OF_C ", 0)::bigint, s.relation FROM %s s"
                     " LEFT JOIN pg_class c ON c.oid = s.relation AND c.relname = s.name"
                     " AND c.relnamespace = %u AND c.relowner = %u AND c.relkind IN ('r', 'p')"
                     " WHERE s.family = %s AND s.kind = 'table' ORDER BY length(s.name), s.name",
                     job->state, job->schema_oid, job->role_oid, job->family);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);

    if (found == NULL)
        error_wrap(err, "reading pgdyno_dataset");
    return found;
}

/* Foreign keys from one recorded table to another, each with what is recorded of the first one's:
 * with them the tables could go in one order only. Keys of tables that are not ours stay, and the
 * server refuses to drop what they name. */
static bool drop_links(struct job *job, struct error *err)
{
    const char *sql = arena_format(
        job->arena,
        "WITH ours AS (SELECT c.oid, s.name FROM %s s JOIN pg_class c ON c.oid = s.relation"
        " AND c.relname = s.name AND c.relnamespace = %u AND c.relowner = %u"
        " WHERE s.family = %s AND s.kind = 'table')"
        " SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I; DELETE FROM %%s WHERE family = %%L "
        "AND"
        " kind = ''link'' AND name = %%L', k.conrelid::regclass, k.conname, %s, %s, ours.name)"
        " FROM pg_constraint k JOIN ours ON ours.oid = k.conrelid WHERE k.contype = 'f'"
        " AND k.conparentid = 0 AND k.confrelid <> k.conrelid"
        " AND k.confrelid IN (SELECT oid FROM ours)",
        job->state, job->schema_oid, job->role_oid, job->family, job->state_literal, job->family);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);
    struct text words;
    bool ok = found != NULL || error_wrap(err, "looking for foreign keys");

    text_init(&words, LOAD_SQL_MAX);
    for (int i = 0; ok && i < PQntuples(found); i++) {
        text_clear(&words);
        state_begin_sql(job, &words);
        text_format(&words, "%s; COMMIT", PQgetvalue(found, i, 0));
        ok = channel_run(&job->guard, words.bytes, "dropping a foreign key", err);
    }
    text_close(&words);
    PQclear(found);
    return ok;
}

/* A table and its rows in pgdyno_dataset go in one transaction. */
static bool drop_one(struct job *job, const char *name, bool ours, struct error *err)
{
    PGconn *conn = job->guard.conn;
    char *identifier = PQescapeIdentifier(conn, name, strlen(name));
    char *literal = PQescapeLiteral(conn, name, strlen(name));
    char *schema = PQescapeIdentifier(conn, job->schema, strlen(job->schema));
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    state_begin_sql(job, &sql);
    if (ours)
        text_format(&sql, "DROP TABLE %s.%s; ", schema, identifier);
    text_format(&sql, "DELETE FROM %s WHERE family = %s AND name = %s AND kind <> 'data set'; ",
                job->state, job->family, literal);
    text_add(&sql, "COMMIT");
    ok = channel_run(&job->guard, sql.bytes, "dropping it", err) ||
         error_wrap(err, "table %s", name);
    text_close(&sql);
    PQfreemem(identifier);
    PQfreemem(literal);
    PQfreemem(schema);
    return ok;
}

/* The data set's own row, and pgdyno_dataset when nothing else is in it. */
static bool drop_rest(struct job *job, struct error *err)
{
    const char *sql =
        arena_format(job->arena, "DELETE FROM %s WHERE family = %s", job->state, job->family);
    PGresult *left;
    bool empty;

    if (!channel_run(&job->guard, sql, "forgetting the data set", err))
        return false;
    left = channel_ask(&job->guard, arena_format(job->arena, "SELECT FROM %s LIMIT 1", job->state),
                       0, NULL, err);
    if (left == NULL)
        return error_wrap(err, "reading pgdyno_dataset");
    empty = PQntuples(left) == 0;
    PQclear(left);
    if (!empty)
        return true;
    job->state_there = false;
    return channel_run(&job->guard, arena_format(job->arena, "DROP TABLE %s", job->state),
                       "dropping pgdyno_dataset", err);
}

/* What an interrupted drop leaves. */
static bool tell_rest(const struct job *job, const char *name, int count, struct error *err)
{
    if (err->kind != ERROR_INTERRUPTED)
        return false;
    if (job->guard.unanswered)
        return error_set(
            err, ERROR_INTERRUPTED,
            "interrupted after %d table%s; the server does not answer, so %s may still "
            "go, the others stay",
            count, count == 1 ? "" : "s", name);
    return error_set(err, ERROR_INTERRUPTED,
                     "interrupted after %d table%s: the others are still there", count,
                     count == 1 ? "" : "s");
}

/* Many tables take a while, above all when their files are large. */
static void tell(const struct job *job, const char *name, int done, int total)
{
    const struct load_setup *setup = job->setup;
    struct load_progress now = { .step = "drop",
                                 .what = name,
                                 .rows_done = done,
                                 .rows_total = total,
                                 .elapsed_ns = clock_now_ns() - job->drop_begin_ns,
                                 .left_ns = -1,
                                 .finished = done == total };

    if (setup->progress == NULL || (now.finished && now.elapsed_ns < FINISHED_TOLD_NS))
        return;
    if (done > 0)
        now.left_ns = now.elapsed_ns / done * (total - done);
    setup->progress(setup->context, &now);
}

bool drop_recorded(struct job *job, int *count, struct error *err)
{
    PGresult *found;
    bool ok = true;
    int total;

    *count = 0;
    if (!job->state_there)
        return true;
    found = list_recorded(job, err);
    if (found == NULL)
        return false;
    total = PQntuples(found);
    job->drop_begin_ns = clock_now_ns();
    ok = object_drop_all(job, err) && drop_links(job, err);
    for (int i = 0; i < total && ok; i++) {
        const char *name = PQgetvalue(found, i, 0);
        bool ours = PQgetvalue(found, i, 1)[0] == 't';
        tell(job, name, i, total);
        ok = job_stopped() ? error_set(err, ERROR_INTERRUPTED, "interrupted")
                           : drop_one(job, name, ours, err);
        if (!ok)
            tell_rest(job, name, *count, err);
        *count += ok && ours;
    }
    PQclear(found);
    if (ok)
        tell(job, "", total, total);
    return ok && drop_rest(job, err);
}

/* Dropping asks nothing of the world: only the family counts. */
static void open_bare(struct job *job, const struct load_setup *setup)
{
    *job = (struct job){ .setup = setup, .arena = arena_new(LOAD_ARENA_BYTES) };
    stall_open(&job->stall, setup);
    job->phases = json_array();
    job->steps = json_array();
    job->notes = json_array();
}

bool load_drop(const struct load_setup *setup, int *count, struct error *err)
{
    struct job job;
    bool ok;

    *count = 0;
    open_bare(&job, setup);
    ok = guard_open(&job, false, err) && drop_recorded(&job, count, err);
    job_close(&job);
    return ok;
}

struct list {
    json_t *tables;
    struct error *err;
};

/* One table of the list, with the rows it has by now. */
static bool list_one(struct job *job, const PGresult *found, int row, int64_t until_ns,
                     struct list *list)
{
    const char *name = PQgetvalue(found, row, 0);
    uint32_t relation = (uint32_t)strtoul(PQgetvalue(found, row, 4), NULL, 10);
    char *schema = PQescapeIdentifier(job->guard.conn, job->schema, strlen(job->schema));
    char *identifier = PQescapeIdentifier(job->guard.conn, name, strlen(name));
    struct live live = { .until_ns = until_ns };
    bool ok = live_rows(job, arena_format(job->arena, "%s.%s", schema, identifier), relation, &live,
                        list->err);

    PQfreemem(schema);
    PQfreemem(identifier);
    if (!ok)
        return false;
    if (live.rows < 0)
        live.rows = strtoll(PQgetvalue(found, row, 2), NULL, 10);
    json_array_append_new(list->tables,
                          json_pack("{s:s, s:I, s:b, s:I}", "table", name, "rows",
                                    (json_int_t)live.rows, "exact", live.exact, "size_bytes",
                                    (json_int_t)strtoll(PQgetvalue(found, row, 3), NULL, 10)));
    return true;
}

json_t *load_drop_list(const struct load_setup *setup, struct error *err)
{
    struct list list = { json_array(), err };
    struct job job;
    PGresult *found = NULL;
    int64_t until_ns;
    bool ok;

    open_bare(&job, setup);
    ok = guard_open(&job, false, err);
    if (ok && job.state_there) {
        found = list_recorded(&job, err);
        ok = found != NULL;
    }
    until_ns = live_until_ns();
    for (int i = 0; found != NULL && ok && i < PQntuples(found); i++)
        if (PQgetvalue(found, i, 1)[0] == 't')
            ok = list_one(&job, found, i, until_ns, &list);
    PQclear(found);
    job_close(&job);
    if (ok)
        return list.tables;
    json_decref(list.tables);
    return NULL;
}
