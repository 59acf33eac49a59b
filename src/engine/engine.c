/*
 * engine.c - see engine.h: connects, starts the workers behind a barrier, collects intervals while
 * they run, and ends them.
 */
#include "engine/engine.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/cancel.h"
#include "engine/connect.h"
#include "engine/pacer.h"
#include "engine/pooler.h"
#include "engine/sizes.h"
#include "engine/trips.h"
#include "engine/worker.h"

#define PATIENCE_NS    (200 * NS_PER_MS) /* for a worker that is late with its interval */
#define START_DELAY_NS (1 * NS_PER_MS)

struct engine {
    struct engine_setup setup;
    struct run run;
    struct session *sessions;
    int session_count;
    struct worker *workers;
    int lane_count;
    pthread_mutex_t lane_locks[SIZES_SHARED_LANES_MAX]; /* thread engine, when lanes are shared */
    struct engine_worker_use *uses;
    pthread_mutex_t made; /* held while worker threads are made ... */
    bool given_up;        /* ... and one of them could not be */
    pthread_barrier_t barrier;
    atomic_int running; /* workers that have not ended */
    int wake_fd;        /* wakes the coordinator */
    PGconn *admin;      /* NULL for a workload without a server */
    struct reopener *reopener;
    struct schedule schedule; /* open loop only */
    struct engine_facts facts;
    const char **statement_names, **transaction_names;
};

static void make_recorder(struct engine *engine)
{
    struct run *run = &engine->run;
    int statements = run->statement_count + BUILT_IN_COUNT;

    engine->lane_count = sizes_lanes(run->plan, engine->facts.worker_count);
    engine->statement_names = MEMORY_ARRAY(const char *, statements);
    engine->transaction_names = MEMORY_ARRAY(const char *, run->transaction_count);
    for (int i = 0; i < statements; i++)
        engine->statement_names[i] = run->shapes[i].name;
    for (int i = 0; i < run->transaction_count; i++)
        engine->transaction_names[i] =
            run->weights[i] > 0 ? run->workload->transactions[i].name : NULL;
    run->recorder = recorder_new(&(struct recorder_layout){
        .lane_count = engine->lane_count,
        .transaction_count = run->transaction_count,
        .statement_count = statements,
        .tally_count = run->tally_count,
        .transaction_names = engine->transaction_names,
        .statement_names = engine->statement_names,
        .interval_ns = run->plan->interval_ns,
        .open_loop = plan_paced(run->plan),
        .latency_limit_ns = run->plan->latency_limit_ns,
    });
}

struct engine *engine_new(const struct engine_setup *setup)
{
    struct engine *engine = MEMORY_NEW(struct engine);

    engine->setup = *setup;
    run_init(&engine->run, setup);
    engine->facts.protocol = engine->run.protocol;
    engine->session_count = (int)setup->plan->connections;
    engine->sessions = MEMORY_ARRAY(struct session, engine->session_count);
    for (int i = 0; i < engine->session_count; i++)
        session_init(&engine->sessions[i], &engine->run, i);
    engine->facts.worker_count = sizes_workers(setup->plan, setup->workload, setup->world);
    engine->workers = MEMORY_ARRAY(struct worker, engine->facts.worker_count);
    engine->uses = MEMORY_ARRAY(struct engine_worker_use, engine->facts.worker_count);
    pthread_mutex_init(&engine->made, NULL);
    engine->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (int i = 0; i < SIZES_SHARED_LANES_MAX; i++)
        pthread_mutex_init(&engine->lane_locks[i], NULL);
    make_recorder(engine);
    if (plan_open_loop(setup->plan))
        schedule_init(&engine->schedule, setup->plan);
    return engine;
}

