/*
 * connect.h - opens the sessions' connections: counts first whether the server has room, then many
 * at a time on threads of their own, since connecting blocks (name look-up, SCRAM). Thread:
 * engine_connect's.
 */
#ifndef ENGINE_CONNECT_H
#define ENGINE_CONNECT_H

#include "engine/run.h"

struct session;

/* The one administrative connection, named pgdyno-admin. NULL with ERROR_SERVER. */
PGconn *connect_admin(const char *conninfo, const atomic_int *stop, struct error *err);

/* Compares what the server may still give with what is wanted. ERROR_PLAN: need and have. A server
 * that does not tell (behind a pooler, missing rights) passes. `commits` grows by the server
 * transactions it took. */
bool connect_preflight(PGconn *admin, int wanted, int64_t *commits, struct error *err);

/* How connections are opened. */
struct connector {
    char *conninfo; /* completed: name, time limit, no GSS; a secret, owned */
    int64_t timeout_ns;
    bool one_host; /* then waiting can be broken off; libpq alone can walk a list of hosts */
    const atomic_int *stop;
};
void connector_init(struct connector *connector, const char *conninfo, const char *name,
                    int64_t timeout_ns, const atomic_int *stop);
void connector_close(struct connector *connector);
/* Opens one and takes it over. Session `index` begins a list of hosts at its own place, so that
 * sessions are spread over the list (and target_session_attrs still holds). NULL: ERROR_SERVER with
 * libpq's reason, or ERROR_INTERRUPTED. Blocks; any thread but a worker's. */
struct wire *connector_open(const struct connector *connector, int index, struct error *err);

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
