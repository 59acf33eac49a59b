/*
 * client.h - was pgdyno itself the limit? Judged from what its workers used; pure.
 */
#ifndef COMMAND_CLIENT_H
#define COMMAND_CLIENT_H

#include <jansson.h>

#include "engine/engine.h"

/* How many CPUs the client shares with the server: 0 when that is elsewhere, or when the client may
 * not use all that the machine has. From the result's target and host. */
int client_shared_cpus(const json_t *target, const json_t *host);
/* {"saturated", "shares_cpus", "why", "cpu_cores", "run_delay_cores", "lateness_p50_ms",
 * "lateness_p99_ms", "workers": [{"tid", "cpu", "run_delay", "lateness_p99_ms",
 * "lateness_max_ms"}], "sessions": {"done_mean", "done_deviation", "busy_s_mean",
 * "busy_s_deviation"}}; shares of the measured window. `uses` are of the facts' workers. Owned. */
json_t *client_json(const struct engine_worker_use *uses, const struct engine_facts *facts,
                    int stalled_intervals, int shared_cpus);

#endif
