/*
 * comparison.h - results held against each other: what the files of `compare` share.
 *
 * Runs are gathered into a table of rows (what was run) and columns (on what); a cell has a run a
 * block, or a run a repeat. From there on a comparison is one JSON tree (docs/compare.md), from
 * which everything is printed. Only result.json is read, never a series.
 */
#ifndef COMMAND_COMPARISON_H
#define COMMAND_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "compare/compare.h"

#define COMPARE_COLUMNS_MAX    16
#define COMPARE_ROWS_MAX       256
#define COMPARE_RUNS_MAX       20000
#define COMPARISON_ARENA_LIMIT (256 << 20)

struct compare_options {
    const char *by, *base, *metric, *allow;
    bool paired, lower_is_better, per_query, detail;
    bool direction_given; /* --lower-is-better or --no-lower-is-better was said */
    double threshold;     /* per cent */
    int fail_if, format;
};
enum compare_fail { FAIL_NEVER, FAIL_SLOWER };
enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_CSV, COMPARE_JSON };

struct compared_run {
    const char *path; /* as it was named, or below the bench's folder */
    json_t *result;   /* owned by the comparison */
    int row, column, block;
    double value; /* of the metric; 0: unusable, and a note says why */
};

/* Memory is the arena's but for the results. */
struct comparison {
    struct arena *arena;
    const char *name; /* of the bench, or NULL */
    const char *rows[COMPARE_ROWS_MAX], *columns[COMPARE_COLUMNS_MAX];
    int row_count, column_count;
    struct compared_run *runs; /* owned, like their results */
    int run_count;
    bool paired;   /* runs of one block belong together */
    json_t *notes; /* owned: strings, for the reader */
};

void comparison_close(struct comparison *comparison);
/* A sentence for the reader. */
void comparison_note(struct comparison *comparison, const char *format, ...) PRINTF_LIKE(2, 3);

/* What stood on the command line; sides[i] says behind how many "--" a word did. */
struct operands {
    const char *const *words;
    const int *sides;
    int count;
};
/* compare_gather.c: the runs. ERROR_USAGE, ERROR_PLAN: what is no result, or cannot be divided into
 * sides. */
bool compare_gather(struct comparison *comparison, const struct compare_options *options,
                    const struct operands *operands, struct error *err);

/* Reads one result and adds it without a place; what did not finish is left out with a note. */
bool compare_take(struct comparison *comparison, const char *path, struct error *err);

/* The number of the server's version, "17.10"; "?" when the result does not know. In the arena. */
const char *compare_version(const json_t *result, struct arena *arena);

/* compare_bench.c: the runs of a bench's folder; false without an error when it is none. */
bool compare_bench(struct comparison *comparison, const char *folder, struct error *err);
/* Only its finished runs, without a place. */
bool compare_bench_runs(struct comparison *comparison, const char *folder, struct error *err);

/* compare_differ.c: what differs between the columns: an array of {"kind", "what", "rows",
 * "values": [one a column]}, the weightiest first. Owned. */
json_t *compare_differences(const struct comparison *comparison);
/* The kinds that forbid a verdict, all of those in `allow` taken out, as "durability, mode"; NULL
 * when there are none. In the arena. */
const char *compare_forbids(const struct comparison *comparison, const json_t *differences,
                            const char *allow);
/* Are all words of --allow known? ERROR_USAGE. */
bool compare_allow_check(const char *allow, struct error *err);

/* compare_metric.c: what is compared. */
struct metric {
    const char *path;  /* in result.json */
    const char *words; /* "queries a second" */
    bool lower_is_better;
};
struct metric compare_metric(const json_t *result, const struct compare_options *options,
                             struct arena *arena);
/* The same metric over the pieces of the measured window, up to `size`; their number, 0: there is
 * nothing like it. */
int compare_pieces(json_t *result, const struct metric *metric, double *pieces, int size);

/* compare_cell.c: the runs of one row and column, in the order of their blocks. */
struct cell {
    const struct compared_run **runs; /* borrowed; the array is the arena's */
    double *values;                   /* of the metric, all above 0 */
    int count;
};
/* Without those whose value is unusable, about which a note is left. */
struct cell compare_cell(struct comparison *comparison, int row, int column);
/* {"runs", "mean", "median", "variation", "values", ...}. Owned. */
json_t *compare_cell_json(struct comparison *comparison, const struct cell *cell,
                          const struct metric *metric);
/* The values of two cells by blocks that both have (of several runs in a block the mean); their
 * number. Both arrays hold as many as the smaller cell has. */
int compare_pair(const struct cell *base, const struct cell *head, double *base_values,
                 double *head_values);

/* compare_tree.c: the comparison as a tree. Owned. NULL with `err`: no result has the metric, no
 * row has two sides. */
json_t *compare_tree(struct comparison *comparison, const struct compare_options *options,
                     const json_t *differences, struct error *err);
/* The worst that the tree's verdicts say, for --fail-if: names of the rows, or NULL. Arena. */
const char *compare_failed(const json_t *tree, int fail_if, struct arena *arena);

/* compare_group.c: which of the published tables a workload stands in; NULL: it is no
 * microbenchmark. */
const char *compare_group(const char *workload);
/* The groups' geometric means, an array. Owned. */
json_t *compare_groups_json(struct comparison *comparison, const json_t *rows,
                            const struct cell *cells);

/* compare_reason.c: how the run at `odd` differs from the others of its cell, in words, appended to
 * `out`; nothing when nothing is known. */
struct text;
void compare_reason(struct text *out, const struct compared_run *const *cell, int count, int odd);

/* resolution.c: what `aa` found on a machine, kept in the state folder. */
bool resolution_keep(const char *host, const char *family, json_t *found, struct error *err);
/* {"half_width", "blocks", "workload", "when"}, or NULL. Owned. */
json_t *resolution_find(const char *host, const char *family);

#endif
