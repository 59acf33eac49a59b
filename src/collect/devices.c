/*
 * devices.c - see devices.h.
 */
#include "collect/devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"
#include "collect/proc.h"

#define SECTOR_BYTES 512
#define FIELDS_MAX   17
#define TEXT_MAX     (1024 * 1024)
#define WORD_ROOM    256

/* ---- texts ---- */

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');

    return end == NULL ? at + strlen(at) : end + 1;
}

bool device_counts(const char *diskstats, struct device_id id, struct device_counts *counts,
                   char *name, size_t name_size)
{
    *counts = (struct device_counts){ -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
    for (const char *at = diskstats; *at != '\0'; at = next_line(at)) {
        struct device_id found;
        char word[DEVICE_NAME_MAX];
        long long fields[FIELDS_MAX];
        int length = 0, count = 0;
        char *end;
        if (sscanf(at, " %u %u %63s%n", &found.major, &found.minor, word, &length) != 3 ||
            found.major != id.major || found.minor != id.minor)
            continue;
        for (const char *field = at + length; count < FIELDS_MAX && *field == ' '; field = end) {
            fields[count] = strtoll(field, &end, 10);
            if (end == field)
                break;
            count++;
        }
        if (count < 11)
            return false;
        *counts = (struct device_counts){
            .reads = fields[0],
            .read_bytes = fields[2] * SECTOR_BYTES,
            .read_ms = fields[3],
            .writes = fields[4],
            .written_bytes = fields[6] * SECTOR_BYTES,
            .write_ms = fields[7],
            .busy_ms = fields[9],
            .queue_ms = fields[10],
            .flushes = count == FIELDS_MAX ? fields[15] : -1,
            .flush_ms = count == FIELDS_MAX ? fields[16] : -1,
        };
        if (name != NULL)
            snprintf(name, name_size, "%s", word);
        return true;
    }
    return false;
}

bool device_mounted(const char *mountinfo, struct device_id id, char *type, char *source,
                    size_t size)
{
    for (const char *at = mountinfo; *at != '\0'; at = next_line(at)) {
        struct device_id found;
        char one[WORD_ROOM], other[WORD_ROOM];
        const char *dash = strstr(at, " - ");
        if (sscanf(at, "%*d %*d %u:%u ", &found.major, &found.minor) != 2 ||
            found.major != id.major || found.minor != id.minor || dash == NULL ||
            dash >= next_line(at) || sscanf(dash + 3, "%255s %255s", one, other) != 2)
            continue;
        snprintf(type, size, "%s", one);
        snprintf(source, size, "%s", other);
        return true;
    }
    return false;
}

/* ---- what lies under a path ---- */

static struct device_id id_of(dev_t device)
{
    return (struct device_id){ major(device), minor(device) };
}

static bool is_same(struct device_id one, struct device_id other)
{
    return one.major == other.major && one.minor == other.minor;
}

static void add_disk(struct device_id *disks, int *count, struct device_id disk)
{
    for (int i = 0; i < *count; i++)
        if (is_same(disks[i], disk))
            return;
    if (*count < DEVICES_MAX)
        disks[(*count)++] = disk;
}

static bool read_id(const char *path, struct device_id *id)
{
    char text[WORD_ROOM];

    return proc_read(path, text, sizeof text) && sscanf(text, "%u:%u", &id->major, &id->minor) == 2;
}

/* From a partition to its disk, from a volume to what it is made of. */
static void find_disks(struct device *device, struct device_id id, int levels)
{
    char path[PATH_MAX];
    struct device_id below;
    bool some = false;
    DIR *folder;

    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/partition", id.major, id.minor);
    if (levels > 0 && access(path, F_OK) == 0) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/../dev", id.major, id.minor);
        if (read_id(path, &below)) {
            find_disks(device, below, levels - 1);
            return;
        }
    }
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/slaves", id.major, id.minor);
    folder = levels > 0 ? opendir(path) : NULL;
    for (const struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        snprintf(path, sizeof path, "/sys/dev/block/%u:%u/slaves/%s/dev", id.major, id.minor,
                 entry->d_name);
        if (entry->d_name[0] != '.' && read_id(path, &below)) {
            find_disks(device, below, levels - 1);
            some = true;
        }
    }
    if (folder != NULL)
        closedir(folder);
    if (!some)
        add_disk(device->disks, &device->disk_count, id);
}

