/*
 * result_test.c - the tree of a finished run, held against goldens, and what must hold for any.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frozen.h"
#include "golden/golden.h"
#include "scratch.h"

#define WRITE_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

struct made {
    char *folder;
    struct frozen frozen;
    json_t *result;
};

static void make(struct made *made, void (*fill)(struct frozen *frozen, struct store *store))
{
    struct error err = { 0 };
    struct store *store;

    made->folder = scratch_open();
    store = store_begin(made->folder, "x", NULL, 0, &err);
    assert_non_null(store);
    fill(&made->frozen, store);
    made->result = store_result(&made->frozen.run);
    store_abandon(store);
    assert_non_null(made->result);
}

static void unmake(struct made *made)
{
    json_decref(made->result);
    frozen_close(&made->frozen);
    scratch_close(made->folder);
}

static void check_golden(const char *name, json_t *result)
{
    char *bytes;

    json_object_set_new(json_object_get(result, "tool"), "version", json_string("0"));
    bytes = json_dumps(result, WRITE_FLAGS);
    assert_non_null(bytes);
    assert_true(golden_same(name, bytes));
    free(bytes);
}

static json_int_t whole(json_t *result, const char *path)
{
    json_t *found = store_find(result, path);

    assert_true(json_is_integer(found));
    return json_integer_value(found);
}

static double real(json_t *result, const char *path)
{
    json_t *found = store_find(result, path);

    assert_true(json_is_real(found));
    return json_real_value(found);
}

static void closed_is_golden(void **state)
{
    struct made made;

    (void)state;
    make(&made, frozen_closed);
    check_golden("result-closed.json", made.result);
    unmake(&made);
}

static void open_is_golden(void **state)
{
    struct made made;

    (void)state;
    make(&made, frozen_open);
    check_golden("result-open.json", made.result);
    unmake(&made);
}

/* What can be worked out by hand from frozen.c, so that a golden cannot be wrong unseen. */
static void figures_are_right(void **state)
{
    struct made made;
    json_t *r;

    (void)state;
    make(&made, frozen_closed);
    r = made.result;
    assert_int_equal(whole(r, "summary.transactions.done"), 4 * 200);
    assert_int_equal(whole(r, "phases.warmup.transactions.done"), 2 * 200);
    assert_true(real(r, "summary.measured_s") == 4.0);
    assert_true(real(r, "summary.transactions.per_s") == 200.0);
    assert_int_equal(whole(r, "summary.queries.read"), 800);
    assert_int_equal(whole(r, "statements.point_select.without_rows"), 4 * 4);
    assert_true(real(r, "summary.latency_ms.response.min") == 0.2);
    /* i = 77: (77 * 37 + 4 * 11) % 100 = 93, so 200 us + 930 us + 12,345,678 ns. */
    assert_true(real(r, "summary.latency_ms.response.max") == 13.475678);
    assert_true(fabs(real(r, "summary.latency_ms.response.p50") - 0.69) < 0.002);
    assert_true(real(r, "summary.latency_ms.queue.max") == 0.0);
    assert_true(json_equal(store_find(r, "summary.latency_ms.response"),
                           store_find(r, "summary.latency_ms.service")));
    assert_true(json_is_true(store_find(r, "closed_loop")));
    assert_true(json_is_true(store_find(r, "books.balanced")));
    assert_int_equal(whole(r, "connect_ms.opened.count"), 8);
    assert_int_equal(whole(r, "batch_means.count"), 4);
    unmake(&made);
}

static void books_of_open_balance(void **state)
{
    static const char *const outcomes[] = { "done",    "rolled_back", "failed",
                                            "unknown", "dropped",     "unfinished" };
    struct made made;
    json_int_t sum = 0;

    (void)state;
    make(&made, frozen_open);
    for (int i = 0; i < COUNT_OF(outcomes); i++)
        sum += json_integer_value(
            json_object_get(store_find(made.result, "summary.transactions"), outcomes[i]));
    assert_int_equal(sum, whole(made.result, "summary.transactions.scheduled"));
    assert_int_equal(whole(made.result, "summary.transactions.dropped"), 5);
    assert_int_equal(whole(made.result, "summary.latency_ms.censored.count"), 8);
    assert_int_equal(whole(made.result, "summary.errors.40001"), 4 * 10);
    assert_true(json_is_true(store_find(made.result, "interrupted")));
    unmake(&made);
}

static void walk(const json_t *json, void (*visit)(const json_t *leaf))
{
    const char *key;
    json_t *value;
    size_t index;

    visit(json);
    /* json_object_iter() of anything but an object gives NULL. */
    for (void *at = json_object_iter((json_t *)(uintptr_t)json); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
        key = json_object_iter_key(at);
        assert_non_null(key);
        walk(json_object_iter_value(at), visit);
    }
    json_array_foreach(json, index, value) walk(value, visit);
}

static void only_finite(const json_t *leaf)
{
    if (json_is_real(leaf))
        assert_true(isfinite(json_real_value(leaf)));
}

