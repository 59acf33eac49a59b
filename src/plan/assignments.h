/*
 * assignments.h - reads a file of shell assignments without a shell.
 *
 * Some tools keep their configuration as lines KEY=value that they execute. Here such a file is
 * only read: quotes, backslashes, comments and `export` mean what they mean to a shell, and what
 * would need one (variables, commands, anything that is no assignment) is an error that names the
 * line.
 */
#ifndef PLAN_ASSIGNMENTS_H
#define PLAN_ASSIGNMENTS_H

#include <stdbool.h>

#include "base/error.h"

#define ASSIGNMENTS_FILE_MAX 65536 /* bytes */
#define ASSIGNMENTS_LINE_MAX 4096

struct assignment {
    char name[64];
    char value[ASSIGNMENTS_LINE_MAX];
};

/* Reads one line without its newline. True with an empty name: nothing is assigned. Pure. */
bool assignment_parse(const char *line, struct assignment *assignment, struct error *err);
/* Each assignment of a file, in order; `take` may refuse one. ERROR_USAGE: file, line, reason. */
bool assignments_read(const char *path,
                      bool (*take)(void *context, const struct assignment *assignment,
                                   struct error *err),
                      void *context, struct error *err);

#endif
