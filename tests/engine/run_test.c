/*
 * run_test.c - who may start when, how many claim a count, and that inputs are a pure function of
 * (seed, stream, sequence) whoever draws them (design D3). No server: inputs are seen through a
 * workload that needs none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/memory.h"
#include "engine/run.h"

/* ---- run_may_start ---- */

static void phases_and_the_end(void **state)
{
    struct plan plan = { .time_ns = 100 };
    struct run run = { .plan = &plan, .start_ns = 0, .measure_begin_ns = 50, .end_ns = 150 };
    enum phase phase;

    (void)state;
    assert_true(run_may_start(&run, 0, &phase));
    assert_int_equal(phase, PHASE_WARMUP);
    assert_true(run_may_start(&run, 49, &phase));
    assert_int_equal(phase, PHASE_WARMUP);
    assert_true(run_may_start(&run, 50, &phase));
    assert_int_equal(phase, PHASE_MEASURE);
    assert_true(run_may_start(&run, 149, &phase));
    assert_false(run_may_start(&run, 150, &phase));
    run.end_ns = 0; /* no limit */
    assert_true(run_may_start(&run, INT64_MAX, &phase));
    for (int stop = STOP_SOON; stop <= STOP_NOW; stop++) {
        atomic_store(&run.stop, stop);
        assert_false(run_may_start(&run, 100, &phase));
        assert_false(run_may_start(&run, 10, &phase));
    }
}

static void warm_up_claims_nothing(void **state)
{
    struct plan plan = { .transactions = 3 };
    struct run run = { .plan = &plan, .measure_begin_ns = 50 };
    enum phase phase;
    int granted = 0;

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(run_may_start(&run, 10, &phase));
    for (int i = 0; i < 100; i++)
        granted += run_may_start(&run, 60, &phase);
    assert_int_equal(granted, 3);
}

struct claimer {
    struct run *run;
    pthread_t thread;
    int64_t granted;
};

static void *claim_all(void *arg)
{
    struct claimer *claimer = arg;
    enum phase phase;

    while (run_may_start(claimer->run, 1, &phase))
        claimer->granted++;
    return NULL;
}

static void threads_claim_exactly_so_many(void **state)
{
    struct plan plan = { .transactions = 200001 };
    struct run run = { .plan = &plan };
    struct claimer claimers[5] = { 0 };
    int64_t sum = 0;

    (void)state;
    for (int i = 0; i < COUNT_OF(claimers); i++) {
        claimers[i].run = &run;
        assert_int_equal(pthread_create(&claimers[i].thread, NULL, claim_all, &claimers[i]), 0);
    }
    for (int i = 0; i < COUNT_OF(claimers); i++) {
        pthread_join(claimers[i].thread, NULL);
        sum += claimers[i].granted;
    }
    assert_int_equal(sum, plan.transactions);
}

static void the_first_error_stops(void **state)
{
    struct run run = { 0 };

    (void)state;
    run_stop_by_error(&run, "42P01", "no table");
    run_stop_by_error(&run, "42601", "no sense");
    assert_true(atomic_load(&run.stopped_by_error));
    assert_int_equal(atomic_load(&run.stop), STOP_SOON);
    assert_string_equal(run.stop_code, "42P01");
    assert_string_equal(run.stop_message, "no table");
}

/* A second Ctrl-C asked for more. */
static void an_error_does_not_slow_a_stop(void **state)
{
    struct run run = { 0 };

    (void)state;
    atomic_store(&run.stop, STOP_NOW);
    run_stop_by_error(&run, "net:closed", "gone");
    assert_int_equal(atomic_load(&run.stop), STOP_NOW);
}

/* ---- statements ---- */

static int seven(const void *world)
{
    (void)world;
    return 7;
}

static void nothing_drawn(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    (void)draw;
}

static void nothing_run(struct txn *txn, const void *input, const void *world)
{
    (void)txn;
    (void)input;
    (void)world;
}

static const struct statement two_statements[] = {
    { .name = "one", .sql = "SELECT 1 FROM t{}" },
    { .name = "two" },
    { .name = NULL },
};
static const struct transaction one_transaction[] = {
    { .name = "none", .weight = 1, .draw = nothing_drawn, .run = nothing_run },
    { .name = NULL },
};
static const struct workload small = { .name = "small",
                                       .statements = two_statements,
                                       .transactions = one_transaction,
                                       .needs_server = true,
                                       .instance_count = seven };

