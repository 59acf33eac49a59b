/*
 * statements.c - what a virtual user says: one statement a transaction, committed by itself unless
 * --isolation asks for a block.
 *
 * Functions are called by prepared statements, procedures by text with the values in it, as
 * HammerDB does. In the published texts the name of the customer is quoted, so that the server
 * reads the two letters $8 or $5 where the parameter should be and never learns the name (spec
 * hammerdb 2.4). Procedures do get it.
 */
#include <stdio.h>
#include <string.h>

#include "workload/tproc/tproc.h"

#define CALL_MAX 512
/* The client's clock in whole seconds, says HammerDB; here it is the server's. */
#define STAMP      "localtimestamp(0)"
#define FIVE_EMPTY "'','','','','',"

/* What ostat() is said to give back; types must be those of the function. */
#define OSTAT_COLUMNS                                                                     \
    "(ol_i_id integer, ol_supply_w_id integer, ol_quantity smallint, ol_amount numeric, " \
    "ol_delivery_d timestamptz, c_id integer, c_last varchar, c_first varchar, c_middle " \
    "varchar, c_balance numeric, o_id integer, o_entry_d timestamp, o_carrier_id integer)"

/* ---- texts of functions; those of procedures are made each time ---- */

static void write(struct text *out, const void *world, const char *published, const char *mended)
{
    const struct tproc_world *tproc = world;

    if (tproc->routines == TPROC_FUNCTIONS)
        text_add(out, tproc->mended ? mended : published);
}

static void write_neword(struct text *out, const void *world)
{
    static const char sql[] = "SELECT neword($1, $2, $3, $4, $5, 0)";

    write(out, world, sql, sql);
}

static void write_payment(struct text *out, const void *world)
{
    write(out, world, "SELECT payment($1, $2, $3, $4, $5, $6, $7, '$8', '0', 0)",
          "SELECT payment($1, $2, $3, $4, $5, $6, $7, $8, '0', 0)");
}

static void write_delivery(struct text *out, const void *world)
{
    write(out, world, "SELECT delivery($1, $2)", "SELECT delivery($1, $2)");
}

static void write_slev(struct text *out, const void *world)
{
    write(out, world, "SELECT slev($1, $2, $3)", "SELECT slev($1, $2, $3)");
}

static void write_ostat(struct text *out, const void *world)
{
    write(out, world, "SELECT * FROM ostat($1, $2, $3, $4, '$5') AS " OSTAT_COLUMNS,
          "SELECT * FROM ostat($1, $2, $3, $4, $5) AS " OSTAT_COLUMNS);
}

const struct statement tproc_statements[] = {
    [TPROC_NEWORD] = { .name = "neword", .write_sql = write_neword },
    [TPROC_PAYMENT] = { .name = "payment", .write_sql = write_payment, .discard_rows = true },
    [TPROC_DELIVERY] = { .name = "delivery", .write_sql = write_delivery, .discard_rows = true },
    [TPROC_SLEV] = { .name = "slev", .write_sql = write_slev, .discard_rows = true },
    [TPROC_OSTAT] = { .name = "ostat", .write_sql = write_ostat, .discard_rows = true },
    { .name = NULL },
};

/* ---- calls ---- */

static bool calls_functions(const void *world)
{
    return ((const struct tproc_world *)world)->routines == TPROC_FUNCTIONS;
}

static void begin(struct txn *txn)
{
    if (txn_wants_block(txn))
        txn_begin(txn);
}

static void end(struct txn *txn)
{
    if (txn_wants_block(txn))
        txn_commit(txn);
}

/* Sends what was written into `sql`, which has CALL_MAX bytes. */
static void call(struct txn *txn, enum tproc_kind kind, const char *sql, int length)
{
    txn_rows(txn, txn_send_text(txn, kind, sql, length));
}

void tproc_neword_run(struct txn *txn, const void *input, const void *world)
{
    const struct tproc_input *in = input;
    int home_max = (int)((const struct tproc_world *)world)->warehouses;
    char *sql;

    begin(txn);
    txn_tally(txn, TPROC_TALLY_NEW_ORDERS, 1);
    if (calls_functions(world)) {
        const struct rows *rows = txn_query(txn, TPROC_NEWORD, in->warehouse, home_max,
                                            in->district, in->customer, in->line_count);
        if (rows_count(rows) == 1 && rows_null(rows, 0, 0))
            txn_tally(txn, TPROC_TALLY_NULL_ORDERS, 1);
    } else {
        sql = txn_room(txn, CALL_MAX);
        call(txn, TPROC_NEWORD, sql,
             snprintf(sql, CALL_MAX, "CALL neword(%d,%d,%d,%d,%d,0.0,'','',0.0,0.0,0," STAMP ")",
                      in->warehouse, home_max, in->district, in->customer, in->line_count));
    }
    end(txn);
}

