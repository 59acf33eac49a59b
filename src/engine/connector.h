/*
 * connector.h - opens one connection, step by step: so that it can be broken off, is timed in its
 * parts, and tells the SQLSTATE of a refusal. Any thread but a worker's, for it blocks.
 */
#ifndef ENGINE_CONNECTOR_H
#define ENGINE_CONNECTOR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "recorder/recorder.h"
#include "wire/wire.h"

/* How connections are opened. */
struct connector {
    char *conninfo;     /* completed: name, time limit, no GSS; a secret, owned */
    int64_t timeout_ns; /* for each host of a list */
    const atomic_int *stop;
};

/* How it went. */
struct connecting {
    int64_t took_ns;
    int64_t part_ns[CONNECT_PARTS]; /* -1: there was no such part; they add up to took_ns */
    char code[ERROR_CODE_MAX];      /* of a failure: SQLSTATE when the server said one, "connect" */
};

void connector_init(struct connector *connector, const char *conninfo, const char *name,
                    int64_t timeout_ns, const atomic_int *stop);
void connector_close(struct connector *connector);

/* Opens one and takes it over. Session `index` begins a list of hosts at its own place, so that
 * sessions are spread over the list (and target_session_attrs still holds). NULL: ERROR_SERVER with
 * libpq's reason, or ERROR_INTERRUPTED. */
struct wire *connector_open(const struct connector *connector, int index,
                            struct connecting *connecting, struct error *err);
/* The same, left in libpq's hands. */
PGconn *connector_open_libpq(const struct connector *connector, struct connecting *connecting,
                             struct error *err);

/* The answer to what was just sent on a connection of libpq's, within `limit_ns`: a server that has
 * stopped never answers, and libpq would wait for ever. `sent` is what PQsend...() gave. NULL: none
 * came, and the connection is good for nothing more. Owned. */
PGresult *connector_answer(PGconn *conn, int sent, int64_t limit_ns);
/* Says why there was none, to what `doing` tells. ERROR_SERVER. */
bool connector_no_answer(const PGconn *conn, int64_t limit_ns, const char *doing,
                         struct error *err);

#endif
