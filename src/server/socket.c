/*
 * socket.c - the folder of a server's unix socket.
 *
 * Who can enter the folder can enter the server (pg_hba.conf trusts the socket), so it is the
 * account's with mode 0700. A socket's whole path has room for 107 bytes in the kernel's structure;
 * in a deep state folder the socket therefore moves to a short one, which is remembered.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/folder.h"
#include "server/home.h"

#define SOCKET_NAME "/.s.PGSQL.65535" /* the longest */
#define PLAIN       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+"

/* Short enough, and nothing in it that a conninfo or a list of folders would take apart. */
static bool fits(const char *path)
{
    struct sockaddr_un address;

    return strlen(path) + strlen(SOCKET_NAME) < sizeof address.sun_path &&
           path[strspn(path, PLAIN)] == '\0';
}

static bool is_safe(const struct home *home, const char *path)
{
    struct stat facts;

    return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == home->account.uid && (facts.st_mode & 07777) == 0700;
}

static bool hand_over(const struct home *home, const char *path, struct error *err)
{
    if (chmod(path, 0700) < 0 ||
        (home->account.change && lchown(path, home->account.uid, home->account.gid) < 0))
        return error_set(err, ERROR_MACHINE, "cannot give %s to the account %s: %s", path,
                         home->account.name, strerror(errno));
    return true;
}

/* $XDG_RUNTIME_DIR if the account gets there, else /tmp. */
static bool make_elsewhere(struct home *home, struct error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char path[SERVER_PATH_MAX];

    for (int attempt = 0; attempt < 2; attempt++) {
        const char *parent = attempt == 0 ? runtime : "/tmp";

        if (parent == NULL || parent[0] != '/' || !account_may(&home->account, parent, X_OK))
            continue;
        snprintf(path, sizeof path, "%s/pgdyno-%ld-XXXXXX", parent, (long)geteuid());
        if (fits(path) && mkdtemp(path) != NULL) {
            snprintf(home->socket, sizeof home->socket, "%s", path);
            return hand_over(home, path, err) && home_remember(home, err);
        }
    }
    return error_set(err, ERROR_MACHINE,
                     "no place for the server's socket: %s is too long a path, and none can be "
                     "made in XDG_RUNTIME_DIR or /tmp",
                     home->folder);
}

bool home_socket(struct home *home, struct error *err)
{
    char inside[SERVER_PATH_MAX];

    if (home->socket[0] != '\0' && is_safe(home, home->socket))
        return true;
    if (!folder_join(inside, home->folder, "socket", err))
        return false;
    if (!fits(inside))
        return make_elsewhere(home, err);
    if (mkdir(inside, 0700) < 0 && errno != EEXIST)
        return error_set(err, ERROR_MACHINE, "cannot make the folder %s: %s", inside,
                         strerror(errno));
    snprintf(home->socket, sizeof home->socket, "%s", inside);
    return hand_over(home, inside, err) && is_safe(home, inside) && home_remember(home, err);
}
