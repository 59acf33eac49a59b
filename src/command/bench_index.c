/*
 * bench_index.c - the folder of a bench. index.json is written anew after each step, beside itself
 * and renamed, so that it is whole whenever the bench ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/bench.h"
#include "wire/conninfo.h"

#define INDEX_BYTES_MAX (256 << 20)
#define LINE_SHOWN      80

bool bench_write_file(const char *path, const char *content, struct error *err)
{
    char *beside = memory_format("%s.new", path);
    size_t length = strlen(content);
    int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0;

    for (size_t done = 0; good && done < length;) {
        ssize_t wrote = write(file, content + done, length - done);
        good = wrote > 0 || (wrote < 0 && errno == EINTR);
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    good = good && fsync(file) == 0 && rename(beside, path) == 0;
    if (!good)
        error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    memory_free(beside);
    return good;
}

static bool make_folder(const char *path, struct error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    return error_set(err, ERROR_MACHINE, "cannot make the folder %s: %s", path, strerror(errno));
}

static const char *inside(const struct bench *bench, const char *name)
{
    return arena_format(bench->arena, "%s/%s", bench->folder, name);
}

/* ---- the folder ---- */

/* Where a line is shown from, so that what differs in it is seen. */
static const char *shown_from(const char *line, size_t differs_at)
{
    return differs_at > LINE_SHOWN / 2 ? line + differs_at - LINE_SHOWN / 4 : line;
}

static bool tell_line(const char *was, const char *is, const char *what, int line,
                      struct error *err)
{
    size_t same = 0, a, b;

    while (was[same] == is[same] && was[same] != '\n' && was[same] != '\0')
        same++;
    was = shown_from(was, same);
    is = shown_from(is, same);
    a = strcspn(was, "\n");
    b = strcspn(is, "\n");
    return error_set(err, ERROR_PLAN,
                     "%s is not what this bench was begun with: line %d was `%.*s', now it is "
                     "`%.*s'; give the bench another folder (-o), or the old file back",
                     what, line, (int)(a < LINE_SHOWN ? a : LINE_SHOWN), was,
                     (int)(b < LINE_SHOWN ? b : LINE_SHOWN), is);
}

/* The first line in which two texts differ, as people read it. */
static bool tell_difference(const char *was, const char *is, const char *what, struct error *err)
{
    int line = 1;

    for (;;) {
        size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");
        if (a != b || memcmp(was, is, a) != 0)
            return tell_line(was, is, what, line, err);
        if (was[a] == '\0' || is[b] == '\0')
            break;
        was += a + 1;
        is += b + 1;
        line++;
    }
    return error_set(err, ERROR_PLAN,
                     "%s is not what this bench was begun with: it differs in its last line", what);
}

/* Writes it, or holds it against what is there. */
static bool keep_file(const struct bench *bench, const char *path, const char *content,
                      const char *what, struct error *err)
{
    struct stat facts;
    const char *was;

    if (!bench->begun_before || stat(path, &facts) < 0)
        return bench_write_file(path, content, err);
    was = bench_read_file(bench->arena, path, INDEX_BYTES_MAX, NULL, err);
    return was != NULL && (strcmp(was, content) == 0 || tell_difference(was, content, what, err));
}

static bool keep_settings(struct bench *bench, struct error *err)
{
    if (!make_folder(inside(bench, "settings"), err))
        return false;
    for (int i = 0; i < bench->plan.target_count; i++) {
        struct bench_target *target = &bench->targets[i];
        if (!target->local || target->settings[0] == '\0')
            continue;
        target->settings_path =
            arena_format(bench->arena, "%s/settings/%s.conf", bench->folder, target->plan->name);
        if (!keep_file(bench, target->settings_path, target->settings,
                       arena_format(bench->arena, "the settings of target %s", target->plan->name),
                       err))
            return false;
    }
    return true;
}

static bool lock_folder(struct bench *bench, struct error *err)
{
    const char *path = inside(bench, ".lock");

    bench->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (bench->lock < 0)
        return error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
    return flock(bench->lock, LOCK_EX | LOCK_NB) == 0 ||
           error_set(err, ERROR_PLAN, "another pgdyno bench is at work in %s", bench->folder);
}

/* What was read of the bench was read before the folder was locked. */
static bool is_as_read(const struct bench *bench, struct error *err)
{
    struct stat facts;
    bool there = stat(inside(bench, BENCH_INDEX), &facts) == 0;

    if (there == bench->begun_before &&
        (!there || (facts.st_mtim.tv_sec == bench->index_time.tv_sec &&
                    facts.st_mtim.tv_nsec == bench->index_time.tv_nsec)))
        return true;
    return error_set(err, ERROR_PLAN,
                     "another pgdyno bench was at work in %s until now: begin this one again",
                     bench->folder);
}

