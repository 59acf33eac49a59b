/*
 * compare_differ.c - what differs between the sides, said before any figure.
 *
 * A fact is a kind, a name and a value of one run. Runs of a column may have several values; a fact
 * differs when two columns of one row have other sets of them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "command/comparison.h"
#include "plan/plan.h"
#include "store/store.h"

#define VALUE_MAX  120
#define VALUES_MAX 1000 /* bytes of a column's values together */
#define ALL_ROWS   (-1)

/* In the order in which they are told. */
static const struct {
    const char *name;
    bool forbids; /* sides that differ in it must not be held against each other unasked */
} kinds[] = {
    { "version", false }, { "durability", true }, { "mode", true },
    { "options", true },  { "data", true },       { "settings", false },
    { "server", false },  { "client", false },    { "query plan", false },
};

/* Options that say how the same thing is done: the modes of a benchmark. */
static const char *const mode_options[] = { "compat", "mode",       "protocol", "pipeline",
                                            "engine", "db-ps-mode", "routines" };
/* Options that say which data. */
static const char *const data_options[] = { "data-seed",  "tables", "table-size",
                                            "warehouses", "scale",  "fillfactor" };
/* Where a server is and how it logs makes no difference to what it does; nor do settings that only
 * say what initdb found. */
static const char *const idle_settings[] = {
    "archive_library",
    "cluster_name",
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "log_",
    "logging_",
    "port",
    "unix_socket_",
    "application_name",
    "client_encoding",
    "DateStyle",
    "TimeZone",
    "lc_messages",
    "default_text_search_config",
};

static bool among(const char *name, const char *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static bool is_idle(const char *setting)
{
    for (int i = 0; i < COUNT_OF(idle_settings); i++) {
        size_t length = strlen(idle_settings[i]);
        if (idle_settings[i][length - 1] == '_' ? strncmp(setting, idle_settings[i], length) == 0
                                                : strcmp(setting, idle_settings[i]) == 0)
            return true;
    }
    return false;
}

/* By a person or initdb, not computed by the server from others. */
static bool was_set(const json_t *setting)
{
    static const char *const computed[] = { "default", "override", "environment variable" };
    const char *source = json_string_value(json_object_get(setting, "source"));

    return source == NULL || !among(source, computed, COUNT_OF(computed));
}

static int kind_of(const char *name)
{
    for (int i = 0; i < COUNT_OF(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return i;
    return COUNT_OF(kinds);
}

/* ---- the facts of one run: {kind: {name: value}} ---- */

/* What is too long to be shown is told by its beginning, and by a hash (FNV) of the whole: two that
 * begin alike are not the same. Owned. */
static char *shortened(const char *words)
{
    size_t length = strlen(words), shown = VALUE_MAX;
    uint32_t hash = 2166136261U;

    if (length <= VALUE_MAX)
        return memory_text(words);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)words[i]) * 16777619U;
    while (shown > 0 && ((unsigned char)words[shown] & 0xC0) == 0x80) /* no half a character */
        shown--;
    return memory_format("%.*s... (%08x)", (int)shown, words, hash);
}

static void put(json_t *facts, const char *kind, const char *name, const json_t *value)
{
    json_t *group = json_object_get(facts, kind);
    char *words, *cut;

    if (value == NULL || json_is_null(value))
        return;
    words = json_is_string(value) ? memory_text(json_string_value(value))
                                  : json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS |
                                                          JSON_COMPACT | JSON_REAL_PRECISION(10));
    if (words == NULL)
        return;
    if (group == NULL) {
        group = json_object();
        json_object_set_new(facts, kind, group);
    }
    cut =
        json_is_boolean(value) ? memory_text(json_is_true(value) ? "on" : "off") : shortened(words);
    json_object_set_new(group, name, json_string(cut));
    memory_free(cut);
    if (json_is_string(value))
        memory_free(words);
    else
        free(words); /* jansson's own */
}

