/*
 * check.c - the consistency conditions, for every set.
 */
#include "workload/tpcc/conditions.h"
#include "workload/tpcc/tpcc.h"

bool tpcc_check(struct text *sql, const void *world, int index)
{
    const struct tpcc_world *tpcc = world;
    struct conditions conditions = {
        .warehouse = "warehouse{}",
        .district = "district{}",
        .customer = "customer{}",
        .history = "history{}",
        .orders = "orders{}",
        .new_order = "new_orders{}",
        .order_line = "order_line{}",
        .stock = "stock{}",
        .item = "item{}",
        .set = index / CONDITION_COUNT + 1,
        .warehouses = tpcc->warehouses,
        .loaded_quantity = tpcc_loaded_quantity_sql,
    };

    if (conditions.set > tpcc->sets)
        return false;
    condition_sql(sql, &conditions, index % CONDITION_COUNT);
    return true;
}
