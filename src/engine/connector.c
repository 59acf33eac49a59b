/*
 * connector.c - see connector.h.
 *
 * PQconnectPoll() is driven here: it tells what it waits for, which is how the time is split. It
 * walks a list of hosts as long as they refuse; one that is silent would hold it for ever, so after
 * the time limit the rest of the list is tried without it.
 */
#include "engine/connector.h"

#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/run.h"
#include "wire/conninfo.h"

#define SLICE_MS        100
#define SQLSTATE_LENGTH 5

/* The user's conninfo with what we add where it is silent. Owned. */
static char *complete_conninfo(const char *conninfo, const char *name, int64_t timeout_ns)
{
    char seconds[24];
    char *named = conninfo_value(conninfo, "application_name");
    char *gss = conninfo_value(conninfo, "gssencmode");
    char *limit = conninfo_value(conninfo, "connect_timeout");
    char *whole = memory_text(conninfo), *next;

    snprintf(seconds, sizeof seconds, "%lld", (long long)((timeout_ns + NS_PER_S - 1) / NS_PER_S));
    const char *const additions[][2] = {
        { named == NULL ? "application_name" : NULL, name },
        /* The wire cannot go through GSS encryption; whoever asks for it is told so by wire_open().
         */
        { gss == NULL && getenv("PGGSSENCMODE") == NULL ? "gssencmode" : NULL, "disable" },
        { limit == NULL && getenv("PGCONNECT_TIMEOUT") == NULL ? "connect_timeout" : NULL,
          seconds },
    };
    for (int i = 0; i < COUNT_OF(additions); i++) {
        if (additions[i][0] == NULL)
            continue;
        next = conninfo_with(whole, additions[i][0], additions[i][1]);
        memory_free(whole);
        whole = next;
    }
    memory_free(named);
    memory_free(gss);
    memory_free(limit);
    return whole;
}

/* A list of hosts in PGHOST is written into the conninfo, where it can be rotated. */
static void adopt_host_list(struct connector *connector)
{
    static const char *const keys[][2] = { { "host", "PGHOST" }, { "port", "PGPORT" } };
    const char *hosts = getenv("PGHOST");
    char *said = conninfo_value(connector->conninfo, "host");

    for (int i = 0; said == NULL && hosts != NULL && strchr(hosts, ',') != NULL && i < 2; i++) {
        char *value = conninfo_value(connector->conninfo, keys[i][0]), *next;
        if (value == NULL && getenv(keys[i][1]) != NULL) {
            next = conninfo_with(connector->conninfo, keys[i][0], getenv(keys[i][1]));
            memory_free(connector->conninfo);
            connector->conninfo = next;
        }
        memory_free(value);
    }
    memory_free(said);
}

void connector_init(struct connector *connector, const char *conninfo, const char *name,
                    int64_t timeout_ns, const atomic_int *stop)
{
    char *limit;

    *connector = (struct connector){ .conninfo = complete_conninfo(conninfo, name, timeout_ns),
                                     .timeout_ns = timeout_ns,
                                     .stop = stop };
    adopt_host_list(connector);
    limit = conninfo_value(connector->conninfo, "connect_timeout");
    if (limit != NULL && strtoll(limit, NULL, 10) > 0)
        connector->timeout_ns = strtoll(limit, NULL, 10) * NS_PER_S;
    memory_free(limit);
}

void connector_close(struct connector *connector)
{
    memory_free(connector->conninfo);
    connector->conninfo = NULL;
}

/* ---- what libpq says ---- */

