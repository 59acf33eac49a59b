/*
 * ranges.c - a stretch of ids, or of values of k, and a whole table (spec sysbench 3.2).
 *
 * The stretches of the four range tests are v to v + --random-points, so one value more than that:
 * their script has no option of its own for it. That of the count is --range-size values long.
 */
#include <stdio.h>

#include "workload/micro/parts.h"
#include "workload/oltp/oltp.h"

#define SCAN_SQL      "SELECT * FROM sbtest%d WHERE length(c) < 0"
#define SCAN_SQL_SIZE 80

enum { SQL_RANGE }; /* the only statement of each */

struct range_input {
    int table;
    int64_t first;
};

/* ---- statements ---- */

#define RANGE(id, words, promise)                                                             \
    const struct statement micro_##id##_statements[] = {                                      \
        [SQL_RANGE] = { .name = #id, .sql = words, .discard_rows = true, .misses = promise }, \
        { .name = NULL },                                                                     \
    };

/* No value of k needs to be there; a count is always one row, and a scan finds none. */
RANGE(range_covered_pk, "SELECT id FROM sbtest{} WHERE id BETWEEN $1 AND $2",
      "range reads returned no row")
RANGE(range_notcovered_pk, "SELECT id, c FROM sbtest{} WHERE id BETWEEN $1 AND $2",
      "range reads returned no row")
RANGE(range_covered_si, "SELECT k FROM sbtest{} WHERE k BETWEEN $1 AND $2", NULL)
RANGE(range_notcovered_si, "SELECT k, c FROM sbtest{} WHERE k BETWEEN $1 AND $2", NULL)
RANGE(count_range, "SELECT count(c) FROM sbtest{} WHERE id BETWEEN $1 AND $2", NULL)
RANGE(scan, "SELECT * FROM sbtest{} WHERE length(c) < 0", NULL)

/* ---- ranges ---- */

static void range_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct range_input *in = input;

    in->table = oltp_draw_table(oltp, &draw->rng);
    in->first = distribution_draw(&oltp->ids, &draw->rng);
}

static void range_run(struct txn *txn, const void *input, const void *world)
{
    const struct range_input *in = input;

    txn_instance(txn, in->table);
    txn_send(txn, SQL_RANGE, in->first,
             in->first + ((const struct oltp_world *)world)->options.random_points);
}

static void count_run(struct txn *txn, const void *input, const void *world)
{
    const struct range_input *in = input;

    txn_instance(txn, in->table);
    txn_send(txn, SQL_RANGE, in->first,
             in->first + ((const struct oltp_world *)world)->options.range_size - 1);
}

/* ---- the scan ---- */

/* A session keeps to its table. */
static void scan_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct range_input *in = input;

    *in = (struct range_input){ .table = (int)(draw->stream % oltp->options.tables) + 1 };
}

/* Not prepared, whatever the protocol. */
static void scan_run(struct txn *txn, const void *input, const void *world)
{
    const struct range_input *in = input;
    char *sql = txn_room(txn, SCAN_SQL_SIZE);
    int length = snprintf(sql, SCAN_SQL_SIZE, SCAN_SQL, in->table);

    (void)world;
    txn_send_text(txn, SQL_RANGE, sql, length);
}

static double scanned_rows(const void *world)
{
    return (double)((const struct oltp_world *)world)->options.table_size;
}

const struct headline micro_scan_headlines[] = {
    { .name = "rows_per_s",
      .words = "rows scanned a second",
      .transaction = 0,
      .seconds = 1,
      .counts_for = scanned_rows },
    { .name = NULL },
};

/* ---- transactions ---- */

#define TRANSACTION(id, words, draw_it, run_it)              \
    const struct transaction micro_##id##_transactions[] = { \
        { .name = #id,                                       \
          .summary = words,                                  \
          .weight = 1,                                       \
          .input_size = sizeof(struct range_input),          \
          .draw = draw_it,                                   \
          .run = run_it },                                   \
        { .name = NULL },                                    \
    };

TRANSACTION(range, "a stretch of ids, or of values of k", range_draw, range_run)
TRANSACTION(count_range, "a count over a stretch of ids", range_draw, count_run)
TRANSACTION(scan, "a whole table, of which no row is wanted", scan_draw, scan_run)
