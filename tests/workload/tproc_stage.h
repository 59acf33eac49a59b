/*
 * tproc_stage.h - what the tests of tproc stand on: verbs that keep what is said to them, and a
 * world.
 */
#ifndef TESTS_WORKLOAD_TPROC_STAGE_H
#define TESTS_WORKLOAD_TPROC_STAGE_H

#include "base/arena.h"
#include "workload/tproc/tproc.h"

#define FIELDS_MAX 32
#define ROWS_MAX   16
#define TEXT_MAX   600
#define NONE       INT64_MIN

struct field {
    int64_t number; /* decimals in their last place; NONE: it was NULL, or text */
    char text[TEXT_MAX];
};

/* The rows that were said to COPY. */
extern struct field fields[ROWS_MAX][FIELDS_MAX];
extern int row_count, field_count;
/* The statement that was said last, its values' count (-1: a text), and the text. */
extern char said[4096];
extern int said_count, last_statement;
extern int64_t tallies[TPROC_TALLIES];
extern struct arena *arena;

int setup(void **state);
int teardown(void **state);
struct tproc_world *world_of(int compat, int64_t warehouses);
/* Says that row of the table into `fields`. */
void make(const struct tproc_world *world, enum tproc_table table, int64_t number);
void assert_near(double found, double wanted, double tolerance);

#endif
