/*
 * limits.h - how much of the machine a server may use: the smaller of what the host has and what
 * the control groups (version 1 or 2) of this process allow.
 */
#ifndef SERVER_LIMITS_H
#define SERVER_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct limits {
    int64_t memory_bytes;
    bool cgroup; /* a control group is what limits the memory */
    int cpus;
};

/* `root` is put before /proc and /sys, for tests; "" means the machine. Never fails: what cannot be
 * read does not limit, and no memory figure at all counts as 1 GiB. */
void limits_read(const char *root, struct limits *out);

#endif
