/*
 * misses.c - see misses.h.
 *
 * A benchmark whose reads find nothing measures something else than its name says. A few misses are
 * in order: two sessions that delete and insert the same row meet now and then. The write that had
 * to wait changes nothing, and where few rows are hot that is no rare thing. It tells of missing
 * rows only when something confirms it: reads, which see either the old row or the new one, or
 * deletes whose insert of the same id went well, for after such a meeting it is a duplicate.
 */
#include "command/misses.h"

#include <string.h>

#include "base/text.h"

#define MISSES_BORNE 0.01 /* share of the executions */
#define DRY_BORNE    0.1 /* of a workload that uses its rows up: some are met twice from the start */

/* "99" or "99.9": never 100 when some did find a row, never 0. */
static void write_percent(char *out, size_t size, double share)
{
    if (share < 1 && share >= 0.995)
        snprintf(out, size, "more than 99");
    else
        snprintf(out, size, "%.0f", 100 * share);
}

enum kind { KIND_READ, KIND_WRITE, KIND_DRY };

static enum kind kind_of(const struct statement *statement)
{
    if (statement->runs_dry)
        return KIND_DRY;
    return statement->sql != NULL && strncmp(statement->sql, "SELECT", 6) == 0 ? KIND_READ
                                                                               : KIND_WRITE;
}

static int64_t executions_of(const struct statement_totals *found)
{
    int64_t executions = 0;

    for (int kind = 0; kind < QUERY_KINDS; kind++)
        executions += found->kind[kind];
    return executions;
}

/* "99 % of point reads returned no row, 49 % of ..." of those statements; none when few miss. */
static void list_misses(struct text *out, const struct workload *workload,
                        const struct phase_totals *totals, enum kind kind)
{
    int count = workload_statement_count(workload);
    double borne = kind == KIND_DRY ? DRY_BORNE : MISSES_BORNE;

    for (int i = 0; i < count; i++) {
        const struct statement *statement = &workload->statements[i];
        const struct statement_totals *found = &totals->statements[i];
        int64_t executions = executions_of(found);
        char percent[32];
        double share = executions > 0 ? (double)found->without_rows / (double)executions : 0;

        if (statement->misses == NULL || kind_of(statement) != kind || share <= borne)
            continue;
        write_percent(percent, sizeof percent, share);
        text_format(out, "%s%s %% of %s", out->length > 0 ? ", " : "", percent, statement->misses);
    }
}

/* Attempts that ended as a meeting of two deletes and inserts does. */
static int64_t collisions(const struct phase_totals *totals)
{
    int64_t count = 0;

    for (int i = 0; i < totals->error_count; i++)
        if (strcmp(totals->errors[i].code, "23505") == 0 ||
            strcmp(totals->errors[i].code, "40P01") == 0)
            count += totals->errors[i].count;
    return count;
}

/* Whether sessions replaced rows under each other, and that alone explains what writes missed. */
static bool explained_by_meeting(const struct workload *workload, const struct phase_totals *totals)
{
    int64_t deletes = 0, missed = 0;

    for (int i = 0; i < workload_statement_count(workload); i++)
        if (workload->statements[i].replaces) {
            deletes += executions_of(&totals->statements[i]);
            missed += totals->statements[i].without_rows;
        }
    return deletes > 0 && (double)(missed - collisions(totals)) <= MISSES_BORNE * (double)deletes;
}

static void add_note(json_t *notes, struct text *words, const char *rest)
{
    if (words->length > 0) {
        text_add(words, rest);
        json_array_append_new(notes, json_string(words->bytes));
    }
    text_clear(words);
}

void misses_note(json_t *notes, const struct workload *workload, const struct phase_totals *totals,
                 int64_t connections)
{
    static const char alarm[] =
        ", though the data are to hold one for each: this run did not measure what its name says. "
        "Are the tables smaller than the options say, or have their rows been deleted? pgdyno "
        "check tells";
    struct text words;
    bool sound;

    text_init(&words, WORKLOAD_SQL_MAX);
    list_misses(&words, workload, totals, KIND_READ);
    sound = words.length == 0 && connections > 1 && explained_by_meeting(workload, totals);
    list_misses(&words, workload, totals, KIND_WRITE);
    if (sound)
        add_note(notes, &words,
                 ": another session was deleting and inserting the same row, as happens where few "
                 "rows are hot; nothing points to missing rows");
    add_note(notes, &words, alarm);
    list_misses(&words, workload, totals, KIND_DRY);
    add_note(notes, &words,
             ": this workload uses its rows up, and then measures how fast nothing is found; load "
             "anew, or end it by --transactions");
    text_close(&words);
}
