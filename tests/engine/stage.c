/*
 * stage.c - see stage.h.
 */
#include "stage.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

void stage_plan(struct stage *stage, const enum ledger_kind *kinds, int kind_count,
                int64_t transactions)
{
    *stage = (struct stage){
        .plan = { .connections = 1,
                  .workers = 1,
                  .transactions = transactions,
                  .interval_ns = NS_PER_S,
                  .connect_timeout_ns = 10 * NS_PER_S,
                  .retries = 10,
                  .statement_cache = 256,
                  .seed = 42 },
        .world = { .instances = 1, .counters = LEDGER_COUNTER },
        .workload = ledger_open(kinds, kind_count),
    };
}

void stage_run(struct stage *stage, const char *conninfo)
{
    struct engine_setup setup = { .plan = &stage->plan,
                                  .workload = stage->workload,
                                  .world = &stage->world,
                                  .conninfo = conninfo,
                                  .on_interval = stage->on_interval,
                                  .context = stage->context };
    struct error err = { 0 };
    int64_t begin_ns;
    struct text why;

    stage->engine = engine_new(&setup);
    if (!engine_connect(stage->engine, &err))
        fail_msg("connecting: %s", err.text);
    begin_ns = clock_now_ns();
    if (!engine_run(stage->engine, &err))
        fail_msg("running: %s", err.text);
    stage->run_s = (double)(clock_now_ns() - begin_ns) / 1e9;
    stage->facts = engine_facts(stage->engine);
    stage->totals = recorder_totals(engine_recorder(stage->engine), PHASE_MEASURE);
    text_init(&why, 4096);
    if (!recorder_balanced(engine_recorder(stage->engine), PHASE_MEASURE, &why))
        fail_msg("the books do not balance: %s", why.bytes);
    text_close(&why);
}

void stage_close(struct stage *stage)
{
    engine_free(stage->engine);
    stage->engine = NULL;
}

void stage_say(const struct stage *stage)
{
    print_message("protocol %d pipeline %d: stopped %s %s\n", stage->plan.protocol,
                  stage->plan.pipeline, stage->facts->stop_code, stage->facts->stop_message);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        print_message("  %s %d\n", outcome_table[i].name, (int)stage->totals->all.outcome[i]);
    for (int i = 0; i < stage->totals->error_count; i++)
        print_message("  error %s %d: %s\n", stage->totals->errors[i].code,
                      (int)stage->totals->errors[i].count, stage->totals->errors[i].message);
}

int64_t stage_outcome(const struct stage *stage, enum outcome outcome)
{
    return stage->totals->all.outcome[outcome];
}

int64_t stage_errors(const struct stage *stage, const char *code)
{
    int64_t count = 0;

    for (int i = 0; i < stage->totals->error_count; i++)
        if (code == NULL || strncmp(stage->totals->errors[i].code, code, strlen(code)) == 0)
            count += stage->totals->errors[i].count;
    return count;
}

const struct statement_totals *stage_statement(const struct stage *stage, enum ledger_sql statement)
{
    return &stage->totals->statements[statement];
}

void stage_form(struct stage *stage, int form)
{
    static const int protocols[] = { PROTOCOL_PREPARED, PROTOCOL_EXTENDED, PROTOCOL_SIMPLE };

    stage->plan.protocol = protocols[form / 2];
    stage->plan.pipeline = form % 2 == 1;
}
