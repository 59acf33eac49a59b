/*
 * saved.c - a copy of a server's data folder, to begin from the same data again and again.
 *
 * cp does the copying: it keeps owners, modes and holes, and shares the blocks where the file
 * system can. A copy appears whole or not at all.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "server/cluster.h"
#include "server/folder.h"
#include "server/home.h"
#include "server/postmaster.h"

#define COPY_TIMEOUT_S 86400
#define COPY_PROGRAM   "/bin/cp"

static bool copy(const char *from, const char *to, struct error *err)
{
    char unfinished[SERVER_PATH_MAX + 8];
    const char *words[] = { "-a", "--reflink=auto", "--", from, unfinished, NULL };
    const struct process process = { .program = COPY_PROGRAM,
                                     .arguments = words,
                                     .timeout_s = COPY_TIMEOUT_S,
                                     .dies_with_us = true };
    struct process_result result;

    snprintf(unfinished, sizeof unfinished, "%s.new", to);
    if (!folder_remove(unfinished, err) || !process_run(&process, &result, err))
        return false;
    if (result.status != 0) {
        struct error ignored;
        folder_remove(unfinished, &ignored);
        return error_set(err, ERROR_MACHINE, "cannot copy %s to %s: %s", from, to,
                         cluster_complaint(result.output));
    }
    if (!folder_remove(to, err))
        return false;
    return rename(unfinished, to) == 0 ||
           error_set(err, ERROR_MACHINE, "cannot rename %s to %s: %s", unfinished, to,
                     strerror(errno));
}

static bool with_stopped(int major, const struct server_options *options, bool saving,
                         struct error *err)
{
    struct home *home = MEMORY_NEW(struct home);
    char saved[SERVER_PATH_MAX];
    struct stat facts;
    bool good = home_open(major, home, err);
    int lock = -1;

    if (good && !home->ours)
        good = error_set(err, ERROR_USAGE, "no server of PostgreSQL %d is kept in %s", major,
                         home->servers);
    good = good && folder_join(saved, home->folder, "saved", err);
    if (good && !saving && lstat(saved, &facts) < 0)
        good = error_set(err, ERROR_PLAN, "there is no copy of the data in %s", saved);
    if (good)
        lock = home_lock(home, options, err);
    good = lock >= 0 && postmaster_stop(home, options, err) &&
           (saving ? copy(home->data, saved, err) : copy(saved, home->data, err));
    if (lock >= 0)
        close(lock);
    memory_free(home);
    return good;
}

bool server_save(int major, const struct server_options *options, struct error *err)
{
    return with_stopped(major, options, true, err);
}

bool server_restore(int major, const struct server_options *options, struct error *err)
{
    return with_stopped(major, options, false, err);
}
