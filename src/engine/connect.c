/*
 * connect.c - see connect.h.
 */
#include "engine/connect.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/session.h"
#include "wire/conninfo.h"

#define CONNECTORS_MAX      128 /* threads; a slow authentication elsewhere keeps them all busy */
#define CONNECTOR_STACK     ((size_t)256 * 1024)
#define DESCRIPTORS_BESIDES 64 /* files, event loops, collectors */
#define PROGRESS_NS         (100 * NS_PER_MS)
#define ADMIN_TIMEOUT_NS    (30 * NS_PER_S)
#define SLICE_MS            100

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

/* libpq's reason on one line, without secrets. */
static bool refuse(const char *conninfo, PGconn *conn, struct error *err)
{
    char *reason = memory_text(PQerrorMessage(conn));

    for (char *at = reason; *at != '\0'; at++)
        if (*at == '\n')
            *at = at[1] == '\0' ? '\0' : ' ';
    conninfo_scrub(conninfo, reason);
    error_set(err, ERROR_SERVER, "%s", reason[0] != '\0' ? reason : "the connection failed");
    memory_free(reason);
    return false;
}

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
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

/* PQconnectdb() that can be broken off. */
static PGconn *connect_in_slices(const struct connector *connector)
{
    PGconn *conn = PQconnectStart(connector->conninfo);
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    int64_t until_ns = clock_now_ns() + connector->timeout_ns;

    while (conn != NULL && PQstatus(conn) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
           status != PGRES_POLLING_FAILED && wait_for_socket(connector, conn, status, until_ns))
        status = PQconnectPoll(conn);
    return conn;
}

/* The last exchange before the take-over: an empty query. A pooler that has no backend to give
 * takes the login all the same and lets this one wait. */
static bool last_exchange(const struct connector *connector, PGconn *conn, struct error *err)
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
    return fine || refuse(connector->conninfo, conn, err);
}

static PGconn *open_connection(const struct connector *connector, struct error *err)
{
    PGconn *conn =
        connector->one_host ? connect_in_slices(connector) : PQconnectdb(connector->conninfo);

    if (conn != NULL && PQstatus(conn) == CONNECTION_OK) {
        PQsetNoticeReceiver(conn, ignore_notice, NULL);
        return conn;
    }
    if (conn != NULL && PQstatus(conn) != CONNECTION_BAD)
        error_set(err, ERROR_SERVER, "no answer from %s port %s within %lld s",
                  PQhost(conn) != NULL ? PQhost(conn) : "?",
                  PQport(conn) != NULL ? PQport(conn) : "?",
                  (long long)(connector->timeout_ns / NS_PER_S));
    else
        refuse(connector->conninfo, conn, err);
    if (atomic_load(connector->stop) != STOP_NO)
        error_set(err, ERROR_INTERRUPTED, "interrupted while connecting");
    PQfinish(conn);
    return NULL;
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
    char *hosts, *limit;

    *connector = (struct connector){ .conninfo = complete_conninfo(conninfo, name, timeout_ns),
                                     .timeout_ns = timeout_ns,
                                     .stop = stop };
    adopt_host_list(connector);
    hosts = conninfo_value(connector->conninfo, "host");
    limit = conninfo_value(connector->conninfo, "connect_timeout");
    connector->one_host = hosts == NULL || strchr(hosts, ',') == NULL;
    if (limit != NULL && strtoll(limit, NULL, 10) > 0)
        connector->timeout_ns = strtoll(limit, NULL, 10) * NS_PER_S;
    memory_free(hosts);
    memory_free(limit);
}

void connector_close(struct connector *connector)
{
    memory_free(connector->conninfo);
    connector->conninfo = NULL;
}

struct wire *connector_open(const struct connector *connector, int index, struct error *err)
{
    struct connector own = *connector;
    PGconn *conn;

    if (!connector->one_host)
        own.conninfo = conninfo_rotated(connector->conninfo, index);
    conn = open_connection(&own, err);
    if (!connector->one_host)
        memory_free(own.conninfo);
    if (conn == NULL)
        return NULL;
    if (last_exchange(connector, conn, err))
        return wire_take(conn, err);
    PQfinish(conn);
    return NULL;
}

PGconn *connect_admin(const char *conninfo, const atomic_int *stop, struct error *err)
{
    char *named = conninfo_with(conninfo, "application_name", "pgdyno-admin");
    struct connector connector;
    PGconn *conn;

    connector_init(&connector, named, "pgdyno-admin", ADMIN_TIMEOUT_NS, stop);
    conn = open_connection(&connector, err);
    connector_close(&connector);
    memory_free(named);
    return conn;
}

/* ---- is there room? ---- */

static const char room_sql[] =
    "SELECT current_setting('max_connections')::int,"
    " current_setting('superuser_reserved_connections')::int"
    " + coalesce(current_setting('reserved_connections', true)::int, 0),"
    " (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend'),"
    " (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)::int,"
    " (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = current_user),"
    " (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE usename = current_user),"
    " (SELECT datconnlimit FROM pg_catalog.pg_database WHERE datname = current_database()),"
    " (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database()"
    "   AND backend_type = 'client backend'),"
    " pg_catalog.pg_backend_pid()";

struct room {
    int max_connections, reserved, used;
    bool superuser;
    int role_limit, role_used, database_limit, database_used; /* limit -1: none */
};

