/*
 * vacuum.c - see vacuum.h.
 *
 * A run that is over must not be lost to what comes behind it: a slow VACUUM has a limit of its
 * own, a signal ends it and no more than it, and what the server refuses is told.
 */
#include "command/vacuum.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/measure.h"
#include "load/load.h"
#include "store/store.h"

#define LIMIT_NS (3600 * NS_PER_S)

struct vacuum {
    const struct measure *measure;
    struct store *store;
    json_t *steps;
    bool timed_out, refused;
};

static void say(const struct vacuum *vacuum, const char *words)
{
    store_log(vacuum->store, words);
    if (!vacuum->measure->call->plan.quiet && vacuum->measure->format == MEASURE_TEXT) {
        puts(words);
        fflush(stdout);
    }
}

static json_t *bytes_json(int64_t bytes)
{
    return bytes >= 0 ? json_integer(bytes) : json_null();
}

static json_t *seconds_json(int64_t ns)
{
    return json_real(round((double)ns / NS_PER_MS) / 1000);
}

static void keep(void *context, const struct load_kept *kept)
{
    struct vacuum *vacuum = context;
    json_t *step = json_object();
    char began[32], *words;

    clock_iso(kept->begin_wall_ns, began, sizeof began);
    json_object_set_new(step, "what", json_string(kept->what));
    json_object_set_new(step, "began", json_string(began));
    json_object_set_new(step, "seconds", seconds_json(kept->took_ns));
    json_object_set_new(step, "bytes_before", bytes_json(kept->bytes_before));
    json_object_set_new(step, "bytes_after", bytes_json(kept->bytes_after));
    json_object_set_new(step, "error",
                        kept->refusal != NULL ? json_string(kept->refusal) : json_null());
    json_array_append_new(vacuum->steps, step);
    vacuum->timed_out = vacuum->timed_out || kept->timed_out;
    vacuum->refused = vacuum->refused || (kept->refusal != NULL && !kept->timed_out);
    words = memory_format("%s: %.1f s%s%s", kept->what, (double)kept->took_ns / NS_PER_S,
                          kept->refusal != NULL ? ", " : "",
                          kept->refusal != NULL ? kept->refusal : "");
    say(vacuum, words);
    memory_free(words);
}

static void stop(int number)
{
    (void)number;
    load_stop();
}

static bool work(struct vacuum *vacuum, struct error *err)
{
    const struct command_call *call = vacuum->measure->call;
    const struct load_setup setup = { .plan = &call->plan,
                                      .workload = call->workload,
                                      .world = call->world,
                                      .conninfo = vacuum->measure->conninfo,
                                      .check_limit_ns = LIMIT_NS };
    struct sigaction action = { .sa_handler = stop }, before[2];
    bool ok;

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    ok = load_vacuum(&setup, keep, vacuum, err);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    return ok;
}

static json_t *tell(const char *state, const char *why)
{
    json_t *json = json_object();

    json_object_set_new(json, "state", json_string(state));
    if (why != NULL)
        json_object_set_new(json, "why", json_string(why));
    return json;
}

json_t *vacuum_after(const struct measure *measure, struct store *store, bool interrupted)
{
    const struct workload *workload = measure->call->workload;
    struct vacuum vacuum = { .measure = measure, .store = store };
    struct error err = { .kind = ERROR_NONE };
    int64_t begin_ns = clock_now_ns();
    json_t *json;

    if (!measure->call->plan.vacuum || workload->table_count == NULL)
        return NULL;
    if (interrupted)
        return tell("skipped", "the run was interrupted");
    vacuum.steps = json_array();
    say(&vacuum, "VACUUM of the workload's tables, then CHECKPOINT");
    if (!work(&vacuum, &err))
        json = tell(err.kind == ERROR_INTERRUPTED ? "interrupted" : "refused", err.text);
    else if (vacuum.timed_out)
        json = tell("unfinished", "an hour was not enough");
    else if (vacuum.refused)
        json = tell("refused", "see vacuum.steps[].error");
    else
        json = tell("done", NULL);
    json_object_set_new(json, "seconds", seconds_json(clock_now_ns() - begin_ns));
    json_object_set_new(json, "steps", vacuum.steps);
    return json;
}
