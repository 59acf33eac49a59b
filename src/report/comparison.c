/*
 * comparison.c - a comparison on a terminal or a page: first what differs, then the tables, then
 * what should be known of the runs.
 */
#include "report/comparison.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define OTHERS_MAX 3 /* rows that have a metric of their own */
#define SAID_MAX   6 /* differences of a kind that are told; the JSON has all */
#define MICRO      "micro/"
#define MARKS      "+ faster, - slower, = same, ? cannot tell, . one run a side: no claim"
#define ONE_RUN    "one run a side: says nothing about the next run"
#define WITHIN     "; +- is of the mean within the run"

static const char *const groups[] = { "point queries", "range queries without aggregation",
                                      "range queries with aggregation", "writes", NULL };

/* ---- what the parts share ---- */

static const char *text_of(const json_t *json, const char *key)
{
    const char *words = json_string_value(json_object_get(json, key));
    return words != NULL ? words : "";
}

void add_column_name(struct text *out, const struct telling *telling, int column)
{
    add_json_text(out, json_array_get(json_object_get(telling->tree, "columns"), (size_t)column),
                  "?");
}

const char *row_name(const json_t *row)
{
    const char *name = text_of(row, "name");

    return strncmp(name, MICRO, strlen(MICRO)) == 0 ? name + strlen(MICRO) : name;
}

const json_t *cell_of(const json_t *row, int column)
{
    return json_array_get(json_object_get(row, "cells"), (size_t)column);
}

const json_t *ratio_of(const json_t *row, int column)
{
    return json_object_get(cell_of(row, column), "ratio");
}

bool in_group(const json_t *row, const char *group)
{
    const char *here = json_string_value(json_object_get(row, "group"));

    return group == NULL ? here == NULL : here != NULL && strcmp(here, group) == 0;
}

/* ---- the two forms ---- */

/* Markdown's own characters are told literally. */
static void write_cell(FILE *out, const char *words)
{
    for (; *words != '\0'; words++) {
        if (*words == '|' || *words == '<' || *words == '*' || *words == '`' || *words == '\\')
            fputc('\\', out);
        fputc(*words, out);
    }
}

static void write_markdown(FILE *out, const struct table *table)
{
    for (int i = 0; i < table->rows; i++) {
        for (int j = 0; j < table->columns; j++) {
            fputs("| ", out);
            write_cell(out, table->cells[i][j] != NULL ? table->cells[i][j] : "");
            fputc(' ', out);
        }
        fputs("|\n", out);
        for (int j = 0; i == 0 && j < table->columns; j++)
            fputs(j == 0 ? "|:--" : "|--:", out);
        fputs(i == 0 ? "|\n" : "", out);
    }
}

void tell_heading(const struct telling *telling, const char *words)
{
    if (!telling->how->markdown) {
        page_heading(&telling->page, words);
        return;
    }
    fputs("\n### ", telling->page.out);
    write_cell(telling->page.out, words);
    fputs("\n\n", telling->page.out);
}

void tell_table(const struct telling *telling, struct table *table)
{
    if (telling->how->markdown)
        write_markdown(telling->page.out, table);
    else
        table_write(&telling->page, table);
    table_free(table);
}

void tell_sentence(const struct telling *telling, const char *label, const char *words)
{
    if (!telling->how->markdown) {
        page_line(&telling->page, label, TONE_PLAIN, words);
        return;
    }
    fprintf(telling->page.out, "* **%s** ", label);
    write_cell(telling->page.out, words);
    fputc('\n', telling->page.out);
}

/* ---- what differs ---- */

