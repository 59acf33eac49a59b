/*
 * latency_test.c - which keys a latency object has, and where it says "at least".
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/latency.h"

/* Keys in their order, joined by blanks. */
static void check_keys(const json_t *json, const char *wanted)
{
    char found[512] = "";
    size_t used = 0;

    for (void *at = json_object_iter((json_t *)(uintptr_t)json); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at))
        used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", used > 0 ? " " : "",
                                 json_object_iter_key(at));
    assert_string_equal(found, wanted);
}

static double real(const json_t *json, const char *key)
{
    return json_real_value(json_object_get(json, key));
}

static bool at_least(const json_t *json, const char *key)
{
    return json_is_true(json_object_get(json, key));
}

static void keys_are_usual_and_asked(void **state)
{
    struct percentiles asked = { .count = 5, .percent = { 25, 50, 99.5, 99.999, 100 } };
    json_t *json;

    (void)state;
    json = latency_json(NULL, NULL, NULL);
    check_keys(json, "min mean p50 p75 p90 p95 p99 p99.9 p99.99 max");
    json_decref(json);
    json = latency_json(NULL, NULL, &asked);
    check_keys(json, "min mean p25 p50 p75 p90 p95 p99 p99.5 p99.9 p99.99 p99.999 max");
    json_decref(json);
}

static void numbers_are_exact(void **state)
{
    struct histogram *values = histogram_new();
    json_t *json;

    (void)state;
    histogram_record(values, 1);
    histogram_record(values, 2);
    histogram_record(values, 1234567890123);
    json = latency_json(values, NULL, NULL);
    assert_true(real(json, "min") == 0.000001);
    assert_true(real(json, "p50") == 0.000002);
    assert_true(real(json, "max") == 1234567.890123);
    assert_true(real(json, "mean") == 411522.630042);
    json_decref(json);
    histogram_free(values);
}

/* 90 done in 1..90 ms, 10 censored at 50 ms: p40 is what it is. From rank 50 on the censored ones
 * may be anywhere above. */
static void percentiles_among_the_censored(void **state)
{
    struct percentiles asked = { .count = 1, .percent = { 40 } };
    struct histogram *values = histogram_new(), *censored = histogram_new();
    json_t *json;

    (void)state;
    for (int i = 1; i <= 90; i++)
        histogram_record(values, i * INT64_C(1000000));
    for (int i = 0; i < 10; i++)
        histogram_record(censored, 50 * INT64_C(1000000));
    json = latency_json(values, censored, &asked);
    assert_true(fabs(real(json, "p40") - 40) < 0.1);
    assert_false(at_least(json, "p40_at_least"));
    assert_true(fabs(real(json, "p75") - 65) < 0.1); /* low: 10 at 50; high: 75 */
    assert_true(at_least(json, "p75_at_least"));
    assert_true(at_least(json, "p95_at_least"));
    assert_true(fabs(real(json, "max") - 90) < 0.1);
    assert_true(at_least(json, "max_at_least"));
    json_decref(json);
    histogram_free(values);
    histogram_free(censored);
}

/* A few young ones among very many move nothing but the far end. */
static void few_censored_do_not_blur(void **state)
{
    struct histogram *values = histogram_new(), *censored = histogram_new();
    json_t *json;

    (void)state;
    for (int i = 0; i < 100000; i++)
        histogram_record(values, 1000000 + i * 10);
    for (int i = 0; i < 8; i++)
        histogram_record(censored, 1000);
    json = latency_json(values, censored, NULL);
    assert_false(at_least(json, "p50_at_least"));
    assert_false(at_least(json, "p99_at_least"));
    assert_true(at_least(json, "max_at_least"));
    json_decref(json);
    histogram_free(values);
    histogram_free(censored);
}

/* All were dropped: nothing is known but how long they waited. */
static void only_censored(void **state)
{
    struct histogram *censored = histogram_new();
    json_t *json;

    (void)state;
    histogram_record(censored, 3000000);
    json = latency_json(NULL, censored, NULL);
    assert_true(json_is_null(json_object_get(json, "mean")));
    assert_true(real(json, "p50") == 3.0);
    assert_true(at_least(json, "p50_at_least"));
    json_decref(json);
    histogram_free(censored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_usual_and_asked),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(percentiles_among_the_censored),
        cmocka_unit_test(few_censored_do_not_blur),
        cmocka_unit_test(only_censored),
    };

    return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
