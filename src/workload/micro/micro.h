/*
 * micro.h - sysbench's 32 microbenchmarks, as micro/NAME by the names they are published under.
 *
 * Facts: spec sysbench 3.2. They are of the oltp family: the same tables, options and --compat. A
 * test is a row of tests.c; most say what a workload of oltp/ says, with other defaults, and the
 * rest is in points.c and ranges.c. In which order they are run tells suite.h.
 */
#ifndef WORKLOAD_MICRO_MICRO_H
#define WORKLOAD_MICRO_MICRO_H

#include "workload/workload.h"

/* In the order that lists show: by group, then by name. */
#define MICRO_TESTS(X)      \
    X(hot_points)           \
    X(point_query)          \
    X(points_covered_pk)    \
    X(points_covered_si)    \
    X(points_notcovered_pk) \
    X(points_notcovered_si) \
    X(random_points_10)     \
    X(random_points_100)    \
    X(random_points_1000)   \
    X(range_covered_pk)     \
    X(range_covered_si)     \
    X(range_notcovered_pk)  \
    X(range_notcovered_si)  \
    X(scan)                 \
    X(read_only_count)      \
    X(read_only_distinct)   \
    X(read_only_order)      \
    X(read_only_10)         \
    X(read_only_100)        \
    X(read_only_10000)      \
    X(read_only_simple)     \
    X(read_only_sum)        \
    X(delete)               \
    X(insert)               \
    X(read_write_10)        \
    X(read_write_100)       \
    X(update_index)         \
    X(update_inlist)        \
    X(update_nonindex)      \
    X(update_one)           \
    X(update_zipf)          \
    X(write_only)

#define MICRO_DECLARE(id) extern const struct workload workload_micro_##id;
MICRO_TESTS(MICRO_DECLARE)

/* The data of all of them; cannot be run. */
extern const struct workload workload_micro;

#endif
