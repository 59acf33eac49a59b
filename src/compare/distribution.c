/*
 * distribution.c - tails by their textbook forms, quantiles by one root finder for both.
 */
#include "compare/distribution.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define PI                 3.14159265358979323846
#define FRACTION_TERMS_MAX 10000
#define ROOT_STEPS_MAX     300
#define CLOSE_ENOUGH       1e-15

double normal_tail(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

static double normal_density(double z)
{
    return exp(-z * z / 2) / sqrt(2 * PI);
}

/* ---- incomplete beta ---- */

/* Where a term of the fraction would be 0 it is this instead, so that dividing goes on (Lentz). */
static double never_zero(double value)
{
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* The continued fraction of DLMF 8.17.22, evaluated forwards by Lentz's method as Thompson and
 * Barnett (1986) changed it. Converges quickly for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / never_zero(1 - (a + b) * x / (a + 1)), value = d;

    for (int m = 1; m <= FRACTION_TERMS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 / never_zero(1 + even * d);
        c = never_zero(1 + even / c);
        value *= d * c;
        d = 1 / never_zero(1 + odd * d);
        c = never_zero(1 + odd / c);
        step = d * c;
        value *= step;
        if (fabs(step - 1) < CLOSE_ENOUGH)
            break;
    }
    return value;
}

/* x^a y^b / (a B(a, b)), with y = 1 - x given so that it keeps its digits. */
static double beta_front(double a, double b, double x, double y)
{
    int sign;
    double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);

    return exp(a * log(x) + b * log(y) - log_beta) / a;
}

/* I_x(a, b) with y = 1 - x. */
static double beta_both(double a, double b, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    if (x < (a + 1) / (a + b + 2))
        return beta_front(a, b, x, y) * beta_fraction(a, b, x);
    return 1 - beta_front(b, a, y, x) * beta_fraction(b, a, y);
}

double beta_incomplete(double a, double b, double x)
{
    assert(a > 0 && b > 0 && x >= 0 && x <= 1);
    return beta_both(a, b, x, 1 - x);
}

/* ---- Student's t ---- */

double student_tail(double t, double freedom)
{
    double square = t * t, half;

    assert(freedom > 0);
    half =
        beta_both(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2;
    return t >= 0 ? half : 1 - half;
}

static double student_density(double t, double freedom)
{
    int sign;
    double log_front =
        lgamma_r((freedom + 1) / 2, &sign) - lgamma_r(freedom / 2, &sign) - 0.5 * log(freedom * PI);

    return exp(log_front - (freedom + 1) / 2 * log1p(t * t / freedom));
}

/* ---- quantiles ---- */

/* A tail and its density; freedom 0 is the normal distribution. */
static double tail_of(double at, double freedom)
{
    return freedom > 0 ? student_tail(at, freedom) : normal_tail(at);
}

static double density_of(double at, double freedom)
{
    return freedom > 0 ? student_density(at, freedom) : normal_density(at);
}

/* The place >= 0 whose tail is `tail` <= 1/2. Newton's step on the logarithm of the tail, which is
 * nearly straight far out; halving where it would leave the bracket. */
static double quantile_of(double tail, double freedom)
{
    double low = 0, high = 1, at;

    while (tail_of(high, freedom) > tail)
        high *= 2;
    at = high;
    for (int i = 0; i < ROOT_STEPS_MAX && high - low > CLOSE_ENOUGH * high; i++) {
        double here = tail_of(at, freedom), next;

        if (here > tail)
            low = at;
        else
            high = at;
        next = at + log(here / tail) * here / density_of(at, freedom);
        if (!(next > low && next < high))
            next = low + (high - low) / 2;
        if (fabs(next - at) <= CLOSE_ENOUGH * at)
            return next;
        at = next;
    }
    return at;
}

double normal_quantile(double tail)
{
    assert(tail > 0 && tail < 1);
    return tail <= 0.5 ? quantile_of(tail, 0) : -quantile_of(1 - tail, 0);
}

double student_quantile(double tail, double freedom)
{
    assert(tail > 0 && tail < 1 && freedom > 0);
    return tail <= 0.5 ? quantile_of(tail, freedom) : -quantile_of(1 - tail, freedom);
}
