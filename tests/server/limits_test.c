/* Memory limits of host and control groups, read from folders made up for the purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/folder.h"
#include "server/limits.h"

#define MIB (INT64_C(1) << 20)

static char root[] = "/tmp/pgdyno-limits-XXXXXX";

static void put(const char *path, const char *content)
{
    char whole[512], folder[512];
    struct error err;

    snprintf(whole, sizeof whole, "%s%s", root, path);
    snprintf(folder, sizeof folder, "%s%s", root, path);
    *strrchr(folder, '/') = '\0';
    assert_true(folder_make(folder, 0700, &err));
    assert_true(folder_write(whole, content, 0600, &err));
}

static int make(void **state)
{
    (void)state;
    memcpy(root + strlen(root) - 6, "XXXXXX", 6);
    if (mkdtemp(root) == NULL)
        return -1;
    put("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
    return 0;
}

static int clean(void **state)
{
    struct error err;

    (void)state;
    return folder_remove(root, &err) ? 0 : -1;
}

static void host_alone(void **state)
{
    struct limits limits;

    (void)state;
    limits_read(root, &limits);
    assert_int_equal(limits.memory_bytes, 8192 * MIB);
    assert_false(limits.cgroup);
    assert_true(limits.cpus >= 1);
}

static void version_2_takes_the_smallest_above_us(void **state)
{
    struct limits limits;

    (void)state;
    put("/proc/self/cgroup", "0::/a/b/c\n");
    put("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
    put("/sys/fs/cgroup/a/b/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/a/memory.max", "1073741824\n");
    limits_read(root, &limits);
    assert_int_equal(limits.memory_bytes, 1024 * MIB);
    assert_true(limits.cgroup);
}

static void version_2_in_a_container(void **state)
{
    struct limits limits;

    (void)state;
    put("/proc/self/cgroup", "0::/\n");
    put("/sys/fs/cgroup/memory.max", "536870912\n");
    limits_read(root, &limits);
    assert_int_equal(limits.memory_bytes, 512 * MIB);
}

static void version_1(void **state)
{
    struct limits limits;

    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/x\n4:memory:/docker/1\n2:cpu,cpuacct:/y\n0::/\n");
    put("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "268435456\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    limits_read(root, &limits);
    assert_int_equal(limits.memory_bytes, 256 * MIB);
    assert_true(limits.cgroup);
}

static void version_1_without_limit(void **state)
{
    struct limits limits;

    (void)state;
    put("/proc/self/cgroup", "4:memory:/\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    limits_read(root, &limits);
    assert_int_equal(limits.memory_bytes, 8192 * MIB);
    assert_false(limits.cgroup);
}

static void nothing_readable(void **state)
{
    struct limits limits;

    (void)state;
    limits_read("/nowhere", &limits);
    assert_int_equal(limits.memory_bytes, 1024 * MIB);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(host_alone),
        CASE(version_2_takes_the_smallest_above_us),
        CASE(version_2_in_a_container),
        CASE(version_1),
        CASE(version_1_without_limit),
        CASE(nothing_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
