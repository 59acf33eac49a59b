/*
 * progress.c - see progress.h.
 */
#include "command/progress.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/report.h"

#define PLAIN_NS      (2 * NS_PER_S)
#define TERMINAL_NS   (200 * NS_PER_MS)
#define LINE_MAX_SIZE ((size_t)4096)
#define WHAT_SHOWN    40

const char *progress_count(int64_t number, char *out)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number), at = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *progress_size(int64_t bytes, char *out)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    double size = (double)bytes;
    int unit = 0;

    while (size >= 1000 && unit < 4) {
        size /= 1024;
        unit++;
    }
    snprintf(out, 32, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return out;
}

static void add_rates(struct text *line, const struct load_progress *now, int64_t rows)
{
    double seconds = (double)now->elapsed_ns / (double)NS_PER_S;
    char words[32];

    if (now->bytes_done > 0 && seconds > 0) {
        text_format(line, ", %s rows/s", progress_count((int64_t)((double)rows / seconds), words));
        text_format(line, ", %s/s",
                    progress_size((int64_t)((double)now->bytes_done / seconds), words));
    }
}

/* "copy sbtest3: 1,200,000 of 4,000,000 rows, 30 %, 210,000 rows/s, 43.5 MB/s, 13 s left" */
static void write_line(struct text *line, const struct load_progress *now)
{
    char words[32];
    int shown = (int)strlen(now->what);

    text_format(line, "%-10s ", now->step);
    if (now->finished) {
        text_format(line, "done in %.1f s", (double)now->elapsed_ns / (double)NS_PER_S);
        return;
    }
    if (now->rows_total > 0)
        text_format(line, "%3.0f %%, ", 100.0 * (double)now->rows_done / (double)now->rows_total);
    if (now->trouble != NULL) {
        text_add(line, now->trouble);
        return;
    }
    if (now->bytes_done > 0) {
        text_format(line, "%s of ", progress_count(now->rows_done, words));
        text_format(line, "%s rows", progress_count(now->rows_total, words));
        add_rates(line, now, now->rows_done - now->rows_before);
    } else {
        text_format(line, "%.0f s", (double)now->elapsed_ns / (double)NS_PER_S);
    }
    if (now->left_ns >= 0)
        text_format(line, ", %.0f s left", (double)now->left_ns / (double)NS_PER_S);
    if (now->what[0] != '\0')
        text_format(line, " (%.*s%s)", WHAT_SHOWN, now->what, shown > WHAT_SHOWN ? "..." : "");
}

void progress_end(struct progress *progress)
{
    if (progress->open)
        fputc('\n', progress->out);
    progress->open = false;
    fflush(progress->out);
}

void progress_tell(void *context, const struct load_progress *now)
{
    struct progress *progress = context;
    int columns = report_style_of(progress->out).columns;
    int64_t now_ns = clock_now_ns(), pause_ns = columns > 0 ? TERMINAL_NS : PLAIN_NS;
    bool urgent = now->finished || (now->trouble != NULL && !progress->troubled);
    struct text line;

    progress->troubled = now->trouble != NULL;
    if (progress->quiet ||
        (!urgent && (now->elapsed_ns < pause_ns || now_ns - progress->told_ns < pause_ns)))
        return;
    progress->told_ns = now_ns;
    text_init(&line, LINE_MAX_SIZE);
    write_line(&line, now);
    if (columns > 0) {
        fprintf(progress->out, "\r%.*s\033[K", columns - 1, line.bytes);
        progress->open = true;
        if (now->finished)
            progress_end(progress);
    } else {
        fprintf(progress->out, "%s\n", line.bytes);
    }
    fflush(progress->out);
    text_close(&line);
}
