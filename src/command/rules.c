/*
 * rules.c - see rules.h.
 */
#include "command/rules.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

#define DEVIATIONS 3

static const char not_applicable[] = "not applicable", too_few[] = "too few";

const char *rules_judge(double share, double deviation, double low, double high)
{
    double chance = DEVIATIONS * deviation;

    if (share < low - chance || share > high + chance)
        return "fail";
    if (chance > (high - low) / 2)
        return too_few;
    return share >= low && share <= high ? "pass" : "fail";
}

double rules_deviation(int64_t whole, double low, double high)
{
    double middle = (low + high) / 2, spread = middle < 1 ? middle * (1 - middle) : middle;

    return sqrt(spread / (double)whole);
}

static double round_share(double share)
{
    return round(share * 1e9) / 1e9;
}

struct row {
    const char *name, *words, *source, *verdict;
    json_t *part, *whole; /* become the result's */
    double share, low, high;
};

static json_t *row_json(const struct row *row)
{
    json_t *json = json_object();

    json_object_set_new(json, "name", json_string(row->name));
    json_object_set_new(json, "words", json_string(row->words));
    json_object_set_new(json, "part", row->part);
    json_object_set_new(json, "whole", row->whole);
    json_object_set_new(json, "share",
                        isfinite(row->share) ? json_real(round_share(row->share)) : json_null());
    json_object_set_new(json, "low", json_real(row->low));
    json_object_set_new(json, "high", json_real(row->high));
    json_object_set_new(json, "verdict", json_string(row->verdict));
    json_object_set_new(json, "source",
                        row->source != NULL ? json_string(row->source) : json_null());
    return json;
}

/* ---- tallies and rates ---- */

json_t *rules_tallies(const struct rules_facts *facts)
{
    const struct tally *tally = facts->workload->tallies;
    json_t *json = json_object();

    for (int i = 0; tally != NULL && tally[i].name != NULL; i++)
        json_object_set_new(json, tally[i].name, json_integer(recorder_tally(facts->recorder, i)));
    return json;
}

static json_t *rate_row(const struct rules_facts *facts, const struct rate_rule *rule)
{
    int64_t part = recorder_tally(facts->recorder, rule->part);
    int64_t whole = recorder_tally(facts->recorder, rule->whole);
    struct row row = { .name = rule->name,
                       .words = rule->words,
                       .source = rule->source,
                       .verdict = too_few,
                       .part = json_integer(part),
                       .whole = json_integer(whole),
                       .share = (double)part / (double)whole,
                       .low = rule->low,
                       .high = rule->high };

    if (rule->applies != NULL && !rule->applies(facts->world))
        row.verdict = not_applicable;
    else if (whole > 0)
        row.verdict =
            rules_judge(row.share, rules_deviation(whole, row.low, row.high), row.low, row.high);
    return row_json(&row);
}

/* ---- headlines ---- */

static int64_t count_of(const struct rules_facts *facts, const struct headline *headline)
{
    const struct phase_totals *totals = recorder_totals(facts->recorder, PHASE_MEASURE);
    const struct counts *counts = headline->transaction < 0
                                      ? &totals->all
                                      : &totals->transactions[headline->transaction].counts;

    return counts->outcome[OUTCOME_COMMITTED];
}

/* NaN when no time has passed. */
static double value_of(const struct rules_facts *facts, const struct headline *headline)
{
    double seconds = (double)facts->measured_ns / (double)NS_PER_S;

    return seconds > 0 ? (double)count_of(facts, headline) * headline->seconds / seconds : NAN;
}

static json_t *number_json(double number)
{
    return isfinite(number) ? json_real(round(number * 1e6) / 1e6) : json_null();
}

json_t *rules_headlines(const struct rules_facts *facts)
{
    const struct headline *headline = facts->workload->headlines;
    json_t *list = json_array();

    for (; headline != NULL && headline->name != NULL; headline++) {
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(headline->name));
        json_object_set_new(row, "words", json_string(headline->words));
        json_object_set_new(row, "value", number_json(value_of(facts, headline)));
        json_array_append_new(list, row);
    }
    return list;
}

/* The load is the one that the rules know, terminals that neither hurry nor outnumber. */
static bool is_fully_paced(const struct rules_facts *facts, const struct headline *headline,
                           double units)
{
    (void)facts;
    (void)headline;
    (void)units;
    return false;
}

static json_t *each_row(const struct rules_facts *facts, const struct headline *headline)
{
    char *name = memory_format("%s_per_%s", headline->name, headline->each);
    char *words = memory_format("%s and %s", headline->words, headline->each);
    double value = value_of(facts, headline), units = headline->units(facts->world);
    double count = (double)count_of(facts, headline);
    struct row row = { .name = name,
                       .words = words,
                       .source = headline->source,
                       .verdict = too_few,
                       .part = number_json(value),
                       .whole = number_json(units),
                       .share = value / units,
                       .low = headline->low,
                       .high = headline->high };
    json_t *json;

    if (!is_fully_paced(facts, headline, units))
        row.verdict = not_applicable;
    else if (count > 0 && isfinite(row.share))
        row.verdict = rules_judge(row.share, row.share / sqrt(count), row.low, row.high);
    json = row_json(&row);
    memory_free(name);
    memory_free(words);
    return json;
}

json_t *rules_rates(const struct rules_facts *facts)
{
    const struct rate_rule *rule = facts->workload->rates;
    const struct headline *headline = facts->workload->headlines;
    json_t *list = json_array();

    for (; rule != NULL && rule->name != NULL; rule++)
        json_array_append_new(list, rate_row(facts, rule));
    for (; headline != NULL && headline->name != NULL; headline++)
        if (headline->each != NULL)
            json_array_append_new(list, each_row(facts, headline));
    return list;
}
