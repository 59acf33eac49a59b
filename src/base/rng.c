/*
 * rng.c - see rng.h.
 */
#include "base/rng.h"

#include <assert.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/compiler.h"

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

uint64_t rng_mix(uint64_t value)
{
    value += GOLDEN_GAMMA;
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream, uint64_t sequence)
{
    uint64_t key = rng_mix(rng_mix(rng_mix(seed) ^ stream) ^ sequence);

    rng->state[0] = rng_mix(key);
    rng->state[1] = rng_mix(key + GOLDEN_GAMMA);
    if ((rng->state[0] | rng->state[1]) == 0) /* The one state that never leaves itself. */
        rng->state[0] = 1;
}

static uint64_t rotate(uint64_t value, int by)
{
    return (value << by) | (value >> (64 - by));
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t a = rng->state[0], b = rng->state[1];
    uint64_t result = rotate(a + b, 17) + a;

    b ^= a;
    rng->state[0] = rotate(a, 49) ^ b ^ (b << 21);
    rng->state[1] = rotate(b, 28);
    return result;
}

int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
    uint64_t width = (uint64_t)high - (uint64_t)low + 1;
    uint128 product;

    assert(low <= high);
    if (width == 0) /* The whole range of 64 bits. */
        return (int64_t)rng_next(rng);
    /* Lemire 2019: multiply, and draw again in the rare case that would favour some values. */
    product = (uint128)rng_next(rng) * width;
    if ((uint64_t)product < width) {
        uint64_t threshold = (0 - width) % width;
        while ((uint64_t)product < threshold)
            product = (uint128)rng_next(rng) * width;
    }
    return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

uint64_t rng_fresh_seed(void)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = rng_mix((uint64_t)clock_wall_ns() ^ (uint64_t)clock_now_ns());
    return seed >> 11; /* 53 bits: exact in every JSON reader. */
}
