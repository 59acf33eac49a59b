/*
 * watched.c - what the load sessions were waiting for, and what the server did meanwhile.
 */
#include <string.h>

#include "report/sections.h"

#define CLASSES_SHOWN 5
#define CLASS_MIN     0.01 /* sessions, on average */
#define EVENTS_SHOWN  6

struct class
{
    const char *name;
    double sessions;
};

/* How the classes of `waits` are called in a sentence. */
static const char *words_for(const char *name)
{
    static const char *const words[][2] = {
        { "cpu", "CPU" },
        { "io_read", "reading" },
        { "io_write", "writing" },
        { "wal", "WAL" },
        { "replication", "replication" },
        { "lock", "locks" },
        { "internal", "internal locks" },
        { "buffer_pin", "buffer pins" },
        { "client", "the client's turn in a transaction" },
        { "ipc", "other processes" },
        { "timeout", "timeouts" },
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i][0], name) == 0)
            return words[i][1];
    return name;
}

/* The classes with the most sessions, in that order. */
static int top_classes(json_t *classes, struct class top[CLASSES_SHOWN])
{
    const char *name;
    json_t *value;
    int count = 0;

    json_object_foreach(classes, name, value)
    {
        struct class one = { name, json_number_value(value) };
        int at = count < CLASSES_SHOWN ? count++ : CLASSES_SHOWN;
        if (at == CLASSES_SHOWN && top[at - 1].sessions >= one.sessions)
            continue;
        at -= at == CLASSES_SHOWN ? 1 : 0;
        for (; at > 0 && top[at - 1].sessions < one.sessions; at--)
            top[at] = top[at - 1];
        top[at] = one;
    }
    return count;
}

static void tell_waits(const struct page *page, const json_t *waits)
{
    const json_t *direct = dig(waits, "classes_direct", "lock", NULL);
    struct class top[CLASSES_SHOWN];
    int count = top_classes(dig(waits, "classes", NULL), top);
    struct text line;

    if (!json_is_object(waits))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_real(&line, json_number_value(dig(waits, "average_active_sessions", NULL)), 2);
    text_add(&line, " active on average");
    for (int i = 0; i < count && top[i].sessions >= CLASS_MIN; i++) {
        text_add(&line, i == 0 ? ": " : ", ");
        text_add_safe(&line, words_for(top[i].name));
        text_add(&line, " ");
        add_real(&line, top[i].sessions, 2);
    }
    if (dig_whole(waits, "chain_samples") > 0 && json_number_value(direct) >= CLASS_MIN) {
        text_add(&line, "; of these ");
        add_real(&line, json_number_value(direct), 2);
        text_add(&line, " waited for locks and are counted as what the holders did");
    }
    page_line(page, "sessions", TONE_PLAIN, line.bytes);
    text_close(&line);
}

static void add_event(struct text *line, const json_t *event)
{
    double at_s = json_number_value(dig(event, "at_s", NULL));
    const json_t *until = dig(event, "until_s", NULL);

    add_json_text(line, dig(event, "kind", NULL), "?");
    if (json_is_string(dig(event, "table", NULL))) {
        text_add(line, " of ");
        add_json_text(line, dig(event, "table", NULL), "?");
    }
    text_add(line, " at ");
    add_real(line, at_s, 1);
    text_add(line, " s");
    if (!json_is_number(until)) {
        text_add(line, " and on");
    } else if (json_number_value(until) - at_s >= 0.05) {
        text_add(line, " for ");
        add_real(line, json_number_value(until) - at_s, 1);
        text_add(line, " s");
    }
}

static void tell_events(const struct page *page, const json_t *events)
{
    struct text line;
    size_t index;
    json_t *event;

    if (json_array_size(events) == 0)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    json_array_foreach(events, index, event)
    {
        if (index == EVENTS_SHOWN)
            break;
        text_add(&line, index > 0 ? ", " : "");
        add_event(&line, event);
    }
    if (json_array_size(events) > EVENTS_SHOWN) {
        text_add(&line, " and ");
        add_whole(&line, (int64_t)json_array_size(events) - EVENTS_SHOWN);
        text_add(&line, " more (--json events)");
    }
    page_line(page, "events", TONE_PLAIN, line.bytes);
    text_close(&line);
}

void tell_watched(const struct page *page, const json_t *result)
{
    const json_t *waits = dig(result, "waits", NULL), *events = dig(result, "events", NULL);

    if (!json_is_object(waits) && json_array_size(events) == 0)
        return;
    page_heading(page, "server, over the measured time");
    tell_waits(page, waits);
    tell_events(page, events);
}
