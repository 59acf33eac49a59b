/*
 * insert.c - oltp_insert: a new row, autocommit (spec sysbench 2).
 *
 * With --auto-inc the id is the sequence's. Without it ids are scattered, as sysbench's unique()
 * does, but above what the tables hold when the run begins: so a second run does not collide with
 * the first, where sysbench starts over with the same ids. A number is used once in the whole run,
 * in whatever table.
 */
#include "workload/oltp/parts.h"

enum { SQL_INSERT };

static void write_insert(struct text *out, const void *world)
{
    const struct oltp_world *oltp = world;

    text_add(out, oltp->options.auto_inc
                      ? "INSERT INTO sbtest{} (k, c, pad) VALUES ($1, $2, $3)"
                      : "INSERT INTO sbtest{} (id, k, c, pad) VALUES ($1, $2, $3, $4)");
}

const struct statement oltp_insert_statements[] = {
    [SQL_INSERT] = { .name = "insert", .write_sql = write_insert },
    { .name = NULL },
};

struct insert_input {
    int table;
    int64_t id, k;
    char c[OLTP_C_LENGTH], pad[OLTP_PAD_LENGTH];
};

/* A bijection of 24 bits: odd multiplications and shifted exclusive ors undo each other. */
int64_t oltp_scatter(int64_t index)
{
    uint64_t mask = (uint64_t)SCATTER_BLOCK - 1, low = (uint64_t)index & mask;

    low = low * UINT64_C(0x9e3779b1) & mask;
    low ^= low >> 13;
    low = low * UINT64_C(0x85ebca6b) & mask;
    low ^= low >> 11;
    return (int64_t)(((uint64_t)index & ~mask) | low);
}

static void insert_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct insert_input *in = input;

    in->table = oltp_draw_table(oltp, &draw->rng);
    in->id = oltp->last_id + 1 + oltp_scatter(draw->number);
    in->k = distribution_draw(&oltp->ks, &draw->rng);
    oltp_draw_digits(in->c, OLTP_C_GROUPS, &draw->rng);
    oltp_draw_digits(in->pad, OLTP_PAD_GROUPS, &draw->rng);
}

static void insert_run(struct txn *txn, const void *input, const void *world)
{
    const struct oltp_world *oltp = world;
    const struct insert_input *in = input;
    struct value c = value_bytes(in->c, OLTP_C_LENGTH);
    struct value pad = value_bytes(in->pad, OLTP_PAD_LENGTH);

    txn_instance(txn, in->table);
    if (oltp->options.auto_inc)
        txn_send(txn, SQL_INSERT, in->k, c, pad);
    else
        txn_send(txn, SQL_INSERT, in->id, in->k, c, pad);
}

bool oltp_insert_ask(struct text *sql, const void *world, int index)
{
    const struct oltp_world *oltp = world;

    if (oltp->options.auto_inc || index >= oltp->options.tables)
        return false;
    text_format(sql, "SELECT coalesce(max(id), 0) FROM sbtest%d", index + 1);
    return true;
}

void oltp_insert_answer(void *world, int index, int64_t number)
{
    struct oltp_world *oltp = world;

    (void)index;
    if (number > oltp->last_id)
        oltp->last_id = number;
}

const struct transaction oltp_insert_transactions[] = {
    { .name = "insert",
      .summary = "a new row",
      .weight = 1,
      .input_size = sizeof(struct insert_input),
      .draw = insert_draw,
      .run = insert_run },
    { .name = NULL },
};

const struct workload workload_oltp_insert = {
    .name = "oltp_insert",
    .summary = "sysbench's insert of a row, autocommit",
    OLTP_INSERT,
    OLTP_FAMILY,
};
