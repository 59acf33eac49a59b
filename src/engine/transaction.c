/*
 * transaction.c - see transaction.h.
 *
 * The input is drawn before the clock starts, from (seed, stream, sequence) alone (design D3). In a
 * closed loop a transaction is scheduled when the last one is over, so scheduled = sent.
 */
#include "engine/transaction.h"

#include <assert.h>

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

static void draw(struct session *session)
{
    const struct run *run = session->run;
    const struct transaction *transaction;
    struct rng rng;

    rng_init(&rng, (uint64_t)run->plan->seed, (uint64_t)session->index, session->sequence++);
    session->transaction = pick(run, &rng);
    transaction = &run->workload->transactions[session->transaction];
    transaction->draw(session->input, run->world, &rng);
}

/* The coroutine's body: the workload's transaction, and then all of its answers. */
static void carry(void *arg)
{
    struct session *session = arg;
    const struct run *run = session->run;

    run->workload->transactions[session->transaction].run(&session->txn, session->input,
                                                          run->world);
    assert(!session->txn.in_block && "a transaction must commit or roll back what it began");
    if (session->wire != NULL && !session_at_sync(session)) {
        session_sync(session);
        session->await_sync = true;
        while (!session_can_go_on(session))
            coroutine_wait(session->coroutine);
    }
}

/* False: this machine has no stack for it; the run stops and the transaction is unfinished. */
static bool start_attempt(struct session *session)
{
    session_start_attempt(session);
    session->state = SESSION_RUNNING;
    session->coroutine = coroutine_take(&session->io->pool, carry, session);
    if (LIKELY(session->coroutine != NULL))
        return true;
    run_stop_by_error(session->run, "machine", "no memory for another transaction in flight");
    transaction_over(session, OUTCOME_UNFINISHED);
    return false;
}

/* False: the run allows no more, the session is idle. */
static bool begin(struct session *session)
{
    struct session_io *io = session->io;

    draw(session);
    io->now_ns = clock_now_ns();
    if (!run_may_start(session->run, io->now_ns, &session->phase)) {
        session->sequence--;
        return false;
    }
    session->scheduled_ns = session->sent_ns = io->now_ns;
    session->attempts = 1;
    io->in_flight++;
    return start_attempt(session);
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
    session->state = SESSION_IDLE;
    io->in_flight--;
}

void transaction_go_on(struct session *session)
{
    for (int turn = 0; turn < TRANSACTION_TURNS_MAX; turn++) {
        if (coroutine_resume(session->coroutine)) {
            if (UNLIKELY(!session_flush(session)))
                attempt_lost(session);
            return;
        }
        coroutine_give(&session->io->pool, session->coroutine);
        session->coroutine = NULL;
        if (session->wire == NULL)
            session->io->now_ns = clock_now_ns();
        transaction_over(session,
                         session->txn.rolled_back ? OUTCOME_ROLLED_BACK : OUTCOME_COMMITTED);
        if (!begin(session))
            return;
    }
}

void transaction_next(struct session *session)
{
    if (begin(session))
        transaction_go_on(session);
}

void transaction_again(struct session *session)
{
    if (start_attempt(session))
        transaction_go_on(session);
}
