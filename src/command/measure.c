/*
 * measure.c - see measure.h. The order matters: nothing is written before all sessions are open,
 * and from then on there is always a result, whatever happens (design D10).
 */
#include "command/measure.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "command/blocks.h"
#include "command/books.h"
#include "command/client.h"
#include "command/compat.h"
#include "command/describe.h"
#include "command/evidence.h"
#include "command/ledgers.h"
#include "command/misses.h"
#include "command/outages.h"
#include "command/parts.h"
#include "command/plans.h"
#include "command/rate.h"
#include "command/rules.h"
#include "command/signals.h"
#include "command/trips.h"
#include "command/vacuum.h"
#include "command/verify.h"
#include "command/watch.h"
#include "engine/engine.h"
#include "report/report.h"
#include "store/store.h"
#include "wire/conninfo.h"

#define SHORT_PART 10 /* an interval shorter than a tenth is written but not printed */

struct job {
    struct measure *measure;
    const struct plan *plan;
    struct engine *engine;
    struct collect *collect; /* NULL: no server */
    struct store *store;
    struct collect_self self;
    struct report_style style;
    char *application_name;
    struct report_sysbench sysbench;
    int stalled_intervals; /* measured ones that a worker did not report in time */
    json_t *target, *before, *after, *books, *client, *host, *rate, *outages, *notes;
    struct books open_books;
    struct blocks open_blocks;
    json_t *ledgers, *check, *watched, *plans, *blocks, *vacuum, *network, *trips;
    struct collect_watch *watch;
    struct rules_told told;
};

/* ---- while it runs ---- */

static void on_connect(void *context, int open, int wanted)
{
    struct job *job = context;

    if (!job->plan->quiet && job->style.columns > 0) {
        printf("\rconnecting: %d of %d%s", open, wanted, open == wanted ? "\n" : "");
        fflush(stdout);
    }
}

static void on_clock(void *context, int64_t begin_ns, int64_t end_ns)
{
    struct job *job = context;

    collect_watch_clock(job->watch, engine_facts(job->engine)->start_ns, begin_ns, end_ns);
}

static void on_over(void *context)
{
    collect_watch_over(((struct job *)context)->watch);
}

static void print_interval(const struct job *job, const struct interval *interval)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    struct report_sysbench sysbench = job->sysbench;

    sysbench.begin_ns = facts->start_ns + job->plan->warmup_ns;
    sysbench.connections = job->plan->connections;
    if (job->measure->format == MEASURE_SYSBENCH)
        report_sysbench_interval(stdout, interval, &job->plan->percentiles, &sysbench);
    else
        report_interval(stdout, &job->style, interval, &job->plan->percentiles, facts->start_ns);
}

static void on_interval(void *context, const struct interval *intervals, int count)
{
    struct job *job = context;
    int64_t start_ns = engine_facts(job->engine)->start_ns;
    int64_t measure_begin_ns = start_ns + job->plan->warmup_ns;
    struct interval parts[PHASE_COUNT];
    int shown = parts_cut(intervals, count, measure_begin_ns, parts);
    json_t *client = collect_self_second(&job->self);

    blocks_window(&job->open_blocks, start_ns, measure_begin_ns);
    store_intervals(job->store, recorder_layout(engine_recorder(job->engine)), intervals, count,
                    start_ns);
    for (int i = 0; i < count; i++) {
        json_t *line = store_interval_json(&parts[i], &job->plan->percentiles, start_ns);
        json_object_set(line, "client", client);
        collect_watch_second(job->watch, line);
        store_series(job->store, line);
        job->stalled_intervals += parts[i].phase == PHASE_MEASURE && parts[i].stalled_lanes > 0;
    }
    /* One line an interval: what little there was of the other phase is not told apart. */
    if (!job->plan->quiet && count > 0 &&
        intervals[shown].end_ns - intervals[shown].begin_ns > job->plan->interval_ns / SHORT_PART)
        print_interval(job, &parts[shown]);
    json_decref(client);
    fflush(stdout);
}

/* ---- before and after ---- */

/* Notes from number `said` on. */
static void log_notes(struct job *job, size_t said)
{
    for (; said < json_array_size(job->notes); said++)
        store_log(job->store, json_string_value(json_array_get(job->notes, said)));
}

static void note(struct job *job, const char *words)
{
    json_array_append_new(job->notes, json_string(words));
    store_log(job->store, words);
}

static void say_wait(void)
{
    puts("waiting for the server's statistics");
    fflush(stdout);
}

