/*
 * folder.c - makes a result directory and closes it; see folder.h for its rules.
 *
 * The order at the end is the promise of the whole: data, then checksums, then the rename that
 * turns the folder into a result. Room for result.json is set aside at the beginning, under its
 * temporary name, so that a disk that fills up during the run still leaves a result.
 */
#include "store/folder.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/values.h"

#define LABEL_MAX        64
#define COLLISIONS_MAX   1000
#define LINE_MAX_BYTES   (1 << 20)
#define SET_ASIDE_BYTES  (1 << 20)
#define RESULT_NAME      "result.json"
#define RESULT_TEMPORARY "result.json.part"
#define CHECKSUMS_NAME   "sha256sums"
#define CHECKSUMS_MAX    4096

static const char *const data_files[] = { "series.jsonl", "latency.hlog", "before.json",
                                          "after.json",   "run.log",      "round_trips.csv" };

/* ---- writing, with the first failure remembered ---- */

void folder_note_failure(struct store *store, const char *name, int error_number)
{
    pthread_mutex_lock(&store->mutex);
    if (store->failure == 0) {
        store->failure = error_number != 0 ? error_number : EIO;
        snprintf(store->failed, sizeof store->failed, "%s", name);
    }
    pthread_mutex_unlock(&store->mutex);
}

bool folder_add(struct store *store, int file, const char *name, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count > 0) {
        ssize_t written = write(file, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            folder_note_failure(store, name, errno);
            return false;
        }
        at += written;
        count -= (size_t)written;
    }
    return true;
}

static int open_new(int folder, const char *name)
{
    return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Flushes and closes; -1 is fine. */
static void close_file(struct store *store, int file, const char *name)
{
    if (file < 0)
        return;
    if (fsync(file) != 0)
        folder_note_failure(store, name, errno);
    if (close(file) != 0)
        folder_note_failure(store, name, errno);
}

bool folder_write_file(struct store *store, const char *name, const void *bytes, size_t count)
{
    int file = open_new(store->folder, name);
    bool written;

    if (file < 0) {
        folder_note_failure(store, name, errno);
        return false;
    }
    written = folder_add(store, file, name, bytes, count);
    close_file(store, file, name);
    return written;
}

void store_file(struct store *store, const char *name, const void *bytes, size_t count)
{
    folder_write_file(store, name, bytes, count);
}

/* ---- beginning ---- */

static bool check_label(const char *label, struct error *err)
{
    size_t length = strlen(label);

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)label[i]) && strchr("._-", label[i]) == NULL)
            length = 0;
    if (length < 1 || length > LABEL_MAX)
        return error_set(err, ERROR_USAGE, "a label is 1 to %d of the characters A-Z a-z 0-9 . _ -",
                         LABEL_MAX);
    return true;
}

static bool make_folders(const char *path, struct error *err)
{
    char *part = memory_text(path);
    bool made = true;

    for (char *at = part; made && *at != '\0'; at++) {
        bool last = at[1] == '\0';
        char kept = at[1];
        if (at[0] == '/' || (!last && at[1] != '/'))
            continue;
        at[1] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            made = error_set(err, ERROR_MACHINE, "cannot make the folder %s for results: %s", part,
                             strerror(errno));
        at[1] = kept;
    }
    memory_free(part);
    return made;
}

/* The first free name; mkdir() decides, so two runs of one second never share a folder. */
static char *make_own_folder(const char *results, const char *name, struct error *err)
{
    for (int n = 1; n < COLLISIONS_MAX; n++) {
        char *path = n == 1 ? memory_format("%s/%s", results, name)
                            : memory_format("%s/%s-%d", results, name, n);
        if (mkdir(path, 0777) == 0)
            return path;
        if (errno != EEXIST) {
            error_set(err, ERROR_MACHINE, "cannot make the result's folder %s: %s", path,
                      strerror(errno));
            memory_free(path);
            return NULL;
        }
        memory_free(path);
    }
    error_set(err, ERROR_MACHINE, "%s holds %d results named %s already", results, COLLISIONS_MAX,
              name);
    return NULL;
}

static bool set_room_aside(int folder)
{
    int file = open_new(folder, RESULT_TEMPORARY);
    int failure;

    if (file < 0)
        return false;
    failure = posix_fallocate(file, 0, SET_ASIDE_BYTES);
    close(file);
    if (failure == 0 || failure == EOPNOTSUPP || failure == EINVAL)
        return true;
    errno = failure;
    return false;
}