static void tally_payment(struct txn *txn, const struct tproc_input *in)
{
    txn_tally(txn, TPROC_TALLY_PAYMENTS, 1);
    if (in->customer_warehouse != in->warehouse)
        txn_tally(txn, TPROC_TALLY_REMOTE_PAYMENTS, 1);
    if (in->by_name)
        txn_tally(txn, TPROC_TALLY_PAYMENTS_BY_NAME, 1);
}

static void call_payment(struct txn *txn, const struct tproc_input *in)
{
    char *sql = txn_room(txn, CALL_MAX);

    call(txn, TPROC_PAYMENT, sql,
         snprintf(sql, CALL_MAX,
                  "CALL payment(%d,%d,%d,%d,%d,%s,'0','%s',%d," FIVE_EMPTY FIVE_EMPTY FIVE_EMPTY
                  "'','',''," STAMP ",0.0,0.0,0.0,''," STAMP ")",
                  in->warehouse, in->district, in->customer_warehouse, in->customer_district,
                  in->by_name, in->amount, in->last, in->customer));
}

void tproc_payment_run(struct txn *txn, const void *input, const void *world)
{
    const struct tproc_input *in = input;

    begin(txn);
    tally_payment(txn, in);
    if (!calls_functions(world))
        call_payment(txn, in);
    else if (((const struct tproc_world *)world)->mended)
        txn_query(txn, TPROC_PAYMENT, in->warehouse, in->district, in->customer_warehouse,
                  in->customer_district, in->customer, in->by_name, in->amount, in->last);
    else
        txn_query(txn, TPROC_PAYMENT, in->warehouse, in->district, in->customer_warehouse,
                  in->customer_district, in->customer, in->by_name, in->amount);
    end(txn);
}

void tproc_delivery_run(struct txn *txn, const void *input, const void *world)
{
    const struct tproc_input *in = input;
    char *sql;

    begin(txn);
    if (calls_functions(world)) {
        txn_query(txn, TPROC_DELIVERY, in->warehouse, in->carrier);
    } else {
        sql = txn_room(txn, CALL_MAX);
        call(txn, TPROC_DELIVERY, sql,
             snprintf(sql, CALL_MAX, "CALL delivery(%d,%d," STAMP ")", in->warehouse, in->carrier));
    }
    end(txn);
}

void tproc_slev_run(struct txn *txn, const void *input, const void *world)
{
    const struct tproc_input *in = input;
    char *sql;

    begin(txn);
    if (calls_functions(world)) {
        txn_query(txn, TPROC_SLEV, in->warehouse, in->district, in->threshold);
    } else {
        sql = txn_room(txn, CALL_MAX);
        call(txn, TPROC_SLEV, sql,
             snprintf(sql, CALL_MAX, "CALL slev(%d,%d,%d,0)", in->warehouse, in->district,
                      in->threshold));
    }
    end(txn);
}

static const struct rows *ask_status(struct txn *txn, const struct tproc_input *in, bool mended)
{
    if (mended)
        return txn_query(txn, TPROC_OSTAT, in->warehouse, in->district, in->customer, in->by_name,
                         in->last);
    return txn_query(txn, TPROC_OSTAT, in->warehouse, in->district, in->customer, in->by_name);
}

void tproc_ostat_run(struct txn *txn, const void *input, const void *world)
{
    const struct tproc_input *in = input;
    char *sql;

    begin(txn);
    txn_tally(txn, TPROC_TALLY_ORDER_STATUS, 1);
    if (in->by_name)
        txn_tally(txn, TPROC_TALLY_ORDER_STATUS_BY_NAME, 1);
    if (calls_functions(world)) {
        if (rows_count(ask_status(txn, in, ((const struct tproc_world *)world)->mended)) == 0)
            txn_tally(txn, TPROC_TALLY_ORDER_STATUS_EMPTY, 1);
    } else {
        sql = txn_room(txn, CALL_MAX);
        call(txn, TPROC_OSTAT, sql,
             snprintf(sql, CALL_MAX, "CALL ostat(%d,%d,%d,%d,'%s','','',0.0,0," STAMP ",0,'')",
                      in->warehouse, in->district, in->customer, in->by_name, in->last));
    }
    end(txn);
}
