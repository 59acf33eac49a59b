/*
 * channel.c - see channel.h.
 */
#include "load/channel.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "load/channel_open.h"
#include "load/job.h"
#include "wire/conninfo.h"

#define LOOK_MS        50
#define CANCEL_EACH_NS (500 * NS_PER_MS)  /* it may have come between two statements */
#define CANCEL_SENT_NS (200 * NS_PER_MS)  /* and lies in the server's queue, should we end */
#define UNANSWERED_NS  (1200 * NS_PER_MS) /* after the first cancel */

/* Another try makes sense after these: the connection or the server went, or a conflict passed. */
static const char *const passing[] = { "08", "57P01", "57P02", "57P03", "40001", "40P01", NULL };

static bool passes(const char *sqlstate)
{
    for (int i = 0; passing[i] != NULL; i++)
        if (strncmp(sqlstate, passing[i], strlen(passing[i])) == 0)
            return true;
    return false;
}

/* One line: what libpq and servers put into several, or set with tabs. */
static void flatten(char *text)
{
    size_t length = 0;

    for (const char *at = text; *at != '\0'; at++) {
        bool blank = *at == ' ' || (unsigned char)*at < ' ';
        if (!blank)
            text[length++] = *at;
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

/* What libpq says of the connection, without secrets. Owned. */
static char *conn_message(const struct channel *channel)
{
    char *text = memory_text(PQerrorMessage(channel->conn));

    conninfo_scrub(channel->conninfo, text);
    flatten(text);
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
    snprintf(channel->column, sizeof channel->column, "%.*s", (int)sizeof channel->column - 1,
             field(result, PG_DIAG_COLUMN_NAME));
    channel->lost = PQstatus(channel->conn) == CONNECTION_BAD || passes(channel->sqlstate);
    if (channel->sqlstate[0] == '\0') {
        char *text = conn_message(channel);
        error_set(err, ERROR_SERVER, "%s", text[0] != '\0' ? text : "the connection is lost");
        memory_free(text);
        return false;
    }
    error_set(err, ERROR_SERVER, "%s (SQLSTATE %s)%s%s%s%s%s%s",
              field(result, PG_DIAG_MESSAGE_PRIMARY), channel->sqlstate,
              detail[0] != '\0' ? "; " : "", detail, hint[0] != '\0' ? "; " : "", hint,
              strncmp(context, "COPY ", 5) == 0 ? "; " : "",
              strncmp(context, "COPY ", 5) == 0 ? context : "");
    flatten(err->text);
    if (job_stopped() && strcmp(channel->sqlstate, "57014") == 0)
        error_set(err, ERROR_INTERRUPTED, "interrupted");
    return false;
}

static bool result_ok(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* ---- waiting ---- */

struct wait {
    int64_t since_ns; /* nothing came or went */
    int64_t first_cancel_ns, last_cancel_ns;
};

static struct wait wait_begin(void)
{
    return (struct wait){ .since_ns = clock_now_ns() };
}

static void *cancel_it(void *context)
{
    PGcancel *cancel = context;
    char ignored[256];

    PQcancel(cancel, ignored, sizeof ignored);
    PQfreeCancel(cancel);
    return NULL;
}

/* In a thread of its own, since a server that is stopped never answers it; the request lies in its
 * queue all the same. */
static void cancel_beside(struct channel *channel)
{
    PGcancel *cancel = PQgetCancel(channel->conn);

    if (cancel != NULL && !channel_beside(cancel_it, cancel))
        PQfreeCancel(cancel);
}

static bool is_abandoned(const struct channel *channel)
{
    return channel->care != NULL && __atomic_load_n(&channel->care->abandon, __ATOMIC_RELAXED) != 0;
}

/* After load_stop(): cancels when patience ends, and gives false when that is not answered. */
static bool end_wait(struct channel *channel, struct wait *wait, struct error *err)
{
    int64_t now_ns = clock_now_ns(), patience_ns = 0;

    if (channel->care != NULL && !is_abandoned(channel))
        patience_ns = channel->care->patience_ns;
    if (channel->stop_ns == 0)
        channel->stop_ns = now_ns;
    if (now_ns - channel->stop_ns < patience_ns)
        return true;
    if (now_ns - wait->last_cancel_ns > CANCEL_EACH_NS) {
        wait->last_cancel_ns = now_ns;
        if (wait->first_cancel_ns == 0)
            wait->first_cancel_ns = now_ns;
        cancel_beside(channel);
    }
    if (now_ns - wait->first_cancel_ns < UNANSWERED_NS)
        return true;
    channel->unanswered = true;
    channel->sqlstate[0] = '\0';
    return error_set(err, ERROR_INTERRUPTED,
                     "interrupted: the server does not answer, not even a request to cancel");
}

/* Asking `still` takes time, in which the socket may have become ready after all. */
static bool goes_on(struct channel *channel, struct pollfd *fd, const struct wait *wait,
                    struct error *err)
{
    const struct channel_care *care = channel->care;

    channel->lost = false;
    if (care == NULL || care->still == NULL ||
        care->still(care->context, channel, wait->since_ns, err) || poll(fd, 1, 0) > 0)
        return true;
    channel->unanswered = !channel->lost;
    channel->sqlstate[0] = '\0';
    cancel_beside(channel);
    clock_sleep_until_ns(clock_now_ns() + CANCEL_SENT_NS);
    return false;
}

/* Waits until the socket is ready; false: no use to wait on. */
static bool await(struct channel *channel, short events, struct wait *wait, struct error *err)
{
    struct pollfd fd = { .fd = PQsocket(channel->conn), .events = events };

    while (fd.fd >= 0 && poll(&fd, 1, LOOK_MS) <= 0) {
        bool stops = job_stopped() || is_abandoned(channel);
        if (stops ? !end_wait(channel, wait, err) : !goes_on(channel, &fd, wait, err))
            return false;
    }
    wait->since_ns = clock_now_ns();
    return true;
}

static bool flush(struct channel *channel, struct wait *wait, struct error *err)
{
    int left;

    while ((left = PQflush(channel->conn)) == 1)
        if (!await(channel, POLLIN | POLLOUT, wait, err) || PQconsumeInput(channel->conn) != 1)
            break;
    return left != 1 || PQstatus(channel->conn) == CONNECTION_BAD;
}

/* The next result, NULL behind the last; false: the wait was ended. */
static bool next_result(struct channel *channel, struct wait *wait, PGresult **result,
                        struct error *err)
{
    *result = NULL;
    if (!flush(channel, wait, err))
        return false;
    while (PQisBusy(channel->conn)) {
        if (!await(channel, POLLIN, wait, err))
            return false;
        if (PQconsumeInput(channel->conn) != 1)
            break;
    }
    *result = PQgetResult(channel->conn);
    return true;
}

/* The first result that failed, else the last; owned. NULL and `err` filled: the wait was ended. */
static PGresult *collect(struct channel *channel, struct error *err)
{
    struct wait wait = wait_begin();
    PGresult *kept = NULL, *result;

    for (;;) {
        if (!next_result(channel, &wait, &result, err)) {
            PQclear(kept);
            return NULL;
        }
        if (result == NULL)
            break;
        if (kept != NULL && !result_ok(kept)) {
            PQclear(result);
            continue;
        }
        PQclear(kept);
        kept = result;
    }
    if (kept == NULL || !result_ok(kept)) {
        fail(channel, kept, err);
        PQclear(kept);
        return NULL;
    }
    return kept;
}

bool channel_run(struct channel *channel, const char *sql, const char *doing, struct error *err)
{
    PGresult *result = NULL;

    if (PQsendQuery(channel->conn, sql) != 1)
        fail(channel, NULL, err);
    else
        result = collect(channel, err);
    PQclear(result);
    return result != NULL || error_wrap(err, "%s", doing);
}

PGresult *channel_ask(struct channel *channel, const char *sql, int count,
                      const char *const *values, struct error *err)
{
    if (PQsendQueryParams(channel->conn, sql, count, NULL, values, NULL, NULL, 0) == 1)
        return collect(channel, err);
    fail(channel, NULL, err);
    return NULL;
}

/* Timeouts of the server that would cut a long build, as far as its version knows them; plain
 * isolation, whatever the default is; keepalives, so that the server notices when we are gone,
 * whose locks would keep the next load out. And the backend's own word for its pid, since poolers
 * give out others. */
static bool settle(struct channel *channel, struct error *err)
{
    int version = PQserverVersion(channel->conn);
    PGresult *result = NULL;
    char sql[600];

    snprintf(sql, sizeof sql,
             "SET statement_timeout = 0; SET lock_timeout = 0; "
             "SET idle_in_transaction_session_timeout = 0; "
             "SET default_transaction_isolation = 'read committed'; "
             "SET standard_conforming_strings = on; "
             "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; "
             "SET tcp_keepalives_count = 3; SET tcp_user_timeout = 60000"
             "%s%s; SELECT pg_backend_pid()",
             version >= 140000 ? "; SET idle_session_timeout = 0" : "",
             version >= 170000 ? "; SET transaction_timeout = 0" : "");
    if (PQsendQuery(channel->conn, sql) != 1)
        fail(channel, NULL, err);
    else
        result = collect(channel, err);
    if (result == NULL)
        return error_wrap(err, "preparing a session");
    channel->pid = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return true;
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
    struct channel_care *care = channel->care;
    char *text;

    snprintf(seconds, sizeof seconds, "%lld",
             (long long)((connect_timeout_ns + NS_PER_S - 1) / NS_PER_S));
    *channel = (struct channel){ .conninfo = conninfo, .care = care };
    channel->conn = channel_connect(keys, values, care, err);
    if (channel->conn == NULL)
        return false;
    if (PQstatus(channel->conn) != CONNECTION_OK) {
        text = conn_message(channel);
        error_set(err, ERROR_SERVER, "connecting: %s", text);
        /* In whatever language: a severity and two blanks, which libpq's own messages have not. */
        channel->refused = strstr(PQerrorMessage(channel->conn), ":  ") != NULL;
        memory_free(text);
        channel_close(channel);
        channel->lost = true;
        return false;
    }
    PQsetNoticeReceiver(channel->conn, ignore_notice, NULL);
    channel->pid = PQbackendPID(channel->conn);
    PQsetnonblocking(channel->conn, 1);
    if (settle(channel, err))
        return true;
    channel_close(channel);
    return false;
}

void channel_close(struct channel *channel)
{
    PQfinish(channel->conn);
    channel->conn = NULL;
}

bool channel_copy_begin(struct channel *channel, const char *sql, struct error *err)
{
    struct wait wait = wait_begin();
    PGresult *result;
    bool ok;

    if (PQsendQuery(channel->conn, sql) != 1)
        return fail(channel, NULL, err);
    /* The results of what stands before COPY. */
    do {
        if (!next_result(channel, &wait, &result, err))
            return false;
        ok = result != NULL && result_ok(result);
        if (ok)
            PQclear(result);
    } while (ok);
    ok = PQresultStatus(result) == PGRES_COPY_IN || fail(channel, result, err);
    PQclear(result);
    return ok;
}

bool channel_copy_bytes(struct channel *channel, const void *bytes, size_t count, struct error *err)
{
    struct wait wait = wait_begin();

    assert(count <= 0x7fffffff);
    if (PQputCopyData(channel->conn, bytes, (int)count) != 1)
        return fail(channel, NULL, err);
    if (!flush(channel, &wait, err))
        return false;
    return PQstatus(channel->conn) == CONNECTION_OK || fail(channel, NULL, err);
}

bool channel_copy_end(struct channel *channel, struct error *err)
{
    PGresult *result;

    if (PQputCopyEnd(channel->conn, NULL) != 1)
        return fail(channel, NULL, err);
    result = collect(channel, err);
    PQclear(result);
    return result != NULL && (PQstatus(channel->conn) == CONNECTION_OK || fail(channel, NULL, err));
}
