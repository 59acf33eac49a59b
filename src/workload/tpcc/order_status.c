/*
 * order_status.c - Order-Status (clause 2.6): what became of a customer's last order.
 */
#include "workload/tpcc/tpcc.h"

static void tally_status(struct txn *txn, const struct tpcc_order_status *in)
{
    txn_tally(txn, TPCC_TALLY_ALL, 1);
    txn_tally(txn, TPCC_TALLY_ORDER_STATUS, 1);
    txn_tally(txn, TPCC_TALLY_ORDER_STATUS_BY_NAME, in->customer.number == 0);
}

static void run_statements(struct txn *txn, const struct tpcc_order_status *in)
{
    const struct tpcc_customer *who = &in->customer;
    const struct rows *customer = NULL, *order, *lines;
    struct reply reply;
    int64_t number = who->number;

    txn_instance(txn, in->at.set);
    txn_begin(txn);
    if (number != 0) {
        reply = txn_send(txn, TPCC_SQL_GET_CUSTOMER, who->warehouse, who->district, number);
    } else {
        reply = txn_send(txn, TPCC_SQL_FIND_CUSTOMER, who->warehouse, who->district, who->last);
        customer = txn_rows(txn, reply);
        if (rows_count(customer) > 0)
            number = rows_whole(customer, tpcc_middle_row(customer), 4);
    }
    order = txn_query(txn, TPCC_SQL_LAST_ORDER, who->warehouse, who->district, number);
    customer = txn_rows(txn, reply);
    if (rows_count(customer) == 0 || rows_count(order) == 0) {
        txn_rollback(txn);
        return;
    }
    reply =
        txn_send(txn, TPCC_SQL_GET_LINES, who->warehouse, who->district, rows_whole(order, 0, 0));
    tally_status(txn, in);
    txn_commit(txn);
    lines = txn_rows(txn, reply);
    txn_note(txn,
             (double)(rows_hundredths(customer, tpcc_middle_row(customer), 0) + rows_count(lines)));
}

static void call_function(struct txn *txn, const struct tpcc_order_status *in)
{
    const struct rows *rows;

    txn_instance(txn, in->at.set);
    rows = TPCC_CALL(txn, TPCC_SQL_FUNCTION + TPCC_KIND_ORDER_STATUS, in->customer.warehouse,
                     in->customer.district, in->customer.number, in->customer.last);
    if (rows_count(rows) == 0)
        return;
    tally_status(txn, in);
    txn_note(txn, (double)(rows_hundredths(rows, 0, 0) + rows_count(rows)));
}

void tpcc_order_status_run(struct txn *txn, const void *input, const void *world)
{
    if (((const struct tpcc_world *)world)->options.mode == TPCC_MODE_FUNCTIONS)
        call_function(txn, input);
    else
        run_statements(txn, input);
}
