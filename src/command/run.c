/*
 * run.c - `pgdyno run WORKLOAD`: one measured run.
 */
#include "command/common.h"
#include "command/find_rate.h"
#include "command/measure.h"
#include "command/target.h"

#include "base/memory.h"

struct run_options {
    int format; /* enum measure_format */
    const char *find_rate;
};

static const struct choice formats[] = {
    { "text", MEASURE_TEXT, "a line an interval and a page at the end, for people" },
    { "sysbench", MEASURE_SYSBENCH, "the lines that sysbench prints" },
    { NULL, 0, NULL },
};

static const struct option run_rows[] = {
    { .name = "format",
      .type = OPTION_CHOICE,
      .at = offsetof(struct run_options, format),
      .fallback = "text",
      .choices = formats,
      .marks = OPTION_ALSO,
      .topic = "output",
      .since = "0.1",
      .help = "how the run is told on the screen",
      .text = "With sysbench a line [ 10s ] thds: ... each --interval of the measured window and "
              "its report at the end, for scripts that look for them. The result on disk is the "
              "same." },
    { .name = "find-rate",
      .type = OPTION_TEXT,
      .at = offsetof(struct run_options, find_rate),
      .unit = "limit",
      .marks = OPTION_ALSO,
      .topic = "run",
      .since = "0.1",
      .help = "find the highest rate that meets a limit such as 'p99<=20ms'",
      .text =
          "Several runs of --time each: a closed loop, at most eight rates by bisection, and 50, "
          "70 and 90 % of the highest that met the limit. A limit is of mean, p50, p75, p90, "
          "p95, p99, p99.9, p99.99 or max of the response time. A rate that is not kept does "
          "not meet it. All results stay under --results, with a file TIME-find-rate.json that "
          "tells which is which." },
    { .name = NULL },
};

static bool can_run(const struct workload *workload, struct error *err)
{
    return workload->transactions[0].name != NULL ||
           error_set(err, ERROR_USAGE,
                     "%s is the data of a suite: say which of its workloads is to be run; pgdyno "
                     "list %s shows them",
                     workload->name, workload->name);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct run_options options = { 0 };
    struct command_call call = { .own = &options };
    struct measure measure = { .call = &call };
    enum error_kind kind;
    bool good = command_read(&call, &command_run, argc, argv, err) && can_run(call.workload, err);

    if (good && options.find_rate != NULL) {
        kind = find_rate_run(&call, options.find_rate, err);
        command_close(&call);
        return kind;
    }
    if (good && (!call.workload->needs_server ||
                 target_open(&call.plan, call.arena, &measure.conninfo, &measure.local, err))) {
        measure.format = options.format;
        kind = measure_run(&measure, err);
    } else {
        kind = err->kind;
    }
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
    .options = run_rows,
    .run = run,
};
