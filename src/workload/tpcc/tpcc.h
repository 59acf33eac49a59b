/*
 * tpcc.h - TPC-C as its specification (revision 5.11) describes it, measured in our own way.
 *
 * Nine tables a set, warehouses within it. A terminal's input is drawn by the client and sent to
 * the server; every update of clauses 2.4 to 2.8 is made and all that a terminal shows is read
 * back. What is not done, and why figures are never called tpmC: clauses on pricing, on terminals
 * as machines and on auditing. Clause numbers in comments are those of the specification.
 *
 * Where things are: options.c; world.c (what options come to); schema.c and rows.c (the data set);
 * draw.c (inputs); statements.c (SQL) and a file a transaction; functions.c (the same transactions
 * inside the server); rules.c (what is counted and held against the specification).
 */
#ifndef WORKLOAD_TPCC_TPCC_H
#define WORKLOAD_TPCC_TPCC_H

#include "workload/workload.h"

/* Cardinalities of clause 1.2.1. */
#define TPCC_ITEMS         100000
#define TPCC_DISTRICTS     10   /* of a warehouse */
#define TPCC_CUSTOMERS     3000 /* of a district */
#define TPCC_ORDERS        3000 /* of a district, when loaded */
#define TPCC_DELIVERED     2100 /* of them, the oldest */
#define TPCC_LINES_MIN     5    /* of an order */
#define TPCC_LINES_MAX     15
#define TPCC_UNUSED_ITEM   (TPCC_ITEMS + 1)
#define TPCC_WAREHOUSES    (INT64_C(1) << 24) /* the most of a set */
#define TPCC_SETS_MAX      1000
#define TPCC_SCALE_TAX     4 /* digits after the point of taxes and discounts */
#define TPCC_SCALE_MONEY   2
#define TPCC_RECENT_ORDERS 20 /* that Stock-Level looks at */

/* In the order of loading: what a table refers to comes before it. */
enum tpcc_table {
    TPCC_ITEM,
    TPCC_WAREHOUSE,
    TPCC_DISTRICT,
    TPCC_CUSTOMER,
    TPCC_HISTORY,
    TPCC_STOCK,
    TPCC_ORDER,
    TPCC_NEW_ORDER,
    TPCC_ORDER_LINE,
    TPCC_TABLES
};

/* In the order of the workload's transactions. */
enum tpcc_kind {
    TPCC_KIND_NEW_ORDER,
    TPCC_KIND_PAYMENT,
    TPCC_KIND_ORDER_STATUS,
    TPCC_KIND_DELIVERY,
    TPCC_KIND_STOCK_LEVEL,
    TPCC_KINDS
};

enum tpcc_mode { TPCC_MODE_SQL, TPCC_MODE_FUNCTIONS };
enum tpcc_home { TPCC_HOME_AUTO, TPCC_HOME_FIXED, TPCC_HOME_ALL };

struct tpcc_options {
    int64_t warehouses, tables, partitions, fillfactor;
    bool use_fk;
    const char *mix;
    int mode;   /* enum tpcc_mode */
    int home;   /* enum tpcc_home */
    int compat; /* 0: the other words stand for variants */
};

struct tpcc_world {
    struct tpcc_options options;
    int32_t warehouses, sets;
    double weights[TPCC_KINDS];
    bool deck; /* of cards in place of weights (clause 5.2.4.2) */
    uint64_t data_seed;
    int64_t loaded; /* warehouses that every set has, when the data were asked */
};

/* ---- options.c, world.c ---- */

extern const struct option tpcc_option_rows[];
bool tpcc_open(void *world, const void *options, struct error *err);
void tpcc_set_data_seed(void *world, int64_t data_seed);
/* How many warehouses are there? Fewer than are asked for: ERROR_PLAN. */
bool tpcc_ask(struct text *sql, const void *world, int index);
void tpcc_answer(void *world, int index, int64_t number);
bool tpcc_accept(const void *world, struct error *err);
int tpcc_set_count(const void *world);
double tpcc_weight(const void *world, int kind);
int tpcc_pick(const void *world, struct draw *draw);
bool tpcc_has_remote(const void *world); /* more than one warehouse in a set */

