/*
 * rules.c - what is counted as transactions go, and held against the specification (clauses 5.2.3,
 * 5.5.1.5 and 2.7.2.2). The report says NOPM and TPM: tpmC is for audited results.
 */
#include "workload/tpcc/tpcc.h"

const struct tally tpcc_tallies[] = {
    [TPCC_TALLY_ALL] = { "transactions", "transactions" },
    [TPCC_TALLY_NEW_ORDERS] = { "new_orders", "New-Orders, rolled back ones too" },
    [TPCC_TALLY_ROLLED_BACK] = { "rolled_back", "New-Orders rolled back for an unused item" },
    [TPCC_TALLY_LINES] = { "lines", "order lines" },
    [TPCC_TALLY_REMOTE_LINES] = { "remote_lines", "order lines from a remote warehouse" },
    [TPCC_TALLY_REMOTE_ORDERS] = { "remote_orders", "New-Orders with such a line" },
    [TPCC_TALLY_PAYMENTS] = { "payments", "Payments" },
    [TPCC_TALLY_REMOTE_PAYMENTS] = { "remote_payments", "Payments of remote customers" },
    [TPCC_TALLY_PAYMENTS_BY_NAME] = { "payments_by_name", "Payments by last name" },
    [TPCC_TALLY_ORDER_STATUS] = { "order_status", "Order-Status" },
    [TPCC_TALLY_ORDER_STATUS_BY_NAME] = { "order_status_by_name", "Order-Status by last name" },
    [TPCC_TALLY_DELIVERIES] = { "deliveries", "Deliveries" },
    [TPCC_TALLY_DISTRICTS] = { "districts", "districts that Deliveries went to" },
    [TPCC_TALLY_DELIVERED] = { "districts_delivered", "districts that had an order to deliver" },
    [TPCC_TALLY_SKIPPED] = { "districts_skipped", "districts skipped for want of a new order" },
    [TPCC_TALLY_STOCK_LEVELS] = { "stock_levels", "Stock-Levels" },
    [TPCC_TALLIES] = { NULL, NULL },
};

#define SHARE_SLACK 0.005 /* what chance takes from a share that is drawn by weight */

/* Are the transactions drawn by shares that clause 5.2.3 allows? */
static bool has_standard_mix(const void *world)
{
    static const double least[TPCC_KINDS] = { 0, 0.43, 0.04, 0.04, 0.04 };
    double sum = 0;

    for (int kind = 0; kind < TPCC_KINDS; kind++)
        sum += tpcc_weight(world, kind);
    for (int kind = 0; kind < TPCC_KINDS; kind++)
        if (tpcc_weight(world, kind) < least[kind] * sum)
            return false;
    return true;
}

#define SHARE(key, said, tally, least)                                                            \
    {                                                                                             \
        .name = key, .words = said " among transactions", .part = tally, .whole = TPCC_TALLY_ALL, \
        .low = (least)-SHARE_SLACK, .high = 1, .source = "TPC-C 5.2.3 less 0.5 %",                \
        .applies = has_standard_mix                                                               \
    }

