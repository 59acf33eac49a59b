/*
 * distribution.c - see distribution.h for the sources of the formulas.
 */
#include "workload/oltp/distribution.h"

#include <math.h>

#define GAUSSIAN_DRAWS 12

/* H(x), the integral of x^-theta, through expm1 so that theta near 1 loses nothing. */
static double zipf_integral(double theta, double x)
{
    double log_x = log(x);
    double t = (1 - theta) * log_x;
    double ratio = fabs(t) > 1e-8 ? expm1(t) / t : 1 + t / 2 * (1 + t / 3 * (1 + t / 4));

    return ratio * log_x;
}

static double zipf_density(double theta, double x)
{
    return exp(-theta * log(x));
}

static double zipf_inverse(double theta, double y)
{
    double t = (1 - theta) * y;
    double ratio;

    if (t < -1) /* Rounding may put it just outside of the domain. */
        t = -1;
    ratio = fabs(t) > 1e-8 ? log1p(t) / t : 1 - t * (0.5 - t * (1.0 / 3 - t / 4));
    return exp(ratio * y);
}

void distribution_init(struct distribution *distribution,
                       const struct distribution_options *options, int64_t count)
{
    double theta = options->zipfian_exponent;

    *distribution = (struct distribution){
        .kind = (enum distribution_kind)options->kind,
        .count = count,
        .power = log(options->pareto_h) / log(1 - options->pareto_h),
        .special_iterations = options->special_iterations,
        .special_share = (double)options->special_percent / 100,
        .special_result = (double)options->special_result / 100,
        .exponent = theta,
    };
    distribution->zipf_skip =
        2 - zipf_inverse(theta, zipf_integral(theta, 2.5) - zipf_density(theta, 2));
    distribution->zipf_left = zipf_integral(theta, 1.5) - 1;
    distribution->zipf_right = zipf_integral(theta, (double)count + 0.5);
}

struct distribution distribution_over(const struct distribution *distribution, int64_t count)
{
    struct distribution over = *distribution;

    over.count = count;
    if (over.kind == DISTRIBUTION_ZIPFIAN)
        over.zipf_right = zipf_integral(over.exponent, (double)count + 0.5);
    return over;
}

/* Sums of uniforms and powers may round up to the very end of the range. */
static int64_t clamp(int64_t value, int64_t count)
{
    return value < 1 ? 1 : value > count ? count : value;
}

static double mean_of_uniforms(struct rng *rng, int64_t draws)
{
    double sum = 0;

    for (int64_t i = 0; i < draws; i++)
        sum += rng_unit(rng);
    return draws > 0 ? sum / (double)draws : 0;
}

static int64_t draw_special(const struct distribution *distribution, struct rng *rng)
{
    double span = (double)(distribution->count - 1);
    double width = span * distribution->special_share;
    double r = rng_unit(rng);

    if (r < 1 - distribution->special_result)
        return 1 + (int64_t)floor(span * mean_of_uniforms(rng, distribution->special_iterations));
    /* The same r is used on, as in the original: hot rows fill the upper part of the band. */
    return 1 + (int64_t)floor(r * (width + 1) + span / 2 - width / 2);
}

static int64_t draw_zipfian(const struct distribution *distribution, struct rng *rng)
{
    double theta = distribution->exponent;
    double left = distribution->zipf_left, right = distribution->zipf_right;

    for (;;) {
        double u = right + rng_unit(rng) * (left - right);
        double x = zipf_inverse(theta, u);
        int64_t rank = clamp((int64_t)floor(x + 0.5), distribution->count);
        double k = (double)rank;
        if (k - x <= distribution->zipf_skip ||
            u >= zipf_integral(theta, k + 0.5) - zipf_density(theta, k))
            return rank;
    }
}

int64_t distribution_draw_skewed(const struct distribution *distribution, struct rng *rng)
{
    double count = (double)distribution->count;

    switch (distribution->kind) {
    case DISTRIBUTION_GAUSSIAN:
        return clamp(1 + (int64_t)floor(mean_of_uniforms(rng, GAUSSIAN_DRAWS) * count),
                     distribution->count);
    case DISTRIBUTION_SPECIAL:
        return clamp(draw_special(distribution, rng), distribution->count);
    case DISTRIBUTION_PARETO:
        return clamp(1 + (int64_t)floor(count * pow(rng_unit(rng), distribution->power)),
                     distribution->count);
    case DISTRIBUTION_ZIPFIAN:
        return draw_zipfian(distribution, rng);
    case DISTRIBUTION_UNIFORM:
        break;
    }
    return rng_between(rng, 1, distribution->count);
}
