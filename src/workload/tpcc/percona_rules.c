/*
 * percona_rules.c - what is counted, what can be checked, and what a reader must know.
 */
#include "workload/tpcc/conditions.h"
#include "workload/tpcc/percona.h"

const struct tally percona_tallies[] = {
    [PERCONA_TALLY_NEW_ORDERS] = { "new_orders", "New-Orders, rolled back ones too" },
    [PERCONA_TALLY_ROLLED_BACK] = { "rolled_back", "New-Orders rolled back for an unused item" },
    [PERCONA_TALLY_LINES] = { "lines", "order lines" },
    [PERCONA_TALLY_REMOTE_LINES] = { "remote_lines", "order lines from a remote warehouse" },
    [PERCONA_TALLY_PAYMENTS] = { "payments", "Payments" },
    [PERCONA_TALLY_REMOTE_PAYMENTS] = { "remote_payments", "Payments of remote customers" },
    [PERCONA_TALLY_BY_NAME] = { "payments_by_name", "Payments by last name" },
    [PERCONA_TALLIES] = { NULL, NULL },
};

static bool stays_home(const void *world)
{
    return !((const struct percona_world *)world)->fixed;
}

static bool goes_elsewhere(const void *world)
{
    return !stays_home(world) && ((const struct percona_world *)world)->options.scale > 1;
}

const struct rate_rule percona_rates[] = {
    { .name = "new_orders_rolled_back",
      .words = "New-Orders rolled back",
      .part = PERCONA_TALLY_ROLLED_BACK,
      .whole = PERCONA_TALLY_NEW_ORDERS,
      .low = 0.009,
      .high = 0.011,
      .source = "sysbench-tpcc" },
    { .name = "lines_per_order",
      .words = "order lines a New-Order",
      .part = PERCONA_TALLY_LINES,
      .whole = PERCONA_TALLY_NEW_ORDERS,
      .low = 9.5,
      .high = 10.5,
      .source = "sysbench-tpcc" },
    { .name = "no_remote_lines",
      .words = "order lines from a remote warehouse",
      .part = PERCONA_TALLY_REMOTE_LINES,
      .whole = PERCONA_TALLY_LINES,
      .low = 0,
      .high = 0,
      .source = "sysbench-tpcc, a defect",
      .applies = stays_home },
    { .name = "remote_lines",
      .words = "order lines from a remote warehouse",
      .part = PERCONA_TALLY_REMOTE_LINES,
      .whole = PERCONA_TALLY_LINES,
      .low = 0.0095,
      .high = 0.0105,
      .source = "TPC-C 5.5.1.5",
      .applies = goes_elsewhere },
    { .name = "no_remote_payments",
      .words = "Payments of remote customers",
      .part = PERCONA_TALLY_REMOTE_PAYMENTS,
      .whole = PERCONA_TALLY_PAYMENTS,
      .low = 0,
      .high = 0,
      .source = "sysbench-tpcc, a defect",
      .applies = stays_home },
    { .name = "remote_payments",
      .words = "Payments of remote customers",
      .part = PERCONA_TALLY_REMOTE_PAYMENTS,
      .whole = PERCONA_TALLY_PAYMENTS,
      .low = 0.14,
      .high = 0.16,
      .source = "TPC-C 5.5.1.5",
      .applies = goes_elsewhere },
    { .name = "payments_by_name",
      .words = "Payments by last name",
      .part = PERCONA_TALLY_BY_NAME,
      .whole = PERCONA_TALLY_PAYMENTS,
      .low = 0.57,
      .high = 0.63,
      .source = "sysbench-tpcc" },
    { .name = NULL },
};

const struct headline percona_headlines[] = {
    { .name = "nopm",
      .words = "New-Orders a minute",
      .transaction = PERCONA_NEW_ORDER,
      .seconds = 60 },
    { .name = "tpm", .words = "transactions a minute", .transaction = -1, .seconds = 60 },
    { .name = NULL },
};

static void write_order_ids(struct text *out, const void *world)
{
    tpcc_write_order_ids(out, (int)((const struct percona_world *)world)->options.tables);
}

const struct ledger percona_ledgers[] = {
    { .name = "order_ids",
      .words = "orders numbered by the districts",
      .write_sql = write_order_ids,
      .transaction = PERCONA_NEW_ORDER },
    { .name = NULL },
};

/* ---- checking ---- */

static void add_impossible(struct conditions *conditions, const struct percona_world *world)
{
    static const int purged[] = { 8, 9, 10, 12, CONDITION_13 };

    for (int i = 0; world->options.enable_purge && i < COUNT_OF(purged); i++)
        conditions->impossible[purged[i]] = "the purge takes orders and payments away";
    if (!world->fixed)
        conditions->impossible[CONDITION_13] = "sysbench-tpcc keeps no counts of the stock";
}

bool percona_check(struct text *sql, const void *world, int index)
{
    const struct percona_world *percona = world;
    struct conditions conditions =
        conditions_of_set(index / CONDITION_COUNT + 1, percona->options.scale);

    conditions.loaded_quantity = tpcc_loaded_quantity_sql;
    if (conditions.set > percona->options.tables)
        return false;
    add_impossible(&conditions, percona);
    condition_sql(sql, &conditions, index % CONDITION_COUNT);
    return true;
}

/* ---- telling ---- */

bool percona_remark(struct text *out, const void *world, int index)
{
    static const char *const remarks[] = {
        "statements are texts with the values in them, as simple queries; BEGIN ISOLATION LEVEL "
        "stands where sysbench-tpcc says SET SESSION CHARACTERISTICS once and then BEGIN",
        "keys, indexes and foreign keys were made after the rows, where sysbench-tpcc has them "
        "before; the tables were vacuumed and analyzed, which it leaves to autovacuum",
        "sysbench counts New-Orders that were rolled back as transactions and as ignored errors, "
        "and so does --format sysbench; here they are rolled back",
    };
    const struct percona_world *percona = world;

    if (index < COUNT_OF(remarks)) {
        text_format(out, "compat: %s", remarks[index]);
        return true;
    }
    if (index == COUNT_OF(remarks)) {
        text_add(out, percona->fixed
                          ? "compat: mended are NURand's constants, other warehouses, the order "
                            "and the customer that are looked at, and New-Order's last line, "
                            "restocking and counts"
                          : "compat: kept are the defects of sysbench-tpcc: nearly uniform "
                            "draws, no remote line or payment, Order-Status of a wrong order, "
                            "and New-Order's unused item, restocking and counts");
        return true;
    }
    if (index == COUNT_OF(remarks) + 1 && percona->options.enable_purge) {
        text_add(out, "compat: the ten purges of an event are one transaction, where sysbench-tpcc "
                      "commits each");
        return true;
    }
    return false;
}
