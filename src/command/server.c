/*
 * server.c - `pgdyno server`: the PostgreSQL servers that pgdyno keeps on this machine.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "command/common.h"
#include "server/server.h"

#define SETTINGS_SHOWN_MAX 256
#define MAJOR_HIGH         99

struct server_words {
    int64_t major; /* 0: the newest, or the only one */
    bool tcp;
};

static const struct option server_options_rows[] = {
    { .name = "major",
      .type = OPTION_WHOLE,
      .at = offsetof(struct server_words, major),
      .low = SERVER_MAJOR_LOW,
      .high = MAJOR_HIGH,
      .topic = "server",
      .since = "0.1.0",
      .help = "major version, as 17; the word alone does as well" },
    { .name = "tcp",
      .type = OPTION_FLAG,
      .at = offsetof(struct server_words, tcp),
      .topic = "server",
      .since = "0.1.0",
      .help = "start: also listen on 127.0.0.1, with a password",
      .text = "The server listens on a free port of 127.0.0.1 until it is stopped. The password is "
              "random; it lies in a file that only you can read, which `pgdyno server url` names. "
              "Targets called local go by the socket all the same; for TCP give the url as the "
              "target." },
    { .name = NULL },
};

static void say(void *context, const char *line)
{
    const bool *quiet = context;

    if (!*quiet)
        command_say(line);
}

/* A major as a word of its own: `pgdyno server start 17`. */
static bool read_major(const struct command_call *call, struct server_words *words,
                       struct error *err)
{
    const struct option_group group = { .rows = server_options_rows, .base = words };
    const struct option *row = option_find(&group, 1, "major", NULL);

    if (call->args.word_count < 2)
        return true;
    if (call->args.word_count > 2 || words->major != 0)
        return error_set(err, ERROR_USAGE, "pgdyno server: one major version is enough");
    if (option_set(row, words, call->args.words[1], call->arena, err))
        return true;
    return error_set(err, ERROR_USAGE, "server %s: found %.40s, wanted a major version, %d to %d",
                     call->args.words[0], call->args.words[1], SERVER_MAJOR_LOW, SERVER_MAJOR_HIGH);
}

static const char *show_size(int64_t bytes, struct arena *arena)
{
    if (bytes < 0)
        return "?";
    return arena_format(arena, "%" PRId64 " MB", bytes / (1 << 20));
}

static void list_kept(struct arena *arena)
{
    struct server_kept *kept = ARENA_ARRAY(arena, struct server_kept, SERVERS_MAX);
    int count = server_list(kept), n = 0;
    const char **cells = ARENA_ARRAY(arena, const char *, (count + 1) * 5);

    if (count == 0) {
        puts("No server is kept here yet: pgdyno server start [MAJOR] makes one.");
        return;
    }
    puts("Servers kept by pgdyno:");
    cells[n++] = "major";
    cells[n++] = "state";
    cells[n++] = "size";
    cells[n++] = "reached by";
    cells[n++] = "data";
    for (int i = 0; i < count; i++) {
        const struct server_kept *row = &kept[i];

        cells[n++] = arena_format(arena, "%d", row->major);
        cells[n++] = row->running ? arena_format(arena, "runs (%d)", row->pid) : "stopped";
        cells[n++] = show_size(row->size_bytes, arena);
        cells[n++] = row->running && row->tcp ? arena_format(arena, "127.0.0.1:%d", row->port)
                     : row->running           ? "socket"
                                              : "-";
        cells[n++] = row->data;
    }
    command_write_cells(stdout, cells, 5, count + 1);
}

static bool list(const struct command_call *call, struct error *err)
{
    struct arena *arena = call->arena;
    struct server_install *found = ARENA_ARRAY(arena, struct server_install, SERVERS_MAX);
    int count = server_find(call->plan.pg_bin, found), n = 0;
    const char **cells = ARENA_ARRAY(arena, const char *, (count + 1) * 4);
    struct error advice;

    (void)err;
    list_kept(arena);
    if (count == 0) {
        server_pick(NULL, 0, found, &advice);
        printf("\nN%s\n", advice.text + 1);
        return true;
    }
    puts("\nPostgreSQL on this machine:");
    cells[n++] = "major";
    cells[n++] = "version";
    cells[n++] = "found by";
    cells[n++] = "programs";
    for (int i = 0; i < count; i++) {
        cells[n++] = arena_format(arena, "%d", found[i].major);
        cells[n++] = found[i].version;
        cells[n++] = found[i].found_by;
        cells[n++] = found[i].bin;
    }
    command_write_cells(stdout, cells, 4, count + 1);
    return true;
}

