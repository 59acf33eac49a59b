/*
 * load.c - `pgdyno load WORKLOAD`: makes and fills a data set, or what is missing of it.
 *
 * Ctrl-C ends it at the next chunk, a second one at once; both are harmless, for the same load goes
 * on from what is finished.
 */
#include "load/load.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/common.h"
#include "command/progress.h"
#include "command/target.h"

#define STEPS_SHOWN 16
#define WHAT_SHOWN  54 /* fits into 80 columns */
#define NUMBER_SIZE 32

/* ---- telling ---- */

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *word_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* A key's statement as it fits into a line: what comes after ADD CONSTRAINT. */
static const char *shortened(const char *what)
{
    static const char adding[] = " ADD CONSTRAINT ";
    const char *name = strncmp(what, "ALTER TABLE ", 12) == 0 ? strstr(what, adding) : NULL;

    return name != NULL ? name + sizeof adding - 1 : what;
}

static void print_step(const json_t *one, const char *name, const char *what)
{
    double seconds = real_of(one, "seconds");
    int64_t rows = whole_of(one, "rows"), bytes = whole_of(one, "bytes");
    char words[3][NUMBER_SIZE];

    printf("  %-10s %9.2f s", name, seconds);
    if (bytes > 0 && seconds > 0)
        printf("  %s rows  %s rows/s  %s/s", progress_count(rows, words[0]),
               progress_count((int64_t)((double)rows / seconds), words[1]),
               progress_size((int64_t)((double)bytes / seconds), words[2]));
    if ((int)strlen(what) > WHAT_SHOWN)
        printf("  %.*s...\n", WHAT_SHOWN - 3, what);
    else
        printf("%s%s\n", what[0] != '\0' ? "  " : "", what);
}

/* The phases; and each index by itself when they are few. */
static void print_steps(const json_t *report)
{
    const json_t *phases = json_object_get(report, "phases");
    const json_t *steps = json_object_get(report, "steps");

    for (size_t i = 0; i < json_array_size(phases); i++) {
        const json_t *phase = json_array_get(phases, i);
        print_step(phase, word_of(phase, "step"), "");
        if (strcmp(word_of(phase, "step"), "index") != 0 || whole_of(phase, "count") > STEPS_SHOWN)
            continue;
        for (size_t at = 0; at < json_array_size(steps); at++) {
            const json_t *step = json_array_get(steps, at);
            if (strcmp(word_of(step, "step"), "index") == 0)
                print_step(step, "", shortened(word_of(step, "what")));
        }
    }
}

static void print_report(const json_t *report, bool quiet)
{
    const json_t *notes = json_object_get(report, "notes");
    int tables = (int)whole_of(report, "tables");
    char rows[NUMBER_SIZE], size[NUMBER_SIZE];

    progress_count(whole_of(report, "rows"), rows);
    progress_size(whole_of(report, "size_bytes"), size);
    if (tables == 0) {
        printf("%s has no data: nothing to load\n", word_of(report, "workload"));
        return;
    }
    if (!quiet && !json_is_true(json_object_get(report, "nothing_to_do")))
        print_steps(report);
    for (size_t i = 0; i < json_array_size(notes); i++)
        printf("note: %s\n", json_string_value(json_array_get(notes, i)));
    printf("%s: %d table%s, %s rows, %s in schema %s, data seed %lld:%s",
           word_of(report, "workload"), tables, tables == 1 ? "" : "s", rows, size,
           word_of(report, "schema"), (long long)whole_of(report, "data_seed"),
           quiet ? " " : "\n  ");
    if (json_is_true(json_object_get(report, "nothing_to_do")))
        printf("all there already, nothing to do\n");
    else
        printf("loaded in %.1f s over %d connection%s\n", real_of(report, "seconds"),
               (int)whole_of(report, "connections"),
               whole_of(report, "connections") == 1 ? "" : "s");
}

/* ---- keeping ---- */

static bool make_folder(const char *path, struct error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    return error_set(err, ERROR_MACHINE, "cannot make the folder %s: %s", path, strerror(errno));
}

/* <results>/<stamp>-load-<workload>/load.json, when --results asks for it. */
static bool keep_report(const struct command_call *call, const json_t *report, struct error *err)
{
    char stamp[20], *name = memory_text(call->workload->name);
    const char *folder, *path;

    clock_stamp(clock_wall_ns(), stamp, sizeof stamp);
    text_name_file(name);
    folder = arena_format(call->arena, "%s/%s-load-%s", call->plan.results, stamp, name);
    memory_free(name);
    path = arena_format(call->arena, "%s/load.json", folder);
    if (!make_folder(call->plan.results, err) || !make_folder(folder, err))
        return false;
    if (json_dump_file(report, path, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0)
        return error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
    printf("written: %s\n", path);
    return true;
}

/* ---- the verb ---- */

static bool load(struct command_call *call, struct error *err)
{
    struct progress progress = { .out = stdout, .quiet = call->plan.quiet };
    const struct option_group *options = call->options != NULL ? &call->groups[1] : NULL;
    struct load_setup setup = { .plan = &call->plan,
                                .workload = call->workload,
                                .world = call->world,
                                .options = options,
                                .progress = progress_tell,
                                .context = &progress };
    json_t *report = NULL;
    bool local, ok;

    /* One command line serves load and run; only said on purpose does it bound the loader. */
    if (option_given(&call->args, "connections"))
        setup.connections = (int)call->plan.connections;
    if (call->workload->table_count != NULL &&
        !target_open(&call->plan, call->arena, &setup.conninfo, &local, err))
        return false;
    load_signals();
    ok = load_data(&setup, &report, err);
    progress_end(&progress);
    if (ok)
        print_report(report, call->plan.quiet);
    if (ok && option_given(&call->args, "results"))
        ok = keep_report(call, report, err);
    json_decref(report);
    return ok;
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { .own = NULL };

    if (command_read(&call, &command_load, argc, argv, err))
        load(&call, err);
    command_close(&call);
    return err->kind;
}

static const char *const load_defaults[] = { "--connections=one a CPU, at most 4",
                                             "--results=", NULL };

const struct command command_load = {
    .name = "load",
    .summary = "create and fill a workload's data set, or what is missing of it",
    .usage = "WORKLOAD [options]",
    .text =
        "Makes the tables that a workload works on, fills them by COPY over several "
        "connections (one a CPU, at most 4, unless --connections says how many), builds keys "
        "and indexes, and ends with VACUUM and CHECKPOINT. The same --data-seed gives the same "
        "rows, however many connections there are. A load that was interrupted goes on where it "
        "stopped; a second load of the same data does nothing. Other data, and data that a run "
        "has taken rows from or added rows to, are refused; --force drops and makes them anew, "
        "each time: to go on after an interruption, leave it away. "
        "A server that gives no sign of life for twice --connect-timeout ends the load; one that "
        "says over another connection that it is at work is waited for. "
        "What is done is kept in the table pgdyno_dataset beside the data; "
        "tables that load did not make are never touched. With --results FOLDER the steps and "
        "their times are written there, to <time>-load-<workload>/load.json.",
    .defaults = load_defaults,
    .topics = "target,connections,connect-timeout,data-seed,force,results,quiet",
    .takes_workload = true,
    .run = run,
};
