/*
 * folder.h - the inside of struct store: a result directory while it is written.
 *
 * Everything goes through the directory's descriptor, so a folder that is moved or replaced by a
 * link meanwhile changes nothing. The first write that fails is remembered and told at the end: a
 * full disk must not end a run (design D10).
 */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/batch.h"
#include "store/store.h"

#define FOLDER_NAME_MAX 32

struct store {
    char *path;                   /* owned */
    int folder;                   /* descriptor of the directory */
    int log, series, hlog;        /* descriptors of the growing files */
    pthread_mutex_t mutex;        /* over log and failure: store_log() comes from any thread */
    bool hlog_begun;              /* its header is written */
    struct batches batches;       /* of the intervals seen */
    int failure;                  /* errno of the first write that failed; 0: none */
    char failed[FOLDER_NAME_MAX]; /* the file it was */
};

/* All of `bytes`, or the failure is remembered under the file's name and false comes back. Any
 * thread. */
bool folder_add(struct store *store, int file, const char *name, const void *bytes, size_t count);
/* A whole new file, flushed to the disk. */
bool folder_write_file(struct store *store, const char *name, const void *bytes, size_t count);
void folder_note_failure(struct store *store, const char *name, int error_number);

/* latency.hlog: the lines that come once a phase (hlog.c). */
void hlog_phases(struct store *store, const struct store_run *run);

/* Appends "<SHA-256 in hex>  <as>\n" for the file `name` of the folder (checksum.c). False with
 * errno when it cannot be read. */
bool checksum_line(int folder, const char *name, const char *as, struct text *out);

#endif
