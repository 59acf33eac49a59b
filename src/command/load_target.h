/*
 * load_target.h - the conninfo of the server that is meant; a local one is started when needed.
 */
#ifndef COMMAND_LOAD_TARGET_H
#define COMMAND_LOAD_TARGET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "plan/plan.h"

/* In the arena, and a secret. `local`: it is a server that pgdyno keeps. */
bool load_target(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
                 struct error *err);

#endif
