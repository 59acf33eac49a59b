/*
 * load_target.c - see load_target.h.
 */
#include "command/load_target.h"

#include "command/common.h"
#include "server/server.h"

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

bool load_target(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
                 struct error *err)
{
    const struct server_options options = { .pg_bin = plan->pg_bin,
                                            .settings = plan->settings,
                                            .say = plan->quiet ? NULL : say };
    struct server_kept kept;
    int major;

    *conninfo = plan_target(plan, arena);
    err->kind = ERROR_NONE;
    *local = plan_target_local(*conninfo, &major, err);
    if (!*local)
        return err->kind == ERROR_NONE;
    if (!server_start(major, &options, &kept, err))
        return false;
    *conninfo = server_conninfo(&kept, "pgdyno-load", arena);
    return true;
}
