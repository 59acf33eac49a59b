/*
 * null.c - one statement a transaction, answered at once by the engine without any server.
 *
 * What is left is drawing, the coroutine, the loop and the recorder: the cost of the tool. It is
 * also the shortest workload there is, and the one to copy when writing a new one.
 */
#include "workload/null/null.h"

enum { SQL_NOTHING };

static const struct statement statements[] = {
    [SQL_NOTHING] = { .name = "nothing", .sql = "SELECT $1::int8", .discard_rows = true },
    { .name = NULL },
};

struct null_input {
    int64_t number;
};

static void null_draw(void *input, const void *world, struct draw *draw)
{
    struct null_input *in = input;

    (void)world;
    in->number = rng_between(&draw->rng, 1, 1000000);
}

static void null_run(struct txn *txn, const void *input, const void *world)
{
    const struct null_input *in = input;

    (void)world;
    txn_query(txn, SQL_NOTHING, in->number);
}

static const struct transaction transactions[] = {
    { .name = "nothing",
      .summary = "one statement that no server sees",
      .weight = 1,
      .input_size = sizeof(struct null_input),
      .draw = null_draw,
      .run = null_run },
    { .name = NULL },
};

const struct workload workload_null = {
    .name = "null",
    .summary = "no server at all: measures pgdyno itself",
    .family = "null",
    .statements = statements,
    .transactions = transactions,
    .needs_server = false,
};
