/*
 * sizes.c - see sizes.h.
 */
#include "engine/sizes.h"

#define WORKERS_AUTO_MAX 8
#define REOPENERS_MAX    8
#define REOPENERS_STORM  128 /* threads, when reconnecting is the load */

int sizes_workers(const struct plan *plan)
{
    int64_t count = plan->workers;

    if (plan->engine == ENGINE_THREAD)
        return (int)plan->connections;
    /* One loop could serve hundreds of sessions. But where client and server share a few CPUs the
     * scheduler shares these out by thread, and a single one beside many backends comes too late.
     */
    if (count <= 0)
        count = WORKERS_AUTO_MAX;
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
