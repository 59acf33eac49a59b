/*
 * common.h - what every verb needs: its command line read and checked, its --help, its notes.
 *
 *     struct command_call call = { .own = &options };
 *     if (!command_read(&call, &command_run, argc, argv, err)) {
 *         command_close(&call);
 *         return err->kind;
 *     }
 */
#ifndef COMMAND_COMMON_H
#define COMMAND_COMMON_H

#include <stdio.h>

#include "base/arena.h"
#include "command/command.h"
#include "plan/plan.h"
#include "workload/workload.h"

struct command_call {
    void *own; /* what the verb's own rows write into; set before command_read() */
    /* what came of it, valid until command_close(): */
    struct arena *arena;
    struct plan plan;
    const struct workload *workload; /* NULL when the verb takes none */
    void *options, *world;           /* of the workload */
    struct option_group groups[3];   /* the plan's, then the family's, then the verb's own */
    int group_count;
    struct option_argv args; /* args.words without the workload; args.notes are printed already */
};

/* Reads the command line of a verb: the workload, the plan's options, the family's and the verb's
 * own, wherever they stand; checks the plan and opens the workload's world. Connects to nothing.
 * False: err is filled, or --help was asked for and is printed (err->kind is ERROR_NONE). */
bool command_read(struct command_call *call, const struct command *command, int argc, char **argv,
                  struct error *err);
void command_close(struct command_call *call);

/* One line on stderr, with the program's name before it; control characters escaped. */
void command_say(const char *words);

/* The row of that verb, or NULL. */
const struct command *command_find(const char *name);
/* A workload by name, also as sysbench calls it ("oltp_point_select.lua", with a path). */
const struct workload *command_workload(const char *word);

/* The workload that stands for family `index`, 0.. until NULL: whose options a list shows once.
 * What
 * --compat puts in a workload's place may be a family of its own. */
const struct workload *command_family(int index);

/* The topics and rows of the plan that the verb's help and completion show, --help among them.
 * Owned. */
char *command_topics(const struct command *command);

/* completion.c: a script for that shell; false when it is none we know. */
bool command_write_completion(FILE *out, const char *shell);

/* help.c: the whole program's, and a verb's (with the workload's options when it is not NULL). */
void command_help(FILE *out);
void command_help_verb(FILE *out, const struct command *command, const struct workload *workload);
/* Where lines are to end: at 100 columns, or where the terminal does when it is narrower. */
int command_columns(FILE *out);
/* Words wrapped there, each line begun with `indent` spaces, ended by a newline. */
void command_wrap(FILE *out, const char *words, int indent);

/* Cells of `columns` a row, row after row, aligned; the last column is as long as it is,
 * but on a terminal it is wrapped. */
void command_write_cells(FILE *out, const char *const *cells, int columns, int row_count);

#endif
