/*
 * transaction.c - see transaction.h.
 *
 * A session's coroutine carries transactions one after the other; it ends when the run allows no
 * more or when the attempt is dropped. The next input is drawn while the server works on the last,
 * from (seed, stream, sequence) alone (design D3), so drawing is in nobody's latency. In a closed
 * loop a transaction is scheduled when the last one is over, so scheduled = sent.
 */
#include "engine/transaction.h"

#include "base/clock.h"
#include "engine/attempt.h"

static int pick(const struct run *run, struct rng *rng)
{
    double at;

    if (run->transaction_count == 1)
        return 0;
    at = rng_unit(rng) * run->weight_total;
    for (int i = 0; i < run->transaction_count - 1; i++) {
        at -= run->workload->transactions[i].weight;
        if (at < 0)
            return i;
    }
    return run->transaction_count - 1;
}

static void draw_ahead(struct session *session)
{
    const struct run *run = session->run;
    struct draw draw;

    rng_at(&draw.rng, session->stream_key, session->sequence);
    draw.number = (int64_t)session->sequence * run->plan->connections + session->index;
    draw.stream = session->index;
    draw.streams = run->plan->connections;
    session->sequence++;
    session->next_transaction = pick(run, &draw.rng);
    run->workload->transactions[session->next_transaction].draw(session->next_input, run->world,
                                                                &draw);
    session->drawn = true;
}

void transaction_redraw(struct session *session)
{
    void *last_input = session->input;

    if (!session->drawn)
        draw_ahead(session);
    session->transaction = session->next_transaction;
    session->input = session->next_input;
    session->next_input = last_input;
    session->drawn = false;
}

static bool reconnect_due(const struct session *session)
{
    int64_t limit = session->run->plan->reconnect;

    return limit > 0 && session->since_connect >= limit && session->wire != NULL;
}

/* False: the run allows no more, or a new connection comes first; the session stays idle. */
static bool begin(struct session *session)
{
    struct session_io *io = session->io;

    if (UNLIKELY(reconnect_due(session)) ||
        !run_may_start(session->run, io->now_ns, &session->phase))
        return false;
    transaction_redraw(session);
    session->scheduled_ns = session->sent_ns = io->now_ns;
    session->attempts = 1;
    session->state = SESSION_RUNNING;
    io->in_flight++;
    session_start_attempt(session);
    return true;
}

void transaction_over(struct session *session, enum outcome outcome)
{
    struct session_io *io = session->io;

    lane_transaction(io->lane, &(struct transaction_record){
                                   .transaction = session->transaction,
                                   .phase = session->phase,
                                   .outcome = outcome,
                                   .attempts = session->attempts,
                                   .scheduled_ns = session->scheduled_ns,
                                   .sent_ns = session->sent_ns,
                                   .done_ns = io->now_ns,
                               });
    if (session->phase == PHASE_MEASURE && outcome != OUTCOME_UNFINISHED)
        io->last_done_ns = io->now_ns;
    if (session->phase == PHASE_MEASURE && outcome == OUTCOME_COMMITTED) {
        session->done_count++;
        session->done_ns += io->now_ns - session->sent_ns;
    }
    session->state = SESSION_IDLE;
    session->since_connect++;
    io->in_flight--;
}

/* All answers of the transaction, up to a sync point: only then is it committed. */
static void await_all(struct session *session)
{
    HOT_ASSERT(!session->txn.in_block && "a transaction must commit or roll back what it began");
    if (session_at_sync(session))
        return;
    session_sync(session);
    session->await_sync = true;
    while (!session_can_go_on(session))
        coroutine_wait(session->coroutine);
}

/* The coroutine's body. */
static void carry(void *arg)
{
    struct session *session = arg;
    const struct run *run = session->run;
    int turns = 0;

    do {
        run->workload->transactions[session->transaction].run(&session->txn, session->input,
                                                              run->world);
        if (LIKELY(session->wire != NULL))
            await_all(session);
        else
            session->io->now_ns = clock_now_ns();
        transaction_over(session,
                         session->txn.rolled_back ? OUTCOME_ROLLED_BACK : OUTCOME_COMMITTED);
        if (!begin(session))
            return;
        if (UNLIKELY(session->wire == NULL) && ++turns % TRANSACTION_TURNS_MAX == 0)
            coroutine_wait(session->coroutine);
    } while (true);
}

void transaction_go_on(struct session *session)
{
    if (!coroutine_resume(session->coroutine)) {
        coroutine_give(&session->io->pool, session->coroutine);
        session->coroutine = NULL;
        if (reconnect_due(session))
            attempt_reconnect(session);
        return;
    }
    if (UNLIKELY(!session_flush(session)))
        attempt_lost(session);
    else if (!session->drawn)
        draw_ahead(session);
}

static void take_off(struct session *session)
{
    session->coroutine = coroutine_take(&session->io->pool, carry, session);
    if (LIKELY(session->coroutine != NULL)) {
        transaction_go_on(session);
        return;
    }
    run_stop_by_error(session->run, "machine", "no memory for another transaction in flight");
    transaction_over(session, OUTCOME_UNFINISHED);
}

void transaction_next(struct session *session)
{
    if (begin(session))
        take_off(session);
    else if (reconnect_due(session))
        attempt_reconnect(session);
}

void transaction_again(struct session *session)
{
    session->state = SESSION_RUNNING;
    session_start_attempt(session);
    take_off(session);
}
