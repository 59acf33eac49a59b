/*
 * coroutine_test.c - bodies keep their locals and registers whatever the order they go on in, and
 * are dropped from any depth. Bodies note what they find; only the tests assert, for a failing
 * assertion must not jump off a coroutine's stack. tests/engine/coroutine_variants.py builds this
 * file with other compilers and levels as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/coroutine.h"

#define MANY  500 /* more than stacks with a guard */
#define WAITS 40
#define DEEP  20480 /* bytes a body may use */

struct job {
    struct coroutine *coroutine;
    uint64_t seed;
    int waits, begun, ended, wrong;
    int depth;
    uint64_t sum;
};

/* Locals in registers of all kinds, and an array on the stack, across waits. */
static void keep_locals(void *arg)
{
    struct job *job = arg;
    struct rng rng;
    volatile uint64_t kept[32];
    uint64_t a = job->seed, b = a * 3 + 1, c = a ^ b, d = b - c, e = c * 7, f = d + e;
    double x = (double)(a & 0xffff) + 0.5, y = x * 3;

    job->begun++;
    rng_init(&rng, job->seed, 1, 1);
    for (int i = 0; i < COUNT_OF(kept); i++)
        kept[i] = job->seed + (uint64_t)i;
    for (int turn = 0; turn < job->waits; turn++) {
        uint64_t before = a + b + c + d + e + f;
        double z = x + y;

        job->sum += rng_next(&rng);
        coroutine_wait(job->coroutine);
        job->wrong += a + b + c + d + e + f != before || z != x + y;
        for (int i = 0; i < COUNT_OF(kept); i++)
            job->wrong += kept[i] != job->seed + (uint64_t)i;
        a = b ^ (c << 1);
        d += e * 5;
        x += 1;
    }
    job->ended++;
}

static uint64_t expected_sum(uint64_t seed, int waits)
{
    struct rng rng;
    uint64_t sum = 0;

    rng_init(&rng, seed, 1, 1);
    for (int i = 0; i < waits; i++)
        sum += rng_next(&rng);
    return sum;
}

static void start(struct coroutine_pool *pool, struct job *job, void (*body)(void *arg))
{
    job->coroutine = coroutine_take(pool, body, job);
    assert_non_null(job->coroutine);
}

static void many_in_random_order(void **state)
{
    static struct job jobs[MANY];
    struct coroutine_pool pool = { 0 };
    struct rng rng;
    int left = MANY;

    (void)state;
    rng_init(&rng, 7, 7, 7);
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < MANY; i++) {
        jobs[i].seed = (uint64_t)i * 1000 + 3;
        jobs[i].waits = 1 + i % WAITS;
        start(&pool, &jobs[i], keep_locals);
    }
    assert_int_equal(pool.born, MANY);
    while (left > 0) {
        struct job *job = &jobs[rng_between(&rng, 0, MANY - 1)];
        if (job->coroutine == NULL || coroutine_resume(job->coroutine))
            continue;
        coroutine_give(&pool, job->coroutine);
        job->coroutine = NULL;
        left--;
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(jobs[i].ended, 1);
        assert_int_equal(jobs[i].wrong, 0);
        assert_true(jobs[i].sum == expected_sum(jobs[i].seed, jobs[i].waits));
    }
    coroutine_pool_close(&pool);
}

/* Every frame has locals of its own, so that sanitizers lay red zones all the way down. */
static int __attribute__((noinline)) go_down(struct job *job, int depth)
{
    volatile char here[64];
    int below = 0;

    for (int i = 0; i < (int)sizeof here; i++)
        here[i] = (char)(depth + i);
    if (depth > 0)
        below = go_down(job, depth - 1);
    else
        coroutine_wait(job->coroutine);
    for (int i = 0; i < (int)sizeof here; i++)
        job->wrong += here[i] != (char)(depth + i);
    return below + here[0];
}

static void dive(void *arg)
{
    struct job *job = arg;

    job->begun++;
    for (;;)
        job->sum += (uint64_t)go_down(job, job->depth);
}

static void dive_once(void *arg)
{
    struct job *job = arg;

    job->begun++;
    go_down(job, job->depth);
    job->ended++;
}

static void dropped_from_any_depth(void **state)
{
    struct coroutine_pool pool = { 0 };
    struct job job;

    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        job = (struct job){ .depth = turn % 60 };
        start(&pool, &job, dive);
        for (int i = 0; i <= turn % 3; i++)
            assert_true(coroutine_resume(job.coroutine));
        coroutine_drop(job.coroutine);
        assert_int_equal(job.begun, 1);
        coroutine_drop(job.coroutine); /* a second time does nothing */
        coroutine_give(&pool, job.coroutine);
        /* The same stack carries a body that ends by itself, at another depth. */
        job = (struct job){ .depth = 59 - turn % 60 };
        start(&pool, &job, dive_once);
        assert_true(coroutine_resume(job.coroutine));
        assert_false(coroutine_resume(job.coroutine));
        coroutine_give(&pool, job.coroutine);
        assert_int_equal(job.ended, 1);
        assert_int_equal(job.wrong, 0);
    }
    assert_int_equal(pool.born, 1);
    coroutine_pool_close(&pool);
}

