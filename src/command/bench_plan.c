/*
 * bench_plan.c - reads the plan of a bench and what it points at: environment variables and files
 * of settings.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "command/bench.h"
#include "plan/plan.h"
#include "wire/conninfo.h"

#define FILE_MAX      (1 << 20)
#define SERVERS_FIRST 48 /* bytes of the plan's name in the servers' */

char *bench_read_file(struct arena *arena, const char *path, size_t limit, size_t *size,
                      struct error *err)
{
    FILE *file = fopen(path, "re");
    struct stat facts;
    char *content;
    size_t got, room;

    if (file == NULL || fstat(fileno(file), &facts) < 0 || !S_ISREG(facts.st_mode)) {
        error_set(err, ERROR_USAGE, "cannot read %s: %s", path,
                  file == NULL ? strerror(errno) : "it is no file");
        if (file != NULL)
            fclose(file);
        return NULL;
    }
    room = (size_t)facts.st_size < limit ? (size_t)facts.st_size : limit;
    content = arena_take(arena, room + 1);
    got = fread(content, 1, room, file);
    err->kind = ERROR_NONE;
    if (ferror(file))
        error_set(err, ERROR_MACHINE, "cannot read %s: %s", path, strerror(errno));
    else if ((size_t)facts.st_size > limit)
        error_set(err, ERROR_PLAN, "%s: at most %zu bytes are read", path, limit);
    fclose(file);
    if (size != NULL)
        *size = got;
    return err->kind == ERROR_NONE ? content : NULL;
}

bool bench_read_plan(struct bench *bench, struct error *err)
{
    struct plan_file_source source = { .path = bench->plan_path,
                                       .words = bench_plan_words(),
                                       .scale = bench->scale,
                                       .time = bench->time };
    char *content = bench_read_file(bench->arena, bench->plan_path, FILE_MAX, &source.size, err);

    if (content == NULL)
        return false;
    source.content = content;
    bench->plan_text = content;
    return plan_file_read(&source, bench->arena, &bench->plan, err);
}

/* ---- settings ---- */

/* One that a plan may not have; false: told. */
static bool check_setting(const struct bench *bench, const char *file, int line, const char *words,
                          struct error *err)
{
    size_t length =
        strspn(words, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789");
    const char *name = arena_format(bench->arena, "%.*s", (int)length, words);
    const char *why = plan_refuses_setting(name);

    if (why == NULL || bench->options.trust_plan)
        return true;
    return error_set(err, ERROR_PLAN, "%s:%d: %s: %s; --trust-plan takes it all the same", file,
                     line, name, why);
}

static bool check_settings(const struct bench *bench, const char *file, const char *content,
                           struct error *err)
{
    int line = 1;

    while (*content != '\0') {
        content += strspn(content, " \t\r");
        if (*content != '#' && *content != '\n' && *content != '\0' &&
            !check_setting(bench, file, line, content, err))
            return false;
        content += strcspn(content, "\n");
        content += *content == '\n';
        line++;
    }
    return true;
}

/* Where a plan's file is: beside the plan, unless it says from the root. */
static const char *beside_plan(const struct bench *bench, const char *file)
{
    const char *slash = strrchr(bench->plan_path, '/');

    if (file[0] == '/' || slash == NULL)
        return file;
    return arena_format(bench->arena, "%.*s/%s", (int)(slash - bench->plan_path), bench->plan_path,
                        file);
}

static bool read_settings(struct bench *bench, struct bench_target *target, struct error *err)
{
    struct text all;
    bool good = true;

    text_init(&all, PLAN_SETTINGS_MAX * (FILE_MAX + 4096));
    for (int i = 0; i < target->plan->settings_count && good; i++) {
        const char *file = beside_plan(bench, target->plan->settings[i]);
        const char *content = bench_read_file(bench->arena, file, FILE_MAX, NULL, err);

        good = content != NULL && check_settings(bench, file, content, err);
        if (good && bench->settings_kept)
            text_add(&all, content);
        else if (good)
            text_format(&all, "# from %s\n%s\n", target->plan->settings[i], content);
        else
            error_wrap(err, "settings");
    }
    target->settings = arena_text(bench->arena, all.bytes);
    text_close(&all);
    return good;
}

/* ---- targets ---- */

static bool name_target(struct bench *bench, struct bench_target *target, struct error *err)
{
    const struct plan_file_target *plan = target->plan;
    const char *said = plan->target;

    if (said[0] == '$') {
        said = getenv(plan->target + 1);
        if (said == NULL || said[0] == '\0')
            return error_set(err, ERROR_PLAN,
                             "the environment variable %s, which is to hold its conninfo, is not "
                             "set",
                             plan->target + 1);
    }
    target->local = plan_target_local(said, &target->major, err);
    if (!target->local) {
        target->conninfo = said;
        target->servers = plan->name;
        return err->kind == ERROR_NONE && conninfo_check(said, err);
    }
    /* Another build of a major has data of its own. */
    target->servers =
        plan->pg_bin == NULL
            ? arena_format(bench->arena, "%.*s", SERVERS_FIRST, bench->plan.name)
            : arena_format(bench->arena, "%.*s-%s", SERVERS_FIRST, bench->plan.name, plan->name);
    return true;
}

static bool pick_major(struct bench *bench, struct bench_target *target, struct error *err)
{
    struct server_install *install = ARENA_NEW(bench->arena, struct server_install);

    if (!target->local)
        return true;
    if (!server_pick(target->plan->pg_bin, target->major, install, err))
        return false;
    target->major = install->major;
    return read_settings(bench, target, err);
}

bool bench_read_targets(struct bench *bench, struct error *err)
{
    bench->targets = ARENA_ARRAY(bench->arena, struct bench_target, bench->plan.target_count);
    for (int i = 0; i < bench->plan.target_count; i++) {
        struct bench_target *target = &bench->targets[i];

        target->plan = &bench->plan.targets[i];
        target->settings = "";
        if (!name_target(bench, target, err) || !pick_major(bench, target, err))
            return error_wrap(err, "%s:%d: target %s", bench->plan_path, target->plan->place.line,
                              target->plan->name);
    }
    return true;
}
