/*
 * pacer.c - see pacer.h.
 *
 * Inputs come from (seed, stream, sequence) alone (design D3). In a closed loop the stream is the
 * session, and the next input is drawn while the server works on the last; in an open loop the
 * arrival's number says all.
 */
#include "engine/pacer.h"

#include <math.h>

#include "base/clock.h"
#include "engine/attempt.h"

#define ARRIVALS_STREAM UINT64_MAX          /* of the inputs of an open loop */
#define REDRAWN_STREAM  (UINT64_C(1) << 40) /* + number: redrawn inputs of terminals */
#define THINKING_SALT   UINT64_C(0x7468696e6b)
#define THINK_CUT       10 /* times the mean (TPC-C clause 5.2.5.4) */

static int pick(const struct run *run, struct draw *draw)
{
    int last = 0;
    double at;

    if (LIKELY(run->transaction_count == 1))
        return 0;
    if (run->workload->pick != NULL)
        return run->workload->pick(run->world, draw);
    at = rng_unit(&draw->rng) * run->weight_total;
    for (int i = 0; i < run->transaction_count && at >= 0; i++) {
        at -= run->weights[i];
        last = run->weights[i] > 0 ? i : last;
    }
    return last;
}

int pacer_pick(const struct run *run, struct draw *draw)
{
    return pick(run, draw);
}

static void draw(struct session *session, struct draw *draw)
{
    const struct run *run = session->run;

    session->next_transaction = pick(run, draw);
    run->workload->transactions[session->next_transaction].draw(session->next_input, run->world,
                                                                draw);
    session->drawn = true;
}

void pacer_draw_ahead(struct session *session)
{
    struct draw next;

    if (session->drawn || session->io->paced)
        return;
    rng_at(&next.rng, session->stream_key, session->sequence);
    next.number = (int64_t)session->sequence * session->run->plan->connections + session->index;
    next.stream = session->index;
    next.streams = session->run->plan->connections;
    next.key = session->stream_key;
    next.sequence = session->sequence++;
    draw(session, &next);
}

/* Where the input of an arrival comes from. */
static struct draw arrival_draw(const struct run *run, int64_t number)
{
    struct draw draw = { .number = number,
                         .streams = 1,
                         .key = rng_stream((uint64_t)run->plan->seed, ARRIVALS_STREAM),
                         .sequence = (uint64_t)number };

    rng_at(&draw.rng, draw.key, draw.sequence);
    return draw;
}

static void draw_number(struct session *session, int64_t number)
{
    struct draw next = arrival_draw(session->run, number);

    session->sequence = (uint64_t)number;
    draw(session, &next);
}

/* The drawn input becomes the present one. */
static void take_drawn(struct session *session)
{
    void *last_input = session->input;

    session->transaction = session->next_transaction;
    session->input = session->next_input;
    session->next_input = last_input;
    session->drawn = false;
}

void pacer_redraw(struct session *session)
{
    struct session_io *io = session->io;
    struct draw next;

    if (io->schedule != NULL) {
        /* As a session in a closed loop goes on to its next input: an id that is taken would be so
         * for ever. */
        draw_number(session, schedule_take_number(io->schedule));
    } else if (io->paced) {
        next = terminals_draw(session->run, session->task.number, session->task.sequence);
        rng_init(&next.rng, (uint64_t)session->run->plan->seed,
                 REDRAWN_STREAM + (uint64_t)next.number, (uint64_t)session->attempts);
        draw(session, &next);
    } else {
        pacer_draw_ahead(session);
    }
    take_drawn(session);
}

/* ---- open loop ---- */

static void drop(struct session_io *io, const struct run *run, const struct arrival *arrival,
                 int64_t now_ns)
{
    struct draw draw = arrival_draw(run, arrival->number);

    lane_transaction(io->lane, &(struct transaction_record){
                                   .transaction = pick(run, &draw),
                                   .phase = arrival->warmup ? PHASE_WARMUP : PHASE_MEASURE,
                                   .outcome = OUTCOME_DROPPED,
                                   .scheduled_ns = arrival->due_ns,
                                   .sent_ns = now_ns,
                                   .done_ns = now_ns,
                               });
}

/* Shares out `count` dropped ones by the transactions' weights. */
static void drop_many(struct session_io *io, const struct run *run, const struct arrival *middle,
                      int64_t count, int64_t now_ns)
{
    double weight = 0;
    int64_t before = 0, upto;

    for (int i = 0; i < run->transaction_count; i++) {
        weight += run->weights[i];
        upto = i == run->transaction_count - 1
                   ? count
                   : llround((double)count * weight / run->weight_total);
        lane_dropped(io->lane, i, middle->warmup ? PHASE_WARMUP : PHASE_MEASURE, upto - before,
                     now_ns - middle->due_ns);
        before = upto;
    }
}

