/*
 * latency.h - a histogram as an object of milliseconds.
 *
 * Transactions that were dropped or were still running when the run had to end are censored: their
 * time is known only to be at least their age. Each percentile is therefore looked up twice, with
 * every censored one as short as it can have been (its age) and as long as it can have been
 * (for ever). When the two agree to 1 % the number stands; else the shorter one is a lower bound,
 * and the key "p99_at_least": true stands beside it (design D5).
 */
#ifndef STORE_LATENCY_H
#define STORE_LATENCY_H

#include <jansson.h>

#include "plan/plan.h"
#include "recorder/histogram.h"

/* {"min", "mean", "p50", ..., "max"} with the usual percentiles and the asked ones, ascending; all
 * null when there is nothing. min and mean are those of `values` alone. `values` and `censored` may
 * be NULL. Owned. */
json_t *latency_json(const struct histogram *values, const struct histogram *censored,
                     const struct percentiles *asked);

#endif
