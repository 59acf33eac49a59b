/*
 * comparison.h - the parts of report_comparison(). Each takes its figures from the tree.
 */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "report/page.h"

#define COMPARED_ROWS_MAX 256

/* A comparison being told. */
struct telling {
    struct page page;
    const struct report_comparison *how;
    const json_t *tree, *rows;
    int column_count;
    const json_t *order[COMPARED_ROWS_MAX]; /* rows as they are told: published groups by name */
    int row_count;
};

/* Name of a column, safe to show; appended. */
void add_column_name(struct text *out, const struct telling *telling, int column);
/* Of a row as the published tables have it: without "micro/". */
const char *row_name(const json_t *row);
/* The cell of a row; "ratio" of it, NULL when there is none. */
const json_t *cell_of(const json_t *row, int column);
const json_t *ratio_of(const json_t *row, int column);
/* Is the row in that group? NULL: it is in none. */
bool in_group(const json_t *row, const char *group);
/* Writes a heading, an empty line where the form wants one, or the table in its form; frees it. */
void tell_heading(const struct telling *telling, const char *words);
void tell_table(const struct telling *telling, struct table *table);
void tell_sentence(const struct telling *telling, const char *label, const char *words);

/* comparison_tables.c */
void tell_relative(const struct telling *telling, const char *group);
void tell_sides(const struct telling *telling, const char *group, int column);
/* comparison_query.c: absolute and relative figures a query, a pair of tables a row. */
void tell_per_query(const struct telling *telling);

#endif
