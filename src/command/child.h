/*
 * child.h - a verb of this program carried out by another process of it.
 *
 * A run that is one of many is made by `pgdyno run` in a process of its own, so that everything a
 * single run promises holds there: its books, its signals, its exit code. The child stands in a
 * process group of its own, so Ctrl-C reaches it once, through us; and it is ended when we die.
 *
 *     struct child child = { .words = words, .target = conninfo, .results = "x/runs", .label = "a"
 * }; struct child_end end;
 *
 *     child_catch(&signals);
 *     if (child_run(&child, &end, err) && end.code == 0)
 *         use(end.result);
 *     child_end_free(&end);
 *     child_release(&signals);
 */
#ifndef COMMAND_CHILD_H
#define COMMAND_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

#define CHILD_WORDS_MAX 256

struct child {
    /* "run", a workload, options; ended by NULL. Everybody on the machine can read them: no secret
     * and no target among them, and neither --results nor --label. */
    const char *const *words;
    const char *target;  /* goes by PGDYNO_TARGET, for it may hold a password; NULL: none is said */
    const char *results; /* of a run: the folder of results, which is made; NULL: none is said */
    const char *label;   /* of a run: tells its result from others in that folder */
    const char *output;  /* a file that gets what it prints at its end; NULL: nobody hears it */
    void (*wait)(void *context); /* called some times a second meanwhile; NULL */
    void *context;
};

struct child_end {
    int code;                  /* its exit code; 1 when it died of a signal */
    char *result;              /* the folder of its result, owned; NULL when it left none */
    char said[ERROR_TEXT_MAX]; /* its last message, without the program's name; "" */
};

/* Runs it to its end. False only when it could not be begun; how it fared is in `end`, which is to
 * be freed either way. */
bool child_run(const struct child *child, struct child_end *end, struct error *err);
void child_end_free(struct child_end *end);

struct child_signals {
    struct sigaction before_interrupt, before_terminate;
};
/* From now on SIGINT and SIGTERM are passed on to the child that runs, and remembered. */
void child_catch(struct child_signals *signals);
void child_release(const struct child_signals *signals);
/* Was there one? Then nothing new should be begun. */
bool child_stopped(void);

#endif
