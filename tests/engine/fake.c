/*
 * fake.c - see fake.h.
 */
#include "fake.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fake fake_open(const char *script)
{
    struct fake server = { .folder = "/tmp/pgdengineXXXXXX" };
    char said[8] = "";
    FILE *file;
    int fds[2];

    assert_non_null(mkdtemp(server.folder));
    snprintf(server.script, sizeof server.script, "%s/script", server.folder);
    file = fopen(server.script, "w");
    fputs(script, file);
    fclose(file);
    assert_int_equal(pipe(fds), 0);
    server.pid = fork();
    if (server.pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        execl(getenv("FAKE_SERVER"), "fake_server", "-k", server.folder, server.script, NULL);
        _exit(127);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], said, sizeof said - 1), 6);
    close(fds[0]);
    snprintf(server.conninfo, sizeof server.conninfo, "host=%s port=5432 user=u dbname=d",
             server.folder);
    return server;
}

void fake_close(struct fake *server)
{
    char path[64];

    kill(server->pid, SIGTERM);
    waitpid(server->pid, NULL, 0);
    unlink(server->script);
    snprintf(path, sizeof path, "%s/.s.PGSQL.5432", server->folder);
    unlink(path);
    rmdir(server->folder);
}