bool bench_open_folder(struct bench *bench, struct error *err)
{
    char *above = memory_text(bench->folder);
    char *slash = strrchr(above, '/');
    bool good = true;

    if (slash != NULL && slash != above) {
        *slash = '\0';
        good = make_folder(above, err);
    }
    memory_free(above);
    return good && make_folder(bench->folder, err) && lock_folder(bench, err) &&
           is_as_read(bench, err) && make_folder(inside(bench, "runs"), err) &&
           make_folder(inside(bench, "logs"), err) &&
           keep_file(bench, inside(bench, BENCH_PLAN), bench->plan_text, "the plan", err) &&
           keep_settings(bench, err);
}

bool bench_same_plan(struct bench *bench, struct error *err)
{
    return !bench->begun_before ||
           (keep_file(bench, inside(bench, BENCH_PLAN), bench->plan_text, "the plan", err) &&
            keep_settings(bench, err));
}

/* ---- what was begun ---- */

static json_t *read_index(const struct bench *bench, struct error *err)
{
    const char *path = inside(bench, BENCH_INDEX);
    json_error_t wrong;
    json_t *index = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);

    if (index == NULL)
        error_set(err, ERROR_PLAN, "%s, line %d: %s", path, wrong.line, wrong.text);
    else if (json_integer_value(json_object_get(index, "schema")) != BENCH_SCHEMA) {
        error_set(err, ERROR_PLAN, "%s is not an index that this pgdyno knows", path);
        json_decref(index);
        index = NULL;
    }
    return index;
}

/* A factor that was said now must be what it was. */
static bool recall_factor(const json_t *index, const char *key, double *factor, struct error *err)
{
    double was = json_number_value(json_object_get(index, key));

    if (was <= 0)
        was = 1;
    if (*factor != 0 && fabs(*factor - was) > 1e-12 * was) /* it was written with 15 digits */
        return error_set(err, ERROR_PLAN,
                         "this bench was begun with %s %g, not %g: give it another folder (-o)",
                         key, was, *factor);
    *factor = was;
    return true;
}

bool bench_recall(struct bench *bench, struct error *err)
{
    struct stat facts;
    json_t *index;
    bool good = true;

    bench->scale = bench->options.scale;
    bench->time = bench->options.time;
    bench->seed = -1;
    if (stat(inside(bench, BENCH_INDEX), &facts) == 0) {
        bench->begun_before = true;
        bench->index_time = facts.st_mtim;
        index = read_index(bench, err);
        good = index != NULL && recall_factor(index, "scale_factor", &bench->scale, err) &&
               recall_factor(index, "time_factor", &bench->time, err);
        if (good) {
            const char *begun = json_string_value(json_object_get(index, "begun"));
            bench->seed = json_integer_value(json_object_get(index, "seed"));
            bench->repeats = (int)json_integer_value(json_object_get(index, "repeats"));
            bench->data = json_incref(json_object_get(index, "data"));
            snprintf(bench->begun, sizeof bench->begun, "%s", begun != NULL ? begun : "");
        }
        json_decref(index);
    } else {
        clock_iso(clock_wall_ns(), bench->begun, sizeof bench->begun);
    }
    if (bench->data == NULL)
        bench->data = json_object();
    bench->scale = bench->scale == 0 ? 1 : bench->scale;
    bench->time = bench->time == 0 ? 1 : bench->time;
    return good;
}

static struct bench_step *find_step(const struct bench *bench, const char *id)
{
    for (int i = 0; i < bench->step_count && id != NULL; i++)
        if (strcmp(bench->steps[i].id, id) == 0)
            return &bench->steps[i];
    return NULL;
}

static void recall_list(struct bench *bench, const json_t *list)
{
    json_t *entry;
    size_t index;

    json_array_foreach(list, index, entry)
    {
        const char *state = json_string_value(json_object_get(entry, "state"));
        struct bench_step *step = find_step(bench, json_string_value(json_object_get(entry, "id")));
        if (step == NULL || state == NULL)
            continue;
        step->entry = json_incref(entry);
        step->state = strcmp(state, "done") == 0     ? STEP_DONE
                      : strcmp(state, "failed") == 0 ? STEP_FAILED
                                                     : STEP_WAITING;
        if (step->state == STEP_FAILED && bench->options.retry_failed)
            step->state = STEP_WAITING;
    }
}

static char *shown_target(const struct bench_target *target)
{
    return target->local ? memory_format("local:%d", target->major)
                         : conninfo_public(target->conninfo);
}

/* A variable may hold another conninfo by now, and `local` another major: blocks of two servers
 * under one name would say nothing. */
