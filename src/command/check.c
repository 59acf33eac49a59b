/*
 * check.c - `pgdyno check WORKLOAD`: are the data still consistent?
 *
 * The workload asks, the server answers with what it found and what was wanted; here they are only
 * held against each other. A question that the server refuses (a table is not there) has failed as
 * well; a server that went away has not answered.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command/common.h"
#include "command/target.h"
#include "wire/conninfo.h"

#define DIFFERENCES_SHOWN 50
#define QUIET_SESSION     "SET statement_timeout = 0; SET client_min_messages = warning"

struct checking {
    bool quiet;
    int64_t checked, failed;
};

static void tell(struct checking *checking, const char *words)
{
    struct text safe;

    if (++checking->failed > DIFFERENCES_SHOWN)
        return;
    text_init(&safe, WORKLOAD_SQL_MAX);
    text_add_safe(&safe, words);
    printf("  %s\n", safe.bytes);
    text_close(&safe);
}

static void tell_difference(struct checking *checking, const PGresult *found, int row)
{
    struct text words;

    text_init(&words, WORKLOAD_SQL_MAX);
    text_format(&words, "%s: %s, wanted %s", PQgetvalue(found, row, 0), PQgetvalue(found, row, 1),
                PQgetvalue(found, row, 2));
    tell(checking, words.bytes);
    text_close(&words);
}

/* The answer to one question. False: the server has none to give. */
static bool take_answer(struct checking *checking, PGconn *conn, const PGresult *found,
                        struct error *err)
{
    const char *message = PQresultErrorField(found, PG_DIAG_MESSAGE_PRIMARY);

    if (PQresultStatus(found) == PGRES_TUPLES_OK && PQnfields(found) == 3) {
        for (int i = 0; i < PQntuples(found); i++) {
            checking->checked++;
            if (PQgetisnull(found, i, 1) || PQgetisnull(found, i, 2) ||
                strcmp(PQgetvalue(found, i, 1), PQgetvalue(found, i, 2)) != 0)
                tell_difference(checking, found, i);
        }
        return true;
    }
    if (PQstatus(conn) != CONNECTION_OK || message == NULL)
        return error_set(err, ERROR_SERVER, "the server went away while the data were checked: %s",
                         PQerrorMessage(conn));
    checking->checked++;
    tell(checking, message);
    return true;
}

static bool ask_all(const struct command_call *call, PGconn *conn, struct checking *checking,
                    struct error *err)
{
    struct text sql;
    bool ok = true;

    text_init(&sql, WORKLOAD_SQL_MAX);
    for (int i = 0; ok && call->workload->check(&sql, call->world, i); i++) {
        PGresult *found = PQexec(conn, sql.bytes);
        ok = take_answer(checking, conn, found, err);
        PQclear(found);
        text_clear(&sql);
    }
    text_close(&sql);
    return ok;
}

static bool conclude(const struct command_call *call, const struct checking *checking,
                     struct error *err)
{
    const char *name = call->workload->name;

    if (checking->failed > DIFFERENCES_SHOWN)
        printf("  and %lld more\n", (long long)checking->failed - DIFFERENCES_SHOWN);
    if (checking->failed > 0)
        return error_set(err, ERROR_CHECK,
                         "%s: %lld of %lld checks failed; the options must be those the data were "
                         "made with, and a workload that inserts or deletes changes them",
                         name, (long long)checking->failed, (long long)checking->checked);
    if (!checking->quiet)
        printf("%s: %lld checks passed\n", name, (long long)checking->checked);
    return true;
}

/* Owned; NULL with `err` set when there is no server. */
static PGconn *connect_to(const char *conninfo, struct error *err)
{
    char *named = conninfo_with(conninfo, "application_name", "pgdyno-check");
    PGconn *conn = PQconnectdb(named);
    char *message;

    if (PQstatus(conn) != CONNECTION_OK) {
        message = memory_text(PQerrorMessage(conn));
        conninfo_scrub(conninfo, message);
        error_set(err, ERROR_SERVER, "%.*s", (int)strcspn(message, "\n"), message);
        memory_free(message);
        PQfinish(conn);
        conn = NULL;
    } else {
        PQclear(PQexec(conn, QUIET_SESSION));
    }
    memory_free(named);
    return conn;
}

static bool check(struct command_call *call, struct error *err)
{
    struct checking checking = { .quiet = call->plan.quiet };
    const char *conninfo;
    PGconn *conn;
    bool local, ok;

    if (call->workload->check == NULL) {
        printf("%s has no data: nothing to check\n", call->workload->name);
        return true;
    }
    if (!target_open(&call->plan, call->arena, &conninfo, &local, err))
        return false;
    conn = connect_to(conninfo, err);
    if (conn == NULL)
        return false;
    ok = ask_all(call, conn, &checking, err);
    PQfinish(conn);
    return ok && conclude(call, &checking, err);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };

    if (command_read(&call, &command_check, argc, argv, err))
        check(&call, err);
    command_close(&call);
    return err->kind;
}

const struct command command_check = {
    .name = "check",
    .summary = "are the data still consistent? the exit status says so",
    .usage = "WORKLOAD [options]",
    .text = "Asks the server whether the workload's tables hold what its options promise: how many "
            "rows, what is in them, keys, indexes and sequences. What differs is shown, and the "
            "exit status is 8. The data may be those of pgdyno load or of the original tool; give "
            "the options that they were made with.",
    .topics = "target,quiet",
    .takes_workload = true,
    .run = run,
};
