/*
 * compare_gather.c - operands into rows and columns.
 */
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/comparison.h"
#include "store/store.h"

#define NOTE_MAX  4096
#define VALUE_MAX 200
#define RUNS_STEP 64

void comparison_close(struct comparison *comparison)
{
    for (int i = 0; i < comparison->run_count; i++)
        json_decref(comparison->runs[i].result);
    memory_free(comparison->runs);
    json_decref(comparison->notes);
}

void comparison_note(struct comparison *comparison, const char *format, ...)
{
    char words[NOTE_MAX];
    va_list arguments;
    json_t *note;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    note = json_string(words);
    for (size_t i = 0; i < json_array_size(comparison->notes); i++)
        if (note != NULL && json_equal(note, json_array_get(comparison->notes, i))) {
            json_decref(note);
            return;
        }
    if (note != NULL)
        json_array_append_new(comparison->notes, note);
}

/* ---- a result joins ---- */

static bool ended_well(struct comparison *comparison, const char *path, const json_t *result)
{
    const char *ended = json_string_value(json_object_get(result, "ended"));
    json_int_t code = json_integer_value(json_object_get(result, "exit_code"));

    if (ended == NULL || strcmp(ended, "finished") == 0) {
        if (code != 0)
            comparison_note(comparison, "%s ended with exit code %lld, and is taken as it is", path,
                            (long long)code);
        return true;
    }
    comparison_note(comparison, "%s was %s before its end: left out", path, ended);
    return false;
}

bool compare_take(struct comparison *comparison, const char *path, struct error *err)
{
    json_t *result = store_read(path, err);
    int count = comparison->run_count;

    if (result == NULL)
        return false;
    if (!ended_well(comparison, path, result)) {
        json_decref(result);
        return true;
    }
    if (count == COMPARE_RUNS_MAX) {
        json_decref(result);
        return error_set(err, ERROR_USAGE, "more than %d results are too many at once",
                         COMPARE_RUNS_MAX);
    }
    if (count % RUNS_STEP == 0)
        comparison->runs = memory_resize(comparison->runs,
                                         (size_t)(count + RUNS_STEP) * sizeof(struct compared_run));
    comparison->runs[count] = (struct compared_run){ .path = arena_text(comparison->arena, path),
                                                     .result = result,
                                                     .block = -1 };
    comparison->run_count++;
    return true;
}

/* ---- folders ---- */

static bool is_there(struct arena *arena, const char *folder, const char *name)
{
    struct stat about;

    return stat(arena_format(arena, "%s/%s", folder, name), &about) == 0;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The results right below a folder, by name: that is by time. */
static bool take_below(struct comparison *comparison, const char *folder, struct error *err)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort), found = 0;
    bool fine = true;

    for (int i = 0; i < count; i++) {
        const char *path = arena_format(comparison->arena, "%s/%s", folder, entries[i]->d_name);

        if (fine && is_there(comparison->arena, path, "result.json")) {
            fine = compare_take(comparison, path, err);
            found++;
        } else if (fine && is_there(comparison->arena, path, "run.log")) {
            comparison_note(comparison, "%s did not end: left out", path);
        }
        free(entries[i]); /* scandir's own */
    }
    free(entries);
    if (fine && found == 0)
        return error_set(err, ERROR_USAGE, "%s: neither a result nor a folder of results", folder);
    return fine;
}

static bool take_word(struct comparison *comparison, const char *word, struct error *err)
{
    struct stat about;
    bool folder = stat(word, &about) == 0 && S_ISDIR(about.st_mode);

    if (folder && is_there(comparison->arena, word, "index.json"))
        return compare_bench_runs(comparison, word, err);
    if (folder && !is_there(comparison->arena, word, "result.json") &&
        !is_there(comparison->arena, word, "run.log"))
        return take_below(comparison, word, err);
    return compare_take(comparison, word, err);
}

/* ---- columns ---- */

const char *compare_version(const json_t *result, struct arena *arena)
{
    const json_t *target = json_object_get(result, "target");
    json_int_t number = json_integer_value(json_object_get(target, "version_num"));

    /* The text holds the compiler as well, and what the packager wrote behind the number. */
    return number >= 100000 ? arena_format(arena, "%lld.%lld", (long long)(number / 10000),
                                           (long long)(number % 10000))
                            : "?";
}

static const char *text_at(json_t *result, const char *path, struct arena *arena)
{
    if (strcmp(path, "target.version") == 0)
        return compare_version(result, arena);
    const json_t *value = store_find(result, path);

    if (json_is_string(value))
        return arena_format(arena, "%.*s", VALUE_MAX, json_string_value(value));
    if (json_is_integer(value))
        return arena_format(arena, "%lld", (long long)json_integer_value(value));
    if (json_is_real(value))
        return arena_format(arena, "%.10g", json_real_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? "on" : "off";
    return NULL;
}

static const char *by_path(const char *by, struct arena *arena)
{
    static const struct {
        const char *word, *path;
    } shorts[] = {
        { "label", "plan.label" }, { "version", "target.version" }, { "major", "target.major" },
        { "host", "target.host" }, { "client", "host.hostname" },
    };

    for (int i = 0; i < COUNT_OF(shorts); i++)
        if (strcmp(by, shorts[i].word) == 0)
            return shorts[i].path;
    return arena_text(arena, by);
}

/* The number of a name, added at the end when it is new; -1: too many. */
static int place_of(const char **names, int *count, int limit, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*count == limit)
        return -1;
    names[(*count)++] = name;
    return *count - 1;
}