/* Takes ":  57P03: " down to ":  ", as it is when not verbose, and keeps the code. */
static void take_sqlstates(char *text, char *code, size_t size)
{
    for (char *at = strstr(text, ":  "); at != NULL; at = strstr(at + 1, ":  ")) {
        char *state = at + strlen(":  ");
        size_t length = strspn(state, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (length != SQLSTATE_LENGTH || strncmp(state + length, ": ", 2) != 0)
            continue;
        snprintf(code, size, "%.*s", SQLSTATE_LENGTH, state);
        memmove(state, state + length + 2, strlen(state + length + 2) + 1);
    }
}

/* Where in the server's source an error was raised is of no use to anybody here. */
static void drop_locations(char *text)
{
    char *at, *end;

    while ((at = strstr(text, "\nLOCATION:  ")) != NULL) {
        end = strchr(at + 1, '\n');
        end = end != NULL ? end : at + strlen(at);
        memmove(at, end, strlen(end) + 1);
    }
}

/* Tabs and line ends become single blanks, none at the end. */
static void flatten(char *text)
{
    char *to = text;

    for (const char *at = text; *at != '\0'; at++)
        if (*at != '\n' && *at != '\t' && *at != ' ')
            *to++ = *at;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* libpq's reason on one line, without secrets. */
static void refuse(const char *conninfo, PGconn *conn, struct connecting *connecting,
                   struct error *err)
{
    char *reason = memory_text(PQerrorMessage(conn));

    take_sqlstates(reason, connecting->code, sizeof connecting->code);
    drop_locations(reason);
    flatten(reason);
    conninfo_scrub(conninfo, reason);
    error_set(err, ERROR_SERVER, "%s", reason[0] != '\0' ? reason : "the connection failed");
    memory_free(reason);
}

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* ---- lists of hosts ---- */

/* The list from its element `index` on; a list of one stands for all. Borrowed. */
static const char *rest_from(const char *list, int index)
{
    const char *at = list;

    if (strchr(list, ',') == NULL)
        return list;
    for (int i = 0; i < index && at != NULL; i++)
        at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL;
    return at;
}

static bool begins_with_element(const char *list, const char *element)
{
    size_t length = strcspn(list, ",");

    return length == strlen(element) && strncmp(list, element, length) == 0;
}

/* Which element of the list is being tried; the first that fits. */
static int index_of_host(const char *hosts, const char *ports, PGconn *conn)
{
    const char *host, *port;

    for (int i = 0; (host = rest_from(hosts, i)) != NULL; i++) {
        port = ports != NULL ? rest_from(ports, i) : NULL;
        if (begins_with_element(host, PQhost(conn) != NULL ? PQhost(conn) : "") &&
            (port == NULL || begins_with_element(port, PQport(conn))))
            return i;
    }
    return -1;
}

/* The conninfo without the hosts up to the one that is being tried, or NULL when it is the last.
 * Owned. */
static char *without_silent_host(const char *conninfo, PGconn *conn)
{
    static const char *const keys[] = { "host", "hostaddr", "port" };
    char *values[COUNT_OF(keys)], *whole = NULL, *next;
    const char *names;
    int index = -1;

    for (int i = 0; i < COUNT_OF(keys); i++)
        values[i] = conninfo_value(conninfo, keys[i]);
    names = values[0] != NULL ? values[0] : values[1];
    if (names != NULL && strchr(names, ',') != NULL)
        index = index_of_host(names, values[2], conn);
    if (index >= 0 && rest_from(names, index + 1) != NULL) {
        whole = memory_text(conninfo);
        for (int i = 0; i < COUNT_OF(keys); i++) {
            if (values[i] == NULL || rest_from(values[i], index + 1) == NULL)
                continue;
            next = conninfo_with(whole, keys[i], rest_from(values[i], index + 1));
            memory_free(whole);
            whole = next;
        }
    }
    for (int i = 0; i < COUNT_OF(keys); i++)
        memory_free(values[i]);
    return whole;
}

/* ---- one connection ---- */

/* The part that libpq is in. */
static enum connect_part part_of(PGconn *conn)
{
    switch (PQstatus(conn)) {
    case CONNECTION_SSL_STARTUP:
        return CONNECT_TLS;
    case CONNECTION_AWAITING_RESPONSE:
        return CONNECT_AUTH;
    case CONNECTION_NEEDED:
    case CONNECTION_STARTED:
    case CONNECTION_MADE:
    case CONNECTION_BAD:
        return CONNECT_REACH;
    default:
        return CONNECT_READY;
    }
}

/* The time since the last call belongs to that part. */
static void add_time(struct connecting *connecting, enum connect_part part, int64_t *since_ns)
{
    int64_t now_ns = clock_now_ns();

    if (connecting->part_ns[part] < 0)
        connecting->part_ns[part] = 0;
    connecting->part_ns[part] += now_ns - *since_ns;
    connecting->took_ns += now_ns - *since_ns;
    *since_ns = now_ns;
}

/* Waits for the socket in slices, so that a stop is heard. False: stopped, or the time is over. */
static bool wait_for_socket(const struct connector *connector, PGconn *conn,
                            PostgresPollingStatusType wanted, int64_t until_ns)
{
    struct pollfd socket = { .fd = PQsocket(conn),
                             .events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT };

    while (atomic_load(connector->stop) == STOP_NO && clock_now_ns() < until_ns)
        if (poll(&socket, 1, SLICE_MS) != 0)
            return true;
    return false;
}

/* PQconnectdb() that can be broken off; the time limit is each host's. */
static PGconn *connect_in_slices(const struct connector *connector, const char *conninfo,
                                 struct connecting *connecting)
{
    int64_t since_ns = clock_now_ns(), until_ns = 0;
    PGconn *conn = PQconnectStart(conninfo);
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    const char *host = NULL;
    enum connect_part part = CONNECT_REACH;

    add_time(connecting, part, &since_ns);
    if (conn == NULL || PQstatus(conn) == CONNECTION_BAD)
        return conn;
    PQsetErrorVerbosity(conn, PQERRORS_VERBOSE); /* with SQLSTATE */
    /* Before a backend that is killed as soon as it is ready could speak on standard error. */
    PQsetNoticeReceiver(conn, ignore_notice, NULL);
    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
        if (until_ns == 0 || PQhost(conn) != host) {
            host = PQhost(conn); /* Libpq's own memory: another address is another host. */
            until_ns = since_ns + connector->timeout_ns;
        }
        part = part_of(conn);
        if (!wait_for_socket(connector, conn, status, until_ns))
            break;
        status = PQconnectPoll(conn);
        add_time(connecting, part, &since_ns);
    }
    PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
    return conn;
}

static bool is_silent(const struct connector *connector, PGconn *conn)
{
    return conn != NULL && PQstatus(conn) != CONNECTION_BAD && PQstatus(conn) != CONNECTION_OK &&
           atomic_load(connector->stop) == STOP_NO;
}

/* Gives the connection of the first host that answers, good or bad. */
static PGconn *connect_to_any(const struct connector *connector, struct connecting *connecting)
{
    char *conninfo = memory_text(connector->conninfo), *rest;
    PGconn *conn = connect_in_slices(connector, conninfo, connecting);

    while (is_silent(connector, conn) && (rest = without_silent_host(conninfo, conn)) != NULL) {
        PQfinish(conn);
        memory_free(conninfo);
        conninfo = rest;
        conn = connect_in_slices(connector, conninfo, connecting);
    }
    memory_free(conninfo);
    return conn;
}

PGconn *connector_open_libpq(const struct connector *connector, struct connecting *connecting,
                             struct error *err)
{
    PGconn *conn;

    *connecting = (struct connecting){ .code = "connect" };
    for (int i = 0; i < CONNECT_PARTS; i++)
        connecting->part_ns[i] = -1;
    conn = connect_to_any(connector, connecting);
    if (conn != NULL && PQstatus(conn) == CONNECTION_OK)
        return conn;
    if (conn != NULL && PQstatus(conn) != CONNECTION_BAD)
        error_set(err, ERROR_SERVER, "no answer from %s port %s within %lld s",
                  PQhost(conn) != NULL ? PQhost(conn) : "?",
                  PQport(conn) != NULL ? PQport(conn) : "?",
                  (long long)(connector->timeout_ns / NS_PER_S));
    else
        refuse(connector->conninfo, conn, connecting, err);
    if (atomic_load(connector->stop) != STOP_NO)
        error_set(err, ERROR_INTERRUPTED, "interrupted while connecting");
    PQfinish(conn);
    return NULL;
}

/* ---- asking ---- */

/* True when PQgetResult() would not wait; false when the time is over or the connection lost. */
static bool wait_for_result(PGconn *conn, int64_t until_ns)
{
    struct pollfd socket = { .fd = PQsocket(conn), .events = POLLIN };
    int64_t left_ns;

    while (PQisBusy(conn)) {
        left_ns = until_ns - clock_now_ns();
        if (left_ns <= 0)
            return false;
        if (left_ns > NS_PER_S)
            left_ns = NS_PER_S;
        poll(&socket, 1, (int)(left_ns / NS_PER_MS) + 1);
        if (PQconsumeInput(conn) != 1)
            return false;
    }
    return true;
}

PGresult *connector_answer(PGconn *conn, int sent, int64_t limit_ns)
{
    int64_t until_ns = clock_now_ns() + limit_ns;
    PGresult *first = NULL, *next;

    while (sent == 1) {
        if (!wait_for_result(conn, until_ns)) {
            PQclear(first);
            return NULL;
        }
        next = PQgetResult(conn);
        if (next == NULL)
            return first;
        if (first == NULL)
            first = next;
        else
            PQclear(next);
    }
    return NULL;
}

bool connector_no_answer(const PGconn *conn, int64_t limit_ns, const char *doing, struct error *err)
{
    if (PQstatus(conn) == CONNECTION_BAD)
        return error_set(err, ERROR_SERVER, "the server went away %s", doing);
    return error_set(err, ERROR_SERVER,
                     "no answer from the server within %lld s %s: it has stopped, or another "
                     "session holds a lock; --connect-timeout says how long is waited",
                     (long long)(limit_ns / NS_PER_S), doing);
}

/* The last exchange before the take-over: an empty query. A pooler that has no backend to give
 * takes the login all the same and lets this one wait. */
static bool last_exchange(const struct connector *connector, PGconn *conn,
                          struct connecting *connecting, struct error *err)
{
    int64_t until_ns = clock_now_ns() + connector->timeout_ns;
    PGresult *result;
    bool fine = PQsendQuery(conn, "") == 1;

    while (fine && PQisBusy(conn)) {
        if (!wait_for_socket(connector, conn, PGRES_POLLING_READING, until_ns)) {
            if (atomic_load(connector->stop) != STOP_NO)
                return error_set(err, ERROR_INTERRUPTED, "interrupted while connecting");
            return error_set(
                err, ERROR_SERVER,
                "logged in, but no answer to an empty query within %lld s: if there is "
                "a pooler, it has no more connections to the server to give; use fewer "
                "--connections, or let it pool transactions",
                (long long)(connector->timeout_ns / NS_PER_S));
        }
        fine = PQconsumeInput(conn) == 1;
    }
    result = PQgetResult(conn);
    fine = fine && PQresultStatus(result) == PGRES_EMPTY_QUERY;
    PQclear(result);
    while (fine && (result = PQgetResult(conn)) != NULL)
        PQclear(result);
    if (!fine)
        refuse(connector->conninfo, conn, connecting, err);
    return fine;
}

struct wire *connector_open(const struct connector *connector, int index,
                            struct connecting *connecting, struct error *err)
{
    struct connector own = *connector;
    struct wire *wire = NULL;
    int64_t since_ns;
    PGconn *conn;

    own.conninfo = conninfo_rotated(connector->conninfo, index);
    conn = connector_open_libpq(&own, connecting, err);
    memory_free(own.conninfo);
    if (conn == NULL)
        return NULL;
    since_ns = clock_now_ns();
    if (last_exchange(connector, conn, connecting, err))
        wire = wire_take(conn, err);
    else
        PQfinish(conn);
    add_time(connecting, CONNECT_READY, &since_ns);
    return wire;
}
