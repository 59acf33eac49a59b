/*
 * cancel.c - see cancel.h.
 *
 * A cancel request to a server that has stopped is never answered, and libpq knows no time limit
 * for it. So the threads own what they need, and the last one to leave frees it: the run ends
 * without them when it must.
 */
#include "engine/cancel.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/session.h"

#define CANCELLERS_MAX  16
#define CANCELLER_STACK ((size_t)256 * 1024)
#define PATIENCE_NS     (2 * NS_PER_S)    /* wall clock, as pthread_timedjoin_np() has it */
#define ANSWER_NS       (500 * NS_PER_MS) /* of the administrative connection */
#define PIDS_TEXT_MAX   (1 << 20)

struct requests {
    PGcancel **cancels; /* owned */
    int count;
    atomic_int next, holders;
};

static bool is_abandoned(const struct session *session)
{
    return session->wire != NULL && session->state == SESSION_LOST;
}

/* "{17,23}" of the abandoned ones; "{}" when there are none. */
static void list_pids(struct text *list, const struct session *sessions, int count)
{
    text_add(list, "{");
    for (int i = 0; i < count; i++)
        if (is_abandoned(&sessions[i]))
            text_format(list, "%s%d", list->length > 1 ? "," : "", wire_pid(sessions[i].wire));
    text_add(list, "}");
}

/* True when all is answered; a server that has stopped is not waited for. */
static bool wait_for_answer(PGconn *admin)
{
    int64_t until_ns = clock_now_ns() + ANSWER_NS, left_ns;
    PGresult *result;

    do {
        while (PQisBusy(admin)) {
            struct pollfd socket = { .fd = PQsocket(admin), .events = POLLIN };
            left_ns = until_ns - clock_now_ns();
            if (left_ns <= 0 || poll(&socket, 1, (int)(left_ns / NS_PER_MS) + 1) < 0 ||
                !PQconsumeInput(admin))
                return false;
        }
        result = PQgetResult(admin);
        PQclear(result);
    } while (result != NULL);
    return true;
}

int64_t cancel_by_pid(PGconn *admin, const struct session *sessions, int count)
{
    const char *values[1];
    struct text list;
    bool done = false;

    if (admin == NULL)
        return 0;
    text_init(&list, PIDS_TEXT_MAX);
    list_pids(&list, sessions, count);
    values[0] = list.bytes;
    if (list.length > strlen("{}"))
        done = PQsendQueryParams(admin,
                                 "SELECT pg_catalog.pg_cancel_backend(pid) FROM"
                                 " pg_catalog.unnest($1::pg_catalog.int4[]) AS pid",
                                 1, NULL, values, NULL, NULL, 0) == 1 &&
               wait_for_answer(admin);
    text_close(&list);
    return done ? 1 : 0;
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
