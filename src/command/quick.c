/*
 * quick.c - `pgdyno quick`: from nothing to a result. A local server, a table, a short run, a
 * summary.
 *
 * It works in a schema of its own, so what is in the database stays as it is and does not matter. A
 * server that quick itself started is stopped again, unless somebody else has come to it meanwhile.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command/common.h"
#include "command/measure.h"
#include "command/progress.h"
#include "command/target.h"
#include "load/load.h"
#include "load/place.h"

#define QUICK_ARGS_MAX 256

/* What quick runs by default; the user's own options come behind and win. */
static const char *const quick_defaults[] = {
    "--tables=4", "--table-size=100000", "--connections=4",
    "--time=10s", "--warmup=2s",         "--label=quick",
    NULL
};

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

/* The server is stopped when it was started here and nobody else is connected. */
static void stop_own(const struct command_call *call, const struct target *target)
{
    const struct server_options options = { .pg_bin = call->plan.pg_bin,
                                            .say = call->plan.quiet ? NULL : say };
    const char *conninfo;
    struct error err = { .kind = ERROR_NONE };

    if (!target->local || !target->kept.started)
        return;
    conninfo = server_conninfo(&target->kept, NULL, call->arena);
    if (place_others(conninfo, call->plan.connect_timeout_ns) > 0)
        command_say(arena_format(call->arena,
                                 "others are connected by now, so the server stays up: pgdyno "
                                 "server stop %d",
                                 target->kept.major));
    else if (!server_stop(target->kept.major, &options, &err))
        command_say(err.text);
}

static enum error_kind load_and_run(struct command_call *call, const char *conninfo, bool local,
                                    struct error *err)
{
    struct measure measure = { .call = call, .conninfo = conninfo, .local = local };
    struct progress progress = { .out = stdout, .quiet = call->plan.quiet };
    enum error_kind kind = ERROR_NONE;
    struct plan plan = call->plan;
    bool good;
    struct load_setup setup = { .plan = &plan,
                                .workload = call->workload,
                                .world = call->world,
                                .options = &call->groups[1],
                                .conninfo = conninfo,
                                .progress = progress_tell,
                                .context = &progress };

    load_signals();
    good = load_data(&setup, NULL, err);
    if (!good && err->kind == ERROR_PLAN) {
        plan.force = true; /* an earlier quick left other data in this schema: ours to replace */
        good = load_data(&setup, NULL, err);
    }
    progress_end(&progress);
    if (good && load_stopped()) /* When nothing was left to be stopped. */
        good = error_set(err, ERROR_INTERRUPTED, "interrupted before anything was measured");
    if (good) {
        kind = measure_run(&measure, err);
    }
    memory_free(measure.path);
    return kind != ERROR_NONE ? kind : err->kind;
}

static enum error_kind quick(struct command_call *call, struct error *err)
{
    struct target target = { .brief = true };
    enum error_kind kind;
    char *place;

    if (!call->plan.quiet)
        command_wrap(stdout,
                     "pgdyno quick: loads a small data set into a schema of its own, " PLACE_SCHEMA
                     ", and measures point selects; everything it says is in the result",
                     0);
    fflush(stdout);
    if (!target_find(&call->plan, call->arena, &target, err))
        return err->kind;
    place = place_open(target.conninfo, call->plan.connect_timeout_ns, err);
    kind = place != NULL ? load_and_run(call, place, target.local, err) : err->kind;
    memory_free(place);
    stop_own(call, &target);
    return kind;
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    static char workload[] = "oltp_point_select";
    struct command_call call = { .own = NULL };
    char *args[QUICK_ARGS_MAX] = { workload };
    int fixed = COUNT_OF(quick_defaults); /* the workload in place of the end */
    enum error_kind kind;

    if (argc > QUICK_ARGS_MAX - fixed) {
        error_set(err, ERROR_USAGE, "too many words: quick takes at most %d",
                  QUICK_ARGS_MAX - fixed);
        return err->kind;
    }
    for (int i = 1; i < fixed; i++)
        args[i] = memory_text(quick_defaults[i - 1]);
    memcpy(args + fixed, argv, (size_t)argc * sizeof *argv);
    if (command_read(&call, &command_quick, argc + fixed, args, err))
        kind = quick(&call, err);
    else
        kind = err->kind;
    command_close(&call);
    for (int i = 1; i < fixed; i++)
        memory_free(args[i]);
    return kind;
}

const struct command command_quick = {
    .name = "quick",
    .summary = "the first run: a local server, a small data set, a result",
    .usage = "[options]",
    .text =
        "Starts a PostgreSQL server of its own (see server), loads four tables of 100,000 rows, "
        "runs oltp_point_select on 4 connections for 10 seconds, and shows the result. It takes "
        "about half a minute. With --target it does the same there. Either way it works in a "
        "schema of its own, pgdyno_quick, which is made if it is missing and kept for the next "
        "time; other data are not touched. A server that quick started is stopped again, unless "
        "others are connected to it by then. Any option of run may be given.",
    .defaults = quick_defaults,
    .topics = "target,sessions,run,data,output",
    .takes_workload = true,
    .run = run,
};