static bool same_targets(const struct bench *bench, const json_t *list, struct error *err)
{
    for (int i = 0; i < bench->plan.target_count; i++) {
        const struct bench_target *target = &bench->targets[i];
        const char *was =
            json_string_value(json_object_get(json_array_get(list, (size_t)i), "target"));
        char *shown = shown_target(target);
        bool same = was == NULL || strcmp(was, shown) == 0;

        if (!same)
            error_set(err, ERROR_PLAN,
                      "target %s was %.300s when this bench was begun, now it is %.300s: give the "
                      "bench another folder (-o)",
                      target->plan->name, was, shown);
        memory_free(shown);
        if (!same)
            return false;
    }
    return true;
}

bool bench_recall_steps(struct bench *bench, struct error *err)
{
    json_t *index;
    bool same;

    if (!bench->begun_before)
        return true;
    index = read_index(bench, err);
    if (index == NULL)
        return false;
    same = same_targets(bench, json_object_get(index, "targets"), err);
    if (same) {
        recall_list(bench, json_object_get(index, "runs"));
        recall_list(bench, json_object_get(index, "unreported"));
    }
    json_decref(index);
    return same;
}

/* ---- writing ---- */

static json_t *targets_json(const struct bench *bench)
{
    json_t *list = json_array();

    for (int i = 0; i < bench->plan.target_count; i++) {
        const struct bench_target *target = &bench->targets[i];
        char *shown = shown_target(target);
        json_t *one = json_pack("{s:s, s:s, s:b}", "name", target->plan->name, "target", shown,
                                "local", target->local);
        if (target->settings[0] != '\0')
            json_object_set_new(one, "settings",
                                json_sprintf("settings/%s.conf", target->plan->name));
        if (target->plan->price != NULL)
            json_object_set(one, "price", target->plan->price);
        json_array_append_new(list, one);
        memory_free(shown);
    }
    return list;
}

static json_t *rows_json(const struct bench *bench)
{
    json_t *list = json_array();

    for (int i = 0; i < bench->row_count; i++) {
        const struct bench_row *row = &bench->rows[i];
        json_t *options = json_object();
        if (row->kind != BENCH_RUN) {
            json_decref(options);
            continue;
        }
        for (int at = 2; row->words[at] != NULL; at++) {
            const char *is = strchr(row->words[at], '=');
            char *key = memory_format("%.*s", (int)(is - row->words[at] - 2), row->words[at] + 2);
            json_object_set_new(options, key, json_string(is + 1));
            memory_free(key);
        }
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", row->name, "workload",
                                              row->workload, "options", options));
    }
    return list;
}

static json_t *precondition_json(const struct bench *bench)
{
    static const char *const words[] = { "vacuum", "checkpoint", "quiet" };
    json_t *list = json_array();

    for (int i = 0; i < 3; i++)
        if ((bench->plan.preconditions & (1U << i)) != 0)
            json_array_append_new(list, json_string(words[i]));
    return list;
}

static json_t *step_json(const struct bench *bench, const struct bench_step *step, int order)
{
    static const char *const states[] = { "waiting", "done", "failed" };
    json_t *entry = step->entry != NULL ? json_incref(step->entry) : json_object();

    json_object_set_new(entry, "id", json_string(step->id));
    json_object_set_new(entry, "order", json_integer(order + 1));
    json_object_set_new(entry, "block", json_integer(step->block));
    json_object_set_new(entry, "target", json_string(bench->targets[step->target].plan->name));
    json_object_set_new(entry, "row", json_string(bench->rows[step->row].name));
    json_object_set_new(entry, "seed", json_integer(step->seed));
    json_object_set_new(entry, "state", json_string(states[step->state]));
    return entry;
}

static json_t *index_json(const struct bench *bench)
{
    json_t *runs = json_array(), *unreported = json_array();

    for (int i = 0; i < bench->step_count; i++) {
        const struct bench_step *step = &bench->steps[i];
        json_array_append_new(bench->rows[step->row].kind == BENCH_RUN ? runs : unreported,
                              step_json(bench, step, i));
    }
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:I, s:i, s:f, s:f, s:s, s:o, s:o, s:o, s:o, s:o, s:O}", "schema",
        BENCH_SCHEMA, "name", bench->plan.name, "tool", "pgdyno " PGDYNO_VERSION, "begun",
        bench->begun, "seed", (json_int_t)bench->seed, "repeats", bench->repeats, "scale_factor",
        bench->scale, "time_factor", bench->time, "restore", plan_restore_word(bench->plan.restore),
        "precondition", precondition_json(bench), "targets", targets_json(bench), "rows",
        rows_json(bench), "runs", runs, "unreported", unreported, "data", bench->data);
}

bool bench_write_index(const struct bench *bench, struct error *err)
{
    json_t *index = index_json(bench);
    char *text = json_dumps(index, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    bool good;

    if (text == NULL) {
        json_decref(index);
        return error_set(err, ERROR_BUG, "the index of the bench is no JSON");
    }
    good = bench_write_file(inside(bench, BENCH_INDEX), text, err);
    memory_free(text);
    json_decref(index);
    return good;
}
