/*
 * terminals_test.c - cycles of terminals, the order of what is due, what is put off, and that
 * nothing of it depends on the number of workers. No server, and time is an argument.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/run.h"
#include "engine/terminals.h"

#define TERMINALS 300

static void draw_nothing(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    (void)draw;
}

static void run_nothing(struct txn *txn, const void *input, const void *world)
{
    (void)txn;
    (void)input;
    (void)world;
}

enum kind { ORDER, PAYMENT, DELIVERY, KINDS };

static const struct statement no_statements[] = { { .name = NULL } };
#define KIND(kind_name, share, keying, think, put_off)                                 \
    {                                                                                  \
        .name = kind_name, .weight = share, .keying_s = keying, .think_mean_s = think, \
        .deferred = put_off, .draw = draw_nothing, .run = run_nothing                  \
    }
static const struct transaction kinds[] = {
    [ORDER] = KIND("order", 45, 18, 12, false),
    [PAYMENT] = KIND("payment", 45, 3, 12, false),
    [DELIVERY] = KIND("delivery", 10, 2, 5, true),
    { .name = NULL },
};
static const struct workload desk = { .name = "desk",
                                      .statements = no_statements,
                                      .transactions = kinds };

/* One worker's terminals, or several workers'. */
struct room {
    struct plan plan;
    struct run run;
    int workers;
    struct terminals *terminals[5];
    struct lane *lane;
};

static void open_room(struct room *room, int64_t terminals, int workers)
{
    static const char *const names[] = { "order", "payment", "delivery", "none" };

    *room = (struct room){
        .plan = { .terminals = terminals, .pace_scale = 1, .seed = 5, .connections = 1 },
        .workers = workers,
    };
    run_init(&room->run, &(struct engine_setup){ .plan = &room->plan, .workload = &desk });
    room->run.start_ns = 1000 * NS_PER_S;
    room->run.measure_begin_ns = room->run.start_ns;
    room->run.recorder = recorder_new(&(struct recorder_layout){ .lane_count = 1,
                                                                 .transaction_count = KINDS,
                                                                 .statement_count = 1,
                                                                 .transaction_names = names,
                                                                 .statement_names = names,
                                                                 .interval_ns = NS_PER_S,
                                                                 .open_loop = true });
    room->lane = recorder_lane(room->run.recorder, 0);
    for (int i = 0; i < workers; i++)
        room->terminals[i] = terminals_new(&room->run, i, workers);
}

static void close_room(struct room *room)
{
    for (int i = 0; i < room->workers; i++)
        terminals_free(room->terminals[i]);
    recorder_free(room->run.recorder);
    run_close(&room->run);
}

/* Which kind a task is, as a session would draw it. */
static int kind_of(const struct room *room, const struct terminal_task *task)
{
    struct draw draw = terminals_draw(&room->run, task->number, task->sequence);
    double at = rng_unit(&draw.rng) * 100;

    return at < 45 ? ORDER : at < 90 ? PAYMENT : DELIVERY;
}

/* ---- time ---- */

/* Each answer takes a second. What a terminal was seen to do: */
struct seen {
    int64_t done_ns; /* 0: nothing yet */
    int kind;
    uint32_t next;
};

static void keying_and_thinking(void **state)
{
    struct seen seen[TERMINALS] = { { 0 } };
    double think_s = 0, longest_s = 0;
    int64_t thoughts = 0, orders = 0, until_ns;
    struct room room;

    (void)state;
    open_room(&room, TERMINALS, 1);
    until_ns = room.run.start_ns + 3600 * NS_PER_S;
    while (terminals_next_ns(room.terminals[0]) < until_ns) {
        const struct terminal_task *next;
        int64_t now_ns = terminals_next_ns(room.terminals[0]);

        terminals_advance(room.terminals[0], room.lane, now_ns);
        while ((next = terminals_first(room.terminals[0])) != NULL) {
            struct terminal_task task = *next;
            struct seen *one = &seen[task.number];
            int kind = kind_of(&room, &task);
            double thought_s = (double)(task.due_ns - one->done_ns) / 1e9 - kinds[kind].keying_s;

            terminals_take(room.terminals[0]);
            assert_int_equal(task.due_ns, now_ns);
            assert_int_equal(task.deferred, kind == DELIVERY);
            assert_int_equal(task.sequence, one->next++);
            if (one->done_ns != 0) {
                assert_true(thought_s >= -1e-6);
                assert_true(thought_s <= 10 * kinds[one->kind].think_mean_s + 1e-6);
            }
            if (one->done_ns != 0 && one->kind != DELIVERY) {
                think_s += thought_s;
                thoughts++;
                longest_s = thought_s > longest_s ? thought_s : longest_s;
            }
            orders += kind == ORDER;
            one->kind = kind;
            one->done_ns = kind == DELIVERY ? now_ns : now_ns + NS_PER_S;
            terminals_done(room.terminals[0], &task, one->done_ns);
        }
    }
    /* Mean 12 s, five standard deviations; the longest of so many thoughts is far from the mean. */
    think_s /= (double)thoughts;
    assert_true(fabs(think_s - 12) < 5 * 12 / sqrt((double)thoughts));
    assert_true(longest_s > 60);
    /* A cycle takes .45 (18 + 12 + 1) + .45 (3 + 12 + 1) + .1 (2 + 5) = 21.85 s on average. */
    assert_true(fabs((double)orders / (TERMINALS * 3600 * 0.45 / 21.85) - 1) < 0.03);
    close_room(&room);
}

