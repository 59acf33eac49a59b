/*
 * guard.c - looks round in the database, and keeps two loads of one schema apart.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/guard_keys.h"
#include "load/job.h"

#define GUARD_WAIT_NS (3 * NS_PER_S)  /* a killed load's session needs a moment to notice */
#define CLEAR_WAIT_NS (60 * NS_PER_S) /* rolling back a large index takes some seconds */
#define POLL_NS       (50 * NS_PER_MS)

static const char survey_sql[] =
    "SELECT n.nspname, n.oid, r.rolname, r.oid, pg_is_in_recovery(), current_database(),"
    " n.oid IS NOT NULL AND has_schema_privilege(n.oid, 'CREATE'),"
    " r.rolsuper OR EXISTS (SELECT FROM pg_roles p WHERE p.rolname = 'pg_checkpoint'"
    "  AND pg_has_role(p.oid, 'USAGE')),"
    " s.oid IS NOT NULL, s.relowner = r.oid, pg_get_userbyid(s.relowner), s.relkind = 'r' AND"
    " (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = s.oid AND a.attname IN ('family',"
    "  'kind', 'name', 'part', 'last', 'relation', 'detail', 'loader', 'at')) = 9"
    " FROM pg_roles r LEFT JOIN pg_namespace n ON n.nspname = current_schema()"
    " LEFT JOIN pg_class s ON s.relnamespace = n.oid AND s.relname = 'pgdyno_dataset'"
    " WHERE r.rolname = current_user";

enum {
    S_SCHEMA,
    S_SCHEMA_OID,
    S_ROLE,
    S_ROLE_OID,
    S_STANDBY,
    S_DATABASE,
    S_CREATE,
    S_CHECKPOINT,
    S_STATE,
    S_STATE_OURS,
    S_STATE_OWNER,
    S_STATE_SHAPE
};

static bool is_true(const PGresult *result, int row, int column)
{
    return PQgetvalue(result, row, column)[0] == 't';
}

static const char *quote(struct job *job, const char *name, bool literal)
{
    PGconn *conn = job->guard.conn;
    char *quoted = literal ? PQescapeLiteral(conn, name, strlen(name))
                           : PQescapeIdentifier(conn, name, strlen(name));
    const char *copy = arena_text(job->arena, quoted != NULL ? quoted : "\"\"");

    PQfreemem(quoted);
    return copy;
}

static void quote_object(struct job *job, struct object_job *object)
{
    struct text text;

    text_init(&text, LOAD_SQL_MAX);
    render_statement(&text, job, object->spec.create, job->quoted_schema, true);
    object->text = arena_text(job->arena, text.bytes);
    text_close(&text);
    object->text_literal = quote(job, object->text, true);
    object->literal = quote(job, object->spec.name, true);
    object->target = arena_format(job->arena, "%s.%s", job->quoted_schema, object->signature);
    object->target_literal = quote(job, object->target, true);
}

static void quote_names(struct job *job)
{
    const char *schema = quote(job, job->schema, false);

    job->quoted_schema = schema;
    job->state = arena_format(job->arena, "%s.pgdyno_dataset", schema);
    job->state_literal = quote(job, job->state, true);
    job->family = quote(job, job->setup->workload->family, true);
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        table->quoted =
            arena_format(job->arena, "%s.%s", schema, quote(job, table->spec.name, false));
        table->literal = quote(job, table->spec.name, true);
    }
    for (int i = 0; i < job->object_count; i++)
        quote_object(job, &job->objects[i]);
}

static bool judge(struct job *job, const PGresult *found, bool may_create, struct error *err)
{
    const char *role = PQgetvalue(found, 0, S_ROLE);

    if (is_true(found, 0, S_STANDBY))
        return error_set(err, ERROR_PLAN,
                         "this server is a standby, which takes no data: give the primary");
    if (PQgetisnull(found, 0, S_SCHEMA))
        return error_set(err, ERROR_PLAN,
                         "no schema of role %s's search_path exists in database %s: create one, or "
                         "name one with options='-c search_path=SCHEMA' in the target",
                         role, PQgetvalue(found, 0, S_DATABASE));
    if (may_create && !is_true(found, 0, S_CREATE))
        return error_set(err, ERROR_PLAN,
                         "role %s may not create tables in schema %s of database %s: "
                         "GRANT CREATE ON SCHEMA, or give another role or search_path",
                         role, PQgetvalue(found, 0, S_SCHEMA), PQgetvalue(found, 0, S_DATABASE));
    /* A table of that name in other hands may have been put there to be run by us. */
    if (is_true(found, 0, S_STATE) && !is_true(found, 0, S_STATE_OURS))
        return error_set(err, ERROR_PLAN,
                         "the table pgdyno_dataset in schema %s belongs to role %s, not to %s: "
                         "connect as that role, or use another schema",
                         PQgetvalue(found, 0, S_SCHEMA), PQgetvalue(found, 0, S_STATE_OWNER), role);
    if (is_true(found, 0, S_STATE) && !is_true(found, 0, S_STATE_SHAPE))
        return error_set(err, ERROR_PLAN,
                         "pgdyno_dataset in schema %s is not the table that pgdyno load keeps "
                         "under that name: rename or drop it, or use another schema",
                         PQgetvalue(found, 0, S_SCHEMA));
    job->schema = arena_text(job->arena, PQgetvalue(found, 0, S_SCHEMA));
    job->role = arena_text(job->arena, role);
    job->schema_oid = (uint32_t)strtoul(PQgetvalue(found, 0, S_SCHEMA_OID), NULL, 10);
    job->role_oid = (uint32_t)strtoul(PQgetvalue(found, 0, S_ROLE_OID), NULL, 10);
    job->may_checkpoint = is_true(found, 0, S_CHECKPOINT);
    job->state_there = is_true(found, 0, S_STATE);
    return true;
}

