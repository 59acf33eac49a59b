/*
 * query.c - see query.h. Waiting is done with poll() and a deadline of our own: a server that is
 * stopped or cut off must not keep a run from ending.
 */
#include "collect/query.h"

#include <assert.h>
#include <ctype.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "wire/conninfo.h"

#define QUERY_GRACE_MS 2000 /* beyond the server's own limit */
#define HURRY_NS       (150 * NS_PER_MS)
#define SLICE_NS       (50 * NS_PER_MS) /* then it is looked whether there is a hurry */
#define LOCAL_SETTINGS                                                         \
    "SET LOCAL search_path = pg_catalog; SET LOCAL statement_timeout = 5000; " \
    "SET LOCAL lock_timeout = 500; "

static_assert(QUERY_TIMEOUT_MS == 5000, "LOCAL_SETTINGS says the same");

static void be_silent(void *context, const char *message)
{
    (void)context;
    (void)message;
}

/* libpq's messages have several lines; ours have one. */
static void flatten(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        bool blank = isspace((unsigned char)*at);
        if (!blank)
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

static bool refuse(const struct collect *collect, const char *reason, struct error *err)
{
    char *text = memory_text(reason);
    flatten(text);
    conninfo_scrub(collect->conninfo, text);
    error_set(err, ERROR_SERVER, "%s", text);
    memory_free(text);
    return false;
}

static void forget_cancel(struct collect *collect)
{
    PGcancel *cancel = atomic_exchange(&collect->cancel, NULL);

    if (cancel != NULL)
        PQfreeCancel(cancel);
}

static void lose(struct collect *collect)
{
    forget_cancel(collect);
    PQfinish(collect->conn);
    collect->conn = NULL;
}

static void *cancel_main(void *arg)
{
    char ignored[256];

    PQcancel(arg, ignored, sizeof ignored);
    PQfreeCancel(arg);
    return NULL;
}

/* What the server is still busy with would go on without us, its session stay. A server that is
 * stopped takes the request and never closes the connection, and libpq waits for that: hence a
 * thread, and not for long. */
static void cancel_soon(struct collect *collect)
{
    PGcancel *cancel = atomic_exchange(&collect->cancel, NULL);
    int64_t until_ns = clock_wall_ns() + HURRY_NS;
    struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };
    pthread_t thread;

    if (cancel == NULL)
        return;
    if (pthread_create(&thread, NULL, cancel_main, cancel) != 0) {
        PQfreeCancel(cancel);
        return;
    }
    if (pthread_timedjoin_np(thread, NULL, &until) != 0)
        pthread_detach(thread);
}

/* True when a result is ready to be taken without waiting. */
static bool wait_for_result(const struct collect *collect, int64_t until_ns)
{
    PGconn *conn = collect->conn;

    int64_t begin_ns = clock_now_ns();

    while (PQisBusy(conn)) {
        int64_t now_ns = clock_now_ns(), left_ns = until_ns - now_ns;
        if (left_ns <= 0 || (atomic_load(&collect->hurry) && now_ns - begin_ns > HURRY_NS))
            return false;
        if (left_ns > SLICE_NS)
            left_ns = SLICE_NS;
        struct pollfd poll_for = { .fd = PQsocket(conn), .events = POLLIN };
        if (poll_for.fd < 0)
            return true; /* PQgetResult() tells what happened */
        poll(&poll_for, 1, (int)(left_ns / NS_PER_MS) + 1);
        if (!PQconsumeInput(conn))
            return true;
    }
    return true;
}

static bool is_refusal(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
}

/* The message may hold several statements: the last result stands, or the first refusal. */
static PGresult *take_results(struct collect *collect, struct error *err)
{
    PGresult *kept = NULL, *next;
    int64_t limit_ms =
        collect->limit_ns > 0 ? collect->limit_ns / NS_PER_MS : QUERY_TIMEOUT_MS + QUERY_GRACE_MS;
    int64_t until_ns = clock_now_ns() + limit_ms * NS_PER_MS;
    for (;;) {
        if (!wait_for_result(collect, until_ns)) {
            PQclear(kept);
            cancel_soon(collect);
            lose(collect);
            error_set(err, ERROR_SERVER, "no answer within %d ms", (int)limit_ms);
            collect->silent = true;
            return NULL;
        }
        next = PQgetResult(collect->conn);
        if (next == NULL)
            return kept;
        if (kept != NULL && is_refusal(kept)) {
            PQclear(next);
            continue;
        }
        PQclear(kept);
        kept = next;
    }
}

