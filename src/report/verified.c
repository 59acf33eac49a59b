/*
 * verified.c - were the data still consistent after the run? What was done for the tables
 * then?
 */
#include <string.h>

#include "report/sections.h"

#define DIFFERENCES_SHOWN 12

static void tell_difference(const struct page *page, const json_t *difference)
{
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    add_json_text(&line, dig(difference, "what", NULL), "?");
    text_add(&line, ": ");
    add_json_text(&line, dig(difference, "found", NULL), "?");
    text_add(&line, ", wanted ");
    add_json_text(&line, dig(difference, "wanted", NULL), "?");
    page_line(page, "", TONE_BAD, line.bytes);
    text_close(&line);
}

static void tell_differences(const struct page *page, const json_t *verified)
{
    const json_t *differences = dig(verified, "differences", NULL);
    size_t index;
    json_t *difference;

    json_array_foreach(differences, index, difference)
    {
        if (index == DIFFERENCES_SHOWN) {
            page_line(page, "", TONE_BAD, "and more (--json check.differences)");
            return;
        }
        tell_difference(page, difference);
    }
}

void tell_verified(const struct page *page, const json_t *result)
{
    const json_t *verified = dig(result, "check", NULL);
    const char *state = json_string_value(dig(verified, "state", NULL));
    const char *why = json_string_value(dig(verified, "why", NULL));
    bool passed = state != NULL && strcmp(state, "passed") == 0;
    bool failed = state != NULL && strcmp(state, "failed") == 0;
    struct text line;

    if (state == NULL)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_format(&line, "consistency after the run: %s", state);
    if (dig_whole(verified, "checked") > 0) {
        text_add(&line, ", ");
        add_whole(&line, dig_whole(verified, "checked") - dig_whole(verified, "failed"));
        text_add(&line, " of ");
        add_whole(&line, dig_whole(verified, "checked"));
        text_add(&line, " checks hold, ");
        add_real(&line, json_number_value(dig(verified, "seconds", NULL)), 1);
        text_add(&line, " s");
    }
    if (json_array_size(dig(verified, "cannot_hold", NULL)) > 0)
        text_format(&line, "; %zu cannot hold as published (--json check.cannot_hold)",
                    json_array_size(dig(verified, "cannot_hold", NULL)));
    if (why != NULL) {
        text_add(&line, ": ");
        text_add_safe(&line, why);
    }
    page_line(page, "data", passed ? TONE_GOOD : failed ? TONE_BAD : TONE_PLAIN, line.bytes);
    text_close(&line);
    tell_differences(page, verified);
}

void tell_vacuum(const struct page *page, const json_t *result)
{
    const json_t *vacuum = dig(result, "vacuum", NULL);
    const char *state = json_string_value(dig(vacuum, "state", NULL));
    const char *why = json_string_value(dig(vacuum, "why", NULL));
    struct text line;

    if (state == NULL)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    text_format(&line, "VACUUM of the tables and CHECKPOINT after the run: %s", state);
    if (json_array_size(dig(vacuum, "steps", NULL)) > 0) {
        text_add(&line, ", ");
        add_real(&line, json_number_value(dig(vacuum, "seconds", NULL)), 1);
        text_add(&line, " s");
    }
    if (why != NULL) {
        text_add(&line, ": ");
        text_add_safe(&line, why);
    }
    page_line(page, "vacuum", TONE_PLAIN, line.bytes);
    text_close(&line);
}