/* ---- schema.c, rows.c ---- */

/* Table `index` of the data set: sets one after the other, each as enum tpcc_table. */
int tpcc_table_count(const void *world);
void tpcc_describe(struct table_spec *table, const void *world, int index, struct arena *arena);

/* What a table says in COPY. */
struct tpcc_rows {
    const char *columns;
    const char *const *types; /* ended by NULL */
    int64_t each;             /* numbers a warehouse; 0: one lot for any number of them */
    double lines;             /* COPY rows a number; 0: exactly one */
    void (*row)(struct copy_row *row, const void *world, int64_t number, struct rng *rng);
};
extern const struct tpcc_rows tpcc_rows[TPCC_TABLES];
/* Lines of an order of the load; `number` counts orders as their table does. */
int tpcc_loaded_lines(const struct tpcc_world *world, int64_t number);

/* Stock of the load, 10..100. A function that SQL can make as well, over s_w_id and s_i_id, so that
 * a check can tell later what became of it. */
int tpcc_loaded_quantity(int64_t warehouse, int64_t item);
extern const char tpcc_loaded_quantity_sql[];

/* ---- draw.c: what a terminal's user types in ---- */

/* Where a terminal stands; `set` is 1 or above. */
struct tpcc_place {
    int32_t set, warehouse, district;
};

struct tpcc_line {
    int32_t item, supplier; /* supplier: the warehouse it comes from */
    int8_t quantity, number;
};

struct tpcc_new_order {
    struct tpcc_place at;
    int32_t customer;
    int8_t line_count, remote_count;
    bool unused_item;                       /* in the last line: the order is to be rolled back */
    struct tpcc_line lines[TPCC_LINES_MAX]; /* by supplier, item and number */
};

/* A customer by number, or by name when `number` is 0. */
struct tpcc_customer {
    int32_t warehouse, district, number;
    char last[16];
};

struct tpcc_payment {
    struct tpcc_place at;
    struct tpcc_customer customer;
    int32_t hundredths;
};

struct tpcc_order_status {
    struct tpcc_place at;
    struct tpcc_customer customer;
};

struct tpcc_delivery {
    struct tpcc_place at;
    int32_t carrier;
};

struct tpcc_stock_level {
    struct tpcc_place at;
    int32_t threshold;
};

void tpcc_new_order_draw(void *input, const void *world, struct draw *draw);
void tpcc_payment_draw(void *input, const void *world, struct draw *draw);
void tpcc_order_status_draw(void *input, const void *world, struct draw *draw);
void tpcc_delivery_draw(void *input, const void *world, struct draw *draw);
void tpcc_stock_level_draw(void *input, const void *world, struct draw *draw);

/* ---- statements.c ---- */

