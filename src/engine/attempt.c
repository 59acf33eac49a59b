/*
 * attempt.c - the class table, and what is done about a failed attempt. See attempt.h.
 *
 * A failed attempt leaves the connection in one of three states: at a sync point outside of a block
 * (go on), at a sync point in a failed block (ROLLBACK first), or gone. Rolling back is always said
 * after the Sync of what failed, so it can never be skipped with it.
 */
#include "engine/attempt.h"

#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "engine/pacer.h"
#include "engine/transaction.h"

struct error_class {
    const char *code; /* an SQLSTATE, or the class it begins with, or a kind of our own */
    enum attempt_action action;
    bool away; /* the server is not there: the times of such errors are told as outages */
};

/* The first row that fits rules. */
static const struct error_class class_table[] = {
    { "40001", ATTEMPT_RETRY, false },   /* serialization_failure */
    { "40P01", ATTEMPT_RETRY, false },   /* deadlock_detected */
    { "08", ATTEMPT_REOPEN, true },      /* connection exceptions */
    { "57P05", ATTEMPT_REOPEN, false },  /* idle_session_timeout */
    { "57P", ATTEMPT_REOPEN, true },     /* shutdown, crash, cannot connect now */
    { "25P03", ATTEMPT_REOPEN, false },  /* idle_in_transaction_session_timeout */
    { "25P04", ATTEMPT_REOPEN, false },  /* transaction_timeout: they all end the session */
    { "53300", ATTEMPT_REOPEN, false },  /* too_many_connections: for this moment */
    { "net:", ATTEMPT_REOPEN, true },    /* the kernel says the connection is gone */
    { "tls", ATTEMPT_REOPEN, true },     /* so does OpenSSL */
    { "connect", ATTEMPT_REOPEN, true }, /* nobody listens, or answers */
    { "protocol", ATTEMPT_STOP, false }, /* not a PostgreSQL any more */
    { "55P03", ATTEMPT_COUNT, false },   /* lock_not_available */
    { "57014", ATTEMPT_COUNT, false },   /* query_canceled: statement_timeout */
    { "2D000", ATTEMPT_COUNT, false },   /* a handler's ROLLBACK hides a deadlock in a function */
    { "23505", ATTEMPT_COUNT, false },   /* unique_violation; or retried, see attempt_decide() */
    { "", ATTEMPT_STOP, false },         /* anything else is not a matter of load */
};

static const struct error_class *class_of(const char *code)
{
    const struct error_class *row = class_table;

    while (strncmp(code, row->code, strlen(row->code)) != 0)
        row++;
    return row;
}

enum attempt_action attempt_decide(const struct plan *plan, const char *code, int attempts)
{
    const struct error_class *row = class_of(code);
    bool retried =
        row->action == ATTEMPT_RETRY || (plan->retry_unique && strcmp(row->code, "23505") == 0);

