/*
 * schedule.c - see schedule.h.
 */
#include "engine/schedule.h"

#include <math.h>

#include "base/clock.h"

#define ARRIVAL_STREAM UINT64_C(0xa1a1a1a1) /* of the gaps; inputs have streams of their own */
#define BULK_SHARE     1024                 /* of a backlog: as fine as a histogram tells ages */

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

double schedule_sum(const struct schedule *schedule, double instant_s)
{
    double from = schedule->rate_from, to = schedule->rate_to, ramp_s = schedule->ramp_s;
    double since_s = instant_s - schedule->warmup_s;

    if (since_s <= 0)
        return from * instant_s;
    if (since_s >= ramp_s)
        return from * schedule->warmup_s + (from + to) / 2 * ramp_s + to * (since_s - ramp_s);
    return from * instant_s + (to - from) / ramp_s * since_s * since_s / 2;
}

static int64_t due_ns(const struct schedule *schedule, double sum)
{
    return schedule->start_ns + (int64_t)(schedule_instant_s(schedule, sum) * (double)NS_PER_S);
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
    arrival->due_ns = due_ns(schedule, sum);
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

int64_t schedule_take_number(struct schedule *schedule)
{
    int64_t number;

    pthread_mutex_lock(&schedule->lock);
    number = schedule->number++;
    pthread_mutex_unlock(&schedule->lock);
    return number;
}

bool schedule_spent(struct schedule *schedule)
{
    bool spent;

    pthread_mutex_lock(&schedule->lock);
    spent = schedule->wanted > 0 && schedule->measured >= schedule->wanted;
    pthread_mutex_unlock(&schedule->lock);
    return spent;
}

/* How many arrivals a span of the summed rate holds. Spans are so long that the normal distribution
 * stands for Poisson's. */
static int64_t arrivals_in(struct schedule *schedule, double span)
{
    double radius, angle, count = span;

    if (schedule->poisson) {
        radius = sqrt(-2 * log1p(-rng_unit(&schedule->rng)));
        angle = 2 * M_PI * rng_unit(&schedule->rng);
        count += sqrt(span) * radius * cos(angle);
    }
    return count > 1 ? llround(count) : 1;
}

int64_t schedule_claim_bulk(struct schedule *schedule, int64_t before_ns, struct arrival *middle)
{
    int64_t count = 0, left = INT64_MAX;
    double span;

    pthread_mutex_lock(&schedule->lock);
    if (schedule->end_ns != 0 && before_ns > schedule->end_ns)
        before_ns = schedule->end_ns;
    middle->number = schedule->number;
    middle->warmup = due_ns(schedule, schedule->sum) < schedule->measure_begin_ns;
    if (middle->warmup && before_ns > schedule->measure_begin_ns)
        before_ns = schedule->measure_begin_ns;
    else if (!middle->warmup && schedule->wanted > 0)
        left = schedule->wanted - schedule->measured;
    span = schedule_sum(schedule, (double)(before_ns - schedule->start_ns) / (double)NS_PER_S) -
           schedule->sum;
    if (span > (double)left)
        span = (double)left;
    if (span >= SCHEDULE_BULK_MIN) {
        span = floor(span / BULK_SHARE);
        count = arrivals_in(schedule, span);
        middle->due_ns = due_ns(schedule, schedule->sum + span / 2);
        schedule->sum += span;
        schedule->number += count;
        schedule->measured += middle->warmup ? 0 : count;
    }
    pthread_mutex_unlock(&schedule->lock);
    return count;
}