/* What is claimed is dropped, and with it as much of a large backlog before `before_ns` as comes
 * at once. */
static void drop_some(struct session_io *io, const struct run *run, int64_t before_ns,
                      int64_t now_ns)
{
    struct arrival middle;
    int64_t count;

    io->reserved = false;
    drop(io, run, &io->arrival, now_ns);
    count = schedule_claim_bulk(io->schedule, before_ns, &middle);
    if (count > 0)
        drop_many(io, run, &middle, count, now_ns);
}

/* What is due before this is not started any more: what warm-up left undone stays there, and what
 * is late beyond the limit is not worth starting. */
static int64_t hopeless_before_ns(const struct run *run, const struct arrival *arrival,
                                  int64_t now_ns)
{
    int64_t limit_ns = run->plan->latency_limit_ns;

    if (arrival->warmup && now_ns >= run->measure_begin_ns)
        return run->measure_begin_ns;
    return limit_ns > 0 ? now_ns - limit_ns : INT64_MIN;
}

/* Of terminals. What warm-up left undone stays there. */
static bool task_due(struct session_io *io, const struct run *run)
{
    const struct terminal_task *task;

    terminals_advance(io->terminals, io->lane, io->now_ns);
    while ((task = terminals_first(io->terminals)) != NULL &&
           task->due_ns < run->measure_begin_ns && io->now_ns >= run->measure_begin_ns)
        terminals_drop(io->terminals, io->lane, io->now_ns);
    return task != NULL && !run_over(run, io->now_ns);
}

bool pacer_due(struct session_io *io, struct run *run)
{
    int64_t hopeless_ns;

    for (;;) {
        if (atomic_load_explicit(&run->stop, memory_order_relaxed) != STOP_NO ||
            (run->end_ns != 0 && io->now_ns >= run->end_ns))
            return false;
        if (io->terminals != NULL)
            return task_due(io, run);
        if (!io->reserved) {
            if (io->exhausted || !watch_may_claim(&io->watcher, io->now_ns))
                return false;
            io->reserved = schedule_claim(io->schedule, &io->arrival);
            io->exhausted = !io->reserved;
            if (io->reserved)
                watch_claimed(&io->watcher, io->arrival.due_ns);
            continue;
        }
        if (io->arrival.due_ns > io->now_ns)
            return false;
        hopeless_ns = hopeless_before_ns(run, &io->arrival, io->now_ns);
        if (io->arrival.due_ns >= hopeless_ns)
            return true;
        drop_some(io, run, hopeless_ns, io->now_ns);
    }
}

int64_t pacer_next_ns(const struct session_io *io)
{
    if (io->terminals != NULL)
        return terminals_next_ns(io->terminals);
    return io->reserved && io->idle != NULL ? io->arrival.due_ns : INT64_MAX;
}

void pacer_drop_rest(struct session_io *io, struct run *run, int64_t cut_ns)
{
    if (io->terminals != NULL && run->plan->transactions == 0)
        terminals_drop_rest(io->terminals, io->lane, cut_ns);
    if (io->schedule == NULL)
        return;
    do {
        if (io->reserved && io->arrival.due_ns >= cut_ns)
            return;
        if (io->reserved)
            drop_some(io, run, cut_ns, cut_ns);
        io->reserved = !io->exhausted && schedule_claim(io->schedule, &io->arrival);
    } while (io->reserved);
}

static bool is_drawn(const struct session *session, const struct arrival *arrival)
{
    return session->drawn && session->sequence == (uint64_t)arrival->number;
}

void pacer_draw_reserved(struct session_io *io)
{
    if (io->reserved && io->idle != NULL && io->idle->state == SESSION_IDLE &&
        !is_drawn(io->idle, &io->arrival))
        draw_number(io->idle, io->arrival.number);
}

static bool start_arrival(struct session *session)
{
    struct session_io *io = session->io;

    if (!pacer_due(io, session->run))
        return false;
    io->reserved = false;
    if (!is_drawn(session, &io->arrival)) {
        draw_number(session, io->arrival.number);
        io->now_ns = clock_now_ns(); /* Drawing is no part of the service. */
    }
    take_drawn(session);
    session->phase = io->arrival.warmup ? PHASE_WARMUP : PHASE_MEASURE;
    session->scheduled_ns = io->last_due_ns = io->arrival.due_ns;
    session->sent_ns = io->last_sent_ns = io->now_ns;
    return true;
}

/* ---- terminals ---- */

