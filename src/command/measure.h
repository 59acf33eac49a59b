/*
 * measure.h - one measured run, from an open world to a result on disk: what `run` and `quick`
 * share.
 */
#ifndef COMMAND_MEASURE_H
#define COMMAND_MEASURE_H

#include "command/common.h"

enum measure_format { MEASURE_TEXT, MEASURE_SYSBENCH };

struct measure {
    struct command_call *call; /* read; its plan's seed is drawn when it is not given */
    const char *conninfo;      /* a secret; NULL for a workload without a server */
    bool local;                /* a server that pgdyno keeps */
    int format;                /* enum measure_format: of what is printed */
    char *path;                /* gets the result's folder, owned; NULL when there is none */
};

/* Connects, runs, writes the result, prints progress and summary. The exit code; `err` is filled
 * unless it is ok. Catches SIGINT and SIGTERM meanwhile. */
enum error_kind measure_run(struct measure *measure, struct error *err);

#endif
