/*
 * machine_test.c - two readings of a machine become figures of a query; what one of them does not
 * know is null. And a child that comes and goes between them is counted.
 */
#include "collect/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"

#define WINDOW_NS (2 * NS_PER_S)
#define QUERIES   1000

static void set(struct machine_reading *reading, const char *key, int64_t value)
{
    for (int i = 0; kernel_rows[i].key != NULL; i++)
        if (strcmp(kernel_rows[i].key, key) == 0)
            reading->values[i] = value;
}

static double get(const json_t *json, const char *section, const char *key)
{
    const json_t *value = json_object_get(json_object_get(json, section), key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void close_to(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-9 * (1 + fabs(wanted)))
        fail_msg("found %.12g, wanted %.12g", found, wanted);
}

/* Two CPUs for two seconds: 2 s user, 0.5 system, 0.1 softirq, 0.2 waiting, 0.2 stolen, 1 idle. */
static void made_up(struct machine *machine, struct machine_reading *begin,
                    struct machine_reading *end, struct process *processes)
{
    *machine = (struct machine){ .postmaster = 10 };
    machine->devices.count = machine->devices.disk_count = 1;
    snprintf(machine->devices.row[0].name, DEVICE_NAME_MAX, "sda1");
    *begin = (struct machine_reading){ .at_ns = 5 * NS_PER_S, .cpus = 2 };
    set(begin, "user_s", 7 * NS_PER_S);
    set(begin, "context_switches", 100);
    *end = *begin;
    end->at_ns += WINDOW_NS;
    end->client_ns = 50 * NS_PER_MS;
    set(end, "user_s", 9 * NS_PER_S);
    set(end, "system_s", 500 * NS_PER_MS);
    set(end, "softirq_s", 100 * NS_PER_MS);
    set(end, "iowait_s", 200 * NS_PER_MS);
    set(end, "steal_s", 200 * NS_PER_MS);
    set(end, "idle_s", NS_PER_S);
    set(end, "context_switches", 4100);
    /* Backend 20 ends, and 0.25 s of it go to the postmaster; 30 is new. */
    processes[0] = (struct process){ 10, NS_PER_S, 10, 5 * NS_PER_S };
    processes[1] = (struct process){ 20, 200 * NS_PER_MS, 50, 0 };
    processes[2] = (struct process){ 10, NS_PER_S, 30, 5 * NS_PER_S + 250 * NS_PER_MS };
    processes[3] = (struct process){ 30, 350 * NS_PER_MS, 70, 0 };
    begin->server = (struct processes){ processes, 2, 2 };
    end->server = (struct processes){ processes + 2, 2, 2 };
    begin->rows[0] = (struct device_counts){ 10, 4096, 1, 20, 8192, 1, 1, 1, 5, 1 };
    end->rows[0] =
        (struct device_counts){ 510, 4096 + 2048000, 3, 30, 8192 + 1024000, 5, 9, 17, 105, 11 };
    begin->disks[0].flushes = 5;
    end->disks[0].flushes = 105;
}

static void a_query(void **state)
{
    (void)state;
    const struct machine_window window = { 5 * NS_PER_S - NS_PER_MS, 7 * NS_PER_S - NS_PER_MS,
                                           QUERIES };
    struct machine machine;
    struct machine_reading begin, end;
    struct process processes[4];

    made_up(&machine, &begin, &end, processes);
    json_t *json = machine_json(&machine, &begin, &end, &window);
    close_to(get(json, "server", "cpu_s"), 0.25 - 0.2 + 0.35);
    close_to(get(json, "server", "run_delay_s"), 20e-9);
    close_to(get(json, "whole", "cpu_s"), 2.6);
    close_to(get(json, "whole", "busy"), 2.6 / 4);
    close_to(get(json, "per_query", "server_cpu_us"), 400);
    close_to(get(json, "per_query", "client_cpu_us"), 50);
    close_to(get(json, "per_query", "machine_cpu_us"), 2600);
    close_to(get(json, "per_query", "context_switches"), 4);
    close_to(get(json, "per_query", "reads"), 0.5);
    close_to(get(json, "per_query", "read_kb"), 2);
    close_to(get(json, "per_query", "written_kb"), 1);
    close_to(get(json, "per_query", "flushes"), 0.1);
    /* 65 % of the machine at 500 queries a second; times CPUs and 10,000 it is us a query. */
    close_to(get(json, "published", "cpu/o"), 65.0 / 500);
    close_to(get(json, "published", "cpu/o") * 2 * 1e4, 2600);
    close_to(get(json, "published", "cs/o"), 4);
    close_to(get(json, "published", "wKB/o"), 1);
    close_to(get(json, "published", "o/s"), 500);
    close_to(json_number_value(json_object_get(json, "begin_off_s")), 0.001);
    json_decref(json);
}

static void elsewhere(void **state)
{
    (void)state;
    const struct machine_window window = { 5 * NS_PER_S, 7 * NS_PER_S, QUERIES };
    struct machine machine;
    struct machine_reading begin, end;
    struct process processes[4];

    made_up(&machine, &begin, &end, processes);
    machine.postmaster = machine.devices.count = machine.devices.disk_count = 0;
    begin.server.count = end.server.count = 0;
    json_t *json = machine_json(&machine, &begin, &end, &window);
    assert_true(json_is_null(json_object_get(json, "server")));
    assert_true(json_is_null(json_object_get(json, "devices")));
    assert_true(isnan(get(json, "per_query", "server_cpu_us")));
    assert_true(isnan(get(json, "per_query", "machine_cpu_us")));
    assert_true(isnan(get(json, "per_query", "context_switches")));
    assert_true(isnan(get(json, "per_query", "reads")));
    assert_true(isnan(get(json, "published", "cpu/o")));
    close_to(get(json, "per_query", "client_cpu_us"), 50);
    assert_int_equal(json_array_size(json_object_get(json, "roles")), 1);
    json_decref(json);
}

static void unknown(void **state)
{
    (void)state;
    struct machine_window window = { 5 * NS_PER_S, 7 * NS_PER_S, QUERIES };
    struct machine machine;
    struct machine_reading begin, end;
    struct process processes[4];

    made_up(&machine, &begin, &end, processes);
    set(&begin, "steal_s", KERNEL_UNKNOWN);
    begin.disks[0].flushes = -1;
    end.server.count = 0; /* it went down */
    json_t *json = machine_json(&machine, &begin, &end, &window);
    assert_true(json_is_null(json_object_get(json, "server")));
    assert_true(isnan(get(json, "whole", "steal_s")));
    assert_true(isnan(get(json, "whole", "busy")));
    close_to(get(json, "whole", "cpu_s"), 2.6);
    assert_true(isnan(get(json, "per_query", "flushes")));
    close_to(get(json, "per_query", "reads"), 0.5);
    json_decref(json);
    window.queries = 0;
    json = machine_json(&machine, &begin, &end, &window);
    assert_true(isnan(get(json, "per_query", "reads")));
    assert_true(isnan(get(json, "published", "o/s")));
    json_decref(json);
    begin.at_ns = 0; /* the window never began */
    json = machine_json(&machine, &begin, &end, &window);
    assert_true(json_is_null(json));
    json_decref(json);
}

static void spin(int64_t for_ns)
{
    while (clock_process_cpu_ns() < for_ns)
        continue;
}

/* A process that forks, as a postmaster does: one child stays, one has come and gone. */
static void short_lived(void **state)
{
    (void)state;
    struct processes begin = { 0 }, end = { 0 };
    int go[2], done[2];
    char byte = 0;

    assert_int_equal(pipe(go) + pipe(done), 0);
    pid_t root = fork();
    if (root == 0) {
        pid_t stays = fork();
        if (stays == 0) {
            pause();
            _exit(0);
        }
        (void)!read(go[0], &byte, 1);
        pid_t gone = fork();
        if (gone == 0) {
            spin(120 * NS_PER_MS);
            _exit(0);
        }
        waitpid(gone, NULL, 0);
        (void)!write(done[1], &byte, 1);
        (void)!read(go[0], &byte, 1);
        kill(stays, SIGKILL);
        _exit(0);
    }
    for (int tries = 0; tries < 500 && begin.count < 2; tries++) {
        assert_true(processes_read(&begin, root));
        clock_sleep_until_ns(clock_now_ns() + 10 * NS_PER_MS);
    }
    assert_int_equal(begin.count, 2);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(read(done[0], &byte, 1), 1);
    assert_true(processes_read(&end, root));
    assert_int_equal(end.count, 2);
    assert_true(processes_cpu_ns(&end) - processes_cpu_ns(&begin) >= 100 * NS_PER_MS);
    assert_true(processes_cpu_ns(&end) - processes_cpu_ns(&begin) < 300 * NS_PER_MS);
    assert_int_equal(write(go[1], &byte, 1), 1);
    waitpid(root, NULL, 0);
    assert_false(processes_read(&end, root));
    processes_free(&begin);
    processes_free(&end);
}

static void postmaster(void **state)
{
    (void)state;
    double now_s = (double)clock_wall_ns() / 1e9;
    assert_int_equal(processes_postmaster(0, now_s), 0);
    /* The parent of this process was not started a day ago, nor was it tomorrow. */
    assert_int_equal(processes_postmaster(getpid(), now_s - 1e9), 0);
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    assert_int_equal(processes_postmaster(child, now_s), getpid());
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query),     cmocka_unit_test(elsewhere),  cmocka_unit_test(unknown),
        cmocka_unit_test(short_lived), cmocka_unit_test(postmaster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
