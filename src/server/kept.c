/*
 * kept.c - the servers that are kept: stopping, removing, listing and naming them.
 */
#include <ctype.h>
#include <dirent.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "base/text.h"
#include "server/folder.h"
#include "server/home.h"
#include "server/postmaster.h"
#include "server/settings.h"

extern char **environ;

/* Calls `each` with every kept server's home; gives how many there are. */
static int walk(void (*each)(const struct home *home, void *context), void *context)
{
    char servers[SERVER_PATH_MAX];
    struct account account;
    struct error ignored;
    struct home *home;
    const struct dirent *entry;
    int count = 0;
    DIR *list = home_servers(&account, servers, &ignored) ? opendir(servers) : NULL;

    if (list == NULL)
        return 0;
    home = MEMORY_NEW(struct home);
    while ((entry = readdir(list)) != NULL && count < SERVERS_MAX) {
        const char *name = entry->d_name;

        if (!isdigit((unsigned char)name[0]) || strlen(name) > 2 ||
            !home_open((int)strtol(name, NULL, 10), home, &ignored) || !home->ours)
            continue;
        each(home, context);
        count++;
    }
    closedir(list);
    memory_free(home);
    return count;
}

struct majors {
    int newest;
    struct text names;
};

static void note_major(const struct home *home, void *context)
{
    struct majors *majors = context;

    text_format(&majors->names, "%s%d", majors->newest == 0 ? "" : ", ", home->major);
    majors->newest = home->major;
}

/* Opens the home of a server that is there; 0 is the only one. */
static bool open_kept(int major, struct home *home, struct error *err)
{
    struct majors majors = { 0 };
    int count;
    bool good = true;

    text_init(&majors.names, 4096);
    count = walk(note_major, &majors);
    if (major == 0 && count > 1)
        good = error_set(err, ERROR_USAGE, "say which server: there are %s", majors.names.bytes);
    else if (major == 0 && count == 1)
        major = majors.newest;
    good = good && (major != 0 || error_set(err, ERROR_USAGE, "no server is kept here")) &&
           home_open(major, home, err);
    if (good && !home->ours && access(home->folder, F_OK) == 0)
        good = error_set(err, ERROR_MACHINE, "%s is not a folder that pgdyno made: left alone",
                         home->folder);
    else if (good && !home->ours)
        good = error_set(err, ERROR_USAGE, "no server of PostgreSQL %d is kept here%s%s", major,
                         count > 0 ? ", only of " : "", majors.names.bytes);
    text_close(&majors.names);
    return good;
}

static bool remove_home(const struct home *home, struct error *err)
{
    struct stat facts;

    if (lstat(home->folder, &facts) < 0 || !S_ISDIR(facts.st_mode))
        return error_set(err, ERROR_MACHINE, "%s is no folder: left alone", home->folder);
    if (home->socket[0] != '\0' && lstat(home->socket, &facts) == 0 &&
        facts.st_uid == home->account.uid && strstr(home->socket, "/pgdyno-") != NULL &&
        !folder_remove(home->socket, err))
        return false;
    return folder_remove(home->folder, err);
}

static bool end(int major, const struct server_options *options, bool removing, struct error *err)
{
    struct home *home = MEMORY_NEW(struct home);
    bool good = open_kept(major, home, err);
    int lock = good ? home_lock(home, options, err) : -1;

    good = lock >= 0 && home_open(home->major, home, err);
    if (good && !home->ours)
        good = error_set(err, ERROR_USAGE, "another pgdyno has just removed it");
    if (good && home_pid(home, NULL, 0) == 0 && !removing)
        home_say(options, "PostgreSQL %d does not run", home->major);
    good = good && postmaster_stop(home, options, err) && (!removing || remove_home(home, err));
    if (lock >= 0)
        close(lock);
    memory_free(home);
    return good;
}

bool server_stop(int major, const struct server_options *options, struct error *err)
{
    return end(major, options, false, err);
}

bool server_remove(int major, const struct server_options *options, struct error *err)
{
    return end(major, options, true, err);
}

struct listing {
    struct server_kept *out;
    int count;
};

static void note_kept(const struct home *home, void *context)
{
    struct listing *listing = context;
    struct server_kept *kept = &listing->out[listing->count++];

    home_kept(home, kept);
    kept->size_bytes = folder_size_bytes(home->data);
}

