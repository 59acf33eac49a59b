/*
 * transaction.h - the life of a transaction on a session: drawn, begun, over, and the next one.
 * Thread: the session's worker.
 */
#ifndef ENGINE_TRANSACTION_H
#define ENGINE_TRANSACTION_H

#include "engine/session.h"

/* Transactions without a server are answered at once: after so many the loop gets its turn. */
#define TRANSACTION_TURNS_MAX 64

/* Starts the next transaction, or leaves the session idle when the run allows no more. */
void transaction_next(struct session *session);
/* What the coroutine waits for is there: runs it, and the transactions that follow, until it waits
 * again; then what was said is flushed and the next input drawn. */
void transaction_go_on(struct session *session);
/* A new attempt with the same input; the last one was dropped. */
void transaction_again(struct session *session);
/* Records how it ended; the session is idle. */
void transaction_over(struct session *session, enum outcome outcome);

#endif
