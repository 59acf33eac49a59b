/*
 * new_order.c - New-Order (clause 2.4): a customer orders 5 to 15 items.
 *
 * In single statements all that can be asked at once is asked before the first answer is needed, so
 * that with a pipeline two round trips do. An order with an item that does not exist is entered
 * like any other, but for that line, and then rolled back (clause 2.4.2.3).
 */
#include <string.h>

#include "workload/tpcc/tpcc.h"

#define TAX_ONE 10000 /* a tax or discount of 100 % */

/* What the statements of an order have told so far. */
struct entry {
    struct txn *txn;
    const struct tpcc_new_order *in;
    struct reply items[TPCC_LINES_MAX], stocks[TPCC_LINES_MAX];
    int64_t order;    /* its number */
    int64_t sum;      /* of amounts, in hundredths */
    int64_t quantity; /* left of the item of the last line */
    int branded;      /* lines shown as brand, not generic */
    bool whole;       /* every line was there */
};

static void tally_order(struct txn *txn, const struct tpcc_new_order *in, bool rolled_back)
{
    txn_tally(txn, TPCC_TALLY_ALL, 1);
    txn_tally(txn, TPCC_TALLY_NEW_ORDERS, 1);
    txn_tally(txn, TPCC_TALLY_ROLLED_BACK, rolled_back);
    txn_tally(txn, TPCC_TALLY_LINES, in->line_count);
    txn_tally(txn, TPCC_TALLY_REMOTE_LINES, in->remote_count);
    txn_tally(txn, TPCC_TALLY_REMOTE_ORDERS, in->remote_count > 0);
}

/* The total that the terminal shows, in hundredths, cut off (clause 2.4.3.3). */
static int64_t total(int64_t sum, int64_t discount, int64_t warehouse_tax, int64_t district_tax)
{
    return sum * (TAX_ONE - discount) / TAX_ONE * (TAX_ONE + warehouse_tax + district_tax) /
           TAX_ONE;
}

/* ---- single statements ---- */

static bool is_original(const char *data)
{
    return data != NULL && strstr(data, "ORIGINAL") != NULL;
}

static bool same_stock(const struct tpcc_line *a, const struct tpcc_line *b)
{
    return a->supplier == b->supplier && a->item == b->item;
}

/* Lines with the same stock stand side by side; the later one takes from what the earlier left. */
static void take_stock(struct entry *entry, int index, const struct rows *stock)
{
    const struct tpcc_line *line = &entry->in->lines[index];
    int64_t left = entry->quantity;

    if (index == 0 || !same_stock(line, line - 1))
        left = rows_whole(stock, 0, 0);
    left -= line->quantity;
    if (left < 10)
        left += 91;
    entry->quantity = left;
    txn_send(entry->txn, TPCC_SQL_CHANGE_STOCK, line->supplier, line->item, left, line->quantity,
             line->supplier != entry->in->at.warehouse);
}

static void enter_line(struct entry *entry, int index)
{
    const struct tpcc_line *line = &entry->in->lines[index];
    const struct rows *item = txn_rows(entry->txn, entry->items[index]);
    const struct rows *stock = txn_rows(entry->txn, entry->stocks[index]);
    int64_t amount;

    if (rows_count(item) == 0 || rows_count(stock) == 0) {
        entry->whole = false;
        return;
    }
    amount = rows_hundredths(item, 0, 0) * line->quantity;
    entry->sum += amount;
    entry->branded += is_original(rows_text(item, 0, 2)) && is_original(rows_text(stock, 0, 1));
    take_stock(entry, index, stock);
    txn_send(entry->txn, TPCC_SQL_ADD_LINE, entry->in->at.warehouse, entry->in->at.district,
             entry->order, line->number, line->item, line->supplier, line->quantity, amount,
             rows_text(stock, 0, 2));
}

/* All that needs no answer of another statement. */
static void ask(struct entry *entry)
{
    const struct tpcc_new_order *in = entry->in;

    for (int i = 0; i < in->line_count; i++)
        entry->items[i] = txn_send(entry->txn, TPCC_SQL_GET_ITEM, in->lines[i].item);
    for (int i = 0; i < in->line_count; i++)
        entry->stocks[i] = txn_send(entry->txn, TPCC_SQL_LOCK_STOCK, in->lines[i].supplier,
                                    in->lines[i].item, in->at.district);
}