void engine_free(struct engine *engine)
{
    if (engine == NULL)
        return;
    for (int i = 0; i < engine->session_count; i++)
        session_close(&engine->sessions[i]);
    PQfinish(engine->admin);
    reopener_free(engine->reopener, 0);
    for (int i = 0; i < engine->facts.worker_count; i++)
        worker_close(&engine->workers[i]);
    if (plan_open_loop(engine->setup.plan))
        schedule_close(&engine->schedule);
    recorder_free(engine->run.recorder);
    run_close(&engine->run);
    if (engine->wake_fd >= 0)
        close(engine->wake_fd);
    trips_close(engine->sessions, &engine->facts);
    memory_free(engine->sessions);
    memory_free(engine->workers);
    memory_free(engine->uses);
    memory_free(engine->statement_names);
    memory_free(engine->transaction_names);
    memory_free(engine);
}

struct recorder *engine_recorder(struct engine *engine)
{
    return engine->run.recorder;
}

const struct engine_facts *engine_facts(const struct engine *engine)
{
    return &engine->facts;
}

bool engine_statement(const struct engine *engine, int index, struct engine_statement *statement)
{
    return run_statement(&engine->run, index, statement);
}

const struct engine_worker_use *engine_worker_uses(const struct engine *engine)
{
    return engine->uses;
}

void engine_stop(struct engine *engine)
{
    static const uint64_t one = 1;
    int stop = atomic_load(&engine->run.stop);

    engine->facts.interrupted = true;
    atomic_store(&engine->run.stop, stop == STOP_NO ? STOP_SOON : STOP_NOW);
    for (int i = 0; i < engine->facts.worker_count; i++)
        if (engine->workers[i].wake_fd > 0)
            worker_wake(&engine->workers[i]);
    (void)!write(engine->wake_fd, &one, sizeof one);
}

/* ---- connecting ---- */

static void close_sessions(struct engine *engine)
{
    for (int i = 0; i < engine->session_count; i++) {
        wire_close(engine->sessions[i].wire);
        wire_close(engine->sessions[i].reopen.wire); /* came too late to be taken */
        wire_close(engine->sessions[i].reopen.old);
        engine->sessions[i].wire = engine->sessions[i].reopen.wire = NULL;
        engine->sessions[i].reopen.old = NULL;
    }
}

/* The row of the session's server, made when it is the first there. */
static int host_row(struct engine_facts *facts, const struct wire *wire)
{
    struct engine_host *row;
    int at = 0;

    while (at < facts->host_count && (strcmp(facts->hosts[at].host, wire_host(wire)) != 0 ||
                                      strcmp(facts->hosts[at].port, wire_port(wire)) != 0))
        at++;
    if (at == ENGINE_HOSTS_MAX)
        return at - 1;
    row = &facts->hosts[at];
    if (at == facts->host_count) {
        facts->host_count++;
        snprintf(row->host, sizeof row->host, "%s", wire_host(wire));
        snprintf(row->port, sizeof row->port, "%s", wire_port(wire));
    }
    return at;
}

static void note_hosts(struct engine *engine)
{
    for (int i = 0; i < engine->session_count; i++) {
        struct session *session = &engine->sessions[i];
        session->host = host_row(&engine->facts, session->wire);
        engine->facts.hosts[session->host].sessions++;
    }
}

static bool open_sessions(struct engine *engine, struct error *err)
{
    struct connect_job job = {
        .conninfo = engine->setup.conninfo,
        .sessions = engine->sessions,
        .count = engine->session_count,
        .timeout_ns = engine->setup.plan->connect_timeout_ns,
        .stop = &engine->run.stop,
        .progress = engine->setup.on_connect,
        .context = engine->setup.context,
    };
    const struct wire *first;

    engine->facts.connect_begin_ns = clock_now_ns();
    if (!connect_all(&job, err))
        return false;
    engine->facts.connect_end_ns = clock_now_ns();
    engine->facts.sessions_open = engine->session_count;
    engine->facts.own_server_commits +=
        2 * engine->session_count; /* and the empty query before take-over */
    note_hosts(engine);
    trips_open(engine->sessions, engine->session_count, &engine->facts);
    first = engine->sessions[0].wire;
    if (wire_tls_version(first) != NULL) {
        snprintf(engine->facts.tls_version, sizeof engine->facts.tls_version, "%s",
                 wire_tls_version(first));
        snprintf(engine->facts.tls_cipher, sizeof engine->facts.tls_cipher, "%s",
                 wire_tls_cipher(first));
        engine->facts.tls_bits = wire_tls_bits(first);
    }
    return true;
}

