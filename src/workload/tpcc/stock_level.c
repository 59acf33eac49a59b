/*
 * stock_level.c - Stock-Level (clause 2.8): of the items in a district's last 20 orders, how many
 * are low on stock?
 */
#include "workload/tpcc/tpcc.h"

static void tally_level(struct txn *txn)
{
    txn_tally(txn, TPCC_TALLY_ALL, 1);
    txn_tally(txn, TPCC_TALLY_STOCK_LEVELS, 1);
}

static void run_statements(struct txn *txn, const struct tpcc_stock_level *in)
{
    const struct rows *district;
    struct reply low;
    int64_t next;

    txn_instance(txn, in->at.set);
    txn_begin(txn);
    district = txn_query(txn, TPCC_SQL_NEXT_OF_DISTRICT, in->at.warehouse, in->at.district);
    if (rows_count(district) == 0) {
        txn_rollback(txn);
        return;
    }
    next = rows_whole(district, 0, 0);
    low = txn_send(txn, TPCC_SQL_COUNT_LOW, in->at.warehouse, in->at.district,
                   next - TPCC_RECENT_ORDERS, next, in->threshold);
    tally_level(txn);
    txn_commit(txn);
    txn_note(txn, (double)rows_whole(txn_rows(txn, low), 0, 0));
}

static void call_function(struct txn *txn, const struct tpcc_stock_level *in)
{
    const struct rows *rows;

    txn_instance(txn, in->at.set);
    rows = TPCC_CALL(txn, TPCC_SQL_FUNCTION + TPCC_KIND_STOCK_LEVEL, in->at.warehouse,
                     in->at.district, in->threshold);
    tally_level(txn);
    txn_note(txn, (double)rows_whole(rows, 0, 0));
}

void tpcc_stock_level_run(struct txn *txn, const void *input, const void *world)
{
    if (((const struct tpcc_world *)world)->options.mode == TPCC_MODE_FUNCTIONS)
        call_function(txn, input);
    else
        run_statements(txn, input);
}
