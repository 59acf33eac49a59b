/*
 * home.h - the folder in which one kept server lives, and what is remembered there.
 *
 *   servers/.17.lock        held while a server is made, started, stopped or removed
 *   servers/17/             ours
 *     pgdyno-server         the marker: says that pgdyno made this folder; and what to remember
 *     data/                 the server's, 0700
 *     saved/                a copy of it, of server_save()
 *     socket/               only the server's account enters (and root); elsewhere if too long
 *     pgdyno.conf           settings, included by data/postgresql.conf
 *     settings.conf         the person's part of them
 *     passfile  log
 */
#ifndef SERVER_HOME_H
#define SERVER_HOME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "server/account.h"
#include "server/server.h"

#define HOME_PORT 5432 /* without TCP only a number in the socket's name */

struct home {
    int major;
    struct account account; /* runs the server */
    char servers[SERVER_PATH_MAX], folder[SERVER_PATH_MAX], data[SERVER_PATH_MAX];
    char marker[SERVER_PATH_MAX], conf[SERVER_PATH_MAX], own_settings[SERVER_PATH_MAX];
    char log[SERVER_PATH_MAX], passfile[SERVER_PATH_MAX];
    bool ours; /* the marker is there */
    /* Remembered in the marker: */
    int port;
    bool tcp;
    char socket[SERVER_PATH_MAX];        /* "": not chosen yet */
    char settings_name[SERVER_PATH_MAX]; /* where the person's settings came from, or "" */
};

/* The folder `servers`, as the door's comment on state tells. Makes nothing. */
bool home_servers(struct account *account, char *out, struct error *err);
/* Fills in paths and what is remembered. Makes nothing. */
bool home_open(int major, struct home *home, struct error *err);
/* Makes folder and marker; a folder that is not ours and not empty is refused. */
bool home_make(struct home *home, struct error *err);
bool home_remember(const struct home *home, struct error *err);
/* A socket folder that is short and safe; chooses and makes one where needed. */
bool home_socket(struct home *home, struct error *err);
/* Waits for the lock; gives its descriptor, or -1. Closing it gives the lock back. */
int home_lock(const struct home *home, const struct server_options *options, struct error *err);

/* The server's process, 0 when it does not run. `program`: its executable, or "" (may be NULL). */
int home_pid(const struct home *home, char *program, size_t size);
void home_kept(const struct home *home, struct server_kept *kept); /* without the size */

/* One line for the person who waits, if somebody listens. */
void home_say(const struct server_options *options, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
