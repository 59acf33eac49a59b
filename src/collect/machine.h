/*
 * machine.h - what the machine did between two instants: a reading of everything the kernel counts
 * at each, and their difference. Private to the room.
 */
#ifndef COLLECT_MACHINE_H
#define COLLECT_MACHINE_H

#include <jansson.h>
#include <stdint.h>

#include "collect/devices.h"
#include "collect/kernel.h"
#include "collect/processes.h"

/* What is to be looked at. */
struct machine {
    int postmaster; /* 0: the server is not here, or there is none */
    char *cgroup;   /* folder of the server's control group, else of ours; owned; NULL: none */
    struct devices devices;
    char why[DEVICES_WHY_MAX]; /* why there is nothing of the server's; "" when there is */
    char hostname[256];
};

struct machine_reading {
    int64_t at_ns;     /* 0: not read */
    int64_t client_ns; /* CPU of this process */
    int cpus;
    int64_t values[KERNEL_ROWS_MAX];
    struct processes server; /* none: not here, or gone */
    struct device_counts rows[DEVICES_MAX], disks[DEVICES_MAX];
};

/* `pid`: of a backend, 0 for none; `started_s`: when the server was started, since 1970;
 * `data_directory` may be NULL. `why`: why the server is not looked at, or NULL. */
void machine_open(struct machine *machine, int pid, double started_s, const char *data_directory,
                  const char *why);
void machine_close(struct machine *machine);

void machine_read(const struct machine *machine, struct machine_reading *reading);
void machine_reading_free(struct machine_reading *reading);

/* The window that the readings are about. */
struct machine_window {
    int64_t begin_ns, end_ns;
    int64_t queries;
};

/* `machine` of result.json, see docs/result.md. Pure; owned. */
json_t *machine_json(const struct machine *machine, const struct machine_reading *begin,
                     const struct machine_reading *end, const struct machine_window *window);

/* The same in short, for a line of the series: rates over the time between. Pure; owned. */
json_t *machine_second_json(const struct machine *machine, const struct machine_reading *begin,
                            const struct machine_reading *end);

#endif
