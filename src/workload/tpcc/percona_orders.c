/*
 * percona_orders.c - New-Order, Delivery, Stock-Level and the purge, statement by statement as the
 * script says them (spec sysbench 4.4).
 */
#include "workload/tpcc/percona.h"

#define RESTOCK 91
#define RESERVE 10  /* of the stock, which the script forgets */
#define ONE     100 /* a tax or discount of 100 %: they have two digits */

#define FIRST_NEW_ORDER TPCC_DELIVERED
#define PURGED_HISTORY  10

/* What a New-Order was told before its lines. */
struct terms {
    int order;
    int64_t discount, warehouse_tax, district_tax; /* hundredths */
};

static bool begin_order(struct txn *txn, const struct percona_new_order *in, struct terms *terms)
{
    const struct tpcc_place *at = &in->at;
    const struct rows *customer, *district;

    txn_begin(txn);
    customer = percona_say(txn, PERCONA_SQL_GET_CUSTOMER,
                           "SELECT c_discount, c_last, c_credit, w_tax FROM customer%d, "
                           "warehouse%d WHERE w_id = %d AND c_w_id = w_id AND c_d_id = %d AND "
                           "c_id = %d",
                           at->set, at->set, at->warehouse, at->district, in->customer);
    district = percona_say(txn, PERCONA_SQL_LOCK_DISTRICT,
                           "SELECT d_next_o_id, d_tax FROM district%d WHERE d_w_id = %d AND "
                           "d_id = %d FOR UPDATE",
                           at->set, at->warehouse, at->district);
    if (rows_count(customer) == 0 || rows_count(district) == 0)
        return false;
    *terms = (struct terms){ .order = (int)rows_whole(district, 0, 0),
                             .discount = rows_hundredths(customer, 0, 0),
                             .warehouse_tax = rows_hundredths(customer, 0, 3),
                             .district_tax = rows_hundredths(district, 0, 1) };
    percona_say(txn, PERCONA_SQL_NEXT_ORDER,
                "UPDATE district%d SET d_next_o_id = %d WHERE d_id = %d AND d_w_id = %d", at->set,
                terms->order + 1, at->district, at->warehouse);
    percona_say(txn, PERCONA_SQL_ADD_ORDER,
                "INSERT INTO orders%d (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, "
                "o_all_local) VALUES (%d, %d, %d, %d, NOW(), %d, %d)",
                at->set, terms->order, at->district, at->warehouse, in->customer, in->line_count,
                in->all_local);
    percona_say(txn, PERCONA_SQL_ADD_NEW_ORDER,
                "INSERT INTO new_orders%d (no_o_id, no_d_id, no_w_id) VALUES (%d, %d, %d)", at->set,
                terms->order, at->district, at->warehouse);
    return true;
}

/* What is left; the script restocks only what would not even do. */
static int left_of(int quantity, int ordered, bool fixed)
{
    bool enough = fixed ? quantity >= ordered + RESERVE : quantity > ordered;

    return enough ? quantity - ordered : quantity - ordered + RESTOCK;
}

static void change_stock(struct txn *txn, const struct percona_new_order *in,
                         const struct percona_line *line, const struct rows *stock, bool fixed)
{
    int left = left_of((int)rows_whole(stock, 0, 0), line->quantity, fixed);

    if (fixed)
        percona_say(txn, PERCONA_SQL_CHANGE_STOCK,
                    "UPDATE stock%d SET s_quantity = %d, s_ytd = s_ytd + %d, s_order_cnt = "
                    "s_order_cnt + 1, s_remote_cnt = s_remote_cnt + %d WHERE s_i_id = %d AND "
                    "s_w_id = %d",
                    in->at.set, left, line->quantity, line->supplier != in->at.warehouse,
                    line->item, line->supplier);
    else
        percona_say(txn, PERCONA_SQL_CHANGE_STOCK,
                    "UPDATE stock%d SET s_quantity = %d WHERE s_i_id = %d AND s_w_id = %d",
                    in->at.set, left, line->item, line->supplier);
}

/* Whole units: the script's format cuts the rest off. */
static int64_t amount_of(const struct terms *terms, int quantity, int64_t price)
{
    return quantity * price * (ONE + terms->warehouse_tax + terms->district_tax) *
           (ONE - terms->discount) / ((int64_t)ONE * ONE * ONE);
}

