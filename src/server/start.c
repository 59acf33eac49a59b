/*
 * start.c - makes sure that a kept server is there and runs as asked.
 *
 * The order matters: new settings are tried with `postgres -C` before a running server is stopped
 * for them, and are taken back if it then does not start, so that a slip in a settings file costs a
 * message and not a server.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "server/cluster.h"
#include "server/folder.h"
#include "server/home.h"
#include "server/inside.h"
#include "server/postmaster.h"
#include "server/settings.h"

#define CONF_HEAD                                                        \
    "# Written by pgdyno at each start; what is changed here is lost.\n" \
    "# To change settings: pgdyno server start --settings FILE\n"

struct start {
    struct home home;
    struct server_install install;
    const struct server_options *options;
    struct settings own, all; /* the person's; those and ours */
    struct text conf;
    char program[SERVER_PATH_MAX]; /* of the running server */
    bool running, restarted;
};

/* Another program than the one that runs is asked for by name. */
static bool other_program(const struct start *start)
{
    size_t length = strlen(start->install.bin);

    return start->running && start->options->pg_bin != NULL &&
           (strncmp(start->program, start->install.bin, length) != 0 ||
            strcmp(start->program + length, "/postgres") != 0);
}

static bool read_own_settings(struct start *start, struct error *err)
{
    struct home *home = &start->home;
    const char *given = start->options->settings;
    char *content;
    bool good;

    if (given != NULL && strcmp(given, "default") == 0) {
        home->settings_name[0] = '\0';
        return true;
    }
    content = folder_read(given != NULL ? given : home->own_settings);
    if (content == NULL && given == NULL)
        return true;
    if (content == NULL)
        return error_set(err, ERROR_USAGE, "cannot read the settings file %s: %s", given,
                         strerror(errno));
    if (given != NULL)
        snprintf(home->settings_name, sizeof home->settings_name, "%.*s", (int)strcspn(given, "\n"),
                 given);
    good = settings_parse(content, home->settings_name, &start->own, err);
    memory_free(content);
    return good;
}

/* A port that nobody has now; 0 when there is none. */
static int free_port(int wanted)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                   .sin_port = htons((in_port_t)wanted) };
    socklen_t size = sizeof address;
    int yes = 1, port = 0, ear = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (ear < 0)
        return 0;
    setsockopt(ear, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(ear, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(ear, (struct sockaddr *)&address, &size) == 0)
        port = ntohs(address.sin_port);
    close(ear);
    return port == 0 && wanted != 0 ? free_port(0) : port;
}

static bool choose_door(struct start *start, struct error *err)
{
    struct home *home = &start->home;
    struct settings *all = &start->all;
    bool was_open = start->running && home->tcp;
    char port[16];

    home->tcp = start->options->tcp || was_open;
    if (!home->tcp)
        home->port = HOME_PORT;
    else if (!was_open)
        home->port = free_port(home->port == HOME_PORT ? 0 : home->port);
    if (home->port == 0)
        return error_set(err, ERROR_MACHINE, "no free TCP port on 127.0.0.1");
    snprintf(port, sizeof port, "%d", home->port);
    settings_set(all, "port", port,
                 home->tcp ? "one that was free" : "a part of the socket's name");
    settings_set(all, "unix_socket_directories", home->socket, "only the server's account enters");
    settings_set(all, "listen_addresses", home->tcp ? "127.0.0.1" : "",
                 home->tcp ? "--tcp, with a password" : "the socket only");
    return true;
}

static int64_t disk_bytes(const char *folder)
{
    char there[SERVER_PATH_MAX];
    struct statvfs disk;

    snprintf(there, sizeof there, "%s", folder);
    folder_existing(there);
    return statvfs(there, &disk) == 0 ? (int64_t)disk.f_blocks * (int64_t)disk.f_frsize : 0;
}

static bool make_conf(struct start *start, struct error *err)
{
    struct settings *ours;
    struct limits limits;

    if (!read_own_settings(start, err) || !choose_door(start, err))
        return false;
    limits_read("", &limits);
    ours = MEMORY_NEW(struct settings);
    settings_choose(start->home.major, &limits, disk_bytes(start->home.data), ours);
    settings_merge(&start->all, ours);
    settings_merge(&start->all, &start->own);
    memory_free(ours);
    text_add(&start->conf, CONF_HEAD);
    settings_render(&start->all, &start->conf);
    return true;
}

/* Asks the program itself, without starting a server, whether it would take these settings. */
static bool try_conf(const struct start *start, struct error *err)
{
    char path[SERVER_PATH_MAX + 8], option[SERVER_PATH_MAX + 32];
    const char *words[] = { "postgres", "-D", start->home.data, "-c", option, "-C", "port", NULL };
    struct process_result result;
    char *complaint;
    bool good;

    snprintf(path, sizeof path, "%s.try", start->home.conf);
    snprintf(option, sizeof option, "config_file=%s", path);
    good = folder_write(path, start->conf.bytes, 0644, err) &&
           cluster_program(&start->home, &start->install, words, &result, err);
    unlink(path);
    if (!good || result.status == 0)
        return good;
    complaint = strstr(result.output, "LOG:  ");
    complaint = complaint != NULL ? complaint + strlen("LOG:  ") : result.output;
    complaint[strcspn(complaint, "\n")] = '\0';
    if (strstr(complaint, " in file ") != NULL)
        *strstr(complaint, " in file ") = '\0';
    return error_set(err, ERROR_PLAN, "PostgreSQL %s refuses the settings%s%s: %s",
                     start->install.version, start->home.settings_name[0] != '\0' ? " of " : "",
                     start->home.settings_name, complaint);
}