static void put_path(json_t *facts, const char *kind, const char *name, json_t *result,
                     const char *path)
{
    put(facts, kind, name, store_find(result, path));
}

static void put_option(json_t *facts, const char *name, const json_t *value)
{
    const char *kind = among(name, mode_options, COUNT_OF(mode_options))   ? "mode"
                       : among(name, data_options, COUNT_OF(data_options)) ? "data"
                                                                           : "options";

    put(facts, kind, name, value);
}

static void put_options(json_t *facts, json_t *result)
{
    json_t *plan = json_object_get(result, "plan"), *value;
    const char *name;

    for (const struct option *row = plan_options; row->name != NULL; row++)
        /* The settings' file is told by what the server says of its settings; `auto` by what it
         * came to. */
        if ((row->marks & OPTION_SHAPES) != 0 && strcmp(row->name, "settings") != 0 &&
            strcmp(row->name, "protocol") != 0)
            put_option(facts, row->name, json_object_get(plan, row->name));
    put_path(facts, "mode", "protocol", result, "client.protocol");
    json_object_foreach(json_object_get(plan, "workload_options"), name, value)
        put_option(facts, name, value);
}

static void put_server(json_t *facts, json_t *result, struct arena *arena)
{
    json_t *settings = json_object_get(result, "settings"), *setting, *value;
    json_t *durability = json_object_get(result, "durability");
    const char *name;

    const char *words = json_string_value(store_find(result, "target.version"));
    const char *build = words != NULL ? strstr(words, " on ") : NULL;
    json_t *version = json_string(compare_version(result, arena));

    put(facts, "version", "version", version);
    json_decref(version);
    version = json_string(build != NULL ? build + strlen(" on ") : "");
    put(facts, "server", "build", build != NULL ? version : NULL);
    json_decref(version);
    json_object_foreach(durability, name, value) if (strcmp(name, "why") != 0)
        put(facts, "durability", name, value);
    json_object_foreach(settings, name, setting)
    {
        /* What the fingerprint of durability holds is told there. */
        if (is_idle(name) || !was_set(setting) || json_object_get(durability, name) != NULL)
            continue;
        const char *unit = json_string_value(json_object_get(setting, "unit"));
        const char *said = json_string_value(json_object_get(setting, "value"));
        json_t *both = json_sprintf("%s%s%s", said != NULL ? said : "?", unit != NULL ? " x " : "",
                                    unit != NULL ? unit : "");
        put(facts, "settings", name, both);
        json_decref(both);
    }
    if (!json_is_true(store_find(result, "target.here")))
        put_path(facts, "server", "host", result, "target.host");
    put_path(facts, "server", "in recovery", result, "target.in_recovery");
    put_path(facts, "server", "TLS", result, "target.load_sessions_tls.in_use");
    put_path(facts, "server", "pooler mode", result, "target.pooler_mode");
}

static void put_client(json_t *facts, json_t *result)
{
    static const char *const names[] = { "hostname", "cpus", "cpu_model", "memory_bytes",
                                         "kernel" };
    json_t *plans = json_object_get(result, "plans"), *plan;
    const char *name;

    put_path(facts, "client", "pgdyno", result, "tool.version");
    put_path(facts, "client", "server is here", result, "target.here");
    for (int i = 0; i < COUNT_OF(names); i++)
        put(facts, "client", names[i], json_object_get(json_object_get(result, "host"), names[i]));
    json_object_foreach(plans, name, plan)
        put(facts, "query plan", name, json_object_get(plan, "shape"));
}

static json_t *facts_of(json_t *result, struct arena *arena)
{
    json_t *facts = json_object();

    put_server(facts, result, arena);
    put_options(facts, result);
    put_client(facts, result);
    return facts;
}

/* ---- columns held against each other ---- */

