/*
 * trust.c - errors, and the ground that the figures stand on: connecting, the books, the client,
 * the server's settings. What should make a reader doubt is coloured, and said in words.
 */
#include <string.h>

#include "report/sections.h"
#include "report/sqlstate.h"

/* ---- errors ---- */

static void tell_error(const struct page *page, const json_t *error)
{
    const char *code = json_string_value(dig(error, "code", NULL));
    const char *phase = json_string_value(dig(error, "phase", NULL));
    const char *meaning = code != NULL ? sqlstate_meaning(code) : "";
    struct text line, label;

    text_init(&line, PAGE_TEXT_MAX);
    text_init(&label, PAGE_TEXT_MAX);
    text_add_safe(&label, code != NULL ? code : "?");
    add_whole(&line, dig_whole(error, "count"));
    text_format(&line, " x %s", *meaning != '\0' ? meaning : "error");
    if (phase != NULL && strcmp(phase, phase_names[PHASE_WARMUP]) == 0)
        text_add(&line, ", in warm-up");
    if (json_is_string(dig(error, "statement", NULL))) {
        text_add(&line, ", statement ");
        add_json_text(&line, dig(error, "statement", NULL), "");
    }
    text_add(&line, ": ");
    add_json_text(&line, dig(error, "message", NULL), "-");
    page_line(page, label.bytes, TONE_BAD, line.bytes);
    text_close(&label);
    text_close(&line);
}

void tell_errors(const struct page *page, const json_t *result)
{
    const json_t *errors = dig(result, "errors", NULL);
    size_t index;
    json_t *error;

    if (json_array_size(errors) == 0)
        return;
    page_heading(page, "errors, of attempts, with the first message of each code");
    json_array_foreach(errors, index, error) tell_error(page, error);
}

/* ---- ground ---- */

static void tell_connects(const struct page *page, const json_t *result)
{
    const json_t *opened = dig(result, "connect_ms", "opened", NULL);
    const json_t *reopened = dig(result, "connect_ms", "reopened", NULL);
    struct text line;

    if (dig_whole(opened, "count") == 0)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_whole(&line, dig_whole(opened, "count"));
    text_add(&line, " opened, each in ");
    add_json_ms(&line, opened, "mean");
    text_add(&line, " ms (mean), ");
    add_json_ms(&line, opened, "max");
    text_add(&line, " ms (max)");
    if (dig_whole(reopened, "count") > 0) {
        text_add(&line, "; ");
        add_whole(&line, dig_whole(reopened, "count"));
        text_add(&line, " opened again during the run");
    }
    page_line(page, "connections", dig_whole(reopened, "count") > 0 ? TONE_WARNING : TONE_PLAIN,
              line.bytes);
    text_close(&line);
}

/* The share of each part in a storm of connections: only then there are enough of them. */
static void tell_connect_parts(const struct page *page, const json_t *result)
{
    const json_t *parts = dig(result, "connect_ms", "parts", NULL);
    const json_t *reopened = dig(result, "connect_ms", "reopened", NULL);
    struct text line;

    if (dig_whole(reopened, "count") == 0 || !json_is_object(parts))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_add(&line, "again in ");
    add_json_ms(&line, reopened, "p50");
    text_add(&line, " ms (p50), ");
    add_json_ms(&line, reopened, "p99");
    text_add(&line, " ms (p99); mean of all");
    for (int i = 0; i < CONNECT_PARTS; i++) {
        const json_t *part = json_object_get(parts, connect_part_names[i]);
        if (dig_whole(part, "count") == 0)
            continue;
        text_format(&line, "%s %s ", i > 0 ? "," : ":", connect_part_names[i]);
        add_json_ms(&line, part, "mean");
    }
    page_line(page, "connecting", TONE_PLAIN, line.bytes);
    text_close(&line);
}

/* A share as percent; a whole number as it is. */
static void add_difference(struct text *line, const json_t *difference)
{
    if (json_is_real(difference)) {
        add_real(line, 100 * json_real_value(difference), 2);
        text_add(line, " %");
    } else {
        add_json_whole(line, difference);
    }
}

