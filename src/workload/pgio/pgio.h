/*
 * pgio.h - PGIO, the SLOB method for PostgreSQL: random single blocks, and little else.
 *
 * Tables pgio1..pgioN hold one row a block, in an order that has nothing to do with their keys; a
 * SELECT sums WORK_UNIT + 1 of them, an UPDATE writes UPDATE_WORK_UNIT + 1. Two identities of one
 * workload on the same data: by itself statements are prepared, said by the client and committed
 * one by one; --compat pgio1 is the published loop in the server, one transaction a session. Facts:
 * spec pgio (docs/pgio.md).
 *
 * Where things are: options.c; world.c (what options and data come to); rows.c (the data set);
 * draw.c (operations and statements); published.c (pgio1); check.c; rules.c (what is counted).
 */
#ifndef WORKLOAD_PGIO_PGIO_H
#define WORKLOAD_PGIO_PGIO_H

#include "workload/oltp/distribution.h"
#include "workload/workload.h"

#define PGIO_BLOCK       8192 /* bytes; PGIO's own idea of a block */
#define PGIO_BLOCKS_MIN  1024 /* of a table */
#define PGIO_BLOCKS_MAX  (INT64_C(1) << 32)
#define PGIO_FILLER      1024                       /* characters */
#define PGIO_MB          (1024 * 1024 / PGIO_BLOCK) /* blocks */
#define PGIO_TABLES_MAX  8192
#define PGIO_SCRATCH_MAX INT64_C(1000000000)
#define PGIO_SUM_LIMIT   (1LL << 30) /* bytes: above them the sum is not asked by itself */

enum pgio_compat { PGIO_CORRECT, PGIO_PUBLISHED };
enum pgio_redo { PGIO_LITE, PGIO_HEAVY };
enum pgio_sum { PGIO_SUM_AUTO, PGIO_SUM_ALWAYS, PGIO_SUM_NEVER };

/* Names and defaults are those of the published pgio.conf; what it has not, those of SLOB. */
struct pgio_options {
    const char *conf; /* read by the verb before anything else */
    const char *scale, *scan_table_size;
    int64_t update_pct, num_schemas, num_threads, work_unit, update_work_unit, run_time_ns;
    bool create_base_table, obfuscate, any_plan;
    int64_t scan_pct;
    int redo; /* enum pgio_redo */
    bool do_hotspot;
    int64_t hotspot_mb, hotspot_offset_mb, hotspot_frequency, hot_schema_frequency;
    struct distribution_options rand;
    int verify_sum; /* enum pgio_sum */
    int compat;     /* enum pgio_compat */
};

struct pgio_world {
    struct pgio_options options;
    uint64_t data_seed;
    int64_t blocks;      /* of a table: keys are 1..blocks */
    int64_t scan_blocks; /* of the table that is scanned; 0: none */
    bool scale_given;
    int64_t rows;      /* of the smallest table, once the data are asked; 0 before */
    int64_t run_s;     /* pgio1: how long a session's call lasts */
    int64_t hot_first; /* keys of the hot spot */
    int64_t hot_last;
    struct distribution reads, writes; /* of a first key */
};

/* Blocks of "1G", "512M", "2T", "65536". ERROR_USAGE. */
bool pgio_blocks(const char *name, const char *words, int64_t *blocks, struct error *err);

/* ---- options.c, world.c ---- */

extern const struct option pgio_option_rows[];
bool pgio_open(void *world, const void *options, struct error *err);
void pgio_set_data_seed(void *world, int64_t data_seed);
bool pgio_settle(void *world, struct plan *plan, const struct option_argv *said, struct error *err);
bool pgio_ask(struct text *sql, const void *world, int index);
void pgio_answer(void *world, int index, int64_t number);
bool pgio_accept(const void *world, struct error *err);
int pgio_instance_count(const void *world);

/* ---- rows.c ---- */

int pgio_table_count(const void *world);
void pgio_describe(struct table_spec *table, const void *world, int index, struct arena *arena);
/* Characters that no block compresses by more than a fifth. */
void pgio_draw_filler(char out[PGIO_FILLER], struct rng *rng);
/* The table that session `draw->stream` works on; any of them when there are fewer sessions. */
int pgio_draw_table(const struct pgio_world *world, struct draw *draw);

/* ---- draw.c ---- */

enum pgio_kind { PGIO_SELECT, PGIO_UPDATE, PGIO_SCAN, PGIO_KINDS };
/* What operation number `number` of a session is: `percent` of any hundred, evenly spread. */
bool pgio_even(uint64_t number, int64_t percent, int64_t of);

extern const struct statement pgio_statements[];
extern const struct transaction pgio_transactions[];
bool pgio_uses(const void *world, int statement);
bool pgio_any_plan(const void *world);
double pgio_weight(const void *world, int transaction);
int pgio_pick(const void *world, struct draw *draw);
bool pgio_remark(struct text *out, const void *world, int index);

/* ---- published.c ---- */

extern const struct statement pgio1_statements[];
extern const struct transaction pgio1_transactions[];
bool pgio1_object(struct object_spec *object, const void *world, int index, struct arena *arena);
bool pgio1_settle(void *world, struct plan *plan, const struct option_argv *said,
                  struct error *err);
bool pgio1_remark(struct text *out, const void *world, int index);

/* ---- check.c, rules.c ---- */

bool pgio_check(struct text *sql, const void *world, int index);

enum pgio1_tally { PGIO1_OPERATIONS, PGIO1_SELECTS, PGIO1_UPDATES, PGIO1_ROWS, PGIO1_TALLIES };
extern const struct tally pgio1_tallies[];
extern const struct headline pgio_headlines[];
extern const struct ledger pgio_ledgers[], pgio1_ledgers[];

extern const struct workload workload_pgio, workload_pgio1;

#endif
