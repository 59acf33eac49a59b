/*
 * percona.h - Percona's sysbench-tpcc: TPC-C-like work as that script does it, and the same with
 * its defects mended (spec sysbench 4).
 *
 * Every event draws a set, a warehouse and a district anew; statements are texts with the values in
 * them, said as simple queries at repeatable read. Four defects are kept by `percona` and mended by
 * `percona-fixed`, over the same data:
 *
 *   1 the constants of NURand are drawn anew at each call, so nearly nothing is hot;
 *   2 "another" warehouse is always the same one, so no line and no payment is remote;
 *   3 Order-Status reads the lines of the order whose number is the district's, and of customers
 *     with one name the row behind the middle one is taken;
 *   4 New-Order puts the unused item into the line before the last, restocks only when less than
 *     what is ordered is left, and keeps no counts of the stock nor Payment of the payments.
 *
 * Everything else is a choice of the original and is the same in both.
 */
#ifndef WORKLOAD_TPCC_PERCONA_H
#define WORKLOAD_TPCC_PERCONA_H

#include "workload/tpcc/names.h"
#include "workload/tpcc/tpcc.h"

enum percona_compat { PERCONA_AS_PUBLISHED, PERCONA_FIXED };
enum percona_level { PERCONA_RC, PERCONA_RR, PERCONA_SER };

struct percona_options {
    int64_t tables, scale;
    bool use_fk, enable_purge;
    int trx_level; /* enum percona_level */
    int compat;    /* enum percona_compat */
};

struct percona_world {
    struct percona_options options;
    bool fixed;
    uint64_t data_seed;
};

enum percona_kind {
    PERCONA_NEW_ORDER,
    PERCONA_PAYMENT,
    PERCONA_ORDER_STATUS,
    PERCONA_DELIVERY,
    PERCONA_STOCK_LEVEL,
    PERCONA_PURGE,
    PERCONA_KINDS
};

/* ---- percona_schema.c, percona_rows.c ---- */

int percona_table_count(const void *world);
void percona_describe(struct table_spec *table, const void *world, int index, struct arena *arena);
/* What a table says in COPY, in the order of enum tpcc_table; columns and how many rows a warehouse
 * has are those of tpcc_rows. */
struct percona_rows {
    const char *const *types; /* ended by NULL */
    void (*row)(struct copy_row *row, const void *world, int64_t number, struct rng *rng);
};
extern const struct percona_rows percona_rows[TPCC_TABLES];

/* ---- percona_draw.c ---- */

struct percona_line {
    int32_t item, supplier; /* item -1: the unused one */
    int8_t quantity;
};

struct percona_new_order {
    struct tpcc_place at;
    int32_t customer;
    int8_t line_count, remote_count;
    bool all_local;   /* as it is told; in `percona` it may say what is not so */
    bool unused_item; /* the event ends in a rollback */
    struct percona_line lines[TPCC_LINES_MAX];
};

struct percona_customer {
    int32_t warehouse, district, number; /* 0: by name */
    char last[LAST_NAME_MAX];
};

struct percona_payment {
    struct tpcc_place at;
    struct percona_customer customer;
    int32_t amount; /* whole ones */
};

struct percona_order_status {
    struct tpcc_place at;
    struct percona_customer customer;
};

struct percona_delivery {
    struct tpcc_place at; /* its district is not looked at */
    int32_t carrier;
};

struct percona_stock_level {
    struct tpcc_place at;
    int32_t threshold;
};

struct percona_purge {
    struct tpcc_place at; /* its district is not looked at */
};

void percona_new_order_draw(void *input, const void *world, struct draw *draw);
void percona_payment_draw(void *input, const void *world, struct draw *draw);
void percona_order_status_draw(void *input, const void *world, struct draw *draw);
void percona_delivery_draw(void *input, const void *world, struct draw *draw);
void percona_stock_level_draw(void *input, const void *world, struct draw *draw);
void percona_purge_draw(void *input, const void *world, struct draw *draw);

/* ---- percona_say.c: texts with values in them ---- */

