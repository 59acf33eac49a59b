/*
 * parts.c - see parts.h. A transaction counts in the phase it was scheduled in, and a worker hands
 * an interval over a moment after its end: so there is a little of the other phase in the intervals
 * on both sides of the boundary.
 */
#include "command/parts.h"

static bool is_empty(const struct interval *interval)
{
    int64_t sum = interval->counts.scheduled + interval->errors;

    for (int kind = 0; kind < QUERY_KINDS; kind++)
        sum += interval->queries[kind];
    return sum == 0;
}

static void cut(struct interval *part, int64_t boundary_ns)
{
    if (part->phase == PHASE_WARMUP && part->end_ns > boundary_ns)
        part->end_ns = boundary_ns > part->begin_ns ? boundary_ns : part->begin_ns;
    if (part->phase == PHASE_MEASURE && part->begin_ns < boundary_ns)
        part->begin_ns = boundary_ns < part->end_ns ? boundary_ns : part->end_ns;
}

static int64_t length_ns(const struct interval *interval)
{
    return interval->end_ns - interval->begin_ns;
}

int parts_cut(const struct interval *intervals, int count, int64_t measure_begin_ns,
              struct interval *parts)
{
    int shown = 0;

    for (int i = 0; i < count; i++) {
        int64_t whole_ns = length_ns(&intervals[i]);

        parts[i] = intervals[i];
        if (is_empty(&parts[i]))
            parts[i].phase =
                parts[i].begin_ns + whole_ns / 2 < measure_begin_ns ? PHASE_WARMUP : PHASE_MEASURE;
        cut(&parts[i], measure_begin_ns);
        /* Of two halves the later is shown. */
        if (length_ns(&parts[i]) >= length_ns(&parts[shown]))
            shown = i;
    }
    return shown;
}
