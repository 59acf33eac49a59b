/*
 * events.c - see events.h.
 */
#include "collect/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAG_S       1.5 /* counters are published that late, at most */
#define LONG_WORK_S 1.0 /* a checkpointer at work for so long is at a checkpoint */
#define LATE_WORD_S 3.0 /* a table may tell of its vacuum so long after that was over */

static double real_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t whole_of(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static struct event *add(struct events *events, const char *kind, double at_s)
{
    struct event *event = &events->row[events->count];

    if (events->count == EVENTS_MAX) {
        events->unlisted++;
        return NULL;
    }
    events->count++;
    *event = (struct event){ .kind = kind, .at_s = at_s, .until_s = at_s, .buffers = -1 };
    return event;
}

/* ---- checkpoints ---- */

void events_checkpointer(struct events *events, double at_s, bool busy)
{
    struct event_stretch *last =
        events->busy_count > 0 ? &events->busy[events->busy_count - 1] : NULL;

    if (last != NULL && last->open) {
        last->end_s = at_s;
        last->open = busy;
        return;
    }
    if (!busy)
        return;
    if (events->busy_count == EVENTS_STRETCHES)
        memmove(&events->busy[0], &events->busy[1],
                (size_t)--events->busy_count * sizeof events->busy[0]);
    events->busy[events->busy_count++] = (struct event_stretch){ at_s, at_s, true };
}

/* The longest stretch of work that touches [from, to]. */
static const struct event_stretch *stretch_in(const struct events *events, double from_s,
                                              double to_s)
{
    const struct event_stretch *found = NULL;

    for (int i = 0; i < events->busy_count; i++) {
        const struct event_stretch *at = &events->busy[i];
        if (at->begin_s <= to_s && (at->open || at->end_s >= from_s) &&
            (found == NULL || at->end_s - at->begin_s > found->end_s - found->begin_s))
            found = at;
    }
    return found;
}

/* When it began, by the best that is known: seen at work; the control file's word, in whole
 * seconds; the time that it took. */
static double checkpoint_begin_s(const struct events *events, double at_s, double worked_s,
                                 double control_s)
{
    double earliest_s = events->last_s - LAG_S - worked_s;
    const struct event_stretch *stretch = stretch_in(events, events->last_s - LAG_S, at_s);

    if (stretch != NULL)
        return stretch->begin_s;
    if (isfinite(control_s) && control_s + 1 > earliest_s && control_s <= at_s)
        return fmax(control_s, earliest_s);
    return at_s - worked_s;
}

static struct event *open_checkpoint(struct events *events)
{
    for (int i = events->count - 1; i >= 0; i--)
        if (events->row[i].open && strcmp(events->row[i].kind, "checkpoint") == 0)
            return &events->row[i];
    return NULL;
}

static void close_checkpoint(struct events *events, struct event *event, double at_s,
                             int64_t buffers)
{
    const struct event_stretch *stretch = stretch_in(events, event->at_s, at_s);

    event->open = false;
    event->until_s = stretch != NULL && !stretch->open ? stretch->end_s : at_s;
    event->until_s = fmax(event->until_s, event->at_s);
    event->buffers = buffers;
}

static void look_at_checkpoints(struct events *events, double at_s, double behind_s,
                                const json_t *look)
{
    const json_t *counters = json_object_get(look, "checkpointer");
    double control_s = real_of(json_object_get(look, "control"), "checkpoint_s") - behind_s;
    int64_t timed = whole_of(counters, "timed"), requested = whole_of(counters, "requested");
    int64_t done = whole_of(counters, "done"), buffers = whole_of(counters, "buffers_written");
    double worked_ms = real_of(counters, "write_ms") + real_of(counters, "sync_ms");
    bool started, ended;
    struct event *event;

    if (timed < 0)
        return;
    /* From 18 on those that had nothing to do are not "done"; they are no events. */
    ended = events->known && (worked_ms > events->worked_ms || done > events->done);
    started = events->known &&
              (timed > events->timed || requested > events->requested || done > events->done);
    started = started && (done < 0 || done > events->done || open_checkpoint(events) == NULL) &&
              (done < 0 || done > events->done ||
               stretch_in(events, events->last_s - LAG_S, at_s) != NULL);
    event = open_checkpoint(events);
    if (started && event == NULL) {
        double worked_s = ended ? (worked_ms - events->worked_ms) / 1000 : 0;
        event = add(events, "checkpoint", checkpoint_begin_s(events, at_s, worked_s, control_s));
        if (event != NULL) {
            event->why = requested > events->requested ? "requested" : "timed";
            event->open = true;
        }
    }
    if (ended && event != NULL)
        close_checkpoint(events, event, at_s,
                         buffers >= 0 && events->buffers >= 0 ? buffers - events->buffers : -1);
    if (!events->known || ended)
        events->buffers = buffers;
    events->timed = timed;
    events->requested = requested;
    events->done = done;
    events->worked_ms = worked_ms;
}

/* ---- vacuums ---- */

static struct event *find_vacuum(struct events *events, int64_t pid, int64_t id)
{
    for (int i = events->count - 1; i >= 0; i--)
        if (events->row[i].open && events->row[i].pid == pid && events->row[i].id == id)
            return &events->row[i];
    return NULL;
}

/* Since the last look, or it would have been seen then; its command may be older. */
static double vacuum_begin_s(const struct events *events, double at_s, double command_s)
{
    if (!events->known || !isfinite(command_s))
        return at_s;
    return fmin(fmax(command_s, events->last_s), at_s);
}

static void look_at_progress(struct events *events, double at_s, double behind_s,
                             const json_t *look)
{
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(look, "vacuuming"), index, row)
    {
        int64_t pid = whole_of(row, "pid"), id = whole_of(row, "id");
        const char *name = json_string_value(json_object_get(row, "name"));
        const json_t *automatic = json_object_get(row, "auto");
        struct event *event = find_vacuum(events, pid, id);
        /* Whose process a role may not see: the table tells when it is over. */
        if (event == NULL && !json_is_boolean(automatic))
            continue;
        if (event == NULL)
            event = add(events, json_is_true(automatic) ? "autovacuum" : "vacuum",
                        vacuum_begin_s(events, at_s, real_of(row, "query_s") - behind_s));
        if (event == NULL)
            continue;
        event->open = event->seen = true;
        event->pid = pid;
        event->id = id;
        snprintf(event->name, sizeof event->name, "%s", name != NULL ? name : "");
    }
}