/* At the start they are spread over their first cycle. */
static void the_first_ones_are_spread(void **state)
{
    struct room room;
    int64_t count = 0;

    (void)state;
    open_room(&room, 10000, 1);
    terminals_advance(room.terminals[0], room.lane, room.run.start_ns + NS_PER_S);
    while (terminals_first(room.terminals[0]) != NULL) {
        terminals_take(room.terminals[0]);
        count++;
    }
    /* In the first second: .45/30 + .45/15 + .1/7 of them, and deliveries that are queued. */
    assert_in_range(count, 450, 750);
    close_room(&room);
}

static void the_pace_scales(void **state)
{
    struct room room, fast;

    (void)state;
    open_room(&room, TERMINALS, 1);
    open_room(&fast, TERMINALS, 1);
    terminals_free(fast.terminals[0]);
    fast.plan.pace_scale = 10;
    fast.terminals[0] = terminals_new(&fast.run, 0, 1);
    for (int i = 0; i < 50; i++) {
        struct terminal_task task, quick;

        terminals_advance(room.terminals[0], room.lane, terminals_next_ns(room.terminals[0]));
        terminals_advance(fast.terminals[0], fast.lane, terminals_next_ns(fast.terminals[0]));
        task = *terminals_first(room.terminals[0]);
        quick = *terminals_first(fast.terminals[0]);
        terminals_take(room.terminals[0]);
        terminals_take(fast.terminals[0]);
        assert_int_equal(task.number, quick.number);
        assert_true(fabs((double)(task.due_ns - room.run.start_ns) / 10 -
                         (double)(quick.due_ns - fast.run.start_ns)) < 3);
    }
    close_room(&room);
    close_room(&fast);
}

/* ---- order ---- */

static void who_was_due_first_is_first(void **state)
{
    struct room room;
    const struct terminal_task *task;
    int64_t last_ns = 0, waited = 0, put_off = 0;

    (void)state;
    open_room(&room, TERMINALS, 1);
    /* Nobody is served for a minute: all wait, and what is put off goes round and round. */
    terminals_advance(room.terminals[0], room.lane, room.run.start_ns + 60 * NS_PER_S);
    for (; (task = terminals_first(room.terminals[0])) != NULL; terminals_take(room.terminals[0])) {
        if (task->deferred && put_off++ == 0)
            last_ns = 0; /* The queue begins, behind all that wait. */
        waited += !task->deferred;
        assert_true(put_off == 0 || task->deferred);
        assert_true(task->due_ns >= last_ns);
        last_ns = task->due_ns;
    }
    assert_true(waited > TERMINALS * 9 / 10 && waited <= TERMINALS);
    assert_true(put_off > 0);
    assert_int_equal(recorder_put_off(room.run.recorder)->count, put_off);
    close_room(&room);
}

/* More is put off than there are terminals, and nothing of it is lost or overtaken. */
static void the_queue_grows(void **state)
{
    struct room room;
    const struct terminal_task *task;
    uint32_t sequence[TERMINALS] = { 0 };
    int64_t last_ns = 0, count = 0;

    (void)state;
    open_room(&room, TERMINALS, 1);
    for (int64_t second = 1; second <= 2000; second++) {
        terminals_advance(room.terminals[0], room.lane, room.run.start_ns + second * NS_PER_S);
        while ((task = terminals_first(room.terminals[0])) != NULL && !task->deferred) {
            struct terminal_task done = *task;
            terminals_take(room.terminals[0]);
            terminals_done(room.terminals[0], &done, room.run.start_ns + second * NS_PER_S);
        }
        if (second % 50 == 0 && task != NULL) /* now and then one of the queue */
            terminals_take(room.terminals[0]);
    }
    for (; (task = terminals_first(room.terminals[0])) != NULL; terminals_take(room.terminals[0])) {
        assert_true(task->deferred);
        assert_true(task->due_ns >= last_ns);
        assert_true(task->sequence >= sequence[task->number]);
        last_ns = task->due_ns;
        sequence[task->number] = task->sequence + 1;
        count++;
    }
    assert_true(count > 4 * TERMINALS);
    assert_int_equal(recorder_put_off(room.run.recorder)->count, count + 2000 / 50);
    close_room(&room);
}

/* ---- workers ---- */

