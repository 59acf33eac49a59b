/*
 * fake_test.c - the engine against a server that misbehaves as a script says: every end of an
 * attempt, and what is counted for it. FAKE_SERVER names the program. Connection 1 is the
 * administrative one, 2 the session; its execute 1 is the empty query of the take-over.
 */
#include "fake.h"
#include "stage.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Runs the plan in `stage` against a fresh server. */
static void play(struct stage *stage, const char *script)
{
    struct fake server = fake_open(script);

    stage_run(stage, server.conninfo);
    fake_close(&server);
}

static void plan_one(struct stage *stage, enum ledger_kind kind, int64_t transactions)
{
    stage_plan(stage, &kind, 1, transactions);
    stage->world.watched = true;
}

static void expect(const struct stage *stage, int64_t committed, int64_t failed, int64_t unknown)
{
    if (stage_outcome(stage, OUTCOME_COMMITTED) != committed ||
        stage_outcome(stage, OUTCOME_FAILED) != failed ||
        stage_outcome(stage, OUTCOME_UNKNOWN) != unknown)
        stage_say(stage);
    assert_int_equal(stage_outcome(stage, OUTCOME_COMMITTED), committed);
    assert_int_equal(stage_outcome(stage, OUTCOME_FAILED), failed);
    assert_int_equal(stage_outcome(stage, OUTCOME_UNKNOWN), unknown);
    assert_int_equal(stage_outcome(stage, OUTCOME_UNFINISHED), 0);
}

/* Of transactions of a kind that tallies: attempts that failed are not in it. */
static void expect_tallies(const struct stage *stage, int64_t done)
{
    const struct recorder *recorder = engine_recorder(stage->engine);

    assert_int_equal(recorder_tally(recorder, LEDGER_TRIES), done);
    assert_int_equal(recorder_tally(recorder, LEDGER_PICKED), done * LEDGER_PICKS);
}

/* ---- nothing wrong ---- */

static void every_form_commits(void **state)
{
    static const enum ledger_kind kinds[] = { LEDGER_SINGLE, LEDGER_PAIR, LEDGER_TRANSFER,
                                              LEDGER_UNDO,   LEDGER_TEXT, LEDGER_BLIND };
    static const char *const scripts[] = { "# nothing\n", "connection 2 startup 1 split\n",
                                           ("connection 2 execute * notice be careful\n"
                                            "connection 2 sync * parameter TimeZone UTC\n") };
    struct stage stage;

    (void)state;
    for (int form = 0; form < STAGE_FORMS * COUNT_OF(scripts); form++) {
        stage_plan(&stage, kinds, COUNT_OF(kinds), 120);
        stage_form(&stage, form % STAGE_FORMS);
        play(&stage, scripts[form / STAGE_FORMS]);
        assert_int_equal(stage_outcome(&stage, OUTCOME_COMMITTED) +
                             stage_outcome(&stage, OUTCOME_ROLLED_BACK),
                         120);
        assert_true(stage_outcome(&stage, OUTCOME_ROLLED_BACK) > 5);
        assert_int_equal(stage_errors(&stage, NULL), 0);
        assert_int_equal(stage.totals->all.attempts, 120);
        assert_true(stage_statement(&stage, LEDGER_GET)->kind[QUERY_READ] > 0);
        assert_true(stage_statement(&stage, LEDGER_ADD)->kind[QUERY_WRITE] > 0);
        assert_false(stage.facts->stopped_by_error);
        expect_tallies(&stage, stage.totals->transactions[LEDGER_SINGLE].counts.scheduled +
                                   stage.totals->transactions[LEDGER_TRANSFER].counts.scheduled +
                                   stage.totals->transactions[LEDGER_UNDO].counts.scheduled +
                                   stage.totals->transactions[LEDGER_BLIND].counts.scheduled);
        stage_close(&stage);
    }
}

/* Two statements with a cache of one: each is closed and parsed again. */
static void a_cache_of_one(void **state)
{
    struct stage stage;

    (void)state;
    for (int pipeline = 0; pipeline < 2; pipeline++) {
        plan_one(&stage, LEDGER_TRANSFER, 50);
        stage.plan.pipeline = pipeline;
        stage.plan.statement_cache = 1;
        stage.world.instances = 7;
        play(&stage, "connection 2 startup 1 split\n");
        expect(&stage, 50, 0, 0);
        stage_close(&stage);
    }
}

/* ---- errors of the server ---- */

