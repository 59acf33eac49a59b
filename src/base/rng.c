/*
 * rng.c - see rng.h.
 */
#include "base/rng.h"

#include <sys/random.h>

#include "base/clock.h"

uint64_t rng_stream(uint64_t seed, uint64_t stream)
{
    return rng_mix(rng_mix(seed) ^ stream);
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream, uint64_t sequence)
{
    rng_at(rng, rng_stream(seed, stream), sequence);
}

uint64_t rng_fresh_seed(void)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = rng_mix((uint64_t)clock_wall_ns() ^ (uint64_t)clock_now_ns());
    return seed >> 11;
}
