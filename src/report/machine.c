/*
 * machine.c - what a query took of the machine, and how busy that was.
 */
#include <math.h>
#include <string.h>

#include "report/sections.h"

static double number_of(const json_t *json, const char *key)
{
    const json_t *value = dig(json, key, NULL);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "LABEL 12.3UNIT" after a comma; nothing when it is not known. */
static void add_part(struct text *line, const char *label, double value, const char *unit)
{
    double size = fabs(value);

    if (!isfinite(value))
        return;
    text_format(line, "%s%s%s", line->length > 0 ? ", " : "", label, *label != '\0' ? " " : "");
    add_real(line, value, size >= 100 || size == 0 ? 0 : size >= 1 ? 1 : size >= 0.01 ? 3 : 5);
    text_add(line, unit);
}

static void tell_query_cpu(const struct page *page, const json_t *query)
{
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_part(&line, "server", number_of(query, "server_cpu_us"), " us");
    add_part(&line, "client", number_of(query, "client_cpu_us"), " us");
    add_part(&line, "whole machine", number_of(query, "machine_cpu_us"), " us");
    add_part(&line, "", number_of(query, "context_switches"), " context switches");
    if (line.length > 0)
        page_line(page, "CPU a query", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void tell_query_io(const struct page *page, const json_t *query)
{
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_part(&line, "", number_of(query, "reads"), " reads");
    add_part(&line, "", number_of(query, "read_kb"), " KB read");
    add_part(&line, "", number_of(query, "written_kb"), " KB written");
    add_part(&line, "", number_of(query, "flushes"), " flushes");
    if (line.length > 0)
        page_line(page, "I/O a query", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void tell_whole(const struct page *page, const json_t *machine)
{
    const json_t *whole = dig(machine, "whole", NULL);
    double cpus_s = number_of(whole, "cpu_s") / number_of(whole, "busy");
    struct text line;

    if (!isfinite(number_of(whole, "busy")))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_json_whole(&line, dig(whole, "cpus", NULL));
    text_format(&line, " CPU%s, ", dig_whole(whole, "cpus") == 1 ? "" : "s");
    add_real(&line, 100 * number_of(whole, "busy"), 0);
    text_add(&line, " % busy");
    if (number_of(whole, "iowait_s") / cpus_s >= 0.005)
        add_part(&line, "waiting for I/O", 100 * number_of(whole, "iowait_s") / cpus_s, " %");
    if (number_of(whole, "steal_s") / cpus_s >= 0.005)
        add_part(&line, "taken by the host", 100 * number_of(whole, "steal_s") / cpus_s, " %");
    if (number_of(dig(machine, "cgroup", NULL), "throttled_s") > 0)
        add_part(&line, "throttled for", number_of(dig(machine, "cgroup", NULL), "throttled_s"),
                 " s");
    page_line(page, "machine", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void tell_devices(const struct page *page, const json_t *machine)
{
    const json_t *devices = dig(machine, "devices", NULL);
    double seconds = number_of(machine, "seconds");
    struct text line, part;
    size_t index;
    json_t *device;

    text_init(&line, PAGE_TEXT_MAX);
    text_init(&part, PAGE_TEXT_MAX);
    json_array_foreach(devices, index, device)
    {
        text_clear(&line);
        text_clear(&part);
        add_json_text(&line, dig(device, "name", NULL), "?");
        text_add(&line, ": ");
        add_part(&part, "", number_of(device, "reads") / seconds, " reads/s");
        add_part(&part, "", number_of(device, "read_bytes") / 1e6 / seconds, " MB/s read");
        add_part(&part, "", number_of(device, "writes") / seconds, " writes/s");
        add_part(&part, "", number_of(device, "written_bytes") / 1e6 / seconds, " MB/s written");
        add_part(&part, "", number_of(device, "flushes") / seconds, " flushes/s");
        text_add(&line, part.bytes);
        page_line(page, index == 0 ? "devices" : "", TONE_PLAIN, line.bytes);
    }
    text_close(&part);
    text_close(&line);
}

void tell_machine(const struct page *page, const json_t *result)
{
    const json_t *machine = dig(result, "machine", NULL), *query = dig(machine, "per_query", NULL);

    if (!json_is_object(machine) || !json_is_object(dig(result, "target", NULL)))
        return;
    page_heading(page, "machine, over the measured time");
    tell_query_cpu(page, query);
    tell_query_io(page, query);
    tell_whole(page, machine);
    tell_devices(page, machine);
    if (!json_is_object(dig(machine, "server", NULL))) {
        struct text line;
        text_init(&line, PAGE_TEXT_MAX);
        text_add(&line, "no figures of the server's machine: ");
        add_json_text(&line, dig(machine, "why", NULL), "its processes were lost");
        page_line(page, "server", TONE_PLAIN, line.bytes);
        text_close(&line);
    }
}
