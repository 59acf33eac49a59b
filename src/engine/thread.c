/*
 * thread.c - see thread.h.
 *
 * A wait in vain leaves the body first and is dealt with afterwards, from the worker's loop: what
 * follows may run bodies of its own.
 */
#include "engine/thread.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/attempt.h"
#include "engine/pacer.h"

static bool in_vain(struct worker *worker, enum in_vain why)
{
    worker->in_vain = why;
    return false;
}

static struct timespec limit_of(const struct worker *worker)
{
    int64_t left_ns = worker->next_probe_ns - clock_now_ns();

    if (left_ns < 0)
        left_ns = 0;
    return (struct timespec){ .tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S };
}

/* Sleeps until the server says something, somebody wakes us, or it is time to look at the clock.
 * The answer is what happened to the connection. As worker.c: no cancellation point. */
static short sleep_a_while(struct worker *worker)
{
    const struct session *session = worker->sessions[0];
    struct pollfd watched[] = {
        { .fd = worker->wake_fd, .events = POLLIN },
        { .fd = session->wire != NULL ? wire_fd(session->wire) : -1,
          .events = (short)(POLLIN | (session->want_write ? POLLOUT : 0)) },
    };
    struct timespec limit = limit_of(worker);
    uint64_t ignored;
    int count;

    worker_rests(worker);
    count = (int)syscall(SYS_ppoll, watched, 2, &limit, NULL, (size_t)0);
    worker_is_back(worker);
    if (count < 0 && errno != EINTR)
        snprintf(worker->problem, sizeof worker->problem, "waiting for a session failed: %s",
                 strerror(errno));
    if (count <= 0)
        return 0;
    /* No session is with the reopener while this one waits: the wake is about the clock. */
    if (watched[0].revents != 0)
        (void)!read(worker->wake_fd, &ignored, sizeof ignored);
    return watched[1].revents;
}

/* False: the connection is lost. */
static bool hear(struct worker *worker, struct session *session)
{
    short events = 0;

    if (session->wire != NULL)
        events = sleep_a_while(worker);
    if ((events & (POLLIN | POLLHUP | POLLERR)) == 0)
        worker->io.now_ns = clock_now_ns();
    else if (!session_receive(session))
        return false;
    return !session->unsent || session_go_on_sending(session);
}

bool thread_wait(void *arg)
{
    struct worker *worker = arg;
    struct session *session = worker->sessions[0];

    if (!session_flush(session))
        return in_vain(worker, IN_VAIN_LOST);
    pacer_draw_ahead(session);
    for (;;) {
        if (!hear(worker, session))
            return in_vain(worker, IN_VAIN_LOST);
        worker_look_at_clock(worker, worker->io.now_ns);
        /* Without a server there is nothing to wait for: it gives the clock its turn. */
        if (session->wire == NULL || session_can_go_on(session))
            return true;
        if (session->failed && session_at_sync(session))
            return in_vain(worker, IN_VAIN_FAILED);
        if ((worker->drain_until_ns != 0 && worker->io.now_ns >= worker->drain_until_ns) ||
            worker->problem[0] != '\0')
            return in_vain(worker, IN_VAIN_AT_END);
    }
}

void thread_go_on(struct worker *worker)
{
    struct session *session = worker->sessions[0];
    enum in_vain why = worker->in_vain;

    worker->in_vain = IN_VAIN_NOT;
    worker->io.now_ns = clock_now_ns();
    if (why == IN_VAIN_AT_END)
        worker_abandon_all(worker, worker->io.now_ns);
    else if (session->wire == NULL)
        return; /* It was found to be lost when the last of what it said was flushed. */
    else if (why == IN_VAIN_LOST)
        attempt_lost(session);
    else
        attempt_failed(session);
}
