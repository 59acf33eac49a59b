/*
 * query.h - the collector's connection: one statement at a time, with a limit on both ends, and
 * an exact count of what it adds to the server's own commits.
 *
 * Settings are SET LOCAL in the same message as the statement, so that nothing stays behind in a
 * session that a pooler gives to somebody else. Private to the room. One thread at a time.
 */
#ifndef COLLECT_QUERY_H
#define COLLECT_QUERY_H

#include <jansson.h>
#include <libpq-fe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"

#define QUERY_TIMEOUT_MS 5000 /* the server ends a statement after this */
#define QUERY_STAMP_MAX  64

#define QUERY_CONNECT_MAX_NS (10 * NS_PER_S)

struct collect {
    PGconn *conn;               /* NULL or bad: lost */
    _Atomic(PGcancel *) cancel; /* of conn; whoever cancels takes it out */
    char *conninfo;             /* as given: holds secrets */
    char *own_conninfo;         /* with our name and encoding */
    bool silent;                /* it did not answer in time, and is not asked again */
    int major;                  /* 12 .. */
    int64_t own_commits;        /* what this connection has added to pg_stat_database.xact_commit */
    json_t *server;             /* the table's row "server", as read on opening; never NULL */
    /* The books: the others' commits when the run began, and what would make them void. */
    bool books_open;
    atomic_bool hurry;     /* set by a signal: what is waited for is given up */
    void (*on_wait)(void); /* may be NULL */
    int64_t wait_since_ns; /* 0: it was told */
    int64_t connect_ns;    /* for connecting, unless the conninfo says */
    int64_t limit_ns;      /* for each statement's answer; 0: the usual one */
    int64_t others_begin;
    char reset_begin[QUERY_STAMP_MAX], start_begin[QUERY_STAMP_MAX], clock_begin[QUERY_STAMP_MAX];
};

/* How a statement's rows become JSON. */
enum query_shape {
    QUERY_OBJECT, /* the first row, {column: value}; no row: null */
    QUERY_LIST,   /* all rows, [{column: value}] */
};

/* Runs a statement of ours. Owned: PQclear(). `bare`: without the local settings. The connection is
 * given up when nothing comes back in time. ERROR_SERVER. */
PGresult *query_run(struct collect *collect, const char *sql, bool bare, struct error *err);

/* The same as JSON made by the server, so that types, dates and numbers keep their meaning whatever
 * the session's settings are. Owned; NULL with `err`. */
json_t *query_json(struct collect *collect, const char *sql, enum query_shape shape, bool bare,
                   struct error *err);

/* Connects, or connects again when the connection was lost. */
bool query_connect(struct collect *collect, struct error *err);
void query_close(struct collect *collect);

#endif
