/*
 * attempt.c - the class table, and what is done about a failed attempt. See attempt.h.
 *
 * A failed attempt leaves the connection in one of three states: at a sync point outside of a block
 * (go on), at a sync point in a failed block (ROLLBACK first), or gone. Rolling back is always said
 * after the Sync of what failed, so it can never be skipped with it.
 */
#include "engine/attempt.h"

#include <string.h>

#include "engine/transaction.h"

struct error_class {
    const char *code; /* an SQLSTATE, or the class it begins with, or a kind of our own */
    enum attempt_action action;
};

/* The first row that fits rules. */
static const struct error_class class_table[] = {
    { "40001", ATTEMPT_RETRY },   /* serialization_failure */
    { "40P01", ATTEMPT_RETRY },   /* deadlock_detected */
    { "08", ATTEMPT_REOPEN },     /* connection exceptions */
    { "57P", ATTEMPT_REOPEN },    /* shutdown, crash, cannot connect now */
    { "net:", ATTEMPT_REOPEN },   /* the kernel says the connection is gone */
    { "tls", ATTEMPT_REOPEN },    /* so does OpenSSL */
    { "protocol", ATTEMPT_STOP }, /* not a PostgreSQL any more */
    { "55P03", ATTEMPT_COUNT },   /* lock_not_available */
    { "57014", ATTEMPT_COUNT },   /* query_canceled: statement_timeout */
    { "23505", ATTEMPT_COUNT },   /* unique_violation */
    { "", ATTEMPT_STOP },         /* anything else is not a matter of load */
};

enum attempt_action attempt_decide(const struct plan *plan, const char *code, int attempts)
{
    const struct error_class *row = class_table;

    while (strncmp(code, row->code, strlen(row->code)) != 0)
        row++;
    if (row->action == ATTEMPT_REOPEN)
        return plan->on_error == ON_ERROR_STOP ? ATTEMPT_STOP : ATTEMPT_REOPEN;
    if (row->action == ATTEMPT_RETRY && attempts <= plan->retries)
        return ATTEMPT_RETRY;
    if (plan->on_error == ON_ERROR_STOP)
        return ATTEMPT_STOP;
    if (row->action == ATTEMPT_STOP && plan->on_error != ON_ERROR_CONTINUE)
        return ATTEMPT_STOP;
    return ATTEMPT_COUNT;
}

/* Statements whose Parse was skipped or never answered may not be on the server. */
static void forget_unparsed(struct session *session)
{
    int slot;

    if (session->prepared == NULL)
        return;
    for (int i = session->fresh_seen; i < session->fresh_said; i++) {
        slot = session->fresh_slots[i & (TXN_REPLIES_MAX - 1)];
        prepared_drop(session->prepared, slot);
    }
}

static void drop_coroutine(struct session *session)
{
    if (session->coroutine == NULL)
        return;
    coroutine_drop(session->coroutine);
    coroutine_give(&session->io->pool, session->coroutine);
    session->coroutine = NULL;
}

static void count_error(struct session *session)
{
    lane_error(session->io->lane, session->phase, session->error_code, session->error_shape,
               session->error_text);
}

static void settle(struct session *session)
{
    switch (attempt_decide(session->run->plan, session->error_code, session->attempts)) {
    case ATTEMPT_RETRY:
        session->attempts++;
        transaction_again(session);
        return;
    case ATTEMPT_STOP:
        run_stop_by_error(session->run, session->error_code, session->error_text);
        break;
    default:
        break;
    }
    transaction_over(session, OUTCOME_FAILED);
    transaction_next(session);
}

void attempt_failed(struct session *session)
{
    if (session->state == SESSION_ROLLING) {
        settle(session);
        return;
    }
    drop_coroutine(session);
    forget_unparsed(session);
    count_error(session);
    if (session->status == 'I') {
        settle(session);
        return;
    }
    session->state = SESSION_ROLLING;
    session->said_count = session->answered_count = 0;
    session->txn.rolled_back = true;
    session->txn.in_block = false;
    session_say(session, session->run->statement_count + BUILT_IN_ROLLBACK, 1, NULL, 0);
    if (!session_flush(session))
        attempt_lost(session);
}

/* Whether the server may have committed what it never confirmed. A server that refused the
 * statement itself has not; silence during a COMMIT, or during a statement that commits by itself,
 * tells nothing. */
static bool may_have_committed(const struct session *session)
{
    if (session->txn.rolled_back)
        return false;
    if (session->txn.in_block)
        return session->txn.ending;
    return session->completed_unsynced || (!session->failed && !session_at_sync(session));
}

void attempt_lost(struct session *session)
{
    enum outcome outcome = may_have_committed(session) ? OUTCOME_UNKNOWN : OUTCOME_FAILED;

    session->io->lost++;
    session->io->out.length = 0;
    drop_coroutine(session);
    if (session->state != SESSION_IDLE) {
        if (session->state != SESSION_ROLLING)
            count_error(session);
        transaction_over(session, outcome);
    }
    if (attempt_decide(session->run->plan, session->error_code, session->attempts) == ATTEMPT_STOP)
        run_stop_by_error(session->run, session->error_code, session->error_text);
    session->state = SESSION_LOST;
    wire_close(session->wire);
    session->wire = NULL;
}

void attempt_abandon(struct session *session)
{
    drop_coroutine(session);
    transaction_over(session, OUTCOME_UNFINISHED);
    session->state = SESSION_LOST;
}