static bool check_room(const struct room *room, int wanted, struct error *err)
{
    int reserved = room->superuser ? 0 : room->reserved;
    int have = room->max_connections - reserved - room->used;

    if (wanted > have)
        return error_set(
            err, ERROR_PLAN,
            "%d connections are wanted but the server has room for %d "
            "(max_connections %d, reserved %d, in use %d); use --connections %d or raise "
            "max_connections",
            wanted, have > 0 ? have : 0, room->max_connections, reserved, room->used,
            have > 0 ? have : 1);
    if (!room->superuser && room->role_limit >= 0 && wanted > room->role_limit - room->role_used)
        return error_set(
            err, ERROR_PLAN,
            "%d connections are wanted but the role may have %d (in use %d); use fewer "
            "or ALTER ROLE ... CONNECTION LIMIT",
            wanted, room->role_limit, room->role_used);
    if (!room->superuser && room->database_limit >= 0 &&
        wanted > room->database_limit - room->database_used)
        return error_set(err, ERROR_PLAN,
                         "%d connections are wanted but the database may have %d (in use %d); use "
                         "fewer or ALTER DATABASE ... CONNECTION LIMIT",
                         wanted, room->database_limit, room->database_used);
    return true;
}

bool connect_preflight(PGconn *admin, int wanted, int64_t *commits, struct error *err)
{
    PGresult *result = PQexec(admin, room_sql);
    struct room room;
    int number[9] = { 0 };
    bool told = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;

    if (told) {
        (*commits)++;
        for (int i = 0; i < COUNT_OF(number) && i < PQnfields(result); i++)
            number[i] = (int)strtol(PQgetvalue(result, 0, i), NULL, 10);
        room = (struct room){ number[0], number[1], number[2], number[3] != 0,
                              number[4], number[5], number[6], number[7] };
        /* Behind a pooler the server's room is not ours to count (pooler.h). */
        told = number[8] == 0 || number[8] == PQbackendPID(admin);
    }
    PQclear(result);
    return told ? check_room(&room, wanted, err) : true;
}

/* ---- many at a time ---- */

struct connectors {
    const struct connect_job *job;
    struct connector connector;
    atomic_int next, open, failed;
    pthread_mutex_t lock; /* of err */
    struct error err;
};

static void connect_one(struct connectors *connectors, struct session *session)
{
    struct error err = { 0 };
    int64_t begin_ns = clock_now_ns();

    session->wire = connector_open(&connectors->connector, session->index, &err);
    session->connect_ns = clock_now_ns() - begin_ns;
    if (session->wire != NULL) {
        atomic_fetch_add(&connectors->open, 1);
        return;
    }
    pthread_mutex_lock(&connectors->lock);
    if (atomic_fetch_add(&connectors->failed, 1) == 0)
        connectors->err = err;
    pthread_mutex_unlock(&connectors->lock);
}

static void *connector_main(void *arg)
{
    struct connectors *connectors = arg;
    const struct connect_job *job = connectors->job;
    int index;

    while (atomic_load(&connectors->failed) == 0 && atomic_load(job->stop) == STOP_NO &&
           (index = atomic_fetch_add(&connectors->next, 1)) < job->count)
        connect_one(connectors, &job->sessions[index]);
    return NULL;
}

static void tell_progress(struct connectors *connectors)
{
    const struct connect_job *job = connectors->job;

    while (job->progress != NULL && atomic_load(&connectors->open) < job->count &&
           atomic_load(&connectors->failed) == 0 && atomic_load(job->stop) == STOP_NO) {
        clock_sleep_until_ns(clock_now_ns() + PROGRESS_NS);
        job->progress(job->context, atomic_load(&connectors->open), job->count);
    }
}

/* Raises the soft limit of descriptors to what is needed, if the hard one allows it. */
static bool raise_descriptors(int connections, struct error *err)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + DESCRIPTORS_BESIDES;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return true;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < wanted)
        return error_set(
            err, ERROR_MACHINE,
            "%d connections need %lld file descriptors, this process may have %lld; raise "
            "the hard limit (ulimit -Hn) or use fewer connections",
            connections, (long long)wanted, (long long)limit.rlim_max);
    limit.rlim_cur = wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return error_set(err, ERROR_MACHINE,
                         "the limit of file descriptors cannot be raised to %lld",
                         (long long)wanted);
    return true;
}

static int start_connectors(struct connectors *connectors, pthread_t *threads, int wanted)
{
    pthread_attr_t attributes;
    int started = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CONNECTOR_STACK);
    while (started < wanted &&
           pthread_create(&threads[started], &attributes, connector_main, connectors) == 0)
        started++;
    pthread_attr_destroy(&attributes);
    return started;
}

bool connect_all(const struct connect_job *job, struct error *err)
{
    pthread_t threads[CONNECTORS_MAX];
    struct connectors connectors = { .job = job, .lock = PTHREAD_MUTEX_INITIALIZER };
    int started;

    if (!raise_descriptors(job->count, err))
        return false;
    connector_init(&connectors.connector, job->conninfo, "pgdyno", job->timeout_ns, job->stop);
    started = start_connectors(&connectors, threads,
                               job->count < CONNECTORS_MAX ? job->count : CONNECTORS_MAX);
    if (started > 0)
        tell_progress(&connectors);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    connector_close(&connectors.connector);
    if (started == 0)
        return error_set(err, ERROR_MACHINE, "no thread can be made to connect with");
    if (atomic_load(job->stop) != STOP_NO)
        return error_set(err, ERROR_INTERRUPTED, "interrupted while connecting");
    if (atomic_load(&connectors.failed) > 0) {
        *err = connectors.err;
        return error_wrap(err, "%d of %d connections are open, the next failed",
                          atomic_load(&connectors.open), job->count);
    }
    return true;
}
