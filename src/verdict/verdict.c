/*
 * verdict.c - holds evidence against the rules.
 */
#include "verdict/verdict.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT_THRESHOLD 0.5
#define AT_FULL      0.9
#define CONFIRMING   0.1 /* all confirmations together, either way */

enum truth { NO, YES, UNKNOWN };

struct evidence evidence_nothing(void)
{
    struct evidence evidence;

    for (int i = 0; i < FIGURE_COUNT; i++)
        evidence.value[i] = NAN;
    return evidence;
}

static enum truth holds(const struct condition *condition, const struct evidence *evidence)
{
    double value = evidence->value[condition->figure];

    if (isnan(value))
        return UNKNOWN;
    return (condition->sense == '>' ? value > condition->threshold : value < condition->threshold)
               ? YES
               : NO;
}

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double score_of(const struct rule *rule, const struct evidence *evidence)
{
    double beyond = (evidence->value[rule->main] - rule->from) / (rule->full - rule->from);
    double score = AT_THRESHOLD + (AT_FULL - AT_THRESHOLD) * clamp(beyond, 0, 1);
    int yes = 0, no = 0;

    for (int i = 0; i < RULE_CONDITIONS_MAX && rule->confirmed[i].sense != 0; i++) {
        enum truth truth = holds(&rule->confirmed[i], evidence);
        yes += truth == YES;
        no += truth == NO;
    }
    if (yes + no > 0)
        score += CONFIRMING * (yes - no) / (yes + no);
    return clamp(score, 0, rule->most > 0 ? rule->most : 1);
}

static void lack(struct verdict *verdict, enum figure figure)
{
    const char *words = figure_rows[figure].lacks;

    for (int i = 0; i < verdict->missing_count; i++)
        if (words == NULL || strcmp(verdict->missing[i], words) == 0)
            return;
    if (words != NULL && verdict->missing_count < VERDICT_MISSING_MAX)
        verdict->missing[verdict->missing_count++] = words;
}

/* What is missing of a rule that may hold is noted. */
static bool rule_holds(const struct rule *rule, const struct evidence *evidence,
                       struct verdict *verdict)
{
    struct condition main = { rule->main, '>', rule->from };
    enum truth all = holds(&main, evidence);

    if (all == UNKNOWN)
        lack(verdict, rule->main);
    for (int i = 0; all == YES && i < RULE_CONDITIONS_MAX && rule->needs[i].sense != 0; i++) {
        all = holds(&rule->needs[i], evidence);
        if (all == UNKNOWN)
            lack(verdict, rule->needs[i].figure);
    }
    for (int i = 0; all == YES && i < RULE_CONDITIONS_MAX && rule->unless[i].sense != 0; i++)
        if (holds(&rule->unless[i], evidence) == YES)
            all = NO;
    return all == YES;
}

struct verdict verdict_judge(const struct evidence *evidence)
{
    struct verdict verdict = { .missing_count = 0 };

    for (const struct rule *rule = verdict_rules; rule->name != NULL; rule++) {
        struct finding found = { rule, 0 };
        if (!rule_holds(rule, evidence, &verdict))
            continue;
        found.score = score_of(rule, evidence);
        if (verdict.limit.rule == NULL || found.score > verdict.limit.score) {
            verdict.runner_up = verdict.limit;
            verdict.limit = found;
        } else if (verdict.runner_up.rule == NULL || found.score > verdict.runner_up.score) {
            verdict.runner_up = found;
        }
    }
    return verdict;
}
