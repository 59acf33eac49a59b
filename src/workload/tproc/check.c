/*
 * check.c - the consistency conditions, and which of them the published routines cannot satisfy
 * (spec hammerdb 1.4, 2.4 and 3.7).
 */
#include "workload/tpcc/conditions.h"
#include "workload/tpcc/tpcc.h"
#include "workload/tproc/tproc.h"

static const char inverted[] = "the published load gives amounts to delivered orders, and the "
                               "published Payment does not keep balances";

bool tproc_check(struct text *sql, const void *world, int index)
{
    const struct tproc_world *tproc = world;
    struct conditions conditions = {
        .warehouse = "warehouse",
        .district = "district",
        .customer = "customer",
        .history = "history",
        .orders = "orders",
        .new_order = "new_order",
        .order_line = "order_line",
        .stock = "stock",
        .item = "item",
        .warehouses = tproc->warehouses,
    };

    if (index >= CONDITION_COUNT)
        return false;
    if (!tproc->mended) {
        conditions.impossible[10] = conditions.impossible[12] = inverted;
        conditions.impossible[CONDITION_13] = "the published New-Order keeps no count of its stock";
    } else {
        conditions.loaded_quantity = tpcc_loaded_quantity_sql;
    }
    condition_sql(sql, &conditions, index);
    return true;
}
