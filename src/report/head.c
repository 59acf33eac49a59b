/*
 * head.c - the top of a summary: the workload, the server, the load, and how it ended.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/sections.h"

static void add_seconds(struct text *out, const json_t *seconds)
{
    if (json_is_number(seconds)) {
        double number = json_number_value(seconds);
        add_real(out, number, number == (double)(int64_t)number ? 0 : 1);
        text_add(out, " s");
    } else {
        text_add_char(out, '-');
    }
}

/* "1 connection", "8 connections". */
static void add_count(struct text *out, int64_t count, const char *thing)
{
    add_whole(out, count);
    text_format(out, " %s%s", thing, count == 1 ? "" : "s");
}

/* The encryption of the load sessions; that of our own connection when they are not told. */
static void add_tls(struct text *out, const json_t *target)
{
    const json_t *tls = dig(target, "load_sessions_tls", NULL);

    if (tls == NULL)
        tls = dig(target, "tls", NULL);
    if (json_is_true(dig(tls, "in_use", NULL))) {
        add_json_text(out, dig(tls, "protocol", NULL), "TLS");
        text_add_char(out, ' ');
        add_json_text(out, dig(tls, "cipher", NULL), "");
    } else {
        text_add(out, "no TLS");
    }
}

static void tell_target(const struct page *page, const json_t *target)
{
    const json_t *port = dig(target, "port", NULL);
    struct text line;

    if (!json_is_object(target))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_add(&line, json_is_true(dig(target, "local", NULL)) ? "local server, " : "");
    add_json_text(&line, dig(target, "host", NULL), "?");
    if (json_is_integer(port)) /* no comma in a port */
        text_format(&line, " port %lld", (long long)json_integer_value(port));
    text_add(&line, ", database ");
    add_json_text(&line, dig(target, "dbname", NULL), "?");
    text_add(&line, ", user ");
    add_json_text(&line, dig(target, "user", NULL), "?");
    text_add(&line, ", ");
    add_tls(&line, target);
    if (json_is_true(dig(target, "in_recovery", NULL)))
        text_add(&line, ", a standby");
    page_line(page, "target", TONE_PLAIN, line.bytes);
    if (json_is_string(dig(target, "pooler", NULL))) {
        text_clear(&line);
        text_add(&line, "between us and the server: ");
        add_json_text(&line, dig(target, "pooler", NULL), "");
        page_line(page, "pooler", TONE_WARNING, line.bytes);
    }
    text_close(&line);
}

static bool is_thread_engine(const json_t *plan)
{
    const char *engine = json_string_value(dig(plan, "engine", NULL));

    return engine != NULL && strcmp(engine, "thread") == 0;
}

