/*
 * outage.h - the times in which the server was away, as the load met them.
 *
 * An outage begins with the first operation that finds the connection lost, or cannot connect, and
 * ends with the first good operation of any session after that. One that follows within
 * OUTAGE_SAME_NS is the same: a server that goes down takes its backends with it one by one.
 * Success is looked at while an outage is open and at no other time: outages_open() is what the
 * steady path asks, once a turn. Threads: all workers.
 */
#ifndef ENGINE_OUTAGE_H
#define ENGINE_OUTAGE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"

#define OUTAGE_SAME_NS (10 * INT64_C(1000000))

struct outages {
    pthread_mutex_t lock; /* of all but `open` */
    atomic_bool open;
    int count; /* listed, the open one among them; the last row is for those beyond */
    int64_t unlisted, last_end_ns;
    struct engine_outage list[ENGINE_OUTAGES_MAX + 1];
};

void outages_init(struct outages *outages);
void outages_close(struct outages *outages);

/* Something went wrong that tells of the server's absence: begins an outage or belongs to the open
 * one. `outcome` is that of the operation that it ended; OUTCOME_COUNT when it ended none. */
void outages_bad(struct outages *outages, int64_t now_ns, const char *code, enum outcome outcome);
/* An operation went well. */
void outages_good(struct outages *outages, int64_t now_ns);

static inline bool outages_open(const struct outages *outages)
{
    return atomic_load_explicit(&outages->open, memory_order_relaxed);
}

/* After all workers have ended: fills the facts; what is still open did not end by `end_ns`. */
void outages_tell(struct outages *outages, int64_t end_ns, struct engine_facts *facts);

#endif
