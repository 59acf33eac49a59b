/*
 * bench.c - `pgdyno bench PLAN.yaml`: targets x workloads x repeats, in interleaved order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "command/bench.h"
#include "command/common.h"
#include "command/published.h"

#define BENCH_ARENA_LIMIT (1 << 30)
#define FACTOR_LOW        1e-6
#define FACTOR_HIGH       1e6

static const struct choice server_words[] = {
    { "stop", BENCH_SERVERS_STOP, "stopped at the end; their data stay" },
    { "keep", BENCH_SERVERS_KEEP, "the last one stays up" },
    { "remove", BENCH_SERVERS_REMOVE, "stopped and removed with their data when all is done" },
    { NULL, 0, NULL },
};

#define AT(field) offsetof(struct bench_options, field)

static const struct option bench_rows[] = {
    { .name = "output",
      .letter = 'o',
      .type = OPTION_TEXT,
      .at = AT(output),
      .unit = "folder",
      .topic = "bench",
      .since = "0.1",
      .help = "where the bench is kept; results/NAME of the plan by itself",
      .text = "It gets a copy of the plan and of the settings, index.json, a folder runs with the "
              "results and a folder logs with what the runs said." },
    { .name = "repeats",
      .type = OPTION_WHOLE,
      .at = AT(repeats),
      .fallback = "0",
      .high = PLAN_REPEATS_MAX,
      .unit = "blocks",
      .topic = "bench",
      .since = "0.1",
      .help = "in place of the plan's; more than a finished bench has adds blocks to it" },
    { .name = "scale-factor",
      .type = OPTION_REAL,
      .at = AT(scale),
      .low = FACTOR_LOW,
      .high = FACTOR_HIGH,
      .topic = "bench",
      .since = "0.1",
      .help = "multiplies the sizes of all data: --table-size, --warehouses, --scale" },
    { .name = "time-factor",
      .type = OPTION_REAL,
      .at = AT(time),
      .low = FACTOR_LOW,
      .high = FACTOR_HIGH,
      .topic = "bench",
      .since = "0.1",
      .help = "multiplies the plan's times: --time, --warmup, and the waits of a suite" },
    { .name = "dry-run",
      .type = OPTION_FLAG,
      .at = AT(dry_run),
      .fallback = "off",
      .topic = "bench",
      .since = "0.1",
      .help = "show the schedule and the time it will take, and do nothing" },
    { .name = "retry-failed",
      .type = OPTION_FLAG,
      .at = AT(retry_failed),
      .fallback = "off",
      .topic = "bench",
      .since = "0.1",
      .help = "make runs again that failed" },
    { .name = "servers",
      .type = OPTION_CHOICE,
      .at = AT(servers),
      .fallback = "stop",
      .choices = server_words,
      .topic = "bench",
      .since = "0.1",
      .help = "what becomes of local servers in the end" },
    { .name = "trust-plan",
      .type = OPTION_FLAG,
      .at = AT(trust_plan),
      .fallback = "off",
      .topic = "bench",
      .since = "0.1",
      .help = "take settings that make the server run, load or open something" },
    { .name = NULL },
};

/* The word is a plan, or the folder of a bench that was begun. */
static bool find_plan(struct bench *bench, const char *word, struct error *err)
{
    struct stat facts;

    if (stat(word, &facts) < 0 || !S_ISDIR(facts.st_mode)) {
        const char *published = access(word, F_OK) < 0 ? published_find(word, bench->arena) : NULL;
        if (published == NULL && access(word, F_OK) < 0)
            return error_set(err, ERROR_USAGE,
                             "there is no plan %s: neither such a file, nor one that pgdyno list "
                             "plans shows",
                             word);
        bench->plan_path = published != NULL ? published : word;
        return true;
    }
    if (bench->options.output != NULL)
        return error_set(err, ERROR_USAGE, "%s is the folder of a bench: leave --output out", word);
    bench->folder = arena_text(bench->arena, word);
    bench->plan_path = arena_format(bench->arena, "%s/" BENCH_PLAN, word);
    if (stat(bench->plan_path, &facts) == 0)
        return true;
    return error_set(err, ERROR_USAGE, "%s is not the folder of a bench: it has no " BENCH_PLAN,
                     word);
}

/* Settings lie in the folder of a bench by their target's name. */
static void settings_of_folder(struct bench *bench)
{
    for (int i = 0; i < bench->plan.target_count; i++) {
        struct plan_file_target *target = &bench->plan.targets[i];
        if (target->settings_count == 0)
            continue;
        target->settings[0] = arena_format(bench->arena, "settings/%s.conf", target->name);
        target->settings_count = 1;
        bench->settings_kept = true;
    }
}

