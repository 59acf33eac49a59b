/*
 * conditions.h - are the data of a TPC-C-like workload consistent? As SQL, over all warehouses.
 *
 * The twelve conditions of TPC-C clause 3.3.2; before them the sizes of what never grows, without
 * which an emptied table would satisfy most; after them a thirteenth of ours, since the twelve miss
 * a lost update of the stock. Condition 11 holds as published only for fresh data: here it counts
 * what was delivered since. NULLs differ from everything.
 *
 * Each question gives one row with the count of what differs, then the first ten of them with what
 * was found and what was wanted, as workload.check is to do.
 */
#ifndef WORKLOAD_TPCC_CONDITIONS_H
#define WORKLOAD_TPCC_CONDITIONS_H

#include <stdint.h>

#include "base/text.h"

enum condition {
    CONDITION_SIZES,
    CONDITION_1,
    CONDITION_13 = 13,
    CONDITION_COUNT,
};

struct conditions {
    /* Names of the tables, quoted where they must be; `{}` stands for the set's number. */
    const char *warehouse, *district, *customer, *history, *orders, *new_order, *order_line, *stock,
        *item;
    int set; /* 0: there is but one, and it is not mentioned */
    int64_t warehouses;
    /* The quantity that a stock row was loaded with, as SQL over s_w_id and s_i_id; NULL: it is not
     * known, and s_quantity is not looked at. */
    const char *loaded_quantity;
    /* For a variant that cannot satisfy a condition: why, by number. What differs is told then and
     * held against nothing. NULL: it must hold. */
    const char *impossible[CONDITION_COUNT];
};

/* Those of a set as sysbench-tpcc names its tables, warehouse1 and so on. */
struct conditions conditions_of_set(int set, int64_t warehouses);

/* Appends the question to `sql`. */
void condition_sql(struct text *sql, const struct conditions *conditions, int condition);

#endif
