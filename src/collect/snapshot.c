/*
 * snapshot.c - walks the table once: each row becomes a key of the snapshot or a line of its notes.
 */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "collect/query.h"
#include "collect/settings.h"
#include "collect/table.h"

static void add_note(json_t *snapshot, const char *name, const char *reason)
{
    char *line = memory_format("%s: %s", name, reason);
    json_t *words = json_string(line);
    if (words == NULL) /* not UTF-8 */
        words = json_sprintf("%s: not readable", name);
    json_array_append_new(json_object_get(snapshot, "notes"), words);
    memory_free(line);
}

/* ---- what this role may ask: one statement for all conditions ---- */

static json_t *ask_needs(struct collect *collect, json_t *snapshot)
{
    char *list = memory_text("SELECT true AS always");
    int number = 0;
    for (const struct table_row *row = table_next(NULL, collect->major); row != NULL;
         row = table_next(row, collect->major)) {
        if (row->need == NULL)
            continue;
        char *longer = memory_format("%s, (%s) AS need_%d", list, row->need, number++);
        memory_free(list);
        list = longer;
    }
    struct error err = { 0 };
    json_t *answer = query_json(collect, list, QUERY_OBJECT, false, &err);
    memory_free(list);
    if (answer == NULL)
        add_note(snapshot, "privileges", err.text);
    return answer;
}

static bool may_ask(const json_t *needs, const struct table_row *row, int *number)
{
    if (row->need == NULL)
        return true;
    char *key = memory_format("need_%d", (*number)++);
    bool may = json_is_true(json_object_get(needs, key));
    memory_free(key);
    return may;
}

/* ---- one row ---- */

static void put_value(json_t *snapshot, const struct table_row *row, json_t *value)
{
    json_t *there = json_object_get(snapshot, row->name);
    if (strcmp(row->name, "settings") == 0) {
        settings_put(snapshot, value);
        json_decref(value);
    } else if (json_is_object(there) && json_is_object(value)) {
        json_object_update(there, value);
        json_decref(value);
    } else {
        json_object_set_new(snapshot, row->name, value);
    }
}

static void ask_row(struct collect *collect, const struct table_row *row, json_t *snapshot)
{
    struct error err = { 0 };
    json_t *value = query_json(collect, row->sql, row->shape, row->bare, &err);
    if (value == NULL)
        add_note(snapshot, row->name, err.text);
    else
        put_value(snapshot, row, value);
}

/* What readers look for first stands at the top. */
static void lift(json_t *snapshot, const char *from, const char *key)
{
    json_t *value = json_object_get(json_object_get(snapshot, from), key);
    if (value != NULL)
        json_object_set(snapshot, key, value);
}

static void put_time(json_t *snapshot)
{
    char at[32];
    clock_iso(clock_wall_ns(), at, sizeof(at));
    json_object_set_new(snapshot, "at", json_string(at));
}

json_t *collect_snapshot(struct collect *collect)
{
    json_t *snapshot = json_object();
    struct error err = { 0 };
    put_time(snapshot);
    json_object_set_new(snapshot, "notes", json_array());
    if (!query_connect(collect, &err)) {
        add_note(snapshot, "connection", err.text);
        return snapshot;
    }
    json_t *needs = ask_needs(collect, snapshot);
    int number = 0;
    for (const struct table_row *row = table_next(NULL, collect->major); row != NULL;
         row = table_next(row, collect->major)) {
        if (!may_ask(needs, row, &number)) {
            add_note(snapshot, row->name, "not allowed for this role");
            continue;
        }
        ask_row(collect, row, snapshot);
        if (collect->conn == NULL) {
            add_note(snapshot, "connection", "lost; what follows was not read");
            break;
        }
    }
    json_decref(needs);
    lift(snapshot, "server", "version");
    lift(snapshot, "server", "version_num");
    lift(snapshot, "control", "system_identifier");
    json_object_set_new(snapshot, "durability", collect_durability(snapshot));
    return snapshot;
}

/* ---- durability ---- */

static const char *setting(const json_t *snapshot, const char *name)
{
    return json_string_value(json_object_get(json_object_get(snapshot, "all_settings"), name));
}

static void put_switch(json_t *out, const json_t *snapshot, const char *name)
{
    const char *value = setting(snapshot, name);
    json_object_set_new(out, name,
                        value == NULL ? json_null() : json_boolean(strcmp(value, "on") == 0));
}

static void put_word(json_t *out, const json_t *snapshot, const char *name)
{
    const char *value = setting(snapshot, name);
    json_object_set_new(out, name, value == NULL ? json_null() : json_string(value));
}

/* Not known is not durable: a claim needs evidence. */
static void need_not_off(json_t *why, const json_t *snapshot, const char *name)
{
    const char *value = setting(snapshot, name);
    if (value == NULL)
        json_array_append_new(why, json_sprintf("%s is not known", name));
    else if (strcmp(value, "off") == 0)
        json_array_append_new(why, json_sprintf("%s is off", name));
}

json_t *collect_durability(const json_t *snapshot)
{
    json_t *out = json_object(), *why = json_array();
    put_switch(out, snapshot, "fsync");
    put_switch(out, snapshot, "full_page_writes");
    put_word(out, snapshot, "synchronous_commit");
    put_switch(out, snapshot, "data_checksums");
    put_word(out, snapshot, "wal_level");
    const char *standbys = setting(snapshot, "synchronous_standby_names");
    json_object_set_new(out, "synchronous_standbys",
                        standbys == NULL ? json_null() : json_boolean(*standbys != '\0'));
    need_not_off(why, snapshot, "fsync");
    need_not_off(why, snapshot, "full_page_writes");
    need_not_off(why, snapshot, "synchronous_commit");
    const json_t *unlogged = json_object_get(json_object_get(snapshot, "unlogged"), "tables");
    json_object_set_new(out, "unlogged_tables",
                        json_is_integer(unlogged) ? json_integer(json_integer_value(unlogged))
                                                  : json_null());
    if (!json_is_integer(unlogged))
        json_array_append_new(why, json_string("the number of unlogged tables is not known"));
    else if (json_integer_value(unlogged) > 0)
        json_array_append_new(
            why, json_sprintf("%lld unlogged table(s)", (long long)json_integer_value(unlogged)));
    json_object_set_new(out, "durable", json_boolean(json_array_size(why) == 0));
    json_object_set_new(out, "why", why);
    return out;
}
