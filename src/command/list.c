/*
 * list.c - `pgdyno list`: what there is, made from the tables.
 */
#include <string.h>

#include "command/common.h"
#include "command/published.h"
#include "report/report.h"

#define CELLS_MAX 4096

static void list_workloads(struct arena *arena)
{
    struct report_style style = report_style_of(stdout);

    (void)arena;
    report_workloads(stdout, &style, NULL);
}

static bool list_suite(const char *name)
{
    struct report_style style = report_style_of(stdout);

    for (int i = 0; workload_table[i] != NULL; i++)
        if (workload_table[i]->suite != NULL && strcmp(workload_table[i]->suite, name) == 0) {
            report_workloads(stdout, &style, name);
            return true;
        }
    return false;
}

static void list_transactions(struct arena *arena)
{
    const char **cells = ARENA_ARRAY(arena, const char *, CELLS_MAX);
    int count = 0;

    cells[count++] = "workload";
    cells[count++] = "transaction";
    cells[count++] = "weight";
    cells[count++] = "what it does";
    for (int i = 0; workload_table[i] != NULL; i++) {
        if (workload_table[i]->suite != NULL)
            continue;
        for (const struct transaction *row = workload_table[i]->transactions;
             row->name != NULL && count + 4 <= CELLS_MAX; row++) {
            cells[count++] = workload_table[i]->name;
            cells[count++] = row->name;
            cells[count++] = arena_format(arena, "%g", row->weight);
            cells[count++] = row->summary;
        }
    }
    command_write_cells(stdout, cells, 4, count / 4);
}

static void list_options(struct arena *arena)
{
    (void)arena;
    puts("For every workload:");
    option_write_help_within(stdout, plan_options, NULL, command_columns(stdout));
    puts("\nFor the workloads of a family:");
    for (int i = 0; command_family(i) != NULL; i++)
        if (command_family(i)->options != NULL)
            option_write_help_within(stdout, command_family(i)->options, NULL,
                                     command_columns(stdout));
}

static void list_exit_codes(struct arena *arena)
{
    const char **cells = ARENA_ARRAY(arena, const char *, CELLS_MAX);
    int count = 0;

    cells[count++] = "code";
    cells[count++] = "name";
    cells[count++] = "meaning";
    for (const struct exit_code *row = exit_codes; row->name != NULL; row++) {
        cells[count++] = arena_format(arena, "%4d", (int)row->kind);
        cells[count++] = row->name;
        cells[count++] = row->meaning;
    }
    command_write_cells(stdout, cells, 3, count / 3);
}

static const struct {
    const char *name;
    void (*write)(struct arena *arena);
} lists[] = {
    { "workloads", list_workloads }, { "transactions", list_transactions },
    { "options", list_options },     { "exit-codes", list_exit_codes },
    { "plans", published_list },
};

static bool list(const struct command_call *call, struct error *err)
{
    const char *word = call->args.word_count > 0 ? call->args.words[0] : "workloads";

    if (call->args.word_count > 1)
        return error_set(err, ERROR_USAGE, "pgdyno list: one word is enough");
    for (int i = 0; i < COUNT_OF(lists); i++)
        if (strcmp(lists[i].name, word) == 0) {
            lists[i].write(call->arena);
            return true;
        }
    if (list_suite(word))
        return true;
    return error_set(err, ERROR_USAGE,
                     "pgdyno list: wanted is workloads, micro, transactions, options, plans "
                     "or exit-codes");
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { 0 };

    if (command_read(&call, &command_list, argc, argv, err))
        list(&call, err);
    command_close(&call);
    return err->kind;
}

const struct command command_list = {
    .name = "list",
    .summary = "what there is: workloads, transactions, options, plans, exit codes",
    .usage = "[workloads|micro|transactions|options|plans|exit-codes]",
    .text =
        "Shows a table of what this pgdyno knows; workloads when no word is given. micro shows the "
        "microbenchmarks, which workloads shows as one; plans those that bench knows by name.",
    .run = run,
};
