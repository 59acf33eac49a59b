/*
 * percona_say.c - statements as texts with the values in them, which the server parses and plans
 * each time; the table of their names.
 */
#include <stdarg.h>
#include <stdio.h>

#include "workload/tpcc/percona.h"

#define TEXT_MAX 2048 /* of a statement */

#define NAMED(id, said, discards) [PERCONA_SQL_##id] = { .name = said, .discard_rows = discards }

const struct statement percona_statements[] = {
    NAMED(GET_CUSTOMER, "new_order.customer", false),
    NAMED(LOCK_DISTRICT, "new_order.lock_district", false),
    NAMED(NEXT_ORDER, "new_order.next_order", true),
    NAMED(ADD_ORDER, "new_order.add_order", true),
    NAMED(ADD_NEW_ORDER, "new_order.add_new_order", true),
    NAMED(GET_ITEM, "new_order.item", false),
    NAMED(LOCK_STOCK, "new_order.lock_stock", false),
    NAMED(CHANGE_STOCK, "new_order.change_stock", true),
    NAMED(ADD_LINE, "new_order.add_line", true),
    NAMED(PAY_WAREHOUSE, "payment.pay_warehouse", true),
    NAMED(GET_WAREHOUSE, "payment.warehouse", false),
    NAMED(PAY_DISTRICT, "payment.pay_district", true),
    NAMED(GET_DISTRICT, "payment.district", false),
    NAMED(COUNT_NAMES, "payment.count_names", false),
    NAMED(FIND_PAYER, "payment.find_payer", false),
    NAMED(LOCK_PAYER, "payment.lock_payer", false),
    NAMED(GET_DATA, "payment.data", false),
    NAMED(PAY_CUSTOMER, "payment.pay_customer", true),
    NAMED(ADD_HISTORY, "payment.add_history", true),
    NAMED(COUNT_CUSTOMERS, "order_status.count_names", false),
    NAMED(FIND_CUSTOMER, "order_status.find_customer", false),
    NAMED(STATUS_CUSTOMER, "order_status.customer", false),
    NAMED(LAST_ORDER, "order_status.last_order", false),
    NAMED(GET_LINES, "order_status.lines", false),
    NAMED(OLDEST_NEW_ORDER, "delivery.oldest_new_order", false),
    NAMED(TAKE_NEW_ORDER, "delivery.take_new_order", true),
    NAMED(BUYER, "delivery.buyer", false),
    NAMED(CARRY_ORDER, "delivery.carry_order", true),
    NAMED(DELIVER_LINES, "delivery.deliver_lines", true),
    NAMED(SUM_LINES, "delivery.sum_lines", false),
    NAMED(CHARGE_CUSTOMER, "delivery.charge_customer", true),
    NAMED(NEXT_OF_DISTRICT, "stock_level.next_order", false),
    NAMED(COUNT_LOW, "stock_level.count_low", false),
    NAMED(FIRST_NEW_ORDER, "purge.first_new_order", false),
    NAMED(FIND_OLD, "purge.find_old", false),
    NAMED(PURGE_LINES, "purge.lines", true),
    NAMED(PURGE_ORDER, "purge.order", true),
    NAMED(PURGE_HISTORY, "purge.history", true),
    [PERCONA_SQL_COUNT] = { .name = NULL },
};

bool percona_uses(const void *world, int statement)
{
    return statement < PERCONA_SQL_FIRST_NEW_ORDER ||
           ((const struct percona_world *)world)->options.enable_purge;
}

const struct rows *percona_say(struct txn *txn, int statement, const char *format, ...)
{
    char sql[TEXT_MAX];
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(sql, sizeof sql, format, args);
    va_end(args);
    return txn_rows(txn, txn_send_text(txn, statement, sql, length));
}

const char *percona_quote(char out[PERCONA_QUOTED_MAX], const char *text, int most)
{
    char *at = out;

    *at++ = '\'';
    for (; text != NULL && *text != '\0' && most > 0; text++, most--) {
        if (*text == '\'')
            *at++ = '\'';
        *at++ = *text;
    }
    *at++ = '\'';
    *at = '\0';
    return out;
}

const char *percona_money(char out[PERCONA_MONEY_MAX], int64_t hundredths)
{
    int64_t size = hundredths < 0 ? -hundredths : hundredths;

    snprintf(out, PERCONA_MONEY_MAX, "%s%lld.%02d", hundredths < 0 ? "-" : "",
             (long long)(size / 100), (int)(size % 100));
    return out;
}
