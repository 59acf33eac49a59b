/*
 * target.h - the conninfo of the server that is meant; a local one is started when needed.
 */
#ifndef COMMAND_TARGET_H
#define COMMAND_TARGET_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "plan/plan.h"
#include "server/server.h"

struct target {
    bool brief; /* set before: the caller stops a server that it started */
    /* what came of it: */
    const char *conninfo; /* in the arena, and a secret */
    bool local;           /* it is a server that pgdyno keeps: */
    struct server_kept kept;
};

bool target_find(const struct plan *plan, struct arena *arena, struct target *target,
                 struct error *err);

/* The same for who needs no more: in the arena, and a secret. `local`: it is a server that pgdyno
 * keeps. */
bool target_open(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
                 struct error *err);

#endif
