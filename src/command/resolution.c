/*
 * resolution.c - the smallest difference that this machine can tell, remembered.
 *
 * <state>/pgdyno/resolution.json: {host: {family: {"half_width", "blocks", "workload", "when"}}}.
 * It is a cache of what `aa` measured; a file that cannot be read is as good as none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "command/comparison.h"

/* The folder; owned. NULL: there is neither XDG_STATE_HOME nor HOME. */
static char *state_folder(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state != NULL && state[0] == '/')
        return memory_format("%s/pgdyno", state);
    return home != NULL && home[0] == '/' ? memory_format("%s/.local/state/pgdyno", home) : NULL;
}

/* The folder and those above it. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

static json_t *read_all(const char *folder)
{
    char *path = memory_format("%s/resolution.json", folder);
    json_t *all = json_load_file(path, 0, NULL);

    memory_free(path);
    if (json_is_object(all))
        return all;
    json_decref(all);
    return json_object();
}

bool resolution_keep(const char *host, const char *family, json_t *found, struct error *err)
{
    char *folder = state_folder(), *path, *temporary;
    json_t *all, *families;
    bool kept;

    if (folder == NULL)
        return error_set(err, ERROR_MACHINE, "no place for the resolution: HOME is not set");
    all = read_all(folder);
    families = json_object_get(all, host);
    if (!json_is_object(families)) {
        families = json_object();
        json_object_set_new(all, host, families);
    }
    json_object_set(families, family, found);
    path = memory_format("%s/resolution.json", folder);
    temporary = memory_format("%s/.resolution.json.%d", folder, (int)getpid());
    /* Under another name first, so that a reader never meets half of it. */
    kept = make_folders(folder) && json_dump_file(all, temporary, JSON_INDENT(2)) == 0 &&
           rename(temporary, path) == 0;
    if (!kept)
        error_set(err, ERROR_MACHINE, "cannot keep the resolution in %s: %s", path,
                  strerror(errno));
    json_decref(all);
    memory_free(path);
    memory_free(temporary);
    memory_free(folder);
    return kept;
}

json_t *resolution_find(const char *host, const char *family)
{
    char *folder = state_folder();
    json_t *all, *found;

    if (folder == NULL)
        return NULL;
    all = read_all(folder);
    found = json_incref(json_object_get(json_object_get(all, host), family));
    json_decref(all);
    memory_free(folder);
    if (json_is_object(found))
        return found;
    json_decref(found);
    return NULL;
}
