/*
 * select_random.c - select_random_points and select_random_ranges: rows of sbtest1 by k, many
 * values in one statement (spec sysbench 2).
 *
 * The values of k are shared out: of table_size / streams values each a stream draws from its own
 * part, both ends included, so that the first may ask for 0.
 */
#include "workload/oltp/oltp.h"

enum { SQL_SELECT };

#define VALUES_MAX 1000

struct select_input {
    int32_t values[VALUES_MAX];
};
_Static_assert(sizeof(struct select_input) <= TXN_INPUT_MAX, "an input fits");
_Static_assert(VALUES_MAX <= TXN_VALUES_MAX, "a statement takes them");

static void draw_values(struct select_input *in, const struct oltp_world *oltp, struct draw *draw,
                        int64_t count)
{
    double part = (double)oltp->options.table_size / (double)draw->streams;
    int64_t low = (int64_t)(part * (double)draw->stream);
    int64_t high = (int64_t)(part * (double)draw->stream + part);
    struct distribution within = distribution_over(&oltp->ids, high - low + 1);

    for (int64_t i = 0; i < count; i++)
        in->values[i] = (int32_t)(low - 1 + distribution_draw(&within, &draw->rng));
}

/* ---- points ---- */

static void write_points(struct text *out, const void *world)
{
    const struct oltp_world *oltp = world;

    text_add(out, "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (");
    for (int i = 1; i <= oltp->options.random_points; i++)
        text_format(out, "%s$%d", i > 1 ? ", " : "", i);
    text_add_char(out, ')');
}

static const struct statement point_statements[] = {
    [SQL_SELECT] = { .name = "random_points", .write_sql = write_points, .discard_rows = true },
    { .name = NULL },
};

static void points_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;

    draw_values(input, oltp, draw, oltp->options.random_points);
}

static void points_run(struct txn *txn, const void *input, const void *world)
{
    const struct oltp_world *oltp = world;
    const struct select_input *in = input;
    int count = (int)oltp->options.random_points;
    struct value *list = txn_room(txn, (size_t)(count + 1) * sizeof *list);

    list[0] = value_whole(SQL_SELECT);
    for (int i = 0; i < count; i++)
        list[i + 1] = value_whole(in->values[i]);
    txn_send_list(txn, list, count + 1);
}

/* ---- ranges ---- */

static void write_ranges(struct text *out, const void *world)
{
    const struct oltp_world *oltp = world;

    text_add(out, "SELECT count(k) FROM sbtest1 WHERE ");
    for (int i = 0; i < oltp->options.number_of_ranges; i++)
        text_format(out, "%sk BETWEEN $%d AND $%d", i > 0 ? " OR " : "", 2 * i + 1, 2 * i + 2);
}

static const struct statement range_statements[] = {
    [SQL_SELECT] = { .name = "random_ranges", .write_sql = write_ranges, .discard_rows = true },
    { .name = NULL },
};

static void ranges_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;

    draw_values(input, oltp, draw, oltp->options.number_of_ranges);
}

static void ranges_run(struct txn *txn, const void *input, const void *world)
{
    const struct oltp_world *oltp = world;
    const struct select_input *in = input;
    int count = (int)oltp->options.number_of_ranges;
    struct value *list = txn_room(txn, (size_t)(2 * count + 1) * sizeof *list);

    list[0] = value_whole(SQL_SELECT);
    for (int i = 0; i < count; i++) {
        list[2 * i + 1] = value_whole(in->values[i]);
        list[2 * i + 2] = value_whole(in->values[i] + oltp->options.delta);
    }
    txn_send_list(txn, list, 2 * count + 1);
}

/* ---- the workloads ---- */

static const struct transaction point_transactions[] = {
    { .name = "random_points",
      .summary = "rows by --random-points values of k",
      .weight = 1,
      .input_size = sizeof(struct select_input),
      .draw = points_draw,
      .run = points_run },
    { .name = NULL },
};

static const struct transaction range_transactions[] = {
    { .name = "random_ranges",
      .summary = "count of rows by --number-of-ranges of k",
      .weight = 1,
      .input_size = sizeof(struct select_input),
      .draw = ranges_draw,
      .run = ranges_run },
    { .name = NULL },
};

const struct workload workload_select_random_points = {
    .name = "select_random_points",
    .summary = "sysbench's select by 10 values of the indexed k, from sbtest1",
    .statements = point_statements,
    .transactions = point_transactions,
    .open = oltp_open,
    OLTP_FAMILY,
};

const struct workload workload_select_random_ranges = {
    .name = "select_random_ranges",
    .summary = "sysbench's count over 10 ranges of the indexed k, from sbtest1",
    .statements = range_statements,
    .transactions = range_transactions,
    .open = oltp_open,
    OLTP_FAMILY,
};
