/*
 * rate.c - see rate.h.
 */
#include "command/rate.h"

#include "plan/plan.h"
#include "recorder/recorder.h"

struct rate_verdict rate_judge(const struct rate_facts *facts)
{
    struct rate_verdict verdict = { .share = 0 };
    int64_t late_ns = facts->oldest_ns;
    double in_time = 1;

    if (facts->scheduled > 0)
        verdict.share = 1 - (double)facts->undone / (double)facts->scheduled;
    if (facts->by_count && facts->due_ns > 0 && facts->sent_ns > facts->due_ns) {
        in_time = (double)facts->due_ns / (double)facts->sent_ns;
        if (late_ns < facts->sent_ns - facts->due_ns)
            late_ns = facts->sent_ns - facts->due_ns;
    }
    if (in_time < verdict.share)
        verdict.share = in_time;
    verdict.kept = verdict.share >= RATE_KEPT ||
                   (facts->scheduled > 0 && late_ns <= RATE_JITTER_NS && !facts->latency_limited);
    return verdict;
}

json_t *rate_json(const struct plan *plan, const struct rate_verdict *verdict)
{
    bool ramps = plan->ramp.to > 0;
    json_t *json = json_object();

    json_object_set_new(json, "arrival",
                        json_string(plan->arrival == ARRIVAL_POISSON ? "poisson" : "constant"));
    json_object_set_new(json, "wanted_per_s", ramps ? json_null() : json_real(plan->rate_per_s));
    json_object_set_new(json, "ramp", ramps ? json_string(plan->ramp_text) : json_null());
    json_object_set_new(json, "achieved_share", json_real(verdict->share));
    json_object_set_new(json, "kept", json_boolean(verdict->kept));
    return json;
}

int64_t rate_oldest_undone_ns(struct recorder *recorder)
{
    const struct phase_totals *totals = recorder_totals(recorder, PHASE_MEASURE);
    int64_t oldest_ns = 0;

    for (int i = 0; i < recorder_layout(recorder)->transaction_count; i++)
        if (totals->transactions[i].censored->max_ns > oldest_ns)
            oldest_ns = totals->transactions[i].censored->max_ns;
    return oldest_ns;
}
