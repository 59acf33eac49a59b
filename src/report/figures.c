/*
 * figures.c - throughput and times. Which columns there are follows from the tree: the percentiles
 * are those that the result holds, in its order.
 */
#include <string.h>

#include "report/sections.h"

static void whole_cell(struct table *table, int column, const json_t *number)
{
    struct text cell;

    text_init(&cell, PAGE_TEXT_MAX);
    add_json_whole(&cell, number);
    table_cell(table, column, cell.bytes);
    text_close(&cell);
}

static void rate_cell(struct table *table, int column, const json_t *number)
{
    struct text cell;

    text_init(&cell, PAGE_TEXT_MAX);
    add_json_rate(&cell, number);
    table_cell(table, column, cell.bytes);
    text_close(&cell);
}

static void ms_cell(struct table *table, int column, const json_t *times, const char *key)
{
    struct text cell;

    text_init(&cell, PAGE_TEXT_MAX);
    add_json_ms(&cell, times, key);
    table_cell(table, column, cell.bytes);
    text_close(&cell);
}

static void name_cell(struct table *table, const char *name)
{
    struct text cell;

    text_init(&cell, PAGE_TEXT_MAX);
    text_add_safe(&cell, name);
    table_cell(table, 0, cell.bytes);
    text_close(&cell);
}

/* ---- throughput ---- */

/* "12 failed, 3 unknown" of the outcomes that were seen; "" when there are none. */
static void add_outcomes(struct text *out, const json_t *counts)
{
    for (int i = 0; i < OUTCOME_COUNT; i++) {
        int64_t count = dig_whole(counts, outcome_table[i].name);
        if (i == OUTCOME_COMMITTED || count == 0)
            continue;
        text_add(out, out->length > 0 ? ", " : "");
        add_whole(out, count);
        text_format(out, " %s", i == OUTCOME_ROLLED_BACK ? "rolled back" : outcome_table[i].name);
    }
}

static void tell_losses(const struct page *page, const json_t *counts)
{
    bool only_wanted = dig_whole(counts, "done") + dig_whole(counts, "rolled_back") ==
                       dig_whole(counts, "scheduled");
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_outcomes(&line, counts);
    if (line.length > 0) {
        text_add(&line, ", of ");
        add_whole(&line, dig_whole(counts, "scheduled"));
        text_add(&line, " scheduled");
        page_line(page, "not committed", only_wanted ? TONE_PLAIN : TONE_WARNING, line.bytes);
    }
    text_clear(&line);
    if (dig_whole(counts, "retried") > 0) {
        add_whole(&line, dig_whole(counts, "retried"));
        text_add(&line, " of ");
        add_whole(&line, dig_whole(counts, "attempts"));
        text_add(&line, " attempts");
        page_line(page, "retries", TONE_PLAIN, line.bytes);
    }
    text_close(&line);
}

/* "1,000/s, poisson arrivals: 98.2 % achieved, NOT KEPT" */
static void tell_rate(const struct page *page, const json_t *rate)
{
    const json_t *ramp = dig(rate, "ramp", NULL);
    bool kept = json_is_true(dig(rate, "kept", NULL));
    struct text line;

    if (!json_is_object(rate))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    if (json_is_string(ramp)) {
        add_json_text(&line, ramp, "");
    } else {
        add_json_rate(&line, dig(rate, "wanted_per_s", NULL));
        text_add(&line, "/s");
    }
    text_add(&line, ", ");
    add_json_text(&line, dig(rate, "arrival", NULL), "?");
    text_add(&line, " arrivals: ");
    add_real(&line, 100 * json_number_value(dig(rate, "achieved_share", NULL)), 1);
    text_add(&line, kept ? " % achieved, kept" : " % achieved, NOT KEPT");
    page_line(page, "rate wanted", kept ? TONE_PLAIN : TONE_BAD, line.bytes);
    text_close(&line);
}

void tell_throughput(const struct page *page, const json_t *result)
{
    static const char *const heads[] = {
        "", "count", "per second", "read", "write", "other", NULL
    };
    const json_t *counts = dig(result, "summary", "transactions", NULL);
    const json_t *queries = dig(result, "summary", "queries", NULL);
    struct table *table = table_new(heads);

    page_heading(page, "throughput");
    table_row(table);
    table_cell(table, 0, "transactions");
    whole_cell(table, 1, dig(counts, "done", NULL));
    rate_cell(table, 2, dig(counts, "per_s", NULL));
    table_row(table);
    table_cell(table, 0, "queries");
    whole_cell(table, 1, dig(queries, "total", NULL));
    rate_cell(table, 2, dig(queries, "per_s", NULL));
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        whole_cell(table, 3 + kind, json_object_get(queries, query_kind_names[kind]));
        table->rank[3 + kind] = 1 + kind;
    }
    table_write(page, table);
    table_free(table);
    tell_losses(page, counts);
    tell_rate(page, dig(result, "rate", NULL));
}

