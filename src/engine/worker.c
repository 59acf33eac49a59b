/*
 * worker.c - see worker.h.
 *
 * One turn: wait for events, let each session that heard something go on, then look at the clock:
 * has a tick passed, must the run end? A probe timer (probe.h) bounds every wait.
 */
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/attempt.h"
#include "engine/pacer.h"
#include "engine/probe.h"
#include "engine/thread.h"
#include "engine/transaction.h"

#define EVENTS_MAX       128
#define DRAIN_NS         (10 * NS_PER_S)   /* a statement may outlive the end of the run so long */
#define DRAIN_ON_STOP_NS (500 * NS_PER_MS) /* Ctrl-C: results within two seconds */

static bool watch(struct worker *worker, struct session *session, int operation)
{
    struct epoll_event event = { .events = EPOLLIN | (session->want_write ? EPOLLOUT : 0u),
                                 .data.ptr = session };

    if (operation == EPOLL_CTL_ADD && worker->session_count == 1 && !worker->blocking)
        worker->alone = wire_make_patient(session->wire, PROBE_NS);
    return epoll_ctl(worker->epoll_fd, operation, wire_fd(session->wire), &event) == 0;
}

bool worker_open(struct worker *worker, struct error *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };

    worker->lateness = histogram_new();
    worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    worker->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (worker->epoll_fd < 0 || worker->wake_fd < 0 ||
        epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, worker->wake_fd, &event) != 0)
        return error_set(err, ERROR_MACHINE, "a worker cannot be made: %s", strerror(errno));
    worker->io.epoll_fd = worker->epoll_fd;
    pthread_mutex_init(&worker->io.mailbox.lock, NULL);
    worker->io.mailbox.wake_fd = worker->wake_fd;
    if (worker->io.schedule != NULL && !worker->blocking)
        watch_join(&worker->io.schedule->watch, &worker->io.watcher, worker->wake_fd);
    if (worker->blocking)
        worker->io.pool = (struct coroutine_pool){ .block = thread_wait, .block_arg = worker };
    timers_init(&worker->io.timers, 2 * worker->session_count + 1);
    for (int i = 0; i < worker->session_count; i++) {
        worker->sessions[i]->io = &worker->io;
        if (worker->sessions[i]->wire != NULL && !watch(worker, worker->sessions[i], EPOLL_CTL_ADD))
            return error_set(err, ERROR_MACHINE, "a connection cannot be watched: %s",
                             strerror(errno));
    }
    return true;
}

void worker_close(struct worker *worker)
{
    coroutine_pool_close(&worker->io.pool);
    timers_close(&worker->io.timers);
    terminals_free(worker->io.terminals);
    wire_out_close(&worker->io.out);
    wire_in_close(&worker->io.in);
    histogram_free(worker->lateness);
    memory_free(worker->sessions);
    if (worker->epoll_fd > 0)
        close(worker->epoll_fd);
    if (worker->wake_fd > 0)
        close(worker->wake_fd);
}

void worker_wake(struct worker *worker)
{
    static const uint64_t one = 1;

    (void)!write(worker->wake_fd, &one, sizeof one);
}

static void watch_room(struct worker *worker, struct session *session, bool wanted)
{
    if (session->wire != NULL && session->want_write != wanted)
        watch(worker, session, EPOLL_CTL_MOD);
}

