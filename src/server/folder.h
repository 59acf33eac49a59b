/*
 * folder.h - small helpers on paths, files and folders for this room. Symbolic links are never
 * followed where something is removed or measured: as root we work in folders that the server's
 * account can write.
 */
#ifndef SERVER_FOLDER_H
#define SERVER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "server/server.h"

#define FOLDER_FILE_MAX (1 << 20)

/* `a/b` into a path of SERVER_PATH_MAX bytes; one that does not fit is ERROR_MACHINE. */
bool folder_join(char *out, const char *folder, const char *name, struct error *err);
/* Makes it and what is missing above it. */
bool folder_make(const char *path, mode_t mode, struct error *err);
/* Removes it with all that is in it; a missing one is fine. */
bool folder_remove(const char *path, struct error *err);
/* Bytes on the disk below it; -1 when it cannot be read. */
int64_t folder_size_bytes(const char *path);
bool folder_is_empty(const char *path); /* true for a missing one */
/* The nearest of path and its parents that exists, in place. */
void folder_existing(char *path);

/* The file's content, at most FOLDER_FILE_MAX bytes, owned; NULL when it cannot be read. */
char *folder_read(const char *path);
/* Writes it whole or not at all (beside it, then renamed). */
bool folder_write(const char *path, const char *content, mode_t mode, struct error *err);

#endif
