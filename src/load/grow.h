/*
 * grow.h - a data set that is there may grow: `load` with a larger value of the option that the
 * workload names, and all else as it was, adds the rows beyond.
 */
#ifndef LOAD_GROW_H
#define LOAD_GROW_H

#include "load/job.h"

/* Are the data that are there what is asked but for their size? Then job->growing is set, and each
 * table's grown_from. `there` is what data_describe() once said. */
bool grow_possible(struct job *job, const json_t *there);
/* What was done of the smaller data set, in terms of the larger one. */
void grow_adjust(struct job *job);
/* From here on the larger data set is the one that is recorded, and partly loaded. */
bool grow_record(struct job *job, struct error *err);

#endif
