/*
 * place.h - where quick works: a schema of its own, so that nobody's data are in its way, and its
 * data in nobody's.
 */
#ifndef LOAD_PLACE_H
#define LOAD_PLACE_H

#include <stdint.h>

#include "base/error.h"

#define PLACE_SCHEMA "pgdyno_quick"

/* The same connection with a search_path that is this schema alone, which is made if it is missing.
 * Owned, and a secret. NULL: ERROR_SERVER. */
char *place_open(const char *conninfo, int64_t timeout_ns, struct error *err);

/* How many clients are connected to that server beside this program, whose own sessions are closed
 * by now; -1 when it does not tell. Waits a little for those that are just going. */
int place_others(const char *conninfo, int64_t timeout_ns);

#endif
