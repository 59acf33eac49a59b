/*
 * devices_test.c - the rows of diskstats and mountinfo, as kernels of several ages write them.
 */
#include "collect/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char diskstats[] =
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 254       0 vda 1162525 84792 26252074 1065222 4151288 1665972 393123056 2433571 3 538060 "
    "3801661 1564719 89 274489352 201011 1727208 101856\n"
    "   8       1 sda1 10 1 16 4 20 2 32 5 0 6 7\n"
    "   8       2 sda2 10 1 16 4\n";

static void counts(void **state)
{
    (void)state;
    struct device_counts found;
    char name[DEVICE_NAME_MAX] = "";

    assert_true(device_counts(diskstats, (struct device_id){ 254, 0 }, &found, name, sizeof name));
    assert_string_equal(name, "vda");
    assert_int_equal(found.reads, 1162525);
    assert_int_equal(found.read_bytes, INT64_C(26252074) * 512);
    assert_int_equal(found.writes, 4151288);
    assert_int_equal(found.written_bytes, INT64_C(393123056) * 512);
    assert_int_equal(found.busy_ms, 538060);
    assert_int_equal(found.queue_ms, 3801661);
    assert_int_equal(found.flushes, 1727208);
    assert_int_equal(found.flush_ms, 101856);
    /* Before 5.5 there were no flushes, before 4.18 no discards. */
    assert_true(device_counts(diskstats, (struct device_id){ 8, 1 }, &found, NULL, 0));
    assert_int_equal(found.written_bytes, 32 * 512);
    assert_int_equal(found.flushes, -1);
    assert_false(device_counts(diskstats, (struct device_id){ 8, 2 }, &found, NULL, 0));
    assert_false(device_counts(diskstats, (struct device_id){ 9, 0 }, &found, NULL, 0));
    assert_int_equal(found.reads, -1);
    assert_false(device_counts("", (struct device_id){ 0, 0 }, &found, NULL, 0));
}

static void mounts(void **state)
{
    (void)state;
    const char *text = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                       "36 35 0:33 /@data /data rw,noatime shared:1 master:2 - btrfs /dev/sdb1 rw\n"
                       "40 35 0:40 / /cut rw\n";
    char type[256], source[256];

    assert_true(device_mounted(text, (struct device_id){ 0, 33 }, type, source, sizeof type));
    assert_string_equal(type, "btrfs");
    assert_string_equal(source, "/dev/sdb1");
    assert_false(device_mounted(text, (struct device_id){ 0, 40 }, type, source, sizeof type));
    assert_false(device_mounted(text, (struct device_id){ 8, 33 }, type, source, sizeof type));
}

static void growth(void **state)
{
    (void)state;
    struct devices devices = { .count = 1, .row = { { .name = "vda", .data = true } } };
    struct device_counts begin = { 1, 512, 10, 2, 1024, 20, 30, 40, -1, -1 };
    struct device_counts end = { 5, 5120, 1010, 1, 4096, 70, 90, 140, 7, 9 };
    json_t *json = devices_row_json(&devices, 0, &begin, &end);

    assert_int_equal(json_integer_value(json_object_get(json, "reads")), 4);
    assert_int_equal(json_integer_value(json_object_get(json, "read_bytes")), 4608);
    assert_true(json_is_null(json_object_get(json, "writes"))); /* it went back: another device */
    assert_true(json_is_null(json_object_get(json, "flushes")));
    assert_true(json_real_value(json_object_get(json, "read_s")) == 1.0);
    json_decref(json);
}

/* Whatever this machine is, looking is safe, and what is not found is said. */
static void looking(void **state)
{
    (void)state;
    struct devices devices;
    struct device_counts rows[DEVICES_MAX], disks[DEVICES_MAX];

    devices_find(&devices, 0, NULL);
    assert_int_equal(devices.count, 0);
    assert_true(devices.why[0] != '\0');
    devices_find(&devices, 0, "/nowhere at all");
    assert_int_equal(devices.count, 0);
    assert_true(devices.why[0] != '\0');
    devices_find(&devices, 0, "/");
    assert_true(devices.why[0] != '\0'); /* no pg_wal there */
    devices_read(&devices, rows, disks);
    for (int i = 0; i < devices.count; i++)
        assert_true(rows[i].reads >= 0 && devices.row[i].disk_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(mounts),
        cmocka_unit_test(growth),
        cmocka_unit_test(looking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