/* Adds a value to the words of a column unless it is there. */
static void add_value(json_t *values, int column, const char *value)
{
    json_t *list = json_array_get(values, (size_t)column), *one;
    size_t index;

    json_array_foreach(list, index, one) if (strcmp(json_string_value(one), value) == 0) return;
    json_array_append_new(list, json_string(value));
}

static int by_words(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The values of a column, sorted, as one string; "-" for none. */
static json_t *joined(const json_t *list)
{
    size_t count = json_array_size(list), index;
    const char **words = MEMORY_ARRAY(const char *, count + 1);
    struct text out;
    json_t *value;

    text_init(&out, VALUES_MAX + 2 * VALUE_MAX);
    json_array_foreach(list, index, value) words[index] = json_string_value(value);
    qsort(words, count, sizeof(*words), by_words);
    for (size_t i = 0; i < count && out.length < VALUES_MAX; i++) {
        text_add(&out, i > 0 ? " and " : "");
        text_add(&out, words[i]);
    }
    value = json_string(count > 0 ? out.bytes : "-");
    text_close(&out);
    memory_free(words);
    return value;
}

/* {kind: {name: [[values of a column], ...]}} over the runs of a row. */
static json_t *collect_row(const struct comparison *comparison, json_t *const *facts, int row,
                           bool *there)
{
    json_t *all = json_object(), *group, *value;
    const char *kind, *name;

    for (int i = 0; i < comparison->run_count; i++) {
        if (comparison->runs[i].row != row)
            continue;
        there[comparison->runs[i].column] = true;
        json_object_foreach(facts[i], kind, group)
        {
            if (json_object_get(all, kind) == NULL)
                json_object_set_new(all, kind, json_object());
            json_object_foreach(group, name, value)
            {
                json_t *values = json_object_get(json_object_get(all, kind), name);
                if (values == NULL) {
                    values = json_array();
                    for (int column = 0; column < comparison->column_count; column++)
                        json_array_append_new(values, json_array());
                    json_object_set_new(json_object_get(all, kind), name, values);
                }
                add_value(values, comparison->runs[i].column, json_string_value(value));
            }
        }
    }
    return all;
}

/* Runs of one side that are unlike each other have no common mean. */
static bool is_mixed(const char *kind, const json_t *values)
{
    json_t *list;
    size_t index;

    if (!kinds[kind_of(kind)].forbids)
        return false;
    json_array_foreach(values, index, list) if (json_array_size(list) > 1) return true;
    return false;
}

/* A setting that every run leaves at its server's default, though some have it in a file. */
static bool is_default(const struct comparison *comparison, int row, const char *name)
{
    for (int i = 0; i < comparison->run_count; i++) {
        const json_t *settings = json_object_get(comparison->runs[i].result, "settings");
        const json_t *setting = json_object_get(settings, name);

        if (comparison->runs[i].row == row && setting != NULL &&
            !json_equal(json_object_get(setting, "value"), json_object_get(setting, "boot")))
            return false;
    }
    return true;
}

static bool differ(const json_t *values, const bool *there, int count)
{
    const json_t *first = NULL;

    for (int i = 0; i < count; i++) {
        const json_t *value = json_array_get(values, (size_t)i);
        if (!there[i])
            continue;
        if (first != NULL && !json_equal(first, value))
            return true;
        first = value;
    }
    return false;
}

/* Adds a difference found in a row; one found with the same values in another row gets this row as
 * well. */
static void add_difference(json_t *out, const char *kind, const char *name, json_t *values,
                           const char *row)
{
    json_t *one, *rows;
    size_t index;

    json_array_foreach(out, index, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(one, "what")), name) == 0 &&
            json_equal(json_object_get(one, "values"), values)) {
            json_array_append_new(json_object_get(one, "rows"), json_string(row));
            json_decref(values);
            return;
        }
    }
    rows = json_array();
    json_array_append_new(rows, json_string(row));
    json_array_append_new(out, json_pack("{s:s, s:s, s:o, s:o}", "kind", kind, "what", name,
                                         "values", values, "rows", rows));
}

