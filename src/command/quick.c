/*
 * quick.c - `pgdyno quick`: from nothing to a result. A local server, a table, a short run, a
 * summary.
 *
 * A server that was not running before is stopped again; what was there is left as it was.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command/common.h"
#include "command/measure.h"
#include "command/progress.h"
#include "command/target.h"
#include "load/load.h"
#include "server/server.h"

#define QUICK_ARGS_MAX 256

/* What quick runs; the user's own options come behind and win. */
static char quick_words[][32] = { "oltp_point_select", "--tables=4", "--table-size=100000",
                                  "--connections=8",   "--time=10s", "--warmup=2s",
                                  "--label=quick" };

/* Process ids of the kept servers that run. */
static int running_servers(int pids[SERVERS_MAX], int majors[SERVERS_MAX])
{
    struct server_kept *kept = MEMORY_ARRAY(struct server_kept, SERVERS_MAX);
    int count = server_list(kept), running = 0;

    for (int i = 0; i < count; i++) {
        if (!kept[i].running)
            continue;
        pids[running] = kept[i].pid;
        majors[running++] = kept[i].major;
    }
    memory_free(kept);
    return running;
}

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

/* Stops the servers that run now and did not before. */
static void stop_own(const struct plan *plan, const int *pids, int count)
{
    const struct server_options options = { .pg_bin = plan->pg_bin,
                                            .say = plan->quiet ? NULL : say };
    int now[SERVERS_MAX], majors[SERVERS_MAX];
    int running = running_servers(now, majors);
    struct error err = { .kind = ERROR_NONE };

    for (int i = 0; i < running; i++) {
        bool old = false;
        for (int j = 0; j < count; j++)
            old = old || pids[j] == now[i];
        if (!old && !server_stop(majors[i], &options, &err))
            command_say(err.text);
    }
}

static enum error_kind load_and_run(struct command_call *call, struct error *err)
{
    struct measure measure = { .call = call };
    struct progress progress = { .out = stdout, .quiet = call->plan.quiet };
    enum error_kind kind = ERROR_NONE;
    struct load_setup setup = { .plan = &call->plan,
                                .workload = call->workload,
                                .world = call->world,
                                .options = &call->groups[1],
                                .progress = progress_tell,
                                .context = &progress };

    if (target_open(&call->plan, call->arena, &measure.conninfo, &measure.local, err)) {
        setup.conninfo = measure.conninfo;
        if (load_data(&setup, NULL, err)) {
            progress_end(&progress);
            kind = measure_run(&measure, err);
        }
    }
    memory_free(measure.path);
    return kind != ERROR_NONE ? kind : err->kind;
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };
    char *args[QUICK_ARGS_MAX];
    int pids[SERVERS_MAX], majors[SERVERS_MAX];
    int count = running_servers(pids, majors), fixed = COUNT_OF(quick_words);
    enum error_kind kind;

    if (argc > QUICK_ARGS_MAX - fixed) {
        error_set(err, ERROR_USAGE, "too many words: quick takes at most %d",
                  QUICK_ARGS_MAX - fixed);
        return err->kind;
    }
    for (int i = 0; i < fixed; i++)
        args[i] = quick_words[i];
    memcpy(args + fixed, argv, (size_t)argc * sizeof *argv);
    if (!command_read(&call, &command_quick, argc + fixed, args, err)) {
        command_close(&call);
        return err->kind;
    }
    if (!call.plan.quiet)
        puts("pgdyno quick: loads a small data set and measures point selects; everything it says "
             "is "
             "in the result");
    kind = load_and_run(&call, err);
    stop_own(&call.plan, pids, count);
    command_close(&call);
    return kind;
}

const struct command command_quick = {
    .name = "quick",
    .summary = "the first run: a local server, a small data set, a result",
    .usage = "[options]",
    .text =
        "Starts a PostgreSQL server of its own (see server), loads four tables of 100,000 rows, "
        "runs "
        "oltp_point_select on 8 connections for 10 seconds, and shows the result. It takes about "
        "half a minute. The server is stopped again unless it was running before. Any option "
        "of run may be given.",
    .topics = "target,sessions,run,data,output",
    .takes_workload = true,
    .run = run,
};
