/*
 * sizes.h - how many workers, lanes and reopeners a plan gets. Pure but for the number of CPUs.
 */
#ifndef ENGINE_SIZES_H
#define ENGINE_SIZES_H

#include "plan/plan.h"

/* Lanes take megabytes: so many threads of the thread engine have one each, more share them, one
 * after the other. */
#define SIZES_SHARED_LANES_MAX 16

struct workload;

/* Of what the plan leaves to us: how many depends on whether a transaction has one statement or
 * several. */
int sizes_workers(const struct plan *plan, const struct workload *workload, const void *world);
int sizes_lanes(const struct plan *plan, int workers);
int sizes_reopeners(const struct plan *plan);

#endif
