/*
 * snapshot_test.c - durability as judged from a snapshot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collect/collect.h"

static json_t *snapshot_with(const char *name, const char *value, int unlogged)
{
    json_t *settings =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "fsync", "on", "full_page_writes", "on",
                  "synchronous_commit", "on", "data_checksums", "on", "wal_level", "replica",
                  "synchronous_standby_names", "");
    if (name != NULL && value != NULL)
        json_object_set_new(settings, name, json_string(value));
    else if (name != NULL)
        json_object_del(settings, name);
    return json_pack("{s:o, s:{s:i}}", "all_settings", settings, "unlogged", "tables", unlogged);
}

/* `why` NULL: durable. */
static void judged(json_t *snapshot, const char *why)
{
    json_t *found = collect_durability(snapshot), *reasons = json_object_get(found, "why");
    assert_int_equal(json_is_true(json_object_get(found, "durable")), why == NULL);
    assert_int_equal(json_array_size(reasons), why == NULL ? 0 : 1);
    if (why != NULL)
        assert_string_equal(json_string_value(json_array_get(reasons, 0)), why);
    json_decref(found);
    json_decref(snapshot);
}

static void each_reason(void **state)
{
    (void)state;
    judged(snapshot_with(NULL, NULL, 0), NULL);
    judged(snapshot_with("fsync", "off", 0), "fsync is off");
    judged(snapshot_with("full_page_writes", "off", 0), "full_page_writes is off");
    judged(snapshot_with("synchronous_commit", "off", 0), "synchronous_commit is off");
    judged(snapshot_with("synchronous_commit", "local", 0), NULL);
    judged(snapshot_with("synchronous_commit", "remote_apply", 0), NULL);
    judged(snapshot_with("data_checksums", "off", 0), NULL);
    judged(snapshot_with(NULL, NULL, 3), "3 unlogged table(s)");
    judged(snapshot_with("fsync", NULL, 0), "fsync is not known");
}

static void nothing_known(void **state)
{
    (void)state;
    json_t *snapshot = json_object(), *found = collect_durability(snapshot);
    assert_true(json_is_false(json_object_get(found, "durable")));
    assert_true(json_is_null(json_object_get(found, "fsync")));
    assert_true(json_is_null(json_object_get(found, "unlogged_tables")));
    assert_int_equal(json_array_size(json_object_get(found, "why")), 4);
    json_decref(found);
    json_decref(snapshot);
}

static void standbys_are_told(void **state)
{
    (void)state;
    json_t *snapshot = snapshot_with("synchronous_standby_names", "a", 0);
    json_t *found = collect_durability(snapshot);
    assert_true(json_is_true(json_object_get(found, "synchronous_standbys")));
    assert_true(json_is_true(json_object_get(found, "data_checksums")));
    assert_string_equal(json_string_value(json_object_get(found, "wal_level")), "replica");
    json_decref(found);
    json_decref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason),
        cmocka_unit_test(nothing_known),
        cmocka_unit_test(standbys_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
