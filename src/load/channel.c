/*
 * channel.c - see channel.h.
 */
#include "load/channel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "wire/conninfo.h"

/* Another try makes sense after these: the connection or the server went, or a conflict passed. */
static const char *const passing[] = { "08", "57P01", "57P02", "57P03", "40001", "40P01", NULL };

static bool passes(const char *sqlstate)
{
    for (int i = 0; passing[i] != NULL; i++)
        if (strncmp(sqlstate, passing[i], strlen(passing[i])) == 0)
            return true;
    return false;
}

static void trim(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        text[--length] = '\0';
}

/* What libpq says of the connection, without secrets. Owned. */
static char *conn_message(const struct channel *channel)
{
    char *text = memory_text(PQerrorMessage(channel->conn));

    conninfo_scrub(channel->conninfo, text);
    trim(text);
    return text;
}

static const char *field(const PGresult *result, int code)
{
    const char *text = result != NULL ? PQresultErrorField(result, code) : NULL;

    return text != NULL ? text : "";
}

/* Fills `err` from a result (NULL: from the connection). Gives false. */
static bool fail(struct channel *channel, const PGresult *result, struct error *err)
{
    const char *detail = field(result, PG_DIAG_MESSAGE_DETAIL);
    const char *hint = field(result, PG_DIAG_MESSAGE_HINT);
    const char *context = field(result, PG_DIAG_CONTEXT);

    snprintf(channel->sqlstate, sizeof channel->sqlstate, "%s", field(result, PG_DIAG_SQLSTATE));
    channel->lost = PQstatus(channel->conn) == CONNECTION_BAD || passes(channel->sqlstate);
    if (channel->sqlstate[0] == '\0') {
        char *text = conn_message(channel);
        error_set(err, ERROR_SERVER, "%s", text[0] != '\0' ? text : "the connection is lost");
        memory_free(text);
        return false;
    }
    return error_set(err, ERROR_SERVER, "%s (SQLSTATE %s)%s%s%s%s%s%s",
                     field(result, PG_DIAG_MESSAGE_PRIMARY), channel->sqlstate,
                     detail[0] != '\0' ? "; " : "", detail, hint[0] != '\0' ? "; " : "", hint,
                     strncmp(context, "COPY ", 5) == 0 ? "; " : "",
                     strncmp(context, "COPY ", 5) == 0 ? context : "");
}

static bool result_ok(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

bool channel_run(struct channel *channel, const char *sql, const char *doing, struct error *err)
{
    PGresult *result = PQexec(channel->conn, sql);
    bool ok = result_ok(result) || fail(channel, result, err);

    PQclear(result);
    return ok || error_wrap(err, "%s", doing);
}

PGresult *channel_ask(struct channel *channel, const char *sql, int count,
                      const char *const *values, struct error *err)
{
    PGresult *result = PQexecParams(channel->conn, sql, count, NULL, values, NULL, NULL, 0);

    if (result_ok(result))
        return result;
    fail(channel, result, err);
    PQclear(result);
    return NULL;
}

/* Timeouts of the server that would cut a long build, as far as its version knows them; and plain
 * isolation, whatever the default is. */
static bool settle(struct channel *channel, struct error *err)
{
    int version = PQserverVersion(channel->conn);
    char sql[400];

    snprintf(sql, sizeof sql,
             "SET statement_timeout = 0; SET lock_timeout = 0; "
             "SET idle_in_transaction_session_timeout = 0; "
             "SET default_transaction_isolation = 'read committed'; "
             "SET standard_conforming_strings = on%s%s",
             version >= 140000 ? "; SET idle_session_timeout = 0" : "",
             version >= 170000 ? "; SET transaction_timeout = 0" : "");
    return channel_run(channel, sql, "preparing a session", err);
}

/* Notices ("index will be created") are not for the terminal. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

bool channel_open(struct channel *channel, const char *conninfo, int64_t connect_timeout_ns,
                  struct error *err)
{
    char seconds[24];
    /* What stands before dbname gives way to what the conninfo says, what stands behind wins. */
    const char *keys[] = { "keepalives_idle",  "keepalives_interval",
                           "keepalives_count", "tcp_user_timeout",
                           "connect_timeout",  "dbname",
                           "application_name", NULL };
    const char *values[] = { "30", "10", "3", "60000", seconds, conninfo, "pgdyno-load", NULL };
    char *text;

    snprintf(seconds, sizeof seconds, "%lld",
             (long long)((connect_timeout_ns + NS_PER_S - 1) / NS_PER_S));
    *channel = (struct channel){ .conninfo = conninfo };
    channel->conn = PQconnectdbParams(keys, values, 1);
    if (PQstatus(channel->conn) != CONNECTION_OK) {
        text = conn_message(channel);
        error_set(err, ERROR_SERVER, "connecting: %s", text);
        memory_free(text);
        channel_close(channel);
        channel->lost = true;
        return false;
    }
    PQsetNoticeReceiver(channel->conn, ignore_notice, NULL);
    channel->pid = PQbackendPID(channel->conn);
    channel->cancel = PQgetCancel(channel->conn);
    if (settle(channel, err))
        return true;
    channel_close(channel);
    return false;
}

void channel_close(struct channel *channel)
{
    PQfreeCancel(channel->cancel);
    PQfinish(channel->conn);
    channel->cancel = NULL;
    channel->conn = NULL;
}

bool channel_copy_begin(struct channel *channel, const char *sql, struct error *err)
{
    PGresult *result;
    bool ok;

    if (PQsendQuery(channel->conn, sql) != 1)
        return fail(channel, NULL, err);
    /* The results of what stands before COPY. */
    while ((result = PQgetResult(channel->conn)) != NULL && result_ok(result))
        PQclear(result);
    ok = PQresultStatus(result) == PGRES_COPY_IN || fail(channel, result, err);
    PQclear(result);
    return ok;
}

bool channel_copy_bytes(struct channel *channel, const void *bytes, size_t count, struct error *err)
{
    assert(count <= 0x7fffffff);
    if (PQputCopyData(channel->conn, bytes, (int)count) == 1)
        return true;
    return fail(channel, NULL, err);
}

bool channel_copy_end(struct channel *channel, struct error *err)
{
    PGresult *result;
    bool ok = true;

    if (PQputCopyEnd(channel->conn, NULL) != 1)
        return fail(channel, NULL, err);
    while ((result = PQgetResult(channel->conn)) != NULL) {
        if (ok && !result_ok(result))
            ok = fail(channel, result, err);
        PQclear(result);
    }
    return ok && (PQstatus(channel->conn) == CONNECTION_OK || fail(channel, NULL, err));
}
