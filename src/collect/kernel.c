/*
 * kernel.c - see kernel.h.
 */
#include "collect/kernel.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/proc.h"

#define TEXT_MAX    (1024 * 1024) /* interrupts of a large machine take long lines */
#define PATH_ROOM   4096
#define CGROUP_ROOT "/sys/fs/cgroup"

#define CPU_ROW(key, word)                                       \
    {                                                            \
        "whole", key, KERNEL_STAT, KERNEL_CPU, word, 1e-9, false \
    }
#define PRESSURE_ROW(key, file, word)                             \
    {                                                             \
        "pressure", key, file, KERNEL_PRESSURE, word, 1e-6, false \
    }

const struct kernel_row kernel_rows[] = {
    CPU_ROW("user_s", "user"),
    CPU_ROW("nice_s", "nice"),
    CPU_ROW("system_s", "system"),
    CPU_ROW("irq_s", "irq"),
    CPU_ROW("softirq_s", "softirq"),
    CPU_ROW("steal_s", "steal"),
    CPU_ROW("iowait_s", "iowait"),
    CPU_ROW("idle_s", "idle"),
    { "whole", "context_switches", KERNEL_STAT, KERNEL_WORD, "ctxt", 1, false },
    { "whole", "forks", KERNEL_STAT, KERNEL_WORD, "processes", 1, false },
    { "whole", "runnable", KERNEL_STAT, KERNEL_WORD, "procs_running", 1, true },
    { "whole", "blocked", KERNEL_STAT, KERNEL_WORD, "procs_blocked", 1, true },

    { "memory", "page_faults", KERNEL_VMSTAT, KERNEL_WORD, "pgfault", 1, false },
    { "memory", "major_faults", KERNEL_VMSTAT, KERNEL_WORD, "pgmajfault", 1, false },
    { "memory", "swapped_in_pages", KERNEL_VMSTAT, KERNEL_WORD, "pswpin", 1, false },
    { "memory", "swapped_out_pages", KERNEL_VMSTAT, KERNEL_WORD, "pswpout", 1, false },
    { "memory", "direct_scanned_pages", KERNEL_VMSTAT, KERNEL_WORD, "pgscan_direct", 1, false },
    { "memory", "allocation_stalls", KERNEL_VMSTAT, KERNEL_WORD, "allocstall_*", 1, false },
    { "memory", "refaulted_file_pages", KERNEL_VMSTAT, KERNEL_WORD, "workingset_refault_file", 1,
      false },
    { "memory", "oom_kills", KERNEL_VMSTAT, KERNEL_WORD, "oom_kill", 1, false },
    { "memory", "total_bytes", KERNEL_MEMINFO, KERNEL_KB, "MemTotal", 1, true },
    { "memory", "available_bytes", KERNEL_MEMINFO, KERNEL_KB, "MemAvailable", 1, true },
    { "memory", "cached_bytes", KERNEL_MEMINFO, KERNEL_KB, "Cached", 1, true },
    { "memory", "dirty_bytes", KERNEL_MEMINFO, KERNEL_KB, "Dirty", 1, true },
    { "memory", "writeback_bytes", KERNEL_MEMINFO, KERNEL_KB, "Writeback", 1, true },
    { "memory", "shared_bytes", KERNEL_MEMINFO, KERNEL_KB, "Shmem", 1, true },
    { "memory", "anonymous_huge_bytes", KERNEL_MEMINFO, KERNEL_KB, "AnonHugePages", 1, true },
    { "memory", "swap_free_bytes", KERNEL_MEMINFO, KERNEL_KB, "SwapFree", 1, true },

    PRESSURE_ROW("cpu_some_s", KERNEL_PRESSURE_CPU, "some"),
    PRESSURE_ROW("memory_some_s", KERNEL_PRESSURE_MEMORY, "some"),
    PRESSURE_ROW("memory_full_s", KERNEL_PRESSURE_MEMORY, "full"),
    PRESSURE_ROW("io_some_s", KERNEL_PRESSURE_IO, "some"),
    PRESSURE_ROW("io_full_s", KERNEL_PRESSURE_IO, "full"),

    { "network", "segments_sent", KERNEL_SNMP, KERNEL_COLUMN, "Tcp OutSegs", 1, false },
    { "network", "segments_resent", KERNEL_SNMP, KERNEL_COLUMN, "Tcp RetransSegs", 1, false },
    { "network", "resets_sent", KERNEL_SNMP, KERNEL_COLUMN, "Tcp OutRsts", 1, false },
    { "network", "timeouts", KERNEL_NETSTAT, KERNEL_COLUMN, "TcpExt TCPTimeouts", 1, false },
    { "network", "listen_overflows", KERNEL_NETSTAT, KERNEL_COLUMN, "TcpExt ListenOverflows", 1,
      false },

    { "cgroup", "cpu_s", KERNEL_CGROUP_CPU, KERNEL_WORD, "usage_usec", 1e-6, false },
    { "cgroup", "periods", KERNEL_CGROUP_CPU, KERNEL_WORD, "nr_periods", 1, false },
    { "cgroup", "periods_throttled", KERNEL_CGROUP_CPU, KERNEL_WORD, "nr_throttled", 1, false },
    { "cgroup", "throttled_s", KERNEL_CGROUP_CPU, KERNEL_WORD, "throttled_usec", 1e-6, false },
    { "cgroup", "cpus", KERNEL_CGROUP_CPU_MAX, KERNEL_CPU_LIMIT, "", 1e-3, true },
    { "cgroup", "memory_bytes", KERNEL_CGROUP_MEMORY, KERNEL_LIMIT, "", 1, true },
    { "cgroup", "memory_max_bytes", KERNEL_CGROUP_MEMORY_MAX, KERNEL_LIMIT, "", 1, true },
    { "cgroup", "memory_max_hits", KERNEL_CGROUP_MEMORY_EVENTS, KERNEL_WORD, "max", 1, false },
    { "cgroup", "oom_kills", KERNEL_CGROUP_MEMORY_EVENTS, KERNEL_WORD, "oom_kill", 1, false },
    { NULL, NULL, KERNEL_STAT, KERNEL_WORD, NULL, 0, false },
};

