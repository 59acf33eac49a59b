/*
 * sizes.c - see sizes.h.
 */
#include "engine/sizes.h"

#include <unistd.h>

#define REOPENERS_MAX   8
#define REOPENERS_STORM 128 /* threads, when reconnecting is the load */

int sizes_workers(const struct plan *plan)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t count = plan->workers;

    if (plan->engine == ENGINE_THREAD)
        return (int)plan->connections;
    /* One loop serves hundreds of sessions; the server wants the other CPUs. */
    if (count <= 0)
        count = cpus / 4 < plan->connections / 16 ? cpus / 4 : plan->connections / 16;
    if (count < 1)
        count = 1;
    return (int)(count < plan->connections ? count : plan->connections);
}

int sizes_lanes(const struct plan *plan, int workers)
{
    return plan->engine == ENGINE_THREAD && workers > SIZES_SHARED_LANES_MAX
               ? SIZES_SHARED_LANES_MAX
               : workers;
}

/* In a connect storm no session should wait for another one's connecting. */
int sizes_reopeners(const struct plan *plan)
{
    int most = plan->reconnect > 0 ? REOPENERS_STORM : REOPENERS_MAX;

    return plan->connections < most ? (int)plan->connections : most;
}
