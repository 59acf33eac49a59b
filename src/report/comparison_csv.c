/*
 * comparison_csv.c - a comparison as lines for spreadsheets and scripts.
 */
#include <string.h>

#include "report/page.h"

/* Quoted, and with an apostrophe before what a spreadsheet would take for a formula (design D11).
 */
static void write_text(FILE *out, const char *words)
{
    fputc('"', out);
    if (*words != '\0' && strchr("=+-@\t\r", *words) != NULL)
        fputc('\'', out);
    for (; *words != '\0'; words++) {
        if (*words == '"')
            fputc('"', out);
        fputc(*words, out);
    }
    fputc('"', out);
}

static void write_value(FILE *out, const json_t *value)
{
    if (json_is_string(value))
        write_text(out, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%.10g", json_real_value(value));
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
}

static const char *const row_keys[] = { "name", "group", "metric", "lower_is_better", "threshold" };
static const char *const cell_keys[] = { "count", "mean", "median", "variation" };
static const char *const ratio_keys[] = { "value",  "low",           "high",    "paired", "p",
                                          "p_held", "permutation_p", "verdict", "further" };
static const char *const published_keys[] = { "cpu/o", "cs/o", "r/o", "rKB/o", "wKB/o", "o/s" };

static void write_keys(FILE *out, const char *const *keys, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(out, ",%s",
                strcmp(keys[i], "value") == 0   ? "ratio"
                : strcmp(keys[i], "count") == 0 ? "runs"
                                                : keys[i]);
}

static void write_values(FILE *out, const json_t *json, const char *const *keys, int count)
{
    for (int i = 0; i < count; i++) {
        fputc(',', out);
        write_value(out, json_object_get(json, keys[i]));
    }
}

void report_comparison_csv(FILE *out, const json_t *tree)
{
    const json_t *rows = json_object_get(tree, "rows"), *columns = json_object_get(tree, "columns");
    json_t *row, *cell;
    size_t index, column;

    fputs("side", out);
    write_keys(out, row_keys, COUNT_OF(row_keys));
    write_keys(out, cell_keys, COUNT_OF(cell_keys));
    write_keys(out, ratio_keys, COUNT_OF(ratio_keys));
    write_keys(out, published_keys, COUNT_OF(published_keys));
    fputc('\n', out);
    json_array_foreach(rows, index, row)
    {
        const json_t *cells = json_object_get(row, "cells");

        json_array_foreach(cells, column, cell)
        {
            write_value(out, json_array_get(columns, column));
            write_values(out, row, row_keys, COUNT_OF(row_keys));
            write_values(out, cell, cell_keys, COUNT_OF(cell_keys));
            write_values(out, json_object_get(cell, "ratio"), ratio_keys, COUNT_OF(ratio_keys));
            write_values(out, json_object_get(cell, "published"), published_keys,
                         COUNT_OF(published_keys));
            fputc('\n', out);
        }
    }
}
