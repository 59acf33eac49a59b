/*
 * bench_steps.c - the order of a bench, a pure function of plan and seed.
 *
 * In a block every unit meets every target once. Units come in random order, and for each unit the
 * targets in random order right behind each other, so that what drifts on the machine drifts for
 * all of them. All runs of a block have one seed: their inputs are the same.
 */
#include <stdio.h>

#include "base/rng.h"
#include "command/bench.h"

#define ORDER_STREAM 1
#define SEED_STREAM  2
#define SEED_HIGH    INT64_C(9007199254740991) /* exact in every JSON reader */

int64_t bench_block_seed(int64_t seed, int block)
{
    struct rng rng;

    rng_init(&rng, (uint64_t)seed, SEED_STREAM, (uint64_t)block);
    return rng_between(&rng, 1, SEED_HIGH);
}

/* Fisher and Yates. */
static void shuffle(struct rng *rng, int *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int other = (int)rng_between(rng, 0, i), kept = numbers[i];
        numbers[i] = numbers[other];
        numbers[other] = kept;
    }
}

static void add_unit(struct bench *bench, int block, int unit, int target)
{
    const struct bench_unit *rows = &bench->units[unit];

    for (int i = 0; i < rows->count; i++) {
        struct bench_step *step = &bench->steps[bench->step_count++];
        *step = (struct bench_step){ .block = block,
                                     .target = target,
                                     .row = rows->first + i,
                                     .seed = bench_block_seed(bench->seed, block),
                                     .begins = i == 0 };
        snprintf(step->id, sizeof step->id, "b%02d-%s-r%02d", block,
                 bench->targets[target].plan->name, step->row + 1);
    }
}

static void add_block(struct bench *bench, int block, int *units, int *targets)
{
    struct rng rng;

    rng_init(&rng, (uint64_t)bench->seed, ORDER_STREAM, (uint64_t)block);
    shuffle(&rng, units, bench->unit_count);
    for (int i = 0; i < bench->unit_count; i++) {
        shuffle(&rng, targets, bench->plan.target_count);
        for (int j = 0; j < bench->plan.target_count; j++)
            add_unit(bench, block, units[i], targets[j]);
    }
}

bool bench_make_steps(struct bench *bench, struct error *err)
{
    int64_t count = (int64_t)bench->repeats * bench->plan.target_count * bench->row_count;
    int *units, *targets;

    if (count > BENCH_STEPS_MAX)
        return error_set(err, ERROR_PLAN, "%s: %d blocks of %d rows on %d targets are too many",
                         bench->plan_path, bench->repeats, bench->row_count,
                         bench->plan.target_count);
    bench->steps = ARENA_ARRAY(bench->arena, struct bench_step, count);
    units = ARENA_ARRAY(bench->arena, int, bench->unit_count);
    targets = ARENA_ARRAY(bench->arena, int, bench->plan.target_count);
    for (int block = 1; block <= bench->repeats; block++)
        add_block(bench, block, units, targets);
    return true;
}
