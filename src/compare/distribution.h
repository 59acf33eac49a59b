/*
 * distribution.h - the normal distribution and Student's t: tails and quantiles.
 *
 * The t distribution is the regularised incomplete beta function (DLMF 8.17, continued fraction
 * 8.17.22); quantiles are found by Newton's steps on the tail, kept inside a bracket. Everything is
 * told by the tail, never by 1 - tail, so that small probabilities keep their digits. Agrees with
 * tables made in high precision to 1e-9 (tests/compare/tables.py). Pure; any thread.
 */
#ifndef COMPARE_DISTRIBUTION_H
#define COMPARE_DISTRIBUTION_H

/* P(Z > z) of the standard normal distribution, and the z of a tail, 0 < tail < 1. */
double normal_tail(double z);
double normal_quantile(double tail);

/* I_x(a, b), the regularised incomplete beta function: 0 <= x <= 1; a, b > 0. */
double beta_incomplete(double a, double b, double x);

/* P(T > t) of Student's t with `freedom` > 0 degrees of freedom, whole or not, and the t of a tail,
 * 0 < tail < 1. */
double student_tail(double t, double freedom);
double student_quantile(double tail, double freedom);

#endif
