/*
 * check.c - whether the tables are what load makes, also when sysbench made them (spec sysbench 8,
 * check 2).
 *
 * One question a table. Updates raise k, one at a time: so no k may lie further above table_size
 * than the server has counted updates. When its counts begin later than the rows (a crash clears
 * them) that bound is not tested.
 */
#include "workload/oltp/oltp.h"

#define PATTERN(groups) "'^([0-9]{11}-){" groups "}[0-9]{11}$'"

#define QUESTION_MAX (1 << 16)

/* What is counted in one pass over the table. */
static const char counts_sql[] = "SELECT count(*) AS total, coalesce(max(id), 0) AS last, "
                                 "count(*) FILTER (WHERE c::text !~ " PATTERN(
                                     "9") ") AS odd_c, "
                                          "count(*) FILTER (WHERE pad::text !~ " PATTERN(
                                              "4") ") AS odd_pad, "
                                                   "count(*) FILTER (WHERE k < 1) AS low_k, "
                                                   "coalesce(max(k), 0) AS high_k FROM sbtest{}";

static const char updates_sql[] =
    "SELECT pg_stat_get_tuples_inserted('sbtest{}'::regclass) AS inserted, "
    "pg_stat_get_tuples_updated('sbtest{}'::regclass) AS updated";

static const char sequence_sql[] =
    "SELECT pg_sequence_last_value(pg_get_serial_sequence('sbtest{}', 'id')::regclass) AS value";

/* Whether there is a valid index whose first column is `column`; primary or not. */
static void add_index_row(struct text *sql, const char *column, bool primary, bool wanted)
{
    text_format(sql,
                ", ('%s on %s', CASE WHEN EXISTS (SELECT FROM pg_index JOIN pg_attribute ON "
                "attrelid = indrelid AND attnum = indkey[0] WHERE indrelid = "
                "'sbtest{}'::regclass AND indisvalid AND %sindisprimary AND attname = '%s') "
                "THEN 'yes' ELSE 'no' END, '%s')",
                primary ? "primary key" : "index", column, primary ? "" : "NOT ", column,
                wanted ? "yes" : "no");
}

static void write_question(struct text *sql, const struct oltp_options *options)
{
    long long size = (long long)options->table_size;

    text_format(sql,
                "SELECT 'sbtest{}: ' || what, found, wanted FROM (%s) AS t, (%s) AS s, (%s) AS q, "
                "LATERAL (VALUES ('rows', total::text, '%lld'), "
                "('rows whose c is not 10 groups of 11 digits', odd_c::text, '0'), "
                "('rows whose pad is not 5 groups of 11 digits', odd_pad::text, '0'), "
                "('rows whose k is below 1', low_k::text, '0'), "
                "('highest k', high_k::text, CASE WHEN inserted >= total THEN "
                "least(high_k, %lld + updated) ELSE high_k END::text)",
                counts_sql, updates_sql, options->auto_inc ? sequence_sql : "SELECT NULL AS value",
                size, size > 0 ? size : 1); /* Into empty tables k = 1 is inserted. */
    add_index_row(sql, "id", true, !options->secondary);
    if (options->secondary)
        add_index_row(sql, "id", false, true);
    add_index_row(sql, "k", false, options->create_secondary);
    if (options->auto_inc)
        text_add(sql, ", ('last value of the sequence of id', coalesce(value::text, 'none'), "
                      "CASE WHEN value IS NULL AND last = 0 THEN 'none' "
                      "ELSE greatest(value, last)::text END)");
    text_add(sql, ") AS v (what, found, wanted)");
}

bool oltp_check(struct text *sql, const void *world, int index)
{
    const struct oltp_options *options = &((const struct oltp_world *)world)->options;
    struct text words;

    if (index >= options->tables)
        return false;
    text_init(&words, QUESTION_MAX);
    write_question(&words, options);
    oltp_add_numbered(sql, words.bytes, index + 1);
    text_close(&words);
    return true;
}
