/*
 * command.h - the verbs. A file a verb; each is one row of command_table. Only this room writes to
 * stdout, handles signals and knows exit codes.
 */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include "base/error.h"

struct option;

struct command {
    const char *name, *summary;
    const char *usage;   /* "WORKLOAD [options]" */
    const char *text;    /* a paragraph for --help and the man page */
    const char *topics;  /* topics or names of plan options it is about, comma separated; NULL: only
                          * --help */
    bool takes_workload; /* its first word is a workload whose options it takes as well */
    bool hidden;         /* not in --help: for the build */
    const char *const *defaults;  /* "--name=value", ended by NULL: what --help shows in place of a
                                   * row's default, "--name=" none; NULL: all are the rows' */
    const struct option *options; /* rows of its own, ended by name NULL; NULL: none */
    /* argv without the program's and the verb's names. Gives the exit code; `err` filled unless it
     * is ok. */
    enum error_kind (*run)(int argc, char **argv, struct error *err);
};

/* Ended by NULL. */
extern const struct command *const command_table[];

/* The rows, each in the file of its verb. */
extern const struct command command_bench, command_quick, command_list, command_load, command_run,
    command_check, command_drop, command_show, command_compare, command_aa, command_server,
    command_doc;

#endif
