/*
 * pacer.h - when a session may start its next transaction, and what it does until then.
 *
 * Closed loop: at once, or after a pause for thinking. Open loop: when the schedule's next arrival
 * is due; a worker with a free session claims one arrival ahead of its time, starts it when it is
 * due, and never before. Terminals (terminals.h): what one of them has keyed in, or what they have
 * put off. Thread: the worker.
 */
#ifndef ENGINE_PACER_H
#define ENGINE_PACER_H

#include "engine/session.h"

/* True when the session starts now: its input is drawn, its phase and scheduled instant are set.
 * In an open loop io->now_ns is read anew when the input had to be drawn just now. */
bool pacer_start(struct session *session);
/* The session has nothing to do now: it thinks, waits for an arrival, connects anew, or is done. */
void pacer_rest(struct session *session);

/* Draws an input for the time when the closed loop goes on; nothing in an open loop. */
void pacer_draw_ahead(struct session *session);
/* Another input for the same transaction, for a retry that redraws. */
void pacer_redraw(struct session *session);

/* Draws which transaction an input is for. */
int pacer_pick(const struct run *run, struct draw *draw);

/* Open loop: an arrival is claimed and due. Late ones that may not start any more are dropped.
 * Terminals: there is something that a session can carry out. */
bool pacer_due(struct session_io *io, struct run *run);
/* When the next becomes due that the worker must look at; INT64_MAX when none. */
int64_t pacer_next_ns(const struct session_io *io);
/* Open loop, before waiting: the input of the arrival that is claimed ahead of its time. */
void pacer_draw_reserved(struct session_io *io);
/* Open loop and terminals, after all workers have ended: what was due by `cut_ns` and never started
 * is dropped. */
void pacer_drop_rest(struct session_io *io, struct run *run, int64_t cut_ns);

#endif
