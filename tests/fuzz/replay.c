/*
 * replay.c - gives a target every file of the folders or files that are named, once.
 */
#include <dirent.h>
#include <stdio.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"

#define FILE_MAX (1 << 20)

static int failures, files;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = memory_make(FILE_MAX, 1), *exact;
    size_t size;

    if (file == NULL) {
        perror(path);
        failures++;
        memory_free(bytes);
        return;
    }
    size = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    exact = memory_resize(bytes, size); /* for ASan */
    LLVMFuzzerTestOneInput(exact, size);
    memory_free(exact);
    files++;
}

static void replay(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    if (folder == NULL) {
        replay_file(path);
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        char *name = memory_format("%s/%s", path, entry->d_name);

        if (entry->d_name[0] != '.')
            replay_file(name);
        memory_free(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%d files\n", files);
    return failures > 0 || files == 0;
}
