/*
 * misses.h - what a run did not touch: statements that found no row although the data promised one.
 */
#ifndef COMMAND_MISSES_H
#define COMMAND_MISSES_H

#include <jansson.h>

#include "recorder/recorder.h"
#include "workload/workload.h"

/* Appends to `notes` (an array) what is to be said of statements that too often found nothing. */
void misses_note(json_t *notes, const struct workload *workload, const struct phase_totals *totals,
                 int64_t connections);

#endif