PGresult *query_run(struct collect *collect, const char *sql, bool bare, struct error *err)
{
    if (collect->conn == NULL) {
        error_set(err, ERROR_SERVER, "the connection is lost");
        return NULL;
    }
    char *message = memory_format("%s%s", bare ? "" : LOCAL_SETTINGS, sql);
    bool sent = PQsendQuery(collect->conn, message) == 1;
    memory_free(message);
    if (!sent) {
        refuse(collect, PQerrorMessage(collect->conn), err);
        lose(collect);
        return NULL;
    }
    PGresult *result = take_results(collect, err);
    if (collect->conn == NULL)
        return NULL;
    if (result == NULL || is_refusal(result)) {
        const char *said =
            result != NULL ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
        refuse(collect, said != NULL ? said : PQerrorMessage(collect->conn), err);
        PQclear(result);
        if (PQstatus(collect->conn) == CONNECTION_BAD)
            lose(collect);
        return NULL;
    }
    collect->own_commits++; /* one message, one transaction: see books.c */
    return result;
}

json_t *query_json(struct collect *collect, const char *sql, enum query_shape shape, bool bare,
                   struct error *err)
{
    static const char *const forms[] = {
        [QUERY_OBJECT] = "SELECT pg_catalog.row_to_json(t) FROM (%s) t LIMIT 1",
        [QUERY_LIST] = "SELECT coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(t)), '[]')"
                       " FROM (%s) t",
    };
    const char *form = forms[shape], *hole = strstr(form, "%s");
    char *whole = memory_format("%.*s%s%s", (int)(hole - form), form, sql, hole + 2);
    PGresult *result = query_run(collect, whole, bare, err);
    memory_free(whole);
    if (result == NULL)
        return NULL;
    json_t *value = NULL;
    if (PQntuples(result) == 0) {
        value = json_null();
    } else {
        json_error_t where;
        value = json_loads(PQgetvalue(result, 0, 0), JSON_DECODE_ANY, &where);
        if (value == NULL)
            error_set(err, ERROR_SERVER, "the answer is not JSON that can be read: %s", where.text);
    }
    PQclear(result);
    return value;
}

static void prepare_conninfo(struct collect *collect)
{
    if (collect->own_conninfo != NULL)
        return;
    char *named = conninfo_with(collect->conninfo, "application_name", "pgdyno-collect");
    char *encoded = conninfo_with(named, "client_encoding", "UTF8"); /* what jansson reads */
    char *timeout = conninfo_value(encoded, "connect_timeout");
    char seconds[24];
    snprintf(seconds, sizeof seconds, "%lld",
             (long long)((collect->connect_ns + NS_PER_S - 1) / NS_PER_S));
    collect->own_conninfo =
        timeout != NULL ? memory_text(encoded) : conninfo_with(encoded, "connect_timeout", seconds);
    memory_free(timeout);
    memory_free(encoded);
    memory_free(named);
}

/* PQconnectdb(), but not for longer than is waited for an answer. */
static PGconn *connect_soon(const struct collect *collect)
{
    int64_t until_ns = clock_now_ns() + collect->limit_ns, left_ns;
    PGconn *conn = PQconnectStart(collect->own_conninfo);
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;

    while (conn != NULL && PQstatus(conn) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
           status != PGRES_POLLING_FAILED && (left_ns = until_ns - clock_now_ns()) > 0 &&
           !atomic_load(&collect->hurry)) {
        struct pollfd poll_for = { .fd = PQsocket(conn),
                                   .events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT };
        if (left_ns > SLICE_NS)
            left_ns = SLICE_NS;
        if (poll(&poll_for, 1, (int)(left_ns / NS_PER_MS) + 1) > 0)
            status = PQconnectPoll(conn);
    }
    return conn;
}

bool query_connect(struct collect *collect, struct error *err)
{
    if (collect->conn != NULL)
        return true;
    /* It would not answer this either. */
    if (collect->silent)
        return error_set(err, ERROR_SERVER, "the server did not answer any more");
    if (!conninfo_check(collect->conninfo, err))
        return false;
    prepare_conninfo(collect);
    int64_t begin_ns = clock_now_ns();
    PGconn *conn =
        collect->limit_ns > 0 ? connect_soon(collect) : PQconnectdb(collect->own_conninfo);
    if (conn == NULL || PQstatus(conn) != CONNECTION_OK) {
        const char *said = conn != NULL ? PQerrorMessage(conn) : "out of memory";
        refuse(collect, *said != '\0' ? said : "no answer in time", err);
        /* What took so long once would take as long again. */
        collect->silent = clock_now_ns() - begin_ns > collect->connect_ns * 3 / 4 ||
                          (conn != NULL && PQstatus(conn) != CONNECTION_BAD);
        PQfinish(conn);
        return false;
    }
    PQsetNoticeProcessor(conn, be_silent, NULL);
    collect->conn = conn;
    atomic_store(&collect->cancel, PQgetCancel(conn));
    collect->major = PQserverVersion(conn) / 10000;
    collect->own_commits++;
    return true;
}

void collect_interrupt(struct collect *collect)
{
    PGcancel *cancel = atomic_exchange(&collect->cancel, NULL);
    char ignored[256];

    if (cancel != NULL)
        PQcancel(cancel, ignored, sizeof ignored);
}

void query_close(struct collect *collect)
{
    if (collect->conn != NULL)
        lose(collect);
}
