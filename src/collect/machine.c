/*
 * machine.c - see machine.h. A figure that is not known at either instant is null, and so is what
 * is made of it; nothing is guessed from what is.
 */
#include "collect/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/proc.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void machine_open(struct machine *machine, int pid, double started_s, const char *data_directory,
                  const char *why)
{
    *machine = (struct machine){ 0 };
    gethostname(machine->hostname, sizeof machine->hostname - 1);
    snprintf(machine->why, sizeof machine->why, "%s", why != NULL ? why : "");
    if (why == NULL) {
        machine->postmaster = processes_postmaster(pid, started_s);
        if (machine->postmaster == 0)
            snprintf(machine->why, sizeof machine->why,
                     "the server's processes are not seen from here: no process %d of a server "
                     "that was started when it was",
                     pid);
    }
    if (machine->postmaster > 0)
        devices_find(&machine->devices, machine->postmaster, data_directory);
    machine->cgroup =
        kernel_cgroup_folder(machine->postmaster > 0 ? machine->postmaster : getpid());
}

void machine_close(struct machine *machine)
{
    memory_free(machine->cgroup);
}

void machine_read(const struct machine *machine, struct machine_reading *reading)
{
    reading->at_ns = clock_now_ns();
    reading->client_ns = clock_process_cpu_ns();
    if (machine->postmaster == 0 || !processes_read(&reading->server, machine->postmaster))
        reading->server.count = 0;
    kernel_read(machine->cgroup, reading->values, &reading->cpus);
    devices_read(&machine->devices, reading->rows, reading->disks);
}

void machine_reading_free(struct machine_reading *reading)
{
    processes_free(&reading->server);
}

/* ---- figures; NAN is not known ---- */

/* A row of the kernel's in its key's unit. */
static double row_value(const struct machine_reading *begin, const struct machine_reading *end,
                        int row)
{
    int64_t before = begin->values[row], after = end->values[row];

    if (after < 0)
        return NAN; /* No limit is no number either. */
    if (kernel_rows[row].gauge)
        return (double)after * kernel_rows[row].scale;
    return before < 0 || after < before ? NAN : (double)(after - before) * kernel_rows[row].scale;
}

static double value_of(const struct machine_reading *begin, const struct machine_reading *end,
                       const char *section, const char *key)
{
    for (int i = 0; kernel_rows[i].key != NULL; i++)
        if (strcmp(kernel_rows[i].section, section) == 0 && strcmp(kernel_rows[i].key, key) == 0)
            return row_value(begin, end, i);
    return NAN;
}

static double whole_sum(const struct machine_reading *begin, const struct machine_reading *end,
                        const char *const *keys)
{
    double sum = 0;

    for (; *keys != NULL; keys++)
        sum += value_of(begin, end, "whole", *keys);
    return sum;
}

/* CPU time that was used; vmstat's us + sy. */
static double used_s(const struct machine_reading *begin, const struct machine_reading *end)
{
    static const char *const keys[] = {
        "user_s", "nice_s", "system_s", "irq_s", "softirq_s", NULL
    };

    return whole_sum(begin, end, keys);
}

/* CPU time that there was. */
static double all_s(const struct machine_reading *begin, const struct machine_reading *end)
{
    static const char *const keys[] = { "steal_s", "iowait_s", "idle_s", NULL };

    return used_s(begin, end) + whole_sum(begin, end, keys);
}

static double server_s(const struct machine_reading *begin, const struct machine_reading *end)
{
    int64_t before = processes_cpu_ns(&begin->server), after = processes_cpu_ns(&end->server);

    if (begin->server.count == 0 || end->server.count == 0 || after < before)
        return NAN;
    return clock_seconds(after - before);
}

/* Growth of one count over all devices. */
static double device_sum(const struct device_counts *begin, const struct device_counts *end,
                         int count, size_t offset)
{
    double sum = count > 0 ? 0 : NAN;

    for (int i = 0; i < count; i++) {
        int64_t before, after;
        memcpy(&before, (const char *)&begin[i] + offset, sizeof before);
        memcpy(&after, (const char *)&end[i] + offset, sizeof after);
        sum += before < 0 || after < before ? NAN : (double)(after - before);
    }
    return sum;
}

struct traffic {
    double reads, read_kb, written_kb, flushes;
};