static bool deal_sessions(struct engine *engine, struct error *err)
{
    int workers = engine->facts.worker_count;

    for (int i = 0; i < workers; i++) {
        struct worker *worker = &engine->workers[i];
        worker->run = &engine->run;
        worker->io.lane = recorder_lane(engine->run.recorder, i % engine->lane_count);
        worker->blocking = engine->setup.plan->engine == ENGINE_THREAD;
        if (engine->lane_count < workers)
            worker->lane_lock = &engine->lane_locks[i % engine->lane_count];
        worker->io.reopener = engine->reopener;
        worker->io.schedule = plan_open_loop(engine->setup.plan) ? &engine->schedule : NULL;
        if (engine->setup.plan->terminals > 0)
            worker->io.terminals = terminals_new(&engine->run, i, workers);
        worker->io.paced = plan_paced(engine->setup.plan);
        worker->barrier = &engine->barrier;
        worker->made = &engine->made;
        worker->given_up = &engine->given_up;
        worker->running = &engine->running;
        worker->sessions = MEMORY_ARRAY(struct session *, engine->session_count / workers + 1);
        for (int j = i; j < engine->session_count; j += workers)
            worker->sessions[worker->session_count++] = &engine->sessions[j];
        if (!worker_open(worker, err))
            return false;
        for (int j = 0; j < worker->session_count; j++)
            if (worker->sessions[j]->wire != NULL)
                session_record_connect(worker->sessions[j], false);
    }
    return true;
}

bool engine_preflight(const struct engine *engine, struct error *err)
{
    int64_t ignored = 0; /* Over before the books are opened. */
    PGconn *conn;
    bool ok;

    if (!engine->setup.workload->needs_server)
        return true;
    conn = connect_admin(&engine->run, engine->setup.conninfo, err);
    ok = conn != NULL && connect_preflight(&engine->run, conn, &ignored, err);
    PQfinish(conn);
    return ok;
}

/* Which protocol the sessions speak, now that it is known what is between us and the server. */
static bool settle_protocol(struct engine *engine, struct error *err)
{
    if (!pooler_settle(&engine->facts, engine->setup.conninfo, engine->admin, &engine->run, err))
        return false;
    for (int i = 0; i < engine->session_count && engine->run.protocol != PROTOCOL_PREPARED; i++) {
        prepared_free(engine->sessions[i].prepared);
        engine->sessions[i].prepared = NULL;
    }
    return true;
}

bool engine_connect(struct engine *engine, struct error *err)
{
    int64_t *commits = &engine->facts.own_server_commits;

    if (engine->setup.workload->needs_server) {
        engine->admin = connect_admin(&engine->run, engine->setup.conninfo, err);
        if (engine->admin == NULL)
            return false;
        (*commits)++;
        if (!connect_preflight(&engine->run, engine->admin, commits, err) ||
            !settle_protocol(engine, err) ||
            !run_describe(&engine->run, engine->admin, commits, err))
            return false;
        if (!open_sessions(engine, err)) {
            close_sessions(engine);
            return false;
        }
    }
    if (engine->setup.workload->needs_server)
        engine->reopener =
            reopener_new(engine->setup.conninfo, engine->setup.plan->connect_timeout_ns,
                         sizes_reopeners(engine->setup.plan));
    if (deal_sessions(engine, err))
        return true;
    close_sessions(engine);
    return false;
}

/* ---- running ---- */

