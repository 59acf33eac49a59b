/*
 * saved.c - a copy of a server's data folder, to begin from the same data again and again.
 *
 * cp does the copying: it keeps owners, modes and holes, and shares the blocks where the file
 * system can. A copy appears whole or not at all.
 */
#include <errno.h>
#include <fcntl.h>
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

/* What is not on the disk yet would be written while the next run is measured, and would not
 * outlive a power cut. */
static bool settle(const char *path, struct error *err)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool good = folder >= 0 && syncfs(folder) == 0;

    if (!good)
        error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
    if (folder >= 0)
        close(folder);
    return good;
}

/* In one step where the file system can, so that whoever is killed here leaves the old data or the
 * new ones, and never half of them. */
static bool put_in_place(const char *unfinished, const char *to, struct error *err)
{
    if (renameat2(AT_FDCWD, unfinished, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return folder_remove(unfinished, err);
    return folder_remove(to, err) && (rename(unfinished, to) == 0 ||
                                      error_set(err, ERROR_MACHINE, "cannot rename %s to %s: %s",
                                                unfinished, to, strerror(errno)));
}

/* A link would be copied as a link: the copy would be the data themselves. */
static bool is_folder(const char *path, bool must_be, struct error *err)
{
    struct stat facts;

    if (lstat(path, &facts) < 0)
        return !must_be || error_set(err, ERROR_MACHINE, "%s: %s", path, strerror(errno));
    return S_ISDIR(facts.st_mode) ||
           error_set(err, ERROR_MACHINE, "%s is no folder but a link or a file: left alone", path);
}

static bool copy(const char *from, const char *to, const struct server_options *options,
                 struct error *err)
{
    char unfinished[SERVER_PATH_MAX + 8];
    const char *words[] = { "-a", "--reflink=auto", "--", from, unfinished, NULL };
    const struct process process = { .program = COPY_PROGRAM,
                                     .arguments = words,
                                     .timeout_s = COPY_TIMEOUT_S,
                                     .dies_with_us = true,
                                     .stopped = options != NULL ? options->stopped : NULL };
    struct process_result result;

    snprintf(unfinished, sizeof unfinished, "%s.new", to);
    if (!is_folder(from, true, err) || !is_folder(to, false, err) ||
        !folder_remove(unfinished, err) || !process_run(&process, &result, err))
        return false;
    if (result.status != 0) {
        struct error ignored;
        folder_remove(unfinished, &ignored);
        return error_set(err, ERROR_MACHINE, "cannot copy %s to %s: %s", from, to,
                         cluster_complaint(result.output));
    }
    return settle(unfinished, err) && put_in_place(unfinished, to, err);
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
           (saving ? copy(home->data, saved, options, err) : copy(saved, home->data, options, err));
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
