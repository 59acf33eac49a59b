/*
 * option.c - finds rows by name, and fills a struct from them.
 */
#include "plan/option.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "plan/option_value.h"

static char folded(char c)
{
    return c == '_' ? '-' : c;
}

bool option_name_same(const char *a, const char *b)
{
    while (*a != '\0' && folded(*a) == folded(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

/* Copies the next name of a comma separated list into `name`; false at the end. */
static bool next_name(const char **list, char *name, size_t size)
{
    size_t length;

    if (*list == NULL || **list == '\0')
        return false;
    length = strcspn(*list, ",");
    assert(length > 0 && length < size);
    memcpy(name, *list, length);
    name[length] = '\0';
    *list += length + ((*list)[length] == ',');
    return true;
}

static bool is_named(const struct option *row, const char *name)
{
    const char *aliases = row->aliases;
    char alias[NEAREST_NAME_MAX];

    if (option_name_same(row->name, name))
        return true;
    while (next_name(&aliases, alias, sizeof alias))
        if (option_name_same(alias, name))
            return true;
    return false;
}

const struct option *option_find(const struct option_group *groups, int group_count,
                                 const char *name, const struct option_group **group)
{
    const struct option *found = NULL;

    for (int i = 0; i < group_count; i++)
        for (const struct option *row = groups[i].rows; row->name != NULL; row++) {
            if (!is_named(row, name) || (found != NULL && !option_name_same(row->name, name)))
                continue;
            if (found != NULL && option_name_same(found->name, name))
                continue; /* The first that bears it as its own. */
            found = row;
            if (group != NULL)
                *group = &groups[i];
        }
    return found;
}

/* An alias is as good a guess as a name, but the name is what is answered: the offers are copies.
 */
static void offer_aliases(struct nearest *nearest, const struct option *row)
{
    const char *aliases = row->aliases;
    char alias[NEAREST_NAME_MAX];

    while (next_name(&aliases, alias, sizeof alias)) {
        struct nearest trial = *nearest;

        nearest_offer(&trial, alias);
        if (trial.best == alias) {
            nearest->best = row->name;
            nearest->distance = trial.distance;
        }
    }
}

const char *option_nearest(const struct option_group *groups, int group_count, const char *name)
{
    struct nearest nearest = { .wanted = name };

    for (int i = 0; i < group_count; i++)
        for (const struct option *row = groups[i].rows; row->name != NULL; row++) {
            if ((row->marks & (OPTION_IGNORED | OPTION_REFUSED)) != 0)
                continue;
            nearest_offer(&nearest, row->name);
            offer_aliases(&nearest, row);
        }
    return nearest.best;
}

bool option_set(const struct option *row, void *base, const char *value, struct arena *arena,
                struct error *err)
{
    struct option_value parsed;

    if (!option_parse(row, value, &parsed, err))
        return false;
    option_store(row, base, &parsed, arena);
    return true;
}

void option_defaults(const struct option_group *groups, int group_count, struct arena *arena)
{
    static const struct option_value nothing;
    struct error err = { 0 };

    /* First the empty ones: a row may share its field with the row that owns the value. */
    for (int i = 0; i < group_count; i++)
        for (const struct option *row = groups[i].rows; row->name != NULL; row++)
            if (row->fallback == NULL)
                option_store(row, groups[i].base, &nothing, arena);
    for (int i = 0; i < group_count; i++)
        for (const struct option *row = groups[i].rows; row->name != NULL; row++)
            if (row->fallback != NULL) {
                bool ok = option_set(row, groups[i].base, row->fallback, arena, &err);
                assert(ok && "a fallback that does not parse");
                (void)ok;
            }
}

bool option_is_default(const struct option *row, const void *base)
{
    struct option_value value, fallback = { 0 };
    struct error err;

    option_load(row, base, &value);
    if (row->fallback != NULL && !option_parse(row, row->fallback, &fallback, &err))
        return false;
    return option_same(row, &value, &fallback);
}

/* True when `list`, separated by commas, has the word. */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; *at != '\0';) {
        size_t here = strcspn(at, ",");

        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here + (at[here] == ',');
    }
    return false;
}

bool option_in_topics(const struct option *row, const char *topics)
{
    return topics == NULL || list_has(topics, row->topic) || list_has(topics, row->name);
}

bool option_picked(const struct option *row, const char *topics)
{
    if ((row->marks & (OPTION_HIDDEN | OPTION_IGNORED | OPTION_REFUSED)) != 0)
        return false;
    return option_in_topics(row, topics);
}
