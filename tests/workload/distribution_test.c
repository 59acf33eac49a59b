/*
 * The distributions have the shares that sysbench's have (spec sysbench 8, check 3), within four
 * standard errors of that many draws.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "workload/oltp/distribution.h"

#define DRAWS 400000
#define KEYS  INT64_C(10000000)

static const struct distribution_options defaults = {
    .pareto_h = 0.2,
    .zipfian_exponent = 0.8,
    .special_iterations = 12,
    .special_percent = 1,
    .special_result = 75,
};

static struct distribution make(enum distribution_kind kind, int64_t count)
{
    struct distribution_options options = defaults;
    struct distribution distribution;

    options.kind = (int)kind;
    distribution_init(&distribution, &options, count);
    return distribution;
}

/* The share of draws within [low, high]. */
static double share(const struct distribution *distribution, int64_t low, int64_t high)
{
    struct rng rng;
    int64_t hits = 0;

    rng_init(&rng, 1, (uint64_t)distribution->kind, (uint64_t)high);
    for (int i = 0; i < DRAWS; i++) {
        int64_t value = distribution_draw(distribution, &rng);
        assert_in_range(value, 1, distribution->count);
        hits += value >= low && value <= high;
    }
    return (double)hits / DRAWS;
}

static void assert_share(const struct distribution *distribution, int64_t low, int64_t high,
                         double wanted)
{
    double found = share(distribution, low, high);
    double borne = 4 * sqrt(wanted * (1 - wanted) / DRAWS) + 0.0006; /* wanted has three digits */

    if (fabs(found - wanted) > borne)
        fail_msg("%.4f of the draws in [%lld, %lld], wanted %.4f +- %.4f", found, (long long)low,
                 (long long)high, wanted, borne);
}

static void uniform(void **state)
{
    struct distribution distribution = make(DISTRIBUTION_UNIFORM, KEYS);

    (void)state;
    assert_share(&distribution, 1, KEYS / 100, 0.01);
    assert_share(&distribution, KEYS - KEYS / 5 + 1, KEYS, 0.2);
}

static void zipfian(void **state)
{
    struct distribution distribution = make(DISTRIBUTION_ZIPFIAN, KEYS), over;

    (void)state;
    assert_share(&distribution, 1, 1, 0.00825);
    assert_share(&distribution, 1, 100, 0.067);
    assert_share(&distribution, 1, KEYS / 100, 0.376);
    assert_share(&distribution, 1, KEYS / 10, 0.617);
    assert_share(&distribution, 1, KEYS / 5, 0.715);
    distribution = make(DISTRIBUTION_ZIPFIAN, 77);
    over = distribution_over(&distribution, KEYS);
    assert_share(&over, 1, KEYS / 100, 0.376);
}

/* Small enough that every rank's share can be told: chi-square with 49 degrees of freedom. */
static void zipfian_exact(void **state)
{
    struct distribution_options options = defaults;
    double thetas[] = { 0, 0.8, 1, 2.5 };

    (void)state;
    for (int t = 0; t < 4; t++) {
        struct distribution distribution;
        int64_t counts[50] = { 0 };
        double norm = 0, chi = 0;
        struct rng rng;
        options.kind = DISTRIBUTION_ZIPFIAN;
        options.zipfian_exponent = thetas[t];
        distribution_init(&distribution, &options, 50);
        rng_init(&rng, 3, 0, (uint64_t)t);
        for (int i = 0; i < DRAWS; i++)
            counts[distribution_draw(&distribution, &rng) - 1]++;
        for (int i = 0; i < 50; i++)
            norm += pow(i + 1, -thetas[t]);
        for (int i = 0; i < 50; i++) {
            double wanted = DRAWS * pow(i + 1, -thetas[t]) / norm;
            chi += ((double)counts[i] - wanted) * ((double)counts[i] - wanted) / wanted;
        }
        assert_true(chi < 94); /* 0.9999 quantile */
    }
}

static void pareto(void **state)
{
    struct distribution distribution = make(DISTRIBUTION_PARETO, KEYS);

    (void)state;
    assert_share(&distribution, 1, KEYS / 5, 0.8);
    assert_share(&distribution, 1, KEYS / 100, 0.528);
}

static void special(void **state)
{
    struct distribution distribution = make(DISTRIBUTION_SPECIAL, KEYS);
    int64_t half = KEYS / 200;

    (void)state;
    assert_share(&distribution, KEYS / 2 - half, KEYS / 2 + half, 0.762);
    /* The hot values fill the upper three quarters of the band. */
    assert_true(share(&distribution, KEYS / 2 - half, KEYS / 2 - half / 2) < 0.02);
}

static void gaussian(void **state)
{
    struct distribution distribution = make(DISTRIBUTION_GAUSSIAN, KEYS);
    double sum = 0, squares = 0, mean, deviation;
    struct rng rng;

    (void)state;
    rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < DRAWS; i++) {
        double value = (double)distribution_draw(&distribution, &rng) / (double)KEYS;
        sum += value;
        squares += value * value;
    }
    mean = sum / DRAWS;
    deviation = sqrt(squares / DRAWS - mean * mean);
    assert_true(fabs(mean - 0.5) < 4 * deviation / sqrt(DRAWS));
    assert_true(fabs(deviation - 1.0 / 12) < 4 * (1.0 / 12) / sqrt(2.0 * DRAWS));
}

static void smallest(void **state)
{
    (void)state;
    for (int kind = DISTRIBUTION_UNIFORM; kind <= DISTRIBUTION_ZIPFIAN; kind++) {
        struct distribution one = make((enum distribution_kind)kind, 1);
        struct distribution two = make((enum distribution_kind)kind, 2);
        assert_true(share(&one, 1, 1) == 1);
        assert_true(share(&two, 1, 1) > 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform),  cmocka_unit_test(zipfian), cmocka_unit_test(zipfian_exact),
        cmocka_unit_test(pareto),   cmocka_unit_test(special), cmocka_unit_test(gaussian),
        cmocka_unit_test(smallest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