/* ---- times ---- */

static bool is_mark(const char *key)
{
    static const char mark[] = "_at_least";
    size_t length = strlen(key);

    return length >= sizeof mark - 1 && strcmp(key + length - (sizeof mark - 1), mark) == 0;
}

/* The keys of a latency object that are times, from `first` on; ended by NULL. */
static void time_keys(json_t *times, const char **out, int room)
{
    const char *key;
    json_t *value;
    int count = 0;

    json_object_foreach(times, key, value)
    {
        if (!is_mark(key) && count < room - 1)
            out[count++] = key;
    }
    out[count] = NULL;
}

static void times_row(struct table *table, const char *name, const json_t *times)
{
    if (!json_is_object(times) || !table_row(table))
        return;
    table_cell(table, 0, name);
    for (int j = 1; j < table->columns; j++)
        ms_cell(table, j, times, table->cells[0][j]);
}

void tell_latency(const struct page *page, const json_t *result)
{
    const json_t *latency = dig(result, "summary", "latency_ms", NULL);
    const char *heads[TABLE_COLUMNS_MAX] = { "" };
    struct table *table;

    if (!json_is_object(dig(latency, "response", NULL)))
        return;
    time_keys(dig(latency, "response", NULL), heads + 1, TABLE_COLUMNS_MAX - 1);
    table = table_new(heads);
    page_heading(page, "latency, ms");
    times_row(table, "response", dig(latency, "response", NULL));
    if (json_is_false(dig(result, "closed_loop", NULL))) {
        times_row(table, "service", dig(latency, "service", NULL));
        times_row(table, "queue", dig(latency, "queue", NULL));
    }
    if (table_width(table) > page->columns)
        table_turn(table);
    table_write(page, table);
    table_free(table);
}

void tell_transactions(const struct page *page, const json_t *result)
{
    static const char *const heads[] = { "",       "committed", "per second", "rolled back",
                                         "failed", "mean",      "p50",        "p95",
                                         "p99",    "p99.9",     "max",        NULL };
    static const int ranks[] = { 0, 0, 0, 6, 5, 0, 2, 1, 0, 4, 3 };
    json_t *all = json_object_get(result, "transactions"), *row;
    const char *name;
    struct table *table;

    if (json_object_size(all) < 2)
        return;
    table = table_new(heads);
    memcpy(table->rank, ranks, sizeof ranks);
    json_object_foreach(all, name, row)
    {
        const json_t *times = dig(row, "latency_ms", "response", NULL);
        if (!table_row(table))
            continue;
        name_cell(table, name);
        whole_cell(table, 1, dig(row, "done", NULL));
        rate_cell(table, 2, dig(row, "per_s", NULL));
        whole_cell(table, 3, dig(row, "rolled_back", NULL));
        whole_cell(table, 4, dig(row, "failed", NULL));
        for (int j = 5; heads[j] != NULL; j++)
            ms_cell(table, j, times, heads[j]);
    }
    page_heading(page, "by transaction, times in ms");
    table_write(page, table);
    table_free(table);
}

/* What opens and closes a block has no rows, which means nothing: no figures invite to wonder. */
static bool may_have_rows(const char *name)
{
    return strcmp(name, "begin") != 0 && strcmp(name, "commit") != 0 &&
           strcmp(name, "rollback") != 0;
}

void tell_statements(const struct page *page, const json_t *result)
{
    static const char *const heads[] = { "",     "count", "per second", "rows", "without rows",
                                         "mean", "p50",   "p95",        "p99",  "max",
                                         NULL };
    static const int ranks[] = { 0, 0, 4, 5, 6, 0, 2, 1, 0, 3 };
    json_t *all = json_object_get(result, "statements"), *row;
    const char *name;
    struct table *table;

    if (json_object_size(all) < 2)
        return;
    table = table_new(heads);
    memcpy(table->rank, ranks, sizeof ranks);
    json_object_foreach(all, name, row)
    {
        const json_t *times = dig(row, "latency_ms", NULL);
        if (dig_whole(row, "count") == 0 || !table_row(table))
            continue;
        name_cell(table, name);
        whole_cell(table, 1, dig(row, "count", NULL));
        rate_cell(table, 2, dig(row, "per_s", NULL));
        if (may_have_rows(name)) {
            whole_cell(table, 3, dig(row, "rows", NULL));
            whole_cell(table, 4, dig(row, "without_rows", NULL));
        }
        for (int j = 5; heads[j] != NULL; j++)
            ms_cell(table, j, times, heads[j]);
    }
    page_heading(page, "by statement, times in ms");
    table_write(page, table);
    table_free(table);
}