static struct traffic traffic(const struct machine *machine, const struct machine_reading *begin,
                              const struct machine_reading *end)
{
    const struct devices *devices = &machine->devices;

    return (struct traffic){
        device_sum(begin->rows, end->rows, devices->count, offsetof(struct device_counts, reads)),
        device_sum(begin->rows, end->rows, devices->count,
                   offsetof(struct device_counts, read_bytes)) /
            1024,
        device_sum(begin->rows, end->rows, devices->count,
                   offsetof(struct device_counts, written_bytes)) /
            1024,
        device_sum(begin->disks, end->disks, devices->disk_count,
                   offsetof(struct device_counts, flushes)),
    };
}

/* ---- the parts ---- */

static bool is_whole(const struct kernel_row *row)
{
    return row->scale == 1;
}

static json_t *section_json(const struct machine_reading *begin, const struct machine_reading *end,
                            const char *section)
{
    json_t *json = json_object();
    bool some = false;

    for (int i = 0; kernel_rows[i].key != NULL; i++) {
        double value = row_value(begin, end, i);
        if (strcmp(kernel_rows[i].section, section) != 0)
            continue;
        some = some || isfinite(value);
        json_object_set_new(json, kernel_rows[i].key,
                            isfinite(value) && is_whole(&kernel_rows[i])
                                ? json_integer((int64_t)value)
                                : number(value));
    }
    if (some)
        return json;
    json_decref(json);
    return json_null();
}

static json_t *whole_json(const struct machine_reading *begin, const struct machine_reading *end)
{
    json_t *json = json_object(), *rows = section_json(begin, end, "whole");

    json_object_set_new(json, "cpus", end->cpus > 0 ? json_integer(end->cpus) : json_null());
    json_object_set_new(json, "cpu_s", number(used_s(begin, end)));
    json_object_set_new(json, "busy", number(used_s(begin, end) / all_s(begin, end)));
    if (json_is_object(rows))
        json_object_update(json, rows);
    json_decref(rows);
    return json;
}

static json_t *server_json(const struct machine_reading *begin, const struct machine_reading *end)
{
    int64_t delay_ns = processes_delay_ns(&begin->server, &end->server);
    double cpu_s = server_s(begin, end);

    if (!isfinite(cpu_s))
        return json_null();
    return json_pack("{s:f, s:f, s:i, s:o}", "cpu_s", cpu_s, "cpus",
                     cpu_s / clock_seconds(end->at_ns - begin->at_ns), "processes",
                     end->server.count, "run_delay_s",
                     delay_ns >= 0 ? json_real(clock_seconds(delay_ns)) : json_null());
}

static json_t *devices_json(const struct machine *machine, const struct machine_reading *begin,
                            const struct machine_reading *end)
{
    json_t *json;

    if (machine->devices.count == 0)
        return json_null();
    json = json_array();
    for (int i = 0; i < machine->devices.count; i++)
        json_array_append_new(
            json, devices_row_json(&machine->devices, i, &begin->rows[i], &end->rows[i]));
    return json;
}

/* Without a server here the whole machine is the client's, and says nothing of a query. */
static json_t *per_query_json(const struct machine *machine, const struct machine_reading *begin,
                              const struct machine_reading *end, double queries)
{
    struct traffic moved = traffic(machine, begin, end);
    double here = machine->postmaster > 0 ? 1 : NAN;
    json_t *json = json_object();

    queries = queries > 0 ? queries : NAN;
    json_object_set_new(json, "server_cpu_us", number(1e6 * server_s(begin, end) / queries));
    json_object_set_new(json, "client_cpu_us",
                        number(1e6 * clock_seconds(end->client_ns - begin->client_ns) / queries));
    json_object_set_new(json, "machine_cpu_us", number(1e6 * here * used_s(begin, end) / queries));
    json_object_set_new(json, "context_switches",
                        number(here * value_of(begin, end, "whole", "context_switches") / queries));
    json_object_set_new(json, "reads", number(moved.reads / queries));
    json_object_set_new(json, "read_kb", number(moved.read_kb / queries));
    json_object_set_new(json, "written_kb", number(moved.written_kb / queries));
    json_object_set_new(json, "flushes", number(moved.flushes / queries));
    return json;
}

/* As they are known from published reports: shares of the whole machine in percent, and rates a
 * second, each divided by the queries a second (spec sysbench 3.5). */
