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

#include "base/compiler.h"

struct rng {
    uint64_t state[2];
};

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream, uint64_t sequence);
/* The same in two steps, for those who draw along one stream: rng_at(rng, rng_stream(seed, stream),
 * n) equals rng_init(rng, seed, stream, n). */
uint64_t rng_stream(uint64_t seed, uint64_t stream);
static inline void rng_at(struct rng *rng, uint64_t stream_key, uint64_t sequence);

static inline uint64_t rng_next(struct rng *rng);
static inline int64_t rng_between(struct rng *rng, int64_t low,
                                  int64_t high); /* inclusive, unbiased */
static inline double rng_unit(struct rng *rng);  /* [0, 1), 53 bits */

/* A seed from the machine, for runs that were given none; 53 bits, exact in every JSON reader. */
uint64_t rng_fresh_seed(void);

#define RNG_GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

/* One strong mixing step (SplitMix64's), for hashing numbers together. */
static inline uint64_t rng_mix(uint64_t value)
{
    value += RNG_GOLDEN_GAMMA;
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static inline uint64_t rng_rotate(uint64_t value, int by)
{
    return (value << by) | (value >> (64 - by));
}

static inline void rng_at(struct rng *rng, uint64_t stream_key, uint64_t sequence)
{
    uint64_t key = rng_mix(stream_key ^ sequence);

    /* The key is as good as random; both words zero is the one state that does not leave itself. */
    rng->state[0] = key;
    rng->state[1] = rng_rotate(key, 32) | 1;
}

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t a = rng->state[0], b = rng->state[1];
    uint64_t result = rng_rotate(a + b, 17) + a;

    b ^= a;
    rng->state[0] = rng_rotate(a, 49) ^ b ^ (b << 21);
    rng->state[1] = rng_rotate(b, 28);
    return result;
}

static inline int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
    uint64_t width = (uint64_t)high - (uint64_t)low + 1;
    uint128 product;

    HOT_ASSERT(low <= high);
    if (UNLIKELY(width == 0)) /* The whole range of 64 bits. */
        return (int64_t)rng_next(rng);
    /* Lemire 2019: multiply, and draw again in the rare case that would favour some values. */
    product = (uint128)rng_next(rng) * width;
    if (UNLIKELY((uint64_t)product < width)) {
        uint64_t threshold = (0 - width) % width;
        while ((uint64_t)product < threshold)
            product = (uint128)rng_next(rng) * width;
    }
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
}

static inline double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

#endif
