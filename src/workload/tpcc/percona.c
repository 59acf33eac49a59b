/*
 * percona.c - options and descriptor of sysbench-tpcc, see percona.h.
 */
#include "workload/tpcc/percona.h"

#include "plan/plan.h"

#define SCALE_MAX 32767 /* w_id is a smallint */

static const struct choice compats[] = {
    { "percona", PERCONA_AS_PUBLISHED, "as Percona's sysbench-tpcc, defects and all" },
    { "percona-fixed", PERCONA_FIXED, "the same with its four defects mended" },
    { NULL, 0, NULL },
};

static const struct choice levels[] = {
    { "RC", PERCONA_RC, "read committed" },
    { "RR", PERCONA_RR, "repeatable read, the original's default" },
    { "SER", PERCONA_SER, "serializable" },
    { NULL, 0, NULL },
};

#define AT(field) offsetof(struct percona_options, field)

static const struct option option_rows[] = {
    { .name = "compat",
      .type = OPTION_CHOICE,
      .at = AT(compat),
      .fallback = "percona",
      .choices = compats,
      .marks = OPTION_SHAPES,
      .topic = "percona",
      .since = "0.1",
      .help = "whose TPC-C-like workload this is" },
    { .name = "tables",
      .type = OPTION_WHOLE,
      .at = AT(tables),
      .fallback = "1",
      .low = 1,
      .high = TPCC_SETS_MAX,
      .marks = OPTION_SHAPES,
      .unit = "sets",
      .topic = "percona",
      .since = "0.1",
      .help = "complete sets of the nine tables" },
    { .name = "scale",
      .type = OPTION_WHOLE,
      .at = AT(scale),
      .fallback = "100",
      .low = 1,
      .high = SCALE_MAX,
      .marks = OPTION_SHAPES | OPTION_SCALES,
      .unit = "warehouses",
      .topic = "percona",
      .since = "0.1",
      .help = "warehouses of each set, about 100 MB each",
      .text = "A later load with more of them adds what is missing." },
    { .name = "use-fk",
      .type = OPTION_FLAG,
      .at = AT(use_fk),
      .fallback = "on",
      .marks = OPTION_SHAPES,
      .topic = "percona",
      .since = "0.1",
      .help = "load: the ten foreign keys" },
    { .name = "trx-level",
      .type = OPTION_CHOICE,
      .at = AT(trx_level),
      .fallback = "RR",
      .choices = levels,
      .marks = OPTION_SHAPES,
      .topic = "percona",
      .since = "0.1",
      .help = "isolation level, unless --isolation says another" },
    { .name = "enable-purge",
      .type = OPTION_FLAG,
      .at = AT(enable_purge),
      .fallback = "off",
      .marks = OPTION_SHAPES,
      .topic = "percona",
      .since = "0.1",
      .help = "adds the purge of old orders to the mix" },
    { .name = "splittable",
      .type = OPTION_TEXT,
      .marks = OPTION_REFUSED | OPTION_HIDDEN,
      .topic = "percona",
      .since = "0.1",
      .help = "--splittable is for proxies that split reads from writes: leave it out" },
    { .name = "force-pk",
      .type = OPTION_TEXT,
      .marks = OPTION_REFUSED | OPTION_HIDDEN,
      .topic = "percona",
      .since = "0.1",
      .help = "--force-pk fails on PostgreSQL in the original: leave it out" },
    { .name = NULL },
};

static bool percona_open(void *world, const void *options, struct error *err)
{
    struct percona_world *percona = world;

    (void)err;
    percona->options = *(const struct percona_options *)options;
    percona->fixed = percona->options.compat == PERCONA_FIXED;
    return true;
}

static void set_data_seed(void *world, int64_t data_seed)
{
    ((struct percona_world *)world)->data_seed = (uint64_t)data_seed;
}

/* It goes on with other values whatever the retry is for. */
static bool redraws(const void *world)
{
    (void)world;
    return true;
}

static int isolation(const void *world)
{
    static const int said[] = { [PERCONA_RC] = ISOLATION_READ_COMMITTED,
                                [PERCONA_RR] = ISOLATION_REPEATABLE_READ,
                                [PERCONA_SER] = ISOLATION_SERIALIZABLE };

    return said[((const struct percona_world *)world)->options.trx_level];
}

#define TRANSACTION(id, share, said)                                                              \
    {                                                                                             \
        .name = #id, .summary = said, .weight = share, .input_size = sizeof(struct percona_##id), \
        .draw = percona_##id##_draw, .run = percona_##id##_run                                    \
    }

static const struct transaction transactions[] = {
    [PERCONA_NEW_ORDER] = TRANSACTION(new_order, 10, "a customer orders 5 to 15 items"),
    [PERCONA_PAYMENT] = TRANSACTION(payment, 10, "a customer pays"),
    [PERCONA_ORDER_STATUS] = TRANSACTION(order_status, 1, "a customer's last order"),
    [PERCONA_DELIVERY] = TRANSACTION(delivery, 1, "the oldest new order of ten districts"),
    [PERCONA_STOCK_LEVEL] = TRANSACTION(stock_level, 1, "recent items that are low on stock"),
    [PERCONA_PURGE] = TRANSACTION(purge, 1, "an old order of ten districts is forgotten"),
    [PERCONA_KINDS] = { .name = NULL },
};

static double weight(const void *world, int kind)
{
    if (kind == PERCONA_PURGE && !((const struct percona_world *)world)->options.enable_purge)
        return 0;
    return transactions[kind].weight;
}

const struct workload workload_percona = {
    .name = "tpcc",
    .summary = "Percona's sysbench-tpcc, as published or with its defects mended",
    .family = "percona",
    .options = option_rows,
    .options_size = sizeof(struct percona_options),
    .world_size = sizeof(struct percona_world),
    .statements = percona_statements,
    .transactions = transactions,
    .needs_server = true,
    .open = percona_open,
    .set_data_seed = set_data_seed,
    .remark = percona_remark,
    .redraws = redraws,
    .isolation = isolation,
    .says_texts = true,
    .table_count = percona_table_count,
    .describe = percona_describe,
    .check = percona_check,
    .check_after_run = true,
    .uses = percona_uses,
    .weight = weight,
    .grows = "scale",
    .tallies = percona_tallies,
    .rates = percona_rates,
    .headlines = percona_headlines,
    .ledgers = percona_ledgers,
};