/* Lets a session that heard or sent something do what follows. */
static void pump(struct worker *worker, struct session *session, uint32_t events)
{
    bool wanted_write = session->want_write;

    if (session->wire == NULL)
        return; /* Lost earlier in this batch of events. */
    if (((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !session_receive(session)) ||
        (UNLIKELY(session->unsent) && !session_go_on_sending(session))) {
        attempt_lost(session);
        return;
    }
    if (session_can_go_on(session))
        transaction_go_on(session);
    else if ((session->failed || session->state == SESSION_ROLLING) && session_at_sync(session) &&
             session->state != SESSION_IDLE)
        attempt_failed(session);
    watch_room(worker, session, wanted_write);
}

/* Sessions that the reopener gave back. */
static void take_mail(struct worker *worker)
{
    uint64_t ignored;
    struct session *session, *next;

    (void)!read(worker->wake_fd, &ignored, sizeof ignored);
    worker->io.now_ns = clock_now_ns();
    for (session = mailbox_take(&worker->io.mailbox); session != NULL; session = next) {
        next = session->reopen.next;
        if (!attempt_reopened(session))
            continue;
        if (!watch(worker, session, EPOLL_CTL_ADD))
            snprintf(worker->problem, sizeof worker->problem, "a connection cannot be watched: %s",
                     strerror(errno));
        transaction_next(session);
        if (session->wire != NULL && session->want_write)
            watch(worker, session, EPOLL_CTL_MOD);
    }
}

/* Sessions whose pause is over. */
static void take_timers(struct worker *worker)
{
    struct session *session;

    while ((session = timers_take(&worker->io.timers, worker->io.now_ns)) != NULL) {
        bool wanted = session->want_write;
        if (session->state == SESSION_THINKING) {
            worker->io.thinking--;
            session->state = SESSION_IDLE;
            session->tired = false;
            transaction_next(session);
        }
        watch_room(worker, session, wanted);
    }
}

/* Within a pass over many sessions, whose end may be far: is it time to look at the clock? */
static inline void look_within_pass(struct worker *worker)
{
    int64_t now_ns = worker->io.now_ns;

    if (UNLIKELY(now_ns >= worker->next_probe_ns ||
                 (!worker->measuring && now_ns >= worker->run->measure_begin_ns)))
        worker_look_at_clock(worker, now_ns);
}

/* Open loop and terminals: what is due starts on a session that has nothing to do. */
static void start_due(struct worker *worker)
{
    struct session_io *io = &worker->io;

    while (io->idle != NULL && pacer_due(io, worker->run)) {
        struct session *session = io->idle;
        bool wanted = session->want_write;
        io->idle = session->next_idle;
        session->listed = false;
        if (session->state != SESSION_IDLE)
            continue; /* Lost while it was idle: it comes back through the mailbox. */
        transaction_next(session);
        watch_room(worker, session, wanted);
        io->now_ns = clock_now_ns();
        look_within_pass(worker);
        watch_pass(&io->watcher, io->idle != NULL, io->now_ns);
    }
    if (io->idle == NULL)
        watch_pass(&io->watcher, false, io->now_ns);
    watch_be_willing(&io->watcher, io->idle != NULL);
    pacer_draw_reserved(io);
    if (io->terminals != NULL) /* What is put off is put off now, whoever is free. */
        terminals_advance(io->terminals, io->lane, io->now_ns);
}

static void begin_all(struct worker *worker)
{
    for (int i = 0; i < worker->session_count; i++) {
        struct session *session = worker->sessions[i];
        worker->io.now_ns = clock_now_ns();
        transaction_next(session);
        if (session->wire != NULL && session->want_write)
            watch(worker, session, EPOLL_CTL_MOD);
        look_within_pass(worker);
    }
}

/* When there is no server nothing ever wakes us: each turn gives every session its turns. */
static void turn_without_server(struct worker *worker)
{
    for (int i = 0; i < worker->session_count && !worker->blocking; i++)
        if (worker->sessions[i]->state == SESSION_RUNNING) {
            transaction_go_on(worker->sessions[i]);
            look_within_pass(worker);
        }
}

/* In the measured window of a plain closed loop nothing changes from one transaction to the next,
 * as long as the server is there, and counts are all that is kept of them. */
static int64_t steady_until_ns(const struct worker *worker)
{
    const struct run *run = worker->run;

    if (!worker->measuring || worker->blocking || worker->io.paced || run->rests ||
        run->workload->keeps_times || run->plan->reconnect > 0 || outages_open(&run->outages) ||
        atomic_load_explicit(&run->stop, memory_order_relaxed) != STOP_NO)
        return 0;
    return run->end_ns != 0 ? run->end_ns : INT64_MAX;
}

static inline void look_at_clock(struct worker *worker, int64_t now_ns)
{
    const struct run *run = worker->run;

    if (now_ns >= worker->next_probe_ns)
        probe_passed(worker, now_ns);
    if (!worker->measuring && now_ns >= run->measure_begin_ns)
        probe_begin(worker);
    worker->io.steady_until_ns = steady_until_ns(worker);
    if (now_ns >= lane_next_tick_ns(worker->io.lane))
        lane_tick(worker->io.lane, now_ns);
    if (atomic_load_explicit(&run->stop, memory_order_relaxed) == STOP_NOW)
        worker->drain_until_ns = now_ns;
    else if (atomic_load_explicit(&run->stop, memory_order_relaxed) == STOP_SOON &&
             (worker->drain_until_ns == 0 || worker->drain_until_ns > now_ns + DRAIN_ON_STOP_NS))
        worker->drain_until_ns = now_ns + DRAIN_ON_STOP_NS;
    else if (worker->drain_until_ns == 0 && run->end_ns != 0 && now_ns >= run->end_ns)
        worker->drain_until_ns = now_ns + DRAIN_NS;
}

void worker_look_at_clock(struct worker *worker, int64_t now_ns)
{
    look_at_clock(worker, now_ns);
}

void worker_abandon_all(struct worker *worker, int64_t now_ns)
{
    worker->io.now_ns = now_ns;
    for (int i = 0; i < worker->session_count; i++) {
        struct session *session = worker->sessions[i];
        if (session->state == SESSION_RUNNING || session->state == SESSION_FAILING ||
            session->state == SESSION_ROLLING)
            attempt_abandon(session);
    }
}

/* How long nothing needs to happen: until the probe, a timer, or an arrival that a session is free
 * for. */
static int64_t wait_ns(const struct worker *worker, int64_t now_ns)
{
    const struct session_io *io = &worker->io;
    int64_t until_ns = worker->next_probe_ns, timer_ns = timers_next_ns(&io->timers);

    if (!worker->run->workload->needs_server && io->in_flight > 0)
        return 0;
    if (timer_ns < until_ns)
        until_ns = timer_ns;
    if (UNLIKELY(io->paced) && worker->drain_until_ns == 0 && pacer_next_ns(io) < until_ns)
        until_ns = pacer_next_ns(io);
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

/* In a plan by count nothing else would end the waiting for a server that does not come back. */
static bool all_lost_too_long(struct worker *worker, int64_t now_ns)
{
    if (worker->io.in_flight > 0 || worker->io.reopening == 0)
        worker->all_lost_since_ns = 0;
    else if (worker->all_lost_since_ns == 0)
        worker->all_lost_since_ns = now_ns;
    return worker->all_lost_since_ns != 0 && worker->run->end_ns == 0 &&
           now_ns - worker->all_lost_since_ns > worker->run->plan->connect_timeout_ns;
}

/* As wire/io.c: libc's wrapper is a cancellation point, and nobody here is ever cancelled. */
static inline int wait_for_events(struct worker *worker, struct epoll_event *events, int events_max,
                                  int64_t limit_ns)
{
    struct timespec limit = { .tv_sec = limit_ns / NS_PER_S, .tv_nsec = limit_ns % NS_PER_S };
    int count;

    if (!worker->coarse_waits) {
        count = (int)syscall(SYS_epoll_pwait2, worker->epoll_fd, events, events_max, &limit, NULL,
                             (size_t)0);
        if (count >= 0 || errno != ENOSYS)
            return count;
        worker->coarse_waits = true; /* Linux before 5.11 */
    }
    return (int)syscall(SYS_epoll_pwait, worker->epoll_fd, events, events_max,
                        (int)((limit_ns + NS_PER_MS - 1) / NS_PER_MS), NULL, (size_t)0);
}

/* A worker with one session, and that waits for its answer, need not ask who has spoken. Only as
 * long as answers come soon: the kernel's limit is coarse, and nothing else wakes it. */
static inline bool waits_in_receive(const struct worker *worker)
{
    const struct session *session = worker->sessions[0];

    return worker->answered_soon && worker->alone && session->state == SESSION_RUNNING &&
           session->wire != NULL && !session->unsent &&
           timers_next_ns(&worker->io.timers) == INT64_MAX;
}

static inline int wait_for_answer(struct worker *worker, struct epoll_event *events)
{
    wire_wait(worker->sessions[0]->wire, true);
    events[0] = (struct epoll_event){ .events = EPOLLIN, .data.ptr = worker->sessions[0] };
    return 1;
}

static int wait_for_sessions(struct worker *worker, struct epoll_event *events, int64_t now_ns)
{
    if (waits_in_receive(worker))
        return wait_for_answer(worker, events);
    if (UNLIKELY(worker->alone) && worker->sessions[0]->wire != NULL)
        wire_wait(worker->sessions[0]->wire, false);
    return wait_for_events(worker, events, EVENTS_MAX, wait_ns(worker, now_ns));
}

/* The thread engine, between transactions. One event at a time: a session that ran meanwhile is
 * beyond what a second one tells. */
static int wait_alone(struct worker *worker, struct epoll_event *events, int64_t now_ns)
{
    int count;

    if (worker->in_vain != IN_VAIN_NOT) {
        thread_go_on(worker);
        return 0;
    }
    worker_rests(worker);
    count = wait_for_events(worker, events, 1, wait_ns(worker, now_ns));
    worker_is_back(worker);
    return count;
}

static bool is_over(const struct worker *worker, int64_t now_ns)
{
    const struct session_io *io = &worker->io;

    if (io->in_flight > 0)
        return false;
    if (io->schedule != NULL)
        return (io->exhausted && !io->reserved && schedule_spent(io->schedule)) ||
               run_over(worker->run, now_ns);
    if (io->terminals != NULL)
        return run_over(worker->run, now_ns);
    /* What is claimed ahead of a plan by count is owed. */
    if (io->claimed > 0 && io->reopening > 0 && worker->run->end_ns == 0 &&
        atomic_load(&worker->run->stop) == STOP_NO)
        return false;
    return (io->reopening == 0 && io->thinking == 0) || run_over(worker->run, now_ns);
}

static void loop(struct worker *worker)
{
    struct epoll_event events[EVENTS_MAX];
    int64_t now_ns = clock_now_ns();

    while (!is_over(worker, now_ns)) {
        int count = LIKELY(!worker->blocking) ? wait_for_sessions(worker, events, now_ns)
                                              : wait_alone(worker, events, now_ns);
        if (count < 0 && errno != EINTR) {
            snprintf(worker->problem, sizeof worker->problem, "waiting for events failed: %s",
                     strerror(errno));
            worker_abandon_all(worker, clock_now_ns());
            return;
        }
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr != NULL)
                pump(worker, events[i].data.ptr, events[i].events);
            else
                take_mail(worker);
        }
        if (!worker->run->workload->needs_server)
            turn_without_server(worker);
        /* What a session read is recent enough, unless nothing was heard. */
        if (count <= 0 || events[count - 1].data.ptr == NULL || worker->io.now_ns == now_ns)
            worker->io.now_ns = clock_now_ns();
        worker->answered_soon = worker->io.now_ns - now_ns < worker->soon_ns;
        take_timers(worker);
        if (worker->io.paced)
            start_due(worker);
        now_ns = worker->io.now_ns;
        look_at_clock(worker, now_ns);
        if (worker->drain_until_ns != 0 && now_ns >= worker->drain_until_ns)
            worker_abandon_all(worker, now_ns);
        if (all_lost_too_long(worker, now_ns))
            run_stop_by_error(worker->run, "connect", "no connection could be opened again");
    }
}