static void show_settings(int major, struct arena *arena)
{
    struct server_setting *rows = ARENA_ARRAY(arena, struct server_setting, SETTINGS_SHOWN_MAX);
    int count = server_settings(major, rows, SETTINGS_SHOWN_MAX), n = 0;
    const char **cells = ARENA_ARRAY(arena, const char *, (count + 1) * 3);

    if (count == 0)
        return;
    cells[n++] = "setting";
    cells[n++] = "value";
    cells[n++] = "why";
    for (int i = 0; i < count; i++) {
        cells[n++] = rows[i].name;
        cells[n++] = rows[i].value[0] != '\0' ? rows[i].value : "''";
        cells[n++] = rows[i].why;
    }
    puts("Settings in force, beside PostgreSQL's own defaults (durability is untouched):");
    command_write_cells(stdout, cells, 3, count + 1);
}

static bool start(const struct command_call *call, const struct server_words *words,
                  const struct server_options *options, struct error *err)
{
    struct server_kept kept;

    if (!server_start((int)words->major, options, &kept, err))
        return false;
    if (!call->plan.quiet)
        show_settings(kept.major, call->arena);
    printf("%s\n", server_conninfo(&kept, NULL, call->arena));
    return true;
}

/* The conninfo alone, for `psql "$(pgdyno server url 17)"`; 0 is the only one that runs. */
static bool url(const struct command_call *call, const struct server_words *words,
                struct error *err)
{
    struct server_kept *kept = ARENA_ARRAY(call->arena, struct server_kept, SERVERS_MAX);
    const struct server_kept *found = NULL;
    int count = server_list(kept);

    for (int i = 0; i < count; i++) {
        if (!kept[i].running || (words->major != 0 && kept[i].major != words->major))
            continue;
        if (found != NULL)
            return error_set(err, ERROR_USAGE, "say which server: %d and %d run", found->major,
                             kept[i].major);
        found = &kept[i];
    }
    if (found == NULL && words->major != 0)
        return error_set(err, ERROR_SERVER, "PostgreSQL %d does not run: pgdyno server start %d",
                         (int)words->major, (int)words->major);
    if (found == NULL)
        return error_set(err, ERROR_SERVER, "no local server runs: pgdyno server start");
    printf("%s\n", server_conninfo(found, NULL, call->arena));
    return true;
}

/* Removing takes the data along: somebody at a terminal is asked. */
static bool confirm(const struct command_call *call, struct error *err)
{
    char answer[16];

    if (call->plan.yes || !isatty(STDIN_FILENO))
        return true;
    fputs("remove the server and all its data? [y/N] ", stdout);
    fflush(stdout);
    if (fgets(answer, sizeof answer, stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y'))
        return true;
    return error_set(err, ERROR_PLAN, "nothing was removed");
}

static bool act(const struct command_call *call, struct server_words *words, struct error *err)
{
    const char *verb = call->args.word_count > 0 ? call->args.words[0] : "list";
    bool quiet = call->plan.quiet;
    const struct server_options options = { .pg_bin = call->plan.pg_bin,
                                            .settings = call->plan.settings,
                                            .tcp = words->tcp,
                                            .say = say,
                                            .context = &quiet };

    if (!read_major(call, words, err))
        return false;
    if (strcmp(verb, "list") == 0)
        return list(call, err);
    if (strcmp(verb, "start") == 0)
        return start(call, words, &options, err);
    if (strcmp(verb, "stop") == 0)
        return server_stop((int)words->major, &options, err);
    if (strcmp(verb, "remove") == 0)
        return confirm(call, err) && server_remove((int)words->major, &options, err);
    if (strcmp(verb, "url") == 0)
        return url(call, words, err);
    return error_set(err, ERROR_USAGE, "pgdyno server: wanted is list, start, stop, remove or url");
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct server_words words = { 0 };
    struct command_call call = { .own = &words };

    if (command_read(&call, &command_server, argc, argv, err))
        act(&call, &words, err);
    command_close(&call);
    return err->kind;
}

const struct command command_server = {
    .name = "server",
    .summary = "local PostgreSQL servers: list, start, stop, remove, url",
    .usage = "list|start|stop|remove|url [MAJOR] [options]",
    .text =
        "Keeps PostgreSQL servers on this machine, one a major version, for targets that are "
        "called local or local:MAJOR. A server stays up until it is stopped, and its data stay "
        "until it is removed. start makes it if need be and shows its settings with the "
        "reasons; --settings FILE stays in force until another file or the word default is "
        "given, and restarts a running server. remove asks first when it is at a terminal, unless "
        "--yes is said. url prints a conninfo for "
        "psql and other programs.",
    .topics = "pg-bin,settings,yes,quiet",
    .options = server_options_rows,
    .run = run,
};
