/*
 * draw.c - the operations of the correct mode, each a transaction of its own.
 *
 * The published loop puts the updates of each hundred operations first; here they are spread as
 * evenly as whole numbers can be, and sessions begin at different places of that pattern. Scans
 * are spread in the same way over the operations that are no updates.
 */
#include <inttypes.h>
#include <string.h>

#include "workload/pgio/pgio.h"

#define PLAN "pgio*_idx" /* an index scan or a bitmap made by it: both occur */

enum { SQL_SELECT, SQL_UPDATE, SQL_UPDATE_HEAVY, SQL_SCAN };

const struct statement pgio_statements[] = {
    [SQL_SELECT] = { .name = "select",
                     .sql = "SELECT sum(scratch) FROM pgio{} WHERE mykey BETWEEN $1 AND $2",
                     .discard_rows = true,
                     .wants = PLAN },
    [SQL_UPDATE] = { .name = "update",
                     .sql = "UPDATE pgio{} SET scratch = scratch + 1 WHERE mykey BETWEEN $1 AND $2",
                     .misses = "updates changed no row",
                     .wants = PLAN },
    [SQL_UPDATE_HEAVY] = { .name = "update_heavy",
                           .sql =
                               "UPDATE pgio{} SET scratch = scratch + 1, filler = $3 WHERE mykey "
                               "BETWEEN $1 AND $2",
                           .misses = "updates changed no row",
                           .wants = PLAN },
    [SQL_SCAN] = { .name = "scan",
                   .sql = "SELECT sum(scratch) FROM pgio_scan",
                   .discard_rows = true },
    { .name = NULL },
};

bool pgio_uses(const void *world, int statement)
{
    const struct pgio_options *options = &((const struct pgio_world *)world)->options;

    switch (statement) {
    case SQL_SELECT:
        return options->update_pct + options->scan_pct < 100;
    case SQL_UPDATE:
        return options->update_pct > 0 && options->redo == PGIO_LITE;
    case SQL_UPDATE_HEAVY:
        return options->update_pct > 0 && options->redo == PGIO_HEAVY;
    default:
        return options->scan_pct > 0;
    }
}

bool pgio_any_plan(const void *world)
{
    return ((const struct pgio_world *)world)->options.any_plan;
}

double pgio_weight(const void *world, int transaction)
{
    const struct pgio_options *options = &((const struct pgio_world *)world)->options;

    if (transaction == PGIO_UPDATE)
        return (double)options->update_pct;
    if (transaction == PGIO_SCAN)
        return (double)options->scan_pct;
    return (double)(100 - options->update_pct - options->scan_pct);
}

/* Of operations 0..number-1 so many are. */
static uint64_t even_before(uint64_t number, int64_t percent, int64_t of)
{
    return (uint64_t)((uint128)number * (uint64_t)percent / (uint64_t)of);
}

bool pgio_even(uint64_t number, int64_t percent, int64_t of)
{
    return even_before(number + 1, percent, of) > even_before(number, percent, of);
}

int pgio_pick(const void *world, struct draw *draw)
{
    const struct pgio_options *options = &((const struct pgio_world *)world)->options;
    uint64_t number = draw->sequence + draw->key % 100;
    int64_t others = 100 - options->update_pct;

    if (pgio_even(number, options->update_pct, 100))
        return PGIO_UPDATE;
    if (others > 0 && pgio_even(number - even_before(number, options->update_pct, 100),
                                options->scan_pct, others))
        return PGIO_SCAN;
    return PGIO_SELECT;
}

/* ---- inputs ---- */

struct range_input {
    int table;
    int64_t first, last; /* keys */
};

struct update_input {
    struct range_input range;
    char filler[PGIO_FILLER]; /* under redo stress */
};

