/*
 * proc.h - reads what the kernel writes. Pure: text in, numbers out, so that the odd forms of odd
 * kernels are tests. Whatever is not well formed gives -1 or false, never a guess. Private to the
 * room.
 */
#ifndef COLLECT_PROC_H
#define COLLECT_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_FILE_MAX  (64 * 1024) /* what is read of a file at most */
#define PROC_UNLIMITED INT64_C(-2)

/* "MemTotal:  8052420 kB" of /proc/meminfo in bytes; -1. */
int64_t proc_meminfo_bytes(const char *text, const char *key);

/* The value of the first line "key : value" of /proc/cpuinfo, cut to `size`; false when none. */
bool proc_cpuinfo(const char *text, const char *key, char *out, size_t size);
/* Is `flag` a word of the first "flags" line? */
bool proc_cpuinfo_flag(const char *text, const char *flag);

/* "run_ns delay_ns slices" of a schedstat file. */
bool proc_schedstat(const char *text, int64_t *run_ns, int64_t *delay_ns);

/* Resident pages: the second number of /proc/self/statm; -1. */
int64_t proc_statm_resident(const char *text);

/* The path of /proc/self/cgroup: of version 2 with an empty `controller`, of a version 1 controller
 * ("cpu", "memory") otherwise. */
bool proc_cgroup_path(const char *text, const char *controller, char *out, size_t size);

/* "200000 100000" of cpu.max in thousandths of a core: 2000. PROC_UNLIMITED for "max"; -1. */
int64_t proc_cgroup_cpu_max(const char *text);
/* A limit in bytes: PROC_UNLIMITED for "max" and for version 1's huge number; -1. */
int64_t proc_cgroup_memory(const char *text);

/* A whole number alone in a file. */
bool proc_whole(const char *text, int64_t *number);

/* Reads a file into `out`, NUL-ended and cut to `size`; false when it cannot be read. */
bool proc_read(const char *path, char *out, size_t size);

#endif
