/*
 * payment.c - Payment (clause 2.5): a customer, at home or elsewhere, pays an amount.
 */
#include <stdio.h>

#include "workload/tpcc/tpcc.h"

#define BAD_DATA_MAX 100 /* what a payment puts before the data of a customer with bad credit */
#define SPACES       "    "
#define PLACE_MAX    32 /* of the history: names of warehouse and district */

static void tally_payment(struct txn *txn, const struct tpcc_payment *in)
{
    txn_tally(txn, TPCC_TALLY_ALL, 1);
    txn_tally(txn, TPCC_TALLY_PAYMENTS, 1);
    txn_tally(txn, TPCC_TALLY_REMOTE_PAYMENTS, in->customer.warehouse != in->at.warehouse);
    txn_tally(txn, TPCC_TALLY_PAYMENTS_BY_NAME, in->customer.number == 0);
}

/* ---- single statements ---- */

/* The number of who pays; 0: nobody has that name. */
static int64_t find_payer(struct txn *txn, const struct tpcc_customer *customer)
{
    const struct rows *named;

    if (customer->number != 0)
        return customer->number;
    named = txn_query(txn, TPCC_SQL_FIND_PAYER, customer->warehouse, customer->district,
                      customer->last);
    return rows_count(named) > 0 ? rows_whole(named, tpcc_middle_row(named), 0) : 0;
}

/* Clause 2.5.2.2: who paid what is written before the data, and what exceeds 500 is lost. */
static const char *bad_data(struct txn *txn, const struct tpcc_payment *in, int64_t payer)
{
    char *words = txn_room(txn, BAD_DATA_MAX);

    snprintf(words, BAD_DATA_MAX, "%d %d %d %d %d %d.%02d|", (int)payer, in->customer.district,
             in->customer.warehouse, in->at.district, in->at.warehouse, in->hundredths / 100,
             in->hundredths % 100);
    return words;
}

static struct reply change_customer(struct txn *txn, const struct tpcc_payment *in, int64_t payer,
                                    const struct rows *customer)
{
    const char *credit = rows_text(customer, 0, 0);

    if (credit != NULL && credit[0] == 'B')
        return txn_send(txn, TPCC_SQL_PAY_CUSTOMER_DATA, in->customer.warehouse,
                        in->customer.district, payer, in->hundredths, bad_data(txn, in, payer));
    return txn_send(txn, TPCC_SQL_PAY_CUSTOMER, in->customer.warehouse, in->customer.district,
                    payer, in->hundredths);
}

/* Clause 2.5.2.2: both names with four spaces between them. */
static const char *place_words(struct txn *txn, const struct rows *warehouse,
                               const struct rows *district)
{
    char *words = txn_room(txn, PLACE_MAX);

    snprintf(words, PLACE_MAX, "%.10s" SPACES "%.10s", rows_text(warehouse, 0, 0),
             rows_text(district, 0, 0));
    return words;
}

static void run_statements(struct txn *txn, const struct tpcc_payment *in)
{
    struct reply warehouse_reply, district_reply, balance;
    const struct rows *warehouse, *district, *customer;
    int64_t payer;

    txn_instance(txn, in->at.set);
    txn_begin(txn);
    warehouse_reply = txn_send(txn, TPCC_SQL_PAY_WAREHOUSE, in->at.warehouse, in->hundredths);
    district_reply =
        txn_send(txn, TPCC_SQL_PAY_DISTRICT, in->at.warehouse, in->at.district, in->hundredths);
    payer = find_payer(txn, &in->customer);
    customer =
        txn_query(txn, TPCC_SQL_LOCK_PAYER, in->customer.warehouse, in->customer.district, payer);
    warehouse = txn_rows(txn, warehouse_reply);
    district = txn_rows(txn, district_reply);
    if (rows_count(customer) == 0 || rows_count(warehouse) == 0 || rows_count(district) == 0) {
        txn_rollback(txn);
        return;
    }
    balance = change_customer(txn, in, payer, customer);
    txn_send(txn, TPCC_SQL_ADD_HISTORY, in->customer.warehouse, in->customer.district, payer,
             in->at.warehouse, in->at.district, in->hundredths,
             place_words(txn, warehouse, district));
    tally_payment(txn, in);
    txn_commit(txn);
    txn_note(txn, (double)rows_hundredths(txn_rows(txn, balance), 0, 0));
}

/* ---- a function ---- */

static void call_function(struct txn *txn, const struct tpcc_payment *in)
{
    const struct rows *rows;

    txn_instance(txn, in->at.set);
    rows = TPCC_CALL(txn, TPCC_SQL_FUNCTION + TPCC_KIND_PAYMENT, in->at.warehouse, in->at.district,
                     in->customer.warehouse, in->customer.district, in->customer.number,
                     in->customer.last, in->hundredths);
    if (rows_count(rows) == 0)
        return;
    tally_payment(txn, in);
    txn_note(txn, (double)rows_hundredths(rows, 0, 0));
}

void tpcc_payment_run(struct txn *txn, const void *input, const void *world)
{
    if (((const struct tpcc_world *)world)->options.mode == TPCC_MODE_FUNCTIONS)
        call_function(txn, input);
    else
        run_statements(txn, input);
}
