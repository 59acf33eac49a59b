/*
 * place.h - where a loaded row stands, for all that load data like those of TPC-C (clause 4.3.3.1).
 *
 * Rows are numbered warehouse by warehouse, district by district, so that more warehouses only add
 * rows. What several rows must agree on comes from a key of the data seed and their place.
 */
#ifndef WORKLOAD_TPCC_PLACE_H
#define WORKLOAD_TPCC_PLACE_H

#include <stdint.h>

#include "base/rng.h"

#define PLACE_DISTRICTS 10 /* of a warehouse */

/* The date and time of everything that a load says: 2026-01-01 00:00 UTC. The same data are loaded
 * whenever they are. */
#define LOADED_UNIX_US INT64_C(1767225600000000)

/* Where something that a district has `count` of stands. */
struct spot {
    int64_t warehouse, district; /* from 1 on */
    int64_t place;               /* of the district among all */
    int64_t index;               /* within it, from 0 on */
};

static inline struct spot spot_of(int64_t number, int64_t count)
{
    int64_t place = (number - 1) / count;

    return (struct spot){ .warehouse = place / PLACE_DISTRICTS + 1,
                          .district = place % PLACE_DISTRICTS + 1,
                          .place = place,
                          .index = (number - 1) % count };
}

/* What is shared: a topic has a key of its own at each place. Below 100 those of the specification,
 * from 101 on Percona's: other data. */
enum topic {
    TOPIC_BUYERS = 1,
    TOPIC_LINES,
    TOPIC_BAD_CREDIT,
    TOPIC_ITEMS,
    TOPIC_STOCK,
    TOPIC_PERCONA_BUYERS = 101,
    TOPIC_PERCONA_LINES,
};

static inline uint64_t place_key(uint64_t data_seed, enum topic topic, int64_t place)
{
    return rng_mix(rng_mix(data_seed ^ (uint64_t)topic << 56) ^ (uint64_t)place);
}

#endif
