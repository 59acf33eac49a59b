/*
 * settings_test.c - what is told of pg_settings, and what never is.
 */
#include "collect/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char rows_text[] =
    "[{\"name\":\"work_mem\",\"value\":\"4096\",\"unit\":\"kB\",\"source\":\"default\","
    "\"boot\":\"4096\",\"pending_restart\":false},"
    "{\"name\":\"fsync\",\"value\":\"off\",\"unit\":null,\"source\":\"command line\","
    "\"boot\":\"on\",\"pending_restart\":false},"
    "{\"name\":\"max_wal_size\",\"value\":\"1024\",\"unit\":\"MB\",\"source\":\"configuration"
    " file\",\"boot\":\"1024\",\"pending_restart\":true},"
    "{\"name\":\"wal_buffers\",\"value\":\"512\",\"unit\":\"8kB\",\"source\":\"override\","
    "\"boot\":\"-1\",\"pending_restart\":false},"
    "{\"name\":\"log_file_mode\",\"value\":\"0600\",\"unit\":null,\"source\":\"default\","
    "\"boot\":\"384\",\"pending_restart\":false},"
    "{\"name\":\"external_pid_file\",\"value\":\"\",\"unit\":null,\"source\":\"default\","
    "\"boot\":null,\"pending_restart\":false},"
    "{\"name\":\"primary_conninfo\",\"value\":\"host=a password=sesame\",\"unit\":null,"
    "\"source\":\"configuration file\",\"boot\":\"\",\"pending_restart\":false},"
    "{\"name\":\"application_name\",\"value\":\"pgdyno-collect\",\"unit\":null,\"source\":"
    "\"client\",\"boot\":\"\",\"pending_restart\":false},"
    "{\"name\":\"odd\",\"value\":null,\"unit\":null,\"source\":null,\"boot\":null},{},5]";

static void differing_settings_and_all(void **state)
{
    (void)state;
    json_t *rows = json_loads(rows_text, 0, NULL), *snapshot = json_object();
    assert_non_null(rows);
    settings_put(snapshot, rows);
    json_t *some = json_object_get(snapshot, "settings");
    json_t *all = json_object_get(snapshot, "all_settings");
    static const char *const wanted[] = { "fsync", "max_wal_size", "wal_buffers",
                                          "primary_conninfo" };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        assert_non_null(json_object_get(some, wanted[i]));
    assert_int_equal(json_object_size(some), 4);
    assert_int_equal(json_object_size(all), 8); /* ours is left out */
    json_t *fsync = json_object_get(some, "fsync");
    assert_string_equal(json_string_value(json_object_get(fsync, "value")), "off");
    assert_string_equal(json_string_value(json_object_get(fsync, "boot")), "on");
    assert_string_equal(json_string_value(json_object_get(fsync, "source")), "command line");
    assert_true(json_is_null(json_object_get(fsync, "unit")));
    assert_string_equal(json_string_value(json_object_get(all, "work_mem")), "4096");
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(snapshot, "pending_restart"), 0)),
        "max_wal_size");
    char *dump = json_dumps(snapshot, 0);
    assert_null(strstr(dump, "sesame"));
    free(dump);
    json_decref(rows);
    json_decref(snapshot);
}

static void secrets(void **state)
{
    (void)state;
    assert_true(settings_is_secret("primary_conninfo", "host=a"));
    assert_false(settings_is_secret("primary_conninfo", ""));
    assert_true(settings_is_secret("ssl_passphrase_command", "echo x"));
    assert_false(settings_is_secret("ssl_passphrase_command_supports_reload", "off"));
    assert_false(settings_is_secret("password_encryption", "scram-sha-256"));
    assert_false(settings_is_secret("md5_password_warnings", "on"));
    assert_false(settings_is_secret("archive_command", "cp %p /a/%f"));
    assert_true(settings_is_secret("archive_command", "PGPASSWORD=x cp %p"));
    assert_true(settings_is_secret("restore_command", "curl https://u:p@h/%f"));
    assert_true(settings_is_secret("archive_command", "AWS_SECRET_ACCESS_KEY=x wal-g"));
    assert_true(settings_is_secret("app.jwt_secret", "x"));
    assert_false(settings_is_secret("ssl_key_file", "server.key"));
    assert_false(settings_is_secret("work_mem", "4096"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differing_settings_and_all),
        cmocka_unit_test(secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
