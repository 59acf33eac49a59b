/*
 * hlog.c - latency.hlog: response times of every interval, everything else once a phase.
 *
 * Tags: "<phase>/<transaction>" an interval line; "<phase>/<transaction>/service" and "/queue" in
 * an open loop, "<phase>/statement/<statement>" and "connect" one line for the whole phase. Lines
 * of one tag never overlap, so adding up the lines of a tag gives its whole.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/folder.h"

#define HLOG_TEXT_MAX (256 << 20)
#define TAG_MAX       160

static void begin(struct store *store, int64_t start_ns)
{
    struct text text;

    if (store->hlog_begun)
        return;
    store->hlog_begun = true;
    text_init(&text, HLOG_TEXT_MAX);
    hlog_header(&text, clock_wall_ns() - (clock_now_ns() - start_ns));
    folder_add(store, store->hlog, "latency.hlog", text.bytes, text.length);
    text_close(&text);
}

void store_intervals(struct store *store, const struct recorder_layout *layout,
                     const struct interval *intervals, int count, int64_t start_ns)
{
    struct text text;

    begin(store, start_ns);
    text_init(&text, HLOG_TEXT_MAX);
    for (int i = 0; i < count; i++) {
        const struct interval *interval = &intervals[i];
        batches_add(&store->batches, interval);
        for (int j = 0; j < layout->transaction_count; j++) {
            char tag[TAG_MAX];
            if (layout->transaction_names[j] == NULL)
                continue;
            snprintf(tag, sizeof tag, "%s/%s", phase_names[interval->phase],
                     layout->transaction_names[j]);
            hlog_line(&text, tag, clock_seconds(interval->begin_ns - start_ns),
                      clock_seconds(interval->end_ns - interval->begin_ns), interval->response[j]);
        }
    }
    folder_add(store, store->hlog, "latency.hlog", text.bytes, text.length);
    text_close(&text);
}

/* Where a phase lies, for lines that hold all of it. */
struct span {
    double begin_s, length_s;
};

static struct span phase_span(const struct store_run *run, enum phase phase)
{
    if (phase == PHASE_WARMUP)
        return (struct span){ 0, clock_seconds(run->measure_begin_ns - run->start_ns) };
    return (struct span){ clock_seconds(run->measure_begin_ns - run->start_ns),
                          clock_seconds(run->measure_end_ns - run->measure_begin_ns) };
}

static void phase_line(struct text *out, const char *tag, struct span span,
                       const struct histogram *histogram)
{
    if (histogram != NULL && histogram->count > 0)
        hlog_line(out, tag, span.begin_s, span.length_s > 0 ? span.length_s : 0, histogram);
}

static void phase_lines(struct text *out, const struct store_run *run, enum phase phase)
{
    const struct recorder_layout *layout = recorder_layout(run->recorder);
    const struct phase_totals *totals = recorder_totals(run->recorder, phase);
    struct span span = phase_span(run, phase);
    char tag[TAG_MAX];

    for (int i = 0; layout->open_loop && i < layout->transaction_count; i++) {
        const char *name = layout->transaction_names[i];
        if (name == NULL)
            continue;
        snprintf(tag, sizeof tag, "%s/%s/service", phase_names[phase], name);
        phase_line(out, tag, span, totals->transactions[i].service);
        snprintf(tag, sizeof tag, "%s/%s/queue", phase_names[phase], name);
        phase_line(out, tag, span, totals->transactions[i].queue);
    }
    for (int i = 0; i < layout->statement_count; i++) {
        if (layout->statement_names[i] == NULL)
            continue;
        snprintf(tag, sizeof tag, "%s/statement/%s", phase_names[phase],
                 layout->statement_names[i]);
        phase_line(out, tag, span, totals->statements[i].latency);
    }
}

void hlog_phases(struct store *store, const struct store_run *run)
{
    struct span connecting = { clock_seconds(run->connect_begin_ns - run->start_ns),
                               clock_seconds(run->connect_end_ns - run->connect_begin_ns) };
    struct text text;

    begin(store, run->start_ns);
    /* The log's readers take no instants before its start. */
    if (connecting.begin_s < 0)
        connecting.begin_s = 0;
    text_init(&text, HLOG_TEXT_MAX);
    phase_line(&text, "connect", connecting, recorder_connects(run->recorder, false));
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        phase_lines(&text, run, (enum phase)phase);
    folder_add(store, store->hlog, "latency.hlog", text.bytes, text.length);
    text_close(&text);
}
