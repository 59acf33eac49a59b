/*
 * verdict.c - what was the limit: the sentence, its evidence, what to try.
 */
#include <string.h>

#include "report/sections.h"

static void add_value(struct text *line, const json_t *figure)
{
    double value = json_number_value(dig(figure, "value", NULL));
    const char *form = json_string_value(dig(figure, "form", NULL));

    if (form != NULL && strcmp(form, "share") == 0)
        text_format(line, "%.0f %% ", 100 * value);
    else if (form == NULL || strcmp(form, "yes") != 0)
        text_format(line, "%.3g ", value);
    else if (value == 0)
        text_add(line, "not so: ");
    add_json_text(line, dig(figure, "words", NULL), "?");
}

static void tell_found(const struct page *page, const json_t *found)
{
    struct text line;
    size_t index;
    json_t *figure;

    text_init(&line, PAGE_TEXT_MAX);
    add_json_text(&line, dig(found, "words", NULL), "?");
    text_add(&line, " (");
    add_json_text(&line, dig(found, "area", NULL), "?");
    text_add(&line, "): ");
    add_json_text(&line, dig(found, "sentence", NULL), "");
    if (json_is_string(dig(found, "holders_at", NULL))) {
        text_add(&line, "; those who held the locks were at: ");
        add_json_text(&line, dig(found, "holders_at", NULL), "");
    }
    page_line(page, "limit", TONE_PLAIN, line.bytes);
    text_clear(&line);
    json_array_foreach(dig(found, "evidence", NULL), index, figure)
    {
        text_add(&line, index > 0 ? "; " : "");
        add_value(&line, figure);
    }
    page_line(page, "evidence", TONE_PLAIN, line.bytes);
    text_clear(&line);
    add_json_text(&line, dig(found, "next", NULL), "");
    page_line(page, "try", TONE_PLAIN, line.bytes);
    text_close(&line);
}

void tell_verdict(const struct page *page, const json_t *result)
{
    const json_t *verdict = dig(result, "verdict", NULL), *missing = dig(verdict, "missing", NULL);
    const json_t *runner_up = dig(verdict, "runner_up", NULL);
    struct text line;

    if (!json_is_object(verdict))
        return;
    page_heading(page, "verdict");
    if (json_is_object(dig(verdict, "found", NULL)))
        tell_found(page, dig(verdict, "found", NULL));
    else
        page_line(page, "limit", TONE_PLAIN, "unknown: nothing that could be seen explains it");
    text_init(&line, PAGE_TEXT_MAX);
    if (json_is_object(runner_up)) {
        add_json_text(&line, dig(runner_up, "words", NULL), "?");
        page_line(page, "next limit", TONE_PLAIN, line.bytes);
    }
    for (size_t i = 0; i < json_array_size(missing); i++) {
        text_clear(&line);
        add_json_text(&line, json_array_get(missing, i), "");
        page_line(page, i == 0 ? "not seen" : "", TONE_DIM, line.bytes);
    }
    text_close(&line);
}