static void keys_are_all_different(void **state)
{
    struct plan plan = { .isolation = ISOLATION_SERIALIZABLE };
    struct run run = { 0 };
    bool seen[64] = { false };

    (void)state;
    run_init(&run, &(struct engine_setup){ .plan = &plan, .workload = &small });
    assert_int_equal(run_statement_total(&run), 2 * 7 + BUILT_IN_COUNT);
    for (int shape = 0; shape < 2 + BUILT_IN_COUNT; shape++) {
        for (int instance = 1; instance <= (shape < 2 ? 7 : 1); instance++) {
            int64_t key = run.shapes[shape].key + instance - 1;
            assert_in_range(key, 0, run_statement_total(&run) - 1);
            assert_false(seen[key]);
            seen[key] = true;
        }
    }
    assert_string_equal(run.shapes[0].sql[6], "SELECT 1 FROM t7");
    assert_null(run.shapes[1].sql);
    assert_string_equal(run.shapes[2 + BUILT_IN_BEGIN].sql[0],
                        "BEGIN ISOLATION LEVEL SERIALIZABLE");
    run_close(&run);
}

static bool only_the_second(const void *world, int statement)
{
    (void)world;
    return statement == 1;
}

static void what_is_not_used_is_not_described(void **state)
{
    struct plan plan = { .isolation = ISOLATION_SERIALIZABLE };
    struct workload workload = small;
    struct run run = { 0 };

    (void)state;
    workload.uses = only_the_second;
    run_init(&run, &(struct engine_setup){ .plan = &plan, .workload = &workload });
    assert_null(run.shapes[0].sql);  /* nothing to describe ... */
    assert_null(run.shapes[0].name); /* ... nor to list */
    assert_string_equal(run.shapes[1].name, "two");
    run_close(&run);
}

/* ---- inputs ---- */

static void two_steps_are_one(void **state)
{
    struct rng whole, steps;

    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        for (uint64_t stream = 0; stream < 20; stream++) {
            for (uint64_t sequence = 0; sequence < 20; sequence++) {
                rng_init(&whole, seed, stream, sequence);
                rng_at(&steps, rng_stream(seed, stream), sequence);
                for (int i = 0; i < 3; i++)
                    assert_true(rng_next(&whole) == rng_next(&steps));
            }
        }
    }
}

#define SESSIONS 6
#define DRAWS    400 /* a session, looked at */

struct seen_input {
    uint64_t words[2];
    int64_t number;
    int kind;
};

/* What each session was given, in order of its drawing. Each has one worker: no lock is needed. */
static struct seen_input seen[SESSIONS][DRAWS];
static int seen_count[SESSIONS];

static void see(struct draw *draw, int kind)
{
    int session = (int)(draw->number % SESSIONS);
    struct seen_input *input = &seen[session][seen_count[session]];

    if (seen_count[session] == DRAWS)
        return;
    seen_count[session]++;
    *input = (struct seen_input){ .number = draw->number, .kind = kind };
    input->words[0] = rng_next(&draw->rng);
    input->words[1] = rng_next(&draw->rng);
}

static void draw_first(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    see(draw, 1);
}

static void draw_second(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    see(draw, 2);
}

static const struct statement no_statements[] = { { .name = NULL } };
static const struct transaction drawing_transactions[] = {
    { .name = "first", .weight = 1, .draw = draw_first, .run = nothing_run },
    { .name = "second", .weight = 3, .draw = draw_second, .run = nothing_run },
    { .name = NULL },
};
static const struct workload drawing = { .name = "drawing",
                                         .statements = no_statements,
                                         .transactions = drawing_transactions };

static void draw_all_of(const struct workload *workload, int64_t seed, int workers)
{
    struct plan plan = { .connections = SESSIONS,
                         .workers = workers,
                         .transactions = SESSIONS * DRAWS * 4,
                         .interval_ns = 1000000000,
                         .seed = seed,
                         .statement_cache = 16 };
    struct engine *engine =
        engine_new(&(struct engine_setup){ .plan = &plan, .workload = workload });
    struct error err = { 0 };

    memset(seen, 0, sizeof seen);
    memset(seen_count, 0, sizeof seen_count);
    assert_true(engine_connect(engine, &err));
    assert_true(engine_run(engine, &err));
    assert_int_equal(engine_facts(engine)->worker_count, workers);
    assert_int_equal(recorder_totals(engine_recorder(engine), PHASE_MEASURE)->all.scheduled,
                     plan.transactions);
    engine_free(engine);
}

