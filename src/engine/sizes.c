/*
 * sizes.c - see sizes.h.
 */
#include "engine/sizes.h"

#include "base/cpus.h"
#include "workload/workload.h"

#define WORKERS_AUTO_MAX 8
#define REOPENERS_MAX    8
#define REOPENERS_STORM  128 /* threads, when reconnecting is the load */

static int statements_used(const struct workload *workload, const void *world)
{
    int used = 0;

    for (int i = 0; i < workload_statement_count(workload); i++)
        used += workload->uses == NULL || workload->uses(world, i);
    return used;
}

int sizes_workers(const struct plan *plan, const struct workload *workload, const void *world)
{
    int64_t count = plan->workers;

    if (plan->engine == ENGINE_THREAD)
        return (int)plan->connections;
    /* One loop could serve hundreds of sessions. But where client and server share a few CPUs the
     * scheduler shares these out by thread, and a single one beside many backends comes too late;
     * with a thread a session an answer wakes just the one who waits for it. That pays for short
     * statements alone: in transactions of several the many threads are in the backends' way, and
     * as many as CPUs do more (bench/oltp: 1.07 of sysbench's rate against 0.86 on two). */
    if (count <= 0)
        count = WORKERS_AUTO_MAX;
    if (plan->workers <= 0 && statements_used(workload, world) > 1 && cpus_allowed() < count)
        count = cpus_allowed();
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
