/*
 * target.h - the conninfo of the server that is meant; a local one is started when needed.
 */
#ifndef COMMAND_TARGET_H
#define COMMAND_TARGET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "plan/plan.h"

/* In the arena, and a secret. `local`: it is a server that pgdyno keeps. */
bool target_open(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
                 struct error *err);

#endif
