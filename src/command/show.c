/*
 * show.c - `pgdyno show RESULT`: what a result says, whole or one value of it.
 */
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "command/common.h"
#include "report/report.h"
#include "store/store.h"

#define SHOWN_MAX  400 /* of the keys that are offered for one that is not there */
#define JSON_FLAGS (JSON_INDENT(2) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

enum show_format { SHOW_TEXT, SHOW_JSON, SHOW_SYSBENCH, SHOW_PLANS };

struct show_options {
    const char *json; /* path of one value; NULL: the whole */
    int format;
};

static const struct choice formats[] = {
    { "text", SHOW_TEXT, "a page for people" },
    { "json", SHOW_JSON, "the whole result" },
    { "sysbench", SHOW_SYSBENCH, "the report that sysbench prints" },
    { "plans", SHOW_PLANS, "the plan of each statement" },
    { NULL, 0, NULL },
};

static const struct option show_rows[] = {
    { .name = "json",
      .type = OPTION_TEXT,
      .at = offsetof(struct show_options, json),
      .topic = "show",
      .since = "0.1",
      .help = "one value by its path: summary.transactions.per_s",
      .text = "Prints one value of result.json: a string as it is, anything else as JSON. The path "
              "has dots between keys; the longest key is tried first, so that "
              "summary.latency_ms.response.p99.9 works. With a leading slash it is a JSON pointer "
              "(RFC 6901). An empty path is the whole result." },
    { .name = "format",
      .type = OPTION_CHOICE,
      .at = offsetof(struct show_options, format),
      .fallback = "text",
      .choices = formats,
      .topic = "show",
      .since = "0.1",
      .help = "how to show the whole" },
    { .name = NULL },
};

static void print_json(const json_t *value, struct error *err)
{
    if (json_dumpf(value, stdout, JSON_FLAGS) != 0 && !ferror(stdout))
        error_set(err, ERROR_BUG, "a value that cannot be shown as JSON");
    putchar('\n');
}

/* Byte for byte into a pipe or file; escaped where a terminal could act on it (design D11). */
static void print_text(const char *words)
{
    struct text safe;

    if (report_style_of(stdout).columns == 0) {
        puts(words);
        return;
    }
    text_init(&safe, SIZE_MAX / 2);
    text_add_safe(&safe, words);
    puts(safe.bytes);
    text_close(&safe);
}

/* ---- a path that leads nowhere ---- */

/* The deepest part of a dotted path that is there; `missing` gets where the rest begins. */
static json_t *deepest(json_t *result, const char *path, const char **missing)
{
    size_t length = strlen(path);
    json_t *found = NULL;

    *missing = path;
    while (length > 0 && found == NULL) {
        char *part;
        do
            length--;
        while (length > 0 && path[length] != '.');
        if (length == 0)
            break;
        part = memory_format("%.*s", (int)length, path);
        found = store_find(result, part);
        memory_free(part);
    }
    if (found == NULL)
        return result;
    *missing = path + length + 1;
    return found;
}

static void add_keys(struct text *out, json_t *container)
{
    const char *key;
    json_t *value;

    json_object_foreach(container, key, value)
    {
        if (out->length + strlen(key) > SHOWN_MAX) {
            text_add(out, ", ...");
            return;
        }
        text_add(out, out->length > 0 ? ", " : "");
        text_add(out, key);
    }
    if (json_is_array(container) && json_array_size(container) > 0)
        text_format(out, "0 to %zu", json_array_size(container) - 1);
}

/* The key of `container` that the next step of the path was probably meant to be, or NULL. */
static const char *meant(json_t *container, const char *step)
{
    char *wanted = memory_format("%.*s", (int)strcspn(step, "./"), step);
    struct nearest whole = { .wanted = step }, first = { .wanted = wanted };
    const char *key;
    json_t *value;

    json_object_foreach(container, key, value)
    {
        nearest_offer(&whole, key); /* a key may hold dots */
        nearest_offer(&first, key);
    }
    memory_free(wanted);
    return whole.best != NULL ? whole.best : first.best;
}

static bool no_such_path(json_t *result, const char *path, struct error *err)
{
    const char *missing = path + 1, *best;
    json_t *container = *path == '/' ? result : deepest(result, path, &missing);
    struct text keys;

    best = meant(container, missing);
    text_init(&keys, 4 * SHOWN_MAX + NEAREST_NAME_MAX);
    add_keys(&keys, container);
    if (best != NULL)
        error_set(err, ERROR_USAGE, "nothing at %.200s: did you mean %.64s? There is: %s", path,
                  best, keys.bytes);
    else if (keys.length > 0)
        error_set(err, ERROR_USAGE, "nothing at %.200s: there is %s", path, keys.bytes);
    else if (json_is_object(container) || json_is_array(container))
        error_set(err, ERROR_USAGE, "nothing at %.200s: what is before its last key is empty",
                  path);
    else
        error_set(err, ERROR_USAGE, "nothing at %.200s: before its last key is a single value",
                  path);
    text_close(&keys);
    return false;
}

static bool show_value(json_t *result, const char *path, struct error *err)
{
    json_t *value = store_find(result, path);

    if (value == NULL)
        return no_such_path(result, path, err);
    if (json_is_string(value))
        print_text(json_string_value(value));
    else
        print_json(value, err);
    return err->kind == ERROR_NONE;
}

/* ---- the verb ---- */

static void show(const struct command_call *call, const struct show_options *options,
                 struct error *err)
{
    struct report_style style = report_style_of(stdout);
    json_t *result;

    if (call->args.word_count != 1) {
        error_set(err, ERROR_USAGE,
                  "show wants one result: the folder that a run named at "
                  "its end");
        return;
    }
    result = store_read(call->args.words[0], err);
    if (result == NULL)
        return;
    if (options->json != NULL) {
        show_value(result, options->json, err);
    } else if (options->format == SHOW_JSON) {
        print_json(result, err);
    } else if (options->format == SHOW_SYSBENCH) {
        report_sysbench(stdout, result);
    } else if (options->format == SHOW_PLANS) {
        report_plans(stdout, &style, result);
    } else {
        report_summary(stdout, &style, result);
        report_path(stdout, &style, call->args.words[0]);
        report_published(stdout, result);
    }
    json_decref(result);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct show_options options = { 0 };
    struct command_call call = { .own = &options };

    if (command_read(&call, &command_show, argc, argv, err))
        show(&call, &options, err);
    command_close(&call);
    return err->kind;
}

const struct command command_show = {
    .name = "show",
    .summary = "what a result says, or one value of it",
    .usage = "RESULT [options]",
    .text = "Shows the result in the folder RESULT (or in the file result.json itself): what was "
            "run on what, how much and how fast, and what the figures stand on.",
    .options = show_rows,
    .run = run,
};
