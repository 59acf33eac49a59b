/*
 * recorded.c - see recorded.h.
 */
#include "command/recorded.h"

#include <jansson.h>
#include <string.h>

#include "base/memory.h"
#include "load/load.h"

/* As the command line would have it; NULL: of no kind that options have. Of the arena. */
static const char *word_of(const json_t *value, struct arena *arena)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_integer(value))
        return arena_format(arena, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value))
        return arena_format(arena, "%.17g", json_real_value(value));
    return NULL;
}

/* After a run the size alone: what else was given is what it did to the data. */
static bool is_taken(const struct command_call *call, const struct option *row, bool after_run)
{
    if (after_run)
        return call->workload->grows != NULL && strcmp(row->name, call->workload->grows) == 0;
    return !option_given(&call->args, row->name);
}

static void take(const struct command_call *call, const json_t *there, bool after_run,
                 void *options)
{
    struct error ignored;

    for (const struct option *row = call->workload->options; row->name != NULL; row++) {
        const char *word = word_of(json_object_get(there, row->name), call->arena);
        if (word != NULL && is_taken(call, row, after_run))
            option_set(row, options, word, call->arena, &ignored);
    }
}

static void *open_world(const struct command_call *call, const void *options)
{
    const struct workload *workload = call->workload;
    void *world = arena_take(call->arena, workload->world_size);
    struct error ignored;

    if (workload->open != NULL && !workload->open(world, options, &ignored))
        return call->world;
    if (workload->set_data_seed != NULL)
        workload->set_data_seed(world, call->plan.data_seed);
    return world;
}

void *recorded_world(const struct command_call *call, const char *conninfo, bool after_run)
{
    const struct workload *workload = call->workload;
    struct load_setup setup = { .plan = &call->plan, .workload = workload, .conninfo = conninfo };
    struct error ignored;
    void *options, *world = call->world;
    json_t *there = NULL;

    if (workload->world_size == 0 || workload->options == NULL || workload->settle != NULL ||
        !load_recorded(&setup, &there, &ignored) || there == NULL)
        return world;
    options = arena_take(call->arena, workload->options_size);
    memcpy(options, call->options, workload->options_size);
    take(call, there, after_run, options);
    world = open_world(call, options);
    json_decref(there);
    return world;
}