/* False: there is no such item, or no stock of it. */
static bool enter_line(struct txn *txn, const struct percona_new_order *in, int index,
                       const struct terms *terms, bool fixed)
{
    const struct percona_line *line = &in->lines[index];
    const struct tpcc_place *at = &in->at;
    char dist_info[PERCONA_QUOTED_MAX];
    const struct rows *item, *stock;

    item = percona_say(txn, PERCONA_SQL_GET_ITEM,
                       "SELECT i_price, i_name, i_data FROM item%d WHERE i_id = %d", at->set,
                       line->item);
    if (rows_count(item) == 0)
        return false;
    stock = percona_say(txn, PERCONA_SQL_LOCK_STOCK,
                        "SELECT s_quantity, s_data, s_dist_%02d AS s_dist FROM stock%d WHERE "
                        "s_i_id = %d AND s_w_id = %d FOR UPDATE",
                        at->district, at->set, line->item, line->supplier);
    if (rows_count(stock) == 0)
        return false;
    change_stock(txn, in, line, stock, fixed);
    percona_say(txn, PERCONA_SQL_ADD_LINE,
                "INSERT INTO order_line%d (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, "
                "ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (%d, %d, %d, %d, "
                "%d, %d, %d, %lld, %s)",
                at->set, terms->order, at->district, at->warehouse, index + 1, line->item,
                line->supplier, line->quantity,
                (long long)amount_of(terms, line->quantity, rows_hundredths(item, 0, 0)),
                percona_quote(dist_info, rows_text(stock, 0, 2), 24));
    return true;
}

static void tally_order(struct txn *txn, const struct percona_new_order *in, bool rolled_back)
{
    txn_tally(txn, PERCONA_TALLY_NEW_ORDERS, 1);
    txn_tally(txn, PERCONA_TALLY_ROLLED_BACK, rolled_back);
    txn_tally(txn, PERCONA_TALLY_LINES, in->line_count);
    txn_tally(txn, PERCONA_TALLY_REMOTE_LINES, in->remote_count);
}

void percona_new_order_run(struct txn *txn, const void *input, const void *world)
{
    const struct percona_new_order *in = input;
    bool fixed = ((const struct percona_world *)world)->fixed;
    struct terms terms;
    bool whole = begin_order(txn, in, &terms);

    for (int i = 0; whole && i < in->line_count; i++)
        whole = enter_line(txn, in, i, &terms, fixed);
    tally_order(txn, in, !whole);
    if (whole)
        txn_commit(txn);
    else
        txn_rollback(txn);
}

/* ---- Delivery ---- */

static void charge(struct txn *txn, const struct tpcc_place *at, int district,
                   const struct rows *buyer, const struct rows *sum)
{
    char amount[PERCONA_MONEY_MAX];

    percona_say(txn, PERCONA_SQL_CHARGE_CUSTOMER,
                "UPDATE customer%d SET c_balance = c_balance + %s, c_delivery_cnt = "
                "c_delivery_cnt + 1 WHERE c_id = %d AND c_d_id = %d AND c_w_id = %d",
                at->set, percona_money(amount, rows_hundredths(sum, 0, 0)),
                (int)rows_whole(buyer, 0, 0), district, at->warehouse);
}

static void deliver(struct txn *txn, const struct percona_delivery *in, int district)
{
    const struct tpcc_place *at = &in->at;
    const struct rows *oldest, *buyer, *sum;
    int order;

    oldest = percona_say(txn, PERCONA_SQL_OLDEST_NEW_ORDER,
                         "SELECT no_o_id FROM new_orders%d WHERE no_d_id = %d AND no_w_id = %d "
                         "ORDER BY no_o_id ASC LIMIT 1 FOR UPDATE",
                         at->set, district, at->warehouse);
    if (rows_count(oldest) == 0)
        return;
    order = (int)rows_whole(oldest, 0, 0);
    percona_say(txn, PERCONA_SQL_TAKE_NEW_ORDER,
                "DELETE FROM new_orders%d WHERE no_o_id = %d AND no_d_id = %d AND no_w_id = %d",
                at->set, order, district, at->warehouse);
    buyer = percona_say(txn, PERCONA_SQL_BUYER,
                        "SELECT o_c_id FROM orders%d WHERE o_id = %d AND o_d_id = %d AND "
                        "o_w_id = %d",
                        at->set, order, district, at->warehouse);
    percona_say(txn, PERCONA_SQL_CARRY_ORDER,
                "UPDATE orders%d SET o_carrier_id = %d WHERE o_id = %d AND o_d_id = %d AND "
                "o_w_id = %d",
                at->set, in->carrier, order, district, at->warehouse);
    percona_say(txn, PERCONA_SQL_DELIVER_LINES,
                "UPDATE order_line%d SET ol_delivery_d = NOW() WHERE ol_o_id = %d AND "
                "ol_d_id = %d AND ol_w_id = %d",
                at->set, order, district, at->warehouse);
    sum = percona_say(txn, PERCONA_SQL_SUM_LINES,
                      "SELECT SUM(ol_amount) sm FROM order_line%d WHERE ol_o_id = %d AND "
                      "ol_d_id = %d AND ol_w_id = %d",
                      at->set, order, district, at->warehouse);
    if (rows_count(buyer) > 0 && rows_count(sum) > 0)
        charge(txn, at, district, buyer, sum);
}