static void set_clock(struct engine *engine)
{
    struct run *run = &engine->run;
    const struct plan *plan = run->plan;

    run->start_ns = clock_now_ns() + START_DELAY_NS;
    run->measure_begin_ns = run->start_ns + plan->warmup_ns;
    run->end_ns = plan->time_ns > 0 ? run->measure_begin_ns + plan->time_ns : 0;
    recorder_start(run->recorder, run->start_ns);
    if (plan_open_loop(plan))
        schedule_set_clock(&engine->schedule, run->start_ns, run->measure_begin_ns, run->end_ns);
    engine->facts.start_ns = run->start_ns;
    engine->facts.start_wall_ns = clock_wall_ns() + START_DELAY_NS;
}

static bool start_workers(struct engine *engine, struct error *err)
{
    int count = engine->facts.worker_count, made;

    pthread_mutex_lock(&engine->made);
    pthread_barrier_init(&engine->barrier, NULL, (unsigned)count + 1);
    atomic_store(&engine->running, count);
    made = worker_make_threads(engine->workers, count);
    engine->given_up = made < count;
    pthread_mutex_unlock(&engine->made);
    for (int i = 0; i < made && engine->given_up; i++)
        pthread_join(engine->workers[i].thread, NULL);
    if (engine->given_up)
        return error_set(err, ERROR_MACHINE, "worker thread %d of %d cannot be made", made + 1,
                         count);
    pthread_barrier_wait(&engine->barrier);
    set_clock(engine);
    if (engine->setup.on_clock != NULL)
        engine->setup.on_clock(engine->setup.context, engine->run.measure_begin_ns,
                               engine->run.end_ns);
    pthread_barrier_wait(&engine->barrier);
    return true;
}

static void tell(struct engine *engine, const struct interval *intervals, int count)
{
    if (count > 0 && engine->setup.on_interval != NULL)
        engine->setup.on_interval(engine->setup.context, intervals, count);
}

/* Sleeps until `at_ns`, or until somebody wakes the coordinator or the workers are done. */
static void sleep_until(struct engine *engine, int64_t at_ns)
{
    struct pollfd wake = { .fd = engine->wake_fd, .events = POLLIN };
    uint64_t ignored;
    int64_t left_ns;

    while (atomic_load(&engine->running) > 0 && (left_ns = at_ns - clock_now_ns()) > 0) {
        int64_t slice_ns = left_ns < 50 * NS_PER_MS ? left_ns : 50 * NS_PER_MS;
        if (poll(&wake, 1, (int)((slice_ns + NS_PER_MS - 1) / NS_PER_MS)) > 0)
            (void)!read(engine->wake_fd, &ignored, sizeof ignored);
    }
}

static void watch_workers(struct engine *engine)
{
    struct interval intervals[PHASE_COUNT];
    int64_t interval_ns = engine->run.plan->interval_ns;
    int64_t next_ns = engine->run.start_ns + interval_ns;

    while (atomic_load(&engine->running) > 0) {
        sleep_until(engine, next_ns);
        if (clock_now_ns() < next_ns)
            continue; /* All workers have ended. */
        tell(engine, intervals, recorder_collect(engine->run.recorder, PATIENCE_NS, intervals));
        next_ns += interval_ns;
    }
}

static void cancel_unfinished(struct engine *engine)
{
    if (engine->facts.pooling == POOLING_NONE)
        engine->facts.own_server_commits +=
            cancel_by_pid(engine->admin, engine->sessions, engine->session_count);
    else
        cancel_by_request(engine->sessions, engine->session_count);
}

static void note_sessions(struct engine *engine)
{
    struct engine_spread *done = &engine->facts.session_done, *busy = &engine->facts.session_busy_s;
    int count = engine->session_count;

    for (int i = 0; i < count && engine->facts.host_count > 0; i++)
        engine->facts.hosts[engine->sessions[i].host].done += engine->sessions[i].done_count;
    for (int i = 0; i < count; i++) {
        done->mean += (double)engine->sessions[i].done_count / count;
        busy->mean += (double)engine->sessions[i].done_ns / (double)NS_PER_S / count;
    }
    for (int i = 0; i < count; i++) {
        const struct session *session = &engine->sessions[i];
        double done_off = (double)session->done_count - done->mean;
        double busy_off = (double)session->done_ns / (double)NS_PER_S - busy->mean;
        done->deviation += done_off * done_off / count;
        busy->deviation += busy_off * busy_off / count;
    }
    done->deviation = sqrt(done->deviation);
    busy->deviation = sqrt(busy->deviation);
}

