/*
 * batch_test.c - batches lose nothing, stay few, and are cut to the window.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "store/batch.h"

static void feed(struct batches *batches, int number, enum phase phase, int64_t length_ns,
                 int64_t done)
{
    struct histogram *all = histogram_new();
    struct interval interval = { .number = number,
                                 .begin_ns = (number - 1) * NS_PER_S,
                                 .end_ns = (number - 1) * NS_PER_S + length_ns,
                                 .phase = phase,
                                 .counts = { .outcome = { [OUTCOME_COMMITTED] = done } },
                                 .queries = { done, done, 0 },
                                 .all = all };

    for (int64_t i = 0; i < done; i++)
        histogram_record(all, 1000000);
    batches_add(batches, &interval);
    histogram_free(all);
}

static json_int_t sum_of(const json_t *json, const char *key)
{
    json_t *value;
    json_int_t sum = 0;
    size_t index;

    json_array_foreach(json_object_get(json, key), index, value) sum += json_integer_value(value);
    return sum;
}

static double at(const json_t *json, const char *key, size_t index)
{
    return json_number_value(json_array_get(json_object_get(json, key), index));
}

static json_int_t rows(const json_t *json)
{
    return json_integer_value(json_object_get(json, "count"));
}

static void few_intervals_stay(void **state)
{
    struct batches batches = { 0 };
    json_t *json;

    (void)state;
    feed(&batches, 1, PHASE_WARMUP, NS_PER_S, 999);
    for (int i = 2; i <= 11; i++)
        feed(&batches, i, PHASE_MEASURE, NS_PER_S, i);
    json = batches_json(&batches, 1 * NS_PER_S, 11 * NS_PER_S);
    assert_int_equal(rows(json), 10);
    assert_int_equal(sum_of(json, "done"), 65);
    assert_true(at(json, "per_s", 0) == 2.0);
    assert_true(at(json, "queries_per_s", 9) == 22.0);
    assert_true(at(json, "begin_s", 9) == 9.0);
    assert_true(at(json, "mean_ms", 3) == 1.0);
    json_decref(json);
    batches_close(&batches);
}

static void many_are_joined(void **state)
{
    static const int lengths[] = { 49, 50, 51, 99, 100, 101, 777, 3600 };

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct batches batches = { 0 };
        json_t *json;

        for (int j = 1; j <= lengths[i]; j++)
            feed(&batches, j, PHASE_MEASURE, NS_PER_S, 3);
        json = batches_json(&batches, 0, lengths[i] * NS_PER_S);
        assert_in_range(rows(json), 25, 50);
        assert_int_equal(sum_of(json, "done"), 3 * lengths[i]);
        assert_true(at(json, "per_s", (size_t)rows(json) - 1) == 3.0);
        json_decref(json);
        batches_close(&batches);
    }
}

/* What ended after the window, while sessions drained, counts into the last batch. */
static void the_rest_joins_the_last(void **state)
{
    struct batches batches = { 0 };
    json_t *json;

    (void)state;
    for (int i = 1; i <= 4; i++)
        feed(&batches, i, PHASE_MEASURE, NS_PER_S, 10);
    feed(&batches, 5, PHASE_MEASURE, 3 * NS_PER_MS, 7);
    json = batches_json(&batches, 0, 4 * NS_PER_S);
    assert_int_equal(rows(json), 4);
    assert_true(at(json, "per_s", 3) == 17.0);
    assert_true(at(json, "seconds", 3) == 1.0);
    json_decref(json);
    batches_close(&batches);
}

/* A window that begins within an interval. */
static void the_window_cuts(void **state)
{
    struct batches batches = { 0 };
    json_t *json;

    (void)state;
    for (int i = 1; i <= 4; i++)
        feed(&batches, i, PHASE_MEASURE, NS_PER_S, 10);
    json = batches_json(&batches, 800 * NS_PER_MS, 4 * NS_PER_S);
    assert_int_equal(rows(json), 3);
    assert_true(fabs(at(json, "seconds", 0) - 1.2) < 1e-9);
    assert_int_equal(sum_of(json, "done"), 40);
    json_decref(json);
    batches_close(&batches);
}

static void nothing_is_nothing(void **state)
{
    struct batches batches = { 0 };
    json_t *json = batches_json(&batches, 0, 0);

    (void)state;
    assert_int_equal(rows(json), 0);
    assert_true(json_is_array(json_object_get(json, "per_s")));
    json_decref(json);
    feed(&batches, 1, PHASE_MEASURE, NS_PER_S, 1);
    json = batches_json(&batches, 0, 0);
    assert_true(json_is_null(json_array_get(json_object_get(json, "per_s"), 0)));
    json_decref(json);
    batches_close(&batches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_intervals_stay),      cmocka_unit_test(many_are_joined),
        cmocka_unit_test(the_rest_joins_the_last), cmocka_unit_test(the_window_cuts),
        cmocka_unit_test(nothing_is_nothing),
    };

    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
