/*
 * schedule.c - see schedule.h.
 */
#include "engine/schedule.h"

#include <math.h>

#include "base/clock.h"

#define ARRIVAL_STREAM UINT64_C(0xa1a1a1a1) /* of the gaps; inputs have streams of their own */

void schedule_init(struct schedule *schedule, const struct plan *plan)
{
    *schedule = (struct schedule){
        .poisson = plan->arrival == ARRIVAL_POISSON,
        .rate_from = plan->ramp.to > 0 ? plan->ramp.from : plan->rate_per_s,
        .rate_to = plan->ramp.to > 0 ? plan->ramp.to : plan->rate_per_s,
        .ramp_s = plan->ramp.to > 0 ? plan->ramp.seconds : 0,
        .warmup_s = (double)plan->warmup_ns / (double)NS_PER_S,
        .wanted = plan->transactions,
    };
    pthread_mutex_init(&schedule->lock, NULL);
    rng_init(&schedule->rng, (uint64_t)plan->seed, ARRIVAL_STREAM, 0);
}

void schedule_set_clock(struct schedule *schedule, int64_t start_ns, int64_t measure_begin_ns,
                        int64_t end_ns)
{
    schedule->start_ns = start_ns;
    schedule->measure_begin_ns = measure_begin_ns;
    schedule->end_ns = end_ns;
}

void schedule_close(struct schedule *schedule)
{
    pthread_mutex_destroy(&schedule->lock);
}

double schedule_instant_s(const struct schedule *schedule, double sum)
{
    double from = schedule->rate_from, to = schedule->rate_to, ramp_s = schedule->ramp_s;
    double left = sum - from * schedule->warmup_s; /* of the summed rate, after the warm-up */
    double in_ramp = (from + to) / 2 * ramp_s, slope, root;

    if (left <= 0)
        return sum / from;
    if (left >= in_ramp)
        return schedule->warmup_s + ramp_s + (left - in_ramp) / to;
    /* from t + slope t^2 / 2 = left, in the form that loses nothing when the slope is small. */
    slope = (to - from) / ramp_s;
    root = sqrt(from * from + 2 * slope * left);
    return schedule->warmup_s + 2 * left / (from + root);
}

static double gap(struct schedule *schedule)
{
    return schedule->poisson ? -log1p(-rng_unit(&schedule->rng)) : 1;
}

bool schedule_claim(struct schedule *schedule, struct arrival *arrival)
{
    bool there;
    double sum;

    pthread_mutex_lock(&schedule->lock);
    sum = schedule->sum + gap(schedule);
    arrival->number = schedule->number;
    arrival->due_ns =
        schedule->start_ns + (int64_t)(schedule_instant_s(schedule, sum) * (double)NS_PER_S);
    arrival->warmup = arrival->due_ns < schedule->measure_begin_ns;
    there = (schedule->end_ns == 0 || arrival->due_ns < schedule->end_ns) &&
            (arrival->warmup || schedule->wanted == 0 || schedule->measured < schedule->wanted);
    if (there) {
        schedule->sum = sum;
        schedule->number++;
        schedule->measured += !arrival->warmup;
    } else { /* Nothing may follow, whatever the next gap would be. */
        schedule->end_ns = schedule->start_ns;
    }
    pthread_mutex_unlock(&schedule->lock);
    return there;
}
