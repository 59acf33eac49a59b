/*
 * proc_test.c - the kernel's files, as recorded, and broken in the ways that break readers.
 */
#include "collect/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void meminfo(void **state)
{
    (void)state;
    const char *text = "MemTotal:        8052420 kB\nMemFree:          148120 kB\n"
                       "SwapTotal:             0 kB\nHugePages_Total:       0\nBad:  x kB\n"
                       "Huge: 99999999999999999999 kB\nLarge: 9223372036854775807 kB\n";
    assert_int_equal(proc_meminfo_bytes(text, "MemTotal"), INT64_C(8052420) * 1024);
    assert_int_equal(proc_meminfo_bytes(text, "SwapTotal"), 0);
    assert_int_equal(proc_meminfo_bytes(text, "Mem"), -1);
    assert_int_equal(proc_meminfo_bytes(text, "HugePages_Total"), -1); /* no unit */
    assert_int_equal(proc_meminfo_bytes(text, "Bad"), -1);
    assert_int_equal(proc_meminfo_bytes(text, "Huge"), -1);
    assert_int_equal(proc_meminfo_bytes(text, "Large"), -1);
    assert_int_equal(proc_meminfo_bytes("", "MemTotal"), -1);
    assert_int_equal(proc_meminfo_bytes("MemTotal", "MemTotal"), -1);
    assert_int_equal(proc_meminfo_bytes("MemTotal: 7", "MemTotal"), -1);
}

static void cpuinfo(void **state)
{
    (void)state;
    char out[32], small[5];
    const char *text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A CPU @ 2.00GHz  \n"
                       "flags\t\t: fpu vme hypervisor_not hypervisor\nempty\t:\n"
                       "model name\t: another\n";
    assert_true(proc_cpuinfo(text, "model name", out, sizeof(out)));
    assert_string_equal(out, "A CPU @ 2.00GHz");
    assert_true(proc_cpuinfo(text, "model", out, sizeof(out)));
    assert_string_equal(out, "85");
    assert_true(proc_cpuinfo(text, "model name", small, sizeof(small)));
    assert_string_equal(small, "A CP");
    assert_false(proc_cpuinfo(text, "empty", out, sizeof(out)));
    assert_false(proc_cpuinfo(text, "CPU part", out, sizeof(out)));
    assert_false(proc_cpuinfo("", "model", out, sizeof(out)));
    assert_true(proc_cpuinfo_flag(text, "hypervisor"));
    assert_true(proc_cpuinfo_flag(text, "fpu"));
    assert_false(proc_cpuinfo_flag(text, "hyper"));
    assert_false(proc_cpuinfo_flag(text, "another"));
    assert_true(proc_cpuinfo_flag("flags: a b", "b"));
    assert_false(proc_cpuinfo_flag("flags", "flags"));
    assert_false(proc_cpuinfo_flag("flags\t: a\nflags\t: b\n", "b"));
    assert_false(proc_cpuinfo_flag("Features\t: fp asimd\n", "fp"));
}

static void schedstat(void **state)
{
    (void)state;
    int64_t run_ns, delay_ns;
    assert_true(proc_schedstat("1234567890123 98765 42\n", &run_ns, &delay_ns));
    assert_int_equal(run_ns, INT64_C(1234567890123));
    assert_int_equal(delay_ns, 98765);
    assert_true(proc_schedstat("0 0 0", &run_ns, &delay_ns)); /* accounting is off */
    static const char *const bad[] = { "",        "1",      "1 2",   "1 2 x",
                                       "1 2 3 4", "-1 2 3", "a b c", "99999999999999999999 1 1",
                                       "1 2 3\n4" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(proc_schedstat(bad[i], &run_ns, &delay_ns));
}

static void statm(void **state)
{
    (void)state;
    assert_int_equal(proc_statm_resident("2570 1234 900 10 0 300 0\n"), 1234);
    assert_int_equal(proc_statm_resident("2570"), -1);
    assert_int_equal(proc_statm_resident("x 1"), -1);
}

static void cgroup_paths(void **state)
{
    (void)state;
    char out[32];
    const char *hybrid =
        "12:memory:/docker/abc\n4:cpu,cpuacct:/a:b\n1:name=systemd:/x\n0::/user.slice\n";
    assert_true(proc_cgroup_path(hybrid, "", out, sizeof(out)));
    assert_string_equal(out, "/user.slice");
    assert_true(proc_cgroup_path(hybrid, "memory", out, sizeof(out)));
    assert_string_equal(out, "/docker/abc");
    assert_true(proc_cgroup_path(hybrid, "cpu", out, sizeof(out)));
    assert_string_equal(out, "/a:b");
    assert_true(proc_cgroup_path(hybrid, "cpuacct", out, sizeof(out)));
    assert_false(proc_cgroup_path(hybrid, "cpus", out, sizeof(out)));
    assert_false(proc_cgroup_path(hybrid, "systemd", out, sizeof(out)));
    assert_true(proc_cgroup_path("0::/", "", out, sizeof(out)));
    assert_string_equal(out, "/");
    static const char *const bad[] = { "", "0", "0:", "0::", "0::x", "\n\n", ":::" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(proc_cgroup_path(bad[i], "", out, sizeof(out)));
}

static void cgroup_limits(void **state)
{
    (void)state;
    assert_int_equal(proc_cgroup_cpu_max("200000 100000\n"), 2000);
    assert_int_equal(proc_cgroup_cpu_max("50000 100000\n"), 500);
    assert_int_equal(proc_cgroup_cpu_max("max 100000\n"), PROC_UNLIMITED);
    assert_int_equal(proc_cgroup_cpu_max("1 0"), -1);
    assert_int_equal(proc_cgroup_cpu_max("maximum"), -1);
    assert_int_equal(proc_cgroup_cpu_max("5"), -1);
    assert_int_equal(proc_cgroup_cpu_max(""), -1);
    assert_int_equal(proc_cgroup_memory("536870912\n"), 536870912);
    assert_int_equal(proc_cgroup_memory("max\n"), PROC_UNLIMITED);
    assert_int_equal(proc_cgroup_memory("9223372036854771712\n"), PROC_UNLIMITED);
    assert_int_equal(proc_cgroup_memory("12 kB"), -1);
    assert_int_equal(proc_cgroup_memory(""), -1);
}

static void whole_numbers(void **state)
{
    (void)state;
    int64_t number;
    assert_true(proc_whole("-1\n", &number));
    assert_int_equal(number, -1);
    assert_true(proc_whole(" 100000 ", &number));
    assert_int_equal(number, 100000);
    assert_false(proc_whole("", &number));
    assert_false(proc_whole("--1", &number));
    assert_false(proc_whole("1 2", &number));
}

static void files(void **state)
{
    (void)state;
    char out[16];
    assert_true(proc_read("/proc/self/stat", out, sizeof(out)));
    assert_int_equal(strlen(out), sizeof(out) - 1);
    assert_false(proc_read("/proc/self/nothing", out, sizeof(out)));
    assert_false(proc_read("/proc/self", out, sizeof(out))); /* a folder */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meminfo),       cmocka_unit_test(cpuinfo),
        cmocka_unit_test(schedstat),     cmocka_unit_test(statm),
        cmocka_unit_test(cgroup_paths),  cmocka_unit_test(cgroup_limits),
        cmocka_unit_test(whole_numbers), cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
