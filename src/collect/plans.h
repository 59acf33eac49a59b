/*
 * plans.h - what of a plan can be told without a server. Private to the room; collect_plans() asks.
 */
#ifndef COLLECT_PLANS_H
#define COLLECT_PLANS_H

#include <stdbool.h>

/* The lines of EXPLAIN in one: "Update on sbtest* (Index Scan using sbtest*_pkey on sbtest*)".
 * Nodes with the tables and indexes that they name, children in brackets; no costs, no rows, no
 * conditions. The number `instance` at or within the end of a name is *, so that plans of different
 * instances can be the same. Owned. */
char *plans_shape(const char *const *lines, int count, int instance);

/* Can the server explain it? CALL and the like have no plan. */
bool plans_explainable(const char *sql);

#endif
