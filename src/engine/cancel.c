/*
 * cancel.c - see cancel.h.
 *
 * A cancel request to a server that has stopped is never answered, and libpq knows no time limit
 * for it. So the threads own what they need, and the last one to leave frees it: the run ends
 * without them when it must.
 */
#include "engine/cancel.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/session.h"

#define CANCELLERS_MAX  16
#define CANCELLER_STACK ((size_t)256 * 1024)
#define PATIENCE_NS     (2 * NS_PER_S) /* wall clock, as pthread_timedjoin_np() has it */

struct requests {
    PGcancel **cancels; /* owned */
    int count;
    atomic_int next, holders;
};

static bool is_abandoned(const struct session *session)
{
    return session->wire != NULL && session->state == SESSION_LOST;
}

int64_t cancel_by_pid(PGconn *admin, const struct session *sessions, int count)
{
    char pid[16];
    const char *values[] = { pid };
    int64_t commits = 0;

    for (int i = 0; i < count && admin != NULL; i++) {
        if (!is_abandoned(&sessions[i]))
            continue;
        snprintf(pid, sizeof pid, "%d", wire_pid(sessions[i].wire));
        PQclear(PQexecParams(admin, "SELECT pg_cancel_backend($1::int)", 1, NULL, values, NULL,
                             NULL, 0));
        commits++;
    }
    return commits;
}

static void release(struct requests *requests)
{
    if (atomic_fetch_sub(&requests->holders, 1) > 1)
        return;
    for (int i = 0; i < requests->count; i++)
        PQfreeCancel(requests->cancels[i]);
    memory_free(requests->cancels);
    memory_free(requests);
}

static void *canceller_main(void *arg)
{
    struct requests *requests = arg;
    char ignored[256];
    int index;

    while ((index = atomic_fetch_add(&requests->next, 1)) < requests->count)
        PQcancel(requests->cancels[index], ignored, sizeof ignored);
    release(requests);
    return NULL;
}

static struct requests *collect_requests(const struct session *sessions, int count)
{
    struct requests *requests = MEMORY_NEW(struct requests);

    requests->cancels = MEMORY_ARRAY(PGcancel *, count + 1);
    for (int i = 0; i < count; i++) {
        PGcancel *cancel =
            is_abandoned(&sessions[i]) ? PQgetCancel(wire_conn(sessions[i].wire)) : NULL;
        if (cancel != NULL)
            requests->cancels[requests->count++] = cancel;
    }
    atomic_store(&requests->holders, 1);
    return requests;
}

static int start_cancellers(struct requests *requests, pthread_t *threads)
{
    pthread_attr_t attributes;
    int started = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, CANCELLER_STACK);
    while (started < requests->count && started < CANCELLERS_MAX) {
        atomic_fetch_add(&requests->holders, 1);
        if (pthread_create(&threads[started], &attributes, canceller_main, requests) != 0) {
            atomic_fetch_sub(&requests->holders, 1);
            break;
        }
        started++;
    }
    pthread_attr_destroy(&attributes);
    return started;
}

void cancel_by_request(const struct session *sessions, int count)
{
    struct requests *requests = collect_requests(sessions, count);
    pthread_t threads[CANCELLERS_MAX];
    int started = start_cancellers(requests, threads);
    int64_t until_ns = clock_wall_ns() + PATIENCE_NS;
    struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };

    for (int i = 0; i < started; i++)
        if (pthread_timedjoin_np(threads[i], NULL, &until) != 0)
            pthread_detach(threads[i]);
    atomic_store(&requests->next, requests->count); /* No more of them. */
    release(requests);
}
