/*
 * difference.c - what the counters of two answers grew by: see views.h.
 *
 * A figure that was not counted over the same interval is worse than none: a view that went back
 * is told by nobody, and a row that was not read at the beginning is left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collect/views.h"

#define ROWS_TOP 20

/* Is it one of the blank-separated words? `words` begin and end with a blank. */
static bool is_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    const char *at = words;

    while (at != NULL && (at = strstr(at, word)) != NULL) {
        if (at > words && at[-1] == ' ' && at[length] == ' ')
            return true;
        at++;
    }
    return false;
}

static json_t *minus(const json_t *begin, const json_t *end)
{
    if (!json_is_number(end) || (begin != NULL && !json_is_number(begin)))
        return json_null();
    if (json_is_integer(end) && (begin == NULL || json_is_integer(begin)))
        return json_integer(json_integer_value(end) - json_integer_value(begin));
    return json_real(json_number_value(end) - (begin != NULL ? json_number_value(begin) : 0));
}

static void put_gauge(json_t *out, const char *column, const json_t *begin, json_t *end)
{
    char *growth = memory_format("%s_growth", column);

    json_object_set(out, column, end);
    json_object_set_new(out, growth, minus(begin, end));
    memory_free(growth);
}

/* Of one row; a row that was not there at the beginning was 0 then. */
static json_t *difference_of(const struct view *view, const json_t *begin, json_t *end)
{
    json_t *out = json_object(), *value;
    const char *column;

    json_object_foreach(end, column, value)
    {
        const json_t *before = json_object_get(begin, column);
        if (is_word(view->keys, column))
            json_object_set(out, column, value);
        else if (is_word(view->gauges, column))
            put_gauge(out, column, json_is_null(before) ? NULL : before, value);
        else if (json_is_number(value) && (begin == NULL || before != NULL) &&
                 strcmp(column, "datid") != 0)
            json_object_set_new(out, column, minus(json_is_null(before) ? NULL : before, value));
    }
    return out;
}

static bool same_row(const struct view *view, const json_t *one, const json_t *other)
{
    char column[64];

    for (const char *at = view->keys + 1; *at != '\0'; at += strcspn(at, " ") + 1) {
        snprintf(column, sizeof column, "%.*s", (int)strcspn(at, " "), at);
        if (!json_equal(json_object_get(one, column), json_object_get(other, column)))
            return false;
    }
    return true;
}

/* Both lists are in about the same order, so it is looked for from where the last one was found. */
static const json_t *find_row(const struct view *view, const json_t *rows, const json_t *row,
                              size_t *from)
{
    size_t count = json_array_size(rows);

    for (size_t i = 0; i < count; i++) {
        size_t at = (*from + i) % count;
        const json_t *other = json_array_get(rows, at);
        if (same_row(view, other, row)) {
            *from = at + 1;
            return other;
        }
    }
    return NULL;
}

/* How much happened in a row: its counters, whatever they count. */
static double activity(const struct view *view, json_t *row)
{
    double sum = 0;
    const char *column;
    json_t *value;

    json_object_foreach(row, column, value)
    {
        if (!is_word(view->gauges, column) && !is_word(view->keys, column))
            sum += fabs(json_number_value(value));
    }
    return sum;
}

static void add_to(json_t *sums, const char *column, const json_t *value)
{
    const json_t *sum = json_object_get(sums, column);

    if (!json_is_number(value))
        return;
    if (json_is_integer(value) && (sum == NULL || json_is_integer(sum)))
        json_object_set_new(sums, column,
                            json_integer(json_integer_value(sum) + json_integer_value(value)));
    else
        json_object_set_new(
            sums, column,
            json_real((sum != NULL ? json_number_value(sum) : 0) + json_number_value(value)));
}

/* The row of the greatest activity, moved out of `rows`; NULL when nothing happened in any. */
static json_t *take_busiest(const struct view *view, json_t *rows)
{
    size_t index, busiest = 0;
    double most = 0;
    json_t *row;

    json_array_foreach(rows, index, row)
    {
        if (activity(view, row) > most) {
            most = activity(view, row);
            busiest = index;
        }
    }
    if (most == 0)
        return NULL;
    row = json_incref(json_array_get(rows, busiest));
    json_array_remove(rows, busiest);
    return row;
}

/* Are there only the first of its rows? */
static bool is_long(const struct view *view)
{
    return view->sql != NULL && strstr(view->sql, "LIMIT " VIEW_LIST_ROWS) != NULL;
}

