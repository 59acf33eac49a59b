/*
 * session.h - one connection for loading: libpq as it is, blocking.
 *
 * Opened with keepalives and with the server's timeouts off, so that a long build is not cut. What
 * the server refuses becomes an error with its SQLSTATE; whether another try makes sense is kept in
 * the session. One thread at a time, except that `cancel` may be used by any.
 */
#ifndef LOAD_SESSION_H
#define LOAD_SESSION_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct session {
    PGconn *conn;
    PGcancel *cancel;
    const char *conninfo; /* borrowed; a secret */
    int pid;              /* of the backend, kept when the connection is lost */
    bool lost;            /* the last failure was the connection's or passes: try again */
    char sqlstate[6];     /* of the last failure, "" when it had none */
};

/* `connect_timeout_ns` 0: what the conninfo or libpq says. ERROR_SERVER. */
bool session_open(struct session *session, const char *conninfo, int64_t connect_timeout_ns,
                  struct error *err);
void session_close(struct session *session);

/* Runs statements; rows are thrown away. `doing` begins the message: "creating table sbtest1". */
bool session_run(struct session *session, const char *sql, const char *doing, struct error *err);
/* One statement with text parameters; owned PGresult, or NULL. */
PGresult *session_ask(struct session *session, const char *sql, int count,
                      const char *const *values, struct error *err);

/* COPY: `sql` may hold statements before and behind the one COPY FROM STDIN. Between begin and end
 * the bytes; end waits until all statements are through. */
bool session_copy_begin(struct session *session, const char *sql, struct error *err);
bool session_copy_bytes(struct session *session, const void *bytes, size_t count,
                        struct error *err);
bool session_copy_end(struct session *session, struct error *err);

#endif
