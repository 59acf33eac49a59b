/*
 * permutation.c - see permutation.h.
 */
#include "workload/tpcc/permutation.h"

#include "base/compiler.h"
#include "base/rng.h"

#define ROUNDS 4

static uint64_t shuffle(uint64_t key, int half_bits, uint64_t value)
{
    uint64_t mask = (UINT64_C(1) << half_bits) - 1;
    uint64_t left = value >> half_bits, right = value & mask;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t next = left ^ (rng_mix(key ^ (round << 56) ^ right) & mask);
        left = right;
        right = next;
    }
    return left << half_bits | right;
}

int64_t permute(uint64_t key, int64_t count, int64_t index)
{
    uint64_t value = (uint64_t)index;
    int half_bits = 1;

    HOT_ASSERT(index >= 0 && index < count);
    while (INT64_C(1) << (2 * half_bits) < count)
        half_bits++;
    do {
        value = shuffle(key, half_bits, value);
    } while (value >= (uint64_t)count);
    return (int64_t)value;
}
