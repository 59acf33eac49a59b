/*
 * summary.c - what a result says, on one page of a terminal: first what was run, then the figures,
 * then whether to believe them.
 */
#include "report/sections.h"

void report_summary(FILE *out, const struct report_style *style, const json_t *result)
{
    struct page page = page_open(out, style);

    tell_head(&page, result);
    tell_headlines(&page, result);
    tell_throughput(&page, result);
    tell_latency(&page, result);
    tell_transactions(&page, result);
    tell_statements(&page, result);
    tell_rates(&page, result);
    tell_machine(&page, result);
    tell_watched(&page, result);
    tell_errors(&page, result);
    tell_outages(&page, result);
    tell_verdict(&page, result);
    tell_ground(&page, result);
    tell_verified(&page, result);
    tell_vacuum(&page, result);
    tell_notes(&page, result);
}

void report_path(FILE *out, const struct report_style *style, const char *path)
{
    struct page page = page_open(out, style);
    struct text safe;

    text_init(&safe, PAGE_TEXT_MAX);
    text_add_safe(&safe, path);
    fputc('\n', out);
    fputs("  ", out);
    page_words(&page, TONE_DIM, "result", 14);
    fprintf(out, "%s\n", safe.bytes); /* Never wrapped: it is to be copied. */
    text_close(&safe);
}
