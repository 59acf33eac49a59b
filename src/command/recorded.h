/*
 * recorded.h - the data that are there, where a load has recorded what they are of.
 */
#ifndef COMMAND_RECORDED_H
#define COMMAND_RECORDED_H

#include <stdbool.h>

#include "command/common.h"

/* A check is about the data as they were made: options that were not given are those of the load.
 * After a run (`after_run`) it is the size alone (workload.grows), given or not, since the run may
 * have worked on a part. Gives a world of the call's arena, or the call's own when nothing is
 * recorded, or it cannot be read, or the workload's plan and world are settled with each other. */
void *recorded_world(const struct command_call *call, const char *conninfo, bool after_run);

#endif
