/*
 * cpus.c - see cpus.h.
 */
#include "base/cpus.h"

#include <sched.h>

int cpus_allowed(void)
{
    cpu_set_t allowed;

    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}
