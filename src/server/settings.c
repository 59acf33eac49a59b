/*
 * settings.c - settings that suit a server under a benchmark, each with its reason.
 *
 * PostgreSQL's own defaults are for a machine of 2005. These use the memory there is, keep
 * checkpoints on the clock instead of on a small WAL, and make waits visible. What decides whether
 * committed means kept (fsync, full_page_writes, synchronous_commit, wal_level, checksums) and
 * autovacuum stay as PostgreSQL has them: a number got by switching those off is no number.
 */
#include "server/settings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

#define MIB                (INT64_C(1) << 20)
#define GIB                (INT64_C(1) << 30)
#define CONNECTIONS        1000
#define SESSIONS_AT_WORK   64 /* among which memory for sorting is shared out */
#define SORTS_OF_A_QUERY   3
#define WORKERS_BY_DEFAULT 8

static int64_t within(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void set_bytes(struct settings *settings, const char *name, int64_t bytes, const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%" PRId64 "MB", bytes / MIB);
    settings_set(settings, name, value, why);
}

static void choose_memory(const struct limits *limits, struct settings *out)
{
    int64_t memory = limits->memory_bytes;
    int64_t buffers = within(memory / 4, 16 * MIB, 1024 * GIB);
    char why[160], amount[64];

    snprintf(amount, sizeof amount, "%" PRId64 " MB of memory (%s)", memory / MIB,
             limits->cgroup ? "control group" : "host");
    snprintf(why, sizeof why, "a quarter of %s", amount);
    set_bytes(out, "shared_buffers", buffers, why);
    snprintf(why, sizeof why, "three quarters of %s: what caches can hold, for the planner",
             amount);
    set_bytes(out, "effective_cache_size", within(memory / 4 * 3, 16 * MIB, 4096 * GIB), why);
    snprintf(why, sizeof why, "a sixteenth of %s, at most 2 GB: index builds and vacuum", amount);
    set_bytes(out, "maintenance_work_mem", within(memory / 16, 16 * MIB, 2 * GIB - MIB), why);
    snprintf(why, sizeof why, "what buffers leave, shared by %d sessions with %d sorts each",
             SESSIONS_AT_WORK, SORTS_OF_A_QUERY);
    set_bytes(out, "work_mem",
              within((memory - buffers) / (SESSIONS_AT_WORK * SORTS_OF_A_QUERY), 4 * MIB, 64 * MIB),
              why);
}

static void choose_wal(int major, int64_t disk_bytes, struct settings *out)
{
    int64_t wal = within(disk_bytes / 20, GIB, 8 * GIB);

    set_bytes(out, "max_wal_size", wal,
              "a twentieth of the disk, 1 to 8 GB: the clock, not the WAL, starts checkpoints");
    set_bytes(out, "min_wal_size", wal / 4, "WAL files are reused rather than made anew");
    settings_set(out, "checkpoint_timeout", "15min",
                 "fewer full page images; two checkpoints still fit into half an hour");
    settings_set(out, "checkpoint_completion_target", "0.9",
                 "checkpoints are spread out, in all majors alike; the default since 14");
    if (major < 15)
        settings_set(out, "log_checkpoints", "on", "checkpoints can be told, default since 15");
}

/* Reading the clock costs 20 ns with these, and a system call with the others. */
static bool clock_is_cheap(void)
{
    static const char *const cheap[] = { "tsc", "kvm-clock", "arch_sys_counter",
                                         "hyperv_clocksource" };
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    char name[64] = "";

    if (file == NULL)
        return false;
    if (fgets(name, sizeof name, file) == NULL)
        name[0] = '\0';
    fclose(file);
    for (int i = 0; i < COUNT_OF(cheap); i++)
        if (strncmp(name, cheap[i], strlen(cheap[i])) == 0)
            return true;
    return false;
}

void settings_choose(int major, const struct limits *limits, int64_t disk_bytes,
                     struct settings *out)
{
    char value[32];

    out->count = 0;
    snprintf(value, sizeof value, "%d", CONNECTIONS);
    settings_set(out, "max_connections", value, "many sessions are what a benchmark is about");
    choose_memory(limits, out);
    choose_wal(major, disk_bytes, out);
    settings_set(out, "random_page_cost", "1.1", "the disk is no spinning one, or all is cached");
    settings_set(out, "jit", "off", "compiling takes longer than short statements do");
    if (limits->cpus > WORKERS_BY_DEFAULT) {
        snprintf(value, sizeof value, "%d", limits->cpus);
        settings_set(out, "max_worker_processes", value, "one a processor");
        settings_set(out, "max_parallel_workers", value, "one a processor");
    }
    if (clock_is_cheap())
        settings_set(out, "track_io_timing", "on",
                     "waits for the disk are seen; the clock is cheap");
}

void settings_set(struct settings *settings, const char *name, const char *value, const char *why)
{
    struct server_setting *row = settings->rows;

    while (row < settings->rows + settings->count && strcmp(row->name, name) != 0)
        row++;
    if (row == settings->rows + settings->count) {
        assert(settings->count < SETTINGS_MAX);
        settings->count++;
    }
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->value, sizeof row->value, "%s", value);
    snprintf(row->why, sizeof row->why, "%s", why);
}

void settings_merge(struct settings *base, const struct settings *over)
{
    for (int i = 0; i < over->count; i++)
        settings_set(base, over->rows[i].name, over->rows[i].value, over->rows[i].why);
}

void settings_render(const struct settings *settings, struct text *out)
{
    for (int i = 0; i < settings->count; i++) {
        const struct server_setting *row = &settings->rows[i];

        text_format(out, "%s = '", row->name);
        for (const char *at = row->value; *at != '\0'; at++) {
            if (*at == '\'' || *at == '\\')
                text_add_char(out, *at);
            text_add_char(out, *at);
        }
        text_add(out, "'  # ");
        text_add_safe(out, row->why); /* a file's name is in it, which may hold anything */
        text_add_char(out, '\n');
    }
}
