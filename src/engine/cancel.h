/*
 * cancel.h - tells the server to stop statements that nobody waits for any more, so that no backend
 * works on for a session that is gone. Thread: engine_run's.
 */
#ifndef ENGINE_CANCEL_H
#define ENGINE_CANCEL_H

#include "engine/run.h"

struct session;

/* Cancels what runs on abandoned sessions by their pids, on the administrative connection. Gives
 * the server transactions it took. */
int64_t cancel_by_pid(PGconn *admin, const struct session *sessions, int count);

/* The same through cancel requests, as libpq makes them, for a pooler's pids are not the server's.
 * Each is a connection of its own and may block, so threads make them; what has not been done
 * within a second or two is left behind. */
void cancel_by_request(const struct session *sessions, int count);

#endif