static bool survey(struct job *job, bool may_create, struct error *err)
{
    PGresult *found = channel_ask(&job->guard, survey_sql, 0, NULL, err);
    bool ok;

    if (found == NULL)
        return error_wrap(err, "looking round in the database");
    if (PQntuples(found) != 1)
        ok = error_set(err, ERROR_SERVER, "the server does not tell which role this is");
    else
        ok = judge(job, found, may_create, err);
    PQclear(found);
    if (ok)
        quote_names(job);
    return ok;
}

/* Who holds the lock, for the message. */
static bool refuse_second(struct job *job, struct error *err)
{
    const char *sql = arena_format(
        job->arena,
        "SELECT l.pid, coalesce(to_char(a.backend_start, 'HH24:MI:SS'), '?') FROM pg_locks l"
        " LEFT JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.granted"
        " AND l.classid = %u AND l.objid = %u AND l.objsubid = 2 AND l.database ="
        " (SELECT oid FROM pg_database WHERE datname = current_database())",
        GUARD_KEY, job->schema_oid);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);

    if (found == NULL)
        return false;
    if (PQntuples(found) > 0)
        error_set(err, ERROR_PLAN,
                  "another load or drop is at work in schema %s (session %s, since %s): wait for "
                  "it, or end it with SELECT pg_terminate_backend(%s)",
                  job->schema, PQgetvalue(found, 0, 0), PQgetvalue(found, 0, 1),
                  PQgetvalue(found, 0, 0));
    else
        error_set(err, ERROR_PLAN, "another load or drop was at work in schema %s: try again",
                  job->schema);
    PQclear(found);
    return false;
}

static bool take_lock(struct job *job, struct error *err)
{
    const char *sql = arena_format(job->arena, "SELECT pg_try_advisory_lock(%d, %d)", GUARD_KEY,
                                   (int)job->schema_oid);
    int64_t until_ns = clock_now_ns() + GUARD_WAIT_NS;

    for (;;) {
        PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);
        bool taken;
        if (found == NULL)
            return error_wrap(err, "locking schema %s", job->schema);
        taken = is_true(found, 0, 0);
        PQclear(found);
        if (taken)
            return true;
        if (clock_now_ns() > until_ns)
            return refuse_second(job, err);
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
}

bool guard_clear(const struct job *job, struct channel *channel, int pid, struct error *err)
{
    int64_t until_ns = clock_now_ns() + CLEAR_WAIT_NS;
    const char *values[2];
    char key[16], wanted[16];

    snprintf(key, sizeof key, "%u", job->schema_oid);
    snprintf(wanted, sizeof wanted, "%d", pid);
    values[0] = key;
    values[1] = wanted;
    for (;;) {
        PGresult *found = channel_ask(
            channel,
            "SELECT pid, pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
            " AND classid = " STEP_KEY_TEXT " AND objid = $1::oid AND objsubid = 2 AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND pid <> pg_backend_pid() AND (pid = $2::int OR $2::int = 0)",
            2, values, err);
        int count = found != NULL ? PQntuples(found) : 0;
        if (found == NULL)
            return error_wrap(err, "ending a session that a former load left behind");
        PQclear(found);
        if (count == 0)
            return true;
        if (clock_now_ns() > until_ns || job_stopped())
            return error_set(err, ERROR_SERVER,
                             "%d sessions that a former load left behind do not end: look at "
                             "pg_stat_activity for application_name pgdyno-load",
                             count);
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
}

bool guard_open(struct job *job, bool may_create, struct error *err)
{
    const struct load_setup *setup = job->setup;

    job->guard.care = &job->stall.care;
    return channel_open(&job->guard, setup->conninfo, setup->plan->connect_timeout_ns, err) &&
           survey(job, may_create, err) && take_lock(job, err) &&
           guard_clear(job, &job->guard, 0, err) &&
           /* The table may have come or gone while we waited for the lock. */
           survey(job, may_create, err);
}
