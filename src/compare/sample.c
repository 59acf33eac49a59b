/*
 * sample.c - textbook forms, written so that the values are walked twice rather than squared once:
 * a rate of 50,000 with a deviation of 20 must keep its digits.
 */
#include "compare/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/distribution.h"

/* Rosner's lambda holds its level from 15 values on; with fewer only the first step is taken, which
 * is Grubbs' test and exact. */
#define MASKED_MIN 15

double sample_mean(const double *values, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += values[i];
    return count > 0 ? sum / count : 0;
}

double sample_deviation(const double *values, int count)
{
    double mean = sample_mean(values, count), sum = 0;

    if (count < 2)
        return 0;
    for (int i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (count - 1));
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

double sample_median(const double *values, int count)
{
    double *sorted, median;

    if (count == 0)
        return 0;
    sorted = MEMORY_ARRAY(double, count);
    memcpy(sorted, values, (size_t)count * sizeof(*sorted));
    qsort(sorted, (size_t)count, sizeof(*sorted), by_size);
    median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    memory_free(sorted);
    return median;
}

double sample_variation(const double *values, int count)
{
    double mean = sample_mean(values, count);

    return mean != 0 ? sample_deviation(values, count) / fabs(mean) : 0;
}

double sample_autocorrelation(const double *values, int count)
{
    double mean = sample_mean(values, count), whole = 0, neighbours = 0;

    if (count < 3)
        return 0;
    for (int i = 0; i < count; i++) {
        whole += (values[i] - mean) * (values[i] - mean);
        if (i > 0)
            neighbours += (values[i] - mean) * (values[i - 1] - mean);
    }
    return whole > 0 ? neighbours / whole : 0;
}

struct trend sample_trend(const double *values, int count)
{
    struct trend trend = { .p = 1 };
    double mean = sample_mean(values, count), middle = (count - 1) / 2.0;
    double squares = 0, products = 0, rest = 0, error;

    for (int i = 0; i < count; i++) {
        squares += (i - middle) * (i - middle);
        products += (i - middle) * (values[i] - mean);
    }
    if (count < 3)
        return trend;
    trend.slope = products / squares;
    trend.total = mean != 0 ? trend.slope * (count - 1) / fabs(mean) : 0;
    for (int i = 0; i < count; i++) {
        double off = values[i] - mean - trend.slope * (i - middle);
        rest += off * off;
    }
    error = sqrt(rest / (count - 2) / squares);
    if (error > 0)
        trend.p = 2 * student_tail(fabs(trend.slope) / error, count - 2);
    else if (trend.slope != 0)
        trend.p = 0;
    return trend;
}

/* ---- outliers ---- */

/* By how many deviations the farthest of `left` values must be off to be a stranger: Rosner's
 * lambda. */
static double critical(int left, double level)
{
    double tail = level / (2.0 * left);
    double t = student_quantile(tail, left - 2);

    return (left - 1) * t / sqrt((left - 2 + t * t) * left);
}

/* Of the values not yet `taken`: which is farthest from their mean, and by how many deviations. */
static int farthest(const double *values, int count, const bool *taken, double *distance)
{
    double *left = MEMORY_ARRAY(double, count);
    double mean, deviation;
    int left_count = 0, found = -1;

    for (int i = 0; i < count; i++)
        if (!taken[i])
            left[left_count++] = values[i];
    mean = sample_mean(left, left_count);
    deviation = sample_deviation(left, left_count);
    memory_free(left);
    *distance = 0;
    for (int i = 0; i < count && deviation > 0; i++)
        if (!taken[i] && fabs(values[i] - mean) / deviation > *distance) {
            *distance = fabs(values[i] - mean) / deviation;
            found = i;
        }
    return found;
}

int sample_outliers(const double *values, int count, double level, bool *strangers)
{
    int limit = count < MASKED_MIN ? 1 : count / 3, found = 0;
    int *order = MEMORY_ARRAY(int, count + 1);

    memset(strangers, 0, (size_t)count * sizeof(*strangers));
    /* The number of strangers is the last step at which the farthest was too far, so that two of
     * them cannot hide each other. */
    for (int i = 0; i < limit && count - i >= 3; i++) {
        double distance;

        order[i] = farthest(values, count, strangers, &distance);
        if (order[i] < 0)
            break;
        strangers[order[i]] = true;
        if (distance > critical(count - i, level))
            found = i + 1;
    }
    memset(strangers, 0, (size_t)count * sizeof(*strangers));
    for (int i = 0; i < found; i++)
        strangers[order[i]] = true;
    memory_free(order);
    return found;
}
