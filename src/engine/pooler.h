/*
 * pooler.h - is there a pooler between us and the server, and what does it let through?
 *
 * Nothing is asked of the pooler itself, for every make has its own words; it is known by what it
 * does. It answers the login and invents the backend's pid. Pooling transactions, it gives the
 * backend that one connection has just left to the next, so a named statement prepared on one
 * connection is met, or missed, on another. Pooling statements, it refuses BEGIN. All of this is
 * tried on two connections before the sessions are opened. Thread: engine_connect's.
 */
#ifndef ENGINE_POOLER_H
#define ENGINE_POOLER_H

#include "engine/run.h"

struct pooler {
    enum pooling pooling;
    bool prepared;                    /* a statement that was prepared is found again */
    char why[ENGINE_POOLER_TEXT_MAX]; /* the signs; "" when there is no pooler */
};

/* Looks from `admin`, in one server transaction, and from a second connection when there is
 * something to look for; what that does not find out is taken as not there. ERROR_SERVER: `admin`
 * gets no answer. */
bool pooler_look(struct pooler *pooler, const struct run *run, const char *conninfo, PGconn *admin,
                 struct error *err);

/* The protocol to use behind it when `wanted` (enum protocol) was asked for. Pure. ERROR_PLAN: why
 * not, and what to use instead. */
bool pooler_protocol(const struct pooler *pooler, int wanted, int *used, struct error *err);

/* Both of it for a run: fills its protocol, and the facts about protocol and pooler. ERROR_PLAN,
 * ERROR_SERVER. */
bool pooler_settle(struct engine_facts *facts, const char *conninfo, PGconn *admin, struct run *run,
                   struct error *err);

#endif
