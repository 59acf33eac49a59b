/*
 * mix.c - the workloads made of groups: oltp_read_only, oltp_read_write, oltp_write_only,
 * oltp_update_index and oltp_update_non_index (spec sysbench 2).
 *
 * Each is a run of groups, from a first to a last. A group draws one table for all its repetitions,
 * each repetition draws its id. Numbers lie in the input; the strings that are written are drawn
 * from a generator kept in it, so that any number of repetitions fits.
 */
#include "workload/oltp/parts.h"

#define NUMBERS_MAX 1000 /* ids and values of k of one transaction */
#define UNSEEN_MAX  64   /* statements said before one is waited for, when pipelined */

/* In the order of the groups, but that the last group has two. */
enum { SQL_DELETE = GROUP_DELETE_INSERT, SQL_INSERT };

/* clang-format off */
#define READS \
    { .name = "point_select", .sql = "SELECT c FROM sbtest{} WHERE id=$1", \
      .discard_rows = true, .misses = "point reads returned no row" }, \
    { .name = "simple_range", .sql = "SELECT c FROM sbtest{} WHERE id BETWEEN $1 AND $2", \
      .discard_rows = true, .misses = "simple range reads returned no row" }, \
    { .name = "sum_range", .sql = "SELECT SUM(k) FROM sbtest{} WHERE id BETWEEN $1 AND $2", \
      .discard_rows = true }, \
    { .name = "order_range", .sql = "SELECT c FROM sbtest{} WHERE id BETWEEN $1 AND $2 ORDER BY c", \
      .discard_rows = true, .misses = "ordered range reads returned no row" }, \
    { .name = "distinct_range", \
      .sql = "SELECT DISTINCT c FROM sbtest{} WHERE id BETWEEN $1 AND $2 ORDER BY c", \
      .discard_rows = true, .misses = "distinct range reads returned no row" }
#define INDEX_UPDATE \
    { .name = "index_update", .sql = "UPDATE sbtest{} SET k=k+1 WHERE id=$1", \
      .misses = "index updates changed no row" }
#define NON_INDEX_UPDATE \
    { .name = "non_index_update", .sql = "UPDATE sbtest{} SET c=$1 WHERE id=$2", \
      .misses = "non-index updates changed no row" }
#define DELETE_INSERT \
    { .name = "delete", .sql = "DELETE FROM sbtest{} WHERE id=$1", \
      .misses = "deletes changed no row", .replaces = true }, \
    { .name = "insert", .sql = "INSERT INTO sbtest{} (id, k, c, pad) VALUES ($1, $2, $3, $4)" }
#define END { .name = NULL }

const struct statement oltp_read_only_statements[] = { READS, END };
const struct statement oltp_read_write_statements[] = { READS, INDEX_UPDATE, NON_INDEX_UPDATE, DELETE_INSERT, END };
const struct statement oltp_write_only_statements[] = { INDEX_UPDATE, NON_INDEX_UPDATE, DELETE_INSERT, END };
const struct statement oltp_update_index_statements[] = { INDEX_UPDATE, END };
const struct statement oltp_update_non_index_statements[] = { NON_INDEX_UPDATE, END };
/* clang-format on */

struct mix_input {
    struct rng texts; /* from which run() draws what is written */
    int32_t tables[GROUP_COUNT];
    int32_t numbers[NUMBERS_MAX];
};
_Static_assert(sizeof(struct mix_input) <= TXN_INPUT_MAX, "an input fits");

/* ---- drawing ---- */

static void draw_groups(struct mix_input *in, const struct oltp_world *oltp, struct draw *draw,
                        enum oltp_group first, enum oltp_group last)
{
    int32_t *next = in->numbers;

    for (int group = (int)first; group <= (int)last; group++) {
        in->tables[group] = oltp_draw_table(oltp, &draw->rng);
        for (int i = 0; i < oltp->repetitions[group]; i++) {
            *next++ = (int32_t)distribution_draw(&oltp->ids, &draw->rng);
            if (group == GROUP_DELETE_INSERT)
                *next++ = (int32_t)distribution_draw(&oltp->ks, &draw->rng);
        }
    }
    in->texts = draw->rng;
}

/* ---- saying ---- */

/* A transaction on its way through its groups. */
struct telling {
    struct txn *txn;
    const struct oltp_world *oltp;
    struct rng texts;
    const int32_t *next;
    int first; /* the group whose statement is the first of the workload's table */
    int unseen;
};

/* With a pipeline only so many answers may be outstanding. */
static void say(struct telling *telling, const struct value *list, int count)
{
    struct reply reply = txn_send_list(telling->txn, list, count);

    if (++telling->unseen % UNSEEN_MAX == 0)
        txn_rows(telling->txn, reply);
}
#define SAY(telling, ...) say((telling), TXN_LIST(__VA_ARGS__))

static struct value text_of(struct telling *telling, int groups)
{
    int length = 12 * groups - 1;
    char *text = txn_room(telling->txn, (size_t)length);

    oltp_draw_digits(text, groups, &telling->texts);
    return value_bytes(text, length);
}

