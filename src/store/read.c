/*
 * read.c - a result from disk, lifted to the schema of today.
 *
 * Results are read for ever: whoever raises RESULT_SCHEMA to N + 1 adds upgrade_N, which turns a
 * tree of schema N into one of N + 1, and its row here. Nothing is trusted: a result may have come
 * from anywhere.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "store/store.h"

/* upgrades[N] makes schema N + 1 of schema N, in place; NULL where there was no schema N. */
static bool (*const upgrades[RESULT_SCHEMA])(json_t *result, struct error *err) = {
    NULL, /* 0 was never written */
};

static bool upgrade(json_t *result, const char *path, int64_t schema, struct error *err)
{
    for (; schema < RESULT_SCHEMA; schema++) {
        if (schema < 0 || upgrades[schema] == NULL)
            return error_set(err, ERROR_PLAN, "%s: there is no schema %lld", path,
                             (long long)schema);
        if (!upgrades[schema](result, err))
            return error_wrap(err, "%s, lifting it from schema %lld", path, (long long)schema);
        json_object_set_new(result, "schema", json_integer(schema + 1));
    }
    return true;
}

/* What every reader relies on without looking. */
static bool check_shape(const json_t *result, const char *path, struct error *err)
{
    static const char *const objects[] = { "tool",    "plan",         "phases",
                                           "summary", "transactions", "statements" };

    for (int i = 0; i < COUNT_OF(objects); i++)
        if (!json_is_object(json_object_get(result, objects[i])))
            return error_set(err, ERROR_PLAN, "%s is not a whole result: %s is missing", path,
                             objects[i]);
    return true;
}

static bool lift(json_t *result, const char *path, struct error *err)
{
    const char *tool = json_string_value(json_object_get(json_object_get(result, "tool"), "name"));
    const char *version =
        json_string_value(json_object_get(json_object_get(result, "tool"), "version"));
    const json_t *schema = json_object_get(result, "schema");

    if (!json_is_integer(schema) || tool == NULL || strcmp(tool, "pgdyno") != 0)
        return error_set(err, ERROR_PLAN, "%s is JSON, but not a result of pgdyno", path);
    if (json_integer_value(schema) > RESULT_SCHEMA)
        return error_set(err, ERROR_PLAN,
                         "%s was written by a newer pgdyno (%.32s, schema %lld; this one reads up "
                         "to %d): use that version",
                         path, version != NULL ? version : "?",
                         (long long)json_integer_value(schema), RESULT_SCHEMA);
    return upgrade(result, path, json_integer_value(schema), err) && check_shape(result, path, err);
}

/* The file that holds the result named by `path`; owned. NULL with `err` when there is none. */
static char *locate(const char *path, struct error *err)
{
    struct stat about;
    char *file, *log;

    if (stat(path, &about) != 0) {
        error_set(err, ERROR_USAGE, "no result at %s: %s", path, strerror(errno));
        return NULL;
    }
    if (!S_ISDIR(about.st_mode))
        return memory_text(path);
    file = memory_format("%s/result.json", path);
    if (stat(file, &about) == 0)
        return file;
    log = memory_format("%s/run.log", path);
    if (stat(log, &about) == 0)
        error_set(err, ERROR_USAGE,
                  "%s holds a run that did not end: there is no result.json; run.log has what was "
                  "said",
                  path);
    else
        error_set(err, ERROR_USAGE, "%s is no result: there is no result.json in it", path);
    memory_free(log);
    memory_free(file);
    return NULL;
}

json_t *store_read(const char *path, struct error *err)
{
    char *file = locate(path, err);
    json_error_t wrong;
    json_t *result = NULL;
    struct stat about;

    if (file == NULL)
        return NULL;
    if (stat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        error_set(err, ERROR_USAGE, "%s is no file", file);
    } else if ((result = json_load_file(file, JSON_REJECT_DUPLICATES, &wrong)) == NULL) {
        if (wrong.line < 1)
            error_set(err, ERROR_USAGE, "cannot read %s: %s", file, wrong.text);
        else
            error_set(err, ERROR_PLAN, "%s is broken at line %d, column %d: %s", file, wrong.line,
                      wrong.column, wrong.text);
    } else if (!lift(result, file, err)) {
        json_decref(result);
        result = NULL;
    }
    memory_free(file);
    return result;
}
