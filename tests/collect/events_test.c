/*
 * events_test.c - checkpoints and vacuums out of made-up looks: each once, at its time.
 */
#include "collect/events.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEHIND_S 1000.0 /* the server's clock shows that at 0 of ours */

static void look(struct events *events, double at_s, const char *words)
{
    json_t *json = json_loads(words, 0, NULL);
    assert_non_null(json);
    events_look(events, at_s, BEHIND_S, json);
    json_decref(json);
}

static double get(const json_t *list, size_t at, const char *key)
{
    const json_t *value = json_object_get(json_array_get(list, at), key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *word(const json_t *list, size_t at, const char *key)
{
    return json_string_value(json_object_get(json_array_get(list, at), key));
}

#define COUNTERS(timed, requested, write, buffers)                          \
    "{\"checkpointer\": {\"timed\": " #timed ", \"requested\": " #requested \
    ", \"done\": null, \"write_ms\": " #write ", \"sync_ms\": 0.0,"         \
    " \"buffers_written\": " #buffers "}}"

/* Where the checkpointer may be seen: its wait events tell when. */
static void seen_at_work(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 10, COUNTERS(3, 5, 100.0, 50));
    for (int i = 0; i < 30; i++)
        events_checkpointer(&events, 10 + i / 10.0, i >= 4 && i < 16);
    look(&events, 11, COUNTERS(3, 6, 100.0, 50));
    look(&events, 12, COUNTERS(3, 6, 1300.0, 90));
    look(&events, 13, COUNTERS(3, 6, 1300.0, 90));
    json_t *list = events_json(&events, 10);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(word(list, 0, "kind"), "checkpoint");
    assert_string_equal(word(list, 0, "why"), "requested");
    assert_true(fabs(get(list, 0, "at_s") - 0.4) < 1e-9);
    assert_true(fabs(get(list, 0, "until_s") - 1.6) < 1e-9);
    assert_int_equal((int)get(list, 0, "buffers"), 40);
    json_decref(list);
}

/* Where not: the time that it took is taken off, or the control file's second. */
static void by_counters(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 10, COUNTERS(3, 5, 100.0, 50));
    look(&events, 11, COUNTERS(4, 5, 700.0, 60));
    look(&events, 12, COUNTERS(4, 5, 700.0, 60));
    look(&events, 13,
         "{\"control\": {\"checkpoint_s\": 1012.25}, \"checkpointer\": {\"timed\": 4,"
         " \"requested\": 6, \"write_ms\": 900.0, \"sync_ms\": 0,"
         " \"buffers_written\": 61}}");
    json_t *list = events_json(&events, 0);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(word(list, 0, "why"), "timed");
    assert_true(fabs(get(list, 0, "at_s") - 10.4) < 1e-9);
    assert_true(fabs(get(list, 0, "until_s") - 11) < 1e-9);
    assert_true(fabs(get(list, 1, "at_s") - 12.25) < 1e-9);
    json_decref(list);
}

/* From 18 on what did nothing is counted apart. */
static void skipped(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 1,
         "{\"checkpointer\": {\"timed\": 1, \"requested\": 1, \"done\": 2,"
         " \"write_ms\": 5, \"sync_ms\": 0, \"buffers_written\": 1}}");
    look(&events, 2,
         "{\"checkpointer\": {\"timed\": 2, \"requested\": 1, \"done\": 2,"
         " \"write_ms\": 5, \"sync_ms\": 0, \"buffers_written\": 1}}");
    look(&events, 3,
         "{\"checkpointer\": {\"timed\": 2, \"requested\": 2, \"done\": 3,"
         " \"write_ms\": 5, \"sync_ms\": 0, \"buffers_written\": 1}}");
    json_t *list = events_json(&events, 0);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(word(list, 0, "why"), "requested");
    json_decref(list);
}

static void under_way(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 10, COUNTERS(3, 5, 100.0, 50));
    for (int i = 0; i <= 20; i++)
        events_checkpointer(&events, 10 + i / 10.0, i >= 5);
    json_t *list = events_json(&events, 10);
    assert_int_equal(json_array_size(list), 1);
    assert_true(fabs(get(list, 0, "at_s") - 0.5) < 1e-9);
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "until_s")));
    json_decref(list);
}

#define TABLE(key, at) \
    "{\"vacuumed\": [{\"id\": 7, \"name\": \"public.t\", \"" #key "\": " #at "}]}"
#define PROGRESS(query)                                                                 \
    "{\"vacuuming\": [{\"pid\": 99, \"id\": 7, \"name\": \"public.t\", \"auto\": true," \
    " \"query_s\": " #query "}]}"

static void vacuums(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 10, TABLE(vacuum_s, 1005.5)); /* before the load */
    look(&events, 11, TABLE(vacuum_s, 1010.25));
    look(&events, 12, TABLE(vacuum_s, 1010.25)); /* told again */
    look(&events, 13, PROGRESS(1012.5));
    look(&events, 14, PROGRESS(1012.5));
    look(&events, 15, "{}");
    look(&events, 16, TABLE(autovacuum_s, 1014.75)); /* word comes late */
    json_t *list = events_json(&events, 10);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(word(list, 0, "kind"), "vacuum");
    assert_true(fabs(get(list, 0, "at_s") - 0.25) < 1e-9);
    assert_string_equal(word(list, 1, "kind"), "autovacuum");
    assert_string_equal(word(list, 1, "table"), "public.t");
    assert_true(fabs(get(list, 1, "at_s") - 2.5) < 1e-9);
    assert_true(fabs(get(list, 1, "until_s") - 4.75) < 1e-9);
    json_decref(list);
}

/* More than there is room for is no harm. */
static void many(void **state)
{
    (void)state;
    struct events events = { 0 };
    char words[200];

    look(&events, 0, "{}");
    for (int i = 1; i < EVENTS_MAX + 100; i++) {
        snprintf(words, sizeof words,
                 "{\"vacuumed\": [{\"id\": %d, \"name\": \"t\", \"vacuum_s\": %d.5}]}", i,
                 1000 + i);
        look(&events, i + 1, words);
    }
    json_t *list = events_json(&events, 0);
    assert_int_equal(json_array_size(list), EVENTS_MAX);
    assert_int_equal(events.unlisted, 99);
    json_decref(list);
}

/* A role that may not see whose process it is: only the table's word counts. */
static void unseen_vacuum(void **state)
{
    (void)state;
    struct events events = { 0 };

    look(&events, 10, "{\"vacuuming\": []}");
    look(&events, 11,
         "{\"vacuuming\": [{\"pid\": 99, \"id\": null, \"name\": null, \"auto\": null}]}");
    look(
        &events, 12,
        "{\"vacuuming\": [], \"vacuumed\": [{\"id\": 7, \"name\": \"public.t\", \"vacuum_s\": null,"
        " \"autovacuum_s\": 1011.5}]}");
    json_t *list = events_json(&events, 10);
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(word(list, 0, "kind"), "autovacuum");
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unseen_vacuum), cmocka_unit_test(seen_at_work),
        cmocka_unit_test(by_counters),   cmocka_unit_test(skipped),
        cmocka_unit_test(under_way),     cmocka_unit_test(vacuums),
        cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
