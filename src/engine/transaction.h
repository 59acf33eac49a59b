/*
 * transaction.h - the life of one transaction on a session: drawn, begun, over, and the next one.
 * Thread: the session's worker.
 */
#ifndef ENGINE_TRANSACTION_H
#define ENGINE_TRANSACTION_H

#include "engine/session.h"

/* Transactions without a server are answered at once: so many and then the loop gets its turn. */
#define TRANSACTION_TURNS_MAX 64

/* Draws the next input and starts the first attempt, or leaves the session idle when the run allows
 * no more. What was said is flushed. */
void transaction_next(struct session *session);
/* The answers that the coroutine waits for are there: runs it, and what follows, until it waits
 * again. */
void transaction_go_on(struct session *session);
/* A new attempt with the same input. */
void transaction_again(struct session *session);
/* Records how it ended; the session is idle. */
void transaction_over(struct session *session, enum outcome outcome);

#endif