static void enter_order(struct entry *entry)
{
    const struct tpcc_new_order *in = entry->in;

    txn_send(entry->txn, TPCC_SQL_ADD_ORDER, in->at.warehouse, in->at.district, entry->order,
             in->customer, in->line_count, in->remote_count == 0);
    txn_send(entry->txn, TPCC_SQL_ADD_NEW_ORDER, in->at.warehouse, in->at.district, entry->order);
    for (int i = 0; i < in->line_count; i++)
        enter_line(entry, i);
}

static void run_statements(struct txn *txn, const struct tpcc_new_order *in)
{
    struct entry entry = { .txn = txn, .in = in, .whole = true };
    struct reply buyer_reply, district_reply;
    const struct rows *buyer, *district;

    txn_instance(txn, in->at.set);
    txn_begin(txn);
    buyer_reply = txn_send(txn, TPCC_SQL_BUYER, in->at.warehouse, in->at.district, in->customer);
    district_reply = txn_send(txn, TPCC_SQL_LOCK_DISTRICT, in->at.warehouse, in->at.district);
    txn_send(txn, TPCC_SQL_NEXT_ORDER, in->at.warehouse, in->at.district);
    ask(&entry);
    buyer = txn_rows(txn, buyer_reply);
    district = txn_rows(txn, district_reply);
    if (rows_count(buyer) == 0 || rows_count(district) == 0) {
        txn_rollback(txn);
        return;
    }
    entry.order = rows_whole(district, 0, 0);
    enter_order(&entry);
    txn_note(txn, (double)total(entry.sum, tpcc_decimal(buyer, 0, 0, TPCC_SCALE_TAX),
                                tpcc_decimal(buyer, 0, 3, TPCC_SCALE_TAX),
                                tpcc_decimal(district, 0, 1, TPCC_SCALE_TAX)) +
                      entry.branded);
    tally_order(txn, in, !entry.whole);
    if (entry.whole)
        txn_commit(txn);
    else
        txn_rollback(txn);
}

/* ---- a function ---- */

/* Columns of what tpcc_new_order gives, a row a line. */
enum {
    OUT_ORDER,
    OUT_ENTRY,
    OUT_LAST,
    OUT_CREDIT,
    OUT_DISCOUNT,
    OUT_WAREHOUSE_TAX,
    OUT_DISTRICT_TAX,
    OUT_NUMBER,
    OUT_ITEM_NAME,
    OUT_STOCK,
    OUT_BRAND,
    OUT_PRICE,
    OUT_AMOUNT
};

static void call_function(struct txn *txn, const struct tpcc_new_order *in)
{
    int64_t *items = txn_room(txn, 3 * TPCC_LINES_MAX * sizeof *items);
    int64_t *suppliers = items + TPCC_LINES_MAX, *quantities = suppliers + TPCC_LINES_MAX;
    int64_t sum = 0, branded = 0;
    const struct rows *rows;

    for (int i = 0; i < in->line_count; i++) {
        int at = in->lines[i].number - 1;
        items[at] = in->lines[i].item;
        suppliers[at] = in->lines[i].supplier;
        quantities[at] = in->lines[i].quantity;
    }
    txn_instance(txn, in->at.set);
    rows = tpcc_call(txn,
                     TXN_LIST(TPCC_SQL_FUNCTION + TPCC_KIND_NEW_ORDER, in->at.warehouse,
                              in->at.district, in->customer, value_wholes(items, in->line_count),
                              value_wholes(suppliers, in->line_count),
                              value_wholes(quantities, in->line_count), in->unused_item),
                     in->unused_item);
    if (rows_count(rows) == 0)
        return;
    for (int64_t row = 0; row < rows_count(rows); row++) {
        sum += rows_hundredths(rows, row, OUT_AMOUNT);
        branded += !rows_null(rows, row, OUT_BRAND) && *rows_text(rows, row, OUT_BRAND) == 'B';
    }
    txn_note(txn, (double)(total(sum, tpcc_decimal(rows, 0, OUT_DISCOUNT, TPCC_SCALE_TAX),
                                 tpcc_decimal(rows, 0, OUT_WAREHOUSE_TAX, TPCC_SCALE_TAX),
                                 tpcc_decimal(rows, 0, OUT_DISTRICT_TAX, TPCC_SCALE_TAX)) +
                           branded));
    tally_order(txn, in, in->unused_item);
}

void tpcc_new_order_run(struct txn *txn, const void *input, const void *world)
{
    if (((const struct tpcc_world *)world)->options.mode == TPCC_MODE_FUNCTIONS)
        call_function(txn, input);
    else
        run_statements(txn, input);
}
