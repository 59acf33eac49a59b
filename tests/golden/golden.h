/*
 * golden.h - holds bytes against a file of tests/golden/.
 *
 * With PGDYNO_GOLDEN_WRITE in the environment the file is written instead: then look at the diff
 * before you commit it. PGDYNO_GOLDEN names the folder; Meson sets it.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The whole file, ended by NUL; owned (memory_free). NULL when it is not there. */
static inline char *golden_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *bytes = NULL;
    size_t size = 0, got;

    if (file == NULL)
        return NULL;
    do {
        bytes = memory_resize(bytes, size + 65537);
        got = fread(bytes + size, 1, 65536, file);
        size += got;
    } while (got > 0);
    bytes[size] = '\0';
    fclose(file);
    return bytes;
}

static inline char *golden_path(const char *name)
{
    const char *folder = getenv("PGDYNO_GOLDEN");

    return memory_format("%s/%s", folder != NULL ? folder : "tests/golden", name);
}

/* Says on stderr where the two part. */
static inline void golden_tell(const char *name, const char *wanted, const char *found)
{
    size_t at = 0, line = 1, begin = 0;

    while (wanted[at] != '\0' && wanted[at] == found[at]) {
        if (wanted[at++] == '\n') {
            line++;
            begin = at;
        }
    }
    fprintf(stderr, "%s, line %zu\n  wanted: %.*s\n  found:  %.*s\n", name, line,
            (int)strcspn(wanted + begin, "\n"), wanted + begin, (int)strcspn(found + begin, "\n"),
            found + begin);
}

/* True when `found` is what the file holds. */
static inline bool golden_same(const char *name, const char *found)
{
    char *path = golden_path(name), *wanted;
    bool same;

    if (getenv("PGDYNO_GOLDEN_WRITE") != NULL) {
        FILE *file = fopen(path, "w");
        same = file != NULL && fputs(found, file) >= 0 && fclose(file) == 0;
        memory_free(path);
        return same;
    }
    wanted = golden_read(path);
    same = wanted != NULL && strcmp(wanted, found) == 0;
    if (wanted == NULL)
        fprintf(stderr, "%s is not there; PGDYNO_GOLDEN_WRITE=1 makes it\n", path);
    else if (!same)
        golden_tell(name, wanted, found);
    memory_free(wanted);
    memory_free(path);
    return same;
}

#endif
