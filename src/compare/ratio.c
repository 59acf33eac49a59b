/*
 * ratio.c - everything on logarithms: a ratio of 2 and one of 1/2 are equally far from 1, and runs
 * that vary in proportion to their size vary alike on both sides.
 */
#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "compare/compare.h"
#include "compare/distribution.h"
#include "compare/permute.h"
#include "compare/sample.h"

static double *logarithms(const double *values, int count)
{
    double *logs = MEMORY_ARRAY(double, count);

    for (int i = 0; i < count; i++) {
        assert(values[i] > 0);
        logs[i] = log(values[i]);
    }
    return logs;
}

struct ratio ratio_of_blocks(const double *base, const double *head, int count, uint64_t seed)
{
    struct ratio ratio = { .paired = true, .base_count = count, .head_count = count };
    double *differences = logarithms(head, count), *base_logs = logarithms(base, count);

    assert(count > 0);
    for (int i = 0; i < count; i++)
        differences[i] -= base_logs[i];
    ratio.log_mean = sample_mean(differences, count);
    ratio.error = sample_deviation(differences, count) / sqrt(count);
    ratio.freedom = count - 1;
    ratio.permutation_p = permute_signs(differences, count, seed);
    memory_free(differences);
    memory_free(base_logs);
    return ratio;
}

/* Welch's error and Satterthwaite's degrees of freedom of a sum of `count` independent parts; none
 * when a part has none. */
static void add_up(const double *squares, const double *freedoms, int count, struct ratio *ratio)
{
    double sum = 0, rest = 0, together = 0;

    for (int i = 0; i < count; i++) {
        if (freedoms[i] <= 0)
            return;
        sum += squares[i];
        rest += squares[i] * squares[i] / freedoms[i];
        together += freedoms[i];
    }
    ratio->error = sqrt(sum);
    ratio->freedom = rest > 0 ? sum * sum / rest : together;
}

struct ratio ratio_of_groups(const double *base, int base_count, const double *head, int head_count,
                             uint64_t seed)
{
    struct ratio ratio = { .base_count = base_count, .head_count = head_count };
    double *base_logs = logarithms(base, base_count), *head_logs = logarithms(head, head_count);
    double deviations[2] = { sample_deviation(base_logs, base_count),
                             sample_deviation(head_logs, head_count) };
    double squares[2] = { deviations[0] * deviations[0] / base_count,
                          deviations[1] * deviations[1] / head_count };
    double freedoms[2] = { base_count - 1, head_count - 1 };

    assert(base_count > 0 && head_count > 0);
    ratio.log_mean = sample_mean(head_logs, head_count) - sample_mean(base_logs, base_count);
    add_up(squares, freedoms, 2, &ratio);
    ratio.permutation_p = permute_groups(base_logs, base_count, head_logs, head_count, seed);
    memory_free(base_logs);
    memory_free(head_logs);
    return ratio;
}

struct ratio ratio_of_group(const struct ratio *ratios, int count)
{
    struct ratio group = { .paired = true, .permutation_p = 1 };
    double *squares = MEMORY_ARRAY(double, count), *freedoms = MEMORY_ARRAY(double, count);

    assert(count > 0);
    group.base_count = ratios[0].base_count;
    group.head_count = ratios[0].head_count;
    for (int i = 0; i < count; i++) {
        const struct ratio *one = &ratios[i];

        group.log_mean += one->log_mean / count;
        squares[i] = one->error * one->error / count / count;
        freedoms[i] = one->freedom;
        group.paired = group.paired && one->paired;
        group.base_count = one->base_count < group.base_count ? one->base_count : group.base_count;
        group.head_count = one->head_count < group.head_count ? one->head_count : group.head_count;
    }
    add_up(squares, freedoms, count, &group);
    memory_free(squares);
    memory_free(freedoms);
    return group;
}

bool ratio_interval(const struct ratio *ratio, double level, double *low, double *high)
{
    double width;

    if (ratio->freedom <= 0)
        return false;
    width = student_quantile(level / 2, ratio->freedom) * ratio->error;
    *low = exp(ratio->log_mean - width);
    *high = exp(ratio->log_mean + width);
    return true;
}

double ratio_half_width(const struct ratio *ratio, double level)
{
    assert(ratio->freedom > 0);
    return expm1(student_quantile(level / 2, ratio->freedom) * ratio->error);
}
