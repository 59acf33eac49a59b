/*
 * sample.h - what a handful of numbers looks like: middle, spread, neighbours, strangers.
 *
 * Sources: coefficient of variation s/mean with the n - 1 deviation; lag-1 autocorrelation as in
 * Box, Jenkins, Reinsel 2.1.5; a slope by least squares with its t test; outliers by the
 * generalised extreme Studentised deviate test (Rosner 1983, Technometrics 25; NIST handbook
 * 1.3.5.17.3), whose false alarms are bounded for a sample of any size, also for six. An outlier is
 * named, never dropped: it is the reader's to explain. Pure; any thread.
 */
#ifndef COMPARE_SAMPLE_H
#define COMPARE_SAMPLE_H

#include <stdbool.h>

double sample_mean(const double *values, int count);
/* Standard deviation with n - 1; 0 for fewer than two. */
double sample_deviation(const double *values, int count);
double sample_median(const double *values, int count);
/* Deviation / mean; 0 when it has no meaning: fewer than two values, or mean 0. */
double sample_variation(const double *values, int count);
/* Correlation of neighbours, -1..1; 0 for fewer than three values, or when all are the same. */
double sample_autocorrelation(const double *values, int count);

/* A straight line through values at 0, 1, 2, ... */
struct trend {
    double slope; /* a step */
    double p;     /* two-sided, of a slope as large by chance; 1 for fewer than three values */
    double total; /* from the first to the last along the line, as a share of the mean; 0: mean 0 */
};
struct trend sample_trend(const double *values, int count);

/* Marks strangers[i] for the values that do not belong to the rest; at most a third are marked, of
 * fewer than 15 at most one.
 * `level` is the chance that one is marked although all belong together. Gives their number. */
int sample_outliers(const double *values, int count, double level, bool *strangers);

#endif
