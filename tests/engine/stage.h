/*
 * stage.h - one run of the engine on the ledger, from a plan to its totals, for tests.
 */
#ifndef ENGINE_TEST_STAGE_H
#define ENGINE_TEST_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "ledger.h"

struct stage {
    struct plan plan;          /* stage_plan() and changes */
    struct ledger_world world; /* one table, all counters */
    const struct workload *workload;
    void (*on_interval)(void *context, const struct interval *intervals, int count);
    void *context; /* of on_interval */
    struct engine *engine;
    double run_s;
    const struct engine_facts *facts;
    const struct phase_totals *totals; /* of the measured phase */
};

/* A plan of one session and so many transactions, on kinds of the ledger. */
void stage_plan(struct stage *stage, const enum ledger_kind *kinds, int kind_count,
                int64_t transactions);
/* Connects and runs; fails the test when the engine says no, or the books do not balance. */
void stage_run(struct stage *stage, const char *conninfo);
void stage_close(struct stage *stage);

/* Prints how it ended, for a test about to fail. */
void stage_say(const struct stage *stage);

int64_t stage_outcome(const struct stage *stage, enum outcome outcome);
/* How often codes that begin so were counted; all errors for NULL. */
int64_t stage_errors(const struct stage *stage, const char *code);
const struct statement_totals *stage_statement(const struct stage *stage,
                                               enum ledger_sql statement);

/* The six forms of speaking: 0 to 5. */
#define STAGE_FORMS 6
void stage_form(struct stage *stage, int form);

#endif
