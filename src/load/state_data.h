/*
 * state_data.h - what data are asked for and what data are there, held against each other.
 */
#ifndef LOAD_STATE_DATA_H
#define LOAD_STATE_DATA_H

#include "load/job.h"

/* What the data set's row keeps: version, workload, data seed, parameters, fingerprint. Owned. */
json_t *data_describe(const struct job *job);
/* Pure. Fills `err` with the differences and gives false when the data there are others. */
bool data_compare(const json_t *there, const json_t *asked, struct error *err);

#endif
