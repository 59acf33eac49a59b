/*
 * run.c - `pgdyno run WORKLOAD`: one measured run.
 */
#include "command/common.h"
#include "command/measure.h"
#include "command/target.h"

#include "base/memory.h"

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };
    struct measure measure = { .call = &call };
    enum error_kind kind;

    if (command_read(&call, &command_run, argc, argv, err) &&
        (!call.workload->needs_server ||
         target_open(&call.plan, call.arena, &measure.conninfo, &measure.local, err)))
        kind = measure_run(&measure, err);
    else
        kind = err->kind;
    memory_free(measure.path);
    command_close(&call);
    return kind;
}

const struct command command_run = {
    .name = "run",
    .summary = "one measured run of a workload, with a result",
    .usage = "WORKLOAD [options]",
    .text =
        "Opens all connections, warms up, measures, and leaves a result: a folder under --results "
        "with result.json, a line a second in series.jsonl, the histograms in latency.hlog, the "
        "server's settings and statistics before and after, and a log. Ctrl-C ends the run "
        "within two seconds and keeps what was measured; a second one ends it at once. The data "
        "must be there: see load.",
    .topics = "target,sessions,run,data,output",
    .takes_workload = true,
    .run = run,
};