static struct device *add_device(struct devices *devices, struct device_id id)
{
    char *text = memory_make(1, TEXT_MAX);
    struct device_counts ignored;
    struct device *device = NULL;

    for (int i = 0; i < devices->count; i++)
        if (is_same(devices->row[i].id, id))
            device = &devices->row[i];
    if (device == NULL && devices->count < DEVICES_MAX &&
        proc_read("/proc/diskstats", text, TEXT_MAX) &&
        device_counts(text, id, &ignored, devices->row[devices->count].name, DEVICE_NAME_MAX)) {
        device = &devices->row[devices->count++];
        device->id = id;
        find_disks(device, id, DEVICES_LEVELS);
        for (int i = 0; i < device->disk_count; i++)
            add_disk(devices->disks, &devices->disk_count, device->disks[i]);
    }
    memory_free(text);
    return device;
}

/* A file system without a device of its own (btrfs) names the one that it was mounted from. */
static bool find_source(int postmaster, struct device_id *id, char *type)
{
    char path[64], source[WORD_ROOM], *text = memory_make(1, TEXT_MAX);
    struct stat file;
    bool found;

    snprintf(path, sizeof path, "/proc/%d/mountinfo", postmaster);
    found = ((postmaster > 0 && proc_read(path, text, TEXT_MAX)) ||
             proc_read("/proc/self/mountinfo", text, TEXT_MAX)) &&
            device_mounted(text, *id, type, source, WORD_ROOM);
    memory_free(text);
    if (!found || strncmp(source, "/dev/", 5) != 0 || stat(source, &file) != 0 ||
        !S_ISBLK(file.st_mode))
        return false;
    *id = id_of(file.st_rdev);
    return true;
}

/* The device under a path; NULL when it cannot be told, and then `why` says so. */
static struct device *find_under(struct devices *devices, int postmaster, const char *path,
                                 const char *what)
{
    char type[WORD_ROOM] = "an unknown file system";
    struct device *device = NULL;
    struct device_id id;
    struct stat file;

    if (stat(path, &file) != 0) {
        snprintf(devices->why, sizeof devices->why, "the %s cannot be looked at: %s", what,
                 strerror(errno));
        return NULL;
    }
    id = id_of(file.st_dev);
    device = add_device(devices, id);
    if (device == NULL && find_source(postmaster, &id, type))
        device = add_device(devices, id);
    if (device == NULL)
        snprintf(devices->why, sizeof devices->why, "no device is known under the %s (%.40s)", what,
                 type);
    return device;
}

static void find_tablespaces(struct devices *devices, int postmaster, const char *data)
{
    char *folder_path = memory_format("%s/pg_tblspc", data);
    DIR *folder = opendir(folder_path);

    for (const struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        char *path = memory_format("%s/%s", folder_path, entry->d_name);
        struct device *device =
            entry->d_name[0] != '.' ? find_under(devices, postmaster, path, "tablespace") : NULL;
        if (device != NULL)
            device->tablespace = true;
        memory_free(path);
    }
    if (folder != NULL)
        closedir(folder);
    memory_free(folder_path);
}

