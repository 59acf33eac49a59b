/*
 * cluster.c - makes a server's data folder.
 *
 * initdb works in a folder with a name of its own, which takes its real name only when everything
 * is done: a folder called `data` is whole, whatever died in between. Leftovers of such a death are
 * swept away by the next one, who holds the lock.
 */
#include "server/cluster.h"

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/text.h"
#include "server/folder.h"

#define UNFINISHED   "data.new-"
#define NEEDED_BYTES (INT64_C(80) << 20) /* what initdb writes, with room for one WAL file */

/* The socket's folder lets only its owner in; over TCP everybody shows a password. */
static const char access_rules[] = "# Written by pgdyno.\n"
                                   "local all         all              trust\n"
                                   "local replication all              trust\n"
                                   "host  all         all 127.0.0.1/32 scram-sha-256\n";

bool cluster_program(const struct home *home, const struct server_install *install,
                     const char *const *words, struct process_result *result, struct error *err)
{
    char program[SERVER_PATH_MAX];
    struct process process = { .program = program,
                               .arguments = words + 1,
                               .account = &home->account,
                               .library_path = install->lib,
                               .timeout_s = CLUSTER_TIMEOUT_S,
                               .dies_with_us = true };

    return folder_join(program, install->bin, words[0], err) && process_run(&process, result, err);
}

const char *cluster_complaint(char *output)
{
    static const char *const signs[] = { "FATAL: ", "PANIC: ", "error: ",
                                         "ERROR: ", "cannot ", "could not " };
    char *found = NULL;

    for (int i = 0; i < COUNT_OF(signs) && found == NULL; i++)
        found = strstr(output, signs[i]);
    if (found == NULL)
        found = output;
    for (int i = 0; i < 4; i++) /* the word itself says nothing to the reader */
        if (strncmp(found, signs[i], strlen(signs[i])) == 0)
            found += strlen(signs[i]);
    found += strspn(found, " \n");
    found[strcspn(found, "\n")] = '\0';
    return found[0] != '\0' ? found : "it said nothing";
}

static void sweep(const struct home *home)
{
    DIR *list = opendir(home->folder);
    const struct dirent *entry;
    char path[SERVER_PATH_MAX];
    struct error ignored;

    if (list == NULL)
        return;
    while ((entry = readdir(list)) != NULL)
        if (strncmp(entry->d_name, UNFINISHED, strlen(UNFINISHED)) == 0 &&
            folder_join(path, home->folder, entry->d_name, &ignored))
            folder_remove(path, &ignored);
    closedir(list);
}

/* True when there are data of our major; false with no error text when there are none at all. */
static bool look_at_data(const struct home *home, struct error *err)
{
    char path[SERVER_PATH_MAX];
    struct stat facts;
    char *content;
    long major;

    err->text[0] = '\0';
    if (lstat(home->data, &facts) < 0)
        return false;
    if (!folder_join(path, home->data, "PG_VERSION", err))
        return false;
    content = folder_read(path);
    major = content != NULL ? strtol(content, NULL, 10) : 0;
    memory_free(content);
    if (major == home->major)
        return true;
    if (major == 0)
        return error_set(err, ERROR_MACHINE,
                         "%s is in the way: it holds no PostgreSQL data (move it elsewhere)",
                         home->data);
    return error_set(err, ERROR_MACHINE,
                     "%s holds data of PostgreSQL %ld, not of %d: move it elsewhere, or give it up "
                     "with `pgdyno server remove %d`",
                     home->data, major, home->major, home->major);
}

/* initdb's own refusal of an unknown locale comes late and tells less. */
static const char *locale_option(void)
{
    locale_t found = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);

    if (found == (locale_t)0)
        return "--locale=C";
    freelocale(found);
    return "--locale=C.UTF-8";
}

static bool explain(const struct home *home, struct process_result *result, struct error *err)
{
    struct statvfs disk;
    int64_t free_bytes = INT64_MAX;

    error_set(err, ERROR_MACHINE, "cannot make the data of PostgreSQL %d in %s: initdb %s%s",
              home->major, home->folder, result->timed_out ? "took too long; it said: " : "said: ",
              cluster_complaint(result->output));
    if (statvfs(home->folder, &disk) == 0)
        free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    if (free_bytes < NEEDED_BYTES)
        error_wrap(err, "the disk is full (%d MB free in %s, a new server needs %d MB)",
                   (int)(free_bytes >> 20), home->folder, (int)(NEEDED_BYTES >> 20));
    return false;
}

static bool run_initdb(const struct home *home, const struct server_install *install,
                       const char *folder, bool checksums, struct error *err)
{
    const char *words[] = { "initdb",
                            "-D",
                            folder,
                            "--username=postgres",
                            "--encoding=UTF8",
                            "--auth=trust",
                            locale_option(),
                            checksums ? "--data-checksums" : NULL,
                            NULL };
    struct process_result result;

    if (!cluster_program(home, install, words, &result, err))
        return false;
    return result.status == 0 || explain(home, &result, err);
}

/* The data folder is the account's, so these files must be too. */
static bool write_as_account(const struct home *home, const char *folder, const char *name,
                             const char *content, struct error *err)
{
    char path[SERVER_PATH_MAX];

    if (!folder_join(path, folder, name, err) || !folder_write(path, content, 0600, err))
        return false;
    if (home->account.change && lchown(path, home->account.uid, home->account.gid) < 0)
        return error_set(err, ERROR_MACHINE, "cannot give %s to the account %s: %s", path,
                         home->account.name, strerror(errno));
    return true;
}

static bool include_ours(const struct home *home, const char *folder, struct error *err)
{
    char path[SERVER_PATH_MAX];
    char *content;
    struct text text;
    bool good;

    if (!folder_join(path, folder, "postgresql.conf", err))
        return false;
    content = folder_read(path);
    text_init(&text, 2 * FOLDER_FILE_MAX);
    text_add(&text, content != NULL ? content : "");
    text_add(&text, "\n# Added by pgdyno, which writes that file at each start.\n"
                    "include '../pgdyno.conf'\n");
    good = write_as_account(home, folder, "postgresql.conf", text.bytes, err);
    text_close(&text);
    memory_free(content);
    return good;
}

bool cluster_make(const struct home *home, const struct server_install *install,
                  const struct server_options *options, struct error *err)
{
    char folder[SERVER_PATH_MAX];
    struct error ignored;

    sweep(home);
    if (look_at_data(home, err))
        return true;
    if (err->text[0] != '\0')
        return false;
    home_say(options, "making a PostgreSQL %s server in %s", install->version, home->folder);
    if (!folder_join(folder, home->folder, UNFINISHED "XXXXXX", err))
        return false;
    if (mkdtemp(folder) == NULL ||
        (home->account.change && lchown(folder, home->account.uid, home->account.gid) < 0))
        return error_set(err, ERROR_MACHINE, "cannot make a folder in %s: %s", home->folder,
                         strerror(errno));
    if (run_initdb(home, install, folder, options != NULL && options->checksums, err) &&
        write_as_account(home, folder, "pg_hba.conf", access_rules, err) &&
        include_ours(home, folder, err)) {
        if (rename(folder, home->data) == 0)
            return true;
        error_set(err, ERROR_MACHINE, "cannot rename %s to %s: %s", folder, home->data,
                  strerror(errno));
    }
    folder_remove(folder, &ignored);
    return false;
}
