/*
 * server.h - PostgreSQL servers that pgdyno keeps itself on this machine.
 *
 * One server a major, kept with its data under the state folder, reached through a unix socket in a
 * folder that only the user and the server's account can enter. PGDYNO_SERVERS=NAME in the
 * environment means other servers, kept apart under that name. As root the server runs as the
 * account `postgres` (or `nobody`). It is started through pg_ctl, so Ctrl-C spares it, with a clean
 * environment.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define SERVER_PATH_MAX 1024
#define SERVERS_MAX     64
#define SERVER_MAJOR_LOW                                                     \
    12 /* what is tried out; a newer one that is found is taken all the same \
        */
#define SERVER_MAJOR_HIGH 18
#define SERVER_DATABASE   "pgdyno"   /* made in each kept server */
#define SERVER_ROLE       "postgres" /* its superuser */

/* Binaries of one installation. */
struct server_install {
    int major;
    char version[32];          /* "17.10" */
    char bin[SERVER_PATH_MAX]; /* folder with postgres, initdb, pg_ctl */
    char lib[SERVER_PATH_MAX]; /* to be put into LD_LIBRARY_PATH, or "" */
    char found_by[32];         /* "--pg-bin", "PATH", "debian", "redhat", "npm" */
};

/* A server that we keep. */
struct server_kept {
    int major;
    bool running;
    int pid;      /* 0 when not running */
    bool started; /* by the call of server_start() that filled this; it did not run before */
    int port;     /* TCP port when opened with --tcp; else the socket's number */
    bool tcp;
    char data[SERVER_PATH_MAX], socket[SERVER_PATH_MAX];
    char passfile[SERVER_PATH_MAX]; /* with TCP: 0600 file with the random password; else "" */
    int64_t size_bytes;             /* of the data folder, -1 unknown */
};

struct server_options {
    const char *pg_bin; /* NULL: search */
    /* File of further settings; "default": none but ours. They stay with the server until others
     * are given, so NULL means: as it is. */
    const char *settings;
    bool brief;     /* the caller stops it again: do not say that it stays up */
    bool checksums; /* a data folder that is made now has them, whatever its major does by itself */
    bool tcp;       /* opened until the server stops; false does not close a running one's */
    /* One line of what is being done, for the person who waits; may be NULL. */
    void (*say)(void *context, const char *line);
    void *context;
    bool (*stopped)(void); /* asked while data are copied: true gives the copy up; may be NULL */
};

/* Installations, newest major first, at most SERVERS_MAX; within a major the order of search
 * decides:
 * --pg-bin, PATH, /usr/lib/postgresql/N/bin, /usr/pgsql-N/bin, tools/get-postgres's folder. */
int server_find(const char *pg_bin, struct server_install *out);
/* The installation of a major (0: newest). ERROR_MACHINE: exactly what to install, or which are
 * there. */
bool server_pick(const char *pg_bin, int major, struct server_install *out, struct error *err);

/* Makes sure that the server of that major (0: newest found) is there and runs; initdb, settings
 * and start as needed, and a restart when other settings, TCP or another --pg-bin are asked for.
 * After a start each setting is looked up in the server: one that is not in force is an error.
 * Fills `kept`. Safe with several pgdyno at once (a lock file). */
bool server_start(int major, const struct server_options *options, struct server_kept *kept,
                  struct error *err);
/* Major 0: the only one that is kept. One that does not run is fine. */
bool server_stop(int major, const struct server_options *options, struct error *err);
/* Stops it and removes its data, only when the folder is one that we made (marker file). */
bool server_remove(int major, const struct server_options *options, struct error *err);
/* Stops it and copies its data folder beside it, once: server_restore() puts these data in place of
 * what it holds by then, and does not start it. ERROR_MACHINE. */
bool server_save(int major, const struct server_options *options, struct error *err);
bool server_restore(int major, const struct server_options *options, struct error *err);
/* Takes the servers of PGDYNO_SERVERS for one bench alone, which would be stopped and copied under
 * the feet of another. A descriptor: closing it gives them back; -1: ERROR_PLAN, another has them.
 */
int server_hold(struct error *err);
/* All kept servers, by major; at most SERVERS_MAX. */
int server_list(struct server_kept *out);

/* A conninfo for it, in the arena; names the passfile, never a password. What libpq would take from
 * PG* variables that are set now is named with a neutral value. `application_name` may be NULL. */
const char *server_conninfo(const struct server_kept *kept, const char *application_name,
                            struct arena *arena);
/* Some of libpq's variables (PGTZ, PGDATESTYLE, PGGEQO, PGSERVICE) cannot be overruled by a
 * conninfo. Takes all PG* out of this process; for a program with local targets only, before it
 * starts a thread. */
void server_forget_environment(void);

/* One setting that we chose for a local server, and why; for showing and for results. */
struct server_setting {
    char name[64], value[128], why[160];
};
/* What the last start of this major wrote, the person's own settings among them. */
int server_settings(int major, struct server_setting *out, int max);
/* What server_start() would choose by itself for a server on this machine; at most `max`; gives how
 * many. Pure but for reading the memory limits of host and cgroup and the size of the state
 * folder's disk. */
int server_default_settings(int major, struct server_setting *out, int max);

#endif
