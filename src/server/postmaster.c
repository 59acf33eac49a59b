/*
 * postmaster.c - starts and stops the process.
 *
 * A server that was killed leaves its pid files behind. PostgreSQL copes with that, except when the
 * number now belongs to another process of the same account, which is common in containers, where
 * numbers start again at 1: it then believes in a running server. We know better, since we hold the
 * lock and looked at that process, and take the files away. The memory segment of a killed server
 * stays in use until its last child has noticed; that is waited for.
 */
#include "server/postmaster.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "server/cluster.h"
#include "server/folder.h"

#define STOP_TIMEOUT_S 600 /* and the last checkpoint may write a lot */
#define ORPHANS_NS     (15 * NS_PER_S)
#define END_NS         (5 * NS_PER_S)
#define POLL_NS        (5 * NS_PER_MS)
#define LOG_KEEP_BYTES (16 << 20)

static void drop_socket_file(const struct home *home, const char *suffix)
{
    char path[SERVER_PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/.s.PGSQL.%d%s", home->socket, home->port, suffix);
    unlink(path);
}

static void clear_stale(const struct home *home)
{
    char path[SERVER_PATH_MAX];
    struct error ignored;
    char *content;
    long pid;

    if (!folder_join(path, home->data, "postmaster.pid", &ignored))
        return;
    content = folder_read(path);
    pid = content != NULL ? strtol(content, NULL, 10) : 0;
    memory_free(content);
    if (pid > 1 && kill((pid_t)pid, 0) == 0)
        unlink(path);
    drop_socket_file(home, "");
    drop_socket_file(home, ".lock");
}

/* The folder is ours and not the account's, so the log has to be there before. Gives its size. */
static bool prepare_log(const struct home *home, off_t *size, struct error *err)
{
    struct stat facts;
    char old[SERVER_PATH_MAX + 8];
    int file;

    snprintf(old, sizeof old, "%s.old", home->log);
    if (lstat(home->log, &facts) == 0 && facts.st_size > LOG_KEEP_BYTES)
        rename(home->log, old);
    file = open(home->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 || fstat(file, &facts) < 0 ||
        (home->account.change && fchown(file, home->account.uid, home->account.gid) < 0)) {
        error_set(err, ERROR_MACHINE, "cannot make %s: %s", home->log, strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    *size = facts.st_size;
    close(file);
    return true;
}

/* What the server wrote into its log since it had `from` bytes; at most the first part of it. */
static void read_log(const struct home *home, off_t from, char *out, size_t size)
{
    int file = open(home->log, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t got = -1;

    if (file >= 0) {
        got = pread(file, out, size - 1, from);
        close(file);
    }
    out[got > 0 ? got : 0] = '\0';
}

bool postmaster_start(const struct home *home, const struct server_install *install,
                      struct error *err)
{
    const char *words[] = { "pg_ctl",  "start", "-D", home->data, "-l",
                            home->log, "-w",    "-t", "600",      NULL };
    struct process_result result;
    char said[16384];
    int64_t until_ns = clock_now_ns() + ORPHANS_NS;
    off_t log_size;

    clear_stale(home);
    for (;;) {
        if (!prepare_log(home, &log_size, err) ||
            !cluster_program(home, install, words, &result, err))
            return false;
        if (result.status == 0)
            return true;
        read_log(home, log_size, said, sizeof said);
        if (strstr(said, "still in use") == NULL || clock_now_ns() > until_ns)
            break;
        clock_sleep_until_ns(clock_now_ns() + 50 * POLL_NS);
    }
    return error_set(err, ERROR_MACHINE, "PostgreSQL %s does not start: %s (all of it is in %s)",
                     install->version, cluster_complaint(said[0] != '\0' ? said : result.output),
                     home->log);
}

/* It takes its pid file away shortly before it ends. A process that ended may stay a zombie where
 * nobody looks after orphans, which is a container's fault and no reason to wait. */
static void await_end(int pid)
{
    int64_t until_ns = clock_now_ns() + END_NS;
    char path[64], stat[512];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    while (clock_now_ns() < until_ns) {
        FILE *file = fopen(path, "re");
        const char *state = NULL;

        if (file == NULL)
            return;
        if (fgets(stat, sizeof stat, file) != NULL)
            state = strrchr(stat, ')');
        fclose(file);
        if (state == NULL || strncmp(state, ") Z", 3) == 0)
            return;
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
}

bool postmaster_stop(const struct home *home, const struct server_options *options,
                     struct error *err)
{
    int64_t until_ns = clock_now_ns() + STOP_TIMEOUT_S * NS_PER_S;
    int64_t say_ns = clock_now_ns() + 2 * NS_PER_S;
    int pid = home_pid(home, NULL, 0);

    if (pid == 0)
        return true;
    if (kill(pid, SIGINT) < 0 && errno != ESRCH) /* "fast": sessions are ended, then a checkpoint */
        return error_set(err, ERROR_MACHINE, "cannot stop the server (process %d): %s", pid,
                         strerror(errno));
    while (home_pid(home, NULL, 0) == pid) {
        if (clock_now_ns() > until_ns)
            return error_set(err, ERROR_MACHINE,
                             "the server (process %d) does not stop; see the end of %s", pid,
                             home->log);
        if (clock_now_ns() > say_ns) {
            home_say(options, "waiting for the server's last checkpoint");
            say_ns = until_ns + NS_PER_S;
        }
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
    await_end(pid);
    return true;
}
