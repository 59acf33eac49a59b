/*
 * tpcc.c - the workload's descriptor, see tpcc.h.
 */
#include "workload/tpcc/tpcc.h"
#include "workload/tpcc/percona.h"

#define PUT_OFF_S 80 /* for what is only queued */

/* A row, and the times of its terminal: keying, thinking on average, and within which nine of ten
 * are to be done (clauses 5.2.5.3, 5.2.5.7 and, for what Delivery puts off, 2.7.2.2). */
#define TRANSACTION(id, share, keying, think, within, said)                                    \
    {                                                                                          \
        .name = #id, .summary = said, .weight = share, .input_size = sizeof(struct tpcc_##id), \
        .keying_s = keying, .think_mean_s = think, .within_s = within,                         \
        .deferred = (within) == PUT_OFF_S, .draw = tpcc_##id##_draw, .run = tpcc_##id##_run    \
    }

static const struct transaction transactions[] = {
    [TPCC_KIND_NEW_ORDER] =
        TRANSACTION(new_order, 45, 18, 12, 5, "a customer orders 5 to 15 items"),
    [TPCC_KIND_PAYMENT] = TRANSACTION(payment, 43, 3, 12, 5, "a customer pays"),
    [TPCC_KIND_ORDER_STATUS] = TRANSACTION(order_status, 4, 2, 10, 5, "a customer's last order"),
    [TPCC_KIND_DELIVERY] =
        TRANSACTION(delivery, 4, 2, 5, PUT_OFF_S, "the oldest new order of ten districts"),
    [TPCC_KIND_STOCK_LEVEL] =
        TRANSACTION(stock_level, 4, 2, 5, 20, "recent items that are low on stock"),
    [TPCC_KINDS] = { .name = NULL },
};

static const struct variant variants[] = {
    { "percona", &workload_percona },
    { "percona-fixed", &workload_percona },
    { NULL, NULL },
};

const struct workload workload_tpcc = {
    .name = "tpcc",
    .summary = "TPC-C-like: order entry, all inputs and updates by the specification",
    .family = "tpcc",
    .options = tpcc_option_rows,
    .options_size = sizeof(struct tpcc_options),
    .world_size = sizeof(struct tpcc_world),
    .statements = tpcc_statements,
    .transactions = transactions,
    .needs_server = true,
    .open = tpcc_open,
    .set_data_seed = tpcc_set_data_seed,
    .ask = tpcc_ask,
    .answer = tpcc_answer,
    .accept = tpcc_accept,
    .remark = tpcc_remark,
    .instance_count = tpcc_set_count,
    .table_count = tpcc_table_count,
    .describe = tpcc_describe,
    .variants = variants,
    .uses = tpcc_uses,
    .weight = tpcc_weight,
    .pick = tpcc_pick,
    .object = tpcc_function,
    .check = tpcc_check,
    .check_after_run = true,
    .grows = "warehouses",
    .tallies = tpcc_tallies,
    .rates = tpcc_rates,
    .headlines = tpcc_headlines,
    .ledgers = tpcc_ledgers,
};
