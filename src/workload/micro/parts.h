/*
 * parts.h - what tests.c makes its rows of, where oltp/ has nothing that says it. Private.
 */
#ifndef WORKLOAD_MICRO_PARTS_H
#define WORKLOAD_MICRO_PARTS_H

#include "workload/workload.h"

/* points.c: many ids, or values of k, in one statement. */
extern const struct statement micro_inlist_select_statements[], micro_inlist_update_statements[],
    micro_points_covered_pk_statements[], micro_points_covered_si_statements[],
    micro_points_notcovered_pk_statements[], micro_points_notcovered_si_statements[];
extern const struct transaction micro_points_transactions[], micro_hot_points_transactions[],
    micro_inlist_update_transactions[];
/* The new c is one of the values that a statement may take. */
bool micro_inlist_update_open(void *world, const void *options, struct error *err);

/* ranges.c: a stretch of ids, or of values of k; a whole table. */
extern const struct statement micro_range_covered_pk_statements[],
    micro_range_covered_si_statements[], micro_range_notcovered_pk_statements[],
    micro_range_notcovered_si_statements[], micro_count_range_statements[], micro_scan_statements[];
extern const struct transaction micro_range_transactions[], micro_count_range_transactions[],
    micro_scan_transactions[];
extern const struct headline micro_scan_headlines[];

#endif
