/*
 * transaction.c - see transaction.h.
 *
 * A session's coroutine carries transactions one after the other; it ends when the pacer has none
 * for it or when the attempt is dropped.
 */
#include "engine/transaction.h"

#include "base/clock.h"
#include "engine/attempt.h"
#include "engine/pacer.h"
#include "engine/trips.h"

/* False: not now; the session is idle. */
static bool begin(struct session *session)
{
    if (!pacer_start(session))
        return false;
    session->attempts = 1;
    session->tired = session->run->rests;
    session->state = SESSION_RUNNING;
    session->io->in_flight++;
    session_start_attempt(session);
    return true;
}

static inline void settle_session(struct session *session)
{
    session->state = SESSION_IDLE;
    session->since_connect++;
    session->io->in_flight--;
}

static void count_tallies(const struct session *session)
{
    for (int i = 0; i < session->run->tally_count; i++)
        if (session->tallies[i] != 0)
            lane_tally(session->io->lane, i, session->tallies[i]);
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
    if (session->txn.tallied && session->phase == PHASE_MEASURE && outcome <= OUTCOME_ROLLED_BACK)
        count_tallies(session);
    if (session->trips != NULL && session->phase == PHASE_MEASURE && outcome <= OUTCOME_ROLLED_BACK)
        trips_keep(session);
    if (session->phase == PHASE_MEASURE && outcome == OUTCOME_COMMITTED) {
        session->done_count++;
        session->done_ns += io->now_ns - session->sent_ns;
    }
    if (UNLIKELY(outages_open(&session->run->outages)) && outcome <= OUTCOME_ROLLED_BACK)
        outages_good(&session->run->outages, io->now_ns);
    settle_session(session);
    if (UNLIKELY(io->terminals != NULL))
        terminals_done(io->terminals, &session->task, io->now_ns);
}

/* What nearly all transactions of a closed loop come to, by the shortest way. */
static inline bool over_at_once(struct session *session)
{
    struct session_io *io = session->io;
    int64_t took_ns = io->now_ns - session->sent_ns;

    if (UNLIKELY(session->attempts != 1 || session->txn.rolled_back || session->txn.tallied ||
                 io->steady_until_ns == 0 || session->phase != PHASE_MEASURE))
        return false;
    lane_committed(io->lane, session->transaction, PHASE_MEASURE, took_ns);
    io->last_done_ns = io->now_ns;
    session->done_count++;
    session->done_ns += took_ns;
    settle_session(session);
    return true;
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
        if (!over_at_once(session))
            transaction_over(session,
                             session->txn.rolled_back ? OUTCOME_ROLLED_BACK : OUTCOME_COMMITTED);
        if (!begin(session))
            return;
        if (UNLIKELY(session->wire == NULL) && ++turns % TRANSACTION_TURNS_MAX == 0)
            coroutine_wait(session->coroutine);
    } while (true);
}

/* The coroutine had its turn: it waits again, or its body has returned. */
static inline void end_turn(struct session *session, bool waits)
{
    if (!waits) {
        coroutine_give(&session->io->pool, session->coroutine);
        session->coroutine = NULL;
        pacer_rest(session);
        return;
    }
    if (UNLIKELY(!session_flush(session)))
        attempt_lost(session);
    else
        pacer_draw_ahead(session);
}

void transaction_go_on(struct session *session)
{
    end_turn(session, coroutine_resume(session->coroutine));
}

static void take_off(struct session *session)
{
    session->coroutine = coroutine_take(&session->io->pool, carry, session);
    if (LIKELY(session->coroutine != NULL)) {
        end_turn(session, coroutine_start(session->coroutine));
        return;
    }
    run_stop_by_error(
        session->run, "machine",
        "no memory for another transaction in flight: see ulimit -v, the limit of the "
        "cgroup and vm.max_map_count, or use fewer connections");
    transaction_over(session, OUTCOME_UNFINISHED);
}

void transaction_next(struct session *session)
{
    if (begin(session))
        take_off(session);
    else
        pacer_rest(session);
}

void transaction_again(struct session *session)
{
    session->state = SESSION_RUNNING;
    session_start_attempt(session);
    take_off(session);
}