/* The settings it had, and running if it ran. */
static void restore(const struct start *start, const char *conf, struct error *err)
{
    struct error ignored;

    if (folder_write(start->home.conf, conf, 0644, &ignored) && start->running &&
        postmaster_start(&start->home, &start->install, &ignored))
        error_wrap(err, "it runs again with the settings it had, since with these");
}

/* Writes the settings and starts; without success the old ones are back. */
static bool launch(struct start *start, struct error *err)
{
    struct home *home = &start->home;
    char *old = folder_read(home->conf);
    bool good = folder_write(home->conf, start->conf.bytes, 0644, err) &&
                postmaster_start(home, &start->install, err);

    if (!good && old != NULL)
        restore(start, old, err);
    memory_free(old);
    return good;
}

static bool remember(struct start *start, struct error *err)
{
    struct text text;
    bool good = true;

    text_init(&text, FOLDER_FILE_MAX);
    settings_render(&start->own, &text);
    if (start->own.count > 0)
        good = folder_write(start->home.own_settings, text.bytes, 0644, err);
    else
        unlink(start->home.own_settings);
    text_close(&text);
    return good && home_remember(&start->home, err);
}

static bool bring_up(struct start *start, struct error *err)
{
    struct home *home = &start->home;
    char *old;
    bool same;

    if (!cluster_make(home, &start->install, start->options, err) || !home_socket(home, err) ||
        !make_conf(start, err))
        return false;
    old = folder_read(home->conf);
    same = old != NULL && strcmp(old, start->conf.bytes) == 0 && !other_program(start);
    memory_free(old);
    if (start->running && same)
        return true;
    if (!try_conf(start, err))
        return false;
    if (start->running) {
        home_say(start->options, "restarting PostgreSQL %d: %s", home->major,
                 other_program(start) ? "another --pg-bin is asked for" : "its settings change");
        if (!postmaster_stop(home, start->options, err))
            return false;
    }
    return launch(start, err) && remember(start, err) && inside_prepare(home, err) &&
           inside_verify(home, &start->all, err);
}

/* Said when the place is not the one that was asked for, and checked before anything is made. */
static bool check_reach(const struct start *start, struct error *err)
{
    const char *state = getenv("XDG_STATE_HOME");
    const struct account *account = &start->home.account;
    char program[SERVER_PATH_MAX];

    if (state != NULL && state[0] == '/' && strncmp(state, start->home.servers, strlen(state)) != 0)
        home_say(start->options, "the account %s does not get into %s, so servers are kept in %s",
                 account->name, state, start->home.servers);
    if (!folder_join(program, start->install.bin, "postgres", err))
        return false;
    if (account_may(account, program, X_OK))
        return true;
    return error_set(err, ERROR_MACHINE,
                     "the server runs as the account %s, which cannot get at %s (a folder above "
                     "it is closed): move it or open the folder",
                     account->name, program);
}

static bool needs_nothing(const struct start *start)
{
    const struct server_options *options = start->options;

    return start->running && options->settings == NULL && (!options->tcp || start->home.tcp) &&
           !other_program(start);
}

static bool start_locked(struct start *start, struct server_kept *kept, struct error *err)
{
    struct home *home = &start->home;
    struct error ignored;
    bool fresh, started = false;

    /* Asked again under the lock: another pgdyno may just have made it. */
    if (!home_open(home->major, home, err))
        return false;
    start->running = home_pid(home, start->program, sizeof start->program) != 0;
    if ((!start->running || start->options->pg_bin != NULL || start->options->settings != NULL ||
         start->options->tcp) &&
        start->install.major == 0 &&
        !server_pick(start->options->pg_bin, home->major, &start->install, err))
        return false;
    if (!needs_nothing(start)) {
        fresh = !home->ours;
        if (!check_reach(start, err) || !home_make(home, err))
            return false;
        if (!bring_up(start, err)) {
            if (fresh && access(home->data, F_OK) < 0)
                folder_remove(home->folder, &ignored); /* nothing half made stays */
            return false;
        }
        started = !start->running;
        if (started && !start->options->brief)
            home_say(start->options, "PostgreSQL %s runs and stays up: pgdyno server stop %d",
                     start->install.version, home->major);
    }
    home_kept(home, kept);
    kept->started = started;
    return kept->running ||
           error_set(err, ERROR_SERVER, "the server has gone again; see %s", home->log);
}

bool server_start(int major, const struct server_options *options, struct server_kept *kept,
                  struct error *err)
{
    static const struct server_options nothing;
    struct start *start = MEMORY_NEW(struct start);
    bool good = true;
    int lock = -1;

    start->options = options != NULL ? options : &nothing;
    text_init(&start->conf, FOLDER_FILE_MAX);
    if (major == 0) {
        good = server_pick(start->options->pg_bin, 0, &start->install, err);
        major = start->install.major;
    }
    good = good && home_open(major, &start->home, err);
    if (good && !start->home.ours &&
        start->install.major == 0) /* leave no trace if it is missing */
        good = server_pick(start->options->pg_bin, major, &start->install, err);
    if (good)
        lock = home_lock(&start->home, start->options, err);
    good = lock >= 0 && start_locked(start, kept, err);
    if (lock >= 0)
        close(lock);
    text_close(&start->conf);
    memory_free(start);
    return good;
}

int server_default_settings(int major, struct server_setting *out, int max)
{
    struct settings *ours = MEMORY_NEW(struct settings);
    struct account account;
    struct limits limits;
    struct error ignored;
    char servers[SERVER_PATH_MAX];
    int count;

    limits_read("", &limits);
    if (!home_servers(&account, servers, &ignored))
        memcpy(servers, "/", 2);
    settings_choose(major, &limits, disk_bytes(servers), ours);
    count = ours->count < max ? ours->count : max;
    memcpy(out, ours->rows, (size_t)count * sizeof *out);
    memory_free(ours);
    return count;
}
