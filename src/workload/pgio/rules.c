/*
 * rules.c - what people know PGIO by, and what the data themselves say was done.
 *
 * The published tool has no proof that its updates happened: here the sum of scratch must grow by
 * as much as rows were updated.
 */
#include "workload/pgio/pgio.h"

const struct headline pgio_headlines[] = {
    { .name = "riops", .words = "blocks a second that missed the buffers", .figure = "riops" },
    { .name = "cache_hits_per_s",
      .words = "blocks a second found in them",
      .figure = "cache_hits_per_s" },
    { .name = "rpiops", .words = "reads a second by the devices", .figure = "rpiops" },
    { .name = "page_cache_share",
      .words = "of the misses served by the page cache",
      .figure = "page_cache_share" },
    { .name = NULL },
};

const struct tally pgio1_tallies[] = {
    [PGIO1_OPERATIONS] = { "operations", "operations of sessions that lived to the end" },
    [PGIO1_SELECTS] = { "selects", "SELECTs of these" },
    [PGIO1_UPDATES] = { "updates", "UPDATEs of these" },
    [PGIO1_ROWS] = { "rows_updated", "rows that they updated" },
    { .name = NULL },
};

/* Nothing, or a question whose answer is nothing, when it is not to be asked. */
static void write_sum(struct text *out, const void *world)
{
    const struct pgio_options *options = &((const struct pgio_world *)world)->options;

    if (options->update_pct == 0 || options->verify_sum == PGIO_SUM_NEVER)
        return;
    text_add(out, "SELECT CASE WHEN true");
    for (int i = 1; options->verify_sum == PGIO_SUM_AUTO && i <= options->num_schemas; i++)
        text_format(out, "%s pg_relation_size('pgio%d')", i > 1 ? " +" : " AND 0 +", i);
    if (options->verify_sum == PGIO_SUM_AUTO)
        text_format(out, " <= %lld", PGIO_SUM_LIMIT);
    text_add(out, " THEN (");
    for (int i = 1; i <= options->num_schemas; i++)
        text_format(out, "%s(SELECT sum(scratch) FROM pgio%d)", i > 1 ? " + " : "", i);
    text_add(out, ")::bigint END");
}

/* The keys of a work unit are all there: pgio_accept() has looked. */
static int64_t rows_each(const void *world)
{
    return ((const struct pgio_world *)world)->options.update_work_unit + 1;
}

const struct ledger pgio_ledgers[] = {
    { .name = "sum_of_scratch",
      .words = "the sum of scratch",
      .write_sql = write_sum,
      .transaction = PGIO_UPDATE,
      .each = rows_each },
    { .name = NULL },
};

const struct ledger pgio1_ledgers[] = {
    { .name = "sum_of_scratch",
      .words = "the sum of scratch",
      .write_sql = write_sum,
      .transaction = PGIO1_ROWS,
      .by_tally = true },
    { .name = NULL },
};