/* The vacuum of a table that was seen at work lately. */
static struct event *find_lately(struct events *events, int64_t id, const char *kind, double at_s)
{
    for (int i = events->count - 1; i >= 0; i--) {
        struct event *event = &events->row[i];
        if (event->id == id && event->pid != 0 && strcmp(event->kind, kind) == 0 &&
            (event->open || at_s - event->until_s < LATE_WORD_S))
            return event;
    }
    return NULL;
}

/* A table tells exactly when its last vacuum was over, by the server's clock. */
static void look_at_table(struct events *events, const json_t *row, double over_s, const char *kind)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    int64_t id = whole_of(row, "id");
    struct event *event = find_lately(events, id, kind, over_s);

    if (event == NULL)
        event = add(events, kind, over_s);
    if (event == NULL)
        return;
    event->open = false;
    event->pid = 0; /* its end is known */
    event->id = id;
    event->at_s = fmin(event->at_s, over_s);
    event->until_s = over_s;
    snprintf(event->name, sizeof event->name, "%s", name != NULL ? name : "");
}

/* Each is told once: when it is newer than all that were seen, on the clock that they were told by.
 */
static void look_at_tables(struct events *events, double behind_s, const json_t *look)
{
    static const struct {
        const char *key, *kind;
    } ends[] = { { "vacuum_s", "vacuum" }, { "autovacuum_s", "autovacuum" } };
    double newest_s = events->newest_vacuum_s;
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(look, "vacuumed"), index, row)
    {
        for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
            double over_s = real_of(row, ends[i].key);
            if (events->known && over_s > events->newest_vacuum_s)
                look_at_table(events, row, over_s - behind_s, ends[i].kind);
            newest_s = fmax(newest_s, over_s);
        }
    }
    events->newest_vacuum_s = newest_s;
}

static void close_unseen(struct events *events, double at_s)
{
    for (int i = 0; i < events->count; i++) {
        struct event *event = &events->row[i];
        if (event->open && event->pid != 0 && !event->seen) {
            event->open = false;
            event->until_s = at_s;
        }
        event->seen = false;
    }
}

void events_look(struct events *events, double at_s, double behind_s, const json_t *look)
{
    if (!events->known)
        events->newest_vacuum_s = -HUGE_VAL;
    look_at_checkpoints(events, at_s, behind_s, look);
    look_at_progress(events, at_s, behind_s, look);
    look_at_tables(events, behind_s, look);
    close_unseen(events, at_s);
    events->known = true;
    events->last_s = at_s;
}

/* ---- telling ---- */

static json_t *event_json(const struct event *event, double zero_s)
{
    json_t *json =
        json_pack("{s:s, s:f, s:o}", "kind", event->kind, "at_s", event->at_s - zero_s, "until_s",
                  event->open ? json_null() : json_real(event->until_s - zero_s));

    if (event->why != NULL)
        json_object_set_new(json, "why", json_string(event->why));
    if (event->buffers >= 0)
        json_object_set_new(json, "buffers", json_integer(event->buffers));
    if (event->name[0] != '\0') {
        json_t *name = json_string(event->name);
        json_object_set_new(json, "table", name != NULL ? name : json_null());
    }
    return json;
}

static int by_begin(const void *a, const void *b)
{
    const struct event *one = a, *other = b;

    return (one->at_s > other->at_s) - (one->at_s < other->at_s);
}

json_t *events_json(const struct events *events, double zero_s)
{
    struct events sorted = *events;
    const struct event_stretch *last =
        sorted.busy_count > 0 ? &sorted.busy[sorted.busy_count - 1] : NULL;
    json_t *list = json_array();

    /* Long at work, and no counter has told of it yet. */
    if (last != NULL && last->open && last->end_s - last->begin_s >= LONG_WORK_S &&
        open_checkpoint(&sorted) == NULL) {
        struct event *event = add(&sorted, "checkpoint", last->begin_s);
        if (event != NULL)
            event->open = true;
    }
    qsort(sorted.row, (size_t)sorted.count, sizeof sorted.row[0], by_begin);
    for (int i = 0; i < sorted.count; i++)
        json_array_append_new(list, event_json(&sorted.row[i], zero_s));
    return list;
}
