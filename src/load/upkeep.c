/*
 * upkeep.c - runs statements beside each other on connections of their own: what a bench does
 * between its runs.
 */
#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "load/load.h"
#include "wire/conninfo.h"

#define CONNECTIONS_MAX 16
#define LOOK_MS         100
#define STATEMENT_SHOWN 60
#define CONNECT_LIMIT_S "30"
#define CANCEL_WAIT_NS  (5 * NS_PER_S) /* for a server that may be gone */

struct hand {
    PGconn *conn;
    const char *statement; /* at work on it; NULL: free */
};

struct hands {
    const struct load_upkeep *upkeep;
    struct hand all[CONNECTIONS_MAX];
    int count, next; /* the statement that comes next */
    bool failed;
    struct error *err;
};

/* The first failure is kept. */
static void fail(struct hands *hands, const PGconn *conn, const char *statement)
{
    char words[ERROR_TEXT_MAX];

    if (hands->failed)
        return;
    hands->failed = true;
    snprintf(words, sizeof words, "%s", PQerrorMessage(conn));
    conninfo_scrub(hands->upkeep->conninfo, words);
    words[strcspn(words, "\n")] = '\0';
    if (statement != NULL)
        error_set(hands->err, ERROR_SERVER, "%.*s: %s", STATEMENT_SHOWN, statement, words);
    else
        error_set(hands->err, ERROR_SERVER, "%s", words);
}

/* A host that does not answer must not hold a bench for as long as the kernel tries. Owned. */
static char *complete(const char *conninfo)
{
    char *named = conninfo_with(conninfo, "application_name", "pgdyno-upkeep");
    char *limit = conninfo_value(conninfo, "connect_timeout"), *limited;

    if (limit != NULL || getenv("PGCONNECT_TIMEOUT") != NULL) {
        memory_free(limit);
        return named;
    }
    limited = conninfo_with(named, "connect_timeout", CONNECT_LIMIT_S);
    explicit_bzero(named, strlen(named));
    memory_free(named);
    return limited;
}

static bool open_hands(struct hands *hands)
{
    char *conninfo = complete(hands->upkeep->conninfo);
    int wanted = hands->upkeep->connections < hands->upkeep->count ? hands->upkeep->connections
                                                                   : hands->upkeep->count;

    for (int i = 0; i < wanted && i < CONNECTIONS_MAX && !hands->failed; i++) {
        struct hand *hand = &hands->all[hands->count++];
        hand->conn = PQconnectdb(conninfo);
        if (PQstatus(hand->conn) != CONNECTION_OK)
            fail(hands, hand->conn, NULL);
    }
    memory_free(conninfo);
    return !hands->failed;
}

static void cancel_all(struct hands *hands)
{
    char ignored[256];

    for (int i = 0; i < hands->count; i++) {
        PGcancel *cancel = hands->all[i].statement != NULL ? PQgetCancel(hands->all[i].conn) : NULL;
        if (cancel != NULL)
            PQcancel(cancel, ignored, sizeof ignored);
        PQfreeCancel(cancel);
    }
}

/* Gives the hand its next statement; false when there is none. */
static bool give(struct hands *hands, struct hand *hand)
{
    if (hands->failed || hands->next == hands->upkeep->count)
        return false;
    hand->statement = hands->upkeep->statements[hands->next++];
    if (!PQsendQuery(hand->conn, hand->statement)) {
        fail(hands, hand->conn, hand->statement);
        hand->statement = NULL;
    }
    return hand->statement != NULL;
}

/* Takes what has come; a hand whose statement is over becomes free. */
static void look(struct hands *hands, struct hand *hand)
{
    PGresult *result;

    if (!PQconsumeInput(hand->conn))
        fail(hands, hand->conn, hand->statement);
    while (PQstatus(hand->conn) != CONNECTION_OK || !PQisBusy(hand->conn)) {
        result = PQgetResult(hand->conn);
        if (result == NULL) {
            hand->statement = NULL;
            return;
        }
        if (PQresultStatus(result) == PGRES_FATAL_ERROR)
            fail(hands, hand->conn, hand->statement);
        PQclear(result);
    }
}

static bool work(struct hands *hands)
{
    struct pollfd waits[CONNECTIONS_MAX];
    bool stopped = false;
    int64_t until_ns = INT64_MAX;
    int busy;

    for (;;) {
        busy = 0;
        for (int i = 0; i < hands->count; i++) {
            struct hand *hand = &hands->all[i];
            if (hand->statement == NULL && (stopped || !give(hands, hand)))
                continue;
            waits[busy++] = (struct pollfd){ .fd = PQsocket(hand->conn), .events = POLLIN };
        }
        if (busy == 0 || clock_now_ns() > until_ns)
            break;
        poll(waits, (nfds_t)busy, LOOK_MS);
        for (int i = 0; i < hands->count; i++)
            if (hands->all[i].statement != NULL)
                look(hands, &hands->all[i]);
        if (!stopped && hands->upkeep->stopped != NULL && hands->upkeep->stopped()) {
            stopped = true;
            cancel_all(hands);
            until_ns = clock_now_ns() + CANCEL_WAIT_NS;
        }
    }
    return !stopped || error_set(hands->err, ERROR_INTERRUPTED, "interrupted between two runs");
}

bool load_upkeep(const struct load_upkeep *upkeep, struct error *err)
{
    struct hands hands = { .upkeep = upkeep, .err = err };
    bool good = upkeep->count == 0 || (open_hands(&hands) && work(&hands));

    for (int i = 0; i < hands.count; i++)
        PQfinish(hands.all[i].conn);
    return good && !hands.failed;
}
