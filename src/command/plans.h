/*
 * plans.h - `plans` of a result: how the server would do each statement of the run.
 */
#ifndef COMMAND_PLANS_H
#define COMMAND_PLANS_H

#include <jansson.h>

#include "collect/collect.h"
#include "engine/engine.h"

/* To be asked between engine_connect() and engine_run(). NULL without a server, and behind a
 * pooler: who answers there need not be who does the work. Owned. */
json_t *plans_ask(struct collect *collect, const struct engine *engine);

/* Has each statement the plan that it wants? What has no plan is not judged. ERROR_PLAN. */
bool plans_expected(const json_t *plans, const struct workload *workload, const void *world,
                    struct error *err);

#endif
