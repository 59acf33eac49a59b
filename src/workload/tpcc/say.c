/*
 * say.c - what the transactions share.
 */
#include "workload/tpcc/tpcc.h"

int64_t tpcc_decimal(const struct rows *rows, int64_t row, int column, int scale)
{
    const char *text = rows_text(rows, row, column);
    bool negative, point = false;
    int64_t number = 0;

    if (text == NULL)
        return 0;
    negative = *text == '-';
    for (text += negative; *text == '.' || (*text >= '0' && *text <= '9'); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (point && scale-- <= 0)
            break;
        number = number * 10 + (*text - '0');
    }
    for (; scale > 0; scale--)
        number *= 10;
    return negative ? -number : number;
}

int64_t tpcc_middle_row(const struct rows *rows)
{
    return (rows_count(rows) - 1) / 2;
}

const struct rows *tpcc_call(struct txn *txn, const struct value *list, int count, bool roll_back)
{
    bool block = roll_back || txn_wants_block(txn);
    struct reply reply;

    if (block)
        txn_begin(txn);
    reply = txn_send_list(txn, list, count);
    if (roll_back)
        txn_rollback(txn);
    else if (block)
        txn_commit(txn);
    return txn_rows(txn, reply);
}
