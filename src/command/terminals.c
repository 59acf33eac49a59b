/*
 * terminals.c - see terminals.h.
 */
#include "command/terminals.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/common.h"
#include "recorder/recorder.h"

#define IN_TIME 0.9 /* of the transactions of a kind (TPC-C clause 5.2.5.3) */

static bool has_terminals(const struct workload *workload)
{
    const struct transaction *row = workload->transactions;

    while (row->name != NULL && row->keying_s == 0 && row->think_mean_s == 0)
        row++;
    return row->name != NULL;
}

int64_t terminals_wanted(const struct workload *workload, const void *world)
{
    const struct headline *headline = workload->headlines;

    for (; headline != NULL && headline->name != NULL; headline++)
        if (headline->units != NULL && headline->terminals_each > 0)
            return llround(headline->units(world) * headline->terminals_each);
    return 0;
}

bool terminals_settle(struct command_call *call, struct error *err)
{
    struct plan *plan = &call->plan;

    if (call->workload->pauses != NULL && call->workload->pauses(call->world) &&
        (plan_paced(plan) || plan->think_ns > 0))
        return error_set(err, ERROR_USAGE,
                         "with these options sessions of %s key and think by its own rules, in a "
                         "closed loop: leave --think, --rate, --ramp and --terminals out",
                         call->workload->name);
    if (plan->terminals == 0)
        return true;
    if (!has_terminals(call->workload))
        return error_set(err, ERROR_USAGE,
                         "--terminals: the rules of %s know no keying and thinking; --think is a "
                         "pause between transactions",
                         call->workload->name);
    if (plan->terminals == TERMINALS_FULL)
        plan->terminals = terminals_wanted(call->workload, call->world);
    if (plan->terminals == 0)
        return error_set(err, ERROR_USAGE,
                         "--terminals=full: how many %s has is not in its rules: give a number",
                         call->workload->name);
    return plan_check(plan, err);
}

static json_t *ms(double ns)
{
    return json_real(round(ns) / (double)NS_PER_MS);
}

/* What was only queued by its terminal: how long that took, and what was never carried out. */
static json_t *deferred_json(const struct rules_facts *facts)
{
    const struct histogram *put_off = recorder_put_off(facts->recorder);
    const struct phase_totals *totals = recorder_totals(facts->recorder, PHASE_MEASURE);
    const struct transaction *row = facts->workload->transactions;
    bool some = put_off->count > 0;
    json_t *json = json_object();
    int64_t left = 0;

    for (int i = 0; row[i].name != NULL; i++)
        if (row[i].deferred)
            left += totals->transactions[i].counts.outcome[OUTCOME_DROPPED];
    json_object_set_new(json, "queued", json_integer(put_off->count));
    json_object_set_new(json, "mean_ms", some ? ms(histogram_mean_ns(put_off)) : json_null());
    json_object_set_new(json, "p90_ms",
                        some ? ms((double)histogram_percentile_ns(put_off, 90)) : json_null());
    json_object_set_new(json, "max_ms", some ? ms((double)put_off->max_ns) : json_null());
    json_object_set_new(json, "left", json_integer(left));
    return json;
}

json_t *terminals_json(const struct rules_facts *facts)
{
    int64_t wanted = terminals_wanted(facts->workload, facts->world);
    json_t *json;

    if (facts->plan->terminals <= 0)
        return NULL;
    json = json_object();
    json_object_set_new(json, "count", json_integer(facts->plan->terminals));
    json_object_set_new(json, "wanted", wanted > 0 ? json_integer(wanted) : json_null());
    json_object_set_new(json, "pace_scale", json_real(facts->plan->pace_scale));
    json_object_set_new(json, "deferred", deferred_json(facts));
    return json;
}

/* Those that were not done count when it is known that they took too long. */
static json_t *in_time_row(const struct transaction *row, const struct transaction_totals *totals)
{
    int64_t limit_ns = (int64_t)(row->within_s * (double)NS_PER_S);
    int64_t part = histogram_count_upto(totals->response, limit_ns);
    int64_t whole = totals->response->count + totals->censored->count -
                    histogram_count_upto(totals->censored, limit_ns);
    char *name = memory_format("%s_in_time", row->name);
    char *words = memory_format("%s done within %g s", row->name, row->within_s);
    json_t *json = rules_row(&(struct rules_row){
        .name = name, .words = words, .part = part, .whole = whole, .low = IN_TIME, .high = 1 });

    memory_free(name);
    memory_free(words);
    return json;
}

void terminals_rates(json_t *rates, const struct rules_facts *facts)
{
    const struct phase_totals *totals = recorder_totals(facts->recorder, PHASE_MEASURE);
    const struct transaction *row = facts->workload->transactions;

    if (facts->plan->terminals <= 0)
        return;
    for (int i = 0; row[i].name != NULL; i++)
        if (row[i].within_s > 0 && totals->transactions[i].counts.scheduled > 0)
            json_array_append_new(rates, in_time_row(&row[i], &totals->transactions[i]));
}
