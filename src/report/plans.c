/*
 * plans.c - how the server would do each statement: `show --format plans`.
 */
#include "report/page.h"

static void write_line(FILE *out, int indent, const json_t *line)
{
    struct text safe;

    text_init(&safe, PAGE_TEXT_MAX);
    add_json_text(&safe, line, "-");
    fprintf(out, "%*s%s\n", indent, "", safe.bytes);
    text_close(&safe);
}

static void write_plan(const struct page *page, const char *name, const json_t *plan)
{
    const json_t *lines = dig(plan, "lines", NULL), *line;
    struct text safe;
    size_t index;

    text_init(&safe, PAGE_TEXT_MAX);
    text_add_safe(&safe, name);
    page_words(page, TONE_HEADING, safe.bytes, 0);
    fputc('\n', page->out);
    text_close(&safe);
    if (json_is_string(dig(plan, "error", NULL)))
        write_line(page->out, 2, dig(plan, "error", NULL));
    json_array_foreach(lines, index, line) write_line(page->out, 2, line);
}

void report_plans(FILE *out, const struct report_style *style, const json_t *result)
{
    struct page page = page_open(out, style);
    json_t *plans = dig(result, "plans", NULL), *plan;
    bool begun = false;
    const char *name;

    json_object_foreach(plans, name, plan)
    {
        fputs(begun ? "\n" : "", out);
        write_plan(&page, name, plan);
        begun = true;
    }
    if (!begun)
        fputs("this result has no plans\n", out);
}
