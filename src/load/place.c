/*
 * place.c - see place.h.
 */
#include "load/place.h"

#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "wire/conninfo.h"

#define TIMEOUT_LEAST_S 2 /* libpq's own */
#define GOING_NS        (2 * NS_PER_S)
#define LOOK_NS         (50 * NS_PER_MS)

static bool complain(PGconn *conn, const char *conninfo, const char *doing, struct error *err)
{
    char *words = memory_text(PQerrorMessage(conn));

    conninfo_scrub(conninfo, words);
    error_set(err, ERROR_SERVER, "%s: %.*s", doing, (int)strcspn(words, "\n"), words);
    memory_free(words);
    return false;
}

/* With the plan's time limit, unless the conninfo has its own. To be finished whatever it is. */
static PGconn *connect_as_admin(const char *conninfo, int64_t timeout_ns)
{
    char *limit = conninfo_value(conninfo, "connect_timeout");
    char *named = conninfo_with(conninfo, "application_name", "pgdyno-admin"), *whole = named;
    int64_t seconds = timeout_ns / NS_PER_S;
    PGconn *conn;

    if (limit == NULL && timeout_ns > 0) {
        limit = memory_format("%d", (int)(seconds > TIMEOUT_LEAST_S ? seconds : TIMEOUT_LEAST_S));
        whole = conninfo_with(named, "connect_timeout", limit);
        memory_free(named);
    }
    conn = PQconnectdb(whole);
    memory_free(whole);
    memory_free(limit);
    return conn;
}

/* The first value of the answer as a number; -1: there is none. */
static int ask_number(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    int number = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1
                     ? (int)strtol(PQgetvalue(result, 0, 0), NULL, 10)
                     : -1;

    PQclear(result);
    return number;
}

static void explain_refusal(PGconn *conn, const char *conninfo, const PGresult *result,
                            struct error *err)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    if (code == NULL || strcmp(code, "42501") != 0)
        complain(conn, conninfo, "quick works in a schema of its own, " PLACE_SCHEMA, err);
    else
        error_set(err, ERROR_PLAN,
                  "quick works in a schema of its own, " PLACE_SCHEMA ", and cannot make it: %s; "
                  "GRANT CREATE ON DATABASE, let somebody make it for this role, or use load and "
                  "run",
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/* Looked for first: CREATE SCHEMA IF NOT EXISTS wants the right to create also when it exists. And
 * once more when it fails: another quick may just have made it. */
static bool make_schema(PGconn *conn, const char *conninfo, struct error *err)
{
    static const char find[] =
        "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = '" PLACE_SCHEMA "'";
    PGresult *result;
    bool good;

    if (ask_number(conn, find) == 1)
        return true;
    result = PQexec(conn, "CREATE SCHEMA " PLACE_SCHEMA);
    good = PQresultStatus(result) == PGRES_COMMAND_OK;
    if (!good)
        explain_refusal(conn, conninfo, result, err);
    PQclear(result);
    return good || ask_number(conn, find) == 1;
}

/* What options were said already, also in the environment, stay. */
static char *with_search_path(const char *conninfo)
{
    char *said = conninfo_value(conninfo, "options");
    const char *before = said != NULL ? said : getenv("PGOPTIONS");
    char *options = memory_format("%s -csearch_path=" PLACE_SCHEMA, before != NULL ? before : "");
    char *whole =
        conninfo_with(conninfo, "options", options + (options[0] == ' ')); /* without the gap */

    memory_free(options);
    memory_free(said);
    return whole;
}

/* A pooler may refuse the search_path, or forget it: then nothing is loaded anywhere. */
static bool check_place(const char *conninfo, int64_t timeout_ns, struct error *err)
{
    PGconn *conn = connect_as_admin(conninfo, timeout_ns);
    bool good = true;

    if (PQstatus(conn) != CONNECTION_OK)
        good = complain(conn, conninfo,
                        "a connection with the search_path " PLACE_SCHEMA
                        " was refused (through a pooler use load and run)",
                        err);
    else if (ask_number(conn, "SELECT (pg_catalog.current_schema() IS NOT DISTINCT FROM "
                              "'" PLACE_SCHEMA "')::int") != 1)
        good = error_set(err, ERROR_SERVER,
                         "the search_path " PLACE_SCHEMA " does not get through to the server, or "
                         "its role may not use that schema: use load and run");
    PQfinish(conn);
    return good;
}

char *place_open(const char *conninfo, int64_t timeout_ns, struct error *err)
{
    PGconn *conn = connect_as_admin(conninfo, timeout_ns);
    bool good = PQstatus(conn) == CONNECTION_OK ? make_schema(conn, conninfo, err)
                                                : complain(conn, conninfo, "connecting", err);
    char *whole;

    PQfinish(conn);
    if (!good)
        return NULL;
    err->kind = ERROR_NONE;
    whole = with_search_path(conninfo);
    if (check_place(whole, timeout_ns, err))
        return whole;
    memory_free(whole);
    return NULL;
}

int place_others(const char *conninfo, int64_t timeout_ns)
{
    PGconn *conn = connect_as_admin(conninfo, timeout_ns);
    int64_t end_ns = clock_now_ns() + GOING_NS;
    int count;

    for (;;) {
        count = ask_number(conn, "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE "
                                 "backend_type = 'client backend' AND pid <> pg_backend_pid()");
        if (count <= 0 || clock_now_ns() >= end_ns)
            break;
        clock_sleep_until_ns(clock_now_ns() + LOOK_NS);
    }
    PQfinish(conn);
    return count;
}
