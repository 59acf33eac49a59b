/*
 * permute.c - flips in the order of a Gray code, one sign at a time; divisions into groups as bit
 * masks of equal weight.
 */
#include "compare/permute.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

#define DRAWS         100000
#define DIVISIONS_MAX 200000.0
#define RUNS_MAX      62   /* of both groups, for a bit mask */
#define TIE           1e-9 /* of the sum of sizes: sums in another order differ in the last digits */

static double sum_of_sizes(const double *values, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += fabs(values[i]);
    return sum;
}

static double sum_of(const double *values, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static double signs_enumerated(const double *values, int count, double least)
{
    uint64_t all = UINT64_C(1) << count, hits = 0, negative = 0;
    double sum = sum_of(values, count);

    for (uint64_t i = 1; i <= all; i++) {
        int flip = __builtin_ctzll(i);

        hits += fabs(sum) >= least;
        if (i == all)
            break;
        negative ^= UINT64_C(1) << flip;
        sum += (negative >> flip & 1 ? -2 : 2) * values[flip];
    }
    return (double)hits / (double)all;
}

static double signs_drawn(const double *values, int count, double least, uint64_t seed)
{
    struct rng rng;
    int hits = 0;

    rng_init(&rng, seed, 0, 0);
    for (int draw = 0; draw < DRAWS; draw++) {
        double sum = 0;
        uint64_t bits = 0;

        for (int i = 0; i < count; i++) {
            if (i % 64 == 0)
                bits = rng_next(&rng);
            sum += bits >> (i % 64) & 1 ? values[i] : -values[i];
        }
        hits += fabs(sum) >= least;
    }
    return (1.0 + hits) / (1.0 + DRAWS);
}

double permute_signs(const double *differences, int count, uint64_t seed)
{
    double least = fabs(sum_of(differences, count)) - TIE * sum_of_sizes(differences, count);

    if (count == 0)
        return 1;
    if (count <= PERMUTE_SIGNS_MAX)
        return signs_enumerated(differences, count, least);
    return signs_drawn(differences, count, least, seed);
}

/* ---- groups ---- */

/* All runs of both groups, the head's last, and what is asked of a division. */
struct division {
    const double *values;
    int count, head_count;
    double total, least;
};

static bool parts_as_far(const struct division *division, double head_sum)
{
    int head = division->head_count, base = division->count - head;

    return fabs(head_sum / head - (division->total - head_sum) / base) >= division->least;
}

static double groups_enumerated(const struct division *division)
{
    uint64_t mask = (UINT64_C(1) << division->head_count) - 1;
    uint64_t end = UINT64_C(1) << division->count;
    double hits = 0, all = 0;

    while (mask < end) {
        uint64_t lowest = mask & -mask, next = mask + lowest;
        double sum = 0;

        for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
            sum += division->values[__builtin_ctzll(rest)];
        hits += parts_as_far(division, sum);
        all++;
        /* The next larger number with as many bits (Gosper, HAKMEM 175). */
        mask = (((next ^ mask) >> 2) / lowest) | next;
    }
    return hits / all;
}

static double groups_drawn(const struct division *division, uint64_t seed)
{
    double *deck = MEMORY_ARRAY(double, division->count);
    struct rng rng;
    int hits = 0;

    memcpy(deck, division->values, (size_t)division->count * sizeof(*deck));
    rng_init(&rng, seed, 0, 0);
    for (int draw = 0; draw < DRAWS; draw++) {
        double sum = 0;

        for (int i = 0; i < division->head_count; i++) {
            int64_t other = rng_between(&rng, i, division->count - 1);
            double taken = deck[other];

            deck[other] = deck[i];
            deck[i] = taken;
            sum += taken;
        }
        hits += parts_as_far(division, sum);
    }
    memory_free(deck);
    return (1.0 + hits) / (1.0 + DRAWS);
}

/* Ways to take `part` of `whole`. */
static double ways(int whole, int part)
{
    double ways = 1;

    for (int i = 1; i <= part; i++)
        ways = ways * (whole - part + i) / i;
    return ways;
}

double permute_groups(const double *base, int base_count, const double *head, int head_count,
                      uint64_t seed)
{
    int count = base_count + head_count;
    double *values, apart, p;
    struct division division;

    if (base_count == 0 || head_count == 0)
        return 1;
    values = MEMORY_ARRAY(double, count);
    memcpy(values, base, (size_t)base_count * sizeof(*values));
    memcpy(values + base_count, head, (size_t)head_count * sizeof(*values));
    apart = fabs(sum_of(head, head_count) / head_count - sum_of(base, base_count) / base_count);
    division = (struct division){ .values = values,
                                  .count = count,
                                  .head_count = head_count,
                                  .total = sum_of(values, count),
                                  .least = apart - TIE * sum_of_sizes(values, count) / count };
    if (count <= RUNS_MAX && ways(count, head_count) <= DIVISIONS_MAX)
        p = groups_enumerated(&division);
    else
        p = groups_drawn(&division, seed);
    memory_free(values);
    return p;
}
