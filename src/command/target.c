/*
 * target.c - see target.h.
 */
#include "command/target.h"

#include "command/common.h"
#include "wire/conninfo.h"

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

bool target_find(const struct plan *plan, struct arena *arena, struct target *target,
                 struct error *err)
{
    const struct server_options options = { .pg_bin = plan->pg_bin,
                                            .settings = plan->settings,
                                            .brief = target->brief,
                                            .say = plan->quiet ? NULL : say };
    struct server_kept by_socket;
    int major;

    target->conninfo = plan_target(plan, arena);
    err->kind = ERROR_NONE;
    target->local = plan_target_local(target->conninfo, &major, err);
    if (!target->local)
        return err->kind == ERROR_NONE && conninfo_check(target->conninfo, err);
    if (!server_start(major, &options, &target->kept, err))
        return false;
    /* The socket, even of a server that is open for TCP: so `local` means the same every time. */
    by_socket = target->kept;
    by_socket.tcp = false;
    target->conninfo = server_conninfo(&by_socket, NULL, arena);
    return true;
}

bool target_open(const struct plan *plan, struct arena *arena, const char **conninfo, bool *local,
                 struct error *err)
{
    struct target target = { .brief = false };
    bool good = target_find(plan, arena, &target, err);

    *conninfo = target.conninfo;
    *local = target.local;
    return good;
}