static bool open_server(struct job *job, struct error *err)
{
    const char *conninfo = job->measure->conninfo;

    if (!job->measure->call->workload->needs_server)
        return true;
    if (!conninfo_check_encryption(conninfo, err))
        return false;
    job->application_name = books_session_name(conninfo);
    job->collect = collect_open(conninfo, job->plan->connect_timeout_ns, err);
    if (job->collect == NULL)
        return false;
    signals_watch(job->collect);
    if (!job->plan->quiet && job->measure->format == MEASURE_TEXT)
        collect_on_wait(job->collect, say_wait);
    job->target = collect_target(job->collect);
    job->before = collect_snapshot(job->collect);
    return !collect_is_silent(job->collect) ||
           error_set(err, ERROR_SERVER, "the server has stopped answering");
}

static void close_books(struct job *job)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    size_t said = json_array_size(job->notes);

    job->books =
        books_end(&job->open_books, facts,
                  recorder_server_commits(engine_recorder(job->engine)) + facts->own_server_commits,
                  job->application_name, job->notes);
    log_notes(job, said);
    if (job->collect != NULL && !collect_is_hurried(job->collect))
        job->after = collect_snapshot(job->collect);
}

/* After the sessions are gone, when it can be told that they are. */
static void close_counts(struct job *job)
{
    const struct command_call *call = job->measure->call;
    const struct engine_facts *facts = engine_facts(job->engine);
    bool trusted = job->collect != NULL && !collect_is_hurried(job->collect) &&
                   facts->pooling == POOLING_NONE && facts->host_count <= 1;
    size_t said = json_array_size(job->notes);

    ledgers_end(
        job->ledgers,
        &(struct ledgers_asked){ trusted ? job->collect : NULL, call->workload, call->world },
        engine_recorder(job->engine), job->notes);
    job->blocks = blocks_end(
        &job->open_blocks,
        &(struct blocks_asked){ call, engine_recorder(job->engine), facts, job->target, job->before,
                                json_object_get(job->watched, "machine"), job->notes });
    log_notes(job, said);
}

/* What the rules of the benchmark make of it. */
static void apply_rules(struct job *job)
{
    const struct engine_facts *facts = engine_facts(job->engine);

    rules_tell(&job->told, &(struct rules_facts){
                               .workload = job->measure->call->workload,
                               .world = job->measure->call->world,
                               .plan = job->plan,
                               .recorder = engine_recorder(job->engine),
                               .measured_ns = facts->measure_end_ns - facts->measure_begin_ns,
                               .figures = job->blocks != NULL ? job->blocks : job->trips,
                           });
}

/* Of an open loop; a note says what became of the backlog. */
static struct rate_verdict judge_rate(struct job *job)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    const struct phase_totals *totals =
        recorder_totals(engine_recorder(job->engine), PHASE_MEASURE);
    const struct counts *counts = &totals->all;
    struct rate_verdict verdict = rate_judge(&(struct rate_facts){
        .scheduled = counts->scheduled,
        .undone = counts->outcome[OUTCOME_DROPPED] + counts->outcome[OUTCOME_UNFINISHED],
        .by_count = job->plan->transactions > 0,
        .due_ns = facts->last_due_ns - facts->measure_begin_ns,
        .sent_ns = facts->last_sent_ns - facts->measure_begin_ns,
        .oldest_ns = rate_oldest_undone_ns(engine_recorder(job->engine)),
        .latency_limited = job->plan->latency_limit_ns > 0,
    });

    if (!plan_open_loop(job->plan))
        return verdict;
    job->rate = rate_json(job->plan, &verdict);
    if (!verdict.kept)
        note(job, "what waited for a session was kept as a place in the schedule, in no memory; "
                  "what was never started is counted as dropped");
    return verdict;
}

/* Where several fit: interrupted, server, check, rate. */
static enum error_kind judge(struct job *job, const char **ended, struct error *err)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    const struct phase_totals *totals =
        recorder_totals(engine_recorder(job->engine), PHASE_MEASURE);
    int64_t committed = totals->all.outcome[OUTCOME_COMMITTED];
    struct rate_verdict rate = judge_rate(job);

    *ended = "finished";
    err->kind = ERROR_NONE;
    if (facts->interrupted) {
        *ended = "interrupted";
        error_set(err, ERROR_INTERRUPTED, "interrupted; what was measured is written");
    } else if (facts->stopped_by_error) {
        *ended = "stopped";
        error_set(err, ERROR_SERVER, "stopped by an error: %s (%s); --on-error continue goes on",
                  facts->stop_message, facts->stop_code);
    } else if (committed == 0) {
        error_set(err, ERROR_SERVER, "nothing was committed");
    } else if (facts->outage_open && facts->sessions_away == facts->sessions_open) {
        error_set(err, ERROR_SERVER,
                  "the server was lost: none of %d connections was open at the end",
                  facts->sessions_open);
    } else if (verify_failed(job->check)) {
        error_set(err, ERROR_CHECK, "the data are not consistent after the run");
    } else if (plan_open_loop(job->plan) && !rate.kept) {
        error_set(err, ERROR_RATE, "overloaded: achieved %.1f %% of the rate", 100 * rate.share);
    }
    return err->kind;
}

