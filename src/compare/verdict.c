/*
 * verdict.c - what an interval says against a threshold, for one test and for many.
 *
 * Each verdict is the rejection of its opposite: faster rejects "at most the threshold faster",
 * same rejects "beyond the threshold, on either side". For any truth the wrong verdicts of a test
 * together have at most the probability `level`, so the p of the nearest one can go to Holm.
 * Faster and slower must also stand without any distribution assumed: the exact permutation test of
 * "no difference" is asked as well, which is what makes five blocks too few.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "compare/compare.h"
#include "compare/distribution.h"

#define POWER    0.8
#define RUNS_MIN 3

static const char *const words[] = {
    [VERDICT_NONE] = "no claim", [VERDICT_CANNOT_TELL] = "cannot tell", [VERDICT_SAME] = "same",
    [VERDICT_FASTER] = "faster", [VERDICT_SLOWER] = "slower",
};

const char *verdict_word(enum verdict verdict)
{
    assert((int)verdict >= 0 && (int)verdict < COUNT_OF(words));
    return words[verdict];
}

/* Two-sided p of the truth being on the other side of a bound that lies `distance` away. */
static double p_beyond(double distance, const struct ratio *ratio)
{
    if (ratio->error > 0)
        return fmin(1, 2 * student_tail(distance / ratio->error, ratio->freedom));
    return distance > 0 ? 0 : 1;
}

static bool enough(const struct ratio *ratio)
{
    if (ratio->paired)
        return ratio->base_count >= BLOCKS_FOR_A_CLAIM;
    return ratio->base_count >= RUNS_FOR_A_CLAIM && ratio->head_count >= RUNS_FOR_A_CLAIM;
}

/* The verdict that the data are nearest to, and its p. */
static enum verdict nearest(const struct ratio *ratio, const struct verdict_rules *rules, double *p)
{
    double above = p_beyond(ratio->log_mean - log1p(rules->threshold), ratio);
    double below = p_beyond(log1p(-rules->threshold) - ratio->log_mean, ratio);
    double inside = fmax(p_beyond(log1p(rules->threshold) - ratio->log_mean, ratio),
                         p_beyond(ratio->log_mean - log1p(-rules->threshold), ratio));

    *p = fmin(inside, fmin(above, below));
    if (*p == inside)
        return VERDICT_SAME;
    return (*p == above) != rules->lower_is_better ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* ---- how many more ---- */

/* In doubles, since there may be more than an int can hold. */
static int counted(double needed, int had)
{
    double further = ceil(needed - 1e-9) - had;

    return further > FURTHER_MAX ? FURTHER_MAX + 1 : further < 1 ? 1 : (int)further;
}

/* Blocks that would tell: the interval must not reach the nearer bound. */
static int further(const struct ratio *ratio, const struct verdict_rules *rules, double level)
{
    double distance = fmin(fabs(ratio->log_mean - log1p(rules->threshold)),
                           fabs(ratio->log_mean - log1p(-rules->threshold)));
    double z = normal_quantile(level / 2), reach = (z + normal_quantile(1 - POWER)) * ratio->error;
    int had = ratio->base_count < ratio->head_count ? ratio->base_count : ratio->head_count;
    int least = ratio->paired ? BLOCKS_FOR_A_CLAIM : RUNS_FOR_A_CLAIM;

    if (reach >= distance * 1e6)
        return FURTHER_MAX + 1;
    return counted(
        fmax(least, had * reach * reach / distance / distance + z * z / (ratio->paired ? 2 : 4)),
        had);
}

int runs_needed(double variation, double effect, double level, double power)
{
    double z = normal_quantile(level / 2), sum = z + normal_quantile(1 - power);
    double share = sum * variation / effect;
    double needed = ceil(2 * share * share + z * z / 4);

    assert(effect > 0);
    return needed < RUNS_MIN ? RUNS_MIN : needed > 1e9 ? 1000000000 : (int)needed;
}

/* ---- many tests ---- */

struct place {
    int index;
    double p;
};

static int by_p(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return a->p != b->p ? (a->p > b->p) - (a->p < b->p)
                        : (a->index > b->index) - (a->index < b->index);
}

/* Holm's step-down: the smallest p times the number of tests, the next times one fewer, and never
 * below one before it. Gives the number of tests whose p_held is below the level. */
static int hold(struct place *places, int count, struct finding *findings, double level)
{
    double held = 0;
    int claimed = 0;

    qsort(places, (size_t)count, sizeof(*places), by_p);
    for (int i = 0; i < count; i++) {
        held = fmax(held, fmin(1, places[i].p * (count - i)));
        findings[places[i].index].p_held = held;
        claimed += held < level;
    }
    return claimed;
}

static void settle(const struct ratio *ratio, const struct verdict_rules *rules, double level,
                   struct finding *finding)
{
    bool claimed = enough(ratio) && finding->p_held < rules->level;

    if (finding->verdict == VERDICT_FASTER || finding->verdict == VERDICT_SLOWER)
        claimed = claimed && ratio->permutation_p < rules->level;
    if (claimed)
        return;
    finding->verdict = VERDICT_CANNOT_TELL;
    finding->further = further(ratio, rules, level);
}

void verdicts(const struct ratio *ratios, const struct verdict_rules *rules, int count,
              struct finding *findings)
{
    struct place *places = MEMORY_ARRAY(struct place, count + 1);
    int tested = 0, claimed;

    for (int i = 0; i < count; i++) {
        findings[i] = (struct finding){ .verdict = VERDICT_NONE, .p = 1, .p_held = 1 };
        if (!ratio_interval(&ratios[i], rules[i].level, &findings[i].low, &findings[i].high))
            continue;
        findings[i].verdict = nearest(&ratios[i], &rules[i], &findings[i].p);
        findings[i].p_held = findings[i].p;
        /* What can claim nothing is no test, and must not make the others' harder. */
        if (enough(&ratios[i]))
            places[tested++] = (struct place){ i, findings[i].p };
    }
    claimed = hold(places, tested, findings, count > 0 ? rules[0].level : 0);
    for (int i = 0; i < count; i++)
        if (findings[i].verdict != VERDICT_NONE)
            settle(&ratios[i], &rules[i],
                   rules[i].level / (tested - claimed > 1 ? tested - claimed : 1), &findings[i]);
    memory_free(places);
}