const struct rate_rule tpcc_rates[] = {
    { .name = "new_orders_rolled_back",
      .words = "New-Orders rolled back",
      .part = TPCC_TALLY_ROLLED_BACK,
      .whole = TPCC_TALLY_NEW_ORDERS,
      .low = 0.009,
      .high = 0.011,
      .source = "TPC-C 5.5.1.5" },
    { .name = "lines_per_order",
      .words = "order lines a New-Order",
      .part = TPCC_TALLY_LINES,
      .whole = TPCC_TALLY_NEW_ORDERS,
      .low = 9.5,
      .high = 10.5,
      .source = "TPC-C 5.5.1.5" },
    { .name = "remote_lines",
      .words = "order lines from a remote warehouse",
      .part = TPCC_TALLY_REMOTE_LINES,
      .whole = TPCC_TALLY_LINES,
      .low = 0.0095,
      .high = 0.0105,
      .source = "TPC-C 5.5.1.5",
      .applies = tpcc_has_remote },
    { .name = "remote_payments",
      .words = "Payments of remote customers",
      .part = TPCC_TALLY_REMOTE_PAYMENTS,
      .whole = TPCC_TALLY_PAYMENTS,
      .low = 0.14,
      .high = 0.16,
      .source = "TPC-C 5.5.1.5",
      .applies = tpcc_has_remote },
    { .name = "payments_by_name",
      .words = "Payments by last name",
      .part = TPCC_TALLY_PAYMENTS_BY_NAME,
      .whole = TPCC_TALLY_PAYMENTS,
      .low = 0.57,
      .high = 0.63,
      .source = "TPC-C 5.5.1.5" },
    { .name = "order_status_by_name",
      .words = "Order-Status by last name",
      .part = TPCC_TALLY_ORDER_STATUS_BY_NAME,
      .whole = TPCC_TALLY_ORDER_STATUS,
      .low = 0.57,
      .high = 0.63,
      .source = "TPC-C 5.5.1.5" },
    { .name = "districts_skipped",
      .words = "districts that Deliveries skipped",
      .part = TPCC_TALLY_SKIPPED,
      .whole = TPCC_TALLY_DISTRICTS,
      .low = 0,
      .high = 0.01,
      .source = "TPC-C 2.7.4.2" },
    SHARE("payment_share", "Payments", TPCC_TALLY_PAYMENTS, 0.43),
    SHARE("order_status_share", "Order-Status", TPCC_TALLY_ORDER_STATUS, 0.04),
    SHARE("delivery_share", "Deliveries", TPCC_TALLY_DELIVERIES, 0.04),
    SHARE("stock_level_share", "Stock-Levels", TPCC_TALLY_STOCK_LEVELS, 0.04),
    { .name = NULL },
};

static double count_warehouses(const void *world)
{
    const struct tpcc_world *tpcc = world;

    return (double)tpcc->warehouses * tpcc->sets;
}

const struct headline tpcc_headlines[] = {
    { .name = "nopm",
      .words = "New-Orders a minute",
      .transaction = TPCC_KIND_NEW_ORDER,
      .seconds = 60,
      .each = "warehouse",
      .units = count_warehouses,
      .terminals_each = 10,
      .low = 9,
      .high = 12.86,
      .source = "TPC-C 4.2.1" },
    { .name = "tpm", .words = "transactions a minute", .transaction = -1, .seconds = 60 },
    { .name = NULL },
};

static bool always(const void *world)
{
    (void)world;
    return true;
}

static bool has_no_remote(const void *world)
{
    return !tpcc_has_remote(world);
}

static bool has_other_mix(const void *world)
{
    return !has_standard_mix(world);
}

bool tpcc_remark(struct text *out, const void *world, int index)
{
    static const struct {
        bool (*applies)(const void *world);
        const char *words;
    } remarks[] = {
        { always, "TPC-C-like, and not a TPC-C result: nothing is priced or audited; NOPM and TPM "
                  "are not tpmC" },
        { has_no_remote, "one warehouse: order lines and payments are never remote" },
        { has_other_mix, "the mix is not one that TPC-C 5.2.3 allows" },
    };

    for (int i = 0; i < COUNT_OF(remarks); i++) {
        if (remarks[i].applies(world) && index-- == 0) {
            text_add(out, remarks[i].words);
            return true;
        }
    }
    return false;
}

void tpcc_write_order_ids(struct text *out, int sets)
{
    text_add(out, "SELECT sum(ids)::bigint FROM (");
    for (int set = 1; set <= sets; set++)
        text_format(out, "%sSELECT sum(d_next_o_id) AS ids FROM district%d",
                    set > 1 ? " UNION ALL " : "", set);
    text_add(out, ") AS all_sets");
}

static void write_order_ids(struct text *out, const void *world)
{
    tpcc_write_order_ids(out, tpcc_set_count(world));
}

const struct ledger tpcc_ledgers[] = {
    { .name = "order_ids",
      .words = "orders numbered by the districts",
      .write_sql = write_order_ids,
      .transaction = TPCC_KIND_NEW_ORDER },
    { .name = NULL },
};
