/*
 * check.c - `pgdyno check WORKLOAD`: are the data still consistent?
 *
 * The workload asks, the server answers with what it found and what was wanted; here they are only
 * held against each other.
 */
#include <stdio.h>
#include <string.h>

#include "command/common.h"
#include "command/recorded.h"
#include "command/target.h"
#include "load/load.h"

#define DIFFERENCES_SHOWN 50

struct checking {
    int64_t checked, failed, excused;
};

/* What this variant cannot be held to is told all the same. */
static void tell_excused(struct checking *checking, const struct load_checked *checked)
{
    struct text words, safe;

    checking->excused++;
    text_init(&words, WORKLOAD_SQL_MAX);
    text_init(&safe, WORKLOAD_SQL_MAX);
    text_format(&words, "%s: %s; cannot hold: %s", checked->what, checked->found, checked->excuse);
    text_add_safe(&safe, words.bytes);
    printf("  %s\n", safe.bytes);
    text_close(&words);
    text_close(&safe);
}

static void tell(void *context, const struct load_checked *checked)
{
    struct checking *checking = context;
    struct text words, safe;

    if (checked->excuse != NULL) {
        tell_excused(checking, checked);
        return;
    }
    checking->checked++;
    if (!checked->refused && strcmp(checked->found, checked->wanted) == 0)
        return;
    if (++checking->failed > DIFFERENCES_SHOWN)
        return;
    text_init(&words, WORKLOAD_SQL_MAX);
    text_init(&safe, WORKLOAD_SQL_MAX);
    if (checked->refused)
        text_add(&words, checked->found);
    else
        text_format(&words, "%s: %s, wanted %s", checked->what, checked->found, checked->wanted);
    text_add_safe(&safe, words.bytes);
    printf("  %s\n", safe.bytes);
    text_close(&words);
    text_close(&safe);
}

static bool conclude(const struct command_call *call, const struct checking *checking,
                     struct error *err)
{
    const char *name = call->workload->name;

    if (checking->failed > DIFFERENCES_SHOWN)
        printf("  and %lld more\n", (long long)checking->failed - DIFFERENCES_SHOWN);
    if (checking->failed > 0)
        return error_set(err, ERROR_CHECK,
                         "%s: %lld of %lld checks failed; the options must be those the data were "
                         "made with, and a workload that inserts or deletes changes them",
                         name, (long long)checking->failed, (long long)checking->checked);
    if (!call->plan.quiet && checking->excused > 0)
        printf("%s: %lld checks passed, %lld cannot hold\n", name, (long long)checking->checked,
               (long long)checking->excused);
    else if (!call->plan.quiet)
        printf("%s: %lld checks passed\n", name, (long long)checking->checked);
    return true;
}

static bool check(struct command_call *call, struct error *err)
{
    struct load_setup setup = { .plan = &call->plan,
                                .workload = call->workload,
                                .world = call->world };
    struct checking checking = { 0 };
    bool local;

    if (call->workload->check == NULL) {
        printf("%s has no data: nothing to check\n", call->workload->name);
        return true;
    }
    if (!target_open(&call->plan, call->arena, &setup.conninfo, &local, err))
        return false;
    load_signals();
    setup.world = recorded_world(call, setup.conninfo, false);
    return load_check(&setup, tell, &checking, err) && conclude(call, &checking, err);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };

    if (command_read(&call, &command_check, argc, argv, err))
        check(&call, err);
    command_close(&call);
    return err->kind;
}

const struct command command_check = {
    .name = "check",
    .summary = "are the data still consistent? the exit status says so",
    .usage = "WORKLOAD [options]",
    .text =
        "Asks the server whether the workload's tables hold what its options promise: how many "
        "rows, what is in them, keys, indexes and sequences. What differs is shown, and the "
        "exit status is 8. The data may be those of pgdyno load, which has recorded the options "
        "that they were made with, or of the original tool: give these options then.",
    .topics = "target,quiet",
    .takes_workload = true,
    .run = run,
};
