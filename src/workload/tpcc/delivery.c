/*
 * delivery.c - Delivery (clause 2.7): the oldest new order of each district of a warehouse goes
 * out, all ten in one database transaction.
 *
 * The oldest one is locked where it is found. Who had to wait for another Delivery finds it gone
 * and is given the next by the same statement, so that none is skipped as long as there are more.
 */
#include "workload/tpcc/tpcc.h"

static void tally_delivery(struct txn *txn, int delivered)
{
    txn_tally(txn, TPCC_TALLY_ALL, 1);
    txn_tally(txn, TPCC_TALLY_DELIVERIES, 1);
    txn_tally(txn, TPCC_TALLY_DISTRICTS, TPCC_DISTRICTS);
    txn_tally(txn, TPCC_TALLY_DELIVERED, delivered);
    txn_tally(txn, TPCC_TALLY_SKIPPED, TPCC_DISTRICTS - delivered);
}

/* ---- single statements ---- */

/* A district's order on its way. */
struct parcel {
    struct reply oldest, buyer, sum;
    int64_t order; /* 0: the district has no new one and is skipped */
};

static void find_orders(struct txn *txn, const struct tpcc_delivery *in, struct parcel *parcels)
{
    for (int i = 0; i < TPCC_DISTRICTS; i++)
        parcels[i].oldest = txn_send(txn, TPCC_SQL_OLDEST_NEW_ORDER, in->at.warehouse, i + 1);
    for (int i = 0; i < TPCC_DISTRICTS; i++) {
        const struct rows *oldest = txn_rows(txn, parcels[i].oldest);
        parcels[i].order = rows_count(oldest) > 0 ? rows_whole(oldest, 0, 0) : 0;
    }
}

static void send_order(struct txn *txn, const struct tpcc_delivery *in, int district,
                       struct parcel *parcel)
{
    int32_t warehouse = in->at.warehouse;

    txn_send(txn, TPCC_SQL_TAKE_NEW_ORDER, warehouse, district, parcel->order);
    parcel->buyer =
        txn_send(txn, TPCC_SQL_CARRY_ORDER, warehouse, district, parcel->order, in->carrier);
    txn_send(txn, TPCC_SQL_DELIVER_LINES, warehouse, district, parcel->order);
    parcel->sum = txn_send(txn, TPCC_SQL_SUM_LINES, warehouse, district, parcel->order);
}

static void charge(struct txn *txn, const struct tpcc_delivery *in, int district,
                   const struct parcel *parcel)
{
    const struct rows *buyer = txn_rows(txn, parcel->buyer), *sum = txn_rows(txn, parcel->sum);

    if (rows_count(buyer) > 0)
        txn_send(txn, TPCC_SQL_CHARGE_CUSTOMER, in->at.warehouse, district, rows_whole(buyer, 0, 0),
                 rows_hundredths(sum, 0, 0));
}

static void run_statements(struct txn *txn, const struct tpcc_delivery *in)
{
    struct parcel parcels[TPCC_DISTRICTS];
    int delivered = 0;

    txn_instance(txn, in->at.set);
    txn_begin(txn);
    find_orders(txn, in, parcels);
    for (int i = 0; i < TPCC_DISTRICTS; i++) {
        if (parcels[i].order != 0) {
            send_order(txn, in, i + 1, &parcels[i]);
            delivered++;
        }
    }
    for (int i = 0; i < TPCC_DISTRICTS; i++)
        if (parcels[i].order != 0)
            charge(txn, in, i + 1, &parcels[i]);
    tally_delivery(txn, delivered);
    txn_commit(txn);
}

/* ---- a function ---- */

/* It gives a row a district: its number, and the order or NULL. */
static void call_function(struct txn *txn, const struct tpcc_delivery *in)
{
    const struct rows *rows;
    int delivered = 0;

    txn_instance(txn, in->at.set);
    rows = TPCC_CALL(txn, TPCC_SQL_FUNCTION + TPCC_KIND_DELIVERY, in->at.warehouse, in->carrier);
    for (int64_t row = 0; row < rows_count(rows); row++)
        delivered += !rows_null(rows, row, 1);
    tally_delivery(txn, delivered);
}

void tpcc_delivery_run(struct txn *txn, const void *input, const void *world)
{
    if (((const struct tpcc_world *)world)->options.mode == TPCC_MODE_FUNCTIONS)
        call_function(txn, input);
    else
        run_statements(txn, input);
}