static void say_one(struct telling *telling, int group)
{
    int statement = group - telling->first;
    int64_t id = *telling->next++;
    struct value c, pad;
    int64_t k;

    switch ((enum oltp_group)group) {
    case GROUP_POINT:
    case GROUP_INDEX_UPDATE:
        SAY(telling, statement, id);
        break;
    case GROUP_NON_INDEX_UPDATE:
        c = text_of(telling, OLTP_C_GROUPS);
        SAY(telling, statement, c, id);
        break;
    case GROUP_DELETE_INSERT:
        k = *telling->next++;
        c = text_of(telling, OLTP_C_GROUPS);
        pad = text_of(telling, OLTP_PAD_GROUPS);
        SAY(telling, statement, id);
        SAY(telling, statement + SQL_INSERT - SQL_DELETE, id, k, c, pad);
        break;
    default:
        SAY(telling, statement, id, id + telling->oltp->options.range_size - 1);
    }
}

static void say_groups(struct txn *txn, const struct mix_input *in, const struct oltp_world *oltp,
                       enum oltp_group first, enum oltp_group last)
{
    struct telling telling = {
        .txn = txn, .oltp = oltp, .texts = in->texts, .next = in->numbers, .first = (int)first
    };

    for (int group = (int)first; group <= (int)last; group++) {
        txn_instance(txn, in->tables[group]);
        for (int i = 0; i < oltp->repetitions[group]; i++)
            say_one(&telling, group);
    }
}

/* The same in a transaction block, unless --skip-trx. */
static void say_block(struct txn *txn, const struct mix_input *in, const struct oltp_world *oltp,
                      enum oltp_group first, enum oltp_group last)
{
    if (!oltp->options.skip_trx)
        txn_begin(txn);
    say_groups(txn, in, oltp, first, last);
    if (!oltp->options.skip_trx)
        txn_commit(txn);
}

/* ---- the workloads ---- */

/* More numbers than an input holds cannot be asked for, and a transaction must say something. */
static bool open_groups(void *world, const void *options, enum oltp_group first,
                        enum oltp_group last, struct error *err)
{
    const struct oltp_world *oltp = world;
    int64_t numbers = 0;

    if (!oltp_open(world, options, err))
        return false;
    for (int group = (int)first; group <= (int)last; group++)
        numbers += (int64_t)oltp->repetitions[group] * (group == GROUP_DELETE_INSERT ? 2 : 1);
    if (numbers > NUMBERS_MAX)
        return error_set(err, ERROR_USAGE,
                         "a transaction of %lld ids and values is more than the %d that one may "
                         "have: fewer --point-selects, --simple-ranges and so on",
                         (long long)numbers, NUMBERS_MAX);
    return numbers > 0 ||
           error_set(err, ERROR_USAGE, "these options leave no statement in the transaction");
}

/* Is the statement of a group that is said at all? The last group has two statements. */
static bool uses_group(const void *world, enum oltp_group first, int statement)
{
    int group = (int)first + statement;

    return ((const struct oltp_world *)world)
               ->repetitions[group < GROUP_COUNT ? group : GROUP_DELETE_INSERT] > 0;
}

#define MIX(id, first, last, say_them, words, words_of_transaction)             \
    static void id##_draw(void *input, const void *world, struct draw *draw)    \
    {                                                                           \
        draw_groups(input, world, draw, (first), (last));                       \
    }                                                                           \
    static void id##_run(struct txn *txn, const void *input, const void *world) \
    {                                                                           \
        say_them(txn, input, world, (first), (last));                           \
    }                                                                           \
    bool oltp_##id##_open(void *world, const void *options, struct error *err)  \
    {                                                                           \
        return open_groups(world, options, (first), (last), err);               \
    }                                                                           \
    bool oltp_##id##_uses(const void *world, int statement)                     \
    {                                                                           \
        return uses_group(world, (first), statement);                           \
    }                                                                           \
    const struct transaction oltp_##id##_transactions[] = {                     \
        { .name = #id,                                                          \
          .summary = words_of_transaction,                                      \
          .weight = 1,                                                          \
          .input_size = sizeof(struct mix_input),                               \
          .draw = id##_draw,                                                    \
          .run = id##_run },                                                    \
        { .name = NULL },                                                       \
    };                                                                          \
    const struct workload workload_oltp_##id = {                                \
        .name = "oltp_" #id, .summary = words, OLTP_MIX(id), OLTP_FAMILY        \
    };

MIX(read_only, GROUP_POINT, GROUP_DISTINCT, say_block,
    "sysbench's read-only transaction: 10 point and 4 range selects",
    "point selects, then four kinds of ranges")
MIX(read_write, GROUP_POINT, GROUP_DELETE_INSERT, say_block,
    "sysbench's read-write transaction: the reads of read-only, then 4 writes",
    "the same reads, then the writes of write_only")
MIX(write_only, GROUP_INDEX_UPDATE, GROUP_DELETE_INSERT, say_block,
    "sysbench's write-only transaction: the 4 writes of read-write",
    "two updates, a delete, an insert of its id")
MIX(update_index, GROUP_INDEX_UPDATE, GROUP_INDEX_UPDATE, say_groups,
    "sysbench's update of an indexed column, autocommit", "k = k + 1 of a row")
MIX(update_non_index, GROUP_NON_INDEX_UPDATE, GROUP_NON_INDEX_UPDATE, say_groups,
    "sysbench's update of a column without an index, autocommit", "a new c for a row")