void devices_find(struct devices *devices, int postmaster, const char *data_directory)
{
    char seen[64], *wal, *data;
    struct device *device;

    *devices = (struct devices){ 0 };
    /* The postmaster works there: seen so, the path is right in a container as well. */
    snprintf(seen, sizeof seen, "/proc/%d/cwd", postmaster);
    if (postmaster > 0 && access(seen, F_OK) == 0)
        data_directory = seen;
    if (data_directory == NULL) {
        snprintf(devices->why, sizeof devices->why,
                 "where the data lie may be asked by pg_read_all_settings only");
        return;
    }
    data = memory_text(data_directory);
    wal = memory_format("%s/pg_wal", data);
    device = find_under(devices, postmaster, data, "data directory");
    if (device != NULL)
        device->data = true;
    device = device != NULL ? find_under(devices, postmaster, wal, "WAL") : NULL;
    if (device != NULL)
        device->wal = true;
    find_tablespaces(devices, postmaster, data);
    memory_free(wal);
    memory_free(data);
}

/* ---- counts ---- */

/* The flushes of a row are those of its disks. */
static void take_flushes(const struct devices *devices, int row, const struct device_counts *disks,
                         struct device_counts *counts)
{
    const struct device *device = &devices->row[row];

    counts->flushes = counts->flush_ms = 0;
    for (int i = 0; i < device->disk_count; i++)
        for (int j = 0; j < devices->disk_count; j++) {
            if (!is_same(device->disks[i], devices->disks[j]))
                continue;
            if (disks[j].flushes < 0)
                counts->flushes = counts->flush_ms = -1;
            else if (counts->flushes >= 0) {
                counts->flushes += disks[j].flushes;
                counts->flush_ms += disks[j].flush_ms;
            }
        }
}

void devices_read(const struct devices *devices, struct device_counts *rows,
                  struct device_counts *disks)
{
    char *text = memory_resize(NULL, TEXT_MAX); /* not touched where it is not filled */

    if (devices->count == 0 || !proc_read("/proc/diskstats", text, TEXT_MAX))
        text[0] = '\0';
    for (int i = 0; i < devices->count; i++)
        device_counts(text, devices->row[i].id, &rows[i], NULL, 0);
    for (int i = 0; i < devices->disk_count; i++)
        device_counts(text, devices->disks[i], &disks[i], NULL, 0);
    for (int i = 0; i < devices->count; i++)
        take_flushes(devices, i, disks, &rows[i]);
    memory_free(text);
}

static json_t *growth(int64_t begin, int64_t end, double scale)
{
    if (begin < 0 || end < begin)
        return json_null();
    return scale == 1 ? json_integer(end - begin) : json_real((double)(end - begin) * scale);
}

json_t *devices_row_json(const struct devices *devices, int row, const struct device_counts *begin,
                         const struct device_counts *end)
{
    const struct device *device = &devices->row[row];
    json_t *json = json_object(), *use = json_array();

    if (device->data)
        json_array_append_new(use, json_string("data"));
    if (device->wal)
        json_array_append_new(use, json_string("wal"));
    if (device->tablespace)
        json_array_append_new(use, json_string("tablespace"));
    json_object_set_new(json, "name", json_string(device->name));
    json_object_set_new(json, "for", use);
    json_object_set_new(json, "reads", growth(begin->reads, end->reads, 1));
    json_object_set_new(json, "read_bytes", growth(begin->read_bytes, end->read_bytes, 1));
    json_object_set_new(json, "read_s", growth(begin->read_ms, end->read_ms, 1e-3));
    json_object_set_new(json, "writes", growth(begin->writes, end->writes, 1));
    json_object_set_new(json, "written_bytes", growth(begin->written_bytes, end->written_bytes, 1));
    json_object_set_new(json, "write_s", growth(begin->write_ms, end->write_ms, 1e-3));
    json_object_set_new(json, "busy_s", growth(begin->busy_ms, end->busy_ms, 1e-3));
    json_object_set_new(json, "queue_s", growth(begin->queue_ms, end->queue_ms, 1e-3));
    json_object_set_new(json, "flushes", growth(begin->flushes, end->flushes, 1));
    json_object_set_new(json, "flush_s", growth(begin->flush_ms, end->flush_ms, 1e-3));
    return json;
}
