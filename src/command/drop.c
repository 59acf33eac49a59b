/*
 * drop.c - `pgdyno drop WORKLOAD`: removes what load made, nothing else.
 *
 * Ctrl-C cancels what the server is at: no table goes later that was still there.
 */
#include <stdio.h>
#include <unistd.h>

#include "command/common.h"
#include "command/progress.h"
#include "command/target.h"
#include "load/load.h"

#define TABLES_SHOWN 20

static void print_list(const json_t *list)
{
    size_t count = json_array_size(list);
    char rows[32], size[32];

    for (size_t i = 0; i < count && i < TABLES_SHOWN; i++) {
        const json_t *one = json_array_get(list, i);
        printf("  %-20s %s%15s rows  %s\n", json_string_value(json_object_get(one, "table")),
               json_is_true(json_object_get(one, "exact")) ? "" : "about ",
               progress_count(json_integer_value(json_object_get(one, "rows")), rows),
               progress_size(json_integer_value(json_object_get(one, "size_bytes")), size));
    }
    if (count > TABLES_SHOWN)
        printf("  and %zu more\n", count - TABLES_SHOWN);
}

static bool asks_yes(size_t count)
{
    char answer[16];

    printf("drop %zu table%s? [y/N] ", count, count == 1 ? "" : "s");
    fflush(stdout);
    return fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

/* On a server that is not our own the tables are shown first, and somebody has to say yes. */
static bool confirm(const struct command_call *call, const json_t *list, bool local,
                    struct error *err)
{
    size_t count = json_array_size(list);

    if (!local || !call->plan.quiet)
        print_list(list);
    if (local || call->plan.yes)
        return true;
    if (!isatty(STDIN_FILENO))
        return error_set(err, ERROR_PLAN,
                         "nothing was dropped: this is no server that pgdyno keeps, so say --yes "
                         "when %zu table%s may go",
                         count, count == 1 ? "" : "s");
    return asks_yes(count) || error_set(err, ERROR_PLAN, "nothing was dropped");
}

static bool drop(struct command_call *call, struct error *err)
{
    struct progress progress = { .out = stdout, .quiet = call->plan.quiet };
    struct load_setup setup = { .plan = &call->plan,
                                .workload = call->workload,
                                .progress = progress_tell,
                                .context = &progress };
    json_t *list;
    bool local, ok;
    int count = 0;

    if (call->workload->table_count == NULL) {
        printf("%s has no data: nothing to drop\n", call->workload->name);
        return true;
    }
    if (!target_open(&call->plan, call->arena, &setup.conninfo, &local, err))
        return false;
    load_signals();
    list = load_drop_list(&setup, err);
    if (list == NULL)
        return false;
    ok = json_array_size(list) == 0 || confirm(call, list, local, err);
    json_decref(list);
    ok = ok && load_drop(&setup, &count, err);
    progress_end(&progress);
    if (!ok)
        return false;
    if (count == 0)
        printf("%s: no data that pgdyno load made are here, nothing dropped\n",
               call->workload->name);
    else
        printf("%s: %d table%s dropped\n", call->workload->name, count, count == 1 ? "" : "s");
    return true;
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };

    if (command_read(&call, &command_drop, argc, argv, err))
        drop(&call, err);
    command_close(&call);
    return err->kind;
}

const struct command command_drop = {
    .name = "drop",
    .summary = "remove what load made, nothing else",
    .usage = "WORKLOAD [options]",
    .text = "Removes the tables that pgdyno load made for the workload's family, as recorded in "
            "the table pgdyno_dataset beside them, whatever their size; a table of the same name "
            "that load did not make, or that belongs to another role by now, stays. On a server "
            "that pgdyno does not keep itself they are shown first and --yes is wanted, or an "
            "answer at the terminal.",
    .topics = "target,yes,quiet",
    .takes_workload = true,
    .run = run,
};
