/*
 * table.c - columns that line up and fit the terminal.
 */
#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "report/page.h"

#define GAP    2
#define INDENT 2

struct table *table_new(const char *const *heads)
{
    struct table *table = MEMORY_NEW(struct table);

    for (; heads[table->columns] != NULL; table->columns++) {
        assert(table->columns < TABLE_COLUMNS_MAX);
        table->cells[0][table->columns] = memory_text(heads[table->columns]);
    }
    table->rows = 1;
    return table;
}

void table_free(struct table *table)
{
    for (int i = 0; i < TABLE_ROWS_MAX; i++)
        for (int j = 0; j < TABLE_COLUMNS_MAX; j++)
            memory_free(table->cells[i][j]);
    memory_free(table);
}

bool table_row(struct table *table)
{
    if (table->rows == TABLE_ROWS_MAX) {
        table->left_out++;
        return false;
    }
    table->rows++;
    return true;
}

void table_cell(struct table *table, int column, const char *words)
{
    char **cell = &table->cells[table->rows - 1][column];

    assert(column < table->columns);
    memory_free(*cell);
    *cell = memory_text(words);
}

static int column_width(const struct table *table, int column)
{
    int widest = 0;

    for (int i = 0; i < table->rows; i++) {
        int width = table->cells[i][column] != NULL ? page_width(table->cells[i][column]) : 0;
        widest = width > widest ? width : widest;
    }
    return widest;
}

int table_width(const struct table *table)
{
    int width = INDENT;

    for (int j = 0; j < table->columns; j++)
        width += column_width(table, j) + (j > 0 ? GAP : 0);
    return width;
}

void table_turn(struct table *table)
{
    int most = table->rows > table->columns ? table->rows : table->columns, rows = table->rows;

    assert(most <= TABLE_COLUMNS_MAX);
    for (int i = 0; i < most; i++) {
        for (int j = 0; j < i; j++) {
            char *kept = table->cells[i][j];
            table->cells[i][j] = table->cells[j][i];
            table->cells[j][i] = kept;
        }
        table->rank[i] = 0;
    }
    table->rows = table->columns;
    table->columns = rows;
}

static void drop_column(struct table *table, int column)
{
    for (int i = 0; i < table->rows; i++) {
        memory_free(table->cells[i][column]);
        for (int j = column; j + 1 < table->columns; j++)
            table->cells[i][j] = table->cells[i][j + 1];
        table->cells[i][table->columns - 1] = NULL;
    }
    for (int j = column; j + 1 < table->columns; j++)
        table->rank[j] = table->rank[j + 1];
    table->columns--;
}

static void fit(struct table *table, int columns)
{
    while (table_width(table) > columns) {
        int worst = 0;
        for (int j = 1; j < table->columns; j++)
            if (table->rank[j] > table->rank[worst])
                worst = j;
        if (table->rank[worst] == 0)
            return;
        drop_column(table, worst);
    }
}

/* The last cell of a row that says something. */
static int last_cell(const struct table *table, int row)
{
    int last = table->columns - 1;

    while (last > 0 && table->cells[row][last] == NULL)
        last--;
    return last;
}

static enum tone tone_of(const struct table *table, int row, const char *words)
{
    if (row == 0)
        return TONE_DIM;
    return table->tone != NULL ? table->tone(words) : TONE_PLAIN;
}

void table_write(const struct page *page, struct table *table)
{
    fit(table, page->columns);
    for (int i = 0; i < table->rows; i++) {
        fprintf(page->out, "%*s", INDENT, "");
        for (int j = 0; j <= last_cell(table, i); j++) {
            const char *words = table->cells[i][j] != NULL ? table->cells[i][j] : "";
            int width = column_width(table, j);
            if (j > 0)
                fprintf(page->out, "%*s", GAP, "");
            page_words(page, tone_of(table, i, words), words, j == 0 ? width : -width);
        }
        fputc('\n', page->out);
    }
    if (table->left_out > 0)
        fprintf(page->out, "%*s... and %d more in result.json\n", INDENT, "", table->left_out);
}
