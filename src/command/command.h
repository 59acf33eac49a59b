/*
 * command.h - the verbs. A file a verb; each is one row of command_table. Only this room writes to
 * stdout, handles signals and knows exit codes.
 */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include "base/error.h"

struct command {
    const char *name, *summary;
    const char *usage;   /* "WORKLOAD [options]" */
    const char *text;    /* a paragraph for the man page */
    const char *topics;  /* topics of plan options it takes, comma separated */
    bool takes_workload; /* its first word is a workload whose options it takes as well */
    /* argv without the program's and the verb's names. Gives the exit code; `err` filled unless it
     * is ok. */
    enum error_kind (*run)(int argc, char **argv, struct error *err);
};

/* Ended by a row whose name is NULL. */
extern const struct command command_table[];

#endif