static void fill_run(const struct job *job, struct store_run *run)
{
    const struct command_call *call = job->measure->call;
    const struct engine_facts *facts = engine_facts(job->engine);

    *run = (struct store_run){
        .store = job->store,
        .workload = call->workload->name,
        .family = call->workload->family,
        .groups = call->groups,
        .group_count = call->group_count,
        .args = &call->args,
        .recorder = engine_recorder(job->engine),
        .start_ns = facts->start_ns,
        .start_wall_ns = facts->start_wall_ns,
        .measure_begin_ns = facts->measure_begin_ns,
        .measure_end_ns = facts->measure_end_ns,
        .drained_ns = facts->drained_ns,
        .connect_begin_ns = facts->connect_begin_ns,
        .connect_end_ns = facts->connect_end_ns,
        .percentiles = &call->plan.percentiles,
        .target = job->target,
        .before = job->before,
        .after = job->after,
        .books = job->books,
        .client = job->client,
        .host = job->host,
        .watched = job->watched,
        .rate = job->rate,
        .check = job->check,
        .vacuum = job->vacuum,
        .headlines = job->told.headlines,
        .tallies = job->told.tallies,
        .rates = job->told.rates,
        .terminals = job->told.terminals,
        .blocks = job->blocks,
        .network = job->network,
        .round_trips = job->trips,
        .ledgers = job->ledgers,
        .plans = job->plans,
        .outages = job->outages,
        .outages_unlisted = facts->outages_unlisted,
        .notes = job->notes,
    };
}

/* What the run did not touch, and whose defects it took over. */
static void note_work(struct job *job)
{
    const struct command_call *call = job->measure->call;
    const struct phase_totals *totals =
        recorder_totals(engine_recorder(job->engine), PHASE_MEASURE);

    if (engine_facts(job->engine)->pooling != POOLING_NONE)
        note(job, "there was a pooler: its connections were loaded, not the server's; not done "
                  "because of it: books against the server, plans, counting its sessions and "
                  "room; what was left unfinished was cancelled by cancel requests, not by pid");
    compat_note_isolation(job->notes, call, recorder_layout(engine_recorder(job->engine)), totals);
    misses_note(job->notes, call->workload, totals, call->plan.connections);
    compat_note(job->notes, call, job->sysbench.events, totals->all.outcome[OUTCOME_COMMITTED]);
}

static void verify(struct job *job)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    const struct counts *counts =
        &recorder_totals(engine_recorder(job->engine), PHASE_MEASURE)->all;

    signals_checking(true);
    job->check = verify_data(job->measure->call, job->measure->conninfo,
                             !facts->interrupted && !facts->stopped_by_error &&
                                 counts->outcome[OUTCOME_COMMITTED] > 0);
    signals_checking(false);
    job->vacuum = vacuum_after(job->measure, job->store, facts->interrupted);
}

/* Everything that is known becomes a result, on disk and on the screen. */
static enum error_kind finish(struct job *job, struct error *err)
{
    const struct engine_facts *facts = engine_facts(job->engine);
    struct store_run run;
    const char *ended;
    struct error wrote = { .kind = ERROR_NONE };
    enum error_kind kind;
    json_t *result;

    job->watched = watch_end(job->watch, job->collect, job->engine, job->notes);
    close_books(job);
    close_counts(job);
    job->network = trips_network_json(facts);
    job->trips = trips_json(facts, job->store);
    apply_rules(job);
    describe_target(job->target, facts, job->measure->local);
    job->host = collect_host();
    job->client = client_json(engine_worker_uses(job->engine), facts, job->stalled_intervals,
                              client_shared_cpus(job->target, job->host));
    note_work(job);
    verify(job);
    job->outages = outages_json(facts);
    kind = judge(job, &ended, err);
    fill_run(job, &run);
    run.ended = ended;
    run.exit_code = (int)kind;
    if (kind != ERROR_NONE)
        store_log(job->store, err->text);
    result = store_result(&run);
    if (job->collect != NULL)
        json_object_set_new(result, "verdict", evidence_verdict(result));
    report_sysbench_keep(result, engine_recorder(job->engine));
    job->measure->path = memory_text(store_path(job->store));
    if (!store_finish(job->store, &run, result, &wrote) && kind == ERROR_NONE) {
        *err = wrote;
        kind = wrote.kind;
    }
    job->store = NULL;
    describe_result(&job->style, result, job->measure->path,
                    job->measure->format == MEASURE_SYSBENCH);
    json_decref(result);
    return kind;
}

