/*
 * interval.c - one line an interval, while a run goes on.
 *
 * Counts and rates are of what ended in the interval; percentiles are of its response times. What
 * does not fit into a narrow terminal goes in this order: the three kinds of queries, then the
 * lower percentiles.
 */
#include <string.h>

#include "base/clock.h"
#include "report/page.h"

#define HEADER_EVERY  20
#define WIDTH_TX      10
#define WIDTH_QUERIES 12
#define WIDTH_KIND    9
#define WIDTH_TIME    9 /* at least: a percentile's name may need more */
#define WIDTH_ERRORS  8
#define WIDTH_BASE    (16 + WIDTH_TX + WIDTH_QUERIES + WIDTH_ERRORS)
#define CELL_MAX      64

struct layout {
    bool kinds;
    int first_percentile;
};

static void time_name(double percent, char *out, size_t size)
{
    snprintf(out, size, "p%.10g ms", percent);
}

static int time_width(double percent)
{
    char name[CELL_MAX];

    time_name(percent, name, sizeof name);
    return (int)strlen(name) + 1 > WIDTH_TIME ? (int)strlen(name) + 1 : WIDTH_TIME;
}

static struct layout choose(const struct page *page, const struct percentiles *percentiles)
{
    struct layout layout = { .kinds = true };
    int width = WIDTH_BASE + QUERY_KINDS * WIDTH_KIND;

    for (int i = 0; i < percentiles->count; i++)
        width += time_width(percentiles->percent[i]);
    if (width > page->columns) {
        layout.kinds = false;
        width -= QUERY_KINDS * WIDTH_KIND;
    }
    while (width > page->columns && layout.first_percentile < percentiles->count - 1)
        width -= time_width(percentiles->percent[layout.first_percentile++]);
    return layout;
}

static void header(const struct page *page, const struct layout *layout,
                   const struct percentiles *percentiles)
{
    struct text line;

    text_init(&line, PAGE_TEXT_MAX);
    text_format(&line, "  time  phase   %*s%*s", WIDTH_TX, "tx/s", WIDTH_QUERIES, "q/s");
    for (int kind = 0; layout->kinds && kind < QUERY_KINDS; kind++)
        text_format(&line, "%*s/s", WIDTH_KIND - 2, query_kind_names[kind]);
    for (int i = layout->first_percentile; i < percentiles->count; i++) {
        char name[CELL_MAX];
        time_name(percentiles->percent[i], name, sizeof name);
        text_format(&line, "%*s", time_width(percentiles->percent[i]), name);
    }
    text_format(&line, "%*s", WIDTH_ERRORS, "errors");
    page_words(page, TONE_DIM, line.bytes, 0);
    fputc('\n', page->out);
    text_close(&line);
}

/* A cell to the right of its column, one blank at least before it. */
static void add_cell(struct text *line, int width, const struct text *cell)
{
    int blanks = width - page_width(cell->bytes);

    text_format(line, "%*s%s", blanks > 1 ? blanks : 1, "", cell->bytes);
}

static void add_rate(struct text *line, int width, int64_t count, int64_t length_ns)
{
    double rate = length_ns > 0 ? (double)count / ((double)length_ns / (double)NS_PER_S) : 0;
    struct text cell;

    text_init(&cell, CELL_MAX * 8);
    add_real(&cell, rate, rate > 0 && rate < 99.95 ? 1 : 0);
    add_cell(line, width, &cell);
    text_close(&cell);
}

static void add_time(struct text *line, const struct histogram *histogram, double percent)
{
    struct text cell;

    text_init(&cell, CELL_MAX * 8);
    if (histogram->count > 0)
        add_ms(&cell, (double)histogram_percentile_ns(histogram, percent) / (double)NS_PER_MS);
    else
        text_add_char(&cell, '-');
    add_cell(line, time_width(percent), &cell);
    text_close(&cell);
}

static void add_errors(struct text *line, int64_t errors)
{
    struct text cell;

    text_init(&cell, CELL_MAX);
    add_whole(&cell, errors);
    add_cell(line, WIDTH_ERRORS, &cell);
    text_close(&cell);
}

void report_interval(FILE *out, const struct report_style *style, const struct interval *interval,
                     const struct percentiles *percentiles, int64_t begin_ns)
{
    struct page page = page_open(out, style);
    struct layout layout = choose(&page, percentiles);
    int64_t length_ns = interval->end_ns - interval->begin_ns, total = 0;
    double at_s = (double)(interval->end_ns - begin_ns) / (double)NS_PER_S;
    bool whole = length_ns % NS_PER_S == 0 || length_ns > 5 * NS_PER_S;
    struct text line;

    if ((interval->number - 1) % HEADER_EVERY == 0)
        header(&page, &layout, percentiles);
    text_init(&line, PAGE_TEXT_MAX);
    text_format(&line, "%5.*fs  %-8s", whole ? 0 : 1, at_s, phase_names[interval->phase]);
    add_rate(&line, WIDTH_TX, interval->counts.outcome[OUTCOME_COMMITTED], length_ns);
    for (int kind = 0; kind < QUERY_KINDS; kind++)
        total += interval->queries[kind];
    add_rate(&line, WIDTH_QUERIES, total, length_ns);
    for (int kind = 0; layout.kinds && kind < QUERY_KINDS; kind++)
        add_rate(&line, WIDTH_KIND, interval->queries[kind], length_ns);
    for (int i = layout.first_percentile; i < percentiles->count; i++)
        add_time(&line, interval->all, percentiles->percent[i]);
    add_errors(&line, interval->errors);
    if (interval->stalled_lanes > 0)
        text_format(&line, "  stalled: %d", interval->stalled_lanes);
    page_words(&page,
               interval->stalled_lanes > 0 || interval->errors > 0 ? TONE_WARNING
               : interval->phase == PHASE_WARMUP                   ? TONE_DIM
                                                                   : TONE_PLAIN,
               line.bytes, 0);
    fputc('\n', out);
    text_close(&line);
}
