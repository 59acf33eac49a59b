/*
 * pooler.c - see pooler.h.
 */
#include "engine/pooler.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/connect.h"

#define ROUNDS    5              /* another client may come between in one of them */
#define ANSWER_NS (2 * NS_PER_S) /* for an answer; then the pooler has no backend to give */
#define PROBE     "pgdyno_probe" /* name of the statement that is tried */
#define PID_SQL   "SELECT pg_catalog.pg_backend_pid()"

const char *pooling_name(enum pooling pooling)
{
    static const char *const names[] = { NULL, "session", "transaction", "statement" };

    return names[pooling];
}

/* The answer to what was sent, or NULL when none comes in time. */
static PGresult *take_answer(PGconn *conn)
{
    int64_t until_ns = clock_now_ns() + ANSWER_NS, left_ns;
    PGresult *first, *more;

    while (PQisBusy(conn)) {
        struct pollfd socket = { .fd = PQsocket(conn), .events = POLLIN };
        left_ns = until_ns - clock_now_ns();
        if (left_ns <= 0)
            return NULL;
        poll(&socket, 1, (int)(left_ns / NS_PER_MS) + 1);
        if (PQconsumeInput(conn) != 1)
            break;
    }
    first = PQgetResult(conn);
    while (first != NULL && (more = PQgetResult(conn)) != NULL)
        PQclear(more);
    return first;
}

/* The one number of an answer; 0 when there is none. */
static int take_number(PGconn *conn)
{
    PGresult *result = take_answer(conn);
    int number = 0;

    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        number = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return number;
}

static bool take_success(PGconn *conn)
{
    PGresult *result = take_answer(conn);
    ExecStatusType status = PQresultStatus(result);

    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static int ask_pid(PGconn *conn)
{
    return PQsendQuery(conn, PID_SQL) == 1 ? take_number(conn) : 0;
}

static bool say(PGconn *conn, const char *sql)
{
    return PQsendQuery(conn, sql) == 1 && take_success(conn);
}

static bool prepare(PGconn *conn)
{
    return PQsendPrepare(conn, PROBE, PID_SQL, 0, NULL) == 1 && take_success(conn);
}

static bool execute(PGconn *conn)
{
    return PQsendQueryPrepared(conn, PROBE, 0, NULL, NULL, NULL, 0) == 1 && take_success(conn);
}

/* Two connections that are both open, and one backend. A pooler of sessions with no second backend
 * to give does not answer at all. */
static bool share_backends(PGconn *one, PGconn *other, int first_pid)
{
    for (int i = 0; i < ROUNDS; i++) {
        int pid = ask_pid(one), other_pid = ask_pid(other);
        if (pid == 0 || other_pid == 0)
            return false;
        if (pid != first_pid || pid == other_pid)
            return true;
    }
    return false;
}

/* The pooler either keeps the statements of its clients apart, or the second one collides with the
 * first; one that lends its backends in turn misses it. */
static bool finds_prepared(PGconn *one, PGconn *other)
{
    bool found = prepare(one) && prepare(other) && execute(other) && execute(one) && execute(one);

    /* Where they are left over they stay, and tell the next one the same. */
    say(one, "DEALLOCATE " PROBE);
    say(other, "DEALLOCATE " PROBE);
    return found;
}

void pooler_look(struct pooler *pooler, const char *conninfo, PGconn *admin, const atomic_int *stop,
                 int64_t *commits)
{
    int pid = ask_pid(admin), login_pid = PQbackendPID(admin);
    struct error ignored = { 0 };
    PGconn *other;

    *pooler = (struct pooler){ .pooling = POOLING_NONE, .prepared = true };
    *commits += pid != 0;
    if (pid == 0 || pid == login_pid)
        return;
    pooler->pooling = POOLING_SESSION;
    other = connect_admin(conninfo, stop, &ignored);
    if (other != NULL && share_backends(admin, other, pid)) {
        pooler->pooling = POOLING_TRANSACTION;
        pooler->prepared = finds_prepared(admin, other);
        if (!say(other, "BEGIN"))
            pooler->pooling = POOLING_STATEMENT;
        say(other, "ROLLBACK");
    }
    PQfinish(other);
    snprintf(pooler->why, sizeof pooler->why,
             "pools %ss: pid %d was told at login, the backend's is %d%s",
             pooling_name(pooler->pooling), login_pid, pid,
             pooler->pooling == POOLING_SESSION ? "" : ", and it is lent to others in between");
}

bool pooler_protocol(const struct pooler *pooler, int wanted, int *used, struct error *err)
{
    *used = wanted == PROTOCOL_AUTO ? PROTOCOL_PREPARED : wanted;
    if (pooler->pooling == POOLING_STATEMENT)
        return error_set(err, ERROR_PLAN,
                         "there is a pooler that pools statements and refuses transaction blocks: "
                         "set its pool_mode to transaction or session, or connect to the server "
                         "itself");
    if (*used != PROTOCOL_PREPARED || pooler->prepared)
        return true;
    if (wanted == PROTOCOL_AUTO) {
        *used = PROTOCOL_EXTENDED;
        return true;
    }
    return error_set(err, ERROR_PLAN,
                     "--protocol prepared does not work here: there is a pooler that pools "
                     "transactions and does not keep prepared statements; use --protocol extended "
                     "or simple, leave --protocol away, or pool sessions");
}

bool pooler_settle(struct engine_facts *facts, const char *conninfo, PGconn *admin, struct run *run,
                   struct error *err)
{
    struct pooler pooler;

    pooler_look(&pooler, conninfo, admin, &run->stop, &facts->own_server_commits);
    facts->pooling = pooler.pooling;
    snprintf(facts->pooler, sizeof facts->pooler, "%s", pooler.why);
    if (!pooler_protocol(&pooler, run->plan->protocol, &run->protocol, err))
        return false;
    facts->protocol = run->protocol;
    return true;
}