static json_t *list_difference(const struct view *view, const json_t *begin, const json_t *end)
{
    json_t *out = json_object(), *rows = json_array(), *top = json_array(), *row, *value;
    const char *column;
    size_t index, from = 0;

    json_array_foreach(end, index, row)
    {
        const json_t *before = find_row(view, begin, row, &from);
        json_t *grown;
        /* One that was not among the first of a long list was not 0. */
        if (before == NULL && json_array_size(begin) >= VIEW_LIST_MAX && is_long(view))
            continue;
        grown = difference_of(view, before, row);
        json_object_foreach(grown, column, value)
        {
            if (!is_word(view->keys, column))
                add_to(out, column, value);
        }
        json_array_append_new(rows, grown);
    }
    while (json_array_size(top) < ROWS_TOP && (row = take_busiest(view, rows)) != NULL)
        json_array_append_new(top, row);
    json_decref(rows);
    json_object_set_new(out, "rows", top);
    return out;
}

/* What only tells of events. */
static bool is_inner(const struct view *view)
{
    return strcmp(view->name, "vacuumed") == 0 || strcmp(view->name, "vacuuming") == 0 ||
           strcmp(view->name, "control") == 0;
}

/* A counter never goes back by itself. */
static bool went_back(const struct view *view, const json_t *begin, json_t *end)
{
    const char *column;
    json_t *value;

    json_object_foreach(end, column, value)
    {
        const json_t *before = json_object_get(begin, column);
        if (json_is_number(value) && json_is_number(before) && !is_word(view->gauges, column) &&
            !is_word(view->keys, column) && json_number_value(value) < json_number_value(before))
            return true;
    }
    return false;
}

/* Either told by the server, or seen. */
static bool was_reset(const struct view *view, const json_t *begin, json_t *end)
{
    const json_t *before = json_object_get(begin, "stats_reset");
    const json_t *after = json_object_get(end, "stats_reset");
    size_t index, from = 0;
    json_t *row;
    bool back = false;

    json_array_foreach(end, index, row)
    {
        back = back || went_back(view, find_row(view, begin, row, &from), row);
    }
    return back || (json_is_object(end) && ((json_is_string(after) && !json_equal(before, after)) ||
                                            went_back(view, begin, end)));
}

static json_t *view_difference(const struct view *view, const json_t *begin, const json_t *end,
                               json_t *notes)
{
    const json_t *before = json_object_get(begin, view->name);
    json_t *after = json_object_get(end, view->name);

    if (after == NULL || before == NULL)
        return NULL;
    if (was_reset(view, before, after)) {
        json_array_append_new(
            notes, json_sprintf("the server's statistics (%s) went back during the run, since "
                                "somebody reset them or dropped what they were of: they tell "
                                "nothing of it",
                                view->name));
        return json_null();
    }
    if (json_is_array(after))
        return list_difference(view, before, after);
    return json_is_object(after) ? difference_of(view, before, after) : json_null();
}

json_t *views_difference(const json_t *begin, const json_t *end, json_t *notes)
{
    json_t *out = json_object();

    if (!json_equal(json_object_get(begin, "started"), json_object_get(end, "started"))) {
        json_array_append_new(notes, json_string("the server was restarted during the run: its "
                                                 "statistics tell nothing of it"));
        json_decref(out);
        return json_null();
    }
    for (const struct view *view = view_rows; view->name != NULL; view++) {
        json_t *grown = !is_inner(view) && json_object_get(out, view->name) == NULL
                            ? view_difference(view, begin, end, notes)
                            : NULL;
        if (grown != NULL)
            json_object_set_new(out, view->name, grown);
    }
    return out;
}

/* The line of the series needs no rows, nor how an amount grew: the one before has it. */
static void shorten(json_t *view)
{
    const char *column;
    json_t *value;
    void *next;

    json_object_del(view, "rows");
    json_object_foreach_safe(view, next, column, value)
    {
        size_t length = strlen(column), ending = strlen("_growth");
        if (json_is_null(value) ||
            (length > ending && strcmp(column + length - ending, "_growth") == 0))
            json_object_del(view, column);
    }
}

json_t *views_short(const json_t *begin, const json_t *end)
{
    json_t *ignored = json_array(), *grown = views_difference(begin, end, ignored), *view;
    const char *name;

    json_object_foreach(grown, name, view)
    {
        shorten(view);
    }
    json_decref(ignored);
    return grown;
}
