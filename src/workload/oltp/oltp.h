/*
 * oltp.h - sysbench's OLTP family: its schema, statements, options, defaults and distributions.
 *
 * Facts: spec sysbench sections 1 and 2. Parameters are declared as the columns are (int4, char),
 * where sysbench declares int8 and varchar; --compat sysbench does as sysbench does.
 */
#ifndef WORKLOAD_OLTP_OLTP_H
#define WORKLOAD_OLTP_OLTP_H

#include "workload/oltp/distribution.h"
#include "workload/workload.h"

enum oltp_compat { OLTP_COMPAT_NONE, OLTP_COMPAT_SYSBENCH };

/* What of sysbench's differs from ours on purpose; both families share the words. */
extern const struct choice oltp_compat_choices[];

/* A group is one kind of statement, repeated on one table that is drawn for the group. */
enum oltp_group {
    GROUP_POINT,
    GROUP_SIMPLE,
    GROUP_SUM,
    GROUP_ORDER,
    GROUP_DISTINCT,
    GROUP_INDEX_UPDATE,
    GROUP_NON_INDEX_UPDATE,
    GROUP_DELETE_INSERT,
    GROUP_COUNT
};

/* Names and defaults are sysbench's; the rows are in oltp/options.c. */
struct oltp_options {
    int64_t tables, table_size;
    bool auto_inc, create_secondary, secondary;
    const char *create_table_options;
    struct distribution_options rand;
    int64_t repetitions[GROUP_COUNT]; /* of each group in a transaction */
    bool range_selects, skip_trx;
    int64_t range_size, random_points, number_of_ranges, delta;
    int compat; /* enum oltp_compat */
};

struct oltp_world {
    struct oltp_options options;
    struct distribution ids;      /* of ids that are asked for, over [1, table_size] */
    struct distribution ks;       /* of values of k, likewise */
    int repetitions[GROUP_COUNT]; /* as the options say, together */
    int64_t last_id;              /* highest id of any table, when a workload has asked for it */
};

extern const struct option oltp_option_rows[];

/* The parts that all workloads of the family share. */
bool oltp_open(void *world, const void *options, struct error *err);
int oltp_table_count(const void *world);
void oltp_describe(struct table_spec *table, const void *world, int index, struct arena *arena);
bool oltp_declares_wide(const void *world);
bool oltp_check(struct text *sql, const void *world, int index);

/* What every descriptor of the family says alike. */
#define OLTP_FAMILY                                                                             \
    .family = "oltp", .options = oltp_option_rows, .options_size = sizeof(struct oltp_options), \
    .world_size = sizeof(struct oltp_world), .needs_server = true,                              \
    .declares_wide = oltp_declares_wide, .redraws = oltp_declares_wide,                         \
    .instance_count = oltp_table_count, .table_count = oltp_table_count,                        \
    .describe = oltp_describe, .check = oltp_check

/* c is 10 groups and pad 5 groups of 11 random digits joined by '-': 119 and 59 characters. */
#define OLTP_C_GROUPS   10
#define OLTP_C_LENGTH   119
#define OLTP_PAD_GROUPS 5
#define OLTP_PAD_LENGTH 59
void oltp_draw_digits(char *out, int groups, struct rng *rng);

/* Adds `words` with `number` for each {}. */
void oltp_add_numbered(struct text *out, const char *words, int number);

/* Uniform over [1, tables], as always in sysbench. */
int oltp_draw_table(const struct oltp_world *world, struct rng *rng);

/* Scattered numbers: for index 0, 1, 2, ... different ones within [0, SCATTER_BLOCK) and then
 * within the next block; a permutation of each block (sysbench's unique()). */
#define SCATTER_BLOCK (INT64_C(1) << 24)
int64_t oltp_scatter(int64_t index);

extern const struct workload workload_oltp_point_select, workload_oltp_read_only,
    workload_oltp_read_write, workload_oltp_write_only, workload_oltp_update_index,
    workload_oltp_update_non_index, workload_oltp_insert, workload_oltp_delete,
    workload_select_random_points, workload_select_random_ranges, workload_bulk_insert;

#endif
