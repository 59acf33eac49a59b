/*
 * process.h - runs one of PostgreSQL's programs and waits for it.
 *
 * The program gets a clean environment (no PG* variable of the person at the keyboard reaches a
 * local server, and messages come in English, since we read them), a session of its own, so that
 * Ctrl-C in the terminal is none of its business, and / as its folder, since the account may not be
 * allowed to stand in ours.
 */
#ifndef SERVER_PROCESS_H
#define SERVER_PROCESS_H

#include <stdbool.h>

#include "base/error.h"
#include "server/account.h"

#define PROCESS_OUTPUT_MAX    4096
#define PROCESS_ARGUMENTS_MAX 24

struct process {
    const char *program;           /* whole path */
    const char *const *arguments;  /* without the program's name, ended by NULL */
    const struct account *account; /* NULL: as ourselves */
    const char *library_path;      /* LD_LIBRARY_PATH; NULL or "": none */
    int timeout_s;                 /* then it is killed, with what it started */
    bool dies_with_us;             /* it gets SIGTERM when pgdyno dies */
    bool (*stopped)(void);         /* asked meanwhile: true ends it by SIGTERM; may be NULL */
};

struct process_result {
    int status; /* exit status; 128 + the signal that ended it */
    bool timed_out;
    char output[PROCESS_OUTPUT_MAX]; /* the last part of what it printed, both streams */
};

/* False only when it could not be run at all; else look into `out`. */
bool process_run(const struct process *process, struct process_result *out, struct error *err);

#endif
