/*
 * crew.c - see crew.h.
 */
#include "load/crew.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#define TRIES_MAX    5                 /* of one task, each after a lost connection */
#define RECONNECT_NS (10 * NS_PER_S)   /* how long a server that went is waited for */
#define PAUSE_NS     (200 * NS_PER_MS) /* between two tries to connect */
#define LOOK_NS      (100 * NS_PER_MS) /* the calling thread looks at the progress */
#define PATIENCE_NS  (NS_PER_S)        /* a chunk gets this long to end after load_stop() */

struct worker {
    struct crew *crew;
    pthread_t thread;
    struct channel channel; /* changes with the crew's lock held */
};

struct crew {
    struct job *job;
    const struct work *work;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker *workers;
    struct channel_care care;
    int running, opened; /* threads; sessions that could be opened at least once */
    int busy, used;      /* of them at a task; the most at once */
    bool stopping;
    struct error error, refused; /* the first that ended the work; why a session did not open */
    struct load_progress progress;
    int64_t begin_ns;
};

/* ---- a worker's thread ---- */

static void give_up(struct crew *crew, const struct error *err)
{
    pthread_mutex_lock(&crew->lock);
    if (crew->error.kind == ERROR_NONE)
        crew->error = *err;
    crew->stopping = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

static bool is_stopping(struct crew *crew)
{
    bool stopping;

    pthread_mutex_lock(&crew->lock);
    stopping = crew->stopping;
    pthread_mutex_unlock(&crew->lock);
    return stopping;
}

static void close_channel(struct worker *worker)
{
    pthread_mutex_lock(&worker->crew->lock);
    channel_close(&worker->channel);
    pthread_mutex_unlock(&worker->crew->lock);
}

static bool open_channel(struct worker *worker, struct error *err)
{
    const struct load_setup *setup = worker->crew->job->setup;
    struct channel fresh = { .care = &worker->crew->care };

    if (!channel_open(&fresh, setup->conninfo, setup->plan->connect_timeout_ns, err))
        return false;
    pthread_mutex_lock(&worker->crew->lock);
    worker->channel = fresh;
    pthread_mutex_unlock(&worker->crew->lock);
    return true;
}

static int64_t patience_ns(const struct crew *crew)
{
    int64_t asked_ns = crew->job->setup->plan->connect_timeout_ns;

    return asked_ns > 0 && asked_ns < RECONNECT_NS ? asked_ns : RECONNECT_NS;
}

/* Connects again after a loss, and makes sure that the lost session does nothing any more. */
static bool reopen_channel(struct worker *worker, struct error *err)
{
    int64_t until_ns = clock_now_ns() + patience_ns(worker->crew);
    int lost_pid = worker->channel.pid;

    close_channel(worker);
    while (!open_channel(worker, err)) {
        if (clock_now_ns() > until_ns || is_stopping(worker->crew))
            return false;
        clock_sleep_until_ns(clock_now_ns() + PAUSE_NS);
    }
    return guard_clear(worker->crew->job, &worker->channel, lost_pid, err);
}

/* A row's loader became NULL: the data set's row has the token of another load. */
static bool explain(const struct channel *channel, struct error *err)
{
    if (strcmp(channel->sqlstate, "23502") == 0 && strcmp(channel->column, "loader") == 0)
        return error_set(err, ERROR_PLAN, "another load has taken this data set over");
    return false;
}

/* Does one task, again after each lost connection until it is known to be done. */
static bool do_task(struct worker *worker, struct task *task, struct error *err)
{
    const struct work *work = worker->crew->work;
    struct job *job = worker->crew->job;
    struct channel *channel = &worker->channel;

    for (int tries = 1;; tries++) {
        bool known = false;
        struct error again;
        if (work->run(job, channel, task, err))
            return true;
        if (channel->unanswered) /* Nor will it answer the others. */
            __atomic_store_n(&worker->crew->care.abandon, 1, __ATOMIC_RELAXED);
        if (!channel->lost || tries == TRIES_MAX || is_stopping(worker->crew))
            return explain(channel, err);
        if (!reopen_channel(worker, &again)) {
            if (again.kind != err->kind || strcmp(again.text, err->text) != 0)
                error_wrap(err, "%s, after", again.text);
            return false;
        }
        if (!work->known(job, channel, task, &known, err) && !channel->lost)
            return false;
        if (known)
            return true;
    }
}

static bool take_task(struct crew *crew, struct task *task)
{
    enum take took = TAKE_END;

    pthread_mutex_lock(&crew->lock);
    while (!crew->stopping) {
        memset(task, 0, sizeof *task);
        took = crew->work->take(crew->job, task);
        if (took != TAKE_WAIT)
            break;
        pthread_cond_wait(&crew->changed, &crew->lock);
    }
    if (crew->stopping)
        took = TAKE_END;
    if (took == TAKE_TASK) {
        task->begin_ns = clock_now_ns();
        crew->progress.what = task->what;
        if (++crew->busy > crew->used)
            crew->used = crew->busy;
    }
    pthread_mutex_unlock(&crew->lock);
    return took == TAKE_TASK;
}

static void end_task(struct crew *crew, struct task *task)
{
    pthread_mutex_lock(&crew->lock);
    crew->work->done(crew->job, task);
    crew->busy--;
    crew->progress.rows_done += task->rows;
    crew->progress.bytes_done += task->bytes;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

static void *work_on(void *context)
{
    struct worker *worker = context;
    struct crew *crew = worker->crew;
    struct error err = { .kind = ERROR_NONE };
    struct task task;
    bool opened = open_channel(worker, &err);

    pthread_mutex_lock(&crew->lock);
    crew->opened += opened;
    if (!opened)
        crew->refused = err; /* Fewer connections will do, as long as there is one. */
    pthread_mutex_unlock(&crew->lock);
    while (opened && take_task(crew, &task)) {
        if (!do_task(worker, &task, &err)) {
            give_up(crew, &err);
            break;
        }
        end_task(crew, &task);
    }
    close_channel(worker);
    pthread_mutex_lock(&crew->lock);
    crew->running--;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* ---- the calling thread ---- */

/* Fills the times of the progress and tells it; without the lock, since it may print. */
static void tell(struct crew *crew, bool finished)
{
    struct load_progress now;
    const struct load_setup *setup = crew->job->setup;
    char trouble[160];
    int64_t fresh;

    pthread_mutex_lock(&crew->lock);
    now = crew->progress;
    pthread_mutex_unlock(&crew->lock);
    if (now.rows_done > now.rows_total) /* Some were copied twice, after a crash took them. */
        now.rows_done = now.rows_total;
    now.elapsed_ns = clock_now_ns() - crew->begin_ns;
    fresh = now.rows_done - now.rows_before;
    now.left_ns = fresh > 0 ? (int64_t)((double)now.elapsed_ns *
                                        (double)(now.rows_total - now.rows_done) / (double)fresh)
                            : -1;
    now.finished = finished;
    now.trouble = stall_trouble(&crew->job->stall, trouble, sizeof trouble);
    if (setup->progress != NULL)
        setup->progress(setup->context, &now);
}

static void wait_a_moment(struct crew *crew)
{
    int64_t until_ns = clock_now_ns() + LOOK_NS;
    struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };

    while (crew->running > 0 && pthread_cond_timedwait(&crew->changed, &crew->lock, &until) == 0)
        ;
}

static void watch(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->running > 0) {
        wait_a_moment(crew);
        if (job_stopped() && !crew->stopping) {
            crew->stopping = true; /* Each channel sees for itself that it ends. */
            pthread_cond_broadcast(&crew->changed);
        }
        pthread_mutex_unlock(&crew->lock);
        tell(crew, false);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

/* As with a session that does not open: fewer will do, as long as there is one. */
static void do_with_fewer(struct crew *crew, int made, int count)
{
    pthread_mutex_lock(&crew->lock);
    error_set(&crew->refused, ERROR_MACHINE, "thread %d of %d cannot be made", made + 1, count);
    crew->running -= count - made;
    pthread_mutex_unlock(&crew->lock);
}

/* Threads that take no signals, so that the calling thread's handlers get them. Gives how many. */
static int start(struct crew *crew, int count)
{
    sigset_t all, before;
    int made = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    crew->running = count;
    for (; made < count; made++) {
        struct worker *worker = &crew->workers[made];
        worker->crew = crew;
        if (pthread_create(&worker->thread, NULL, work_on, worker) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (made < count)
        do_with_fewer(crew, made, count);
    return made;
}

static bool verdict(struct crew *crew, int connections, struct error *err)
{
    if (job_stopped())
        return error_set(err, ERROR_INTERRUPTED,
                         "interrupted: what is finished stays, the same load%s goes on from here",
                         crew->job->setup->plan->force ? " without --force" : "");
    if (crew->error.kind == ERROR_NONE && crew->opened == 0)
        crew->error = crew->refused;
    if (crew->error.kind != ERROR_NONE) {
        *err = crew->error;
        return false;
    }
    if (crew->refused.kind != ERROR_NONE)
        job_note(crew->job, "%s: %d of %d connections could be opened: %s", crew->work->step,
                 crew->opened, connections, crew->refused.text);
    return true;
}

bool crew_run(struct job *job, const struct work *work, const struct amount *amount,
              int connections, struct error *err)
{
    struct crew crew = { .job = job, .work = work, .begin_ns = clock_now_ns() };
    pthread_condattr_t monotonic;
    int made;
    bool ok;

    crew.progress = (struct load_progress){ .step = work->step,
                                            .what = "",
                                            .rows_total = amount->rows_total,
                                            .rows_done = amount->rows_before,
                                            .rows_before = amount->rows_before };
    crew.care = job->stall.care;
    crew.care.patience_ns = work->cancel ? 0 : PATIENCE_NS;
    pthread_mutex_init(&crew.lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&crew.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    crew.workers = MEMORY_ARRAY(struct worker, connections);
    made = start(&crew, connections);
    watch(&crew);
    for (int i = 0; i < made; i++)
        pthread_join(crew.workers[i].thread, NULL);
    if (crew.used > job->connections_used)
        job->connections_used = crew.used;
    ok = verdict(&crew, connections, err);
    if (ok)
        tell(&crew, true);
    memory_free(crew.workers);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
    return ok;
}
