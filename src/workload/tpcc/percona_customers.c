/*
 * percona_customers.c - Payment and Order-Status, statement by statement as the script says them
 * (spec sysbench 4.4).
 */
#include <stdio.h>

#include "workload/tpcc/percona.h"

#define DATA_MAX       500 /* of c_data */
#define PLACE_NAME_MAX 10  /* of a warehouse or district */
#define PLACE_MAX      32
/* Where the script writes the present time in seconds; a workload knows no clock. */
#define PAID_AT_S 1767225600

/* Of `count` customers with one name, the row that is taken. The script makes an odd count even and
 * takes the row behind half of it: the second of two, the third of three. */
static int64_t named_row(int64_t count, bool fixed)
{
    if (fixed)
        return (count - 1) / 2;
    if (count % 2 != 0 && count > 1)
        count++;
    return count / 2;
}

/* `row` of rows, or the last one: data that a run has changed may have fewer. */
static int64_t row_within(const struct rows *rows, int64_t row)
{
    return row < rows_count(rows) ? row : rows_count(rows) - 1;
}

/* ---- Payment ---- */

static int find_payer(struct txn *txn, int set, const struct percona_customer *customer, bool fixed)
{
    const struct rows *count, *named;
    int64_t row;

    if (customer->number != 0)
        return customer->number;
    count = percona_say(txn, PERCONA_SQL_COUNT_NAMES,
                        "SELECT count(c_id) namecnt FROM customer%d WHERE c_w_id = %d AND "
                        "c_d_id = %d AND c_last = '%s'",
                        set, customer->warehouse, customer->district, customer->last);
    row = named_row(rows_whole(count, 0, 0), fixed);
    named = percona_say(txn, PERCONA_SQL_FIND_PAYER,
                        "SELECT c_id FROM customer%d WHERE c_w_id = %d AND c_d_id = %d AND "
                        "c_last = '%s' ORDER BY c_first",
                        set, customer->warehouse, customer->district, customer->last);
    return rows_count(named) > 0 ? (int)rows_whole(named, row_within(named, row), 0) : 0;
}

#define PLACE_COLUMNS(x) \
#x "_street_1, " #x "_street_2, " #x "_city, " #x "_state, " #x "_zip, " #x "_name"
#define PLACE_NAME 5

/* What warehouse and district are called goes into the history. */
struct places {
    const struct rows *warehouse, *district;
};

static struct places pay_places(struct txn *txn, const struct percona_payment *in)
{
    const struct tpcc_place *at = &in->at;
    struct places places;

    percona_say(txn, PERCONA_SQL_PAY_WAREHOUSE,
                "UPDATE warehouse%d SET w_ytd = w_ytd + %d WHERE w_id = %d", at->set, in->amount,
                at->warehouse);
    places.warehouse = percona_say(txn, PERCONA_SQL_GET_WAREHOUSE,
                                   "SELECT " PLACE_COLUMNS(w) " FROM warehouse%d WHERE w_id = %d",
                                   at->set, at->warehouse);
    percona_say(txn, PERCONA_SQL_PAY_DISTRICT,
                "UPDATE district%d SET d_ytd = d_ytd + %d WHERE d_w_id = %d AND d_id = %d", at->set,
                in->amount, at->warehouse, at->district);
    places.district =
        percona_say(txn, PERCONA_SQL_GET_DISTRICT,
                    "SELECT " PLACE_COLUMNS(d) " FROM district%d WHERE d_w_id = %d AND d_id = %d",
                    at->set, at->warehouse, at->district);
    return places;
}

/* The columns of LOCK_PAYER that count. */
enum { PAYER_CREDIT = 9, PAYER_BALANCE = 12, PAYER_PAID = 13 };

/* Who paid what, and then the data that were there, cut to what fits. */
static const char *write_data(struct txn *txn, const struct percona_payment *in, int payer)
{
    const struct percona_customer *customer = &in->customer;
    char *words = txn_room(txn, 2 * DATA_MAX), *quoted = txn_room(txn, PERCONA_QUOTED_MAX);
    const struct rows *data;
    const char *old;

    data = percona_say(txn, PERCONA_SQL_GET_DATA,
                       "SELECT c_data FROM customer%d WHERE c_w_id = %d AND c_d_id = %d AND "
                       "c_id = %d",
                       in->at.set, customer->warehouse, customer->district, payer);
    old = rows_count(data) > 0 ? rows_text(data, 0, 0) : NULL;
    snprintf(words, 2 * (size_t)DATA_MAX, "| %4d %2d %4d %2d %4d $%7d %12d %.500s", payer,
             customer->district, customer->warehouse, in->at.district, in->at.warehouse, in->amount,
             PAID_AT_S, old != NULL ? old : "");
    return percona_quote(quoted, words, DATA_MAX);
}

static void pay(struct txn *txn, const struct percona_payment *in, int payer,
                const struct rows *customer, bool fixed)
{
    const struct percona_customer *who = &in->customer;
    const char *credit = rows_text(customer, 0, PAYER_CREDIT), *data = NULL;
    char balance[PERCONA_MONEY_MAX], paid[PERCONA_MONEY_MAX];

    if (credit != NULL && credit[0] == 'B')
        data = write_data(txn, in, payer);
    percona_money(balance, rows_hundredths(customer, 0, PAYER_BALANCE) - in->amount * INT64_C(100));
    percona_money(paid, rows_hundredths(customer, 0, PAYER_PAID) + in->amount * INT64_C(100));
    percona_say(txn, PERCONA_SQL_PAY_CUSTOMER,
                "UPDATE customer%d SET c_balance = %s, c_ytd_payment = %s%s%s%s WHERE c_w_id = %d "
                "AND c_d_id = %d AND c_id = %d",
                in->at.set, balance, paid, fixed ? ", c_payment_cnt = c_payment_cnt + 1" : "",
                data != NULL ? ", c_data = " : "", data != NULL ? data : "", who->warehouse,
                who->district, payer);
}

