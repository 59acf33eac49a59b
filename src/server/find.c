/*
 * find.c - where PostgreSQL is on this machine.
 *
 * A folder counts when it has postgres, initdb and pg_ctl and `postgres --version` answers. The
 * places are looked at in the order of the door's comment; the first of a major wins.
 */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/text.h"
#include "server/folder.h"
#include "server/process.h"
#include "server/server.h"

#define MAJOR_MIN         12
#define VERSION_TIMEOUT_S 20
#define SYSTEM_NPM_FOLDER "/var/lib/pgdyno/postgres" /* where get-postgres puts them as root */

struct search {
    struct server_install *found;
    int count;
};

/* "postgres (PostgreSQL) 17.10 (Debian ...)" gives 17 and "17.10"; "18beta1" and "19devel" too. */
static bool parse_version(const char *output, struct server_install *install)
{
    const char *at = strstr(output, "(PostgreSQL) ");
    char *end;
    long major;

    if (at == NULL)
        return false;
    at += strlen("(PostgreSQL) ");
    major = strtol(at, &end, 10);
    if (end == at || major < MAJOR_MIN || major > 99)
        return false;
    install->major = (int)major;
    snprintf(install->version, sizeof install->version, "%.*s", (int)strcspn(at, " \n"), at);
    return true;
}

static bool has_program(const char *bin, const char *name)
{
    char path[SERVER_PATH_MAX];
    struct error ignored;

    return folder_join(path, bin, name, &ignored) && access(path, X_OK) == 0;
}

static bool ask_version(struct server_install *install)
{
    static const char *const arguments[] = { "--version", NULL };
    char program[SERVER_PATH_MAX];
    struct process_result result;
    struct error ignored;
    struct process process = { .program = program,
                               .arguments = arguments,
                               .library_path = install->lib,
                               .timeout_s = VERSION_TIMEOUT_S };

    return folder_join(program, install->bin, "postgres", &ignored) &&
           process_run(&process, &result, &ignored) && result.status == 0 &&
           parse_version(result.output, install);
}

/* Where the programs really are: PATH often has links to them, and a running server is known by
 * the real path. */
static bool resolve(const char *bin, char *out)
{
    char program[SERVER_PATH_MAX], whole[PATH_MAX];
    struct error ignored;
    char *slash;

    if (!folder_join(program, bin, "postgres", &ignored) || realpath(program, whole) == NULL)
        return false;
    slash = strrchr(whole, '/');
    *slash = '\0';
    if (!has_program(whole, "initdb") || !has_program(whole, "pg_ctl"))
        if (realpath(bin, whole) == NULL)
            return false;
    return snprintf(out, SERVER_PATH_MAX, "%s", whole) < SERVER_PATH_MAX;
}

static void consider(struct search *search, const char *bin, const char *found_by, const char *lib)
{
    struct server_install install = { 0 };

    if (search->count == SERVERS_MAX || strlen(lib) >= SERVER_PATH_MAX ||
        !resolve(bin, install.bin))
        return;
    if (!has_program(install.bin, "postgres") || !has_program(install.bin, "initdb") ||
        !has_program(install.bin, "pg_ctl"))
        return;
    snprintf(install.lib, sizeof install.lib, "%s", lib);
    snprintf(install.found_by, sizeof install.found_by, "%s", found_by);
    if (!ask_version(&install))
        return;
    for (int i = 0; i < search->count; i++)
        if (search->found[i].major == install.major)
            return;
    search->found[search->count++] = install;
}

static void consider_path(struct search *search)
{
    char *path = memory_text(getenv("PATH"));
    char *rest = path;
    const char *folder;

    while (rest != NULL && (folder = strsep(&rest, ":")) != NULL)
        if (folder[0] == '/')
            consider(search, folder, "PATH", "");
    memory_free(path);
}

/* Folders in `parent` called `prefix`N; each with its bin below. */
static void consider_numbered(struct search *search, const char *parent, const char *prefix,
                              const char *found_by)
{
    DIR *list = opendir(parent);
    const struct dirent *entry;
    char bin[SERVER_PATH_MAX], lib[SERVER_PATH_MAX];
    bool npm = strcmp(found_by, "npm") == 0;

    if (list == NULL)
        return;
    while ((entry = readdir(list)) != NULL) {
        const char *number = entry->d_name + strlen(prefix);

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            !isdigit((unsigned char)number[0]) || number[strspn(number, "0123456789")] != '\0')
            continue;
        if (snprintf(bin, sizeof bin, "%s/%s/bin", parent, entry->d_name) >= (int)sizeof bin ||
            snprintf(lib, sizeof lib, "%s/%s/lib", parent, entry->d_name) >= (int)sizeof lib)
            continue;
        consider(search, bin, found_by, npm ? lib : "");
    }
    closedir(list);
}

