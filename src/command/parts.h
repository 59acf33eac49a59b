/*
 * parts.h - the interval in which warm-up ends belongs to both phases: what of it is whose, and
 * which of the two its line is about; pure.
 */
#ifndef COMMAND_PARTS_H
#define COMMAND_PARTS_H

#include "recorder/recorder.h"

/* Copies `count` intervals of one collection (at least one) into `parts`, each cut to the time that
 * belongs to its phase; what ended only after its phase was over has no time left. An empty one is
 * given the phase that its time is of. Gives the index of the one that has most of the interval. */
int parts_cut(const struct interval *intervals, int count, int64_t measure_begin_ns,
              struct interval *parts);

#endif
