/*
 * channel.h - one connection for loading: libpq as it is.
 *
 * Opened with keepalives and with the server's timeouts off, so that a long build is not cut. What
 * the server refuses becomes an error with its SQLSTATE; whether another try makes sense is kept in
 * the channel. Each wait looks up now and then: after load_stop() the statement is cancelled, and a
 * server that does not answer that either is left; no wait outlives the wish to end. One thread at
 * a time.
 */
#ifndef LOAD_CHANNEL_H
#define LOAD_CHANNEL_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct channel;

/* How patient a channel is; shared by several when they do the same work. */
struct channel_care {
    int64_t
        patience_ns;  /* a statement gets this long to end after load_stop(), then is cancelled */
    int64_t bound_ns; /* to connect within; 0: as long as libpq waits */
    int abandon;      /* atomic; not 0: as after load_stop(), with no patience */
    /* Called now and then while nothing comes and goes, since when; false, with `err` filled, ends
     * the wait, and `lost` may be set. May be NULL. */
    bool (*still)(void *context, struct channel *channel, int64_t since_ns, struct error *err);
    void *context;
};

struct channel {
    PGconn *conn;
    struct channel_care *care; /* borrowed, set before channel_open(); NULL: none of it */
    int64_t stop_ns;           /* when it noticed that it is to stop */
    const char *conninfo;      /* borrowed; a secret */
    int64_t asked_ns;          /* of who waits on it (stall.c) */
    int pid;                   /* of the backend, kept when the connection is lost */
    bool refused;              /* not opened: the server itself said no */
    bool lost;                 /* the last failure was the connection's or passes: try again */
    bool unanswered;           /* it gave up waiting: the server may yet do what it was told */
    char sqlstate[6];          /* of the last failure, "" when it had none */
    char column[16];           /* that it is about, or how its name begins; "" */
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
