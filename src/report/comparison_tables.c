/*
 * comparison_tables.c - ratios: the published table with a column a side, and one side in full.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/comparison.h"

#define CELL_MAX 256

static enum tone tone_of_verdict(const char *cell)
{
    size_t length = strlen(cell);
    char last = length > 0 ? cell[length - 1] : ' ';

    if (strcmp(cell, "faster") == 0 || (last == '+' && length > 1))
        return TONE_GOOD;
    if (strcmp(cell, "slower") == 0 || (last == '-' && length > 1))
        return TONE_BAD;
    return strncmp(cell, "cannot tell", 11) == 0 || strcmp(cell, "no claim") == 0 ? TONE_DIM
                                                                                  : TONE_PLAIN;
}

static double number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

static const char *group_words(const struct telling *telling, const char *group)
{
    const char *name = json_string_value(json_object_get(telling->tree, "name"));

    return group != NULL ? group : name != NULL ? name : "workloads";
}

/* The entry of a group's geometric mean for a column, or NULL. */
static const json_t *mean_of(const struct telling *telling, const char *group, int column)
{
    const json_t *list = json_object_get(telling->tree, "groups");
    json_t *one;
    size_t index;

    json_array_foreach(list, index, one) if (in_group(one, group))
    {
        const json_t *mean = json_array_get(json_object_get(one, "columns"), (size_t)column - 1);
        return json_is_object(mean) ? mean : NULL;
    }
    return NULL;
}

/* ---- a column a side ---- */

static void put_relative(struct table *table, int column, const json_t *ratio)
{
    char cell[CELL_MAX];
    const char *mark = json_string_value(json_object_get(ratio, "mark"));

    if (!json_is_object(ratio))
        return;
    snprintf(cell, sizeof cell, "%.2f%s", number(ratio, "value"), mark != NULL ? mark : "");
    table_cell(table, column, cell);
}

void tell_relative(const struct telling *telling, const char *group)
{
    static const char *const no_heads[] = { NULL };
    struct table *table = table_new(no_heads);
    struct text name;

    text_init(&name, PAGE_TEXT_MAX);
    table->columns = telling->column_count;
    table->tone = tone_of_verdict;
    for (int column = 1; column < telling->column_count; column++) {
        text_clear(&name);
        add_column_name(&name, telling, column);
        table_cell(table, column, name.bytes);
    }
    for (int i = 0; i < telling->row_count; i++) {
        const json_t *row = telling->order[i];

        if (!in_group(row, group) || !table_row(table))
            continue;
        text_clear(&name);
        text_add_safe(&name, row_name(row));
        table_cell(table, 0, name.bytes);
        for (int column = 1; column < telling->column_count; column++)
            put_relative(table, column, ratio_of(row, column));
    }
    if (mean_of(telling, group, 1) != NULL && table_row(table)) {
        table_cell(table, 0, "geometric mean");
        for (int column = 1; column < telling->column_count; column++)
            put_relative(table, column, mean_of(telling, group, column));
    }
    text_close(&name);
    tell_heading(telling, group_words(telling, group));
    tell_table(telling, table);
}

/* ---- one side in full ---- */

static void add_figure(struct text *out, double value)
{
    add_real(out, value, value >= 1000 ? 0 : value >= 10 ? 1 : 3);
}

/* "1.02 to 1.05"; of one run the interval of its mean: "1,000 to 1,040 in it". */
static void put_interval(struct table *table, int column, const json_t *ratio)
{
    char cell[CELL_MAX];

    if (!json_is_number(json_object_get(ratio, "low")))
        return;
    snprintf(cell, sizeof cell, "%.3f to %.3f", number(ratio, "low"), number(ratio, "high"));
    table_cell(table, column, cell);
}

static void put_side(struct table *table, int column, const json_t *cell)
{
    const json_t *within = json_object_get(cell, "within");
    struct text out;

    if (!json_is_number(json_object_get(cell, "mean")))
        return;
    text_init(&out, CELL_MAX);
    add_figure(&out, number(cell, "mean"));
    if (json_is_object(within)) {
        double half = number(within, "high") - number(within, "mean");
        text_add(&out, " +-");
        add_figure(&out, half);
    }
    table_cell(table, column, out.bytes);
    text_close(&out);
}