static void note_end(struct engine *engine)
{
    struct engine_facts *facts = &engine->facts;
    const struct run *run = &engine->run;
    int64_t now_ns = clock_now_ns(), last_ns = 0;

    for (int i = 0; i < facts->worker_count; i++) {
        engine->uses[i] = engine->workers[i].use;
        facts->sessions_lost += engine->workers[i].io.lost;
        facts->sessions_reopened += engine->workers[i].io.reopened;
        facts->own_server_commits += 2 * engine->workers[i].io.reopened;
        if (engine->workers[i].io.last_due_ns > facts->last_due_ns) {
            facts->last_due_ns = engine->workers[i].io.last_due_ns;
            facts->last_sent_ns = engine->workers[i].io.last_sent_ns;
        }
        if (engine->workers[i].io.last_done_ns > last_ns)
            last_ns = engine->workers[i].io.last_done_ns;
    }
    note_sessions(engine);
    trips_network(engine->sessions, facts->sessions_open, facts);
    for (int i = 0; i < facts->sessions_open; i++) {
        facts->sessions_away += engine->sessions[i].wire == NULL;
        /* Opened again when it was too late to be used. */
        facts->own_server_commits += engine->sessions[i].reopen.wire != NULL ? 2 : 0;
    }
    facts->drained_ns = now_ns;
    facts->measure_begin_ns = run->measure_begin_ns < now_ns ? run->measure_begin_ns : now_ns;
    facts->measure_end_ns = now_ns;
    if (last_ns > 0 && run->end_ns == 0)
        facts->measure_end_ns = last_ns;
    else if (run->end_ns != 0 && run->end_ns < now_ns)
        facts->measure_end_ns = last_ns > run->end_ns ? last_ns : run->end_ns;
    outages_tell(&engine->run.outages,
                 run->end_ns != 0 && run->end_ns < now_ns ? run->end_ns : now_ns, facts);
    facts->stopped_by_error = atomic_load(&run->stopped_by_error);
    snprintf(facts->stop_code, sizeof facts->stop_code, "%s", run->stop_code);
    snprintf(facts->stop_message, sizeof facts->stop_message, "%s", run->stop_message);
}

/* Open loop: what was due and never started is dropped, as of the end of the run. */
static void drop_rest(struct engine *engine)
{
    int64_t cut_ns = clock_now_ns();

    if (engine->run.end_ns != 0 && engine->run.end_ns < cut_ns)
        cut_ns = engine->run.end_ns;
    for (int i = 0; i < engine->facts.worker_count; i++)
        pacer_drop_rest(&engine->workers[i].io, &engine->run, cut_ns);
}

bool engine_run(struct engine *engine, struct error *err)
{
    struct interval rest[PHASE_COUNT];

    if (!start_workers(engine, err))
        return false;
    watch_workers(engine);
    for (int i = 0; i < engine->facts.worker_count; i++)
        pthread_join(engine->workers[i].thread, NULL);
    reopener_free(engine->reopener,
                  atomic_load(&engine->run.stop) == STOP_NO ? REOPEN_GRACE_NS : 0);
    engine->reopener = NULL;
    drop_rest(engine);
    note_end(engine);
    tell(engine, rest, recorder_collect_rest(engine->run.recorder, clock_now_ns(), rest));
    cancel_unfinished(engine);
    close_sessions(engine);
    PQfinish(engine->admin);
    engine->admin = NULL;
    for (int i = 0; i < engine->facts.worker_count; i++)
        if (engine->workers[i].problem[0] != '\0')
            return error_set(err, ERROR_MACHINE, "%s", engine->workers[i].problem);
    return true;
}
