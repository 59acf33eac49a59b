/*
 * rules.c - what a run of TPROC-C counts, and what people know it by.
 *
 * Items, suppliers and rollbacks are drawn within the server, so a client cannot count them; the
 * shares that it can are those of TPC-C clause 5.5.1.
 */
#include "workload/tproc/tproc.h"

const struct tally tproc_tallies[] = {
    [TPROC_TALLY_NEW_ORDERS] = { "new_orders", "New-Orders" },
    [TPROC_TALLY_NULL_ORDERS] = { "new_orders_without_total",
                                  "New-Orders whose total came back as NULL" },
    [TPROC_TALLY_PAYMENTS] = { "payments", "Payments" },
    [TPROC_TALLY_REMOTE_PAYMENTS] = { "remote_payments", "Payments of a remote customer" },
    [TPROC_TALLY_PAYMENTS_BY_NAME] = { "payments_by_name", "Payments by last name" },
    [TPROC_TALLY_ORDER_STATUS] = { "order_status", "Order-Status" },
    [TPROC_TALLY_ORDER_STATUS_BY_NAME] = { "order_status_by_name", "Order-Status by last name" },
    [TPROC_TALLY_ORDER_STATUS_EMPTY] = { "order_status_empty", "Order-Status that found no order" },
    [TPROC_TALLIES] = { .name = NULL },
};

static bool has_remote(const void *world)
{
    return ((const struct tproc_world *)world)->warehouses > 1;
}

const struct rate_rule tproc_rates[] = {
    { .name = "remote_payments",
      .words = "Payments of a remote customer",
      .part = TPROC_TALLY_REMOTE_PAYMENTS,
      .whole = TPROC_TALLY_PAYMENTS,
      .low = 0.14,
      .high = 0.16,
      .source = "TPC-C 5.5.1.5",
      .applies = has_remote },
    { .name = "payments_by_name",
      .words = "Payments that ask by last name",
      .part = TPROC_TALLY_PAYMENTS_BY_NAME,
      .whole = TPROC_TALLY_PAYMENTS,
      .low = 0.57,
      .high = 0.63,
      .source = "TPC-C 5.5.1.5" },
    { .name = "order_status_by_name",
      .words = "Order-Status that ask by last name",
      .part = TPROC_TALLY_ORDER_STATUS_BY_NAME,
      .whole = TPROC_TALLY_ORDER_STATUS,
      .low = 0.57,
      .high = 0.63,
      .source = "TPC-C 5.5.1.5" },
    { .name = NULL },
};

const struct headline tproc_headlines[] = {
    { .name = "nopm", .words = "New-Orders a minute", .transaction = TPROC_NEWORD, .seconds = 60 },
    { .name = "tpm", .words = "transactions a minute", .transaction = -1, .seconds = 60 },
    { .name = NULL },
};

static void write_order_ids(struct text *out, const void *world)
{
    (void)world;
    text_add(out, "SELECT sum(d_next_o_id::bigint) FROM district");
}

const struct ledger tproc_ledgers[] = {
    { .name = "order_ids",
      .words = "orders numbered by the districts",
      .write_sql = write_order_ids,
      .transaction = TPROC_NEWORD },
    { .name = NULL },
};