/* Names of what is said, for times and counts. */
enum percona_statement {
    PERCONA_SQL_GET_CUSTOMER,
    PERCONA_SQL_LOCK_DISTRICT,
    PERCONA_SQL_NEXT_ORDER,
    PERCONA_SQL_ADD_ORDER,
    PERCONA_SQL_ADD_NEW_ORDER,
    PERCONA_SQL_GET_ITEM,
    PERCONA_SQL_LOCK_STOCK,
    PERCONA_SQL_CHANGE_STOCK,
    PERCONA_SQL_ADD_LINE,
    PERCONA_SQL_PAY_WAREHOUSE,
    PERCONA_SQL_GET_WAREHOUSE,
    PERCONA_SQL_PAY_DISTRICT,
    PERCONA_SQL_GET_DISTRICT,
    PERCONA_SQL_COUNT_NAMES,
    PERCONA_SQL_FIND_PAYER,
    PERCONA_SQL_LOCK_PAYER,
    PERCONA_SQL_GET_DATA,
    PERCONA_SQL_PAY_CUSTOMER,
    PERCONA_SQL_ADD_HISTORY,
    PERCONA_SQL_COUNT_CUSTOMERS,
    PERCONA_SQL_FIND_CUSTOMER,
    PERCONA_SQL_STATUS_CUSTOMER,
    PERCONA_SQL_LAST_ORDER,
    PERCONA_SQL_GET_LINES,
    PERCONA_SQL_OLDEST_NEW_ORDER,
    PERCONA_SQL_TAKE_NEW_ORDER,
    PERCONA_SQL_BUYER,
    PERCONA_SQL_CARRY_ORDER,
    PERCONA_SQL_DELIVER_LINES,
    PERCONA_SQL_SUM_LINES,
    PERCONA_SQL_CHARGE_CUSTOMER,
    PERCONA_SQL_NEXT_OF_DISTRICT,
    PERCONA_SQL_COUNT_LOW,
    PERCONA_SQL_FIRST_NEW_ORDER,
    PERCONA_SQL_FIND_OLD,
    PERCONA_SQL_PURGE_LINES,
    PERCONA_SQL_PURGE_ORDER,
    PERCONA_SQL_PURGE_HISTORY,
    PERCONA_SQL_COUNT
};
extern const struct statement percona_statements[];
bool percona_uses(const void *world, int statement);

#define PERCONA_QUOTED_MAX 1100 /* bytes of a quoted text of 500 at most, with its NUL */

/* Says a statement and waits for its answer; `format` as of printf. */
const struct rows *percona_say(struct txn *txn, int statement, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* A text as a literal: the data may hold quotes. NULL is the empty text; what exceeds `most` bytes
 * is cut off, and `most` is 500 at most. Gives `out`. */
const char *percona_quote(char out[PERCONA_QUOTED_MAX], const char *text, int most);
/* Hundredths as a number with two digits behind the point. Gives `out`. */
#define PERCONA_MONEY_MAX 24
const char *percona_money(char out[PERCONA_MONEY_MAX], int64_t hundredths);

/* ---- percona_orders.c, percona_customers.c: the transactions ---- */

void percona_new_order_run(struct txn *txn, const void *input, const void *world);
void percona_delivery_run(struct txn *txn, const void *input, const void *world);
void percona_stock_level_run(struct txn *txn, const void *input, const void *world);
void percona_purge_run(struct txn *txn, const void *input, const void *world);
void percona_payment_run(struct txn *txn, const void *input, const void *world);
void percona_order_status_run(struct txn *txn, const void *input, const void *world);

/* ---- percona_rules.c ---- */

enum percona_tally {
    PERCONA_TALLY_NEW_ORDERS,
    PERCONA_TALLY_ROLLED_BACK,
    PERCONA_TALLY_LINES,
    PERCONA_TALLY_REMOTE_LINES,
    PERCONA_TALLY_PAYMENTS,
    PERCONA_TALLY_REMOTE_PAYMENTS,
    PERCONA_TALLY_BY_NAME,
    PERCONA_TALLIES
};
extern const struct tally percona_tallies[];
extern const struct rate_rule percona_rates[];
extern const struct headline percona_headlines[];
extern const struct ledger percona_ledgers[];
bool percona_check(struct text *sql, const void *world, int index);
bool percona_remark(struct text *out, const void *world, int index);

extern const struct workload workload_percona;

#endif
