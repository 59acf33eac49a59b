/*
 * check.c - the consistency conditions, for every set.
 */
#include "workload/tpcc/conditions.h"
#include "workload/tpcc/tpcc.h"

bool tpcc_check(struct text *sql, const void *world, int index)
{
    const struct tpcc_world *tpcc = world;
    struct conditions conditions = conditions_of_set(index / CONDITION_COUNT + 1, tpcc->warehouses);

    conditions.loaded_quantity = tpcc_loaded_quantity_sql;
    if (conditions.set > tpcc->sets)
        return false;
    condition_sql(sql, &conditions, index % CONDITION_COUNT);
    return true;
}
