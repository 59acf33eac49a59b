/*
 * oltp.h - sysbench's OLTP family: its schema, statements, options, defaults and distributions.
 *
 * Facts: spec sysbench sections 1 and 2. Parameters are declared as the columns are (int4), where
 * sysbench declares int8.
 */
#ifndef WORKLOAD_OLTP_OLTP_H
#define WORKLOAD_OLTP_OLTP_H

#include "workload/oltp/distribution.h"
#include "workload/workload.h"

/* Names and defaults are sysbench's; the rows are in oltp/options.c. */
struct oltp_options {
    int64_t tables, table_size;
    bool auto_inc, create_secondary, secondary;
    const char *create_table_options;
    struct distribution_options rand;
};

struct oltp_world {
    struct oltp_options options;
    struct distribution ids; /* of ids and of k, over [1, table_size] */
};

extern const struct option oltp_option_rows[];

/* The parts that all workloads of the family share. */
bool oltp_open(void *world, const void *options, struct error *err);
int oltp_table_count(const void *world);
void oltp_describe(struct table_spec *table, const void *world, int index, struct arena *arena);

/* c is 10 groups and pad 5 groups of 11 random digits joined by '-': 119 and 59 characters. */
#define OLTP_C_LENGTH   119
#define OLTP_PAD_LENGTH 59
void oltp_draw_digits(char *out, int groups, struct rng *rng);

/* Uniform over [1, tables], as always in sysbench. */
int oltp_draw_table(const struct oltp_world *world, struct rng *rng);

extern const struct workload workload_oltp_point_select;

#endif
