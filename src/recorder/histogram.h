/*
 * histogram.h - how long things took, without keeping each one.
 *
 * Log-linear counters after Gil Tene's HdrHistogram: within an octave 1,024 equal steps, so a value
 * is told to 1 ns below 2 us and to better than 1/1024 (0.1 %) up to 2.4 hours; longer ones are
 * counted as overflow and still move the exact maximum. Exact count, sum, min and max stand beside
 * the counters. Histograms are merged by addition; percentiles are never averaged (design D5). One
 * thread at a time; memory is touched at birth, so recording never faults.
 */
#ifndef RECORDER_HISTOGRAM_H
#define RECORDER_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define HISTOGRAM_SUB_BITS 11 /* 2,048 values exact at the bottom: 3 significant digits */
#define HISTOGRAM_OCTAVES  33 /* bottom + 32 octaves of 1,024: up to 2^43 ns = 2.4 hours */
#define HISTOGRAM_CELLS    (1024 * (HISTOGRAM_OCTAVES + 1))
#define HISTOGRAM_MAX_NS   ((INT64_C(1) << (HISTOGRAM_SUB_BITS + HISTOGRAM_OCTAVES - 1)) - 1)
/* No encoding is longer than this: for the limit of a text. */
#define HISTOGRAM_ENCODED_MAX (448 * 1024)

struct histogram {
    int64_t count;    /* all recorded, overflow included */
    int64_t overflow; /* of these, above HISTOGRAM_MAX_NS (counted in the last cell) */
    int64_t sum_ns, min_ns, max_ns; /* exact; min is INT64_MAX and max 0 while empty */
    int64_t cells[HISTOGRAM_CELLS];
};

/* Owned: histogram_free(). Every page is touched. */
struct histogram *histogram_new(void);
void histogram_free(struct histogram *histogram); /* NULL is fine */
/* Only the cells between min and max are touched, so a reset costs what was used. */
void histogram_reset(struct histogram *histogram);

/* Which cell holds a value, 0 to HISTOGRAM_MAX_NS; and the ends of a cell. */
static inline int histogram_cell(int64_t value_ns)
{
    int octave = 63 - __builtin_clzll((uint64_t)value_ns | 2047) - (HISTOGRAM_SUB_BITS - 1);

    return octave * 1024 + (int)(value_ns >> octave);
}
int64_t histogram_cell_low_ns(int cell);  /* smallest value of the cell */
int64_t histogram_cell_high_ns(int cell); /* largest value of the cell */

/* Counts one value; negative ones count as 0 (a clock that went back is our bug, not a crash). */
static inline void histogram_record(struct histogram *histogram, int64_t value_ns)
{
    int64_t kept = value_ns < 0 ? 0 : value_ns;

    histogram->count++;
    histogram->sum_ns += kept;
    if (kept < histogram->min_ns)
        histogram->min_ns = kept;
    if (kept > histogram->max_ns)
        histogram->max_ns = kept;
    if (kept > HISTOGRAM_MAX_NS) {
        histogram->overflow++;
        kept = HISTOGRAM_MAX_NS;
    }
    histogram->cells[histogram_cell(kept)]++;
}

/* The same for `count` equal values, 1 or more. */
void histogram_record_many(struct histogram *histogram, int64_t value_ns, int64_t count);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* The value below or at which `percent` (0..100) of all lie: the smallest cell whose cumulative
 * count reaches ceil(count * percent / 100), at least 1; the cell's highest value, but never above
 * the exact max nor below the exact min. Never below the true one and above it by less than 1/1024.
 * Percent 100 is the exact max, and so is a percentile that falls among the overflow. 0 when empty.
 */
int64_t histogram_percentile_ns(const struct histogram *histogram, double percent);
/* How many lie at or below `value_ns`, but for those in the cell that it is in the middle of. */
int64_t histogram_count_upto(const struct histogram *histogram, int64_t value_ns);
double histogram_mean_ns(const struct histogram *histogram); /* exact sum / count; 0 when empty */

/* Appends the HdrHistogram V2 compressed encoding (zlib, base64), as in its log format, unit ns.
 * Its readers find overflow in the last cell. */
void histogram_encode(const struct histogram *histogram, struct text *out);
/* Reads what histogram_encode() or another tool with 3 digits and unit 1 wrote; false, and
 * `histogram` (a made one) empty, when `base64` is not that. The exact sum and ends are lost: they
 * come from the cells, and overflow only from another tool's cells beyond ours. Never trusts its
 * input. */
bool histogram_decode(struct histogram *histogram, const char *base64);

#endif
