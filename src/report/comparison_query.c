/*
 * comparison_query.c - what a query cost the machine, in the columns of published tables: absolute,
 * then each side relative to the base.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/comparison.h"

#define CELL_MAX 64

static const char *const columns[] = { "cpu/o", "cs/o", "r/o", "rKB/o", "wKB/o", "o/s" };

static void put_value(struct table *table, int column, double value, bool relative)
{
    char cell[CELL_MAX];
    int decimals = relative ? 2 : column == 0 ? 6 : column == COUNT_OF(columns) - 1 ? 0 : 3;

    snprintf(cell, sizeof cell, "%.*f", decimals, value);
    table_cell(table, column, cell);
}

/* A block of one row: a line a side, the side's name last. */
static void tell_block(const struct telling *telling, const json_t *row, bool relative)
{
    const char *heads[] = { "cpu/o", "cs/o", "r/o", "rKB/o", "wKB/o", "o/s", "dbms", NULL };
    struct table *table = table_new(heads);

    for (int side = relative ? 1 : 0; side < telling->column_count; side++) {
        const json_t *figures =
            json_object_get(cell_of(row, side), relative ? "published_ratio" : "published");
        struct text name;

        if (!json_is_object(figures) || !table_row(table))
            continue;
        for (int i = 0; i < COUNT_OF(columns); i++) {
            const json_t *value = json_object_get(figures, columns[i]);
            if (json_is_number(value))
                put_value(table, i, json_number_value(value), relative);
            else if (relative)
                table_cell(table, i, "inf");
        }
        text_init(&name, PAGE_TEXT_MAX);
        add_column_name(&name, telling, side);
        table_cell(table, COUNT_OF(columns), name.bytes);
        text_close(&name);
    }
    tell_table(telling, table);
}

static bool is_known(const struct telling *telling, const json_t *row)
{
    for (int side = 0; side < telling->column_count; side++)
        if (json_is_object(json_object_get(cell_of(row, side), "published")))
            return true;
    return false;
}

void tell_per_query(const struct telling *telling)
{
    bool any = false;
    struct text words;

    text_init(&words, PAGE_TEXT_MAX);
    for (int i = 0; i < telling->row_count; i++) {
        if (!is_known(telling, telling->order[i]))
            continue;
        any = true;
        text_clear(&words);
        text_add_safe(&words, row_name(telling->order[i]));
        text_add(&words, ", absolute");
        tell_heading(telling, words.bytes);
        tell_block(telling, telling->order[i], false);
        text_clear(&words);
        text_add_safe(&words, row_name(telling->order[i]));
        text_add(&words, ", relative to ");
        add_column_name(&words, telling, 0);
        tell_heading(telling, words.bytes);
        tell_block(telling, telling->order[i], true);
    }
    text_close(&words);
    if (!any)
        tell_sentence(telling, "per query", "no result knows what the machine did");
}
