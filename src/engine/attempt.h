/*
 * attempt.h - what follows when an attempt fails: the whole failure policy (design D2).
 */
#ifndef ENGINE_ATTEMPT_H
#define ENGINE_ATTEMPT_H

#include "engine/session.h"

enum attempt_action {
    ATTEMPT_RETRY,  /* again with the same input */
    ATTEMPT_COUNT,  /* failed; go on with the next transaction */
    ATTEMPT_REOPEN, /* the connection is useless */
    ATTEMPT_STOP,   /* the run ends */
};

/* Pure: what the class table and the plan say of an error, after so many attempts. */
enum attempt_action attempt_decide(const struct plan *plan, const char *code, int attempts);

/* The attempt has failed and the server is at a sync point: abandons it, rolls back if the server
 * is in a block, and once that is answered retries, counts or stops. Called again when the ROLLBACK
 * is answered. */
void attempt_failed(struct session *session);

/* The connection is gone: the transaction in flight is failed or unknown, and the session waits for
 * a new connection, or is lost when the run stops. */
void attempt_lost(struct session *session);
/* Nothing is wrong, but the plan wants a new connection now (--reconnect). */
void attempt_reconnect(struct session *session);
/* The session is back from the reopener. True: it has a connection, to be watched, and is idle.
 * False: it has been asked for again after a pause, or is lost because the run ends. */
bool attempt_reopened(struct session *session);

/* The run must end while the transaction is in flight: it is unfinished. */
void attempt_abandon(struct session *session);

#endif
