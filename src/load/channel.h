/*
 * channel.h - one connection for loading: libpq as it is, blocking.
 *
 * Opened with keepalives and with the server's timeouts off, so that a long build is not cut. What
 * the server refuses becomes an error with its SQLSTATE; whether another try makes sense is kept in
 * the channel. One thread at a time, except that `cancel` may be used by any.
 */
#ifndef LOAD_CHANNEL_H
#define LOAD_CHANNEL_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct channel {
    PGconn *conn;
    PGcancel *cancel;
    const char *conninfo; /* borrowed; a secret */
    int pid;              /* of the backend, kept when the connection is lost */
    bool lost;            /* the last failure was the connection's or passes: try again */
    char sqlstate[6];     /* of the last failure, "" when it had none */
};

/* `connect_timeout_ns` 0: what the conninfo or libpq says. ERROR_SERVER. */
bool channel_open(struct channel *channel, const char *conninfo, int64_t connect_timeout_ns,
                  struct error *err);
void channel_close(struct channel *channel);

/* Runs statements; rows are thrown away. `doing` begins the message: "creating table sbtest1". */
bool channel_run(struct channel *channel, const char *sql, const char *doing, struct error *err);
/* One statement with text parameters; owned PGresult, or NULL. */
PGresult *channel_ask(struct channel *channel, const char *sql, int count,
                      const char *const *values, struct error *err);

/* COPY: `sql` may hold statements before and behind the one COPY FROM STDIN. Between begin and end
 * the bytes; end waits until all statements are through. */
bool channel_copy_begin(struct channel *channel, const char *sql, struct error *err);
bool channel_copy_bytes(struct channel *channel, const void *bytes, size_t count,
                        struct error *err);
bool channel_copy_end(struct channel *channel, struct error *err);

#endif
