/*
 * processes.h - the server's processes and the CPU they have used. Private to the room.
 *
 * A backend that has ended is no longer there to be asked; what it used has gone to the postmaster,
 * which waited for it. So the sum over the living and over what each of them got from its ended
 * children loses nobody, however short a backend lives.
 */
#ifndef COLLECT_PROCESSES_H
#define COLLECT_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_MAX 20000

struct process {
    int pid;
    int64_t run_ns;   /* CPU of all its threads */
    int64_t delay_ns; /* it could have run and had to wait; -1 when the kernel does not tell */
    int64_t ended_ns; /* CPU of its children that have ended */
};

struct processes {
    struct process *row; /* by pid */
    int count, room;
};

void processes_free(struct processes *processes);

/* The process `root` and all that descend from it, as they are now. False: it is not there. Rows of
 * an earlier reading are overwritten. */
bool processes_read(struct processes *processes, int root);

/* CPU of all, ended ones included. Pure. */
int64_t processes_cpu_ns(const struct processes *processes);
/* Growth of the wait for a CPU of those that are in both. -1 when not known. Pure. */
int64_t processes_delay_ns(const struct processes *begin, const struct processes *end);

/* The postmaster of the backend `pid`, held against the time (seconds since 1970) when the server
 * says it was started: 0 when the process of that number is none of this server's, since pids of
 * another machine or container mean nothing here. */
int processes_postmaster(int pid, double started_s);

#endif
