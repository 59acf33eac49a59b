/*
 * cpus.h - how many CPUs this process has.
 */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

/* Those that it may run on (sched_setaffinity(2), taskset), not all of the machine; at least 1. */
int cpus_allowed(void);

#endif
