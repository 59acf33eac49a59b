/*
 * trips.h - round trips of the load sessions: each by itself when the workload wants it, and the
 * kernel's own idea of the way to the server.
 */
#ifndef ENGINE_TRIPS_H
#define ENGINE_TRIPS_H

#include "engine/engine.h"
#include "engine/session.h"

#define TRIPS_MAX 1000000 /* kept in all, divided among the sessions */

/* Makes room, when the workload keeps its times; before the run. */
void trips_open(struct session *sessions, int count, struct engine_facts *facts);
void trips_close(struct session *sessions, struct engine_facts *facts);
/* Keeps the one that is over now. Thread: the session's worker. */
void trips_keep(struct session *session);
/* Asks the sockets; the sessions are still open. */
void trips_network(const struct session *sessions, int count, struct engine_facts *facts);

#endif
