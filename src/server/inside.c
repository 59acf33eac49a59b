/*
 * inside.c - what is done within a server of ours once it answers.
 *
 * A setting is proven by its source rather than by its value: PostgreSQL tells from which file a
 * value in force came. That needs no knowledge of units, and finds ALTER SYSTEM, ALTER DATABASE and
 * whatever else overrules a file.
 */
#include "server/inside.h"

#include <errno.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "server/folder.h"

#define PASSWORD_BYTES 24
#define ARENA_BYTES    (1 << 16)

static bool complain(PGconn *connection, const char *doing, struct error *err)
{
    const char *text = PQerrorMessage(connection);

    return error_set(err, ERROR_SERVER, "%s: %.*s", doing, (int)strcspn(text, "\n"), text);
}

/* A conninfo cannot overrule PGSERVICE: a service that is unknown here would keep us out. No thread
 * of pgdyno runs yet when servers are started, so the environment may be touched. */
static PGconn *connect_without_service(const char *conninfo)
{
    char *service = memory_text(getenv("PGSERVICE"));
    PGconn *connection;

    unsetenv("PGSERVICE");
    connection = PQconnectdb(conninfo);
    if (service != NULL)
        setenv("PGSERVICE", service, 1);
    memory_free(service);
    return connection;
}

/* Always through the socket, where we are trusted, whatever else is open. */
static PGconn *enter(const struct home *home, const char *database, struct error *err)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    struct server_kept kept;
    PGconn *connection;
    const char *conninfo;

    home_kept(home, &kept);
    kept.tcp = false;
    conninfo = server_conninfo(&kept, "pgdyno", arena);
    if (database != NULL) /* the last one counts */
        conninfo = arena_format(arena, "%s dbname=%s", conninfo, database);
    connection = connect_without_service(conninfo);
    if (PQstatus(connection) != CONNECTION_OK) {
        complain(connection, "cannot enter the local server", err);
        PQfinish(connection);
        connection = NULL;
    }
    arena_free(arena);
    return connection;
}

static bool tell(PGconn *connection, const char *sql, const char *doing, struct error *err)
{
    PGresult *result = PQexec(connection, sql);
    bool good = PQresultStatus(result) == PGRES_COMMAND_OK;

    PQclear(result);
    return good || complain(connection, doing, err);
}

static bool make_database(PGconn *connection, struct error *err)
{
    PGresult *result = PQexec(
        connection, "SELECT 1 FROM pg_catalog.pg_database WHERE datname = '" SERVER_DATABASE "'");
    bool good = PQresultStatus(result) == PGRES_TUPLES_OK, there = good && PQntuples(result) == 1;

    PQclear(result);
    if (!good)
        return complain(connection, "cannot look for the database " SERVER_DATABASE, err);
    return there || tell(connection, "CREATE DATABASE " SERVER_DATABASE,
                         "cannot make the database " SERVER_DATABASE, err);
}

static bool draw_password(char *out, struct error *err)
{
    unsigned char bytes[PASSWORD_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set(err, ERROR_MACHINE, "the kernel gives no random bytes: %s",
                         strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* The server gets the verifier, never the password, so that no log of its can hold it. */
static bool set_password(const struct home *home, PGconn *connection, struct error *err)
{
    char password[2 * PASSWORD_BYTES + 1], line[256], sql[1024];
    char *verifier;
    bool good;

    if (!draw_password(password, err))
        return false;
    verifier = PQencryptPasswordConn(connection, password, SERVER_ROLE, "scram-sha-256");
    if (verifier == NULL)
        return complain(connection, "cannot make a password", err);
    snprintf(line, sizeof line, "127.0.0.1:%d:*:" SERVER_ROLE ":%s\n", home->port, password);
    snprintf(sql, sizeof sql, "ALTER ROLE " SERVER_ROLE " PASSWORD '%s'", verifier);
    PQfreemem(verifier);
    good = folder_write(home->passfile, line, 0600, err) &&
           tell(connection, sql, "cannot set the password", err);
    explicit_bzero(password, sizeof password);
    explicit_bzero(line, sizeof line);
    return good;
}

bool inside_prepare(const struct home *home, struct error *err)
{
    PGconn *connection = enter(home, "postgres", err);
    bool good;

    if (connection == NULL) /* somebody dropped that one: template1 is always there */
        connection = enter(home, "template1", err);
    if (connection == NULL)
        return false;
    good = make_database(connection, err) && (!home->tcp || set_password(home, connection, err));
    PQfinish(connection);
    return good;
}

static bool verify_row(const PGresult *table, const struct server_setting *row, struct error *err)
{
    static const char file_name[] = "/pgdyno.conf";
    int at = 0, count = PQntuples(table);
    const char *file;
    size_t length;

    while (at < count && strcasecmp(PQgetvalue(table, at, 0), row->name) != 0)
        at++;
    if (at == count)
        return error_set(err, ERROR_PLAN,
                         "the setting %s is not in force: the server does not know it, or the "
                         "library that brings it is not loaded",
                         row->name);
    file = PQgetvalue(table, at, 3);
    length = strlen(file);
    if (length < strlen(file_name) || strcmp(file + length - strlen(file_name), file_name) != 0)
        return error_set(err, ERROR_PLAN,
                         "the setting %s is not in force: %s was asked for, but it is %s by %s %s",
                         row->name, row->value, PQgetvalue(table, at, 1), PQgetvalue(table, at, 2),
                         file);
    if (PQgetvalue(table, at, 4)[0] == 't')
        return error_set(err, ERROR_PLAN, "the setting %s is not in force: it waits for a restart",
                         row->name);
    return true;
}

bool inside_verify(const struct home *home, const struct settings *settings, struct error *err)
{
    PGconn *connection = enter(home, NULL, err);
    PGresult *table;
    bool good;

    if (connection == NULL)
        return false;
    table = PQexec(connection, "SELECT name, pg_catalog.current_setting(name), source,"
                               " coalesce(sourcefile, ''), pending_restart"
                               " FROM pg_catalog.pg_settings");
    good = PQresultStatus(table) == PGRES_TUPLES_OK ||
           complain(connection, "cannot read the settings", err);
    for (int i = 0; i < settings->count && good; i++)
        good = verify_row(table, &settings->rows[i], err);
    PQclear(table);
    PQfinish(connection);
    return good;
}