/* Some are dropped while others wait on: nobody else's stack may suffer. */
static void dropped_among_others(void **state)
{
    static struct job jobs[64];
    struct coroutine_pool pool = { 0 };
    struct rng rng;
    int ended = 0;

    (void)state;
    rng_init(&rng, 8, 8, 8);
    memset(jobs, 0, sizeof jobs);
    for (int turn = 0; turn < 20000; turn++) {
        struct job *job = &jobs[rng_between(&rng, 0, COUNT_OF(jobs) - 1)];
        int64_t what = rng_between(&rng, 0, 9);

        if (job->coroutine == NULL) {
            *job = (struct job){ .seed = rng_next(&rng), .waits = 20, .depth = turn % 50 };
            start(&pool, job, what < 5 ? keep_locals : dive_once);
        } else if (what == 0 && job->begun > 0) {
            coroutine_drop(job->coroutine);
            coroutine_give(&pool, job->coroutine);
            job->coroutine = NULL;
        } else if (!coroutine_resume(job->coroutine)) {
            ended += job->ended;
            coroutine_give(&pool, job->coroutine);
            job->coroutine = NULL;
        }
        assert_int_equal(job->wrong, 0);
    }
    assert_true(ended > 100);
    assert_true(pool.born <= COUNT_OF(jobs));
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        if (jobs[i].coroutine == NULL)
            continue;
        if (jobs[i].begun == 0)
            coroutine_resume(jobs[i].coroutine);
        coroutine_drop(jobs[i].coroutine);
        coroutine_give(&pool, jobs[i].coroutine);
    }
    coroutine_pool_close(&pool);
}

static void use_much(void *arg)
{
    struct job *job = arg;
    volatile unsigned char much[DEEP];

    for (int i = 0; i < DEEP; i++)
        much[i] = (unsigned char)(job->seed + (uint64_t)i);
    coroutine_wait(job->coroutine);
    for (int i = 0; i < DEEP; i++)
        job->wrong += much[i] != (unsigned char)(job->seed + (uint64_t)i);
    job->ended++;
}

/* Whatever its place in the row: stacks are staggered. */
static void deep_stacks(void **state)
{
    struct job jobs[20] = { 0 };
    struct coroutine_pool pool = { 0 };

    (void)state;
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        jobs[i].seed = (uint64_t)i;
        start(&pool, &jobs[i], use_much);
        assert_true(coroutine_resume(jobs[i].coroutine));
    }
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        assert_false(coroutine_resume(jobs[i].coroutine));
        assert_int_equal(jobs[i].ended, 1);
        assert_int_equal(jobs[i].wrong, 0);
        coroutine_give(&pool, jobs[i].coroutine);
    }
    coroutine_pool_close(&pool);
}

/* What the caller of coroutine_resume() and coroutine_drop() holds in registers stays. */
static void callers_keep_their_registers(void **state)
{
    struct coroutine_pool pool = { 0 };
    struct job job = { .seed = 5, .waits = 1000 };
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7;
    double x = 0.25, y = 0.5, z = 0.75;

    (void)state;
    start(&pool, &job, keep_locals);
    for (int i = 0; i < 1000; i++) {
        assert_true(coroutine_resume(job.coroutine));
        a += 1, b += 2, c += 3, d += 4, e += 5, f += 6, g += 7;
        x += 1, y += 2, z += 3;
    }
    coroutine_drop(job.coroutine);
    assert_true(a == 1001 && b == 2002 && c == 3003 && d == 4004 && e == 5005 && f == 6006);
    assert_true(g == 7007 && x == 1000.25 && y == 2000.5 && z == 3000.75);
    coroutine_give(&pool, job.coroutine);
    coroutine_pool_close(&pool);
}

static void *work_alone(void *arg)
{
    struct job *job = arg;
    struct coroutine_pool pool = { 0 };

    for (int turn = 0; turn < 300; turn++) {
        job->coroutine = coroutine_take(&pool, keep_locals, job);
        for (int i = 0; i < 10; i++)
            coroutine_resume(job->coroutine);
        coroutine_drop(job->coroutine);
        coroutine_give(&pool, job->coroutine);
    }
    coroutine_pool_close(&pool);
    return NULL;
}

static void threads_have_pools_of_their_own(void **state)
{
    struct job jobs[4] = { 0 };
    pthread_t threads[4];

    (void)state;
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        jobs[i].seed = (uint64_t)i;
        jobs[i].waits = 20;
        assert_int_equal(pthread_create(&threads[i], NULL, work_alone, &jobs[i]), 0);
    }
    for (int i = 0; i < COUNT_OF(jobs); i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].begun, 300);
        assert_int_equal(jobs[i].wrong, 0);
    }
}

/* Goes on some times and then never again. */
static bool block_thrice(void *arg)
{
    int *left = arg;

    return (*left)-- > 0;
}

static void blocking_bodies_stay_on_our_stack(void **state)
{
    int left = 3;
    struct coroutine_pool pool = { .block = block_thrice, .block_arg = &left };
    struct job job = { .seed = 5, .waits = 3 };

    (void)state;
    job.coroutine = coroutine_take(&pool, keep_locals, &job);
    assert_false(coroutine_start(job.coroutine));
    coroutine_give(&pool, job.coroutine);
    assert_int_equal(job.ended, 1);
    assert_int_equal(job.wrong, 0);
    for (int i = 1; i <= 1000; i++) {
        left = 3;
        job.waits = 4;
        job.coroutine = coroutine_take(&pool, keep_locals, &job);
        assert_true(coroutine_start(job.coroutine));
        assert_int_equal(job.begun, 1 + i);
        assert_int_equal(job.ended, 1);
        coroutine_drop(job.coroutine);
        coroutine_give(&pool, job.coroutine);
    }
    assert_int_equal(pool.born, 1);
    coroutine_pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_in_random_order),
        cmocka_unit_test(dropped_from_any_depth),
        cmocka_unit_test(dropped_among_others),
        cmocka_unit_test(deep_stacks),
        cmocka_unit_test(callers_keep_their_registers),
        cmocka_unit_test(threads_have_pools_of_their_own),
        cmocka_unit_test(blocking_bodies_stay_on_our_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