/* All that happens in two minutes when everybody is served at once, summed up without order. */
static uint64_t history(int workers)
{
    struct room room;
    uint64_t sum = 0;

    open_room(&room, TERMINALS, workers);
    for (int i = 0; i < workers; i++) {
        int64_t until_ns = room.run.start_ns + 120 * NS_PER_S, now_ns;

        while ((now_ns = terminals_next_ns(room.terminals[i])) < until_ns) {
            const struct terminal_task *next;
            terminals_advance(room.terminals[i], room.lane, now_ns);
            while ((next = terminals_first(room.terminals[i])) != NULL) {
                struct terminal_task task = *next;
                terminals_take(room.terminals[i]);
                sum += rng_mix(rng_mix((uint64_t)task.number * 1000000 + task.sequence) ^
                               (uint64_t)task.due_ns);
                terminals_done(room.terminals[i], &task, now_ns + NS_PER_MS);
            }
        }
    }
    close_room(&room);
    return sum;
}

static void workers_change_nothing(void **state)
{
    uint64_t one = history(1);

    (void)state;
    assert_true(history(2) == one);
    assert_true(history(5) == one);
}

static void more_workers_than_terminals(void **state)
{
    struct room room;

    (void)state;
    open_room(&room, 3, 5);
    for (int i = 0; i < 3; i++)
        assert_true(terminals_next_ns(room.terminals[i]) < INT64_MAX);
    assert_true(terminals_next_ns(room.terminals[3]) == INT64_MAX);
    terminals_advance(room.terminals[4], room.lane, INT64_MAX / 2);
    assert_null(terminals_first(room.terminals[4]));
    close_room(&room);
}

/* ---- the end ---- */

static void what_waits_at_the_end_is_dropped(void **state)
{
    struct interval rest[PHASE_COUNT];
    const struct phase_totals *totals;
    struct room room;
    int64_t end_ns;

    (void)state;
    open_room(&room, TERMINALS, 1);
    end_ns = room.run.end_ns = room.run.start_ns + 10 * NS_PER_S;
    /* The worker looked a second before the end for the last time. */
    terminals_advance(room.terminals[0], room.lane, end_ns - NS_PER_S);
    terminals_advance(room.terminals[0], room.lane, end_ns + 100 * NS_PER_S);
    terminals_drop_rest(room.terminals[0], room.lane, end_ns);
    recorder_collect_rest(room.run.recorder, end_ns, rest);
    totals = recorder_totals(room.run.recorder, PHASE_MEASURE);
    assert_true(totals->all.outcome[OUTCOME_DROPPED] > 50);
    assert_int_equal(totals->all.outcome[OUTCOME_DROPPED], totals->all.scheduled);
    assert_true(totals->transactions[ORDER].censored->max_ns <= 10 * NS_PER_S);
    assert_true(totals->transactions[ORDER].censored->min_ns >= 0);
    assert_int_equal(totals->transactions[DELIVERY].counts.outcome[OUTCOME_DROPPED],
                     recorder_put_off(room.run.recorder)->count);
    assert_true(terminals_next_ns(room.terminals[0]) >= end_ns);
    close_room(&room);
}

/* What is not carried out is in the books, and its terminal goes on. */
static void dropped_ones_go_on(void **state)
{
    struct interval rest[PHASE_COUNT];
    const struct phase_totals *totals;
    struct room room;
    int64_t now_ns, dropped = 0;

    (void)state;
    open_room(&room, TERMINALS, 1);
    now_ns = room.run.start_ns + 40 * NS_PER_S;
    room.run.measure_begin_ns = now_ns;
    terminals_advance(room.terminals[0], room.lane, now_ns - 1);
    for (; terminals_first(room.terminals[0]) != NULL; dropped++)
        terminals_drop(room.terminals[0], room.lane, now_ns);
    assert_true(dropped > TERMINALS / 2);
    assert_true(terminals_next_ns(room.terminals[0]) > now_ns);
    for (int hour = 1; hour <= 20; hour++) /* some put off one after the other */
        terminals_advance(room.terminals[0], room.lane, now_ns + hour * 3600 * NS_PER_S);
    for (dropped = 0; terminals_first(room.terminals[0]) != NULL; terminals_take(room.terminals[0]))
        dropped += !terminals_first(room.terminals[0])->deferred;
    assert_int_equal(dropped, TERMINALS);
    recorder_collect_rest(room.run.recorder, now_ns, rest);
    totals = recorder_totals(room.run.recorder, PHASE_WARMUP);
    assert_true(totals->all.outcome[OUTCOME_DROPPED] > TERMINALS / 2);
    assert_int_equal(recorder_totals(room.run.recorder, PHASE_MEASURE)->all.scheduled, 0);
    close_room(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keying_and_thinking),
        cmocka_unit_test(the_first_ones_are_spread),
        cmocka_unit_test(the_pace_scales),
        cmocka_unit_test(who_was_due_first_is_first),
        cmocka_unit_test(the_queue_grows),
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(more_workers_than_terminals),
        cmocka_unit_test(what_waits_at_the_end_is_dropped),
        cmocka_unit_test(dropped_ones_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
