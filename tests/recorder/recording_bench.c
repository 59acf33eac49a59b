/*
 * recording_bench.c - what recording costs a worker: one transaction and its one statement.
 *
 * Usage: recorder_recording_bench [ROUNDS [RECORDS]]. Records are drawn before, as a worker has
 * them when it records. Prints the best and the median round, since a shared machine only ever adds
 * time, and ends with 1 when the best of the closed loop is over budget. With one round and no more
 * it is what callgrind runs (bench/recording). Ticks are on: a hundred a round.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "recorder/recorder.h"

#define BUDGET_NS    40
#define TRANSACTIONS 5
#define STATEMENTS   30
#define DRAWN        65536 /* distinct records, used again and again */
#define ROUNDS_MAX   1000
#define TICKS        100
#define LONG_AGO_NS                                                              \
    (-(INT64_C(1) << 60)) /* all intervals are over: the coordinator never waits \
                           */

static const char *const names[STATEMENTS];

struct pair {
    struct transaction_record transaction;
    struct statement_record statement;
};

static struct recorder *make(bool open_loop)
{
    struct recorder_layout layout = { .lane_count = 1,
                                      .transaction_count = TRANSACTIONS,
                                      .statement_count = STATEMENTS,
                                      .transaction_names = names,
                                      .statement_names = names,
                                      .open_loop = open_loop,
                                      .interval_ns = NS_PER_S };
    struct recorder *recorder = recorder_new(&layout);

    recorder_start(recorder, LONG_AGO_NS);
    return recorder;
}

/* Lognormal around 300 us, a wide one: 1.3 octaves of standard deviation. */
static int64_t draw_ns(struct rng *rng)
{
    double a = 1 - rng_unit(rng), b = rng_unit(rng);

    return (int64_t)(300e3 * exp(0.9 * sqrt(-2 * log(a)) * cos(6.283185307179586 * b)));
}

static struct pair *draw_pairs(bool open_loop)
{
    struct pair *pairs = MEMORY_ARRAY(struct pair, DRAWN);
    struct rng rng;

    rng_init(&rng, 1, 1, 1);
    for (int i = 0; i < DRAWN; i++) {
        int64_t took_ns = draw_ns(&rng), waited_ns = open_loop ? draw_ns(&rng) : 0;

        pairs[i].transaction =
            (struct transaction_record){ .transaction = (int)rng_between(&rng, 0, TRANSACTIONS - 1),
                                         .phase = PHASE_MEASURE,
                                         .outcome = OUTCOME_COMMITTED,
                                         .attempts = 1,
                                         .scheduled_ns = i,
                                         .sent_ns = i + waited_ns,
                                         .done_ns = i + waited_ns + took_ns };
        pairs[i].statement =
            (struct statement_record){ .statement = (int)rng_between(&rng, 0, STATEMENTS - 1),
                                       .phase = PHASE_MEASURE,
                                       .kind = QUERY_READ,
                                       .latency_ns = took_ns,
                                       .rows = 1 };
    }
    return pairs;
}

/* The part between two ticks; not inlined, so that callgrind can be told to look at it alone. */
static void __attribute__((noinline))
record_many(struct lane *lane, const struct pair *pairs, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        lane_transaction(lane, &pairs[i % DRAWN].transaction);
        lane_statement(lane, &pairs[i % DRAWN].statement);
    }
}

/* Gives the ns of one record. Only the worker's side is timed; the coordinator empties between. */
static double round_ns(struct recorder *recorder, const struct pair *pairs, int64_t records,
                       int64_t *tick)
{
    struct lane *lane = recorder_lane(recorder, 0);
    struct interval out[PHASE_COUNT];
    int64_t spent_ns = 0;

    for (int i = 0; i < TICKS; i++) {
        int64_t begin_ns = clock_now_ns();

        record_many(lane, pairs, records / TICKS);
        lane_tick(lane, LONG_AGO_NS + ++*tick * NS_PER_S);
        spent_ns += clock_now_ns() - begin_ns;
        recorder_collect(recorder, 0, out);
    }
    return (double)spent_ns / (double)records;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return a < b ? -1 : a > b;
}

static double measure(bool open_loop, int rounds, int64_t records)
{
    struct recorder *recorder = make(open_loop);
    struct pair *pairs = draw_pairs(open_loop);
    double took_ns[ROUNDS_MAX], best_ns;
    int64_t tick = 0;

    for (int i = 0; i < rounds; i++)
        took_ns[i] = round_ns(recorder, pairs, records, &tick);
    qsort(took_ns, (size_t)rounds, sizeof took_ns[0], compare_doubles);
    best_ns = took_ns[0];
    printf("%s: best %.1f ns, median %.1f ns a transaction with one statement (%d rounds of "
           "%" PRId64 ")\n",
           open_loop ? "open loop  " : "closed loop", best_ns, took_ns[rounds / 2], rounds,
           records);
    memory_free(pairs);
    recorder_free(recorder);
    return best_ns;
}

int main(int count, char **words)
{
    int64_t rounds = count > 1 ? strtoll(words[1], NULL, 10) : 30;
    int64_t records = count > 2 ? strtoll(words[2], NULL, 10) : 200000;
    double closed_ns;

    if (rounds < 1 || rounds > ROUNDS_MAX || records < TICKS)
        return 2;
    closed_ns = measure(false, (int)rounds, records);
    if (rounds > 1) {
        measure(true, (int)rounds, records);
        printf("budget     : %d ns\n", BUDGET_NS);
    }
    return closed_ns <= BUDGET_NS ? 0 : 1;
}
