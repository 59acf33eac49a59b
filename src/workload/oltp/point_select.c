/*
 * point_select.c - oltp_point_select: one row by its key, a statement a transaction (spec sysbench
 * 2).
 */
#include "workload/oltp/parts.h"

enum { SQL_POINT };

const struct statement oltp_point_select_statements[] = {
    [SQL_POINT] = { .name = "point_select",
                    .sql = "SELECT c FROM sbtest{} WHERE id=$1",
                    .discard_rows = true,
                    .misses = "point reads returned no row" },
    { .name = NULL },
};

struct point_input {
    int table;
    int64_t id;
};

static void point_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct point_input *in = input;

    in->table = oltp_draw_table(oltp, &draw->rng);
    in->id = distribution_draw(&oltp->ids, &draw->rng);
}

static void point_run(struct txn *txn, const void *input, const void *world)
{
    const struct point_input *in = input;

    (void)world;
    txn_instance(txn, in->table);
    txn_query(txn, SQL_POINT, in->id);
}

const struct transaction oltp_point_select_transactions[] = {
    { .name = "point_select",
      .summary = "one row by primary key",
      .weight = 1,
      .input_size = sizeof(struct point_input),
      .draw = point_draw,
      .run = point_run },
    { .name = NULL },
};

const struct workload workload_oltp_point_select = {
    .name = "oltp_point_select",
    .summary = "sysbench's point select: one row by primary key, autocommit",
    OLTP_POINT_SELECT,
    OLTP_FAMILY,
};