static bool divide_by(struct comparison *comparison, const char *by, struct error *err)
{
    const char *path = by_path(by, comparison->arena);

    for (int i = 0; i < comparison->run_count; i++) {
        struct compared_run *run = &comparison->runs[i];
        const char *value = text_at(run->result, path, comparison->arena);

        run->column = place_of(comparison->columns, &comparison->column_count, COMPARE_COLUMNS_MAX,
                               value != NULL ? value : "(none)");
        if (run->column < 0)
            return error_set(err, ERROR_USAGE, "--by %s makes more than %d sides", by,
                             COMPARE_COLUMNS_MAX);
    }
    return true;
}

/* What all runs of a column have at `path`; NULL when they differ. */
static const char *common(const struct comparison *comparison, int column, const char *path)
{
    const char *found = NULL;

    for (int i = 0; i < comparison->run_count; i++) {
        const char *value;

        if (comparison->runs[i].column != column)
            continue;
        value = text_at(comparison->runs[i].result, path, comparison->arena);
        if (value == NULL || (found != NULL && strcmp(found, value) != 0))
            return NULL;
        found = value;
    }
    return found;
}

/* Sides were only numbered: they get the name of what tells them apart. */
static void name_columns(struct comparison *comparison)
{
    static const char *const paths[] = { "plan.label", "target.version" };
    const char *names[COMPARE_COLUMNS_MAX];

    for (int i = 0; i < COUNT_OF(paths); i++) {
        int count = 0;

        for (int column = 0; column < comparison->column_count; column++) {
            const char *name = common(comparison, column, paths[i]);
            if (name == NULL || place_of(names, &count, COMPARE_COLUMNS_MAX, name) != column)
                break;
        }
        if (count == comparison->column_count) {
            for (int column = 0; column < count; column++)
                comparison->columns[column] = names[column];
            return;
        }
    }
    for (int column = 0; column < comparison->column_count; column++)
        comparison->columns[column] = column == 0 ? "base"
                                      : comparison->column_count == 2
                                          ? "head"
                                          : arena_format(comparison->arena, "head %d", column);
}

/* ---- rows ---- */

static bool make_rows(struct comparison *comparison, struct error *err)
{
    for (int i = 0; i < comparison->run_count; i++) {
        struct compared_run *run = &comparison->runs[i];
        const char *workload = json_string_value(json_object_get(run->result, "workload"));

        run->row = place_of(comparison->rows, &comparison->row_count, COMPARE_ROWS_MAX,
                            arena_text(comparison->arena, workload != NULL ? workload : "?"));
        if (run->row < 0)
            return error_set(err, ERROR_USAGE, "more than %d workloads are too many at once",
                             COMPARE_ROWS_MAX);
    }
    return true;
}

/* The first run of a side belongs to the first of the other, and so on. */
static void number_blocks(struct comparison *comparison)
{
    int *next = MEMORY_ARRAY(int, COMPARE_ROWS_MAX *COMPARE_COLUMNS_MAX);

    for (int i = 0; i < comparison->run_count; i++) {
        struct compared_run *run = &comparison->runs[i];
        run->block = next[run->row * COMPARE_COLUMNS_MAX + run->column]++;
    }
    memory_free(next);
    comparison->paired = true;
}

/* ---- the base first ---- */

static bool put_base_first(struct comparison *comparison, const char *base, struct error *err)
{
    const char *name;
    int found = 0;

    while (found < comparison->column_count && strcmp(comparison->columns[found], base) != 0)
        found++;
    if (found == comparison->column_count)
        return error_set(err, ERROR_USAGE, "--base %.100s: there is no such side; the first is %s",
                         base, comparison->columns[0]);
    name = comparison->columns[found];
    memmove(comparison->columns + 1, comparison->columns,
            (size_t)found * sizeof(*comparison->columns));
    comparison->columns[0] = name;
    for (int i = 0; i < comparison->run_count; i++) {
        int *column = &comparison->runs[i].column;
        *column = *column == found ? 0 : *column < found ? *column + 1 : *column;
    }
    return true;
}

static bool take_words(struct comparison *comparison, const struct operands *operands,
                       struct error *err)
{
    bool two = operands->count == 2 && operands->sides[1] == 0;

    for (int i = 0; i < operands->count; i++) {
        int first = comparison->run_count, side = two ? i : operands->sides[i];

        if (side >= COMPARE_COLUMNS_MAX)
            return error_set(err, ERROR_USAGE, "more than %d sides", COMPARE_COLUMNS_MAX);
        if (!take_word(comparison, operands->words[i], err))
            return false;
        for (int j = first; j < comparison->run_count; j++)
            comparison->runs[j].column = side;
        comparison->column_count = side + 1;
    }
    return true;
}

static bool gather(struct comparison *comparison, const struct compare_options *options,
                   const struct operands *operands, struct error *err)
{
    if (operands->count == 1 && options->by == NULL &&
        compare_bench(comparison, operands->words[0], err))
        return true;
    if (err->kind != ERROR_NONE || !take_words(comparison, operands, err) ||
        !make_rows(comparison, err))
        return false;
    if (options->by != NULL) {
        comparison->column_count = 0;
        if (!divide_by(comparison, options->by, err))
            return false;
    } else {
        name_columns(comparison);
    }
    if (options->paired)
        number_blocks(comparison);
    return true;
}

bool compare_gather(struct comparison *comparison, const struct compare_options *options,
                    const struct operands *operands, struct error *err)
{
    comparison->notes = json_array();
    if (!gather(comparison, options, operands, err))
        return false;
    if (comparison->column_count < 2)
        return error_set(err, ERROR_USAGE,
                         "that is one side only: compare BASE... -- HEAD..., or --by label");
    return options->base == NULL || put_base_first(comparison, options->base, err);
}