static void add_history(struct txn *txn, const struct percona_payment *in, int payer,
                        const struct places *places)
{
    const char *warehouse = rows_text(places->warehouse, 0, PLACE_NAME);
    const char *district = rows_text(places->district, 0, PLACE_NAME);
    char words[PLACE_MAX], quoted[PERCONA_QUOTED_MAX];

    snprintf(words, sizeof words, "%-10.10s%-10.10s    ", warehouse != NULL ? warehouse : "",
             district != NULL ? district : "");
    percona_say(txn, PERCONA_SQL_ADD_HISTORY,
                "INSERT INTO history%d (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, "
                "h_amount, h_data) VALUES (%d, %d, %d, %d, %d, NOW(), %d, %s)",
                in->at.set, in->customer.district, in->customer.warehouse, payer, in->at.district,
                in->at.warehouse, in->amount, percona_quote(quoted, words, 2 * PLACE_NAME_MAX + 4));
}

void percona_payment_run(struct txn *txn, const void *input, const void *world)
{
    const struct percona_payment *in = input;
    const struct percona_customer *who = &in->customer;
    bool fixed = ((const struct percona_world *)world)->fixed;
    const struct rows *customer;
    struct places places;
    int payer;

    txn_begin(txn);
    places = pay_places(txn, in);
    payer = find_payer(txn, in->at.set, who, fixed);
    customer = percona_say(txn, PERCONA_SQL_LOCK_PAYER,
                           "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, "
                           "c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, "
                           "c_balance, c_ytd_payment, c_since FROM customer%d WHERE c_w_id = %d "
                           "AND c_d_id = %d AND c_id = %d FOR UPDATE",
                           in->at.set, who->warehouse, who->district, payer);
    if (rows_count(customer) == 0 || rows_count(places.warehouse) == 0 ||
        rows_count(places.district) == 0) {
        txn_rollback(txn);
        return;
    }
    pay(txn, in, payer, customer, fixed);
    add_history(txn, in, payer, &places);
    txn_tally(txn, PERCONA_TALLY_PAYMENTS, 1);
    txn_tally(txn, PERCONA_TALLY_REMOTE_PAYMENTS, who->warehouse != in->at.warehouse);
    txn_tally(txn, PERCONA_TALLY_BY_NAME, who->number == 0);
    txn_commit(txn);
}

/* ---- Order-Status ---- */

/* The number of the customer; 0: there is none. */
static int find_customer(struct txn *txn, const struct percona_order_status *in, bool fixed)
{
    const struct percona_customer *who = &in->customer;
    const struct rows *count, *named;
    int64_t row;

    if (who->number != 0) {
        percona_say(txn, PERCONA_SQL_STATUS_CUSTOMER,
                    "SELECT c_balance, c_first, c_middle, c_last FROM customer%d WHERE c_w_id = %d "
                    "AND c_d_id = %d AND c_id = %d",
                    in->at.set, who->warehouse, who->district, who->number);
        return who->number;
    }
    count = percona_say(txn, PERCONA_SQL_COUNT_CUSTOMERS,
                        "SELECT count(c_id) namecnt FROM customer%d WHERE c_w_id = %d AND "
                        "c_d_id = %d AND c_last = '%s'",
                        in->at.set, who->warehouse, who->district, who->last);
    row = named_row(rows_whole(count, 0, 0), fixed);
    named = percona_say(txn, PERCONA_SQL_FIND_CUSTOMER,
                        "SELECT c_balance, c_first, c_middle, c_id FROM customer%d WHERE "
                        "c_w_id = %d AND c_d_id = %d AND c_last = '%s' ORDER BY c_first",
                        in->at.set, who->warehouse, who->district, who->last);
    return rows_count(named) > 0 ? (int)rows_whole(named, row_within(named, row), 3) : 0;
}

void percona_order_status_run(struct txn *txn, const void *input, const void *world)
{
    const struct percona_order_status *in = input;
    const struct tpcc_place *at = &in->at;
    bool fixed = ((const struct percona_world *)world)->fixed;
    const struct rows *last;
    int customer, order;

    txn_begin(txn);
    customer = find_customer(txn, in, fixed);
    last = percona_say(txn, PERCONA_SQL_LAST_ORDER,
                       "SELECT o_id, o_carrier_id, o_entry_d FROM orders%d WHERE o_w_id = %d AND "
                       "o_d_id = %d AND o_c_id = %d ORDER BY o_id DESC",
                       at->set, at->warehouse, at->district, customer);
    order = rows_count(last) > 0 ? (int)rows_whole(last, 0, 0) : 0;
    percona_say(txn, PERCONA_SQL_GET_LINES,
                "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM "
                "order_line%d WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d",
                at->set, at->warehouse, at->district, fixed ? order : at->district);
    txn_commit(txn);
}
