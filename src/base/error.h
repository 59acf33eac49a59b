/*
 * error.h - what went wrong, said once, for the person who can mend it.
 *
 * A function that may fail through the operator or the machine returns false or NULL and fills a
 * `struct error`. Its kind picks the exit code (one table below), its text is the message: what
 * was found, what was wanted, what to do; lower case, no full stop. A refusal by the server under
 * load is not an error but data, and never travels this way. Reporting an error cannot fail: the
 * text lives inside the struct.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "base/compiler.h"

#define ERROR_TEXT_MAX 1024

/* Numbers are the program's exit codes; base/error.c holds their names and meanings, one row each.
 */
enum error_kind {
    ERROR_NONE = 0,          /* all is well */
    ERROR_BUG = 1,           /* ours */
    ERROR_USAGE = 2,         /* the command line does not make sense */
    ERROR_PLAN = 3,          /* a plan or a precondition does not hold */
    ERROR_SERVER = 4,        /* the server refused, vanished, or nothing committed */
    ERROR_MACHINE = 5,       /* this machine: memory, descriptors, disk, missing programs */
    ERROR_RATE = 6,          /* the asked rate was not kept */
    ERROR_WORSE = 7,         /* compare --fail-if: worse than base */
    ERROR_CHECK = 8,         /* the data are not consistent */
    ERROR_INCOMPARABLE = 9,  /* results that must not be held against each other */
    ERROR_INTERRUPTED = 130, /* SIGINT or SIGTERM; what was measured is written */
};

struct error {
    enum error_kind kind;
    char text[ERROR_TEXT_MAX];
};

/* Fills `err` (never NULL) and gives false, so that a failing function ends in one line. Text
 * beyond ERROR_TEXT_MAX - 1 bytes is cut. Any thread; `err` is the caller's. */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* Puts context before the text: "in plan x.yaml: ...". Keeps the kind. Gives false. */
bool error_wrap(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* One row of the exit code table. */
struct exit_code {
    enum error_kind kind;
    const char *name;    /* a word, as in JSON: "rate" */
    const char *meaning; /* a line for --help and the man page */
};

/* All rows in ascending order of code, ended by a row whose name is NULL. */
extern const struct exit_code exit_codes[];

/* The word for a kind; "?" for a number that is in no row. */
const char *error_kind_name(enum error_kind kind);

#endif
