/*
 * folder.c - small helpers on paths, files and folders.
 */
#include "server/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define DEPTH_MAX        64
#define BYTES_OF_A_BLOCK 512

bool folder_join(char *out, const char *folder, const char *name, struct error *err)
{
    int length = snprintf(out, SERVER_PATH_MAX, "%s/%s", folder, name);

    if (length < 0 || length >= SERVER_PATH_MAX)
        return error_set(err, ERROR_MACHINE, "the path %.200s... is too long: at most %d bytes",
                         folder, SERVER_PATH_MAX - 1);
    return true;
}

bool folder_make(const char *path, mode_t mode, struct error *err)
{
    char part[SERVER_PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof part)
        return error_set(err, ERROR_MACHINE, "the path %.200s... is too long", path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, mode) == 0) {
            if (chmod(part, mode) == 0) /* whatever the umask */
                continue;
        } else if (access(part, F_OK) == 0) {
            continue;
        }
        return error_set(err, ERROR_MACHINE, "cannot make the folder %s: %s", part,
                         strerror(errno));
    }
    return true;
}

/* Visits what is in `folder` (an open descriptor, which it closes). Removing sets `bytes` NULL. */
static bool visit(int folder, int64_t *bytes, int depth)
{
    DIR *list = fdopendir(folder);
    const struct dirent *entry;
    bool good = true;

    if (list == NULL) {
        close(folder);
        return false;
    }
    while ((entry = readdir(list)) != NULL) {
        struct stat facts;
        const char *name = entry->d_name;
        int inner;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (fstatat(dirfd(list), name, &facts, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* it went away meanwhile */
        if (bytes != NULL)
            *bytes += facts.st_blocks * BYTES_OF_A_BLOCK;
        if (S_ISDIR(facts.st_mode)) {
            inner = openat(dirfd(list), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            good = depth < DEPTH_MAX && inner >= 0 && visit(inner, bytes, depth + 1) && good;
        }
        if (bytes == NULL &&
            unlinkat(dirfd(list), name, S_ISDIR(facts.st_mode) ? AT_REMOVEDIR : 0) < 0)
            good = false;
    }
    closedir(list);
    return good;
}

bool folder_remove(const char *path, struct error *err)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder < 0 && errno == ENOENT)
        return true;
    if (folder < 0 || !visit(folder, NULL, 0) || rmdir(path) < 0)
        return error_set(err, ERROR_MACHINE, "cannot remove %s: %s", path, strerror(errno));
    return true;
}

int64_t folder_size_bytes(const char *path)
{
    int64_t bytes = 0;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder < 0 || !visit(folder, &bytes, 0))
        return -1;
    return bytes;
}

bool folder_is_empty(const char *path)
{
    DIR *list = opendir(path);
    const struct dirent *entry;
    int count = 0;

    if (list == NULL)
        return errno == ENOENT;
    while ((entry = readdir(list)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(list);
    return count == 0;
}

void folder_existing(char *path)
{
    char *slash;

    while (access(path, F_OK) < 0) {
        slash = strrchr(path, '/');
        if (slash == NULL || slash == path) {
            memcpy(path, "/", 2);
            return;
        }
        *slash = '\0';
    }
}

char *folder_read(const char *path)
{
    FILE *file = fopen(path, "re");
    char *content;
    size_t size;

    if (file == NULL)
        return NULL;
    content = memory_make(1, FOLDER_FILE_MAX + 1);
    size = fread(content, 1, FOLDER_FILE_MAX, file);
    if (ferror(file)) {
        memory_free(content);
        content = NULL;
    } else {
        content[size] = '\0';
    }
    fclose(file);
    return content;
}

bool folder_write(const char *path, const char *content, mode_t mode, struct error *err)
{
    char beside[SERVER_PATH_MAX + 8];
    int file;
    size_t length = strlen(content);
    bool good;

    snprintf(beside, sizeof beside, "%s.new", path);
    unlink(beside);
    file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    errno = file >= 0 ? ENOSPC : errno; /* what a short write means, which sets nothing */
    good = file >= 0 && write(file, content, length) == (ssize_t)length &&
           fchmod(file, mode) == 0 && fsync(file) == 0 && rename(beside, path) == 0;
    if (!good)
        error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    if (!good)
        unlink(beside);
    return good;
}