static void tell_load(const struct page *page, const json_t *result)
{
    const json_t *plan = dig(result, "plan", NULL), *protocol;
    size_t workers = json_array_size(dig(result, "client", "workers", NULL));
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_count(&line, dig_whole(plan, "connections"), "connection");
    if (workers == 0)
        workers = (size_t)dig_whole(plan, "workers");
    if (workers > 0) {
        text_add(&line, " on ");
        add_count(&line, (int64_t)workers, is_thread_engine(plan) ? "thread" : "worker");
    }
    if (json_is_object(dig(result, "terminals", NULL)))
        text_add(&line, ", terminals");
    else
        text_add(&line,
                 json_is_false(dig(result, "closed_loop", NULL)) ? ", open loop" : ", closed loop");
    if (json_is_object(dig(result, "target", NULL))) {
        text_add(&line, ", protocol ");
        protocol = dig(result, "client", "protocol", NULL); /* what was used, not asked for */
        add_json_text(&line, protocol != NULL ? protocol : dig(plan, "protocol", NULL), "?");
        text_add(&line,
                 json_is_true(dig(plan, "pipeline", NULL)) ? ", pipeline on" : ", pipeline off");
    }
    if (json_is_string(dig(plan, "isolation", NULL)) &&
        strcmp(json_string_value(dig(plan, "isolation", NULL)), "default") != 0) {
        text_add(&line, ", isolation ");
        add_json_text(&line, dig(plan, "isolation", NULL), "");
    }
    page_line(page, "load", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void tell_time(const struct page *page, const json_t *result)
{
    const json_t *plan = dig(result, "plan", NULL);
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_seconds(&line, dig(result, "summary", "measured_s", NULL));
    text_add(&line, " measured after ");
    add_seconds(&line, dig(result, "phases", "warmup", "seconds", NULL));
    text_add(&line, " of warm-up");
    if (dig_whole(plan, "transactions") > 0) {
        text_add(&line, ", to do ");
        add_count(&line, dig_whole(plan, "transactions"), "transaction");
    }
    text_add(&line, "; started ");
    add_json_text(&line, dig(result, "started", NULL), "?");
    page_line(page, "time", TONE_PLAIN, line.bytes);
    text_clear(&line);
    /* A seed is to be copied: no commas. */
    text_format(&line, "inputs %lld, data %lld", (long long)dig_whole(plan, "seed"),
                (long long)dig_whole(plan, "data-seed"));
    page_line(page, "seeds", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void add_value(struct text *out, const json_t *value)
{
    if (json_is_boolean(value))
        text_add(out, json_is_true(value) ? "on" : "off");
    else if (json_is_integer(value))
        add_whole(out, json_integer_value(value));
    else if (json_is_real(value))
        text_format(out, "%.10g", json_real_value(value));
    else
        add_json_text(out, value, "-");
}

/* What was said about the workload; the rest is at its defaults. */
static void tell_options(const struct page *page, const json_t *result)
{
    const json_t *options = dig(result, "plan", "workload_options", NULL);
    const json_t *given = dig(result, "plan_given", NULL);
    struct text line;
    size_t index;
    json_t *name;

    if (json_object_size(options) == 0)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    json_array_foreach(given, index, name)
    {
        const json_t *value =
            json_is_string(name) ? json_object_get(options, json_string_value(name)) : NULL;
        if (value == NULL)
            continue;
        text_add_safe(&line, json_string_value(name));
        text_add_char(&line, ' ');
        add_value(&line, value);
        text_add(&line, ", ");
    }
    text_add(&line, line.length > 0 ? "others at their defaults" : "all at their defaults");
    page_line(page, "options", TONE_PLAIN, line.bytes);
    text_close(&line);
}

/* How it ended, unless all is well. */
static void tell_end(const struct page *page, const json_t *result)
{
    int64_t code = dig_whole(result, "exit_code");
    const char *ended = json_string_value(dig(result, "ended", NULL));
    struct text line;

    if (ended != NULL && strcmp(ended, "interrupted") == 0)
        page_line(page, "INTERRUPTED", TONE_WARNING,
                  "the figures are of what was measured until then");
    else if (ended != NULL && strcmp(ended, "finished") != 0)
        page_line(page, "STOPPED", TONE_BAD, "an error ended the run early; see errors");
    if (code == ERROR_NONE || code == ERROR_INTERRUPTED)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_format(&line, "%lld", (long long)code);
    for (const struct exit_code *row = exit_codes; row->name != NULL; row++)
        if ((int64_t)row->kind == code)
            text_format(&line, " (%s): %s", row->name, row->meaning);
    page_line(page, "exit code", TONE_BAD, line.bytes);
    text_close(&line);
}

/* "PostgreSQL 17.2 on x86_64-..., compiled by ..." without what follows the first " on ". */
static void add_version(struct text *line, const json_t *version)
{
    const char *words = json_string_value(version), *on = strstr(words, " on ");
    char *head = memory_format("%.*s", on != NULL ? (int)(on - words) : (int)strlen(words), words);

    text_add(line, strncmp(head, "PostgreSQL", 10) == 0 ? " on " : " on PostgreSQL ");
    text_add_safe(line, head);
    memory_free(head);
}

void tell_head(const struct page *page, const json_t *result)
{
    const json_t *version = dig(result, "target", "version", NULL);
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_json_text(&line, dig(result, "workload", NULL), "?");
    if (json_is_string(version))
        add_version(&line, version);
    page_heading(page, line.bytes);
    tell_end(page, result);
    tell_target(page, dig(result, "target", NULL));
    tell_load(page, result);
    tell_terminals(page, result);
    tell_time(page, result);
    tell_options(page, result);
    if (json_is_string(dig(result, "plan", "label", NULL))) {
        text_clear(&line);
        add_json_text(&line, dig(result, "plan", "label", NULL), "");
        page_line(page, "label", TONE_PLAIN, line.bytes);
    }
    text_close(&line);
}