static void tell_books(const struct page *page, const json_t *result)
{
    const json_t *books = dig(result, "books", NULL);
    bool ok = json_is_true(dig(books, "ok", NULL));
    struct text line;

    /* Without a server there are no other books. */
    if (dig(books, "client_commits", NULL) == NULL && !json_is_false(dig(books, "balanced", NULL)))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    if (json_is_integer(dig(books, "server_commits", NULL))) {
        text_add(&line, "client ");
        add_json_whole(&line, dig(books, "client_commits", NULL));
        text_add(&line, " commits, server ");
        add_json_whole(&line, dig(books, "server_commits", NULL));
        text_add(&line, ", difference ");
        add_difference(&line, dig(books, "difference", NULL));
        text_add(&line, ok ? ": balanced" : ": NOT BALANCED");
    } else {
        text_add(&line, "not held against the server");
        ok = !json_is_false(dig(books, "ok", NULL));
    }
    if (json_is_string(dig(books, "note", NULL)) &&
        *json_string_value(dig(books, "note", NULL)) != '\0') {
        text_add(&line, "; ");
        add_json_text(&line, dig(books, "note", NULL), "");
    }
    page_line(page, "books", ok ? TONE_PLAIN : TONE_WARNING, line.bytes);
    if (json_is_false(dig(books, "balanced", NULL))) {
        text_clear(&line);
        text_add(&line, "our own counts do not add up, please report it: ");
        add_json_text(&line, dig(books, "balanced_why", NULL), "");
        page_line(page, "", TONE_BAD, line.bytes);
    }
    text_close(&line);
}

static void tell_client(const struct page *page, const json_t *result)
{
    const json_t *client = dig(result, "client", NULL), *why = dig(client, "why", NULL);
    bool saturated = json_is_true(dig(client, "saturated", NULL));
    bool shares = json_is_true(dig(client, "shares_cpus", NULL));
    struct text line;

    if (!json_is_boolean(dig(client, "saturated", NULL)))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_add(&line, !saturated ? "not the limit"
                    : shares   ? "SHARED CPUS WERE THE LIMIT"
                               : "THE CLIENT WAS THE LIMIT");
    if (json_is_string(why) && *json_string_value(why) != '\0') {
        text_add(&line, ": ");
        add_json_text(&line, why, "");
    }
    if (json_is_number(dig(client, "cpu_cores", NULL))) {
        text_add(&line, "; it used ");
        add_real(&line, json_number_value(dig(client, "cpu_cores", NULL)), 2);
        text_add(&line, " CPUs, its timers were late by ");
        if (json_is_number(dig(client, "lateness_p50_ms", NULL))) {
            add_json_ms(&line, client, "lateness_p50_ms");
            text_add(&line, " ms (p50), ");
        }
        add_json_ms(&line, client, "lateness_p99_ms");
        text_add(&line, " ms (p99)");
    }
    page_line(page, "client",
              !saturated ? TONE_PLAIN
              : shares   ? TONE_WARNING
                         : TONE_BAD,
              line.bytes);
    text_close(&line);
}

static void tell_durability(const struct page *page, const json_t *result)
{
    const json_t *durability = dig(result, "durability", NULL), *why = dig(durability, "why", NULL);
    bool durable = json_is_true(dig(durability, "durable", NULL));
    struct text line;
    size_t index;
    json_t *reason;

    if (!json_is_boolean(dig(durability, "durable", NULL)))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_add(&line, durable ? "a commit survives a crash of the server"
                            : "NOT DURABLE, commits may be lost in a crash");
    json_array_foreach(why, index, reason)
    {
        text_add(&line, index == 0 ? ": " : ", ");
        add_json_text(&line, reason, "?");
    }
    page_line(page, "durability", durable ? TONE_PLAIN : TONE_WARNING, line.bytes);
    text_close(&line);
}

static void tell_settings(const struct page *page, const json_t *result)
{
    const json_t *settings = dig(result, "settings", NULL);
    size_t count = json_is_array(settings) ? json_array_size(settings) : json_object_size(settings);
    struct text line;

    if (settings == NULL || json_is_null(settings))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_whole(&line, (int64_t)count);
    text_format(&line, " differ%s from the server's defaults (--json settings)",
                count == 1 ? "s" : "");
    page_line(page, "settings", TONE_PLAIN, line.bytes);
    text_close(&line);
}

void tell_ground(const struct page *page, const json_t *result)
{
    page_heading(page, "ground");
    tell_connects(page, result);
    tell_connect_parts(page, result);
    tell_books(page, result);
    tell_ledgers(page, result);
    tell_client(page, result);
    tell_durability(page, result);
    tell_settings(page, result);
}

void tell_notes(const struct page *page, const json_t *result)
{
    const json_t *notes = dig(result, "notes", NULL);
    struct text line;
    size_t index;
    json_t *note;

    text_init(&line, PAGE_TEXT_MAX);
    json_array_foreach(notes, index, note)
    {
        text_clear(&line);
        add_json_text(&line, note, "?");
        page_line(page, index == 0 ? "notes" : "", TONE_PLAIN, line.bytes);
    }
    text_close(&line);
}
