/*
 * pooler.c - see pooler.h.
 */
#include "engine/pooler.h"

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

/* The backend's own number; 0: it does not tell, -1: no answer in time. */
static int ask_pid(PGconn *conn, int64_t limit_ns)
{
    PGresult *result = connector_answer(conn, PQsendQuery(conn, PID_SQL), limit_ns);
    int number = result == NULL ? -1 : 0;

    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
        number = (int)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return number;
}

static bool works(PGconn *conn, int sent)
{
    PGresult *result = connector_answer(conn, sent, ANSWER_NS);
    ExecStatusType status = PQresultStatus(result);

    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static bool say(PGconn *conn, const char *sql)
{
    return works(conn, PQsendQuery(conn, sql));
}

static bool prepare(PGconn *conn)
{
    return works(conn, PQsendPrepare(conn, PROBE, PID_SQL, 0, NULL));
}

static bool execute(PGconn *conn)
{
    return works(conn, PQsendQueryPrepared(conn, PROBE, 0, NULL, NULL, NULL, 0));
}

/* Two connections that are both open, and one backend. A pooler of sessions with no second backend
 * to give does not answer at all. */
static bool share_backends(PGconn *one, PGconn *other, int first_pid, int64_t limit_ns)
{
    for (int i = 0; i < ROUNDS; i++) {
        int pid = ask_pid(one, limit_ns), other_pid = ask_pid(other, ANSWER_NS);
        if (pid <= 0 || other_pid <= 0)
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

bool pooler_look(struct pooler *pooler, const struct run *run, const char *conninfo, PGconn *admin,
                 struct error *err)
{
    int64_t limit_ns = run->plan->connect_timeout_ns;
    int pid = ask_pid(admin, limit_ns), login_pid = PQbackendPID(admin);
    struct error ignored = { 0 };
    PGconn *other;

    *pooler = (struct pooler){ .pooling = POOLING_NONE, .prepared = true };
    if (pid < 0)
        return connector_no_answer(admin, limit_ns, "when asked for the backend's pid", err);
    if (pid == 0 || pid == login_pid)
        return true;
    pooler->pooling = POOLING_SESSION;
    other = connect_admin(run, conninfo, &ignored);
    if (other != NULL && share_backends(admin, other, pid, limit_ns)) {
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
    return true;
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

    if (!pooler_look(&pooler, run, conninfo, admin, err))
        return false;
    facts->own_server_commits++; /* Of no use behind a pooler. */
    run->pooled = pooler.pooling != POOLING_NONE;
    facts->pooling = pooler.pooling;
    snprintf(facts->pooler, sizeof facts->pooler, "%s", pooler.why);
    if (!pooler_protocol(&pooler, run->plan->protocol, &run->protocol, err))
        return false;
    facts->protocol = run->protocol;
    return true;
}
