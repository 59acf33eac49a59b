/*
 * compare_bench.c - the folder of a bench: index.json says which run stands where.
 */
#include <string.h>
#include <sys/stat.h>

#include "command/comparison.h"

#define INDEX_SCHEMA 1

/* The names of the index's targets or rows; an entry without one is named by its place. */
static bool read_names(const json_t *list, const char **names, int limit, struct arena *arena)
{
    if ((int)json_array_size(list) > limit)
        return false;
    for (int i = 0; i < (int)json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, (size_t)i);
        const char *name = json_string_value(json_object_get(entry, "name"));

        if (name == NULL)
            name = json_string_value(json_object_get(entry, "workload"));
        names[i] = name != NULL ? arena_text(arena, name) : arena_format(arena, "%d", i + 1);
    }
    return true;
}

/* A run names its target and row, or gives their places. -1: neither. */
static int place_in(const json_t *said, const char *const *names, int count)
{
    if (json_is_integer(said) && json_integer_value(said) >= 0 && json_integer_value(said) < count)
        return (int)json_integer_value(said);
    for (int i = 0; json_is_string(said) && i < count; i++)
        if (strcmp(names[i], json_string_value(said)) == 0)
            return i;
    return -1;
}

static bool read_run(struct comparison *comparison, const char *folder, const json_t *entry,
                     struct error *err)
{
    const char *path = json_string_value(json_object_get(entry, "result"));
    int first = comparison->run_count, row, column;

    row = place_in(json_object_get(entry, "row"), comparison->rows, comparison->row_count);
    column =
        place_in(json_object_get(entry, "target"), comparison->columns, comparison->column_count);
    if (row < 0 || column < 0 || path == NULL || path[0] == '/' || strstr(path, "..") != NULL)
        return error_set(err, ERROR_PLAN,
                         "%s/index.json: a finished run wants a target, a row and a result below "
                         "the folder",
                         folder);
    if (!compare_take(comparison, arena_format(comparison->arena, "%s/%s", folder, path), err))
        return false;
    for (int i = first; i < comparison->run_count; i++) {
        comparison->runs[i].row = row;
        comparison->runs[i].column = column;
        comparison->runs[i].block = (int)json_integer_value(json_object_get(entry, "block"));
    }
    return true;
}

static bool read_runs(struct comparison *comparison, const char *folder, const json_t *runs,
                      struct error *err)
{
    int failed = 0, waiting = 0;
    const json_t *entry;
    size_t index;

    json_array_foreach(runs, index, entry)
    {
        const char *state = json_string_value(json_object_get(entry, "state"));

        if (state != NULL && strcmp(state, "done") == 0) {
            if (!read_run(comparison, folder, entry, err))
                return false;
        } else if (state != NULL && strcmp(state, "failed") == 0) {
            failed++;
        } else {
            waiting++;
        }
    }
    if (failed > 0)
        comparison_note(comparison, "%d of %zu runs of the bench failed: left out", failed,
                        json_array_size(runs));
    if (waiting > 0)
        comparison_note(comparison, "%d of %zu runs of the bench have not been made yet", waiting,
                        json_array_size(runs));
    if (comparison->run_count == 0)
        return error_set(err, ERROR_PLAN, "%s: no run of this bench is finished", folder);
    return true;
}

/* NULL without an error: there is none, so it is no bench. */
static json_t *read_index(const char *path, struct error *err)
{
    json_error_t wrong;
    struct stat about;
    json_t *index;

    err->kind = ERROR_NONE;
    if (stat(path, &about) != 0)
        return NULL;
    index = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (index == NULL) {
        error_set(err, ERROR_PLAN, "%s, line %d: %s", path, wrong.line, wrong.text);
    } else if (json_integer_value(json_object_get(index, "schema")) != INDEX_SCHEMA ||
               !json_is_array(json_object_get(index, "targets")) ||
               !json_is_array(json_object_get(index, "rows")) ||
               !json_is_array(json_object_get(index, "runs"))) {
        error_set(err, ERROR_PLAN, "%s is not an index that this pgdyno knows", path);
        json_decref(index);
        index = NULL;
    }
    return index;
}

bool compare_bench(struct comparison *comparison, const char *folder, struct error *err)
{
    const char *path = arena_format(comparison->arena, "%s/index.json", folder);
    json_t *index = read_index(path, err);
    const json_t *targets = json_object_get(index, "targets"),
                 *rows = json_object_get(index, "rows");
    bool fine;

    if (index == NULL)
        return false;
    if (!read_names(targets, comparison->columns, COMPARE_COLUMNS_MAX, comparison->arena) ||
        !read_names(rows, comparison->rows, COMPARE_ROWS_MAX, comparison->arena)) {
        fine = error_set(err, ERROR_PLAN, "%s: more than %d targets or %d rows", path,
                         COMPARE_COLUMNS_MAX, COMPARE_ROWS_MAX);
    } else {
        comparison->name =
            arena_text(comparison->arena, json_string_value(json_object_get(index, "name")));
        comparison->column_count = (int)json_array_size(targets);
        comparison->row_count = (int)json_array_size(rows);
        comparison->paired = true;
        fine = read_runs(comparison, folder, json_object_get(index, "runs"), err);
    }
    json_decref(index);
    return fine;
}

bool compare_bench_runs(struct comparison *comparison, const char *folder, struct error *err)
{
    json_t *index = read_index(arena_format(comparison->arena, "%s/index.json", folder), err);
    const json_t *runs = json_object_get(index, "runs"), *entry;
    bool fine = index != NULL;
    size_t at;

    json_array_foreach(runs, at, entry)
    {
        const char *state = json_string_value(json_object_get(entry, "state"));
        const char *path = json_string_value(json_object_get(entry, "result"));

        if (fine && state != NULL && strcmp(state, "done") == 0 && path != NULL)
            fine = compare_take(comparison, arena_format(comparison->arena, "%s/%s", folder, path),
                                err);
    }
    json_decref(index);
    return fine;
}
