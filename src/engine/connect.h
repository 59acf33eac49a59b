/*
 * connect.h - opens the sessions' connections: counts first whether the server has room, then many
 * at a time on threads of their own, since connecting blocks (name look-up, SCRAM). Thread:
 * engine_connect's.
 */
#ifndef ENGINE_CONNECT_H
#define ENGINE_CONNECT_H

#include "engine/connector.h"
#include "engine/run.h"

struct session;

/* The one administrative connection, named pgdyno-admin. NULL with ERROR_SERVER. */
PGconn *connect_admin(const struct run *run, const char *conninfo, struct error *err);

/* Compares what the server may still give with what is wanted. ERROR_PLAN: need and have;
 * ERROR_SERVER: it says nothing. A server that does not tell (behind a pooler, missing rights)
 * passes. `commits` grows by the server transactions it took. */
bool connect_preflight(const struct run *run, PGconn *admin, int64_t *commits, struct error *err);

struct connect_job {
    const char *conninfo;
    struct session *sessions;
    int count;
    int64_t timeout_ns;
    const atomic_int *stop;
    void (*progress)(void *context, int open, int wanted); /* calling thread; may be NULL */
    void *context;
};

/* Opens all or none. ERROR_SERVER: host, port and reason of the first that failed; ERROR_MACHINE.
 */
bool connect_all(const struct connect_job *job, struct error *err);

#endif
