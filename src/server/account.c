/*
 * account.c - as whom a server runs.
 *
 * No su and no sudo: they ask PAM, print, and need a shell for the account. The child gives up its
 * groups, its group and its user, in this order, since each step needs the right of the next.
 */
#include "server/account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool fill(const struct passwd *entry, struct account *out)
{
    memset(out, 0, sizeof *out);
    out->change = entry->pw_uid != geteuid();
    out->uid = entry->pw_uid;
    out->gid = entry->pw_gid;
    snprintf(out->name, sizeof out->name, "%s", entry->pw_name);
    snprintf(out->home, sizeof out->home, "%s", entry->pw_dir);
    out->group_count = ACCOUNT_GROUPS_MAX;
    if (getgrouplist(entry->pw_name, entry->pw_gid, out->groups, &out->group_count) < 0)
        out->group_count = ACCOUNT_GROUPS_MAX; /* it is in more: the first ones do */
    return true;
}

/* A container may run us under a number that has no name. */
static void fill_nameless(struct account *out)
{
    const char *home = getenv("HOME");

    memset(out, 0, sizeof *out);
    out->uid = geteuid();
    out->gid = getegid();
    snprintf(out->name, sizeof out->name, "%ld", (long)out->uid);
    snprintf(out->home, sizeof out->home, "%s", home != NULL ? home : "/");
}

bool account_find(struct account *out, struct error *err)
{
    static const char *const names[] = { "postgres", "nobody" };
    const struct passwd *entry;

    if (geteuid() != 0)
        return account_of_owner(geteuid(), out, err);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        entry = getpwnam(names[i]);
        if (entry != NULL && entry->pw_uid != 0)
            return fill(entry, out);
    }
    return error_set(err, ERROR_MACHINE,
                     "PostgreSQL refuses to run as root, and there is no account `postgres` or "
                     "`nobody` to run it: make one (useradd --system postgres), or start pgdyno "
                     "as an ordinary user");
}

bool account_of_owner(uid_t uid, struct account *out, struct error *err)
{
    const struct passwd *entry = getpwuid(uid);

    if (uid == 0)
        return error_set(err, ERROR_MACHINE,
                         "the server's data belong to root, as whom PostgreSQL refuses to run");
    if (uid != geteuid() && geteuid() != 0)
        return error_set(err, ERROR_MACHINE, "the server's data belong to %s, not to you",
                         entry != NULL ? entry->pw_name : "another user");
    if (entry != NULL)
        return fill(entry, out);
    if (uid != geteuid())
        return error_set(err, ERROR_MACHINE,
                         "the server's data belong to user number %ld, which is no account here",
                         (long)uid);
    fill_nameless(out);
    return true;
}

bool account_become(const struct account *account)
{
    if (!account->change)
        return true;
    return setgroups((size_t)account->group_count, account->groups) == 0 &&
           setresgid(account->gid, account->gid, account->gid) == 0 &&
           setresuid(account->uid, account->uid, account->uid) == 0;
}

bool account_may(const struct account *account, const char *path, int mode)
{
    int status;
    pid_t child;

    if (!account->change)
        return access(path, mode) == 0;
    child = fork();
    if (child == 0)
        _exit(account_become(account) && access(path, mode) == 0 ? 0 : 1);
    if (child < 0)
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