static void no_secret(const json_t *leaf)
{
    if (json_is_string(leaf))
        assert_null(strstr(json_string_value(leaf), "open sesame"));
}

/* A run in which nothing happened: null, never NaN, 0 / 0 or the ends of an empty histogram. */
static void empty_is_null(void **state)
{
    static const char *const nulls[] = {
        "summary.transactions.per_s",
        "summary.queries.per_s",
        "summary.latency_ms.response.min",
        "summary.latency_ms.response.mean",
        "summary.latency_ms.response.p50",
        "summary.latency_ms.response.p99.99",
        "summary.latency_ms.response.max",
        "summary.latency_ms.queue.max",
        "statements.point_select.per_s",
        "statements.point_select.latency_ms.max",
        "connect_ms.opened.min",
        "target",
        "summary.latency_ms.censored.max_ms",
    };
    struct frozen frozen;
    json_t *result;

    (void)state;
    frozen_empty(&frozen);
    result = store_result(&frozen.run);
    for (int i = 0; i < COUNT_OF(nulls); i++) {
        json_t *found = store_find(result, nulls[i]);
        if (!json_is_null(found))
            fail_msg("%s is not null", nulls[i]);
    }
    assert_int_equal(whole(result, "batch_means.count"), 0);
    walk(result, only_finite);
    json_decref(result);
    frozen_close(&frozen);
}

/* Statements and transactions without a name are not of this run. */
static void nameless_is_not_listed(void **state)
{
    static const char *const names[] = { NULL, "seen", NULL };
    static const struct recorder_layout layout = { .lane_count = 1,
                                                   .transaction_count = 3,
                                                   .statement_count = 3,
                                                   .transaction_names = names,
                                                   .statement_names = names,
                                                   .interval_ns = 1000000000,
                                                   .open_loop = true };
    struct frozen frozen;
    json_t *result;

    (void)state;
    frozen_empty(&frozen);
    recorder_free(frozen.recorder);
    frozen.run.recorder = frozen.recorder = recorder_new(&layout);
    lane_transaction(recorder_lane(frozen.recorder, 0),
                     &(struct transaction_record){ .transaction = 1, .phase = PHASE_MEASURE });
    result = store_result(&frozen.run);
    assert_int_equal(json_object_size(json_object_get(result, "transactions")), 1);
    assert_int_equal(json_object_size(json_object_get(result, "statements")), 1);
    assert_int_equal(whole(result, "transactions.seen.done"), 1);
    assert_int_equal(whole(result, "summary.transactions.done"), 1);
    assert_int_equal(whole(result, "statements.seen.count"), 0);
    json_decref(result);
    frozen_close(&frozen);
}

static void leaves_are_clean(void **state)
{
    struct made made;

    (void)state;
    make(&made, frozen_open);
    walk(made.result, only_finite);
    walk(made.result, no_secret);
    assert_null(store_find(made.result, "plan.pgsql-password"));
    unmake(&made);
}

/* A server may speak any encoding; what is no UTF-8 is shown byte by byte, the rest stays. */
static void foreign_bytes_are_mended(void **state)
{
    struct made made;
    const char *message;

    (void)state;
    make(&made, frozen_open);
    assert_string_equal(json_string_value(store_find(made.result, "errors.1.code")), "23505");
    message = json_string_value(store_find(made.result, "errors.1.message"));
    assert_non_null(message);
    assert_non_null(strstr(message, "\\xFF not UTF-8"));
    unmake(&made);
}

static void interval_line(void **state)
{
    struct percentiles percentiles = { .count = 1, .percent = { 99 } };
    struct histogram *histogram = histogram_new();
    struct interval interval = { .number = 7,
                                 .begin_ns = 6 * INT64_C(1000000000),
                                 .end_ns = 7 * INT64_C(1000000000),
                                 .phase = PHASE_MEASURE,
                                 .counts = { .outcome = { [OUTCOME_COMMITTED] = 3 } },
                                 .queries = { 6, 0, 1 },
                                 .all = histogram };
    json_t *line;

    (void)state;
    histogram_record(histogram, 1000);
    line = store_interval_json(&interval, &percentiles, 1 * INT64_C(1000000000));
    assert_int_equal(whole(line, "interval"), 7);
    assert_true(real(line, "at_s") == 6.0);
    assert_int_equal(whole(line, "transactions.done"), 3);
    assert_true(real(line, "transactions.per_s") == 3.0);
    assert_int_equal(whole(line, "queries.total"), 7);
    assert_true(real(line, "latency_ms.p99") == 0.001);
    json_decref(line);
    histogram_free(histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_is_golden),  cmocka_unit_test(open_is_golden),
        cmocka_unit_test(figures_are_right), cmocka_unit_test(books_of_open_balance),
        cmocka_unit_test(empty_is_null),     cmocka_unit_test(nameless_is_not_listed),
        cmocka_unit_test(leaves_are_clean),  cmocka_unit_test(foreign_bytes_are_mended),
        cmocka_unit_test(interval_line),
    };

    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