/* ---- the run ---- */

static void say_start(const struct job *job)
{
    const struct plan *plan = job->plan;
    char words[256], how[64] = ""; /* how a server is spoken to */

    if (job->collect != NULL)
        snprintf(how, sizeof how, ", %s protocol, pipeline %s",
                 protocol_name(engine_facts(job->engine)->protocol), plan->pipeline ? "on" : "off");
    snprintf(words, sizeof words, "%s: %lld connection%s, workers %d%s, seed %lld",
             job->measure->call->workload->name, (long long)plan->connections,
             plan->connections == 1 ? "" : "s", engine_facts(job->engine)->worker_count, how,
             (long long)plan->seed);
    store_log(job->store, words);
    if (!plan->quiet && job->measure->format == MEASURE_SYSBENCH)
        report_sysbench_begin(stdout, plan->connections);
    else if (!plan->quiet)
        puts(words);
    fflush(stdout);
}

static enum error_kind run_job(struct job *job, struct error *err)
{
    const struct command_call *call = job->measure->call;

    if (!engine_preflight(job->engine, err))
        return err->kind;
    books_begin(&job->open_books, job->collect);
    job->ledgers =
        ledgers_begin(&(struct ledgers_asked){ job->collect, call->workload, call->world });
    blocks_begin(&job->open_blocks, job->collect, call->workload, call->world);
    job->watch = collect_watch_start(job->collect, job->before);
    if (!engine_connect(job->engine, err))
        return err->kind;
    collect_watch_server(job->watch, job->collect, job->application_name, job->plan->collect_rate,
                         job->plan->warmup_ns == 0);
    job->plans = plans_ask(job->collect, job->engine);
    if (plans_expected(job->plans, call->workload, call->world, err))
        job->store = store_begin(job->plan->results, call->workload->name, job->plan->label,
                                 clock_wall_ns(), err);
    if (job->store == NULL)
        return err->kind;
    signals_keep(job->engine, job->collect);
    say_start(job);
    json_decref(collect_self_second(&job->self));
    if (!engine_run(job->engine, err)) {
        note(job, err->text);
        store_abandon(job->store);
        return err->kind;
    }
    return finish(job, err);
}

static void release(struct job *job)
{
    json_t *const owned[] = { job->target,  job->before,  job->after,   job->books,  job->client,
                              job->host,    job->rate,    job->outages, job->notes,  job->ledgers,
                              job->check,   job->watched, job->plans,   job->blocks, job->vacuum,
                              job->network, job->trips };

    collect_watch_free(job->watch);
    collect_close(job->collect);
    engine_free(job->engine);
    for (int i = 0; i < COUNT_OF(owned); i++)
        json_decref(owned[i]);
    rules_release(&job->told);
    blocks_close(&job->open_blocks);
    memory_free(job->application_name);
}

enum error_kind measure_run(struct measure *measure, struct error *err)
{
    struct command_call *call = measure->call;
    struct job job = { .measure = measure,
                       .plan = &call->plan,
                       .style = report_style_of(stdout),
                       .notes = json_array() };
    struct signals signals;
    enum error_kind kind = ERROR_NONE;

    err->kind = ERROR_NONE;
    signals_catch(&signals);
    job.sysbench = compat_sysbench(call);
    compat_settle(call);
    if (call->plan.seed < 0)
        call->plan.seed = (int64_t)rng_fresh_seed();
    if (open_server(&job, err)) {
        job.engine = engine_new(&(struct engine_setup){
            .plan = &call->plan,
            .workload = call->workload,
            .world = call->world,
            .conninfo = measure->conninfo,
            .on_interval = on_interval,
            .on_connect = on_connect,
            .on_clock = on_clock,
            .on_over = on_over,
            .context = &job,
        });
        kind = run_job(&job, err);
    } else {
        kind = err->kind;
    }
    signals_release(&signals);
    release(&job);
    return kind;
}
