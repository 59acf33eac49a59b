/*
 * asker.c - see asker.h. What a role may not see is found out by one question for its rights, so no
 * statement is ever refused.
 */
#include "collect/asker.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "collect/query.h"
#include "collect/views.h"

#define ANSWER_NS (1500 * NS_PER_MS) /* the server ends a statement after 1 s */
#define VIEWS_MAX 128

static const char *const ask_names[ASK_COUNT] = { "views each second", "views", "waits",
                                                  "lock chains" };

/* ---- asking ---- */

static void add_note(struct asker *asker, const char *what, const char *why)
{
    if (asker->note_count < ASKER_NOTES_MAX)
        asker->notes[asker->note_count++] = memory_format("not watched: %s: %s", what, why);
}

PGresult *asker_ask(struct asker *asker, enum ask which)
{
    struct collect *collect = asker->collect;
    struct error err = { 0 };
    PGresult *result = NULL;
    char *words;

    if (asker->sql[which] == NULL)
        return NULL;
    if (!asker->pooled && !asker->prepared[which]) {
        words = memory_format("PREPARE pgdyno_%d AS %s", (int)which, asker->sql[which]);
        result = query_run(collect, words, true, &err);
        memory_free(words);
        asker->prepared[which] = result != NULL;
        PQclear(result);
    }
    if (asker->pooled) {
        result = query_run(collect, asker->sql[which], false, &err);
    } else if (asker->prepared[which]) {
        words = memory_format("EXECUTE pgdyno_%d", (int)which);
        result = query_run(collect, words, true, &err);
        memory_free(words);
    }
    if (result == NULL) {
        if (!collect_is_hurried(collect))
            add_note(asker, ask_names[which], err.text);
        memory_free(asker->sql[which]);
        asker->sql[which] = NULL;
    }
    return result;
}

json_t *asker_views(struct asker *asker, enum ask which)
{
    PGresult *result = asker_ask(asker, which);
    json_t *answer = NULL, *gathered = NULL;

    if (result != NULL && PQntuples(result) == 1)
        answer = json_loads(PQgetvalue(result, 0, 0), 0, NULL);
    if (answer != NULL)
        gathered = views_gather(answer);
    json_decref(answer);
    PQclear(result);
    return gathered;
}

/* Sessions that were there before the run are another's, as for the books. */
static char *since_begin(const struct asker *asker, const struct collect *other)
{
    if (asker->pooled || !other->books_open)
        return memory_text("true");
    return memory_format("a.backend_start >= to_timestamp(%s)", other->clock_begin);
}

/* The condition that tells load sessions, in a statement over `a`. Owned. */
static char *load_condition(struct asker *asker, const char *datid)
{
    char *name =
        PQescapeLiteral(asker->collect->conn, asker->application, strlen(asker->application));
    char *words = memory_format("(a.datid = %s AND a.application_name = left(%s, 63) AND %s)",
                                datid, name != NULL ? name : "''", asker->since);

    PQfreemem(name);
    return words;
}

/* The function and not its view: nothing is to be joined, no text is looked at. */
static void write_waits(struct asker *asker, const char *datid)
{
    char *load = load_condition(asker, datid);

    asker->sql[ASK_WAITS] =
        memory_format("SELECT coalesce(a.backend_type, '') = 'checkpointer', coalesce(a.state, ''),"
                      " coalesce(a.wait_event_type, ''), coalesce(a.wait_event, ''), count(*)"
                      " FROM pg_catalog.pg_stat_get_activity(NULL) a"
                      " WHERE a.backend_type = 'checkpointer' OR %s GROUP BY 1, 2, 3, 4",
                      load);
    asker->sql[ASK_CHAINS] = memory_format(
        "SELECT coalesce(a.backend_type, '') = 'checkpointer', coalesce(a.state, ''),"
        " coalesce(a.wait_event_type, ''), coalesce(a.wait_event, ''), a.pid, %s,"
        " CASE WHEN a.wait_event_type = 'Lock' THEN"
        " pg_catalog.array_to_string(pg_catalog.pg_blocking_pids(a.pid), ' ') ELSE '' END"
        " FROM pg_catalog.pg_stat_get_activity(NULL) a"
        " WHERE a.pid <> pg_catalog.pg_backend_pid()"
        " AND (a.backend_type = 'checkpointer' OR a.datid = %s)",
        load, datid);
    memory_free(load);
}

