/*
 * settings.c - see settings.h. When in doubt a value is hidden: that it is set stays visible.
 */
#include "collect/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

static const char hidden[] = "...";

/* These are our own connection's, not the load's. */
static const char *const ours[] = { "application_name", "client_encoding" };

static bool is_one_of(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool holds(const char *text, const char *word) /* `word` in small letters */
{
    size_t length = strlen(word);
    for (; *text != '\0'; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_switch(const char *value)
{
    return strcmp(value, "on") == 0 || strcmp(value, "off") == 0;
}

bool settings_is_secret(const char *name, const char *value)
{
    static const char *const always[] = { "primary_conninfo", "ssl_passphrase_command" };
    static const char *const never[] = { "password_encryption" };
    static const char *const in_names[] = { "password", "secret",     "token",
                                            "conninfo", "passphrase", "credential" };
    static const char *const in_values[] = { "password", "passwd",     "pgpass",     "secret",
                                             "token",    "credential", "access_key", "accesskey",
                                             "api_key",  "apikey",     "sig=",       "://" };
    if (*value == '\0' || is_one_of(name, never, COUNT_OF(never)))
        return false;
    if (is_one_of(name, always, COUNT_OF(always)))
        return true;
    if (is_switch(value)) /* ssl_passphrase_command_supports_reload, md5_password_warnings */
        return false;
    for (int i = 0; i < COUNT_OF(in_names); i++)
        if (holds(name, in_names[i]))
            return true;
    if (!ends_with(name, "_command"))
        return false;
    for (int i = 0; i < COUNT_OF(in_values); i++)
        if (holds(value, in_values[i]))
            return true;
    return false;
}

static json_t *shown(const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return json_null();
    if (settings_is_secret(name, json_string_value(value)))
        return json_string(hidden);
    return json_string(json_string_value(value));
}

/* "0700" is shown in octal, with a boot value of 448. */
static bool is_same_mode(const char *value, const char *boot)
{
    char *value_end, *boot_end;
    if (value[0] != '0')
        return false;
    long value_number = strtol(value, &value_end, 8), boot_number = strtol(boot, &boot_end, 10);
    return value_number == boot_number && *value_end == '\0' && boot_end != boot &&
           *boot_end == '\0';
}

/* NULL and "" are the same here. */
static bool is_default(const json_t *row)
{
    const char *value = json_string_value(json_object_get(row, "value"));
    const char *boot = json_string_value(json_object_get(row, "boot"));
    value = value != NULL ? value : "";
    boot = boot != NULL ? boot : "";
    return strcmp(value, boot) == 0 || is_same_mode(value, boot);
}

/* 'override' is what initdb and the binary fix; it is of interest when it is not the usual. */
static bool differs(const json_t *row)
{
    const char *source = json_string_value(json_object_get(row, "source"));
    bool set = source != NULL && strcmp(source, "default") != 0 && strcmp(source, "override") != 0;
    return set || !is_default(row);
}

void settings_put(json_t *snapshot, const json_t *rows)
{
    json_t *some = json_object(), *all = json_object(), *pending = json_array();
    size_t at;
    const json_t *row;
    json_array_foreach(rows, at, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        if (name == NULL || is_one_of(name, ours, COUNT_OF(ours)))
            continue;
        json_object_set_new(all, name, shown(name, json_object_get(row, "value")));
        if (json_is_true(json_object_get(row, "pending_restart")))
            json_array_append_new(pending, json_string(name));
        if (differs(row))
            json_object_set_new(some, name,
                                json_pack("{s:o, s:O?, s:O?, s:o}", "value",
                                          shown(name, json_object_get(row, "value")), "unit",
                                          json_object_get(row, "unit"), "source",
                                          json_object_get(row, "source"), "boot",
                                          shown(name, json_object_get(row, "boot"))));
    }
    json_object_set_new(snapshot, "settings", some);
    json_object_set_new(snapshot, "all_settings", all);
    json_object_set_new(snapshot, "pending_restart", pending);
}
