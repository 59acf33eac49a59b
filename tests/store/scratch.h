/*
 * scratch.h - a folder for one test, gone afterwards.
 */
#ifndef TESTS_STORE_SCRATCH_H
#define TESTS_STORE_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

#define SCRATCH_DESCRIPTORS 8

static inline int scratch_remove_one(const char *path, const struct stat *about, int kind,
                                     struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Owned: scratch_close(). */
static inline char *scratch_open(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = memory_format("%s/pgdyno-test-XXXXXX", parent != NULL ? parent : "/tmp");

    if (mkdtemp(path) == NULL)
        abort();
    return path;
}

static inline void scratch_close(char *path)
{
    nftw(path, scratch_remove_one, SCRATCH_DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    memory_free(path);
}

#endif
