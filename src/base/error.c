/*
 * error.c - see error.h.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct exit_code exit_codes[] = {
    { ERROR_NONE, "ok", "done" },
    { ERROR_BUG, "bug", "a fault of pgdyno itself; please report it" },
    { ERROR_USAGE, "usage", "the command line does not make sense" },
    { ERROR_PLAN, "plan", "a plan or a precondition does not hold" },
    { ERROR_SERVER, "server", "the server refused or vanished, or nothing committed" },
    { ERROR_MACHINE, "machine",
      "this machine lacks something: memory, descriptors, disk, programs" },
    { ERROR_RATE, "rate", "the asked rate was not kept" },
    { ERROR_WORSE, "worse", "worse than the base (compare --fail-if)" },
    { ERROR_CHECK, "check", "the data are not consistent" },
    { ERROR_INCOMPARABLE, "incomparable", "results that must not be held against each other" },
    { ERROR_INTERRUPTED, "interrupted", "interrupted; what was measured is written" },
    { ERROR_NONE, NULL, NULL },
};

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list args;

    err->kind = kind;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool error_wrap(struct error *err, const char *format, ...)
{
    char inner[ERROR_TEXT_MAX];
    va_list args;
    size_t used;

    memcpy(inner, err->text, sizeof inner);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", inner);
    return false;
}

const char *error_kind_name(enum error_kind kind)
{
    for (const struct exit_code *row = exit_codes; row->name != NULL; row++)
        if (row->kind == kind)
            return row->name;
    return "?";
}