static int by_major(const void *a, const void *b)
{
    const struct server_kept *left = a, *right = b;

    return left->major - right->major;
}

int server_list(struct server_kept *out)
{
    struct listing listing = { .out = out };

    walk(note_kept, &listing);
    qsort(out, (size_t)listing.count, sizeof *out, by_major);
    return listing.count;
}

int server_settings(int major, struct server_setting *out, int max)
{
    struct home *home = MEMORY_NEW(struct home);
    struct settings *settings = MEMORY_NEW(struct settings);
    struct error ignored;
    char *content = NULL;
    int count = 0;

    if (home_open(major, home, &ignored) && home->ours)
        content = folder_read(home->conf);
    if (content != NULL && settings_parse_ours(content, settings, &ignored)) {
        count = settings->count < max ? settings->count : max;
        memcpy(out, settings->rows, (size_t)count * sizeof *out);
    }
    memory_free(content);
    memory_free(settings);
    memory_free(home);
    return count;
}

/* What libpq would take from the environment, and what stands for "nothing was said". */
static const struct neutral {
    const char *variable, *words;
} neutral[] = {
    { "PGHOSTADDR", "hostaddr=''" },
    { "PGOPTIONS", "options=''" },
    { "PGPASSWORD", "password=''" },
    { "PGSSLMODE", "sslmode=disable" },
    { "PGREQUIRESSL", "sslmode=disable" },
    { "PGSSLNEGOTIATION", "sslnegotiation=postgres" },
    { "PGGSSENCMODE", "gssencmode=disable" },
    { "PGCHANNELBINDING", "channel_binding=prefer" },
    { "PGREQUIREAUTH", "require_auth=''" },
    { "PGREQUIREPEER", "requirepeer=''" },
    { "PGTARGETSESSIONATTRS", "target_session_attrs=any" },
    { "PGLOADBALANCEHOSTS", "load_balance_hosts=disable" },
    { "PGCONNECT_TIMEOUT", "connect_timeout=0" },
    { "PGCLIENTENCODING", "client_encoding=UTF8" },
};

/* A word that this libpq does not know would be an error, and needs no overruling. */
static bool libpq_knows(const PQconninfoOption *options, const char *words)
{
    size_t length = strcspn(words, "=");

    for (; options != NULL && options->keyword != NULL; options++)
        if (strlen(options->keyword) == length && strncmp(options->keyword, words, length) == 0)
            return true;
    return false;
}

static void add_quoted(struct text *text, const char *name, const char *value)
{
    text_format(text, "%s%s=", text->length > 0 ? " " : "", name);
    if (value[0] != '\0' && value[strcspn(value, " '\\")] == '\0') {
        text_add(text, value);
        return;
    }
    text_add_char(text, '\'');
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            text_add_char(text, '\\');
        text_add_char(text, *value);
    }
    text_add_char(text, '\'');
}

const char *server_conninfo(const struct server_kept *kept, const char *application_name,
                            struct arena *arena)
{
    PQconninfoOption *known = PQconndefaults();
    struct text text;
    const char *words;

    text_init(&text, 16384);
    add_quoted(&text, "host", kept->tcp ? "127.0.0.1" : kept->socket);
    text_format(&text, " port=%d user=" SERVER_ROLE " dbname=" SERVER_DATABASE, kept->port);
    if (kept->tcp)
        add_quoted(&text, "passfile", kept->passfile);
    if (application_name != NULL)
        add_quoted(&text, "application_name", application_name);
    for (int i = 0; i < COUNT_OF(neutral); i++)
        if (getenv(neutral[i].variable) != NULL && libpq_knows(known, neutral[i].words))
            text_format(&text, " %s", neutral[i].words);
    words = arena_text(arena, text.bytes);
    text_close(&text);
    PQconninfoFree(known);
    return words;
}

void server_forget_environment(void)
{
    char name[128];

    for (char **entry = environ; *entry != NULL;) {
        size_t length = strcspn(*entry, "=");

        if (strncmp(*entry, "PG", 2) != 0 || length >= sizeof name) {
            entry++;
            continue;
        }
        memcpy(name, *entry, length);
        name[length] = '\0';
        unsetenv(name); /* the next one moves up into its place */
    }
}
