/*
 * tproc.h - TPROC-C as HammerDB has it: nine tables and five routines in the server.
 *
 * Two identities of one workload. `hammerdb` does what HammerDB does, with all that is wrong in it,
 * so that old numbers can be set beside new ones. `hammerdb-fixed` keeps the tables, the routines'
 * signatures, the mix and the closed loop, and does everything else as TPC-C says, as far as those
 * signatures allow. Facts: spec hammerdb (docs/hammerdb.md).
 *
 * Where things are: options.c; world.c (what options and data come to); schema.c and rows.c (the
 * data set); draw.c (inputs); statements.c (what a client says); routines.c with published.c and
 * mended.c (what the server does); rules.c (what is counted).
 */
#ifndef WORKLOAD_TPROC_TPROC_H
#define WORKLOAD_TPROC_TPROC_H

#include "workload/workload.h"

#define TPROC_ITEMS          100000
#define TPROC_DISTRICTS      10   /* of a warehouse */
#define TPROC_CUSTOMERS      3000 /* of a district */
#define TPROC_ORDERS         3000 /* of a district, when loaded */
#define TPROC_DELIVERED      2100 /* of them, the oldest */
#define TPROC_NAMED          1000 /* customers of a district that have a name of their own */
#define TPROC_LINES_MIN      5    /* of an order */
#define TPROC_LINES_MAX      15
#define TPROC_WAREHOUSES_MAX (INT64_C(1) << 24)
#define TPROC_PARTED_FROM    200 /* warehouses, from which on order_line may have partitions */
#define TPROC_C_LAST         123 /* HammerDB's constant for names, in the load and in the run */
#define TPROC_SCALE_MONEY    2
#define TPROC_SCALE_TAX      4

enum tproc_compat { TPROC_HAMMERDB, TPROC_MENDED };
enum tproc_routines { TPROC_FUNCTIONS, TPROC_PROCEDURES };

enum tproc_table {
    TPROC_ITEM,
    TPROC_WAREHOUSE,
    TPROC_DISTRICT,
    TPROC_CUSTOMER,
    TPROC_HISTORY,
    TPROC_STOCK,
    TPROC_ORDER,
    TPROC_NEW_ORDER,
    TPROC_ORDER_LINE,
    TPROC_TABLES
};

/* In the order of the workload's transactions, and of its statements. */
enum tproc_kind {
    TPROC_NEWORD,
    TPROC_PAYMENT,
    TPROC_DELIVERY,
    TPROC_SLEV,
    TPROC_OSTAT,
    TPROC_KINDS
};

struct tproc_options {
    int64_t warehouses;
    int compat;   /* enum tproc_compat */
    int routines; /* enum tproc_routines */
    bool allwarehouse, keyandthink, partition;
};

/* What the database has, by enum tproc_routines, and the marker that only our mended ones bear. */
struct tproc_found {
    bool asked;
    int64_t functions, procedures; /* of the five */
    int64_t mended;                /* of both kinds */
};

struct tproc_world {
    struct tproc_options options;
    bool mended;
    uint64_t data_seed;
    int64_t warehouses; /* of the data, once they are asked; of the options before */
    int routines;       /* enum tproc_routines: those that are called */
    struct tproc_found found;
};

/* ---- options.c, world.c ---- */

extern const struct option tproc_option_rows[];
bool tproc_open(void *world, const void *options, struct error *err);
bool tproc_ask(struct text *sql, const void *world, int index);
void tproc_answer(void *world, int index, int64_t number);
void tproc_set_data_seed(void *world, int64_t data_seed);
bool tproc_accept(const void *world, struct error *err);
bool tproc_remark(struct text *out, const void *world, int index);

/* ---- schema.c, rows.c ---- */

int tproc_table_count(const void *world);
void tproc_describe(struct table_spec *table, const void *world, int index, struct arena *arena);

/* What a table says in COPY, and how many numbers a warehouse has; 0: it is always TPROC_ITEMS. */
struct tproc_rows {
    int64_t each;
    double lines; /* COPY rows a number; 0: one */
    void (*row)(struct copy_row *row, const void *world, int64_t number, struct rng *rng);
};
extern const struct tproc_rows tproc_rows[TPROC_TABLES];
/* Lines of an order of the load; `number` counts orders as their table does. */
int tproc_loaded_lines(const struct tproc_world *world, int64_t number);

/* ---- check.c ---- */

bool tproc_check(struct text *sql, const void *world, int index);

/* ---- draw.c ---- */

/* What one call is given, and the pauses around it. */
struct tproc_input {
    int32_t warehouse, district;
    int32_t customer, customer_warehouse, customer_district;
    int16_t line_count, carrier, threshold;
    bool by_name;
    char last[16];
    char amount[12]; /* "1234" or "1234.56" */
    int64_t key_ns, think_ns;
};

void tproc_neword_draw(void *input, const void *world, struct draw *draw);
void tproc_payment_draw(void *input, const void *world, struct draw *draw);
void tproc_delivery_draw(void *input, const void *world, struct draw *draw);
void tproc_slev_draw(void *input, const void *world, struct draw *draw);
void tproc_ostat_draw(void *input, const void *world, struct draw *draw);

bool tproc_pauses(const void *world);
int64_t tproc_pause_ns(const void *input, const void *world, bool before);

/* ---- statements.c ---- */

extern const struct statement tproc_statements[];
void tproc_neword_run(struct txn *txn, const void *input, const void *world);
void tproc_payment_run(struct txn *txn, const void *input, const void *world);
void tproc_delivery_run(struct txn *txn, const void *input, const void *world);
void tproc_slev_run(struct txn *txn, const void *input, const void *world);
void tproc_ostat_run(struct txn *txn, const void *input, const void *world);

/* ---- routines.c, published.c, mended.c ---- */

#define TPROC_MARK "pgdyno: hammerdb-fixed" /* in the text of every mended routine */

/* What a routine does, in plpgsql. Its parameters are named in routines.c; those that only the
 * procedure has are variables of the function, which declares them. */
struct tproc_body {
    const char *declare;      /* of both */
    const char *sql;          /* NULL when write() makes it */
    const char *function_end; /* "RETURN ...;" */
    void (*write)(struct text *out);
};
extern const struct tproc_body tproc_published[TPROC_KINDS], tproc_mended[TPROC_KINDS];

bool tproc_object(struct object_spec *object, const void *world, int index, struct arena *arena);

/* ---- rules.c ---- */

enum tproc_tally {
    TPROC_TALLY_NEW_ORDERS,
    TPROC_TALLY_NULL_ORDERS,
    TPROC_TALLY_PAYMENTS,
    TPROC_TALLY_REMOTE_PAYMENTS,
    TPROC_TALLY_PAYMENTS_BY_NAME,
    TPROC_TALLY_ORDER_STATUS,
    TPROC_TALLY_ORDER_STATUS_BY_NAME,
    TPROC_TALLY_ORDER_STATUS_EMPTY,
    TPROC_TALLIES
};

extern const struct tally tproc_tallies[];
extern const struct rate_rule tproc_rates[];
extern const struct headline tproc_headlines[];
extern const struct ledger tproc_ledgers[];

extern const struct workload workload_tproc;

#endif
