/*
 * plan_file.c - reads a plan: the keys of the whole, and its targets. Workloads are plan_grid.c's.
 */
#include "plan/plan_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "plan/option_value.h"
#include "plan/plan.h"
#include "plan/plan_reader.h"

#define QUIET_LIMIT_NS (60 * NS_PER_S)
#define PRICES_MAX     32
#define PRICE_MAX      1e9
#define LETTERS        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool plan_wrong(const struct plan_reader *reader, const struct yaml *node, const char *format, ...)
{
    char words[ERROR_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return error_set(reader->err, ERROR_PLAN, "%s:%d:%d: %s%s%s", reader->source->path, node->line,
                     node->column, node->key != NULL ? node->key : "",
                     node->key != NULL ? ": " : "", words);
}

bool plan_unknown(const struct plan_reader *reader, const struct yaml *node, const char *nearest,
                  const char *known)
{
    struct yaml unnamed = *node;
    struct text key;
    bool good;

    unnamed.key = NULL;
    text_init(&key, YAML_BYTES_MAX * 8);
    text_add_safe(&key, node->key);
    if (nearest != NULL)
        good =
            plan_wrong(reader, &unnamed, "unknown key %.60s: did you mean %s?", key.bytes, nearest);
    else
        good = plan_wrong(reader, &unnamed, "unknown key %.60s: allowed are %s", key.bytes, known);
    text_close(&key);
    return good;
}

const char *plan_value(const struct plan_reader *reader, const struct yaml *node,
                       const char *wanted)
{
    if (node->kind == YAML_VALUE && node->text[0] != '\0')
        return node->text;
    plan_wrong(reader, node, "found %s, wanted is %s", yaml_show(node, reader->arena), wanted);
    return NULL;
}

bool plan_is_name(const char *text)
{
    return text[0] != '\0' && strlen(text) <= PLAN_NAME_MAX && text[0] != '-' && text[0] != '.' &&
           text[strspn(text, LETTERS "0123456789._-")] == '\0';
}

static const char *read_name(const struct plan_reader *reader, const struct yaml *node)
{
    static const char wanted[] = "1 to 40 letters, digits, dots, underscores and dashes, not "
                                 "begun with a dot or a dash";
    const char *text = plan_value(reader, node, wanted);

    if (text == NULL || plan_is_name(text))
        return text;
    plan_wrong(reader, node, "found %s, wanted are %s", yaml_show(node, reader->arena), wanted);
    return NULL;
}

/* ---- targets ---- */

/* The text is never repeated: it may hold what it should not. */
static bool holds_secret(const char *target)
{
    const char *user = strstr(target, "://"), *host, *colon;

    for (const char *at = target; *at != '\0'; at++)
        if (strncasecmp(at, "password", 8) == 0 || strncasecmp(at, "secret", 6) == 0)
            return true;
    if (user == NULL)
        return false;
    user += 3;
    host = strchr(user, '@');
    colon = strchr(user, ':');
    return host != NULL && colon != NULL && colon < host;
}

static bool read_where(const struct plan_reader *reader, const struct yaml *node,
                       struct plan_file_target *target)
{
    static const char wanted[] = "local, local:MAJOR, a conninfo (host=... dbname=...), a URI "
                                 "(postgresql://...) or $NAME of an environment variable with one";
    const char *text = plan_value(reader, node, wanted);
    struct error ignored = { 0 };
    int major;

    if (text == NULL)
        return false;
    target->target = text;
    if (holds_secret(text))
        return plan_wrong(reader, node,
                          "a plan is kept beside its results, so it may hold no password: use a "
                          "password file (PGPASSFILE), a service file, or $NAME of an environment "
                          "variable that holds the whole conninfo");
    if (text[0] == '$' && text[1] != '\0' && text[1 + strspn(text + 1, LETTERS "0123456789_")] == 0)
        return true;
    if (plan_target_local(text, &major, &ignored) || strchr(text, '=') != NULL ||
        strstr(text, "://") != NULL)
        return true;
    return plan_wrong(reader, node, "found %s, wanted is %s", yaml_show(node, reader->arena),
                      wanted);
}

static bool read_settings(const struct plan_reader *reader, const struct yaml *node,
                          struct plan_file_target *target)
{
    const struct yaml *one = node->kind == YAML_LIST ? node->first : node;

    for (; one != NULL; one = node->kind == YAML_LIST ? one->next : NULL) {
        const char *file = plan_value(reader, one, "a file of settings, or a list of them");
        if (file == NULL)
            return false;
        if (target->settings_count == PLAN_SETTINGS_MAX)
            return plan_wrong(reader, one, "wanted are at most %d files", PLAN_SETTINGS_MAX);
        target->settings[target->settings_count++] = file;
    }
    return true;
}

static bool read_price(const struct plan_reader *reader, const struct yaml *node,
                       struct plan_file_target *target)
{
    json_t *price = json_object();

    json_array_append_new(reader->out->prices, price);
    target->price = price;
    if (node->kind != YAML_MAP || node->count > PRICES_MAX)
        return plan_wrong(reader, node,
                          "found %s, wanted is a mapping of numbers, such as "
                          "{compute_month: 280}",
                          yaml_show(node, reader->arena));
    for (const struct yaml *one = node->first; one != NULL; one = one->next) {
        double number = 0;
        if (one->kind != YAML_VALUE || !option_read_real(one->text, &number) || number < 0 ||
            number > PRICE_MAX)
            return plan_wrong(reader, one, "found %s, wanted is a number",
                              yaml_show(one, reader->arena));
        json_object_set_new(price, one->key, json_real(number));
    }
    return true;
}

static bool read_target_key(const struct plan_reader *reader, const struct yaml *node,
                            struct plan_file_target *target)
{
    static const char *const known[] = { "name", "target", "settings", "pg-bin", "price" };
    struct nearest nearest = { .wanted = node->key };
    int at = 0;

    while (at < COUNT_OF(known) && nearest_distance(known[at], node->key) != 0)
        nearest_offer(&nearest, known[at++]);
    switch (at) {
    case 0:
        return (target->name = read_name(reader, node)) != NULL;
    case 1:
        return read_where(reader, node, target);
    case 2:
        return read_settings(reader, node, target);
    case 3:
        return (target->pg_bin = plan_value(reader, node, "a folder")) != NULL;
    case 4:
        return read_price(reader, node, target);
    default:
        return plan_unknown(reader, node, nearest.best, "name, target, settings, pg-bin, price");
    }
}

static bool read_target(const struct plan_reader *reader, const struct yaml *node,
                        struct plan_file_target *target)
{
    struct error ignored = { 0 };
    int major;

    *target = (struct plan_file_target){ .place = { node->line, node->column } };
    if (node->kind != YAML_MAP)
        return plan_wrong(reader, node, "found %s, wanted is {name: ..., target: ...}",
                          yaml_show(node, reader->arena));
    for (const struct yaml *one = node->first; one != NULL; one = one->next)
        if (!read_target_key(reader, one, target))
            return false;
    if (target->name == NULL || target->target == NULL)
        return plan_wrong(reader, node, "a target needs %s",
                          target->name == NULL ? "a name" : "a target: where PostgreSQL is");
    if (!plan_target_local(target->target, &major, &ignored) &&
        (target->settings_count > 0 || target->pg_bin != NULL))
        return plan_wrong(reader, node,
                          "settings and pg-bin are for local targets: those of another server are "
                          "not pgdyno's to change");
    return true;
}

static bool read_targets(struct plan_reader *reader, const struct yaml *list)
{
    struct plan_file_target *targets;
    int count = 0;

    if (list->kind != YAML_LIST || list->count == 0 || list->count > PLAN_TARGETS_MAX)
        return plan_wrong(reader, list, "found %s, wanted is a list of 1 to %d targets",
                          yaml_show(list, reader->arena), PLAN_TARGETS_MAX);
    targets = ARENA_ARRAY(reader->arena, struct plan_file_target, list->count);
    for (const struct yaml *one = list->first; one != NULL; one = one->next, count++) {
        if (!read_target(reader, one, &targets[count]))
            return false;
        for (int i = 0; i < count; i++)
            if (strcmp(targets[i].name, targets[count].name) == 0)
                return plan_wrong(reader, one, "name: %s is the target of line %d already",
                                  targets[i].name, targets[i].place.line);
    }
    reader->out->targets = targets;
    reader->out->target_count = count;
    return true;
}

/* ---- the whole ---- */

static bool read_whole(const struct plan_reader *reader, const struct yaml *node, double high,
                       int64_t *out)
{
    if (node->kind == YAML_VALUE && option_read_whole(node->text, out) && *out >= (high < 1e6) &&
        (double)*out <= high)
        return true;
    return plan_wrong(reader, node, "found %s, wanted is a whole number, %d to %.0f",
                      yaml_show(node, reader->arena), high < 1e6, high);
}

static bool read_preconditions(const struct plan_reader *reader, const struct yaml *node)
{
    static const char *const words[] = { "vacuum", "checkpoint", "quiet" };
    const struct yaml *one = node->kind == YAML_LIST ? node->first : node;
    unsigned found = 0;

    if (node->kind == YAML_VALUE && strcmp(node->text, "none") == 0)
        one = NULL;
    for (; one != NULL; one = node->kind == YAML_LIST ? one->next : NULL) {
        int at = 0;
        while (at < COUNT_OF(words) &&
               (one->kind != YAML_VALUE || strcmp(one->text, words[at]) != 0))
            at++;
        if (at == COUNT_OF(words))
            return plan_wrong(reader, one,
                              "found %s, allowed is none, or a list of vacuum, checkpoint, quiet",
                              yaml_show(one, reader->arena));
        found |= 1U << at;
    }
    reader->out->preconditions = found;
    return true;
}

static const char *const restore_words[] = { "keep", "copy", "template", "reload" };

const char *plan_restore_word(int restore)
{
    return restore >= 0 && restore < COUNT_OF(restore_words) ? restore_words[restore] : "?";
}

/* Which of `words` it is; -1: none, and said. */
static int read_choice(const struct plan_reader *reader, const struct yaml *node,
                       const char *const *words, int count)
{
    struct text allowed;

    for (int i = 0; i < count; i++)
        if (node->kind == YAML_VALUE && strcmp(node->text, words[i]) == 0)
            return i;
    text_init(&allowed, ERROR_TEXT_MAX);
    for (int i = 0; i < count; i++)
        text_format(&allowed, "%s%s", i > 0 ? ", " : "", words[i]);
    plan_wrong(reader, node, "found %s, allowed is one of %s", yaml_show(node, reader->arena),
               allowed.bytes);
    text_close(&allowed);
    return -1;
}

static bool read_limit(const struct plan_reader *reader, const struct yaml *node)
{
    if (node->kind == YAML_VALUE && option_read_duration(node->text, &reader->out->quiet_limit_ns))
        return true;
    return plan_wrong(reader, node, "found %s, wanted is a time such as 30s or 2min",
                      yaml_show(node, reader->arena));
}

enum {
    K_NAME,
    K_ABOUT,
    K_SEED,
    K_TARGETS,
    K_WORKLOADS,
    K_LOAD,
    K_BEFORE,
    K_QUIET,
    K_REPEATS,
    K_RESTORE,
    K_FAILURE,
    K_COUNT
};

static const char *const top_keys[] = { "name",      "about",   "seed",         "targets",
                                        "workloads", "load",    "precondition", "quiet-limit",
                                        "repeats",   "restore", "on-failure" };

static bool read_key(struct plan_reader *reader, const struct yaml *node, int key)
{
    static const char *const failure_words[] = { "continue", "stop" };
    struct plan_file *out = reader->out;
    int64_t number = 0;
    int choice;

    switch (key) {
    case K_NAME:
        return (out->name = read_name(reader, node)) != NULL;
    case K_ABOUT:
        return (out->about = plan_value(reader, node, "a text")) != NULL;
    case K_SEED:
        return read_whole(reader, node, 9007199254740992.0, &out->seed);
    case K_TARGETS:
        return read_targets(reader, node);
    case K_WORKLOADS:
        return plan_read_rows(reader, node);
    case K_LOAD:
        return plan_read_load(reader, node);
    case K_BEFORE:
        return read_preconditions(reader, node);
    case K_QUIET:
        return read_limit(reader, node);
    case K_REPEATS:
        if (!read_whole(reader, node, PLAN_REPEATS_MAX, &number))
            return false;
        out->repeats = (int)number;
        return true;
    case K_RESTORE:
        choice = read_choice(reader, node, restore_words, COUNT_OF(restore_words));
        out->restore = choice;
        return choice >= 0;
    default:
        choice = read_choice(reader, node, failure_words, COUNT_OF(failure_words));
        out->stop_on_failure = choice == 1;
        return choice >= 0;
    }
}

static bool read_keys(struct plan_reader *reader, const struct yaml *root)
{
    for (const struct yaml *node = root->first; node != NULL; node = node->next) {
        struct nearest nearest = { .wanted = node->key };
        int key = 0;
        while (key < K_COUNT && nearest_distance(top_keys[key], node->key) != 0)
            nearest_offer(&nearest, top_keys[key++]);
        if (key == K_COUNT)
            return plan_unknown(reader, node, nearest.best,
                                "name, about, seed, targets, workloads, load, precondition, "
                                "quiet-limit, repeats, restore, on-failure");
        if (!read_key(reader, node, key))
            return false;
    }
    return true;
}

static bool check_whole(const struct plan_reader *reader, const struct yaml *root)
{
    const struct plan_file *out = reader->out;
    struct error ignored = { 0 };
    int major;

    if (out->name == NULL || out->targets == NULL || out->rows == NULL)
        return plan_wrong(reader, root, "a plan needs the key %s",
                          out->name == NULL      ? "name"
                          : out->targets == NULL ? "targets"
                                                 : "workloads");
    for (int i = 0; i < out->target_count && out->restore == RESTORE_COPY; i++)
        if (!plan_target_local(out->targets[i].target, &major, &ignored))
            return plan_wrong(reader, yaml_find(root, "restore"),
                              "copy copies the data folder of a local server, and %s is none: "
                              "template, reload and keep work everywhere",
                              out->targets[i].name);
    return true;
}

bool plan_file_read(const struct plan_file_source *source, struct arena *arena,
                    struct plan_file *out, struct error *err)
{
    struct plan_reader reader = { .source = source, .arena = arena, .out = out, .err = err };
    const struct yaml *root;

    *out = (struct plan_file){ .path = source->path,
                               .repeats = 1,
                               .seed = -1,
                               .preconditions = PRECONDITION_VACUUM | PRECONDITION_CHECKPOINT |
                                                PRECONDITION_QUIET,
                               .quiet_limit_ns = QUIET_LIMIT_NS,
                               .prices = json_array() };
    root = yaml_read(source->content, source->size, source->path, arena, err);
    if (root == NULL)
        return false;
    if (root->kind != YAML_MAP)
        return plan_wrong(&reader, root,
                          "found %s, wanted is a mapping with name, targets and "
                          "workloads",
                          yaml_show(root, arena));
    return read_keys(&reader, root) && check_whole(&reader, root);
}

void plan_file_close(struct plan_file *plan)
{
    json_decref(plan->prices);
    plan->prices = NULL;
}

const char *plan_refuses_setting(const char *name)
{
    static const char *const endings[] = { "_command", "_library", "_libraries" };
    static const char *const words[] = {
        "data_directory", "listen_addresses", "config_file",
        "hba_file",       "ident_file",       "external_pid_file"
    };
    static const char *const beginnings[] = { "include", "unix_socket_" };
    static const char why[] =
        "a plan is data: it may not say what the server runs, loads, reads or listens on";
    size_t length = strlen(name);

    for (int i = 0; i < COUNT_OF(endings); i++)
        if (length >= strlen(endings[i]) &&
            strcasecmp(name + length - strlen(endings[i]), endings[i]) == 0)
            return why;
    for (int i = 0; i < COUNT_OF(words); i++)
        if (strcasecmp(name, words[i]) == 0)
            return why;
    for (int i = 0; i < COUNT_OF(beginnings); i++)
        if (strncasecmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return why;
    return NULL;
}
