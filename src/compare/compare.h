/*
 * compare.h - the ratio of two sides, how sure it is, and what may be said of it.
 *
 * A run is one number. Two sides are held against each other block by block: a block has a run of
 * each, made close together, so what the machine did to both cancels. The mean of the blocks'
 * log-ratios and its Student interval give the ratio (the spread that counts is the one between
 * runs, not the one between seconds: Kalibera and Jones 2013); unpaired groups are held against
 * each other by Welch's test on logarithms. A verdict is a claim about the interval and a
 * threshold below which a difference does not matter (two one-sided tests, Schuirmann 1987).
 * Pure: same input, same output. Any thread. docs/compare.md tells the same to the reader.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/* With fewer no exact test can come below 0.05: 2 of 2^5 flips are 0.0625, of 2^6 0.031; of groups
 * of 4 and 4, 2 of 70 divisions are 0.029. */
#define BLOCKS_FOR_A_CLAIM 6
#define RUNS_FOR_A_CLAIM   4
/* "Cannot tell" does not count further than this. */
#define FURTHER_MAX 1000

/* Head over base, on the logarithms. */
struct ratio {
    bool paired;
    int base_count, head_count; /* paired: the number of blocks, both */
    double log_mean;            /* ln of the ratio */
    double error, freedom;      /* standard error of log_mean and its degrees of freedom; freedom 0:
                                 * one run on a side says nothing about the next run */
    double permutation_p;       /* of no difference, two-sided */
};

/* All values are above 0, count at least 1. `seed` is for what is too much to enumerate. */
struct ratio ratio_of_blocks(const double *base, const double *head, int count, uint64_t seed);
struct ratio ratio_of_groups(const double *base, int base_count, const double *head, int head_count,
                             uint64_t seed);
/* The geometric mean over `count` ratios that are independent of each other (Welch and
 * Satterthwaite). Where all have the same blocks ratio_of_blocks() of the blocks' geometric means
 * is better: what a block did to all of them is in it. */
struct ratio ratio_of_group(const struct ratio *ratios, int count);

/* The interval of the ratio at 1 - level; false when freedom is 0. */
bool ratio_interval(const struct ratio *ratio, double level, double *low, double *high);
/* Half its width as a share: 0.02 is "+-2 %". freedom > 0. */
double ratio_half_width(const struct ratio *ratio, double level);

enum verdict {
    VERDICT_NONE, /* one run a side: nothing is claimed */
    VERDICT_CANNOT_TELL,
    VERDICT_SAME,
    VERDICT_FASTER,
    VERDICT_SLOWER,
};
const char *verdict_word(enum verdict verdict);

struct verdict_rules {
    double threshold;     /* a difference below it does not matter: 0.03; below 1 */
    double level;         /* of false claims: 0.05 */
    bool lower_is_better; /* then a smaller number is the faster side */
};

struct finding {
    enum verdict verdict;
    double low, high; /* interval of the ratio, not widened for the number of tests; 0 without */
    double p;         /* of the nearest verdict, by this test alone; 1 without an interval */
    double p_held;    /* the same, held for all tests together (Holm) */
    int further; /* cannot tell: so many further blocks (runs a side when unpaired) would tell with
                  * 80 %, were the ratio as it looks now; above FURTHER_MAX: FURTHER_MAX + 1 */
};

/* A verdict for each of `count` ratios. False claims among all of them together are bounded by the
 * level (Holm 1979). `rules` and `findings` have as many rows. */
void verdicts(const struct ratio *ratios, const struct verdict_rules *rules, int count,
              struct finding *findings);

/* So many runs a side show a difference of `effect` (0.03) with probability `power`, when runs
 * differ by `variation` (0.05) from each other: the normal approximation with Guenther's (1981)
 * correction, at least 3. */
int runs_needed(double variation, double effect, double level, double power);

#endif