static void add_difference(struct text *out, const struct telling *telling, const json_t *one)
{
    const json_t *values = json_object_get(one, "values"), *rows = json_object_get(one, "rows");
    json_t *value;
    size_t index;

    text_add(out, " ");
    if (strcmp(text_of(one, "what"), text_of(one, "kind")) != 0) {
        add_json_text(out, json_object_get(one, "what"), "?");
        text_add(out, " ");
    }
    json_array_foreach(values, index, value)
    {
        text_add(out, index > 0 ? " / " : "");
        add_json_text(out, value, "?");
    }
    if (json_array_size(rows) >= json_array_size(telling->rows))
        return;
    text_add(out, " (in ");
    add_json_text(out, json_array_get(rows, 0), "?");
    if (json_array_size(rows) > 1)
        text_format(out, " and %zu more", json_array_size(rows) - 1);
    text_add(out, ")");
}

/* Results have no defaults, and other versions may have others. */
static void explain_default(struct text *out, const json_t *list)
{
    json_t *one, *value;
    size_t index, side;

    json_array_foreach(list, index, one)
    {
        if (strcmp(text_of(one, "kind"), "settings") != 0)
            continue;
        json_array_foreach(json_object_get(one, "values"), side, value)
        {
            if (strcmp(json_string_value(value), "-") != 0)
                continue;
            text_add(out, " (-: that server's default)");
            return;
        }
    }
}

static void tell_differences(const struct telling *telling)
{
    const json_t *list = json_object_get(telling->tree, "differences");
    const char *kind = "";
    struct text out;
    size_t index;
    json_t *one;
    int said = 0;

    text_init(&out, PAGE_TEXT_MAX);
    json_array_foreach(list, index, one)
    {
        bool other = strcmp(kind, text_of(one, "kind")) != 0;

        if (other) {
            if (said > SAID_MAX)
                text_format(&out, " and %d more", said - SAID_MAX);
            if (strcmp(kind, "settings") == 0)
                explain_default(&out, list);
            kind = text_of(one, "kind");
            text_add(&out, out.length > 0 ? "; " : "");
            text_add_safe(&out, kind);
            said = 0;
        }
        if (said++ >= SAID_MAX)
            continue;
        text_add(&out, said > 1 ? "," : "");
        add_difference(&out, telling, one);
    }
    if (said > SAID_MAX)
        text_format(&out, " and %d more", said - SAID_MAX);
    if (strcmp(kind, "settings") == 0)
        explain_default(&out, list);
    if (out.length == 0)
        text_add(&out,
                 "nothing: version, durability, mode, options, data, settings, server, client "
                 "and query plans are the same");
    tell_sentence(telling, "differs", out.bytes);
    text_close(&out);
}

/* ---- the whole ---- */

static int by_name(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    int grouped =
        json_is_string(json_object_get(b, "group")) - json_is_string(json_object_get(a, "group"));

    return grouped != 0 ? grouped : strcmp(row_name(a), row_name(b));
}

static void put_in_order(struct telling *telling)
{
    json_t *row;
    size_t index;
    bool published = false;

    json_array_foreach(telling->rows, index, row)
    {
        if (telling->row_count == COMPARED_ROWS_MAX)
            break;
        telling->order[telling->row_count++] = row;
        published = published || json_is_string(json_object_get(row, "group"));
    }
    if (published)
        qsort(telling->order, (size_t)telling->row_count, sizeof(telling->order[0]), by_name);
}

/* The words of the metric; rows that have another one are named with theirs. */
static void add_metric(struct text *out, const struct telling *telling)
{
    const char *words = text_of(telling->order[0], "words");
    bool lower = false;
    int others = 0;

    text_add_safe(out, words);
    for (int i = 0; i < telling->row_count; i++) {
        const char *own = text_of(telling->order[i], "words");

        lower = lower || json_is_true(json_object_get(telling->order[i], "lower_is_better"));
        if (strcmp(words, own) == 0 || ++others > OTHERS_MAX)
            continue;
        text_add(out, ", of ");
        text_add_safe(out, row_name(telling->order[i]));
        text_add(out, " ");
        text_add_safe(out, own);
    }
    if (others > OTHERS_MAX)
        text_format(out, " and %d more", others - OTHERS_MAX);
    text_add(out, lower ? " (less is better)" : "");
}

