/*
 * outages.c - when the server was away and for how long, and how long connecting took.
 */
#include "report/sections.h"
#include "report/sqlstate.h"

#define OUTAGES_SHOWN 10 /* lines; the result lists more */

static void add_seconds(struct text *line, const json_t *number)
{
    add_real(line, json_number_value(number), 3);
    text_add(line, " s");
}

static void add_losses(struct text *line, const json_t *outage)
{
    static const char *const keys[] = { "failed", "unknown" };

    for (int i = 0; i < COUNT_OF(keys); i++) {
        if (dig_whole(outage, keys[i]) == 0)
            continue;
        text_add(line, ", ");
        add_whole(line, dig_whole(outage, keys[i]));
        text_format(line, " %s", keys[i]);
    }
}

static void tell_outage(const struct page *page, const json_t *outage)
{
    const char *code = json_string_value(dig(outage, "code", NULL));
    bool ended = json_is_true(dig(outage, "ended", NULL));
    struct text line, label;

    text_init(&line, PAGE_TEXT_MAX);
    text_init(&label, PAGE_TEXT_MAX);
    text_add(&label, "at ");
    add_real(&label, json_number_value(dig(outage, "at_s", NULL)), 1);
    text_add(&label, " s");
    if (!ended)
        text_add(&line, "NOT OVER at the end of the run, after ");
    add_seconds(&line, dig(outage, "seconds", NULL));
    add_losses(&line, outage);
    text_add(&line, "; began with ");
    text_add_safe(&line, code != NULL ? code : "?");
    if (code != NULL && *sqlstate_meaning(code) != '\0')
        text_format(&line, " (%s)", sqlstate_meaning(code));
    page_line(page, label.bytes, ended ? TONE_WARNING : TONE_BAD, line.bytes);
    text_close(&label);
    text_close(&line);
}

void tell_outages(const struct page *page, const json_t *result)
{
    const json_t *outages = dig(result, "outages", NULL);
    int64_t more = dig_whole(result, "outages_unlisted");
    struct text line;
    size_t index;
    json_t *outage;

    if (json_array_size(outages) == 0)
        return;
    page_heading(page, "outages, from the first failure to the first success of any session");
    json_array_foreach(outages, index, outage)
    {
        if (index < OUTAGES_SHOWN)
            tell_outage(page, outage);
        else
            more++;
    }
    if (more == 0)
        return;
    text_init(&line, PAGE_TEXT_MAX);
    add_whole(&line, more);
    text_add(&line, " more (--json outages)");
    page_line(page, "", TONE_PLAIN, line.bytes);
    text_close(&line);
}
