/*
 * home.c - the folder in which one kept server lives, and what is remembered there.
 *
 * The marker is what makes removing safe: without it a folder is somebody else's.
 */
#include "server/home.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "server/folder.h"

#define MARKER_TITLE "pgdyno server 1"
#define ROOT_STATE   "/var/lib"
#define NAMED_MAX    128
#define FOLDER_MODE  (geteuid() == 0 ? 0755 : 0700) /* the account has to pass through root's */

void home_say(const struct server_options *options, const char *format, ...)
{
    char line[2 * SERVER_PATH_MAX];
    va_list arguments;

    if (options == NULL || options->say == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    options->say(options->context, line);
}

/* Can the account get to where `path` is or will be? */
static bool reachable(const struct account *account, const char *path)
{
    char there[SERVER_PATH_MAX];

    snprintf(there, sizeof there, "%s", path);
    folder_existing(there);
    return account_may(account, there, X_OK);
}

/* Where they are kept below the state folder: the user's, or a bench's. */
static bool name_servers(char *out, size_t size, struct error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    const char *name = getenv("PGDYNO_SERVERS");

    if (name == NULL || name[0] == '\0') {
        snprintf(out, size, "pgdyno/servers");
        return true;
    }
    if (name[0] == '.' || name[strspn(name, allowed)] != '\0' || strlen(name) > NAMED_MAX)
        return error_set(err, ERROR_USAGE,
                         "PGDYNO_SERVERS: wanted is a name of at most %d letters, digits, dots, "
                         "underscores and dashes",
                         NAMED_MAX);
    snprintf(out, size, "pgdyno/benches/%s", name);
    return true;
}

bool home_servers(struct account *account, char *out, struct error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char below[SERVER_PATH_MAX], servers[NAMED_MAX + 32];

    if (!account_find(account, err) || !name_servers(servers, sizeof servers, err))
        return false;
    if (state != NULL && state[0] != '/')
        state = NULL; /* the XDG specification: a relative one is to be ignored */
    if (geteuid() == 0) {
        if (state == NULL || !reachable(account, state))
            state = ROOT_STATE;
        return folder_join(out, state, servers, err);
    }
    if (state != NULL)
        return folder_join(out, state, servers, err);
    if (home == NULL || home[0] != '/')
        home = account->home;
    return folder_join(below, home, ".local/state", err) && folder_join(out, below, servers, err);
}

static bool is_named(const char *line, const char *name)
{
    return strncmp(line, name, strlen(name)) == 0 && strncmp(line + strlen(name), " = ", 3) == 0;
}

static void recall_line(struct home *home, const char *line)
{
    const char *value = strstr(line, " = ");

    if (value == NULL)
        return;
    value += strlen(" = ");
    if (is_named(line, "port"))
        home->port = (int)strtol(value, NULL, 10);
    else if (is_named(line, "tcp"))
        home->tcp = strcmp(value, "on") == 0;
    else if (is_named(line, "socket"))
        snprintf(home->socket, sizeof home->socket, "%s", value);
    else if (is_named(line, "settings"))
        snprintf(home->settings_name, sizeof home->settings_name, "%s", value);
}

static void recall(struct home *home)
{
    char *content = folder_read(home->marker), *rest = content, *line;
    struct stat facts;

    home->port = HOME_PORT;
    home->ours = content != NULL && lstat(home->marker, &facts) == 0 && S_ISREG(facts.st_mode) &&
                 facts.st_uid == geteuid() &&
                 strncmp(content, MARKER_TITLE "\n", strlen(MARKER_TITLE "\n")) == 0;
    if (home->ours)
        while ((line = strsep(&rest, "\n")) != NULL)
            recall_line(home, line);
    memory_free(content);
}

bool home_open(int major, struct home *home, struct error *err)
{
    char number[16];
    struct stat facts;

    memset(home, 0, sizeof *home);
    home->major = major;
    snprintf(number, sizeof number, "%d", major);
    if (!home_servers(&home->account, home->servers, err) ||
        !folder_join(home->folder, home->servers, number, err) ||
        !folder_join(home->data, home->folder, "data", err) ||
        !folder_join(home->marker, home->folder, "pgdyno-server", err) ||
        !folder_join(home->conf, home->folder, "pgdyno.conf", err) ||
        !folder_join(home->own_settings, home->folder, "settings.conf", err) ||
        !folder_join(home->log, home->folder, "log", err) ||
        !folder_join(home->passfile, home->folder, "passfile", err))
        return false;
    recall(home);
    /* Data that were made by another account (postgres came to this machine later) stay its. */
    if (home->ours && lstat(home->data, &facts) == 0 && facts.st_uid != home->account.uid)
        return account_of_owner(facts.st_uid, &home->account, err) ||
               error_wrap(err, "%s", home->data);
    return true;
}

bool home_remember(const struct home *home, struct error *err)
{
    struct text text;
    bool good;

    text_init(&text, FOLDER_FILE_MAX);
    text_format(&text, MARKER_TITLE "\nmajor = %d\nport = %d\ntcp = %s\nsocket = %s\n", home->major,
                home->port, home->tcp ? "on" : "off", home->socket);
    if (home->settings_name[0] != '\0')
        text_format(&text, "settings = %s\n", home->settings_name);
    good = folder_write(home->marker, text.bytes, 0644, err);
    text_close(&text);
    return good;
}

bool home_make(struct home *home, struct error *err)
{
    struct stat facts;

    if (home->ours)
        return true;
    if (lstat(home->folder, &facts) == 0 && (!S_ISDIR(facts.st_mode) || facts.st_uid != geteuid()))
        return error_set(err, ERROR_MACHINE, "%s is in the way: it is no folder of yours",
                         home->folder);
    if (!folder_is_empty(home->folder))
        return error_set(err, ERROR_MACHINE,
                         "%s is in the way: pgdyno did not make it, and it is not empty (move it "
                         "elsewhere, or set XDG_STATE_HOME)",
                         home->folder);
    if (!folder_make(home->folder, FOLDER_MODE, err) || !home_remember(home, err))
        return false;
    home->ours = true;
    return true;
}

int home_lock(const struct home *home, const struct server_options *options, struct error *err)
{
    char path[SERVER_PATH_MAX], name[32];
    int lock;

    snprintf(name, sizeof name, ".%d.lock", home->major);
    if (!folder_make(home->servers, FOLDER_MODE, err) ||
        !folder_join(path, home->servers, name, err))
        return -1;
    lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0) {
        error_set(err, ERROR_MACHINE, "cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        return lock;
    home_say(options, "another pgdyno is at PostgreSQL %d, waiting for it", home->major);
    while (flock(lock, LOCK_EX) < 0) {
        if (errno == EINTR)
            continue;
        error_set(err, ERROR_MACHINE, "cannot lock %s: %s", path, strerror(errno));
        close(lock);
        return -1;
    }
    return lock;
}

int server_hold(struct error *err)
{
    struct account account;
    char servers[SERVER_PATH_MAX], path[SERVER_PATH_MAX];
    int hold;

    if (!home_servers(&account, servers, err) || !folder_make(servers, FOLDER_MODE, err) ||
        !folder_join(path, servers, ".bench.lock", err))
        return -1;
    hold = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (hold >= 0 && flock(hold, LOCK_EX | LOCK_NB) == 0)
        return hold;
    if (hold < 0 || errno != EWOULDBLOCK)
        error_set(err, ERROR_MACHINE, "cannot lock %s: %s", path, strerror(errno));
    else
        error_set(err, ERROR_PLAN, "another pgdyno bench is at work with the servers in %s",
                  servers);
    if (hold >= 0)
        close(hold);
    return -1;
}

/* A number in postmaster.pid may be an old one, given to another process since. The postmaster's
 * current folder is its data folder, and that of no other program that bears this number. */
int home_pid(const struct home *home, char *program, size_t size)
{
    char path[SERVER_PATH_MAX], link[64], there[PATH_MAX], data[PATH_MAX];
    struct error ignored;
    char *content;
    ssize_t length;
    int pid;

    if (!folder_join(path, home->data, "postmaster.pid", &ignored))
        return 0;
    content = folder_read(path);
    pid = content != NULL ? (int)strtol(content, NULL, 10) : 0;
    memory_free(content);
    if (pid <= 1 || (kill(pid, 0) < 0 && errno == ESRCH) || realpath(home->data, data) == NULL)
        return 0;
    snprintf(link, sizeof link, "/proc/%d/cwd", pid);
    length = readlink(link, there, sizeof there - 1);
    if (length < 0)
        return 0;
    there[length] = '\0';
    if (strcmp(there, data) != 0)
        return 0;
    if (program != NULL) {
        snprintf(link, sizeof link, "/proc/%d/exe", pid);
        length = readlink(link, program, size - 1);
        program[length > 0 ? length : 0] = '\0';
    }
    return pid;
}

void home_kept(const struct home *home, struct server_kept *kept)
{
    memset(kept, 0, sizeof *kept);
    kept->major = home->major;
    kept->pid = home_pid(home, NULL, 0);
    kept->running = kept->pid != 0;
    kept->port = home->port;
    kept->tcp = home->tcp;
    kept->size_bytes = -1;
    snprintf(kept->data, sizeof kept->data, "%s", home->data);
    snprintf(kept->socket, sizeof kept->socket, "%s", home->socket);
    if (home->tcp)
        snprintf(kept->passfile, sizeof kept->passfile, "%s", home->passfile);
}
