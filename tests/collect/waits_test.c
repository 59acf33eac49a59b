/*
 * waits_test.c - names of all majors come to the same, classes, and who is to blame for a lock.
 */
#include "collect/waits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void names(void **state)
{
    (void)state;
    static const char *const rows[][4] = {
        { "LWLock", "WALWriteLock", "LWLock", "WALWrite" }, /* 12 */
        { "LWLock", "ProcArrayLock", "LWLock", "ProcArray" },
        { "LWLock", "CLogControlLock", "LWLock", "XactSLRU" },
        { "LWLock", "buffer_content", "LWLock", "BufferContent" },
        { "LWLock", "lock_manager", "LWLock", "LockManager" },
        { "LWLock", "wal_insert", "LWLock", "WALInsert" },
        { "LWLock", "buffer_io", "IPC", "BufferIo" },
        { "LWLock", "BufferIO", "IPC", "BufferIo" }, /* 13 */
        { "IPC", "BufferIO", "IPC", "BufferIo" },    /* 14 */
        { "IO", "WALSync", "IO", "WalSync" },
        { "IO", "SLRURead", "IO", "SlruRead" },
        { "IO", "BufFileWrite", "IO", "BuffileWrite" },
        { "IO", "WalSync", "IO", "WalSync" }, /* 17 */
        { "LWLock", "WALWrite", "LWLock", "WALWrite" },
        { "Lock", "transactionid", "Lock", "transactionid" },
        { "LWLock", "", "LWLock", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct wait_name name = wait_canonical(rows[i][0], rows[i][1]);
        assert_string_equal(name.type, rows[i][2]);
        assert_string_equal(name.event, rows[i][3]);
    }
}

static void classes(void **state)
{
    (void)state;
    static const struct {
        const char *state, *type, *event;
        int wanted; /* -1: not active */
    } rows[] = {
        { "active", "", "", WAIT_CPU },
        { "active", NULL, NULL, WAIT_CPU },
        { "fastpath function call", "", "", WAIT_CPU },
        { "active", "IO", "DataFileRead", WAIT_IO_READ },
        { "active", "IO", "AioIoCompletion", WAIT_IO_READ },
        { "active", "IPC", "BufferIo", WAIT_IO_READ },
        { "active", "LWLock", "buffer_io", WAIT_IO_READ },
        { "active", "IO", "DataFileExtend", WAIT_IO_WRITE },
        { "active", "IO", "WALSync", WAIT_WAL },
        { "active", "IO", "WalWrite", WAIT_WAL },
        { "active", "LWLock", "WALWriteLock", WAIT_WAL },
        { "active", "LWLock", "wal_insert", WAIT_WAL },
        { "active", "IPC", "SyncRep", WAIT_REPLICATION },
        { "active", "IPC", "BgWorkerShutdown", WAIT_IPC },
        { "active", "IPC", "ClogGroupUpdate", WAIT_INTERNAL },
        { "active", "Lock", "tuple", WAIT_LOCK },
        { "active", "LWLock", "lock_manager", WAIT_INTERNAL },
        { "active", "BufferPin", "BufferPin", WAIT_BUFFER_PIN },
        { "active", "Client", "ClientWrite", WAIT_CLIENT },
        { "active", "Timeout", "SpinDelay", WAIT_INTERNAL },
        { "active", "Timeout", "PgSleep", WAIT_TIMEOUT },
        { "active", "Extension", "Extension", WAIT_OTHER },
        { "idle in transaction", "Client", "ClientRead", WAIT_CLIENT },
        { "idle in transaction (aborted)", "", "", WAIT_CLIENT },
        { "idle", "Client", "ClientRead", -1 },
        { "disabled", "", "", -1 },
        { "", "", "", -1 },
        { NULL, NULL, NULL, -1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum wait_class found = WAIT_CLASSES;
        bool active = wait_classify(rows[i].state, rows[i].type, rows[i].event, &found);
        assert_int_equal(active ? (int)found : -1, rows[i].wanted);
    }
}

static void roots(void **state)
{
    (void)state;
    const struct wait_session sessions[] = {
        { .pid = 1, .state = "idle in transaction", .type = "Client", .event = "ClientRead" },
        { .pid = 2,
          .state = "active",
          .type = "Lock",
          .event = "tuple",
          .blockers = { 1 },
          .blocker_count = 1 },
        { .pid = 3,
          .state = "active",
          .type = "Lock",
          .event = "tuple",
          .blockers = { 2, 1 },
          .blocker_count = 2 },
        { .pid = 4, .state = "active", .type = "IO", .event = "WALSync" },
        { .pid = 5,
          .state = "active",
          .type = "Lock",
          .event = "transactionid",
          .blockers = { 4 },
          .blocker_count = 1 },
        /* A circle, a prepared transaction, one that is not seen, one that let go. */
        { .pid = 6, .state = "active", .type = "Lock", .blockers = { 7 }, .blocker_count = 1 },
        { .pid = 7, .state = "active", .type = "Lock", .blockers = { 6 }, .blocker_count = 1 },
        { .pid = 8, .state = "active", .type = "Lock", .blockers = { 0 }, .blocker_count = 1 },
        { .pid = 9, .state = "active", .type = "Lock", .blockers = { 99 }, .blocker_count = 1 },
        { .pid = 10, .state = "active", .type = "Lock", .blockers = { 11 }, .blocker_count = 1 },
        { .pid = 11, .state = "idle" },
        { .pid = 12, .state = "active", .type = "Lock" },
        { .pid = 13, .state = "active" },
        { .pid = 14, .state = "active", .type = "Lock", .blockers = { 13 }, .blocker_count = 1 },
    };
    const int count = sizeof sessions / sizeof sessions[0];
    const int wanted[] = {
        [1] = WAIT_CLIENT,  [2] = WAIT_CLIENT, [4] = WAIT_WAL,  [5] = WAIT_LOCK,
        [6] = WAIT_LOCK,    [7] = WAIT_LOCK,   [8] = WAIT_LOCK, [11] = WAIT_CLASSES,
        [9] = WAIT_CLASSES, [13] = WAIT_CPU
    };
    const int asked[] = { 1, 2, 4, 5, 6, 7, 8, 9, 11, 13 };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        assert_int_equal(wait_root(sessions, count, asked[i]), wanted[asked[i]]);
}

static double get(const json_t *json, const char *object, const char *key)
{
    return json_number_value(json_object_get(json_object_get(json, object), key));
}

static void charged(void **state)
{
    (void)state;
    struct waits waits = { 0 }, one = { .samples = 1 };

    assert_true(json_is_null(waits_json(&waits, 0)));
    waits_add(&one, "active", "Lock", "transactionid", 6);
    waits_add(&one, "active", "IO", "WALSync", 1);
    waits_add(&one, "active", "", "", 1);
    waits_add(&one, "idle", "Client", "ClientRead", 5);
    one.chain_samples = 1;
    one.roots[WAIT_WAL] = 4;
    one.roots[WAIT_LOCK] = 2;
    waits_add_all(&waits, &one);
    one.chain_samples = one.roots[WAIT_WAL] = one.roots[WAIT_LOCK] = 0;
    waits_add_all(&waits, &one); /* chains were not looked at: its locks are shared out alike */
    json_t *json = waits_json(&waits, 3);
    assert_true(get(json, "classes_direct", "lock") == 6);
    assert_true(get(json, "classes_direct", "wal") == 1);
    assert_true(fabs(get(json, "classes", "wal") - 5) < 1e-12);
    assert_true(fabs(get(json, "classes", "lock") - 2) < 1e-12);
    assert_true(get(json, "classes", "cpu") == 1);
    assert_true(json_number_value(json_object_get(json, "average_active_sessions")) == 8);
    assert_int_equal(json_integer_value(json_object_get(json, "missed")), 3);
    json_t *top = json_array_get(json_object_get(json, "events"), 0);
    assert_string_equal(json_string_value(json_object_get(top, "event")), "transactionid");
    assert_true(json_number_value(json_object_get(top, "aas")) == 6);
    json_decref(json);
    json = waits_second_json(&waits);
    assert_null(json_object_get(json, "ipc"));
    assert_true(json_number_value(json_object_get(json, "lock")) == 6);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(classes),
        cmocka_unit_test(roots),
        cmocka_unit_test(charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
