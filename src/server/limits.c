/*
 * limits.c - how much of the machine a server may use.
 *
 * A group's limit also binds the groups within it, so all groups from ours up to the root are
 * asked. In a container the path that /proc/self/cgroup names is often not there, since the
 * container sees its own group as the root: the walk upwards ends at the root in any case.
 */
#include "server/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/cpus.h"
#include "server/server.h"

#define LINE_MAX_BYTES 2048
#define UNKNOWN_MEMORY (INT64_C(1) << 30)

static FILE *open_below(const char *root, const char *path)
{
    char whole[2 * SERVER_PATH_MAX];

    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
        return NULL;
    return fopen(whole, "re");
}

static int64_t host_memory_bytes(const char *root)
{
    char line[LINE_MAX_BYTES];
    FILE *file = open_below(root, "/proc/meminfo");
    long long kib = 0;

    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemTotal: %lld kB", &kib) == 1)
            break;
    fclose(file);
    return (int64_t)kib * 1024;
}

/* A number of a limit file; 0 when there is none ("max", no file). */
static int64_t read_limit(const char *root, const char *path)
{
    char line[LINE_MAX_BYTES];
    FILE *file = open_below(root, path);
    int64_t value = 0;

    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) != NULL)
        value = strtoll(line, NULL, 10);
    fclose(file);
    return value > 0 ? value : 0;
}

/* Version 1 says "no limit" with a number near 2^63, which the host's memory undercuts anyway. */
static void apply_groups(const char *root, const char *mount, const char *group, const char *name,
                         struct limits *limits)
{
    char path[SERVER_PATH_MAX], file[2 * SERVER_PATH_MAX];
    char *slash;

    snprintf(path, sizeof path, "%s", group);
    for (;;) {
        int64_t bytes;

        snprintf(file, sizeof file, "%s%s/%s", mount, strcmp(path, "/") == 0 ? "" : path, name);
        bytes = read_limit(root, file);
        if (bytes > 0 && bytes < limits->memory_bytes) {
            limits->memory_bytes = bytes;
            limits->cgroup = true;
        }
        slash = strrchr(path, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

/* Lines of /proc/self/cgroup: "4:memory:/a/b" (version 1), "0::/a/b" (version 2). */
static void apply_cgroups(const char *root, struct limits *limits)
{
    char line[LINE_MAX_BYTES];
    FILE *file = open_below(root, "/proc/self/cgroup");

    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (strcmp(controllers, ":") == 0) {
            apply_groups(root, "/sys/fs/cgroup", group, "memory.max", limits);
            apply_groups(root, "/sys/fs/cgroup/unified", group, "memory.max", limits);
        } else if (strstr(controllers, "memory") != NULL) {
            apply_groups(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", limits);
        }
    }
    fclose(file);
}

void limits_read(const char *root, struct limits *out)
{
    memset(out, 0, sizeof *out);
    out->memory_bytes = host_memory_bytes(root);
    if (out->memory_bytes <= 0)
        out->memory_bytes = UNKNOWN_MEMORY;
    apply_cgroups(root, out);
    out->cpus = cpus_allowed();
}
