/*
 * distribution.h - which rows are hot: sysbench's random distributions over [1, count].
 *
 * Definitions: spec sysbench 1.5, which gives each formula. Gaussian sums 12 uniform draws, as
 * sysbench 1.0 does (1.1 lost the 12 and always answers 1). Zipfian is exact, by
 * rejection-inversion (Hoermann and Derflinger 1996), hot ids lowest and side by side. All are pure
 * functions of the random stream.
 */
#ifndef WORKLOAD_OLTP_DISTRIBUTION_H
#define WORKLOAD_OLTP_DISTRIBUTION_H

#include <stdint.h>

#include "base/rng.h"

enum distribution_kind {
    DISTRIBUTION_UNIFORM,
    DISTRIBUTION_GAUSSIAN,
    DISTRIBUTION_SPECIAL,
    DISTRIBUTION_PARETO,
    DISTRIBUTION_ZIPFIAN,
};

struct distribution {
    enum distribution_kind kind;
    int64_t count;
    double power;                         /* pareto: ln h / ln (1 - h) */
    int64_t special_iterations;           /* special: uniform draws summed in its tail */
    double special_share, special_result; /* special: hot share of rows, of draws */
    double exponent, zipf_skip, zipf_left, zipf_right; /* zipfian: theta and its constants */
};

/* What options say of a distribution; ranges are checked by their rows. */
struct distribution_options {
    int kind;
    double pareto_h, zipfian_exponent;
    int64_t special_iterations, special_percent, special_result;
};

/* Precomputes the constants for [1, count]; count >= 1. */
void distribution_init(struct distribution *distribution,
                       const struct distribution_options *options, int64_t count);
/* The same distribution over [1, count]. */
struct distribution distribution_over(const struct distribution *distribution, int64_t count);
/* The next draw, within [1, count]. */
int64_t distribution_draw_skewed(const struct distribution *distribution, struct rng *rng);
static inline int64_t distribution_draw(const struct distribution *distribution, struct rng *rng)
{
    if (distribution->kind == DISTRIBUTION_UNIFORM)
        return rng_between(rng, 1, distribution->count);
    return distribution_draw_skewed(distribution, rng);
}

#endif
