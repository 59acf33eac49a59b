/*
 * client.h - was pgdyno itself the limit? Judged from what its workers used; pure.
 */
#ifndef COMMAND_CLIENT_H
#define COMMAND_CLIENT_H

#include <jansson.h>

#include "engine/engine.h"

/* {"saturated", "why", "cpu_cores", "run_delay_cores", "lateness_p99_ms", "workers": [{"tid",
 * "cpu", "run_delay", "lateness_p99_ms", "lateness_max_ms"}], "sessions": {"done_mean",
 * "done_deviation", "busy_s_mean", "busy_s_deviation"}}; shares of the measured window. `uses` are
 * of the facts' workers. Owned. */
json_t *client_json(const struct engine_worker_use *uses, const struct engine_facts *facts,
                    int stalled_intervals);

#endif