    if (row->action == ATTEMPT_REOPEN)
        return plan->on_error == ON_ERROR_STOP ? ATTEMPT_STOP : ATTEMPT_REOPEN;
    if (retried && (plan->retries < 0 || attempts <= plan->retries))
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

/* An operation that ended with `outcome`, or none (OUTCOME_COUNT), met this error. */
static void note_outage(struct session *session, const char *code, enum outcome outcome)
{
    struct session_io *io = session->io;

    if (!class_of(code)->away)
        return;
    outages_bad(&session->run->outages, io->now_ns, code, outcome);
    io->steady_until_ns = 0; /* The next success matters. */
}

/* A routine in the server can roll back what it did only by failing. */
static bool undone_on_purpose(const struct session *session)
{
    const char *code = session->run->workload->undo_code;

    return code != NULL && strcmp(session->error_code, code) == 0;
}

static void settle(struct session *session)
{
    if (undone_on_purpose(session)) {
        transaction_over(session, OUTCOME_ROLLED_BACK);
        transaction_next(session);
        return;
    }
    switch (attempt_decide(session->run->plan, session->error_code, session->attempts)) {
    case ATTEMPT_RETRY:
        session->attempts++;
        if (session->run->plan->retry == RETRY_REDRAW)
            pacer_redraw(session);
        transaction_again(session);
        return;
    case ATTEMPT_STOP:
        run_stop_by_error(session->run, session->error_code, session->error_text);
        session->io->steady_until_ns = 0; /* Nothing starts any more. */
        break;
    default:
        break;
    }
    note_outage(session, session->error_code, OUTCOME_FAILED);
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
    if (!undone_on_purpose(session))
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
 * tells nothing, nor does an error that came when all was answered. Class 08 is a pooler's word
 * about a server that it has lost. After a farewell the server hears nothing. */
static bool may_have_committed(const struct session *session)
{
    bool refused =
        session->failed && session->error_shape >= 0 && strncmp(session->error_code, "08", 2) != 0;

    if (session->txn.rolled_back || refused || session->farewell)
        return false;
    if (session->txn.in_block)
        return session->txn.ending;
    return !session_at_sync(session);
}

/* The connection is of no more use: it is closed and opened anew elsewhere. */
static void ask_reopen(struct session *session, int64_t pause_ns)
{
    struct session_io *io = session->io;

    if (session->wire != NULL)
        epoll_ctl(io->epoll_fd, EPOLL_CTL_DEL, wire_fd(session->wire), NULL);
    session->reopen.old = session->wire;
    session->wire = NULL;
    session->state = SESSION_REOPENING;
    session->reopen.pause_ns = pause_ns;
    io->reopening++;
    reopener_ask(io->reopener, session, io->now_ns + pause_ns);
}

void attempt_lost(struct session *session)
{
    enum outcome outcome = may_have_committed(session) ? OUTCOME_UNKNOWN : OUTCOME_FAILED;
    enum attempt_action action =
        attempt_decide(session->run->plan, session->error_code, session->attempts);

    session->io->now_ns = clock_now_ns(); /* Nothing was heard that would have set it. */
    note_outage(session, session->error_code,
                session->state != SESSION_IDLE ? outcome : OUTCOME_COUNT);
    session->io->lost++;
    session->io->out.length = 0;
    drop_coroutine(session);
    if (session->state != SESSION_IDLE) {
        if (session->state != SESSION_ROLLING)
            count_error(session);
        transaction_over(session, outcome);
    }
    if (action == ATTEMPT_STOP) {
        run_stop_by_error(session->run, session->error_code, session->error_text);
        session->state = SESSION_LOST;
        wire_close(session->wire);
        session->wire = NULL;
        return;
    }
    ask_reopen(session, 0);
}

void attempt_reconnect(struct session *session)
{
    ask_reopen(session, 0);
}

bool attempt_reopened(struct session *session)
{
    struct session_io *io = session->io;
    int64_t pause_ns = session->reopen.pause_ns * 2;

    io->reopening--;
    if (session->reopen.wire == NULL) {
        if (session->reopen.err.kind == ERROR_INTERRUPTED) {
            session->state = SESSION_LOST;
            return false;
        }
        lane_error(io->lane, run_phase(session->run, io->now_ns), session->connecting.code, -1,
                   session->reopen.err.text);
        note_outage(session, session->connecting.code, OUTCOME_COUNT);
        if (attempt_decide(session->run->plan, session->connecting.code, 1) == ATTEMPT_STOP) {
            run_stop_by_error(session->run, session->connecting.code, session->reopen.err.text);
            session->state = SESSION_LOST;
            return false;
        }
        if (pause_ns < REOPEN_PAUSE_MIN_NS)
            pause_ns = REOPEN_PAUSE_MIN_NS;
        ask_reopen(session, pause_ns < REOPEN_PAUSE_MAX_NS ? pause_ns : REOPEN_PAUSE_MAX_NS);
        return false;
    }
    session->wire = session->reopen.wire;
    session->reopen.wire = NULL;
    session->state = SESSION_IDLE;
    session->since_connect = 0;
    session->want_write = session->unsent = false;
    session_start_connection(session);
    io->reopened++;
    session_record_connect(session, true);
    return true;
}

void attempt_abandon(struct session *session)
{
    drop_coroutine(session);
    transaction_over(session, OUTCOME_UNFINISHED);
    session->state = SESSION_LOST;
}
