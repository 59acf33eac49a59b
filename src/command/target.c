/*
 * target.c - see target.h.
 */
#include "command/target.h"

#include "command/common.h"
#include "server/server.h"
#include "wire/conninfo.h"

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

bool target_open(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
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
        return err->kind == ERROR_NONE && conninfo_check(*conninfo, err);
    if (!server_start(major, &options, &kept, err))
        return false;
    *conninfo = server_conninfo(&kept, NULL, arena);
    return true;
}
