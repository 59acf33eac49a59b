/*
 * check.c - is every key there once, and every row in a block of its own? Also of tables that the
 * published setup made. One question a table.
 */
#include "workload/oltp/oltp.h"
#include "workload/pgio/pgio.h"

#define QUESTION_MAX (1 << 16)

static const char counts_sql[] =
    "SELECT count(*) AS total, coalesce(min(mykey), 0) AS low, coalesce(max(mykey), 0) AS high, "
    "count(DISTINCT mykey) AS keys, count(DISTINCT (ctid::text::point)[0]) AS blocks, "
    "count(*) FILTER (WHERE scratch IS NULL OR length(filler) <> 1024) AS odd FROM pgio{}";

static const char index_sql[] =
    "SELECT count(*) AS indexes FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND "
    "attnum = indkey[0] WHERE indrelid = 'pgio{}'::regclass AND indisvalid AND attname = 'mykey'";

bool pgio_check(struct text *sql, const void *world, int index)
{
    const struct pgio_world *pgio = world;
    struct text words;

    if (index >= pgio->options.num_schemas)
        return false;
    text_init(&words, QUESTION_MAX);
    text_format(&words,
                "SELECT 'pgio{}: ' || what, found, wanted FROM (%s) AS t, (%s) AS i, LATERAL "
                "(VALUES ('rows', total::text, '%lld'), ('lowest key', low::text, '1'), "
                "('highest key', high::text, total::text), "
                "('different keys', keys::text, total::text), "
                "('blocks with a row', blocks::text, total::text), "
                "('rows without scratch or 1024 characters of filler', odd::text, '0'), "
                "('index on mykey', CASE WHEN indexes > 0 THEN 'yes' ELSE 'no' END, 'yes')) "
                "AS v (what, found, wanted)",
                counts_sql, index_sql, (long long)pgio->blocks);
    oltp_add_numbered(sql, words.bytes, index + 1);
    text_close(&words);
    return true;
}
