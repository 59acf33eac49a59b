/*
 * misses.c - see misses.h.
 *
 * A benchmark whose reads find nothing measures something else than its name says. A few misses are
 * in order: two sessions that delete and insert the same row meet now and then.
 */
#include "command/misses.h"

#include "base/text.h"

#define MISSES_BORNE 0.01 /* share of the executions */

/* "99" or "99.9": never 100 when some did find a row, never 0. */
static void write_percent(char *out, size_t size, double share)
{
    if (share < 1 && share >= 0.995)
        snprintf(out, size, "more than 99");
    else
        snprintf(out, size, "%.0f", 100 * share);
}

/* "99 % of point reads returned no row, 49 % of ..." of those statements; "" when few miss. */
static void list_misses(struct text *out, const struct workload *workload,
                        const struct phase_totals *totals, bool runs_dry)
{
    int count = workload_statement_count(workload);

    for (int i = 0; i < count; i++) {
        const struct statement *statement = &workload->statements[i];
        const struct statement_totals *found = &totals->statements[i];
        int64_t executions = 0;
        char percent[32];
        double share;

        for (int kind = 0; kind < QUERY_KINDS; kind++)
            executions += found->kind[kind];
        share = executions > 0 ? (double)found->without_rows / (double)executions : 0;
        if (statement->misses == NULL || statement->runs_dry != runs_dry || share <= MISSES_BORNE)
            continue;
        write_percent(percent, sizeof percent, share);
        text_format(out, "%s%s %% of %s", out->length > 0 ? ", " : "", percent, statement->misses);
    }
}

void misses_note(json_t *notes, const struct workload *workload, const struct phase_totals *totals)
{
    struct text words;

    text_init(&words, WORKLOAD_SQL_MAX);
    list_misses(&words, workload, totals, false);
    if (words.length > 0) {
        text_add(&words, ", though the data are to hold one for each: this run did not measure "
                         "what its name says. Are the tables smaller than the options say, or have "
                         "their rows been deleted? pgdyno check tells");
        json_array_append_new(notes, json_string(words.bytes));
    }
    text_clear(&words);
    list_misses(&words, workload, totals, true);
    if (words.length > 0) {
        text_add(&words, ": this workload uses its rows up, and then measures how fast nothing is "
                         "found; load anew, or end it by --transactions");
        json_array_append_new(notes, json_string(words.bytes));
    }
    text_close(&words);
}