static bool read_plan(struct bench *bench, struct error *err)
{
    bool by_folder = bench->folder != NULL;

    if (!by_folder && bench->options.output != NULL)
        bench->folder = bench->options.output;
    /* The default folder has the plan's name, which has to be read first. */
    bench->scale = bench->time = 1;
    if (bench->folder == NULL) {
        if (!bench_read_plan(bench, err))
            return false;
        bench->folder = arena_format(bench->arena, "results/%s", bench->plan.name);
        plan_file_close(&bench->plan);
    }
    if (!bench_recall(bench, err) || !bench_read_plan(bench, err))
        return false;
    if (by_folder)
        settings_of_folder(bench);
    return bench_read_targets(bench, err) && bench_make_rows(bench, err);
}

static void settle(struct bench *bench)
{
    int wanted = bench->options.repeats > 0 ? (int)bench->options.repeats : bench->plan.repeats;

    if (bench->repeats < wanted) /* what is done stays in the index */
        bench->repeats = wanted;
    if (bench->seed < 0)
        bench->seed = bench->plan.seed >= 0 ? bench->plan.seed : (int64_t)rng_fresh_seed();
}

static void tell_end(const struct bench *bench, enum error_kind kind)
{
    if (kind != ERROR_INTERRUPTED)
        printf("%s/" BENCH_INDEX " names all runs; pgdyno compare %s holds them against each "
               "other\n",
               bench->folder, bench->folder);
}

/* Blocks may be added to this bench later: their data are to be loaded again. */
static bool remove_servers(struct bench *bench, struct error *err)
{
    for (int i = 0; i < bench->plan.target_count; i++) {
        struct error ignored;
        if (!bench->targets[i].local)
            continue;
        setenv("PGDYNO_SERVERS", bench->targets[i].servers, 1);
        server_remove(bench->targets[i].major, NULL, &ignored);
        bench_forget_data(bench, i);
    }
    return bench_write_index(bench, err);
}

static bool act(struct bench *bench, const char *word, struct error *err)
{
    enum error_kind kind;

    err->kind = ERROR_NONE;
    if (!find_plan(bench, word, err) || !read_plan(bench, err))
        return false;
    settle(bench);
    if (!bench_make_steps(bench, err) || !bench_recall_steps(bench, err))
        return false;
    if (bench->options.dry_run) {
        if (!bench_same_plan(bench, err))
            return false;
        bench_show_schedule(bench);
        return true;
    }
    if (!bench_hold_servers(bench, err) || !bench_open_folder(bench, err))
        return false;
    kind = bench_run_steps(bench, err);
    tell_end(bench, kind);
    if (kind == ERROR_NONE && bench->options.servers == BENCH_SERVERS_REMOVE)
        return remove_servers(bench, err);
    return kind == ERROR_NONE;
}

static void release(struct bench *bench)
{
    for (int i = 0; i < bench->step_count; i++)
        json_decref(bench->steps[i].entry);
    for (int i = 0; i < bench->plan.target_count && bench->targets != NULL; i++)
        if (bench->targets[i].held > 0)
            close(bench->targets[i].held);
    json_decref(bench->data);
    plan_file_close(&bench->plan);
    if (bench->lock >= 0)
        close(bench->lock);
    arena_free(bench->arena);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct bench bench = { .lock = -1, .up = -1 };
    struct command_call call = { .own = &bench.options };

    bench.arena = arena_new(BENCH_ARENA_LIMIT);
    if (command_read(&call, &command_bench, argc, argv, err)) {
        if (call.args.word_count == 1)
            act(&bench, call.args.words[0], err);
        else
            error_set(err, ERROR_USAGE,
                      "pgdyno bench: wanted is one plan, or the folder of a "
                      "bench that was begun");
    }
    release(&bench);
    command_close(&call);
    return err->kind;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "targets x workloads x repeats by a plan, in interleaved order",
    .usage = "PLAN|FOLDER [options]",
    .text =
        "Carries out a plan, a file or the name of one that list plans shows: every workload on "
        "every target, as many times as it repeats. In each "
        "block workloads and targets come in random order and all runs have one seed, so that "
        "what drifts on the machine drifts for all of them. Each run is one of pgdyno run, with a "
        "result of its own; index.json in the folder of the bench says which is which. Ctrl-C "
        "ends it with the run at hand, and the same command, or pgdyno bench FOLDER, goes on "
        "after the last run that is done. Local servers of a bench are its own, apart from "
        "those that local:MAJOR means elsewhere, all with data checksums, and one of them runs at "
        "a time. Data are loaded where they are missing, and brought back into their state as "
        "the plan says. docs/bench.md tells what a plan can say.",
    .topics = "",
    .options = bench_rows,
    .run = run,
};