enum tpcc_statement {
    /* New-Order */
    TPCC_SQL_BUYER,
    TPCC_SQL_LOCK_DISTRICT,
    TPCC_SQL_NEXT_ORDER,
    TPCC_SQL_GET_ITEM,
    TPCC_SQL_LOCK_STOCK,
    TPCC_SQL_ADD_ORDER,
    TPCC_SQL_ADD_NEW_ORDER,
    TPCC_SQL_CHANGE_STOCK,
    TPCC_SQL_ADD_LINE,
    /* Payment */
    TPCC_SQL_PAY_WAREHOUSE,
    TPCC_SQL_PAY_DISTRICT,
    TPCC_SQL_FIND_PAYER,
    TPCC_SQL_LOCK_PAYER,
    TPCC_SQL_PAY_CUSTOMER,
    TPCC_SQL_PAY_CUSTOMER_DATA,
    TPCC_SQL_ADD_HISTORY,
    /* Order-Status */
    TPCC_SQL_FIND_CUSTOMER,
    TPCC_SQL_GET_CUSTOMER,
    TPCC_SQL_LAST_ORDER,
    TPCC_SQL_GET_LINES,
    /* Delivery */
    TPCC_SQL_OLDEST_NEW_ORDER,
    TPCC_SQL_TAKE_NEW_ORDER,
    TPCC_SQL_CARRY_ORDER,
    TPCC_SQL_DELIVER_LINES,
    TPCC_SQL_SUM_LINES,
    TPCC_SQL_CHARGE_CUSTOMER,
    /* Stock-Level */
    TPCC_SQL_NEXT_OF_DISTRICT,
    TPCC_SQL_COUNT_LOW,
    /* The five as functions of the server, in the order of enum tpcc_kind. */
    TPCC_SQL_FUNCTION,
    TPCC_SQL_COUNT = TPCC_SQL_FUNCTION + TPCC_KINDS
};

extern const struct statement tpcc_statements[];
bool tpcc_uses(const void *world, int statement);

/* ---- the transactions ---- */

void tpcc_new_order_run(struct txn *txn, const void *input, const void *world);
void tpcc_payment_run(struct txn *txn, const void *input, const void *world);
void tpcc_order_status_run(struct txn *txn, const void *input, const void *world);
void tpcc_delivery_run(struct txn *txn, const void *input, const void *world);
void tpcc_stock_level_run(struct txn *txn, const void *input, const void *world);

/* ---- say.c: what they share ---- */

/* Numeric with up to `scale` digits after the point as a whole number of its last place. */
int64_t tpcc_decimal(const struct rows *rows, int64_t row, int column, int scale);
/* Of customers with one name in order of their first names: the one in the middle, rounded up
 * (clause 2.5.2.2). There must be one. */
int64_t tpcc_middle_row(const struct rows *rows);
/* The whole transaction as one statement, a function of the server; by itself when it can be. */
const struct rows *tpcc_call(struct txn *txn, const struct value *list, int count, bool roll_back);
#define TPCC_CALL(txn, ...) tpcc_call((txn), TXN_LIST(__VA_ARGS__), false)
/* ---- check.c ---- */

bool tpcc_check(struct text *sql, const void *world, int index);

/* ---- functions.c ---- */

bool tpcc_function(struct object_spec *object, const void *world, int index, struct arena *arena);

/* ---- rules.c ---- */

enum tpcc_tally {
    TPCC_TALLY_ALL,
    TPCC_TALLY_NEW_ORDERS,
    TPCC_TALLY_ROLLED_BACK,
    TPCC_TALLY_LINES,
    TPCC_TALLY_REMOTE_LINES,
    TPCC_TALLY_REMOTE_ORDERS,
    TPCC_TALLY_PAYMENTS,
    TPCC_TALLY_REMOTE_PAYMENTS,
    TPCC_TALLY_PAYMENTS_BY_NAME,
    TPCC_TALLY_ORDER_STATUS,
    TPCC_TALLY_ORDER_STATUS_BY_NAME,
    TPCC_TALLY_DELIVERIES,
    TPCC_TALLY_DISTRICTS,
    TPCC_TALLY_DELIVERED,
    TPCC_TALLY_SKIPPED,
    TPCC_TALLY_STOCK_LEVELS,
    TPCC_TALLIES
};

extern const struct tally tpcc_tallies[];
extern const struct rate_rule tpcc_rates[];
extern const struct headline tpcc_headlines[];
extern const struct ledger tpcc_ledgers[];
/* SQL of the sum of all districts' d_next_o_id, over so many sets. */
void tpcc_write_order_ids(struct text *out, int sets);
bool tpcc_remark(struct text *out, const void *world, int index);

extern const struct workload workload_tpcc;

#endif