static void differ_in_row(const struct comparison *comparison, json_t *const *facts, int row,
                          json_t *out)
{
    bool there[COMPARE_COLUMNS_MAX] = { false };
    json_t *all = collect_row(comparison, facts, row, there), *group, *values;
    const char *kind, *name;

    json_object_foreach(all, kind, group) json_object_foreach(group, name, values)
    {
        json_t *words, *list;
        size_t index;

        words = json_array();
        json_array_foreach(values, index, list) json_array_append_new(words, joined(list));
        if (is_mixed(kind, values) ||
            (differ(words, there, comparison->column_count) &&
             (strcmp(kind, "settings") != 0 || !is_default(comparison, row, name))))
            add_difference(out, kind, name, words, comparison->rows[row]);
        else
            json_decref(words);
    }
    json_decref(all);
}

static int by_kind(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    int kinds_apart = kind_of(json_string_value(json_object_get(a, "kind"))) -
                      kind_of(json_string_value(json_object_get(b, "kind")));

    return kinds_apart != 0 ? kinds_apart
                            : strcmp(json_string_value(json_object_get(a, "what")),
                                     json_string_value(json_object_get(b, "what")));
}

static json_t *sorted(json_t *differences)
{
    size_t count = json_array_size(differences), index;
    json_t **list = MEMORY_ARRAY(json_t *, count + 1), *one, *out = json_array();

    json_array_foreach(differences, index, one) list[index] = one;
    qsort(list, count, sizeof(json_t *), by_kind);
    for (size_t i = 0; i < count; i++)
        json_array_append(out, list[i]);
    memory_free(list);
    json_decref(differences);
    return out;
}

json_t *compare_differences(const struct comparison *comparison)
{
    json_t **facts = MEMORY_ARRAY(json_t *, comparison->run_count + 1), *out = json_array();

    for (int i = 0; i < comparison->run_count; i++)
        facts[i] = facts_of(comparison->runs[i].result, comparison->arena);
    for (int row = 0; row < comparison->row_count; row++)
        differ_in_row(comparison, facts, row, out);
    for (int i = 0; i < comparison->run_count; i++)
        json_decref(facts[i]);
    memory_free(facts);
    return sorted(out);
}

/* ---- what forbids a verdict ---- */

/* Is `word` one of the words of a list with commas? */
static bool listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    while (list != NULL && *list != '\0') {
        size_t here = strcspn(list, ",");
        if ((here == length && strncmp(list, word, length) == 0) ||
            (here == 3 && strncmp(list, "all", 3) == 0))
            return true;
        list += here + (list[here] == ',');
    }
    return false;
}

const char *compare_forbids(const struct comparison *comparison, const json_t *differences,
                            const char *allow)
{
    const char *found = NULL;
    json_t *one;
    size_t index;

    json_array_foreach(differences, index, one)
    {
        const char *kind = json_string_value(json_object_get(one, "kind"));
        if (!kinds[kind_of(kind)].forbids || listed(allow, kind) || listed(found, kind))
            continue;
        found = found == NULL ? kind : arena_format(comparison->arena, "%s,%s", found, kind);
    }
    return found;
}

bool compare_allow_check(const char *allow, struct error *err)
{
    while (allow != NULL && *allow != '\0') {
        size_t length = strcspn(allow, ",");
        bool known = length == 3 && strncmp(allow, "all", 3) == 0;

        for (int i = 0; i < COUNT_OF(kinds); i++)
            known = known || (kinds[i].forbids && strlen(kinds[i].name) == length &&
                              strncmp(allow, kinds[i].name, length) == 0);
        if (!known)
            return error_set(
                err, ERROR_USAGE,
                "--allow %.*s: wanted are durability, mode, options, data or all, with "
                "commas between",
                VALUE_MAX, allow);
        allow += length + (allow[length] == ',');
    }
    return true;
}
