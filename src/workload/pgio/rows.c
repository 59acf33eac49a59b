/*
 * rows.c - the tables: one row a block, keys in random order (spec pgio 1.2).
 *
 * Fill factor 10 leaves no room for a second row, and room for six more versions of the one. The
 * published setup sorts rows by scratch, a random number: here the row in place i has the i-th of
 * the ascending numbers, and the key that a permutation gives to i. All tables hold the same rows.
 * The index is made before them, as published, so it is as full as theirs.
 */
#include <string.h>

#include "workload/pgio/pgio.h"
#include "workload/tpcc/permutation.h"

#define COLUMNS  "mykey, scratch, filler"
#define PRINTING 94 /* characters from ! to ~ */

int pgio_table_count(const void *world)
{
    const struct pgio_world *pgio = world;

    return (int)pgio->options.num_schemas + (pgio->scan_blocks > 0) +
           pgio->options.create_base_table;
}

void pgio_draw_filler(char out[PGIO_FILLER], struct rng *rng)
{
    for (int i = 0; i < PGIO_FILLER; i += 8) {
        uint64_t bits = rng_next(rng);
        for (int k = 0; k < 8; k++, bits >>= 8)
            out[i + k] = (char)('!' + (((bits & 0xff) * PRINTING) >> 8));
    }
}

/* Of the same data seed the same rows, whatever table they are in. */
static void say_row(struct copy_row *row, const struct pgio_world *pgio, int64_t number,
                    int64_t count)
{
    char filler[PGIO_FILLER];
    struct rng rng;
    double place;

    rng_init(&rng, pgio->data_seed, 0, (uint64_t)number);
    place = ((double)(number - 1) + rng_unit(&rng)) / (double)count;
    copy_whole(row, permute(rng_mix(pgio->data_seed), count, number - 1) + 1);
    copy_whole(row, (int64_t)(place * (double)PGIO_SCRATCH_MAX));
    if (pgio->options.obfuscate)
        pgio_draw_filler(filler, &rng);
    else
        memset(filler, 'X', sizeof filler);
    copy_text(row, filler, PGIO_FILLER);
}

static void fill_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const struct pgio_world *pgio = world;

    (void)rng;
    say_row(row, pgio, number, pgio->blocks);
}

static void fill_scan_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const struct pgio_world *pgio = world;

    (void)rng;
    say_row(row, pgio, number, pgio->scan_blocks);
}

/* Fails when a block holds a second row. Blocks without any are left by a load that was
 * interrupted, and never read. %s stands for the name; no other % may be. */
static const char one_a_block[] =
    "DO $$ DECLARE held bigint; BEGIN"
    " SELECT count(*) INTO held FROM %s WHERE (ctid::text::point)[1] <> 1;"
    " IF held > 0 THEN RAISE EXCEPTION USING MESSAGE ="
    " concat('%s has ', held, ' rows that share a block with another'); END IF; END $$";

void pgio_describe(struct table_spec *table, const void *world, int index, struct arena *arena)
{
    static const char *const types[] = { "int8", "int8", "bpchar", NULL };
    static const char columns[] = "(mykey bigint, scratch bigint, filler character(1024))";
    const struct pgio_world *pgio = world;
    const char **after = ARENA_ARRAY(arena, const char *, 2);
    int number = index + 1;

    *table = (struct table_spec){ .columns = COLUMNS,
                                  .types = types,
                                  .row_count = pgio->blocks,
                                  .after = after,
                                  .row = fill_row };
    if (number <= pgio->options.num_schemas) {
        table->name = arena_format(arena, "pgio%d", number);
        table->create = arena_format(arena,
                                     "%s WITH (fillfactor = 10); CREATE INDEX pgio%d_idx ON "
                                     "pgio%d (mykey)",
                                     columns, number, number);
        after[0] = one_a_block;
    } else if (pgio->scan_blocks > 0 && number == pgio->options.num_schemas + 1) {
        table->name = "pgio_scan";
        table->create = arena_format(arena, "%s WITH (fillfactor = 10)", columns);
        table->row_count = pgio->scan_blocks;
        table->row = fill_scan_row;
        after[0] = one_a_block;
    } else {
        table->name = "pgio_base";
        table->create = columns;
    }
}

int pgio_draw_table(const struct pgio_world *world, struct draw *draw)
{
    int64_t tables = world->options.num_schemas, every = world->options.hot_schema_frequency;

    if (every > 0 && draw->sequence % (uint64_t)every == (uint64_t)every - 1)
        return 1;
    if (draw->streams >= tables)
        return (int)(draw->stream % tables) + 1;
    return (int)rng_between(&draw->rng, 1, tables);
}
