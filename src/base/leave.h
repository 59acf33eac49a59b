/*
 * leave.h - the way out of a program from a signal handler.
 */
#ifndef BASE_LEAVE_H
#define BASE_LEAVE_H

#include "base/compiler.h"

/* Says `words` on standard error and ends the process with `code`, without cleaning up: the kernel
 * closes what is open. Async-signal-safe. Elsewhere only main() ends the program. */
NEVER_RETURNS void leave_at_once(int code, const char *words);

#endif
