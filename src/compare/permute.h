/*
 * permute.h - how often chance alone would part two sides as far as they are.
 *
 * If the two sides were the same, each block could as well have come out with its sides exchanged
 * (the sign of its log-ratio flipped), and each run of unpaired groups could as well have been of
 * the other group. The p is the share of such exchanges that part the sides at least as far: no
 * distribution is assumed (Fisher 1935; Edgington, Randomization Tests). All of them are gone
 * through while there are few, else 100,000 drawn from the seed, with (1 + hits) / (1 + draws) as
 * in Phipson and Smyth (2010). Pure: same input and seed, same p. Any thread.
 */
#ifndef COMPARE_PERMUTE_H
#define COMPARE_PERMUTE_H

#include <stdint.h>

#define PERMUTE_SIGNS_MAX 20 /* so many blocks are enumerated: 2^20 flips */

/* Two-sided, of the mean of `differences` being 0. 1 for none. */
double permute_signs(const double *differences, int count, uint64_t seed);
/* Two-sided, of two groups having the same mean. 1 when one is empty. */
double permute_groups(const double *base, int base_count, const double *head, int head_count,
                      uint64_t seed);

#endif