static void draw_all(int64_t seed, int workers)
{
    draw_all_of(&drawing, seed, workers);
}

static void inputs_do_not_hang_on_workers(void **state)
{
    static struct seen_input first[SESSIONS][DRAWS];
    int counts[SESSIONS], seconds = 0, total = 0;

    (void)state;
    draw_all(11, 1);
    memcpy(first, seen, sizeof seen);
    memcpy(counts, seen_count, sizeof counts);
    for (int workers = 2; workers <= SESSIONS; workers += 2) {
        draw_all(11, workers);
        for (int i = 0; i < SESSIONS; i++) {
            int least = counts[i] < seen_count[i] ? counts[i] : seen_count[i];
            assert_memory_equal(seen[i], first[i], (size_t)least * sizeof first[0][0]);
        }
    }
    for (int i = 0; i < SESSIONS; i++) {
        for (int j = 0; j < counts[i]; j++) {
            assert_int_equal(first[i][j].number, j * SESSIONS + i);
            seconds += first[i][j].kind == 2;
            total++;
        }
    }
    assert_true(total > DRAWS);
    /* Weights 1 and 3: 75 %, give or take five standard deviations. */
    assert_true((seconds - 0.75 * total) * (seconds - 0.75 * total) < 25 * 0.1875 * total);
    draw_all(12, 1);
    assert_memory_not_equal(seen[0], first[0], sizeof first[0][0]);
}

static double none_of_the_first(const void *world, int transaction)
{
    (void)world;
    return transaction == 0 ? 0 : 1;
}

static void a_weight_of_0_leaves_out(void **state)
{
    struct workload workload = drawing;

    (void)state;
    workload.weight = none_of_the_first;
    draw_all_of(&workload, 11, 1);
    for (int i = 0; i < SESSIONS; i++)
        for (int j = 0; j < seen_count[i]; j++)
            assert_int_equal(seen[i][j].kind, 2);
    assert_true(seen_count[0] > 0);
}

/* A deck of four cards, one of them the first transaction: its place in each deck is drawn. */
static int draw_card(const void *world, struct draw *draw)
{
    struct rng rng;

    (void)world;
    rng_at(&rng, draw->key ^ 0xdec4, draw->sequence / 4);
    return (uint64_t)rng_between(&rng, 0, 3) == draw->sequence % 4 ? 0 : 1;
}

static void decks_are_dealt_along_a_stream(void **state)
{
    static int dealt[SESSIONS][DRAWS];
    struct workload workload = drawing;
    int at[4] = { 0 };

    (void)state;
    workload.pick = draw_card;
    draw_all_of(&workload, 11, 1);
    for (int i = 0; i < SESSIONS; i++) {
        for (int j = 0; j < seen_count[i]; j++)
            dealt[i][j] = seen[i][j].kind;
        for (int j = 0; j + 4 <= seen_count[i]; j += 4) {
            int firsts = 0;
            for (int card = 0; card < 4; card++) {
                firsts += dealt[i][j + card] == 1;
                at[card] += dealt[i][j + card] == 1;
            }
            assert_int_equal(firsts, 1);
        }
    }
    for (int card = 0; card < 4; card++)
        assert_true(at[card] > 0);
    draw_all_of(&workload, 11, 3);
    for (int i = 0; i < SESSIONS; i++)
        for (int j = 0; j < seen_count[i]; j++)
            assert_true(dealt[i][j] == 0 || dealt[i][j] == seen[i][j].kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_and_the_end),
        cmocka_unit_test(warm_up_claims_nothing),
        cmocka_unit_test(threads_claim_exactly_so_many),
        cmocka_unit_test(the_first_error_stops),
        cmocka_unit_test(an_error_does_not_slow_a_stop),
        cmocka_unit_test(keys_are_all_different),
        cmocka_unit_test(what_is_not_used_is_not_described),
        cmocka_unit_test(two_steps_are_one),
        cmocka_unit_test(inputs_do_not_hang_on_workers),
        cmocka_unit_test(a_weight_of_0_leaves_out),
        cmocka_unit_test(decks_are_dealt_along_a_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
