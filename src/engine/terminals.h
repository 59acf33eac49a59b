/*
 * terminals.h - people at terminals, many more than connections (TPC-C clause 5.2).
 *
 * A terminal is a stream of inputs and goes round in cycles: it chooses a transaction, keys it in
 * for a fixed time, and then the transaction is due, whatever else goes on. When it is done the
 * terminal thinks, a time drawn from a negative exponential distribution cut at ten times its mean,
 * and begins anew. What is due waits for a free session in order of due time. A deferred
 * transaction is due twice: the terminal only puts it into a queue and goes on thinking; sessions
 * that no terminal waits for carry it out.
 *
 * A worker has its share of the terminals, whose inputs and times do not depend on it. A terminal
 * takes a few dozen bytes; its input is drawn when it starts. Thread: the worker.
 */
#ifndef ENGINE_TERMINALS_H
#define ENGINE_TERMINALS_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/workload.h"

struct lane;
struct run;
struct terminals;

/* Something that a session carries out. */
struct terminal_task {
    int number;        /* of the terminal, over the whole run: the stream of its input */
    uint32_t sequence; /* of the input in its stream */
    int64_t due_ns;
    bool deferred; /* nobody waits for it */
};

/* Worker `worker` of `workers`: its terminals at places drawn from their first cycles. Owned. */
struct terminals *terminals_new(const struct run *run, int worker, int workers);
void terminals_free(struct terminals *terminals); /* NULL is fine */

/* Where a task's input comes from. Pure. */
struct draw terminals_draw(const struct run *run, int number, uint32_t sequence);

/* Notes which terminals have become due; the deferred ones are queued and told to the lane. */
void terminals_advance(struct terminals *terminals, struct lane *lane, int64_t now_ns);
/* The next instant at which one becomes due; INT64_MAX when all wait. */
int64_t terminals_next_ns(const struct terminals *terminals);
/* The first that waits, or the first of the queue; NULL when there is none. Valid until the next
 * call of anything here but terminals_take(), which takes it off. */
const struct terminal_task *terminals_first(struct terminals *terminals);
void terminals_take(struct terminals *terminals);
/* The task is over: its terminal thinks. */
void terminals_done(struct terminals *terminals, const struct terminal_task *task, int64_t now_ns);
/* The first that waits is not carried out: its terminal thinks again. */
void terminals_drop(struct terminals *terminals, struct lane *lane, int64_t now_ns);
/* After the worker has ended: what was due before `cut_ns` and not started is dropped. */
void terminals_drop_rest(struct terminals *terminals, struct lane *lane, int64_t cut_ns);

#endif
