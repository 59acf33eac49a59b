/*
 * kernel.h - what the kernel counts about the whole machine, a row a figure. A new figure is a new
 * row of kernel_rows. Texts in, numbers out; only kernel_read() touches files. Private to the room.
 */
#ifndef COLLECT_KERNEL_H
#define COLLECT_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_ROWS_MAX 64
#define KERNEL_UNKNOWN  INT64_C(-1)

enum kernel_file {
    KERNEL_STAT,
    KERNEL_VMSTAT,
    KERNEL_MEMINFO,
    KERNEL_PRESSURE_CPU,
    KERNEL_PRESSURE_MEMORY,
    KERNEL_PRESSURE_IO,
    KERNEL_SNMP,
    KERNEL_NETSTAT,
    /* In the folder of a control group, version 2. */
    KERNEL_CGROUP_CPU,
    KERNEL_CGROUP_CPU_MAX,
    KERNEL_CGROUP_MEMORY,
    KERNEL_CGROUP_MEMORY_MAX,
    KERNEL_CGROUP_MEMORY_EVENTS,
    KERNEL_FILES
};

/* How a number is found in a file's text. */
enum kernel_form {
    KERNEL_WORD,     /* "word number", the sum when several words begin so and `word` ends with * */
    KERNEL_CPU,      /* the column of the line "cpu" that `word` names, in ns */
    KERNEL_KB,       /* "word: number kB", in bytes */
    KERNEL_PRESSURE, /* the total of the line that begins with `word`, in us */
    KERNEL_COLUMN,   /* "Tcp RetransSegs": the number under that head, of a pair of lines */
    KERNEL_LIMIT,    /* a number alone, or "max" */
    KERNEL_CPU_LIMIT /* "200000 100000" or "max 100000", in thousandths of a CPU */
};

struct kernel_row {
    const char *section, *key; /* where it stands in `machine`; NULL ends the table */
    enum kernel_file file;
    enum kernel_form form;
    const char *word;
    double scale; /* from the kernel's unit to the key's */
    bool gauge;   /* an amount, told as it was at the end; else a count, told as its growth */
};

extern const struct kernel_row kernel_rows[];
int kernel_row_count(void);

/* KERNEL_UNKNOWN when the text does not tell, PROC_UNLIMITED for no limit. Pure. */
int64_t kernel_find(const char *text, enum kernel_form form, const char *word);

/* Lines "cpuN" of /proc/stat. Pure. */
int kernel_cpus(const char *stat_text);

/* All rows at this moment. `cgroup`: the group's folder, or NULL. `cpus` may be NULL. */
void kernel_read(const char *cgroup, int64_t values[KERNEL_ROWS_MAX], int *cpus);

/* The folder of a process' control group of version 2, owned; NULL when it has none. */
char *kernel_cgroup_folder(int pid);

/* What one line of /proc/PID/stat tells. Pure; false when it is not well formed. */
struct kernel_process {
    int parent, threads;
    int64_t cpu_ticks, children_ticks; /* the latter of children that were waited for */
    int64_t start_ticks;               /* since the machine was started */
};
bool kernel_process(const char *text, struct kernel_process *process);

#endif