/* What is compared, and how. */
static void tell_what(const struct telling *telling)
{
    int64_t blocks = dig_whole(telling->tree, "blocks");
    const json_t *width = json_object_get(telling->tree, "half_width");
    struct text out;

    text_init(&out, PAGE_TEXT_MAX);
    add_metric(&out, telling);
    text_add(&out, "; relative to ");
    add_column_name(&out, telling, 0);
    if (blocks > 0)
        text_format(&out, "; geometric mean over %lld block%s", (long long)blocks,
                    blocks == 1 ? "" : "s");
    text_format(&out, "; intervals of %g %%, threshold %.3g %%",
                100 * (1 - json_number_value(json_object_get(telling->tree, "level"))),
                100 * json_number_value(json_object_get(telling->order[0], "threshold")));
    if (json_is_number(width))
        text_format(&out, "; the median interval is +-%.1f %%", 100 * json_number_value(width));
    tell_sentence(telling, "compared", out.bytes);
    text_close(&out);
}

static bool has_rows(const struct telling *telling, const char *group)
{
    for (int i = 0; i < telling->row_count; i++)
        if (in_group(telling->order[i], group))
            return true;
    return false;
}

/* Of a single run that was long enough the mean stands with its interval. */
static bool tells_within(const struct telling *telling)
{
    for (int i = 0; i < telling->row_count && telling->column_count == 2; i++)
        for (int column = 0; column < telling->column_count; column++)
            if (json_is_object(json_object_get(cell_of(telling->order[i], column), "within")))
                return true;
    return false;
}

static bool one_run_a_side(const struct telling *telling)
{
    for (int i = 0; i < telling->row_count; i++)
        for (int column = 1; column < telling->column_count; column++) {
            const char *mark = text_of(ratio_of(telling->order[i], column), "mark");
            if (strcmp(mark, ".") == 0)
                return true;
        }
    return false;
}

static void tell_tables(const struct telling *telling)
{
    for (int i = 0; i < COUNT_OF(groups); i++) {
        if (!has_rows(telling, groups[i]))
            continue;
        if (telling->column_count > 2)
            tell_relative(telling, groups[i]);
        for (int column = 1; column < telling->column_count; column++)
            if (telling->column_count == 2 || telling->how->detail)
                tell_sides(telling, groups[i], column);
    }
}

static void tell_end(const struct telling *telling)
{
    const json_t *notes = json_object_get(telling->tree, "notes");
    struct text safe;
    json_t *note;
    size_t index;

    fputc('\n', telling->page.out);
    if (telling->column_count > 2)
        tell_sentence(telling, "marks", MARKS);
    if (one_run_a_side(telling))
        tell_sentence(telling, "no claim", tells_within(telling) ? ONE_RUN WITHIN : ONE_RUN);
    text_init(&safe, PAGE_TEXT_MAX);
    json_array_foreach(notes, index, note)
    {
        text_clear(&safe);
        add_json_text(&safe, note, "");
        tell_sentence(telling, "note", safe.bytes);
    }
    text_close(&safe);
}

void report_comparison(FILE *out, const struct report_comparison *how, const json_t *tree)
{
    struct telling *telling = MEMORY_NEW(struct telling);

    *telling =
        (struct telling){ .page = page_open(out, how->style),
                          .how = how,
                          .tree = tree,
                          .rows = json_object_get(tree, "rows"),
                          .column_count = (int)json_array_size(json_object_get(tree, "columns")) };
    tell_differences(telling);
    put_in_order(telling);
    if (json_object_get(tree, "incomparable") == NULL && telling->row_count > 0) {
        tell_what(telling);
        tell_tables(telling);
        if (how->per_query)
            tell_per_query(telling);
        tell_end(telling);
    }
    memory_free(telling);
}
