/*
 * processes.c - see processes.h.
 */
#include "collect/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/kernel.h"
#include "collect/proc.h"

#define SMALL_FILE      1024
#define PATH_ROOM       320
#define SAME_START_S    10.0 /* the postmaster notes its start when it has begun */
#define STEADY_TRIES    3
#define CHILDREN_AT_ONE 16 /* bytes of a pid in a list of children, at most */

static int64_t ticks_ns(int64_t ticks)
{
    return ticks * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

static bool read_process(int pid, struct kernel_process *process)
{
    char path[PATH_ROOM], text[SMALL_FILE];

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    return proc_read(path, text, sizeof text) && kernel_process(text, process);
}

static bool add_schedstat(const char *path, struct process *row)
{
    char text[SMALL_FILE];
    int64_t run_ns, delay_ns;

    if (!proc_read(path, text, sizeof text) || !proc_schedstat(text, &run_ns, &delay_ns))
        return false;
    row->run_ns += run_ns;
    row->delay_ns += delay_ns;
    return true;
}

/* The file of the process itself tells of its first thread alone. */
static bool add_threads(int pid, struct process *row)
{
    char path[PATH_ROOM];
    bool some = false;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    folder = opendir(path);
    if (folder == NULL)
        return false;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
        some = add_schedstat(path, row) || some;
    }
    closedir(folder);
    return some;
}

static bool read_row(int pid, struct process *row)
{
    struct kernel_process process;
    char path[PATH_ROOM];
    bool told;

    *row = (struct process){ .pid = pid };
    if (!read_process(pid, &process))
        return false;
    row->ended_ns = ticks_ns(process.children_ticks);
    snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
    told = process.threads > 1 ? add_threads(pid, row) : add_schedstat(path, row);
    if (!told || row->run_ns == 0) {
        /* A kernel without these files: what it counts by its ticks. */
        row->run_ns = ticks_ns(process.cpu_ticks);
        row->delay_ns = told ? row->delay_ns : -1;
    }
    return true;
}

static void add_pid(struct processes *processes, int pid)
{
    /* A postmaster that is a container's first process gets strangers: us, for one. */
    if (processes->count == PROCESSES_MAX || pid == getpid())
        return;
    if (processes->count == processes->room) {
        processes->room = processes->room == 0 ? 128 : 2 * processes->room;
        processes->row =
            memory_resize(processes->row, (size_t)processes->room * sizeof *processes->row);
    }
    processes->row[processes->count++] = (struct process){ .pid = pid };
}

/* From the kernel's list of a process' children. False: this kernel has none. */
static bool add_children(struct processes *processes, int pid)
{
    char path[PATH_ROOM], small[SMALL_FILE];
    char *text = small, *at, *end;
    bool read;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    read = proc_read(path, small, sizeof small);
    if (read && strlen(small) == sizeof small - 1) {
        text = memory_make(PROCESSES_MAX, CHILDREN_AT_ONE);
        read = proc_read(path, text, (size_t)PROCESSES_MAX * CHILDREN_AT_ONE);
    }
    for (at = text; read; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        add_pid(processes, (int)child);
    }
    if (text != small)
        memory_free(text);
    return read;
}

/* Without that list: everybody is asked who the parent is, until nobody is added. */
static void add_by_parent(struct processes *processes, int root)
{
    struct processes all = { 0 };
    int *parents, before;
    DIR *folder = opendir("/proc");

    if (folder == NULL)
        return;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (isdigit((unsigned char)entry->d_name[0]))
            add_pid(&all, (int)strtol(entry->d_name, NULL, 10));
    closedir(folder);
    parents = MEMORY_ARRAY(int, all.count + 1);
    for (int i = 0; i < all.count; i++) {
        struct kernel_process process;
        parents[i] = read_process(all.row[i].pid, &process) ? process.parent : -1;
    }
    add_pid(processes, root);
    do {
        before = processes->count;
        for (int i = 0; i < all.count; i++)
            for (int j = 0; j < before && parents[i] >= 0; j++)
                if (parents[i] == processes->row[j].pid) {
                    add_pid(processes, all.row[i].pid);
                    parents[i] = -1;
                }
    } while (processes->count > before);
    memory_free(parents);
    processes_free(&all);
}

static int by_pid(const void *a, const void *b)
{
    const struct process *one = a, *other = b;

    return (one->pid > other->pid) - (one->pid < other->pid);
}

static void find_all(struct processes *processes, int root)
{
    bool listed = true;

    processes->count = 0;
    add_pid(processes, root);
    for (int i = 0; i < processes->count && listed; i++)
        listed = add_children(processes, processes->row[i].pid) || i > 0;
    if (!listed) {
        processes->count = 0;
        add_by_parent(processes, root);
    }
}

static void read_all(struct processes *processes, int root)
{
    int kept = 0;

    find_all(processes, root);
    for (int i = 0; i < processes->count; i++)
        if (read_row(processes->row[i].pid, &processes->row[kept]))
            kept++;
    processes->count = kept;
    qsort(processes->row, (size_t)processes->count, sizeof *processes->row, by_pid);
}

bool processes_read(struct processes *processes, int root)
{
    struct kernel_process before, after;

    /* A child that ends meanwhile would be counted twice, or not at all. */
    for (int i = 0; i < STEADY_TRIES; i++) {
        if (!read_process(root, &before))
            return false;
        read_all(processes, root);
        if (!read_process(root, &after))
            return false;
        if (after.children_ticks == before.children_ticks)
            break;
    }
    return processes->count > 0;
}

void processes_free(struct processes *processes)
{
    memory_free(processes->row);
    *processes = (struct processes){ 0 };
}

int64_t processes_cpu_ns(const struct processes *processes)
{
    int64_t sum = 0;

    for (int i = 0; i < processes->count; i++)
        sum += processes->row[i].run_ns + processes->row[i].ended_ns;
    return sum;
}

int64_t processes_delay_ns(const struct processes *begin, const struct processes *end)
{
    int64_t sum = -1;

    for (int i = 0; i < end->count; i++) {
        const struct process *before = begin->count > 0
                                           ? bsearch(&end->row[i], begin->row, (size_t)begin->count,
                                                     sizeof *begin->row, by_pid)
                                           : NULL;
        if (before == NULL || before->delay_ns < 0 || end->row[i].delay_ns < before->delay_ns)
            continue;
        sum = (sum < 0 ? 0 : sum) + end->row[i].delay_ns - before->delay_ns;
    }
    return sum;
}

int processes_postmaster(int pid, double started_s)
{
    struct kernel_process backend, parent;
    double off_s;

    if (pid <= 0 || !read_process(pid, &backend) || backend.parent <= 0 ||
        !read_process(backend.parent, &parent))
        return 0;
    off_s = (double)(clock_wall_ns() - clock_boot_ns() + ticks_ns(parent.start_ticks)) /
                (double)NS_PER_S -
            started_s;
    return fabs(off_s) <= SAME_START_S ? backend.parent : 0;
}
