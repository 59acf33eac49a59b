/*
 * published.c - see published.h. Where they are follows from where the program is.
 */
#include "command/published.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "command/bench.h"
#include "command/common.h"

#define PLANS_MAX 64
#define PATH_SIZE 4096
#define ENDING    ".yaml"
#define BYTES_MAX (1 << 20)

/* The folder, in the arena; NULL when there is none. */
static const char *plans_folder(struct arena *arena)
{
    static const char *const places[] = { "../plans", "../share/pgdyno/plans" };
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct stat facts;
    char *slash;

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    for (int i = 0; i < COUNT_OF(places); i++) {
        const char *folder = arena_format(arena, "%s/%s", program, places[i]);
        if (stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode))
            return folder;
    }
    return NULL;
}

const char *published_find(const char *name, struct arena *arena)
{
    const char *folder = strchr(name, '/') == NULL ? plans_folder(arena) : NULL;
    const char *path;

    if (folder == NULL)
        return NULL;
    path = arena_format(arena, "%s/%s" ENDING, folder, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

static int is_plan(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(ENDING);

    return length > ending && strcmp(entry->d_name + length - ending, ENDING) == 0;
}

/* What it says of itself. */
static const char *about(const char *path, struct arena *arena)
{
    struct plan_file_source source = {
        .path = path, .words = bench_plan_words(), .scale = 1, .time = 1
    };
    struct plan_file plan = { .prices = NULL };
    struct error err;
    const char *words;

    source.content = bench_read_file(arena, path, BYTES_MAX, &source.size, &err);
    if (source.content == NULL)
        return err.text[0] != '\0' ? arena_text(arena, err.text) : "";
    if (!plan_file_read(&source, arena, &plan, &err))
        words = arena_text(arena, err.text);
    else
        words = plan.about != NULL ? plan.about : "";
    plan_file_close(&plan);
    return words;
}

void published_list(struct arena *arena)
{
    const char *folder = plans_folder(arena);
    const char **cells = ARENA_ARRAY(arena, const char *, 2 * (PLANS_MAX + 1));
    struct dirent **entries = NULL;
    int count = folder != NULL ? scandir(folder, &entries, is_plan, alphasort) : 0, n = 0;

    if (count <= 0) {
        puts("No plans were installed with this pgdyno.");
        return;
    }
    cells[n++] = "plan";
    cells[n++] = "what it is about";
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (i < PLANS_MAX) {
            cells[n++] = arena_format(arena, "%.*s", (int)(strlen(name) - strlen(ENDING)), name);
            cells[n++] = about(arena_format(arena, "%s/%s", folder, name), arena);
        }
        memory_free(entries[i]);
    }
    memory_free(entries);
    command_write_cells(stdout, cells, 2, n / 2);
}
