/*
 * devices.h - the block devices under the server's data and WAL, and what went through them.
 * Private to the room.
 *
 * A file system lies on a device, perhaps a partition or a volume made of others. Reads and writes
 * are counted there; flushes only by the disks at the bottom, so they are taken from those.
 */
#ifndef COLLECT_DEVICES_H
#define COLLECT_DEVICES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICES_MAX     16
#define DEVICE_NAME_MAX 64
#define DEVICES_WHY_MAX 160
#define DEVICES_LEVELS  6 /* of volumes upon volumes */

struct device_id {
    unsigned major, minor;
};

struct device_counts {
    int64_t reads, read_bytes, read_ms;
    int64_t writes, written_bytes, write_ms;
    int64_t busy_ms, queue_ms; /* the latter: of all requests together */
    int64_t flushes, flush_ms; /* -1: this kernel does not count them (before 5.5) */
};

struct device {
    struct device_id id;
    char name[DEVICE_NAME_MAX];
    bool data, wal, tablespace; /* what of the server lies on it */
    struct device_id disks[DEVICES_MAX];
    int disk_count;
};

struct devices {
    struct device row[DEVICES_MAX];
    int count;
    struct device_id disks[DEVICES_MAX]; /* all that are under them, each once */
    int disk_count;
    char why[DEVICES_WHY_MAX]; /* what is missing; "" when nothing is */
};

/* Looks under the data directory, as the postmaster sees it or else by its path (may be NULL). */
void devices_find(struct devices *devices, int postmaster, const char *data_directory);

/* All counts now: one for each row, then one for each disk. Those not found are all -1. */
void devices_read(const struct devices *devices, struct device_counts *rows,
                  struct device_counts *disks);

/* The growth of a row, flushes from its disks: {"name", "for": [..], "reads", ...}. Owned. */
json_t *devices_row_json(const struct devices *devices, int row, const struct device_counts *begin,
                         const struct device_counts *end);

/* ---- texts, pure ---- */

/* The row of /proc/diskstats; all -1 and false when there is none. */
bool device_counts(const char *diskstats, struct device_id id, struct device_counts *counts,
                   char *name, size_t name_size);
/* What is mounted as `id` in a mountinfo: type and source. */
bool device_mounted(const char *mountinfo, struct device_id id, char *type, char *source,
                    size_t size);

#endif