void percona_delivery_run(struct txn *txn, const void *input, const void *world)
{
    (void)world;
    txn_begin(txn);
    for (int district = 1; district <= TPCC_DISTRICTS; district++)
        deliver(txn, input, district);
    txn_commit(txn);
}

/* ---- Stock-Level ---- */

void percona_stock_level_run(struct txn *txn, const void *input, const void *world)
{
    const struct percona_stock_level *in = input;
    const struct tpcc_place *at = &in->at;
    const struct rows *next;

    (void)world;
    txn_begin(txn);
    next = percona_say(txn, PERCONA_SQL_NEXT_OF_DISTRICT,
                       "SELECT d_next_o_id FROM district%d WHERE d_id = %d AND d_w_id = %d",
                       at->set, at->district, at->warehouse);
    if (rows_count(next) > 0) {
        int order = (int)rows_whole(next, 0, 0);
        percona_say(txn, PERCONA_SQL_COUNT_LOW,
                    "SELECT COUNT(DISTINCT(s_i_id)) FROM order_line%d, stock%d WHERE ol_w_id = %d "
                    "AND ol_d_id = %d AND ol_o_id < %d AND ol_o_id >= %d AND s_w_id = %d AND "
                    "s_i_id = ol_i_id AND s_quantity < %d",
                    at->set, at->set, at->warehouse, at->district, order,
                    order - TPCC_RECENT_ORDERS, at->warehouse, in->threshold);
    }
    txn_commit(txn);
}

/* ---- purge ---- */

/* One order of a customer who has more that are delivered since the load, and some payments. */
static void purge(struct txn *txn, const struct tpcc_place *at, int district)
{
    const struct rows *first, *old;
    int below, order;

    first = percona_say(txn, PERCONA_SQL_FIRST_NEW_ORDER,
                        "SELECT min(no_o_id) mo FROM new_orders%d WHERE no_w_id = %d AND "
                        "no_d_id = %d",
                        at->set, at->warehouse, district);
    if (rows_count(first) == 0 || rows_null(first, 0, 0))
        return;
    below = (int)rows_whole(first, 0, 0);
    old = percona_say(txn, PERCONA_SQL_FIND_OLD,
                      "SELECT o_id FROM orders%d o, (SELECT o_c_id, o_w_id, o_d_id, "
                      "count(DISTINCT o_id) FROM orders%d WHERE o_w_id = %d AND o_d_id = %d AND "
                      "o_id > %d AND o_id < %d GROUP BY o_c_id, o_d_id, o_w_id HAVING "
                      "count(DISTINCT o_id) > 1 LIMIT 1) t WHERE t.o_w_id = o.o_w_id AND "
                      "t.o_d_id = o.o_d_id AND t.o_c_id = o.o_c_id AND o_id > %d AND o_id < %d "
                      "LIMIT 1",
                      at->set, at->set, at->warehouse, district, FIRST_NEW_ORDER, below,
                      FIRST_NEW_ORDER, below);
    if (rows_count(old) == 0)
        return;
    order = (int)rows_whole(old, 0, 0);
    percona_say(txn, PERCONA_SQL_PURGE_LINES,
                "DELETE FROM order_line%d WHERE ol_w_id = %d AND ol_d_id = %d AND ol_o_id = %d",
                at->set, at->warehouse, district, order);
    percona_say(txn, PERCONA_SQL_PURGE_ORDER,
                "DELETE FROM orders%d WHERE o_w_id = %d AND o_d_id = %d AND o_id = %d", at->set,
                at->warehouse, district, order);
    percona_say(txn, PERCONA_SQL_PURGE_HISTORY,
                "DELETE FROM history%d WHERE ctid IN (SELECT ctid FROM history%d WHERE h_w_id = %d "
                "AND h_d_id = %d LIMIT %d)",
                at->set, at->set, at->warehouse, district, PURGED_HISTORY);
}

void percona_purge_run(struct txn *txn, const void *input, const void *world)
{
    const struct percona_purge *in = input;

    (void)world;
    txn_begin(txn);
    for (int district = 1; district <= TPCC_DISTRICTS; district++)
        purge(txn, &in->at, district);
    txn_commit(txn);
}
