/*
 * rate.h - was the rate of an open loop kept?
 *
 * Two things can go wrong: what was due is not carried out at all (dropped, unfinished), or, when
 * the run ends by count so that nothing is ever left over, it is carried out later and later. The
 * share that was achieved is the smaller of the two. A wait that is over before the end of the run
 * is in the response times and no failure to keep the rate; neither is one that the end cut short
 * when nothing is later than a machine may be that has other things to do.
 */
#ifndef COMMAND_RATE_H
#define COMMAND_RATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct plan;
struct recorder;

#define RATE_KEPT      0.99              /* share that must be achieved, unless ... */
#define RATE_JITTER_NS (100 * NS_PER_MS) /* ... nothing was later at the end; 1 % of 10 s */

struct rate_facts {
    int64_t scheduled, undone; /* of the measured window; dropped or unfinished */
    bool by_count;             /* the run ends when so many are done */
    /* since the window began: when the last that was started was due, and when it was sent */
    int64_t due_ns, sent_ns;
    int64_t oldest_ns;    /* age of the oldest that is undone */
    bool latency_limited; /* what was later than that was dropped on the way */
};

struct rate_verdict {
    double share; /* 0 to 1 */
    bool kept;
};

/* Pure. */
struct rate_verdict rate_judge(const struct rate_facts *facts);

/* As result.json has it. Pure. Owned. */
json_t *rate_json(const struct plan *plan, const struct rate_verdict *verdict);

/* The age of the oldest of the measured window that was dropped or unfinished. */
int64_t rate_oldest_undone_ns(struct recorder *recorder);

#endif
