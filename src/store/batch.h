/*
 * batch.h - the measured window in some tens of pieces.
 *
 * Comparing runs needs to know how much a run varies within itself; batch means tell that without
 * keeping a series. As intervals arrive they are gathered into batches; when there are BATCHES_MAX
 * of them neighbours are joined and a batch becomes twice as long. So a run of any length ends with
 * as many batches as it has intervals, or with 25 to 50. One thread.
 */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include <jansson.h>
#include <stdint.h>

#include "recorder/recorder.h"

#define BATCHES_MAX 50 /* even: neighbours are joined in pairs */

struct batch {
    int64_t begin_ns, end_ns;
    int64_t done, queries;
    struct histogram *response; /* owned; every place has one, in use or not */
};

/* Zeroed is empty and needs no closing; it is opened by the first interval if nobody did before. */
struct batches {
    struct batch list[BATCHES_MAX];
    int count;
    int span;   /* intervals in a full batch */
    int filled; /* intervals in the last one */
};

/* Takes all the memory there will ever be (14 MiB), so that a long run needs no more than a short
 * one. */
void batches_open(struct batches *batches);
/* Intervals of warm-up are passed over. */
void batches_add(struct batches *batches, const struct interval *interval);
void batches_close(struct batches *batches);

/* {"count", "begin_s": [...], "seconds": [...], ...}, cut to the measured window. A piece shorter
 * than half a batch (the first, the last) joins its neighbour. Owned. */
json_t *batches_json(const struct batches *batches, int64_t begin_ns, int64_t end_ns);

#endif