static bool open_files(struct store *store, struct error *err)
{
    bool opened;

    store->folder = open(store->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    opened = store->folder >= 0 && (store->log = open_new(store->folder, "run.log")) >= 0 &&
             (store->series = open_new(store->folder, "series.jsonl")) >= 0 &&
             (store->hlog = open_new(store->folder, "latency.hlog")) >= 0 &&
             set_room_aside(store->folder);
    return opened ||
           error_set(err, ERROR_MACHINE, "cannot write into %s: %s", store->path, strerror(errno));
}

static char *folder_name(const char *workload, const char *label, int64_t wall_ns)
{
    char stamp[32], *name;

    clock_stamp(wall_ns, stamp, sizeof stamp);
    name = memory_format("%s-%s%s%s", stamp, workload, label != NULL ? "-" : "",
                         label != NULL ? label : "");
    text_name_file(name); /* "micro/read-only_range=10" */
    return name;
}

struct store *store_begin(const char *results, const char *workload, const char *label,
                          int64_t wall_ns, struct error *err)
{
    struct store *store;
    char *name, *path;

    if (label != NULL && *label == '\0')
        label = NULL;
    if (label != NULL && !check_label(label, err))
        return NULL;
    if (!make_folders(results, err))
        return NULL;
    name = folder_name(workload, label, wall_ns);
    path = make_own_folder(results, name, err);
    memory_free(name);
    if (path == NULL)
        return NULL;
    store = MEMORY_NEW(struct store);
    *store = (struct store){ .path = path, .folder = -1, .log = -1, .series = -1, .hlog = -1 };
    pthread_mutex_init(&store->mutex, NULL);
    batches_open(&store->batches);
    if (!open_files(store, err)) {
        store_abandon(store);
        return NULL;
    }
    return store;
}

const char *store_path(const struct store *store)
{
    return store->path;
}

/* ---- while it runs ---- */

void store_log(struct store *store, const char *line)
{
    char when[32];
    struct text text;

    clock_iso(clock_wall_ns(), when, sizeof when);
    text_init(&text, 4 * LINE_MAX_BYTES);
    text_add(&text, when);
    text_add_char(&text, ' ');
    text_add_safe(&text, line);
    text_add_char(&text, '\n');
    /* One write() a line: lines of several threads do not mix. */
    folder_add(store, store->log, "run.log", text.bytes, text.length);
    text_close(&text);
}

void store_series(struct store *store, json_t *line)
{
    char *bytes = json_dumps(line, JSON_COMPACT | VALUES_WRITE_FLAGS);
    struct text text;

    json_decref(line);
    assert(bytes != NULL && "a line that is no JSON");
    text_init(&text, LINE_MAX_BYTES);
    text_add(&text, bytes);
    text_add_char(&text, '\n');
    folder_add(store, store->series, "series.jsonl", text.bytes, text.length);
    text_close(&text);
    memory_free(bytes);
}

/* ---- the end ---- */

static void close_growing(struct store *store)
{
    close_file(store, store->hlog, "latency.hlog");
    close_file(store, store->series, "series.jsonl");
    close_file(store, store->log, "run.log");
    store->hlog = store->series = store->log = -1;
}

static void store_free(struct store *store)
{
    close_growing(store);
    if (store->folder >= 0)
        close(store->folder);
    batches_close(&store->batches);
    pthread_mutex_destroy(&store->mutex);
    memory_free(store->path);
    memory_free(store);
}

static bool write_json(struct store *store, const char *name, const json_t *json)
{
    char *bytes = json_dumps(json, JSON_INDENT(2) | VALUES_WRITE_FLAGS);
    struct text text;
    bool written;

    assert(bytes != NULL && "a tree that is no JSON");
    text_init(&text, strlen(bytes) + 1);
    text_add(&text, bytes);
    text_add_char(&text, '\n');
    written = folder_write_file(store, name, text.bytes, text.length);
    text_close(&text);
    memory_free(bytes);
    return written;
}

static bool write_checksums(struct store *store)
{
    struct text sums;
    bool written;

    text_init(&sums, CHECKSUMS_MAX);
    for (int i = 0; i < COUNT_OF(data_files); i++)
        if (!checksum_line(store->folder, data_files[i], data_files[i], &sums) && errno != ENOENT)
            folder_note_failure(store, data_files[i], errno);
    if (!checksum_line(store->folder, RESULT_TEMPORARY, RESULT_NAME, &sums))
        folder_note_failure(store, RESULT_NAME, errno);
    written = folder_write_file(store, CHECKSUMS_NAME, sums.bytes, sums.length);
    text_close(&sums);
    return written;
}

/* The step that makes a folder a result. */
static bool publish(struct store *store)
{
    if (renameat(store->folder, RESULT_TEMPORARY, store->folder, RESULT_NAME) != 0) {
        folder_note_failure(store, RESULT_NAME, errno);
        return false;
    }
    if (fsync(store->folder) != 0)
        folder_note_failure(store, RESULT_NAME, errno);
    return true;
}

bool store_finish(struct store *store, const struct store_run *run, const json_t *result,
                  struct error *err)
{
    bool there, fine;

    hlog_phases(store, run);
    close_growing(store);
    /* result.json takes the room that was set aside, before anything else can. */
    unlinkat(store->folder, RESULT_TEMPORARY, 0);
    there = write_json(store, RESULT_TEMPORARY, result);
    if (!there)
        unlinkat(store->folder, RESULT_TEMPORARY, 0);
    if (run->before != NULL)
        write_json(store, "before.json", run->before);
    if (run->after != NULL)
        write_json(store, "after.json", run->after);
    if (there) {
        write_checksums(store);
        there = publish(store);
    }
    fine = store->failure == 0;
    if (!fine)
        error_set(err, ERROR_MACHINE, "cannot write %s/%s: %s; %s", store->path, store->failed,
                  strerror(store->failure),
                  there ? "result.json is there, the rest is not complete"
                        : "there is no result.json, run.log holds what was said");
    store_free(store);
    return fine;
}

void store_abandon(struct store *store)
{
    if (store->folder >= 0)
        unlinkat(store->folder, RESULT_TEMPORARY, 0);
    store_free(store);
}