static void expect_same_input_twice(const struct stage *stage, int at)
{
    assert_true(stage->world.seen_count > at + 1);
    assert_int_equal(stage->world.seen[at].number, stage->world.seen[at + 1].number);
    assert_true(stage->world.seen[at].picked == stage->world.seen[at + 1].picked);
    for (int i = 1; i < stage->world.seen_count; i++)
        if (i != at + 1)
            assert_int_equal(stage->world.seen[i].number, stage->world.seen[i - 1].number + 1);
}

static void serialization_failures_are_retried(void **state)
{
    struct stage stage;

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        plan_one(&stage, LEDGER_SINGLE, 20);
        stage_form(&stage, form);
        play(&stage, "connection 2 execute 6 error 40001 could not serialize access\n");
        expect(&stage, 20, 0, 0);
        assert_int_equal(stage.totals->all.attempts, 21);
        assert_int_equal(stage.totals->all.retried, 1);
        assert_int_equal(stage_errors(&stage, "40001"), 1);
        assert_int_equal(stage_errors(&stage, NULL), 1);
        expect_same_input_twice(&stage, 4);
        stage_close(&stage);

        /* In a block: at BEGIN, at each statement, and at COMMIT itself. */
        for (int at = 0; at < 8; at++) {
            char script[80];

            plan_one(&stage, LEDGER_TRANSFER, 10);
            stage_form(&stage, form);
            snprintf(script, sizeof script, "connection 2 execute %d error 40P01 deadlock\n",
                     2 + 8 * 3 + at);
            play(&stage, script);
            expect(&stage, 10, 0, 0);
            assert_int_equal(stage.totals->all.attempts, 11);
            expect_tallies(&stage, 10);
            assert_int_equal(stage_errors(&stage, "40P01"), 1);
            assert_int_equal(stage_errors(&stage, NULL), 1);
            expect_same_input_twice(&stage, 3);
            stage_close(&stage);
        }
    }
}

static void retries_end(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_BLIND, 3);
    stage.plan.retries = 2;
    stage.plan.pipeline = true;
    play(&stage, "connection 2 commit * error 40001 could not serialize access\n");
    expect(&stage, 0, 3, 0);
    expect_tallies(&stage, 0);
    assert_int_equal(stage.totals->all.attempts, 9);
    assert_int_equal(stage_errors(&stage, "40001"), 9);
    assert_false(stage.facts->stopped_by_error);
    stage_close(&stage);
}

/* The rest of the block is skipped by the server up to the Sync; ROLLBACK comes behind it. */
static void an_error_in_a_block_is_rolled_back(void **state)
{
    static const enum ledger_kind kinds[] = { LEDGER_TRANSFER, LEDGER_UNDO, LEDGER_TEXT,
                                              LEDGER_BLIND };
    struct stage stage;
    char script[80];

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        for (int i = 0; i < COUNT_OF(kinds) * 2; i++) {
            plan_one(&stage, kinds[i / 2], 10);
            stage_form(&stage, form);
            /* Early, when nothing is prepared yet, and later. */
            snprintf(script, sizeof script, "connection 2 execute %d error 23505 duplicate key\n",
                     i % 2 == 0 ? 3 : 8);
            play(&stage, script);
            if (stage_outcome(&stage, OUTCOME_FAILED) != 1)
                stage_say(&stage);
            assert_int_equal(stage_outcome(&stage, OUTCOME_COMMITTED) +
                                 stage_outcome(&stage, OUTCOME_ROLLED_BACK),
                             9);
            assert_int_equal(stage_outcome(&stage, OUTCOME_FAILED), 1);
            assert_int_equal(stage_errors(&stage, "23505"), 1);
            assert_int_equal(stage_errors(&stage, NULL), 1);
            assert_int_equal(stage.facts->sessions_lost, 0);
            stage_close(&stage);
        }
    }
}

static void other_errors_stop_the_run(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_SINGLE, 1000);
    play(&stage, "connection 2 execute 5 error 42P01 no such table\n");
    expect(&stage, 3, 1, 0);
    assert_true(stage.facts->stopped_by_error);
    assert_string_equal(stage.facts->stop_code, "42P01");
    assert_string_equal(stage.facts->stop_message, "no such table");
    stage_close(&stage);

    plan_one(&stage, LEDGER_SINGLE, 100);
    stage.plan.on_error = ON_ERROR_CONTINUE;
    play(&stage, "connection 2 execute 5 error 42P01 no such table\n");
    expect(&stage, 99, 1, 0);
    assert_false(stage.facts->stopped_by_error);
    stage_close(&stage);
}

/* Said with their own Sync each, the second goes on when the first fails; what it took is its own.
 */
