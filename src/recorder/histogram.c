/*
 * histogram.c - see histogram.h.
 *
 * Recording is in the header, since it is on the path of every statement. Here are the slow ones;
 * they walk only the cells between min and max, a tenth of all in a common run.
 */
#include "recorder/histogram.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "recorder/inside.h"

#define PAGE_BYTES 4096

static int first_cell(const struct histogram *histogram)
{
    int64_t min_ns = histogram->min_ns;

    return histogram_cell(min_ns < HISTOGRAM_MAX_NS ? min_ns : HISTOGRAM_MAX_NS);
}

static int last_cell(const struct histogram *histogram)
{
    int64_t max_ns = histogram->max_ns;

    return histogram_cell(max_ns < HISTOGRAM_MAX_NS ? max_ns : HISTOGRAM_MAX_NS);
}

struct histogram *histogram_new(void)
{
    return histogram_array(1);
}

struct histogram *histogram_array_of(const char *const *names, int count)
{
    struct histogram *histograms = MEMORY_ARRAY(struct histogram, count);

    for (int i = 0; i < count; i++) {
        if (names == NULL || names[i] != NULL)
            touch_pages(&histograms[i], sizeof *histograms);
        histograms[i].min_ns = INT64_MAX;
    }
    return histograms;
}

struct histogram *histogram_array(int count)
{
    return histogram_array_of(NULL, count);
}

void touch_pages(void *memory, size_t size_bytes)
{
    volatile unsigned char *bytes = memory;

    /* Volatile, or the compiler knows that the memory is zero already and drops the writes. */
    for (size_t at = 0; at < size_bytes; at += PAGE_BYTES)
        bytes[at] = 0;
    if (size_bytes > 0)
        bytes[size_bytes - 1] = 0;
}

void histogram_free(struct histogram *histogram)
{
    memory_free(histogram);
}

void histogram_reset(struct histogram *histogram)
{
    if (histogram->count == 0)
        return;

    int first = first_cell(histogram), last = last_cell(histogram);

    memset(&histogram->cells[first], 0, sizeof histogram->cells[0] * (size_t)(last - first + 1));
    histogram->count = histogram->overflow = histogram->sum_ns = histogram->max_ns = 0;
    histogram->min_ns = INT64_MAX;
}

int64_t histogram_cell_low_ns(int cell)
{
    int octave = cell < 2048 ? 0 : cell / 1024 - 1;

    return (int64_t)(cell - octave * 1024) << octave;
}

int64_t histogram_cell_high_ns(int cell)
{
    int octave = cell < 2048 ? 0 : cell / 1024 - 1;

    return histogram_cell_low_ns(cell) + ((INT64_C(1) << octave) - 1);
}

void histogram_record_many(struct histogram *histogram, int64_t value_ns, int64_t count)
{
    int64_t kept = value_ns < 0 ? 0 : value_ns;
    int64_t others = count - 1;

    histogram_record(histogram, kept);
    histogram->count += others;
    histogram->sum_ns += kept * others;
    if (kept > HISTOGRAM_MAX_NS) {
        histogram->overflow += others;
        kept = HISTOGRAM_MAX_NS;
    }
    histogram->cells[histogram_cell(kept)] += others;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (from->count == 0)
        return;
    into->count += from->count;
    into->overflow += from->overflow;
    into->sum_ns += from->sum_ns;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    if (from->max_ns > into->max_ns)
        into->max_ns = from->max_ns;
    for (int cell = first_cell(from), last = last_cell(from); cell <= last; cell++)
        into->cells[cell] += from->cells[cell];
}

/* Which of the values in ascending order (1 is the first) a percentile means. Some products, as
 * 0.017 % of 100,000, come out a breath above the whole number that is meant, so the percentage is
 * first moved one step down, as HdrHistogram does. */
static int64_t rank_of(int64_t count, double percent)
{
    double rank = ceil(nextafter(percent, 0) * (double)count / 100);

    if (rank < 1)
        return 1;
    return rank > (double)count ? count : (int64_t)rank;
}

int64_t histogram_percentile_ns(const struct histogram *histogram, double percent)
{
    int64_t rank, seen = 0;

    if (histogram->count == 0)
        return 0;
    if (percent >= 100)
        return histogram->max_ns;
    rank = rank_of(histogram->count, percent > 0 ? percent : 0);
    if (rank > histogram->count - histogram->overflow)
        return histogram->max_ns;
    for (int cell = first_cell(histogram); cell < HISTOGRAM_CELLS; cell++) {
        seen += histogram->cells[cell];
        if (seen >= rank) {
            int64_t high_ns = histogram_cell_high_ns(cell);

            return high_ns < histogram->max_ns ? high_ns : histogram->max_ns;
        }
    }
    return histogram->max_ns;
}

int64_t histogram_count_upto(const struct histogram *histogram, int64_t value_ns)
{
    int64_t count = 0;

    if (histogram->count == 0 || value_ns < 0)
        return 0;
    if (value_ns >= histogram->max_ns)
        return histogram->count;
    for (int cell = first_cell(histogram);
         cell < HISTOGRAM_CELLS && histogram_cell_high_ns(cell) <= value_ns; cell++)
        count += histogram->cells[cell];
    return count;
}

double histogram_mean_ns(const struct histogram *histogram)
{
    return histogram->count == 0 ? 0 : (double)histogram->sum_ns / (double)histogram->count;
}