static void put_spread(struct table *table, int column, const json_t *row, int side)
{
    const json_t *sides[] = { cell_of(row, 0), cell_of(row, side) };
    char cells[2][CELL_MAX], both[2 * CELL_MAX + 2];

    for (int i = 0; i < 2; i++)
        if (json_is_number(json_object_get(sides[i], "variation")))
            snprintf(cells[i], sizeof cells[i], "%.1f", 100 * number(sides[i], "variation"));
        else
            snprintf(cells[i], sizeof cells[i], "-");
    snprintf(both, sizeof both, "%s/%s", cells[0], cells[1]);
    table_cell(table, column, both);
}

static void put_verdict(struct table *table, int column, const json_t *ratio)
{
    const char *verdict = json_string_value(json_object_get(ratio, "verdict"));
    const json_t *further = json_object_get(ratio, "further");
    char cell[CELL_MAX];

    if (verdict == NULL)
        return;
    if (json_is_integer(further))
        snprintf(cell, sizeof cell, "%s: %lld more", verdict,
                 (long long)json_integer_value(further));
    else
        snprintf(cell, sizeof cell, "%s%s", verdict, further != NULL ? ": too close" : "");
    table_cell(table, column, cell);
}

static void put_p(struct table *table, int column, const json_t *ratio)
{
    char cell[CELL_MAX];

    if (!json_is_number(json_object_get(ratio, "p_held")))
        return;
    snprintf(cell, sizeof cell, "%.2g", number(ratio, "p_held"));
    table_cell(table, column, cell);
}

/* Columns of the table of one side. */
enum { NAME, BASE, HEAD, RATIO, INTERVAL, SPREAD, COUNT, P, VERDICT };

static void put_row(struct table *table, const json_t *row, int side)
{
    const json_t *ratio = ratio_of(row, side);
    char cell[CELL_MAX];
    struct text name;

    text_init(&name, PAGE_TEXT_MAX);
    text_add_safe(&name, row_name(row));
    table_cell(table, NAME, name.bytes);
    text_close(&name);
    put_side(table, BASE, cell_of(row, 0));
    put_side(table, HEAD, cell_of(row, side));
    if (!json_is_object(ratio))
        return;
    snprintf(cell, sizeof cell, "%.2f", number(ratio, "value"));
    table_cell(table, RATIO, cell);
    put_interval(table, INTERVAL, ratio);
    put_spread(table, SPREAD, row, side);
    if (json_is_true(json_object_get(ratio, "paired")))
        snprintf(cell, sizeof cell, "%lld", (long long)dig_whole(ratio, "count"));
    else
        snprintf(cell, sizeof cell, "%lld/%lld", (long long)dig_whole(ratio, "base_count"),
                 (long long)dig_whole(ratio, "count"));
    table_cell(table, COUNT, cell);
    put_p(table, P, ratio);
    put_verdict(table, VERDICT, ratio);
}

void tell_sides(const struct telling *telling, const char *group, int column)
{
    static const char *const heads[] = { "",     "",     "",  "ratio",   "interval",
                                         "CV %", "runs", "p", "verdict", NULL };
    struct table *table = table_new(heads);
    const json_t *mean = mean_of(telling, group, column);
    char cell[CELL_MAX];
    struct text name;

    table->tone = tone_of_verdict;
    table->rank[P] = 3;
    table->rank[SPREAD] = 2;
    table->rank[COUNT] = 1;
    text_init(&name, PAGE_TEXT_MAX);
    add_column_name(&name, telling, 0);
    table_cell(table, BASE, name.bytes);
    text_clear(&name);
    add_column_name(&name, telling, column);
    table_cell(table, HEAD, name.bytes);
    text_close(&name);
    for (int i = 0; i < telling->row_count; i++)
        if (in_group(telling->order[i], group) && table_row(table))
            put_row(table, telling->order[i], column);
    if (mean != NULL && table_row(table)) {
        table_cell(table, NAME, "geometric mean");
        snprintf(cell, sizeof cell, "%.2f", number(mean, "value"));
        table_cell(table, RATIO, cell);
        put_interval(table, INTERVAL, mean);
    }
    tell_heading(telling, group_words(telling, group));
    tell_table(telling, table);
}
