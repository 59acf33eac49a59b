/*
 * crew.h - several connections at the same work, a thread each.
 *
 * Work is a way to take the next task, to do it and to tell whether it is done already. When a
 * connection is lost in the middle of a task nobody knows whether it was committed: the worker
 * connects again, reads whether the task is recorded, and does it again only when it is not. The
 * calling thread waits, tells the progress, and on load_stop() cancels what takes long.
 */
#ifndef LOAD_CREW_H
#define LOAD_CREW_H

#include "load/job.h"

enum take { TAKE_TASK, TAKE_WAIT /* until another task ends */, TAKE_END };

struct task {
    struct table_job *table;
    struct statements *list; /* of it, when the task is one of them */
    int64_t part, last;      /* rows of a chunk, or the number of a statement */
    bool seal;               /* copy: not a chunk, but reading its ranges back */
    int64_t rows, bytes;     /* what it adds to the progress */
    int64_t added;           /* COPY rows of a chunk */
    int64_t begin_ns;
    const char *what; /* for people; in the job's arena, or the name of the table */
};

struct work {
    const char *step;
    bool cancel; /* on load_stop(): cancelled, not waited for */
    /* With the crew's lock held: */
    enum take (*take)(struct job *job, struct task *task);
    void (*done)(struct job *job, struct task *task);
    /* Without it. ERROR_SERVER; channel->lost tells that it may be tried again. */
    bool (*run)(struct job *job, struct channel *channel, struct task *task, struct error *err);
    bool (*known)(struct job *job, struct channel *channel, const struct task *task, bool *answer,
                  struct error *err);
};

/* Rows (and bytes) of all that is to be done in this step, and of what was done before. */
struct amount {
    int64_t rows_total, rows_before;
};

/* Does all tasks with at most `connections` sessions. The first error ends it; the others finish
 * what they are at. ERROR_INTERRUPTED after load_stop(). */
bool crew_run(struct job *job, const struct work *work, const struct amount *amount,
              int connections, struct error *err);

#endif
