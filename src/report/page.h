/*
 * page.h - what all of a terminal's pages share: numbers, labelled lines that wrap, tables that
 * fit.
 *
 * Words from a server, a plan or a file come in through text_add_safe() before they get here.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/text.h"
#include "report/report.h"

#define PAGE_TEXT_MAX   (1 << 20)
#define PAGE_COLUMNS    100 /* where the output is no terminal */
#define PAGE_NARROW     40  /* nothing is laid out for less */
#define NUMBER_TEXT_MAX 40

enum tone { TONE_PLAIN, TONE_HEADING, TONE_DIM, TONE_GOOD, TONE_WARNING, TONE_BAD };

struct page {
    FILE *out;
    const struct report_style *style;
    int columns;
};

struct page page_open(FILE *out, const struct report_style *style);
/* An empty line and a heading. */
void page_heading(const struct page *page, const char *words);
/* "  label       words", wrapped at blanks under their beginning. */
void page_line(const struct page *page, const char *label, enum tone tone, const char *words);

/* How many columns UTF-8 text takes (one a code point). */
int page_width(const char *words);
/* Writes `words` in the tone, then blanks up to `width` (before the words when negative). */
void page_words(const struct page *page, enum tone tone, const char *words, int width);

/* ---- numbers; all append ---- */

void add_whole(struct text *out, int64_t number);             /* 1,234,567 */
void add_real(struct text *out, double number, int decimals); /* 1,234.5 */
/* A time in ms with as many decimals as are worth reading: 0.412, 12.31, 1,234.5. */
void add_ms(struct text *out, double ms);
/* "-" for what is no number. */
void add_json_whole(struct text *out, const json_t *number);
void add_json_rate(struct text *out, const json_t *number);
/* A time of a latency object: add_ms(), ">= " before it when the object says "<key>_at_least". */
void add_json_ms(struct text *out, const json_t *times, const char *key);

/* The value under these keys (at least one, ended by NULL); NULL when there is none. Borrowed. */
json_t *dig(const json_t *json, ...) ENDED_BY_NULL;
int64_t dig_whole(const json_t *json, const char *key); /* 0 when there is none */
/* Text of a string, safe for a terminal, appended; `otherwise` when it is none. */
void add_json_text(struct text *out, const json_t *string, const char *otherwise);

/* ---- tables ---- */

#define TABLE_COLUMNS_MAX 24
#define TABLE_ROWS_MAX    512 /* rows beyond are counted and said, not shown */

struct table {
    char *cells[TABLE_ROWS_MAX][TABLE_COLUMNS_MAX]; /* owned; NULL is empty */
    int rank[TABLE_COLUMNS_MAX]; /* 0 stays; of the others the highest goes first when narrow */
    int rows, columns, left_out;
    enum tone (*tone)(const char *cell); /* of a cell below the header; NULL: all are plain */
};

/* Owned. The first row is the header: its texts are `heads`, ended by NULL. */
struct table *table_new(const char *const *heads);
void table_free(struct table *table);
/* Begins a row; cells are then filled from the left. False when the table is full. */
bool table_row(struct table *table);
void table_cell(struct table *table, int column, const char *words);
int table_width(const struct table *table);
/* Rows become columns. The table must be small enough both ways. */
void table_turn(struct table *table);
/* Drops columns until it fits, then writes it: first column to the left, others to the right. */
void table_write(const struct page *page, struct table *table);

#endif
