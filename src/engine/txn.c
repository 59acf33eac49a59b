/*
 * txn.c - the verbs of workload/txn.h on a session. They run on the coroutine's stack; only await()
 * ever gives it up.
 */
#include "workload/txn.h"

#include <string.h>

#include "engine/session.h"

/* Waits until answer `number` is there; with `to_sync` until the server is at a sync point. */
static void await(struct session *session, uint32_t number, bool to_sync)
{
    if (session->wire == NULL)
        return;
    session_sync(session);
    session->awaited = number;
    session->await_sync = to_sync;
    if (!session_can_go_on(session))
        coroutine_wait(session->coroutine);
}

/* Pipeline off: something was just said with its Sync, so there must be a wait. */
static inline void await_answer(struct session *session)
{
    if (UNLIKELY(session->wire == NULL))
        return;
    session->await_sync = true;
    coroutine_wait(session->coroutine);
}

static uint32_t say(struct txn *txn, int shape, int instance, const struct value *values, int count)
{
    struct session *session = txn->session;
    uint32_t number = session_say(session, shape, instance, values, count);

    if (LIKELY(!session->run->plan->pipeline))
        await_answer(session);
    return number;
}

void txn_instance(struct txn *txn, int instance)
{
    txn->instance = instance;
}

void txn_begin(struct txn *txn)
{
    struct session *session = txn->session;
    uint32_t number;

    HOT_ASSERT(!txn->in_block);
    txn->in_block = true; /* Before BEGIN is said: with a pipeline it shares the block's Sync. */
    number = say(txn, session->run->statement_count + BUILT_IN_BEGIN, 1, NULL, 0);
    /* Simple queries are not skipped after an error: without a block they would commit. */
    if (session->run->protocol == PROTOCOL_SIMPLE)
        await(session, number, true);
}

bool txn_wants_block(const struct txn *txn)
{
    return txn->session->run->plan->isolation != ISOLATION_DEFAULT;
}

static void end_block(struct txn *txn, enum built_in how)
{
    HOT_ASSERT(txn->in_block);
    txn->ending = true;
    say(txn, txn->session->run->statement_count + (int)how, 1, NULL, 0);
    await(txn->session, 0, true); /* Only the sync point tells that it is committed. */
    txn->ending = false;
    txn->in_block = false;
}

void txn_commit(struct txn *txn)
{
    end_block(txn, BUILT_IN_COMMIT);
}

void txn_rollback(struct txn *txn)
{
    txn->rolled_back = true;
    end_block(txn, BUILT_IN_ROLLBACK);
}

struct reply txn_send_list(struct txn *txn, const struct value *list, int count)
{
    HOT_ASSERT(count >= 1 && count <= TXN_VALUES_MAX + 1);
    return (struct reply){ say(txn, (int)list[0].whole, txn->instance, list + 1, count - 1) };
}

struct reply txn_send_text(struct txn *txn, int statement, const char *sql, int length)
{
    uint32_t number = session_say_text(txn->session, statement, sql, length);

    if (!txn->session->run->plan->pipeline)
        await_answer(txn->session);
    return (struct reply){ number };
}

void *txn_room(struct txn *txn, size_t size_bytes)
{
    struct session *session = txn->session;

    if (session->room == NULL)
        session->room = arena_new(TXN_ROOM_MAX);
    return arena_take(session->room, size_bytes);
}

const struct rows *txn_rows(struct txn *txn, struct reply reply)
{
    struct session *session = txn->session;

    HOT_ASSERT(session->said_count - reply.number <= TXN_REPLIES_MAX && "that answer is forgotten");
    if (session->answered_count <= reply.number)
        await(session, reply.number, false);
    return &session->said[reply.number & (TXN_REPLIES_MAX - 1)].rows;
}

void txn_tally(struct txn *txn, int tally, int64_t count)
{
    struct session *session = txn->session;

    HOT_ASSERT(tally >= 0 && tally < session->run->tally_count);
    if (!txn->tallied)
        memset(session->tallies, 0, sizeof session->tallies);
    txn->tallied = true;
    session->tallies[tally] += count;
}

void txn_note(struct txn *txn, double value)
{
    (void)txn;
    __asm__ volatile("" : : "m"(value));
}
