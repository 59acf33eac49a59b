/*
 * verify.h - are the data still consistent after the run? Outside the measured window.
 */
#ifndef COMMAND_VERIFY_H
#define COMMAND_VERIFY_H

#include <jansson.h>
#include <stdbool.h>

#include "command/common.h"

/* Puts the workload's checks to the server as --check says. `worth_it` false (interrupted, nothing
 * committed): only --check always does. Gives {"when", "state": "passed", "failed", "unfinished",
 * "unanswered" or "skipped", "why", "seconds", "checked", "failed", "differences": [{"what",
 * "found", "wanted"}], "cannot_hold": [{"what", "found", "why"}]}, owned; NULL when there was
 * nothing to ask. */
json_t *verify_data(const struct command_call *call, const char *conninfo, bool worth_it);
/* Did it find that they are not? */
bool verify_failed(const json_t *verified);

#endif