static void answers_after_an_error_keep_their_places(void **state)
{
    struct stage stage;

    (void)state;
    for (int form = 1; form < STAGE_FORMS; form += 2) {
        plan_one(&stage, LEDGER_PAIR, 10);
        stage_form(&stage, form);
        play(&stage, "connection 2 execute 2 error 40001 once\n");
        expect(&stage, 10, 0, 0);
        assert_int_equal(stage_statement(&stage, LEDGER_ADD)->kind[QUERY_WRITE], 10);
        assert_int_equal(stage_statement(&stage, LEDGER_ADD)->kind[QUERY_READ], 0);
        assert_int_equal(stage_statement(&stage, LEDGER_GET)->kind[QUERY_READ], 11);
        stage_close(&stage);
    }
}

/* ---- connections that end ---- */

static void expect_lost(const struct stage *stage, const char *code)
{
    if (stage->facts->sessions_lost != 1 || stage_errors(stage, code) != 1)
        stage_say(stage);
    assert_int_equal(stage->facts->sessions_lost, 1);
    assert_int_equal(stage->facts->sessions_reopened, 1);
    assert_int_equal(stage_errors(stage, code), 1);
    assert_int_equal(stage_errors(stage, NULL), 1);
}

static void lost_in_mid_answer_is_unknown(void **state)
{
    struct stage stage;
    char script[80];

    (void)state;
    /* BindComplete has 5 bytes, CommandComplete 14, ReadyForQuery 6: whatever arrives of them. */
    for (int bytes = 0; bytes < 25; bytes++) {
        plan_one(&stage, LEDGER_SINGLE, 100);
        snprintf(script, sizeof script, "connection 2 execute 7 die %d\n", bytes);
        play(&stage, script);
        expect(&stage, 99, 0, 1);
        expect_lost(&stage, "net:closed");
        assert_false(stage.facts->stopped_by_error);
        stage_close(&stage);
    }
}

static void lost_in_a_block(void **state)
{
    struct stage stage;
    char script[80];

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        for (int at = 0; at < 8; at++) {
            /* With a pipeline COMMIT goes out with what is written back. */
            bool unknown = at == 7 || (stage_form(&stage, form), stage.plan.pipeline && at >= 4);

            plan_one(&stage, LEDGER_TRANSFER, 10);
            stage_form(&stage, form);
            snprintf(script, sizeof script, "connection 2 execute %d close\n", 2 + 8 * 2 + at);
            play(&stage, script);
            expect(&stage, 9, !unknown, unknown);
            expect_lost(&stage, "net:");
            stage_close(&stage);
        }
        plan_one(&stage, LEDGER_UNDO, 10);
        stage_form(&stage, form);
        play(&stage, "connection 2 execute 17 close\n"); /* ROLLBACK: nothing can be committed */
        assert_int_equal(stage_outcome(&stage, OUTCOME_ROLLED_BACK), 9);
        assert_int_equal(stage_outcome(&stage, OUTCOME_FAILED), 1);
        expect_lost(&stage, "net:");
        stage_close(&stage);
    }
}

/* The server says why and closes: believed, and certain, since it refused the statement itself. */
static void a_last_word_is_believed(void **state)
{
    struct stage stage;
    char script[80];

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        plan_one(&stage, LEDGER_SINGLE, 10);
        stage_form(&stage, form);
        play(&stage, "connection 2 execute 5 fatal 57P01 terminating connection\n");
        expect(&stage, 9, 1, 0);
        expect_lost(&stage, "57P01");
        stage_close(&stage);
        for (int at = 0; at < 8; at++) {
            plan_one(&stage, LEDGER_TRANSFER, 10);
            stage_form(&stage, form);
            snprintf(script, sizeof script, "connection 2 execute %d fatal 57P01 good bye\n",
                     2 + 8 + at);
            play(&stage, script);
            expect(&stage, 9, 1, 0);
            expect_lost(&stage, "57P01");
            stage_close(&stage);
        }
    }
}

/* A pooler that has lost the server speaks for itself, not for the server. */
static void a_poolers_word_is_not(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_TRANSFER, 10);
    play(&stage, "connection 2 commit 2 fatal 08P01 server conn crashed\n");
    expect(&stage, 9, 0, 1);
    expect_lost(&stage, "08P01");
    stage_close(&stage);
    plan_one(&stage, LEDGER_SINGLE, 10);
    play(&stage, "connection 2 execute 3 fatal 08P01 server conn crashed\n");
    expect(&stage, 9, 0, 1);
    stage_close(&stage);
}

static void lost_while_rolling_back(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_TRANSFER, 10);
    play(&stage, "connection 2 execute 4 error 40001 again\nconnection 2 execute 5 close\n");
    expect(&stage, 9, 1, 0);
    expect_lost(&stage, "40001");
    stage_close(&stage);
}

