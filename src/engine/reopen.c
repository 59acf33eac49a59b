/*
 * reopen.c - see reopen.h. One queue ordered by nothing: the threads look for a session that is
 * due.
 */
#include "engine/reopen.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/session.h"

#define BURY_NS       NS_PER_S /* a server has to be rid of an old session */
#define BURY_SLICE_MS 50

struct reopener {
    struct connector connector;
    atomic_int stop; /* enum stop, for the connector: set when the run's threads end */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct session *waiting;
    bool ending;
    int busy; /* threads that are at work on a session */
    int thread_count;
    pthread_t *threads;
};

/* The session that has been due for longest, taken out; else NULL, with the next due time. */
static struct session *take_due(struct reopener *reopener, int64_t now_ns, int64_t *next_ns)
{
    struct session **first = NULL, *session;

    for (struct session **at = &reopener->waiting; *at != NULL; at = &(*at)->reopen.next)
        if (first == NULL || (*at)->reopen.due_ns < (*first)->reopen.due_ns)
            first = at;
    *next_ns = now_ns + NS_PER_S;
    if (first == NULL)
        return NULL;
    session = *first;
    if (session->reopen.due_ns > now_ns) {
        if (session->reopen.due_ns < *next_ns)
            *next_ns = session->reopen.due_ns;
        return NULL;
    }
    *first = session->reopen.next;
    return session;
}

static void deliver(struct session *session)
{
    static const uint64_t one = 1;
    struct mailbox *mailbox = &session->io->mailbox;

    pthread_mutex_lock(&mailbox->lock);
    session->reopen.next = mailbox->first;
    mailbox->first = session;
    pthread_mutex_unlock(&mailbox->lock);
    (void)!write(mailbox->wake_fd, &one, sizeof one);
}

/* Says goodbye on the connection before, and waits a while for the server to be rid of it: there
 * are never more sessions than were asked for. */
static void bury(const struct reopener *reopener, struct wire *wire)
{
    int64_t until_ns = clock_now_ns() + BURY_NS;
    struct pollfd socket = { .events = POLLIN };

    if (wire == NULL)
        return;
    socket.fd = wire_fd(wire);
    wire_terminate(wire);
    while (!wire_closed_there(wire) && atomic_load(&reopener->stop) == STOP_NO &&
           clock_now_ns() < until_ns)
        poll(&socket, 1, BURY_SLICE_MS);
    wire_close(wire);
}

static bool is_ending(struct reopener *reopener)
{
    bool ending;

    pthread_mutex_lock(&reopener->lock);
    ending = reopener->ending;
    pthread_mutex_unlock(&reopener->lock);
    return ending;
}

static void open_again(struct reopener *reopener, struct session *session)
{
    session->reopen.err.kind = ERROR_NONE;
    bury(reopener, session->reopen.old);
    session->reopen.old = NULL;
    if (is_ending(reopener))
        return; /* Nothing to be counted on the server. */
    session->reopen.wire = connector_open(&reopener->connector, session->index,
                                          &session->connecting, &session->reopen.err);
}

static void *reopener_main(void *arg)
{
    struct reopener *reopener = arg;

    pthread_mutex_lock(&reopener->lock);
    while (!reopener->ending) {
        int64_t next_ns;
        struct session *session = take_due(reopener, clock_now_ns(), &next_ns);
        if (session != NULL) {
            reopener->busy++;
            pthread_mutex_unlock(&reopener->lock);
            open_again(reopener, session);
            deliver(session);
            pthread_mutex_lock(&reopener->lock);
            reopener->busy--;
            if (reopener->ending)
                pthread_cond_broadcast(&reopener->changed);
        } else {
            struct timespec until = { .tv_sec = next_ns / NS_PER_S, .tv_nsec = next_ns % NS_PER_S };
            pthread_cond_timedwait(&reopener->changed, &reopener->lock, &until);
        }
    }
    pthread_mutex_unlock(&reopener->lock);
    return NULL;
}

struct reopener *reopener_new(const char *conninfo, int64_t timeout_ns, int thread_count)
{
    struct reopener *reopener = MEMORY_NEW(struct reopener);
    pthread_condattr_t monotonic;

    connector_init(&reopener->connector, conninfo, "pgdyno", timeout_ns, &reopener->stop);
    pthread_mutex_init(&reopener->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&reopener->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    reopener->threads = MEMORY_ARRAY(pthread_t, thread_count);
    while (reopener->thread_count < thread_count &&
           pthread_create(&reopener->threads[reopener->thread_count], NULL, reopener_main,
                          reopener) == 0)
        reopener->thread_count++;
    return reopener;
}

void reopener_free(struct reopener *reopener, int64_t grace_ns)
{
    int64_t until_ns = clock_now_ns() + grace_ns;
    struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };

    if (reopener == NULL)
        return;
    pthread_mutex_lock(&reopener->lock);
    reopener->ending = true;
    pthread_cond_broadcast(&reopener->changed);
    while (reopener->busy > 0 && grace_ns > 0 &&
           pthread_cond_timedwait(&reopener->changed, &reopener->lock, &until) == 0)
        continue;
    pthread_mutex_unlock(&reopener->lock);
    atomic_store(&reopener->stop, STOP_NOW);
    for (int i = 0; i < reopener->thread_count; i++)
        pthread_join(reopener->threads[i], NULL);
    pthread_mutex_destroy(&reopener->lock);
    pthread_cond_destroy(&reopener->changed);
    connector_close(&reopener->connector);
    memory_free(reopener->threads);
    memory_free(reopener);
}

void reopener_ask(struct reopener *reopener, struct session *session, int64_t due_ns)
{
    session->reopen.due_ns = due_ns;
    session->reopen.wire = NULL;
    pthread_mutex_lock(&reopener->lock);
    session->reopen.next = reopener->waiting;
    reopener->waiting = session;
    pthread_cond_signal(&reopener->changed);
    pthread_mutex_unlock(&reopener->lock);
}

struct session *mailbox_take(struct mailbox *mailbox)
{
    struct session *first;

    pthread_mutex_lock(&mailbox->lock);
    first = mailbox->first;
    mailbox->first = NULL;
    pthread_mutex_unlock(&mailbox->lock);
    return first;
}
