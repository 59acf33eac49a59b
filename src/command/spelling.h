/*
 * spelling.h - what people type who come from sysbench, told in the words of pgdyno.
 *
 * A command line of sysbench is not run as it is: --threads means connections there, and its word
 * order hides the verb. It is answered with the command line that means the same here, to be typed
 * or to be put into a script.
 */
#ifndef COMMAND_SPELLING_H
#define COMMAND_SPELLING_H

#include <stdbool.h>

#include "base/error.h"

/* Fills `err` with the same command line as pgdyno would have it, when there is a workload in it:
 * "oltp_read_write --threads=8 run", in any order of words, also with `prepare` and `cleanup`. No
 * secret gets into the text. False: there is none. */
bool spelling_tell(int argc, char **argv, struct error *err);

/* What a verb of sysbench is called here ("load" for "prepare"), or NULL. */
const char *spelling_verb(const char *word);
/* The workload that an older sysbench called so ("oltp", "insert.lua"), or NULL. */
const char *spelling_workload(const char *word);
/* Whether it is one of sysbench's tests of a machine (cpu, fileio, ...). */
bool spelling_is_machine_test(const char *word);

#endif
