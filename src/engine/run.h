/*
 * run.h - what all workers of a run share: const once they start, but for a few atomics.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/outage.h"
#include "wire/wire.h"

/* Built-in shapes follow the workload's own statements. */
enum built_in { BUILT_IN_BEGIN, BUILT_IN_COMMIT, BUILT_IN_ROLLBACK, BUILT_IN_COUNT };

/* A statement as the server knows it. */
struct shape {
    const char *name;
    char **sql; /* instance_count texts; one for a built-in */
    int instance_count;
    int64_t key; /* of its instance 1 in prepared.h; the others follow */
    bool discard_rows;
    struct wire_shape wire; /* described once a run */
};

/* Asked by whoever wants the run to end. */
enum stop { STOP_NO, STOP_SOON /* no new transactions, short drain */, STOP_NOW };

struct run {
    const struct plan *plan;
    const struct workload *workload;
    void *world;         /* const once its questions are answered */
    int statement_count; /* the workload's; shapes are BUILT_IN_COUNT more */
    int transaction_count, instance_count, tally_count;
    size_t input_size; /* of the largest input, rounded up */
    double *weights;   /* of the mix, a transaction each; owned */
    double weight_total;
    int protocol; /* enum protocol, never auto; settled before a session is opened */
    bool pooled;  /* a pooler is between us and the server */
    bool pauses;  /* sessions key and think as the workload says (workload.h) */
    bool rests;   /* they pause between transactions, for whatever reason */
    struct shape *shapes;
    struct recorder *recorder;
    struct outages outages;

    int64_t start_ns, measure_begin_ns, end_ns; /* set before the barrier opens; end 0: by count */
    atomic_int_fast64_t claimed;                /* of plan->transactions, in the measured phase */
    atomic_int stop;                            /* enum stop */
    atomic_bool stopped_by_error; /* the first to set it writes stop_code and message */
    char stop_code[ERROR_CODE_MAX], stop_message[ERROR_TEXT_MAX];
    void (*on_over)(void *context); /* by the last worker to end; may be NULL */
    void *context;
};

/* Prepares the shapes' texts. Cannot fail. */
void run_init(struct run *run, const struct engine_setup *setup);
void run_close(struct run *run);

/* Describes every shape on a connection of its own, which stays the caller's. ERROR_PLAN: the
 * statement, what the server said, what to do; ERROR_SERVER: it says nothing, or is gone. `commits`
 * grows by the server transactions this took. */
bool run_describe(struct run *run, PGconn *conn, int64_t *commits, struct error *err);

/* See engine_statement(). */
bool run_statement(const struct run *run, int index, struct engine_statement *statement);

/* How many (shape, instance) there are. */
int64_t run_statement_total(const struct run *run);

/* The phase that a moment belongs to. */
enum phase run_phase(const struct run *run, int64_t now_ns);
/* True when no transaction may start any more. */
bool run_over(const struct run *run, int64_t now_ns);

/* True when a transaction that would start at `now_ns` may; in the measured phase of a plan by
 * count it claims one. `phase` gets the phase of now. */
bool run_may_start(struct run *run, int64_t now_ns, enum phase *phase);

/* Claims some more for one worker, to be started without asking again: plenty when the plan is by
 * time; when it is by count a few while many are left, and none near the end, which is shared out
 * one by one. */
int64_t run_claim_ahead(struct run *run);

/* Ends the run because of an error that the policy does not bear. Any thread; the first one is
 * kept. */
void run_stop_by_error(struct run *run, const char *code, const char *message);

#endif