/* In a plan by count it takes one of them. */
static bool claim_task(struct run *run, enum phase phase)
{
    int64_t wanted = run->plan->transactions;

    return wanted == 0 || phase == PHASE_WARMUP ||
           atomic_fetch_add_explicit(&run->claimed, 1, memory_order_relaxed) < wanted;
}

static bool start_task(struct session *session)
{
    struct session_io *io = session->io;
    enum phase phase;
    struct draw next;

    if (!pacer_due(io, session->run))
        return false;
    session->task = *terminals_first(io->terminals);
    phase = run_phase(session->run, session->task.due_ns);
    if (!claim_task(session->run, phase))
        return false;
    terminals_take(io->terminals);
    next = terminals_draw(session->run, session->task.number, session->task.sequence);
    draw(session, &next);
    take_drawn(session);
    io->now_ns = clock_now_ns(); /* Drawing is no part of the service. */
    session->phase = phase;
    session->scheduled_ns = session->task.due_ns;
    session->sent_ns = io->now_ns;
    return true;
}

/* ---- all ---- */

static bool reconnect_due(const struct session *session)
{
    int64_t limit = session->run->plan->reconnect;

    return limit > 0 && session->since_connect >= limit && session->wire != NULL;
}

/* Claimed ahead in steady times that are over for now: an outage. */
static bool start_claimed(struct session *session)
{
    struct session_io *io = session->io;
    const struct run *run = session->run;

    if (io->claimed == 0 || run->plan->transactions == 0 ||
        atomic_load_explicit(&run->stop, memory_order_relaxed) != STOP_NO ||
        (run->end_ns != 0 && io->now_ns >= run->end_ns))
        return false;
    io->claimed--;
    session->phase = PHASE_MEASURE;
    return true;
}

bool pacer_start(struct session *session)
{
    struct session_io *io = session->io;

    /* Nothing can have changed since the worker last looked: the shortest way. */
    if (LIKELY(io->now_ns < io->steady_until_ns && io->claimed > 0)) {
        io->claimed--;
        session->phase = PHASE_MEASURE;
        if (UNLIKELY(!session->drawn))
            pacer_draw_ahead(session);
        take_drawn(session);
        session->scheduled_ns = session->sent_ns = io->now_ns;
        return true;
    }
    if (UNLIKELY(reconnect_due(session)))
        return false;
    if (UNLIKELY(io->paced))
        return io->schedule != NULL ? start_arrival(session) : start_task(session);
    if (UNLIKELY(session->tired) ||
        (!start_claimed(session) && !run_may_start(session->run, io->now_ns, &session->phase)))
        return false;
    /* In steady times this place is reached only when nothing is left of the last claim. */
    if (io->now_ns < io->steady_until_ns)
        io->claimed = run_claim_ahead(session->run);
    pacer_draw_ahead(session);
    take_drawn(session);
    session->scheduled_ns = session->sent_ns = io->now_ns;
    return true;
}

/* Exponential around its mean, cut: from a stream of its own, so that inputs do not depend on it.
 */
static int64_t think_ns(const struct session *session)
{
    double mean = (double)session->run->plan->think_ns, drawn;
    struct rng rng;

    rng_at(&rng, session->stream_key ^ THINKING_SALT, session->sequence);
    drawn = -log1p(-rng_unit(&rng)) * mean;
    return (int64_t)(drawn < THINK_CUT * mean ? drawn : THINK_CUT * mean);
}

/* As the workload has drawn them: thinking about the last transaction, keying in the next. */
static int64_t pause_ns(struct session *session)
{
    const struct run *run = session->run;
    int64_t pause = 0;

    pacer_draw_ahead(session);
    if (session->sequence > 1) /* Else there was none before. */
        pause = run->workload->pause_ns(session->input, run->world, false);
    return pause + run->workload->pause_ns(session->next_input, run->world, true);
}

/* At the end: sessions take turns, so that all are used however many share a worker. The one that
 * rested last would be the fastest, its backend's caches being warm, and few workers would look
 * faster than many. */
static void list_idle(struct session_io *io, struct session *session)
{
    session->listed = true;
    session->next_idle = NULL;
    if (io->idle == NULL)
        io->idle = session;
    else
        io->idle_last->next_idle = session;
    io->idle_last = session;
}

void pacer_rest(struct session *session)
{
    struct session_io *io = session->io;

    if (reconnect_due(session) && !run_over(session->run, io->now_ns)) {
        attempt_reconnect(session);
    } else if (io->paced) {
        if (session->listed)
            return; /* Since before it lost its connection. */
        list_idle(io, session);
    } else if (session->tired && !run_over(session->run, io->now_ns)) {
        session->state = SESSION_THINKING;
        io->thinking++;
        timers_add(&io->timers,
                   io->now_ns + (session->run->pauses ? pause_ns(session) : think_ns(session)),
                   session);
    }
}