static void *worker_main(void *arg)
{
    struct worker *worker = arg;

    pthread_mutex_lock(worker->made);
    pthread_mutex_unlock(worker->made);
    if (*worker->given_up)
        return NULL;
    pthread_barrier_wait(
        worker->barrier); /* All threads are there: the coordinator sets the clock. */
    pthread_barrier_wait(worker->barrier); /* The clock is set. */
    prctl(PR_SET_TIMERSLACK, 1UL);         /* Due means due. */
    clock_sleep_until_ns(worker->run->start_ns);
    probe_start(worker, clock_now_ns());
    if (worker->run->measure_begin_ns <= worker->run->start_ns)
        probe_begin(worker);
    worker_is_back(worker);
    begin_all(worker);
    loop(worker);
    if (!worker->measuring)
        probe_begin(worker);
    probe_end(worker);
    lane_tick(worker->io.lane, clock_now_ns());
    lane_end(worker->io.lane);
    worker_rests(worker);
    if (atomic_fetch_sub(worker->running, 1) == 1 && worker->run->on_over != NULL)
        worker->run->on_over(worker->run->context);
    return NULL;
}

int worker_make_threads(struct worker *workers, int count)
{
    int made = 0;

    while (made < count &&
           pthread_create(&workers[made].thread, NULL, worker_main, &workers[made]) == 0)
        made++;
    return made;
}