static void consider_npm(struct search *search)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[SERVER_PATH_MAX] = "";

    if (geteuid() != 0 && cache != NULL && cache[0] == '/')
        snprintf(folder, sizeof folder, "%s/pgdyno/postgres", cache);
    else if (geteuid() != 0 && home != NULL)
        snprintf(folder, sizeof folder, "%s/.cache/pgdyno/postgres", home);
    if (folder[0] != '\0')
        consider_numbered(search, folder, "", "npm");
    consider_numbered(search, SYSTEM_NPM_FOLDER, "", "npm");
}

static int newest_first(const void *a, const void *b)
{
    const struct server_install *left = a, *right = b;

    return right->major - left->major;
}

/* The npm package keeps its libraries beside bin; a folder given by hand may be one of those. */
static void consider_given(struct search *search, const char *pg_bin)
{
    char top[PATH_MAX], lib[PATH_MAX], marker[PATH_MAX];
    bool npm;

    snprintf(top, sizeof top, "%s/..", pg_bin);
    if (realpath(top, lib) == NULL || strlen(lib) >= SERVER_PATH_MAX - 32)
        return;
    snprintf(marker, sizeof marker, "%.*s/pg-symlinks.json", SERVER_PATH_MAX, lib);
    npm = access(marker, F_OK) == 0;
    memcpy(lib + strlen(lib), "/lib", sizeof "/lib");
    consider(search, pg_bin, "--pg-bin", npm ? lib : "");
}

int server_find(const char *pg_bin, struct server_install *out)
{
    struct search search = { .found = out };

    if (pg_bin != NULL)
        consider_given(&search, pg_bin);
    consider_path(&search);
    consider_numbered(&search, "/usr/lib/postgresql", "", "debian");
    consider_numbered(&search, "/usr", "pgsql-", "redhat");
    consider(&search, "/usr/local/pgsql/bin", "source", "");
    consider_npm(&search);
    qsort(out, (size_t)search.count, sizeof *out, newest_first);
    return search.count;
}

/* What brings a server here, in the words of this machine's package manager. */
static const char *advice(int major, struct text *text)
{
    bool apt = access("/usr/bin/apt-get", X_OK) == 0, dnf = access("/usr/bin/dnf", X_OK) == 0;

    if (major == 0 && (apt || !dnf))
        text_add(text, "`apt install postgresql`, ");
    if (major == 0 && (dnf || !apt))
        text_add(text, "`dnf install postgresql-server`, ");
    if (major != 0 && (apt || !dnf))
        text_format(text, "`apt install postgresql-%d`, ", major);
    if (major != 0 && (dnf || !apt))
        text_format(text, "`dnf install postgresql%d-server`, ", major);
    text_format(text,
                "`tools/get-postgres %d` in pgdyno's source folder, or name the folder of "
                "its programs with --pg-bin",
                major == 0 ? 17 : major);
    return text->bytes;
}

static bool missing(int major, const struct server_install *all, int count, struct error *err)
{
    struct text found, how;

    text_init(&found, 4096);
    text_init(&how, 1024);
    for (int i = 0; i < count; i++)
        text_format(&found, "%s%s", i == 0 ? "" : ", ", all[i].version);
    if (major != 0 && (major < SERVER_MAJOR_LOW || major > SERVER_MAJOR_HIGH))
        error_set(err, ERROR_MACHINE,
                  "no PostgreSQL %d on this machine (found: %s): pgdyno knows majors %d to %d",
                  major, count > 0 ? found.bytes : "none", SERVER_MAJOR_LOW, SERVER_MAJOR_HIGH);
    else if (count == 0)
        error_set(err, ERROR_MACHINE, "no PostgreSQL server was found on this machine: %s",
                  advice(major, &how));
    else
        error_set(err, ERROR_MACHINE, "no PostgreSQL %d on this machine (found: %s): %s", major,
                  found.bytes, advice(major, &how));
    text_close(&found);
    text_close(&how);
    return false;
}

static bool pick_given(const char *pg_bin, int major, struct server_install *out, struct error *err)
{
    struct search search = { .found = out };

    consider_given(&search, pg_bin);
    if (search.count == 0)
        return error_set(err, ERROR_USAGE,
                         "--pg-bin %s: no working postgres, initdb and pg_ctl of PostgreSQL %d or "
                         "later there",
                         pg_bin, MAJOR_MIN);
    if (major != 0 && out->major != major)
        return error_set(err, ERROR_USAGE, "--pg-bin %s holds PostgreSQL %s, and %d was asked for",
                         pg_bin, out->version, major);
    return true;
}

bool server_pick(const char *pg_bin, int major, struct server_install *out, struct error *err)
{
    struct server_install *all;
    int count, at = 0;

    if (pg_bin != NULL)
        return pick_given(pg_bin, major, out, err);
    all = MEMORY_ARRAY(struct server_install, SERVERS_MAX);
    count = server_find(NULL, all);
    while (at < count && major != 0 && all[at].major != major)
        at++;
    if (at < count)
        *out = all[at];
    else
        missing(major, all, count, err);
    memory_free(all);
    return at < count;
}