static json_t *published_json(const struct machine *machine, const struct machine_reading *begin,
                              const struct machine_reading *end,
                              const struct machine_window *window)
{
    struct traffic moved = traffic(machine, begin, end);
    double here = machine->postmaster > 0 ? 1 : NAN;
    double queries = window->queries > 0 ? (double)window->queries : NAN;
    double per_s = queries / clock_seconds(window->end_ns - window->begin_ns);
    json_t *json = json_object();

    json_object_set_new(json, "cpu/o",
                        number(here * 100 * used_s(begin, end) / all_s(begin, end) / per_s));
    json_object_set_new(json, "cs/o",
                        number(here * value_of(begin, end, "whole", "context_switches") / queries));
    json_object_set_new(json, "r/o", number(moved.reads / queries));
    json_object_set_new(json, "rKB/o", number(moved.read_kb / queries));
    json_object_set_new(json, "wKB/o", number(moved.written_kb / queries));
    json_object_set_new(json, "o/s", number(per_s));
    return json;
}

static json_t *text_or_null(const char *text)
{
    return text[0] != '\0' ? json_string(text) : json_null();
}

json_t *machine_json(const struct machine *machine, const struct machine_reading *begin,
                     const struct machine_reading *end, const struct machine_window *window)
{
    json_t *json, *client;

    if (begin->at_ns == 0 || end->at_ns <= begin->at_ns)
        return json_null();
    client = json_pack("{s:f}", "cpu_s", clock_seconds(end->client_ns - begin->client_ns));
    json = json_pack("{s:s, s:o, s:o, s:f, s:f, s:f}", "host", machine->hostname, "roles",
                     machine->postmaster > 0 ? json_pack("[s, s]", "client", "server")
                                             : json_pack("[s]", "client"),
                     "why", text_or_null(machine->why), "seconds",
                     clock_seconds(end->at_ns - begin->at_ns), "begin_off_s",
                     clock_seconds(begin->at_ns - window->begin_ns), "end_off_s",
                     clock_seconds(end->at_ns - window->end_ns));
    json_object_set_new(json, "client", client);
    json_object_set_new(json, "server", server_json(begin, end));
    json_object_set_new(json, "whole", whole_json(begin, end));
    json_object_set_new(json, "devices", devices_json(machine, begin, end));
    json_object_set_new(json, "devices_why", text_or_null(machine->devices.why));
    json_object_set_new(json, "memory", section_json(begin, end, "memory"));
    json_object_set_new(json, "pressure", section_json(begin, end, "pressure"));
    json_object_set_new(json, "network", section_json(begin, end, "network"));
    json_object_set_new(json, "cgroup", section_json(begin, end, "cgroup"));
    json_object_set_new(json, "per_query",
                        per_query_json(machine, begin, end, (double)window->queries));
    json_object_set_new(json, "published", published_json(machine, begin, end, window));
    return json;
}

json_t *machine_second_json(const struct machine *machine, const struct machine_reading *begin,
                            const struct machine_reading *end)
{
    double span_s = clock_seconds(end->at_ns - begin->at_ns);
    struct traffic moved = traffic(machine, begin, end);
    json_t *json = json_object();

    json_object_set_new(json, "server_cpus", number(server_s(begin, end) / span_s));
    json_object_set_new(json, "client_cpus",
                        number(clock_seconds(end->client_ns - begin->client_ns) / span_s));
    json_object_set_new(json, "busy", number(used_s(begin, end) / all_s(begin, end)));
    json_object_set_new(json, "iowait",
                        number(value_of(begin, end, "whole", "iowait_s") / all_s(begin, end)));
    json_object_set_new(json, "steal",
                        number(value_of(begin, end, "whole", "steal_s") / all_s(begin, end)));
    json_object_set_new(json, "context_switches_per_s",
                        number(value_of(begin, end, "whole", "context_switches") / span_s));
    json_object_set_new(json, "reads_per_s", number(moved.reads / span_s));
    json_object_set_new(json, "read_kb_per_s", number(moved.read_kb / span_s));
    json_object_set_new(json, "written_kb_per_s", number(moved.written_kb / span_s));
    json_object_set_new(json, "flushes_per_s", number(moved.flushes / span_s));
    json_object_set_new(json, "dirty_bytes", number(value_of(begin, end, "memory", "dirty_bytes")));
    json_object_set_new(json, "io_pressure",
                        number(value_of(begin, end, "pressure", "io_some_s") / span_s));
    return json;
}
