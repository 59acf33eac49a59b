/*
 * rng.h - random numbers that are a pure function of (seed, stream, sequence).
 *
 * rng_init() may be called for every transaction: it is a handful of multiplications, so an input
 * can be drawn again from its three numbers alone, whatever thread draws it (design D3). The
 * generator is xoroshiro128++ (Blackman and Vigna, 2019), its state made by SplitMix64 steps.
 * The caller owns the struct; one thread at a time.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state[2];
};

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream, uint64_t sequence);
uint64_t rng_next(struct rng *rng);
int64_t rng_between(struct rng *rng, int64_t low, int64_t high); /* both ends inclusive, unbiased */
double rng_unit(struct rng *rng);                                /* [0, 1), 53 bits */

/* One strong mixing step, for hashing numbers together. */
uint64_t rng_mix(uint64_t value);
/* A seed from the machine, for runs that were given none. */
uint64_t rng_fresh_seed(void);

#endif