static void others_go_on(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_TRANSFER, 300);
    stage.plan.connections = 8;
    stage.world.watched = false;
    stage.plan.workers = 2;
    play(&stage, "connection 3 execute 5 close\nconnection 5 commit 3 close\n");
    expect(&stage, 298, 1, 1);
    assert_int_equal(stage.facts->sessions_lost, 2);
    assert_int_equal(stage.facts->sessions_reopened, 2);
    assert_int_equal(stage_errors(&stage, "net:closed"), 2);
    stage_close(&stage);

    plan_one(&stage, LEDGER_SINGLE, 300);
    stage.plan.connections = 4;
    stage.plan.on_error = ON_ERROR_STOP;
    play(&stage, "connection 3 execute 5 close\n");
    assert_true(stage.facts->stopped_by_error);
    assert_string_equal(stage.facts->stop_code, "net:closed");
    stage_close(&stage);
}

static void garbage_stops_the_run(void **state)
{
    struct stage stage;

    (void)state;
    for (int form = 0; form < STAGE_FORMS; form++) {
        plan_one(&stage, LEDGER_SINGLE, 1000);
        stage_form(&stage, form);
        play(&stage, "connection 2 execute 5 garbage 40\n");
        expect(&stage, 3, 0, 1);
        assert_int_equal(stage_errors(&stage, "protocol"), 1);
        assert_true(stage.facts->stopped_by_error);
        assert_string_equal(stage.facts->stop_code, "protocol");
        stage_close(&stage);
    }
}

/* ---- time ---- */

static void a_stall_does_not_hold_the_end(void **state)
{
    struct stage stage;

    (void)state;
    plan_one(&stage, LEDGER_SINGLE, 0);
    stage.plan.connections = 3;
    stage.plan.time_ns = 300 * NS_PER_MS;
    play(&stage, "connection 3 execute 9 stall 100000\n");
    assert_int_equal(stage_outcome(&stage, OUTCOME_UNFINISHED), 1);
    assert_int_equal(stage_outcome(&stage, OUTCOME_UNKNOWN), 0);
    assert_true(stage_outcome(&stage, OUTCOME_COMMITTED) > 20);
    assert_true(stage.run_s > 10 && stage.run_s < 12); /* the drain's bound */
    assert_int_equal(stage_errors(&stage, NULL), 0);
    stage_close(&stage);
}

static void *stop_soon(void *engine)
{
    clock_sleep_until_ns(clock_now_ns() + 300 * NS_PER_MS);
    engine_stop(engine);
    return NULL;
}

static void a_stall_does_not_hold_a_stop(void **state)
{
    struct fake server = fake_open("connection 3 execute 9 stall 100000\n");
    struct engine_setup setup;
    struct error err = { 0 };
    struct engine *engine;
    struct stage stage;
    pthread_t thread;
    int64_t begin_ns;

    (void)state;
    plan_one(&stage, LEDGER_TRANSFER, 0);
    stage.plan.connections = 3;
    stage.plan.time_ns = 600 * NS_PER_S;
    setup = (struct engine_setup){ .plan = &stage.plan,
                                   .workload = stage.workload,
                                   .world = &stage.world,
                                   .conninfo = server.conninfo };
    engine = engine_new(&setup);
    assert_true(engine_connect(engine, &err));
    begin_ns = clock_now_ns();
    pthread_create(&thread, NULL, stop_soon, engine);
    assert_true(engine_run(engine, &err));
    assert_true(clock_now_ns() - begin_ns < 2 * NS_PER_S);
    pthread_join(thread, NULL);
    assert_true(engine_facts(engine)->interrupted);
    assert_int_equal(
        recorder_totals(engine_recorder(engine), PHASE_MEASURE)->all.outcome[OUTCOME_UNFINISHED],
        1);
    engine_free(engine);
    fake_close(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_commits),
        cmocka_unit_test(a_cache_of_one),
        cmocka_unit_test(serialization_failures_are_retried),
        cmocka_unit_test(retries_end),
        cmocka_unit_test(an_error_in_a_block_is_rolled_back),
        cmocka_unit_test(other_errors_stop_the_run),
        cmocka_unit_test(answers_after_an_error_keep_their_places),
        cmocka_unit_test(lost_in_mid_answer_is_unknown),
        cmocka_unit_test(lost_in_a_block),
        cmocka_unit_test(a_last_word_is_believed),
        cmocka_unit_test(a_poolers_word_is_not),
        cmocka_unit_test(lost_while_rolling_back),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(garbage_stops_the_run),
        cmocka_unit_test(a_stall_does_not_hold_the_end),
        cmocka_unit_test(a_stall_does_not_hold_a_stop),
    };

    setenv("PGGSSENCMODE", "disable", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