/* The first key of a work unit in the hot spot; one that does not fit begins with it. */
static int64_t draw_hot(const struct pgio_world *pgio, int64_t unit, struct rng *rng)
{
    int64_t last = pgio->hot_last - unit;
    int64_t first =
        rng_between(rng, pgio->hot_first, last > pgio->hot_first ? last : pgio->hot_first);

    return first + unit <= pgio->blocks ? first : pgio->blocks - unit;
}

static void draw_range(struct range_input *in, const struct pgio_world *pgio, struct draw *draw,
                       bool writes)
{
    const struct pgio_options *options = &pgio->options;
    int64_t unit = writes ? options->update_work_unit : options->work_unit;
    bool hot = options->do_hotspot && draw->sequence % (uint64_t)options->hotspot_frequency ==
                                          (uint64_t)options->hotspot_frequency - 1;

    in->table = pgio_draw_table(pgio, draw);
    in->first = hot ? draw_hot(pgio, unit, &draw->rng)
                    : distribution_draw(writes ? &pgio->writes : &pgio->reads, &draw->rng);
    in->last = in->first + unit;
}

static void select_draw(void *input, const void *world, struct draw *draw)
{
    draw_range(input, world, draw, false);
}

static void update_draw(void *input, const void *world, struct draw *draw)
{
    const struct pgio_world *pgio = world;
    struct update_input *in = input;

    draw_range(&in->range, pgio, draw, true);
    if (pgio->options.redo == PGIO_LITE)
        return;
    if (pgio->options.obfuscate)
        pgio_draw_filler(in->filler, &draw->rng);
    else
        memset(in->filler, (int)rng_between(&draw->rng, 'A', 'Z'), sizeof in->filler);
}

static void scan_draw(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    (void)draw;
}

/* ---- transactions ---- */

static void select_run(struct txn *txn, const void *input, const void *world)
{
    const struct range_input *in = input;
    bool block = txn_wants_block(txn);

    (void)world;
    txn_instance(txn, in->table);
    if (block)
        txn_begin(txn);
    txn_query(txn, SQL_SELECT, in->first, in->last);
    if (block)
        txn_commit(txn);
}

static void update_run(struct txn *txn, const void *input, const void *world)
{
    const struct pgio_world *pgio = world;
    const struct update_input *in = input;
    bool block = txn_wants_block(txn);

    txn_instance(txn, in->range.table);
    if (block)
        txn_begin(txn);
    if (pgio->options.redo == PGIO_LITE)
        txn_query(txn, SQL_UPDATE, in->range.first, in->range.last);
    else
        txn_query(txn, SQL_UPDATE_HEAVY, in->range.first, in->range.last,
                  value_bytes(in->filler, PGIO_FILLER));
    if (block)
        txn_commit(txn);
}

static void scan_run(struct txn *txn, const void *input, const void *world)
{
    bool block = txn_wants_block(txn);

    (void)input;
    (void)world;
    if (block)
        txn_begin(txn);
    txn_query(txn, SQL_SCAN);
    if (block)
        txn_commit(txn);
}

const struct transaction pgio_transactions[] = {
    [PGIO_SELECT] = { .name = "select",
                      .summary = "the sum over a work unit",
                      .weight = 1,
                      .input_size = sizeof(struct range_input),
                      .draw = select_draw,
                      .run = select_run },
    [PGIO_UPDATE] = { .name = "update",
                      .summary = "scratch + 1 over an update work unit",
                      .weight = 0,
                      .input_size = sizeof(struct update_input),
                      .draw = update_draw,
                      .run = update_run },
    [PGIO_SCAN] = { .name = "scan",
                    .summary = "the sum over the small table",
                    .weight = 0,
                    .input_size = sizeof(int64_t),
                    .draw = scan_draw,
                    .run = scan_run },
    { .name = NULL },
};

bool pgio_remark(struct text *out, const void *world, int index)
{
    const struct pgio_world *pgio = world;

    if (index != 0 || pgio->blocks == pgio->rows)
        return false;
    text_format(out, "active data set: %" PRId64 " of %" PRId64 " blocks of each table",
                pgio->blocks, pgio->rows);
    return true;
}