static const char *const files[KERNEL_FILES] = {
    [KERNEL_STAT] = "/proc/stat",
    [KERNEL_VMSTAT] = "/proc/vmstat",
    [KERNEL_MEMINFO] = "/proc/meminfo",
    [KERNEL_PRESSURE_CPU] = "/proc/pressure/cpu",
    [KERNEL_PRESSURE_MEMORY] = "/proc/pressure/memory",
    [KERNEL_PRESSURE_IO] = "/proc/pressure/io",
    [KERNEL_SNMP] = "/proc/net/snmp",
    [KERNEL_NETSTAT] = "/proc/net/netstat",
    [KERNEL_CGROUP_CPU] = "cpu.stat",
    [KERNEL_CGROUP_CPU_MAX] = "cpu.max",
    [KERNEL_CGROUP_MEMORY] = "memory.current",
    [KERNEL_CGROUP_MEMORY_MAX] = "memory.max",
    [KERNEL_CGROUP_MEMORY_EVENTS] = "memory.events",
};

int kernel_row_count(void)
{
    int count = 0;

    while (kernel_rows[count].key != NULL)
        count++;
    assert(count <= KERNEL_ROWS_MAX);
    return count;
}

/* ---- texts ---- */

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');

    return end == NULL ? at + strlen(at) : end + 1;
}

/* A whole number that begins here, after blanks. */
static bool whole_at(const char *at, int64_t *number)
{
    char *end;
    long long value;

    while (*at == ' ')
        at++;
    if (!isdigit((unsigned char)*at))
        return false;
    value = strtoll(at, &end, 10);
    *number = value;
    return *end == ' ' || *end == '\n' || *end == '\0';
}

static int64_t find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    bool many = length > 0 && word[length - 1] == '*';
    int64_t sum = KERNEL_UNKNOWN, number;

    length -= many ? 1 : 0;
    for (const char *at = text; *at != '\0'; at = next_line(at)) {
        size_t whole = strcspn(at, " \n");
        if (strncmp(at, word, length) != 0 || (!many && whole != length) ||
            !whole_at(at + whole, &number))
            continue;
        sum = (sum < 0 ? 0 : sum) + number;
    }
    return sum;
}

static int64_t find_cpu(const char *text, const char *word)
{
    static const char *const columns[] = { "user",   "nice", "system",  "idle",
                                           "iowait", "irq",  "softirq", "steal" };
    int64_t number = 0;

    if (strncmp(text, "cpu ", 4) != 0)
        return KERNEL_UNKNOWN;
    text += 3;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        while (*text == ' ')
            text++;
        if (!whole_at(text, &number))
            return KERNEL_UNKNOWN;
        if (strcmp(columns[i], word) == 0)
            return number * (NS_PER_S / sysconf(_SC_CLK_TCK));
        text += strcspn(text, " \n");
    }
    return KERNEL_UNKNOWN;
}

static int64_t find_pressure(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = text; *at != '\0'; at = next_line(at)) {
        const char *total = strstr(at, "total=");
        int64_t number;
        if (strncmp(at, word, length) == 0 && at[length] == ' ' && total != NULL &&
            total < next_line(at) && whole_at(total + strlen("total="), &number))
            return number;
    }
    return KERNEL_UNKNOWN;
}

