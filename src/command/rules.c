/*
 * rules.c - see rules.h.
 */
#include "command/rules.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/terminals.h"
#include "plan/plan.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

#define DEVIATIONS 3

static const char not_applicable[] = "not applicable", too_few[] = "too few";

/* "at most" or "at least" */
static bool is_one_sided(double low, double high)
{
    return low <= 0 || high == 1;
}

/* The value that chance is measured at, and how far off it what is measured may lie. */
static double middle_of(double low, double high)
{
    if (is_one_sided(low, high))
        return low <= 0 ? high : low;
    return (low + high) / 2;
}

static double tolerance_of(double low, double high)
{
    double bound = middle_of(low, high);

    if (!is_one_sided(low, high))
        return (high - low) / 2;
    return bound < 1 && 1 - bound < bound ? 1 - bound : bound;
}

const char *rules_judge(double share, double deviation, double low, double high)
{
    double chance = DEVIATIONS * deviation;

    if (share < low - chance || share > high + chance)
        return "fail";
    if (chance > tolerance_of(low, high))
        return too_few;
    if (share >= low && share <= high)
        return "pass";
    return is_one_sided(low, high) ? too_few : "fail"; /* The truth may well lie on the bound. */
}

double rules_deviation(int64_t whole, double low, double high)
{
    double middle = middle_of(low, high), spread = middle < 1 ? middle * (1 - middle) : middle;

    return sqrt(spread / (double)whole);
}

static double round_share(double share)
{
    return round(share * 1e9) / 1e9;
}

static json_t *row_json(const struct rules_row *row, double share, const char *verdict)
{
    json_t *json = json_object();

    json_object_set_new(json, "name", json_string(row->name));
    json_object_set_new(json, "words", json_string(row->words));
    json_object_set_new(json, "part", json_integer(row->part));
    json_object_set_new(json, "whole", json_integer(row->whole));
    json_object_set_new(json, "share",
                        isfinite(share) ? json_real(round_share(share)) : json_null());
    json_object_set_new(json, "low", json_real(row->low));
    json_object_set_new(json, "high", json_real(row->high));
    json_object_set_new(json, "verdict", json_string(verdict));
    json_object_set_new(json, "source",
                        row->source != NULL ? json_string(row->source) : json_null());
    return json;
}

json_t *rules_row(const struct rules_row *row)
{
    double share = (double)row->part / (double)row->whole;
    const char *verdict = too_few;

    if (row->not_applicable)
        verdict = not_applicable;
    else if (row->whole > 0)
        verdict = rules_judge(share, rules_deviation(row->whole, row->low, row->high), row->low,
                              row->high);
    return row_json(row, share, verdict);
}

/* ---- tallies and rates ---- */

static json_t *tallies_json(const struct rules_facts *facts)
{
    const struct tally *tally = facts->workload->tallies;
    json_t *json = json_object();

    for (int i = 0; tally != NULL && tally[i].name != NULL; i++)
        json_object_set_new(json, tally[i].name, json_integer(recorder_tally(facts->recorder, i)));
    return json;
}

static json_t *rate_row(const struct rules_facts *facts, const struct rate_rule *rule)
{
    return rules_row(&(struct rules_row){ .name = rule->name,
                                          .words = rule->words,
                                          .source = rule->source,
                                          .part = recorder_tally(facts->recorder, rule->part),
                                          .whole = recorder_tally(facts->recorder, rule->whole),
                                          .low = rule->low,
                                          .high = rule->high,
                                          .not_applicable = rule->applies != NULL &&
                                                            !rule->applies(facts->world) });
}

/* ---- headlines ---- */

static int64_t count_of(const struct rules_facts *facts, const struct headline *headline)
{
    const struct phase_totals *totals = recorder_totals(facts->recorder, PHASE_MEASURE);

    if (headline->transaction < 0)
        return totals->all.outcome[OUTCOME_COMMITTED] + totals->all.outcome[OUTCOME_ROLLED_BACK];
    return totals->transactions[headline->transaction].counts.outcome[OUTCOME_COMMITTED];
}

/* NaN when no time has passed. */
static double value_of(const struct rules_facts *facts, const struct headline *headline)
{
    double seconds = (double)facts->measured_ns / (double)NS_PER_S;

    double each = headline->counts_for != NULL ? headline->counts_for(facts->world) : 1;

    return seconds > 0 ? (double)count_of(facts, headline) * each * headline->seconds / seconds
                       : NAN;
}

static json_t *number_json(double number)
{
    return isfinite(number) ? json_real(round(number * 1e6) / 1e6) : json_null();
}

static json_t *value_json(const struct rules_facts *facts, const struct headline *headline)
{
    const json_t *figure;

    if (headline->figure == NULL)
        return number_json(value_of(facts, headline));
    figure = json_object_get(facts->figures, headline->figure);
    return json_is_number(figure) ? number_json(json_number_value(figure)) : json_null();
}

static json_t *headlines_json(const struct rules_facts *facts)
{
    const struct headline *headline = facts->workload->headlines;
    json_t *list = json_array();

    for (; headline != NULL && headline->name != NULL; headline++) {
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(headline->name));
        json_object_set_new(row, "words", json_string(headline->words));
        json_object_set_new(row, "value", value_json(facts, headline));
        json_array_append_new(list, row);
    }
    return list;
}

/* The load is the one that the rules know: terminals that neither hurry nor outnumber. */
static bool is_fully_paced(const struct rules_facts *facts, double terminals)
{
    return (double)facts->plan->terminals == terminals && facts->plan->pace_scale == 1;
}

/* A count for some time by units, in bounds for as many terminals as the rules have. */
static json_t *each_row(const struct rules_facts *facts, const struct headline *headline)
{
    char *name = memory_format("%s_per_%s", headline->name, headline->each);
    char *words = memory_format("%s and %s", headline->words, headline->each);
    double units = headline->units(facts->world), share = value_of(facts, headline) / units;
    const char *verdict = too_few;
    struct rules_row row = { .name = name,
                             .words = words,
                             .source = headline->source,
                             .part = count_of(facts, headline),
                             .whole = llround(units),
                             .low = headline->low,
                             .high = headline->high };
    json_t *json;

    if (!is_fully_paced(facts, units * headline->terminals_each))
        verdict = not_applicable;
    else if (row.part > 0 && isfinite(share))
        verdict = rules_judge(share, share / sqrt((double)row.part), row.low, row.high);
    json = row_json(&row, share, verdict);
    memory_free(name);
    memory_free(words);
    return json;
}

static json_t *rates_json(const struct rules_facts *facts)
{
    const struct rate_rule *rule = facts->workload->rates;
    const struct headline *headline = facts->workload->headlines;
    json_t *list = json_array();

    for (; rule != NULL && rule->name != NULL; rule++)
        json_array_append_new(list, rate_row(facts, rule));
    terminals_rates(list, facts);
    for (; headline != NULL && headline->name != NULL; headline++)
        if (headline->each != NULL)
            json_array_append_new(list, each_row(facts, headline));
    return list;
}

void rules_tell(struct rules_told *told, const struct rules_facts *facts)
{
    told->headlines = headlines_json(facts);
    told->tallies = tallies_json(facts);
    told->rates = rates_json(facts);
    told->terminals = terminals_json(facts);
}

void rules_release(struct rules_told *told)
{
    json_decref(told->headlines);
    json_decref(told->tallies);
    json_decref(told->rates);
    json_decref(told->terminals);
}
