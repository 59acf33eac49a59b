/*
 * points.c - rows by a list of ids, or of values of k: id IN ($1, $2, ...) (spec sysbench 3.2).
 *
 * --random-points says how long the list is, and the list is drawn with repetition, as published.
 * Hot points are always the same: the ids after the middle of the table.
 */
#include "workload/micro/parts.h"
#include "workload/oltp/oltp.h"

#define POINTS_MAX 1000 /* of --random-points */

enum { SQL_POINTS }; /* the only statement of each */

struct points_input {
    struct rng texts; /* from which run() draws what is written */
    int32_t table;
    int32_t values[POINTS_MAX];
};
_Static_assert(sizeof(struct points_input) <= TXN_INPUT_MAX, "an input fits");
_Static_assert(POINTS_MAX <= TXN_VALUES_MAX, "a statement takes them");

/* ---- statements ---- */

/* `begin`, then the list, whose first value is $`first`. */
static void write_list(struct text *out, const void *world, const char *begin, int first)
{
    int count = (int)((const struct oltp_world *)world)->options.random_points;

    text_format(out, "%s IN (", begin);
    for (int i = 0; i < count; i++)
        text_format(out, "%s$%d", i > 0 ? ", " : "", first + i);
    text_add_char(out, ')');
}

#define POINTS(id, begin, promise)                              \
    static void write_##id(struct text *out, const void *world) \
    {                                                           \
        write_list(out, world, begin, 1);                       \
    }                                                           \
    const struct statement micro_##id##_statements[] = {        \
        [SQL_POINTS] = { .name = #id,                           \
                         .write_sql = write_##id,               \
                         .discard_rows = true,                  \
                         .misses = promise },                   \
        { .name = NULL },                                       \
    };

/* No value of k needs to be there. */
POINTS(inlist_select, "SELECT c FROM sbtest{} WHERE id", "reads of a list returned no row")
POINTS(points_covered_pk, "SELECT id FROM sbtest{} WHERE id", "reads of a list returned no row")
POINTS(points_notcovered_pk, "SELECT id, c FROM sbtest{} WHERE id",
       "reads of a list returned no row")
POINTS(points_covered_si, "SELECT k FROM sbtest{} WHERE k", NULL)
POINTS(points_notcovered_si, "SELECT k, c FROM sbtest{} WHERE k", NULL)

static void write_inlist_update(struct text *out, const void *world)
{
    write_list(out, world, "UPDATE sbtest{} SET c=$1 WHERE id", 2);
}

const struct statement micro_inlist_update_statements[] = {
    [SQL_POINTS] = { .name = "inlist_update",
                     .write_sql = write_inlist_update,
                     .misses = "updates of a list changed no row" },
    { .name = NULL },
};

/* ---- random points ---- */

static void points_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct points_input *in = input;

    in->table = oltp_draw_table(oltp, &draw->rng);
    for (int64_t i = 0; i < oltp->options.random_points; i++)
        in->values[i] = (int32_t)distribution_draw(&oltp->ids, &draw->rng);
    in->texts = draw->rng;
}

static void points_run(struct txn *txn, const void *input, const void *world)
{
    const struct points_input *in = input;
    int count = (int)((const struct oltp_world *)world)->options.random_points;
    struct value *list = txn_room(txn, (size_t)(count + 1) * sizeof *list);

    list[0] = value_whole(SQL_POINTS);
    for (int i = 0; i < count; i++)
        list[i + 1] = value_whole(in->values[i]);
    txn_instance(txn, in->table);
    txn_send_list(txn, list, count + 1);
}

static void update_run(struct txn *txn, const void *input, const void *world)
{
    const struct points_input *in = input;
    int count = (int)((const struct oltp_world *)world)->options.random_points;
    struct value *list = txn_room(txn, (size_t)(count + 2) * sizeof *list);
    char *c = txn_room(txn, OLTP_C_LENGTH);
    struct rng texts = in->texts;

    oltp_draw_digits(c, OLTP_C_GROUPS, &texts);
    list[0] = value_whole(SQL_POINTS);
    list[1] = value_bytes(c, OLTP_C_LENGTH);
    for (int i = 0; i < count; i++)
        list[i + 2] = value_whole(in->values[i]);
    txn_instance(txn, in->table);
    txn_send_list(txn, list, count + 2);
}

bool micro_inlist_update_open(void *world, const void *options, struct error *err)
{
    int64_t most = TXN_VALUES_MAX - 1;

    if (((const struct oltp_options *)options)->random_points > most)
        return error_set(err, ERROR_USAGE, "--random-points of this workload is at most %lld",
                         (long long)most);
    return oltp_open(world, options, err);
}

/* ---- hot points ---- */

static void hot_draw(void *input, const void *world, struct draw *draw)
{
    const struct oltp_world *oltp = world;
    struct points_input *in = input;
    int64_t middle = oltp->options.table_size / 2;

    in->table = oltp_draw_table(oltp, &draw->rng);
    for (int64_t i = 0; i < oltp->options.random_points; i++)
        in->values[i] = (int32_t)(middle + 1 + i);
}

/* ---- transactions ---- */

#define TRANSACTION(id, words, draw_it, run_it)              \
    const struct transaction micro_##id##_transactions[] = { \
        { .name = #id,                                       \
          .summary = words,                                  \
          .weight = 1,                                       \
          .input_size = sizeof(struct points_input),         \
          .draw = draw_it,                                   \
          .run = run_it },                                   \
        { .name = NULL },                                    \
    };

TRANSACTION(points, "rows by a list of random values", points_draw, points_run)
TRANSACTION(hot_points, "rows by a list that is always the same", hot_draw, points_run)
TRANSACTION(inlist_update, "a new c for the rows of a list of random ids", points_draw, update_run)
