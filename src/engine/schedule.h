/*
 * schedule.h - when transactions are due in an open loop (design D5).
 *
 * One schedule for the whole run: arrivals are numbered and claimed in order by whichever worker
 * has a free session, so what is asked for, and when, does not depend on the number of workers. It
 * never looks at how the last transaction went. Arrivals are made when they are claimed: however
 * far the server falls behind, the backlog takes no memory.
 *
 * The instants are those of a process of rate 1 seen through the inverse of the summed rate, so
 * that a rate that rises (--ramp) is as exact as a constant one: arrival u happens at the t for
 * which the integral of the rate over [0, t] is u. Constant arrivals have u = 1, 2, 3, ...; Poisson
 * arrivals have exponential gaps of mean 1 between them.
 */
#ifndef ENGINE_SCHEDULE_H
#define ENGINE_SCHEDULE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "engine/watch.h"
#include "plan/plan.h"

struct arrival {
    int64_t number; /* from 0, rising over the whole run: its input's place in the stream */
    int64_t due_ns; /* on clock_now_ns() */
    bool warmup;    /* it belongs to the warm-up */
};

struct schedule {
    pthread_mutex_t lock; /* of all below that changes */
    bool poisson;
    double rate_from, rate_to, ramp_s; /* per s; the ramp begins with the measured window */
    double warmup_s;
    int64_t start_ns, measure_begin_ns, end_ns; /* end 0: by count */
    int64_t wanted;                             /* measured arrivals; 0: by time */
    struct rng rng;
    int64_t number, measured;
    double sum;         /* u of the last arrival */
    struct watch watch; /* whose turn it is to claim; not under the lock */
};

/* The plan has a rate. The clock is set later, before the first claim. */
void schedule_init(struct schedule *schedule, const struct plan *plan);
void schedule_set_clock(struct schedule *schedule, int64_t start_ns, int64_t measure_begin_ns,
                        int64_t end_ns);
void schedule_close(struct schedule *schedule);

/* The next arrival, in order. False: there is none any more. Any thread. */
bool schedule_claim(struct schedule *schedule, struct arrival *arrival);

/* A number that no arrival has or gets, for an input drawn anew. Any thread. */
int64_t schedule_take_number(struct schedule *schedule);

/* True when the plan's count of measured arrivals is claimed: nothing follows, whatever the time.
 */
bool schedule_spent(struct schedule *schedule);

/* For a backlog that is to be dropped: takes many arrivals that are due before `before_ns` at once,
 * about a thousandth of them, so that a backlog takes no time to speak of, however large. `middle`
 * stands for all of them, due in the middle of their span; the answer is how many they are.
 * Their number is that of the arrival law over their span of time, exact when it is constant, drawn
 * when it is Poisson. 0: fewer than SCHEDULE_BULK_MIN are left, which are claimed one by one. They
 * are all of one phase. Any thread. */
#define SCHEDULE_BULK_MIN (1 << 17)
int64_t schedule_claim_bulk(struct schedule *schedule, int64_t before_ns, struct arrival *middle);

/* Pure: seconds from the start at which the summed rate reaches `sum`, and its inverse. */
double schedule_instant_s(const struct schedule *schedule, double sum);
double schedule_sum(const struct schedule *schedule, double instant_s);

#endif
