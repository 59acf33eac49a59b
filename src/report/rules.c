/*
 * rules.c - what the rules of a benchmark make of the run: its headlines, the shares that must lie
 * within bounds, and whether the data say what the client says.
 */
#include <string.h>

#include "report/sections.h"

void tell_headlines(const struct page *page, const json_t *result)
{
    const json_t *headlines = dig(result, "headlines", NULL);
    struct text line, label;
    size_t index;
    json_t *row;

    if (json_array_size(headlines) == 0)
        return;
    page_heading(page, "headline");
    text_init(&line, PAGE_TEXT_MAX);
    text_init(&label, PAGE_TEXT_MAX);
    json_array_foreach(headlines, index, row)
    {
        text_clear(&line);
        text_clear(&label);
        add_json_text(&label, dig(row, "name", NULL), "?");
        add_json_rate(&line, dig(row, "value", NULL));
        text_add_char(&line, ' ');
        add_json_text(&line, dig(row, "words", NULL), "");
        page_line(page, label.bytes, TONE_PLAIN, line.bytes);
    }
    text_close(&label);
    text_close(&line);
}

/* ---- rates ---- */

/* Shares are told in percent, what is more than a share as it is. */
static bool is_share(const json_t *row)
{
    return json_number_value(dig(row, "high", NULL)) <= 1;
}

static void add_share(struct text *out, const json_t *row, const char *key)
{
    const json_t *number = dig(row, key, NULL);
    double value = json_number_value(number) * (is_share(row) ? 100 : 1);

    if (json_is_number(number))
        text_format(out, "%.4g", value);
    else
        text_add(out, "-");
}

/* "0.9 to 1.1 %", "at most 1 %", "at least 90 %" */
static void add_bounds(struct text *out, const json_t *row)
{
    double low = json_number_value(dig(row, "low", NULL));
    double high = json_number_value(dig(row, "high", NULL));

    if (low <= 0) {
        text_add(out, "at most ");
        add_share(out, row, "high");
    } else if (high == 1) {
        text_add(out, "at least ");
        add_share(out, row, "low");
    } else {
        add_share(out, row, "low");
        text_add(out, " to ");
        add_share(out, row, "high");
    }
    text_add(out, is_share(row) ? " %" : "");
}

static void tell_rate_row(struct table *table, const json_t *row)
{
    static const char *const keys[] = { "words", "share", "low", "whole", "verdict", "source" };
    struct text cell;

    text_init(&cell, PAGE_TEXT_MAX);
    for (int i = 0; i < COUNT_OF(keys); i++) {
        const json_t *value = dig(row, keys[i], NULL);
        text_clear(&cell);
        if (strcmp(keys[i], "low") == 0) {
            add_bounds(&cell, row);
        } else if (strcmp(keys[i], "share") == 0) {
            add_share(&cell, row, "share");
            text_add(&cell, is_share(row) && json_is_number(value) ? " %" : "");
        } else if (json_is_number(value)) {
            add_real(&cell, json_number_value(value), 0);
        } else {
            add_json_text(&cell, value, "-");
        }
        table_cell(table, i, cell.bytes);
    }
    text_close(&cell);
}

void tell_rates(const struct page *page, const json_t *result)
{
    static const char *const heads[] = {
        "", "measured", "wanted", "of", "verdict", "source", NULL
    };
    static const int ranks[] = { 0, 0, 1, 2, 0, 3 };
    const json_t *rates = dig(result, "rates", NULL);
    struct table *table;
    size_t index;
    json_t *row;

    if (json_array_size(rates) == 0)
        return;
    page_heading(page, "held to the rules");
    table = table_new(heads);
    memcpy(table->rank, ranks, sizeof ranks);
    json_array_foreach(rates, index, row)
    {
        if (table_row(table))
            tell_rate_row(table, row);
    }
    table_write(page, table);
    table_free(table);
}

/* ---- terminals ---- */

static void tell_deferred(const struct page *page, const json_t *deferred)
{
    struct text line;

    if (dig_whole(deferred, "queued") == 0)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_whole(&line, dig_whole(deferred, "queued"));
    text_add(&line, " queued in ");
    add_json_ms(&line, deferred, "mean_ms");
    text_add(&line, " ms (mean), ");
    add_json_ms(&line, deferred, "p90_ms");
    text_add(&line, " ms (p90); ");
    add_whole(&line, dig_whole(deferred, "left"));
    text_add(&line, " never carried out");
    page_line(page, "deferred", TONE_PLAIN, line.bytes);
    text_close(&line);
}

void tell_terminals(const struct page *page, const json_t *result)
{
    const json_t *terminals = dig(result, "terminals", NULL);
    double scale = json_number_value(dig(terminals, "pace_scale", NULL));
    struct text line;

    if (!json_is_object(terminals))
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_whole(&line, dig_whole(terminals, "count"));
    text_format(&line, " on %lld connections, ",
                (long long)dig_whole(dig(result, "plan", NULL), "connections"));
    if (scale == 1)
        text_add(&line, "keying and thinking by the rules");
    else
        text_format(&line, "NOT BY THE RULES: keying and thinking %g times as fast", scale);
    if (dig_whole(terminals, "wanted") > 0) {
        text_add(&line, "; the rules want ");
        add_whole(&line, dig_whole(terminals, "wanted"));
    }
    page_line(page, "terminals", scale == 1 ? TONE_PLAIN : TONE_WARNING, line.bytes);
    tell_deferred(page, dig(terminals, "deferred", NULL));
    text_close(&line);
}

/* ---- ledgers ---- */

void tell_ledgers(const struct page *page, const json_t *result)
{
    const json_t *ledgers = dig(result, "ledgers", NULL), *row;
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    for (size_t i = 0; i < json_array_size(ledgers); i++) {
        row = json_array_get(ledgers, i);
        bool wrong = json_is_false(dig(row, "balanced", NULL));
        text_clear(&line);
        add_json_text(&line, dig(row, "words", NULL), "?");
        if (json_is_null(dig(row, "balanced", NULL))) {
            text_add(&line, ": not asked");
        } else {
            text_add(&line, " grew by ");
            add_json_whole(&line, dig(row, "growth", NULL));
            text_add(&line, ", committed ");
            add_json_whole(&line, dig(row, "committed", NULL));
            if (dig_whole(row, "unknown") > 0) {
                text_add(&line, " and ");
                add_json_whole(&line, dig(row, "unknown", NULL));
                text_add(&line, " unknown");
            }
            text_add(&line, wrong ? ": NOT BALANCED" : ": balanced");
        }
        page_line(page, i == 0 ? "ledger" : "", wrong ? TONE_WARNING : TONE_PLAIN, line.bytes);
    }
    text_close(&line);
}