char *asker_text(struct asker *asker, const char *sql)
{
    struct error ignored;
    PGresult *result = query_run(asker->collect, sql, false, &ignored);
    char *text = result != NULL && PQntuples(result) == 1 && !PQgetisnull(result, 0, 0)
                     ? memory_text(PQgetvalue(result, 0, 0))
                     : NULL;

    PQclear(result);
    return text;
}

static void write_views(struct asker *asker)
{
    struct collect *collect = asker->collect;
    char *needs_sql = views_needs_sql(collect->major);
    char *statements = asker_text(asker, "SELECT format('%I.pg_stat_statements(false)', n.nspname)"
                                         " FROM pg_extension e JOIN pg_namespace n"
                                         " ON n.oid = e.extnamespace"
                                         " WHERE e.extname = 'pg_stat_statements'");
    struct error err = { 0 };
    json_t *needs = query_json(collect, needs_sql, QUERY_OBJECT, false, &err);
    bool holds[VIEWS_MAX] = { false };

    for (int i = 0; view_rows[i].name != NULL && i < VIEWS_MAX; i++) {
        char key[32];
        snprintf(key, sizeof key, "need_%d", i);
        holds[i] = json_is_true(json_object_get(needs, key));
    }
    if (needs == NULL)
        add_note(asker, "the server's views", err.text);
    asker->sql[ASK_SECOND] = views_sql(collect->major, VIEW_SECOND, holds, statements);
    asker->sql[ASK_EDGE] = views_sql(collect->major, VIEW_EDGE, holds, statements);
    json_decref(needs);
    memory_free(statements);
    memory_free(needs_sql);
}

/* Of the session, once; behind a pooler that would be somebody else's, so there each statement
 * brings its own. */
static void settle_session(struct asker *asker)
{
    struct error ignored;

    if (!asker->pooled)
        PQclear(query_run(asker->collect,
                          "SET search_path = pg_catalog; SET statement_timeout = 1000;"
                          " SET lock_timeout = 500; SET jit = off;"
                          " SET max_parallel_workers_per_gather = 0; SET application_name ="
                          " 'pgdyno-collect'",
                          true, &ignored));
}

/* Of several hosts it may be the turn of another one. */
static bool is_same_server(const struct collect *one, const struct collect *other)
{
    return json_equal(json_object_get(one->server, "start_s"),
                      json_object_get(other->server, "start_s")) != 0;
}

static bool connect_like(struct asker *asker, const struct collect *other)
{
    struct error err = { 0 };

    asker->collect = collect_open(other->conninfo, other->connect_ns, &err);
    if (asker->collect == NULL) {
        add_note(asker, "the server", err.text);
        return false;
    }
    if (!is_same_server(asker->collect, other)) {
        add_note(asker, "the server", "the connection for it led to another server");
        collect_close(asker->collect);
        asker->collect = NULL;
        return false;
    }
    asker->collect->limit_ns = ANSWER_NS;
    asker->pooled = json_integer_value(json_object_get(asker->collect->server, "pid")) !=
                    PQbackendPID(asker->collect->conn);
    return true;
}

bool asker_open(struct asker *asker, const struct collect *other, const char *application)
{
    char *datid;

    asker->application = memory_text(application);
    if (!connect_like(asker, other))
        return false;
    asker->since = since_begin(asker, other);
    settle_session(asker);
    datid = asker_text(asker, "SELECT oid FROM pg_database WHERE datname = current_database()");
    if (datid != NULL)
        write_waits(asker, datid);
    write_views(asker);
    memory_free(datid);
    return true;
}

void asker_close(struct asker *asker)
{
    collect_close(asker->collect);
    asker->collect = NULL;
    for (int i = 0; i < ASK_COUNT; i++)
        memory_free(asker->sql[i]);
    for (int i = 0; i < asker->note_count; i++)
        memory_free(asker->notes[i]);
    memory_free(asker->application);
    memory_free(asker->since);
    *asker = (struct asker){ 0 };
}

char *asker_count_sql(struct asker *asker)
{
    char *name =
        PQescapeLiteral(asker->collect->conn, asker->application, strlen(asker->application));
    char *sql = memory_format("SELECT count(*) FROM pg_stat_activity a WHERE datname ="
                              " current_database() AND application_name = left(%s, 63) AND %s",
                              name != NULL ? name : "''", asker->since);

    PQfreemem(name);
    return sql;
}
