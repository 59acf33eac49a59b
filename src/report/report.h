/*
 * report.h - tells. No number is first made here: everything comes from the result's tree or from
 * the recorder's intervals. Writes to the stream it is given; colours only when told so.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "plan/plan.h"
#include "recorder/recorder.h"

struct report_style {
    bool colour;
    int columns; /* of the terminal; 0: not a terminal */
};

/* What the stream is: colour only on a terminal without NO_COLOR and TERM other than dumb. */
struct report_style report_style_of(FILE *out);

/* One line an interval:
 * "  12s  measure    18,234 tx/s   18,234 q/s (r 18,234 w 0 o 0)   p50 0.41  p95 0.62  p99 1.10 ms
 * 0 err" aligned; a header line every 20th. `begin_ns` is the barrier. */
void report_interval(FILE *out, const struct report_style *style, const struct interval *interval,
                     const struct percentiles *percentiles, int64_t begin_ns);

/* The summary of a result: what was run on what, throughput, latency table, per transaction and
 * statement where there are several, errors by SQLSTATE, books, client, warnings, notes. */
void report_summary(FILE *out, const struct report_style *style, const json_t *result);

/* ---- comparisons (docs/compare.md tells the tree) ---- */

struct report_comparison {
    const struct report_style *style;
    bool markdown;
    bool detail;    /* intervals of every side, also when there are more than one beside the base */
    bool per_query; /* what the machine did a query */
};
/* What differs, then the tables; of a tree with "incomparable" only what differs. */
void report_comparison(FILE *out, const struct report_comparison *how, const json_t *tree);
/* A line a row and side: every figure, nothing in words but verdicts. */
void report_comparison_csv(FILE *out, const json_t *tree);

/* ---- in the words of sysbench ---- */

struct report_sysbench {
    int64_t begin_ns; /* of the measured window */
    int64_t connections;
    int64_t events; /* that a transaction counts as: 1, but the rows of a bulk insert in compat */
    bool compat;    /* percentiles by sysbench's rule rather than ours */
};
/* What --compat asks for: `events` and `compat`, the rest zero. `workload_options` is that object
 * of the plan in a result. */
struct report_sysbench report_sysbench_of(const json_t *workload_options);
/* The percentile that sysbench would print, in ms: the middle of that of its 1,024 cells, each
 * 1.8 % above the one before, which holds the value of rank floor(count * percent / 100 + 0.5). A
 * value that lies within 0.05 % of a cell's border may be taken for its neighbour's. */
double report_sysbench_percentile_ms(const struct histogram *histogram, double percent);
/* In compat keeps them, for the percentiles of the plan, in the tree as
 * summary.sysbench_percentiles_ms, where report_sysbench() finds them. */
void report_sysbench_keep(json_t *result, struct recorder *recorder);
/* What stands before the first interval: "Number of threads: 4" to "Threads started!". */
void report_sysbench_begin(FILE *out, int64_t connections);
/* "[ 10s ] thds: 4 tps: ..."; nothing for an interval of warm-up. */
void report_sysbench_interval(FILE *out, const struct interval *interval,
                              const struct percentiles *percentiles,
                              const struct report_sysbench *run);
/* The report from "SQL statistics:" to "Threads fairness:". */
void report_sysbench(FILE *out, const json_t *result);

/* The last line of the tool that the workload is from, for those who read it by a script; nothing
 * for most. */
void report_published(FILE *out, const json_t *result);
/* Its last line: where the result lies. */
void report_path(FILE *out, const struct report_style *style, const char *path);

/* How the server would do each statement. */
void report_plans(FILE *out, const struct report_style *style, const json_t *result);

/* Tables of `list`: of all workloads, where a suite is one row, or (when it is not NULL) of the
 * members of that suite, under the headings of their groups. */
void report_workloads(FILE *out, const struct report_style *style, const char *suite);

#endif
