/*
 * steady.c - batch means, MSER and the trend test.
 */
#include "compare/steady.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "compare/distribution.h"
#include "compare/sample.h"

#define AUTOCORRELATION_SMALL 0.1
#define AUTOCORRELATION_MAX   0.95 /* beyond, the widening would only be a guess */
#define MSER_BATCH            5

/* Means of `joined` neighbours; what is left at the end is joined to the last. Gives their number.
 */
static int join(const double *pieces, int count, int joined, double *batches)
{
    int batch_count = count / joined;

    for (int i = 0; i < batch_count; i++) {
        int first = i * joined, end = i + 1 < batch_count ? first + joined : count;
        batches[i] = sample_mean(pieces + first, end - first);
    }
    return batch_count;
}

/* A short series looks less autocorrelated than the process is (Kendall 1954). */
static double unbiased(double autocorrelation, int count)
{
    return autocorrelation + (1 + 3 * autocorrelation) / count;
}

bool within_run(const double *pieces, int count, double level, struct within *within)
{
    double *batches = MEMORY_ARRAY(double, count + 1);
    double rest, widening, deviation, freedom, half;

    *within = (struct within){ .mean = sample_mean(pieces, count) };
    do {
        within->joined++;
        within->batches = join(pieces, count, within->joined, batches);
        within->autocorrelation = sample_autocorrelation(batches, within->batches);
    } while (within->autocorrelation >= AUTOCORRELATION_SMALL &&
             count / (within->joined + 1) >= WITHIN_BATCHES_MIN);
    deviation = sample_deviation(batches, within->batches);
    memory_free(batches);
    within->low = within->high = within->mean;
    if (count < WITHIN_PIECES_MIN)
        return false;
    rest = fmin(unbiased(within->autocorrelation, within->batches), AUTOCORRELATION_MAX);
    widening = rest > 0 ? (1 + rest) / (1 - rest) : 1;
    within->error = deviation * sqrt(widening / within->batches);
    freedom = fmax(1, within->batches / widening - 1);
    half = student_quantile(level / 2, freedom) * within->error;
    within->low -= half;
    within->high += half;
    within->effective = count;
    if (within->error > 0)
        within->effective = fmin(count, pow(sample_deviation(pieces, count) / within->error, 2));
    return true;
}

/* ---- has it settled? ---- */

int steady_truncation(const double *values, int count, int batch)
{
    int batch_count = count / batch, best = 0;
    double *batches = MEMORY_ARRAY(double, batch_count + 1), least = INFINITY;

    for (int i = 0; i < batch_count; i++)
        batches[i] = sample_mean(values + i * batch, batch);
    for (int cut = 0; cut <= batch_count / 2; cut++) {
        int left = batch_count - cut;
        double deviation = sample_deviation(batches + cut, left);
        /* The statistic is the squared error of the mean of what is left, with n for n - 1. */
        double error = left > 1 ? deviation * deviation * (left - 1) / left / left : INFINITY;

        if (error < least) {
            least = error;
            best = cut;
        }
    }
    memory_free(batches);
    return best * batch;
}

struct steadiness steady_judge(const double *values, int count)
{
    struct steadiness steady = { .p = 1 };
    struct trend trend;
    int batch = count >= 10 * MSER_BATCH ? MSER_BATCH : 1;

    if (count < STEADY_VALUES_MIN)
        return steady;
    steady.judged = true;
    steady.truncation = steady_truncation(values, count, batch);
    trend = sample_trend(values + steady.truncation, count - steady.truncation);
    steady.drift = trend.total;
    steady.p = trend.p;
    if (steady.truncation >= count / batch / 2 * batch)
        steady.why = "it had not settled by half of the window";
    else if (fabs(trend.total) >= STEADY_DRIFT && trend.p <= STEADY_LEVEL)
        steady.why = trend.total > 0 ? "it was still rising" : "it was falling";
    steady.steady = steady.why == NULL;
    return steady;
}
