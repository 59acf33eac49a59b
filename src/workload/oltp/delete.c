/*
 * delete.c - oltp_delete: a row by its key, never given back, so that the tables run dry (spec
 * sysbench 2).
 */
#include "workload/oltp/parts.h"

enum { SQL_DELETE };

const struct statement oltp_delete_statements[] = {
    [SQL_DELETE] = { .name = "delete",
                     .sql = "DELETE FROM sbtest{} WHERE id=$1",
                     .misses = "deletes changed no row",
                     .runs_dry = true },
    { .name = NULL },
};

struct delete_input {
    int table;
    int64_t id;
};

static void delete_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct delete_input *in = input;

    in->table = oltp_draw_table(oltp, &draw->rng);
    in->id = distribution_draw(&oltp->ids, &draw->rng);
}

static void delete_run(struct txn *txn, const void *input, const void *world)
{
    const struct delete_input *in = input;

    (void)world;
    txn_instance(txn, in->table);
    txn_send(txn, SQL_DELETE, in->id);
}

const struct transaction oltp_delete_transactions[] = {
    { .name = "delete",
      .summary = "a row by primary key, gone for good",
      .weight = 1,
      .input_size = sizeof(struct delete_input),
      .draw = delete_draw,
      .run = delete_run },
    { .name = NULL },
};

const struct workload workload_oltp_delete = {
    .name = "oltp_delete",
    .summary = "sysbench's delete of a row by primary key, autocommit; runs dry",
    OLTP_DELETE,
    OLTP_FAMILY,
};
