/*
 * connect.c - see connect.h.
 */
#include "engine/connect.h"

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

PGconn *connect_admin(const struct run *run, const char *conninfo, struct error *err)
{
    char *named = conninfo_with(conninfo, "application_name", "pgdyno-admin");
    struct connector connector;
    struct connecting connecting;
    PGconn *conn;

    connector_init(&connector, named, "pgdyno-admin", run->plan->connect_timeout_ns, &run->stop);
    conn = connector_open_libpq(&connector, &connecting, err);
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

bool connect_preflight(const struct run *run, PGconn *admin, int64_t *commits, struct error *err)
{
    int64_t limit_ns = run->plan->connect_timeout_ns;
    PGresult *result = connector_answer(admin, PQsendQuery(admin, room_sql), limit_ns);
    struct room room;
    int number[9] = { 0 };
    bool told = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;

    if (result == NULL)
        return connector_no_answer(admin, limit_ns, "when asked for its room", err);
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
    return told ? check_room(&room, (int)run->plan->connections, err) : true;
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

    session->wire =
        connector_open(&connectors->connector, session->index, &session->connecting, &err);
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
