/*
 * steady.h - within one run: how sure its mean is, and whether the run had settled.
 *
 * Neighbouring seconds resemble each other, so they are no independent observations: they are
 * joined to longer batches until the batches' lag-1 autocorrelation is below 0.1, while there are
 * at least 20 of them (non-overlapping batch means, Law, Simulation Modeling and Analysis 9.5).
 * What is left of it widens the interval (variance times (1 + r) / (1 - r), an autoregressive
 * process of order 1). Such an interval speaks of this run alone, never of the next one.
 * Truncation: MSER-5 (White 1997, Simulation 69). Pure; any thread.
 */
#ifndef COMPARE_STEADY_H
#define COMPARE_STEADY_H

#include <stdbool.h>

#define WITHIN_BATCHES_MIN 20
#define WITHIN_PIECES_MIN  5 /* fewer have no interval */

struct within {
    double mean, low, high; /* interval of the mean */
    double error;           /* its standard error; 0 with no interval */
    int joined;             /* pieces a batch */
    int batches;
    double autocorrelation; /* lag 1, of the batches */
    double effective;       /* so many independent pieces would tell as much */
};

/* The mean of one run from the pieces of its measured window, all of the same length. False, with
 * the mean alone: too few pieces. */
bool within_run(const double *pieces, int count, double level, struct within *within);

/* How many values at the beginning the rest is better without: at most half, in steps of `batch`
 * (5 as published). */
int steady_truncation(const double *values, int count, int batch);

#define STEADY_DRIFT      0.02 /* of the mean, over the window */
#define STEADY_LEVEL      0.05
#define STEADY_VALUES_MIN 10

struct steadiness {
    bool judged; /* false: too few values */
    bool steady;
    int truncation;  /* values that would have to go */
    double drift, p; /* over the window, as a share of the mean; p of none */
    const char *why; /* static; NULL when steady */
};
/* Steady: nothing has to go beyond half, and what is left drifts less than 2 % or no more than
 * chance would (5 %). */
struct steadiness steady_judge(const double *values, int count);

#endif