/* Heads stand in a line that begins as that of their numbers, one below the other. */
static int64_t find_column(const char *text, const char *word)
{
    size_t name = strcspn(word, " ");
    const char *head = text, *values, *wanted = word + name + 1;
    int64_t number;

    while (*head != '\0' && (strncmp(head, word, name) != 0 || head[name] != ':'))
        head = next_line(head);
    values = next_line(head);
    if (*head == '\0' || strncmp(values, word, name) != 0 || values[name] != ':')
        return KERNEL_UNKNOWN;
    head += name + 1;
    values += name + 1;
    while (*head == ' ' && *values == ' ') {
        size_t length = strcspn(++head, " \n");
        values++;
        if (length == strlen(wanted) && strncmp(head, wanted, length) == 0)
            return whole_at(values, &number) ? number : KERNEL_UNKNOWN;
        head += length;
        values += strcspn(values, " \n");
    }
    return KERNEL_UNKNOWN;
}

int64_t kernel_find(const char *text, enum kernel_form form, const char *word)
{
    switch (form) {
    case KERNEL_WORD:
        return find_word(text, word);
    case KERNEL_CPU:
        return find_cpu(text, word);
    case KERNEL_KB:
        return proc_meminfo_bytes(text, word);
    case KERNEL_PRESSURE:
        return find_pressure(text, word);
    case KERNEL_COLUMN:
        return find_column(text, word);
    case KERNEL_LIMIT:
        return proc_cgroup_memory(text);
    case KERNEL_CPU_LIMIT:
        return proc_cgroup_cpu_max(text);
    }
    return KERNEL_UNKNOWN;
}

int kernel_cpus(const char *stat_text)
{
    int count = 0;

    for (const char *at = stat_text; *at != '\0'; at = next_line(at))
        count += strncmp(at, "cpu", 3) == 0 && isdigit((unsigned char)at[3]);
    return count;
}

bool kernel_process(const char *text, struct kernel_process *process)
{
    /* Of the fields after the name, which may hold anything: 2 parent, 12 to 15 times of CPU, 18
     * threads, 20 start. */
    const char *at = strrchr(text, ')');
    int64_t fields[21] = { 0 };
    int count = 0;

    if (at == NULL || at[1] != ' ' || at[2] == '\0')
        return false;
    at += 3; /* the state is a letter */
    for (count = 2; count < 21; count++) {
        char *end;
        fields[count] = strtoll(at, &end, 10);
        if (end == at)
            return false;
        at = end;
    }
    process->parent = (int)fields[2];
    process->cpu_ticks = fields[12] + fields[13];
    process->children_ticks = fields[14] + fields[15];
    process->threads = (int)fields[18];
    process->start_ticks = fields[20];
    return true;
}

/* ---- files ---- */

static bool read_file(enum kernel_file file, const char *cgroup, char *text)
{
    char path[PATH_ROOM];

    if (file < KERNEL_CGROUP_CPU)
        return proc_read(files[file], text, TEXT_MAX);
    if (cgroup == NULL)
        return false;
    return (size_t)snprintf(path, sizeof path, "%s/%s", cgroup, files[file]) < sizeof path &&
           proc_read(path, text, TEXT_MAX);
}

void kernel_read(const char *cgroup, int64_t values[KERNEL_ROWS_MAX], int *cpus)
{
    char *text = memory_resize(NULL, TEXT_MAX); /* not touched where it is not filled */

    /* Rows of a file stand together, so that it is read once, and at one instant. */
    for (int i = 0, file = -1, read = 0; kernel_rows[i].key != NULL; i++) {
        const struct kernel_row *row = &kernel_rows[i];
        if ((int)row->file != file)
            read = read_file(row->file, cgroup, text);
        if ((int)row->file != file && row->file == KERNEL_STAT && cpus != NULL)
            *cpus = read ? kernel_cpus(text) : 0;
        file = (int)row->file;
        values[i] = read ? kernel_find(text, row->form, row->word) : KERNEL_UNKNOWN;
    }
    memory_free(text);
}

char *kernel_cgroup_folder(int pid)
{
    char *text = memory_make(1, PROC_FILE_MAX), *folder = NULL, path[PATH_ROOM], file[64];

    snprintf(file, sizeof file, "/proc/%d/cgroup", pid);
    if (proc_read(file, text, PROC_FILE_MAX) && proc_cgroup_path(text, "", path, sizeof path) &&
        access(CGROUP_ROOT "/cgroup.controllers", R_OK) == 0)
        folder = memory_format("%s%s", CGROUP_ROOT, path);
    memory_free(text);
    return folder;
}
