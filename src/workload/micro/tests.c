/*
 * tests.c - the 32 microbenchmarks, a row a test (spec sysbench 3.2).
 *
 * A row is the test's name, its group, what it says in words, and where its statements and
 * transactions come from; presets are the options that its published command line has. Where a test
 * asks for other rows than the options say, as update-one and update-zipf do, that is in its
 * open():
 * --rand-type and --table-size belong to the data, which all tests share.
 */
#include "workload/micro/micro.h"
#include "workload/micro/parts.h"
#include "workload/oltp/parts.h"

#define POINT_QUERIES "point queries"
#define RANGE_QUERIES "range queries without aggregation"
#define AGGREGATES    "range queries with aggregation"
#define WRITES        "writes"

#define PRESETS(...)                 \
    .presets = (const char *const[]) \
    {                                \
        __VA_ARGS__, NULL            \
    }
#define MICRO(id) .statements = micro_##id##_statements
#define DOES(id)  .transactions = micro_##id##_transactions, .open = oltp_open
/* Ten point selects and one kind of range. */
#define ONE_RANGE(a, b, c) \
    OLTP_MIX(read_only), PRESETS("range-size=1000", a "-ranges=0", b "-ranges=0", c "-ranges=0")

#define TEST(id, test, heading, words, ...)       \
    const struct workload workload_micro_##id = { \
        .name = "micro/" test,                    \
        .suite = "micro",                         \
        .group = heading,                         \
        .summary = words,                         \
        __VA_ARGS__,                              \
        OLTP_FAMILY,                              \
    };

/* ---- requests that are not as the options say ---- */

/* The first row of each table: so few are hot that sessions wait for each other. */
static bool one_open(void *world, const void *options, struct error *err)
{
    struct oltp_world *oltp = world;

    if (!oltp_update_non_index_open(world, options, err))
        return false;
    oltp->ids = (struct distribution){ .kind = DISTRIBUTION_UNIFORM, .count = 1 };
    return true;
}

static bool zipf_open(void *world, const void *options, struct error *err)
{
    struct oltp_world *oltp = world;
    struct distribution_options zipf;

    if (!oltp_update_non_index_open(world, options, err))
        return false;
    zipf = oltp->options.rand;
    zipf.kind = DISTRIBUTION_ZIPFIAN;
    distribution_init(&oltp->ids, &zipf, oltp->ids.count);
    return true;
}

/* ---- point queries ---- */

TEST(hot_points, "hot-points", POINT_QUERIES, "100 rows by id in one list, always the same 100",
     MICRO(inlist_select), DOES(hot_points), PRESETS("random-points=100"))
TEST(point_query, "point-query", POINT_QUERIES, "one row by id", OLTP_POINT_SELECT)
TEST(points_covered_pk, "points-covered-pk", POINT_QUERIES,
     "100 ids in one list, read from the primary key alone", MICRO(points_covered_pk), DOES(points),
     PRESETS("random-points=100"))
TEST(points_covered_si, "points-covered-si", POINT_QUERIES,
     "100 values of k in one list, read from its index alone", MICRO(points_covered_si),
     DOES(points), PRESETS("random-points=100"))
TEST(points_notcovered_pk, "points-notcovered-pk", POINT_QUERIES,
     "100 ids in one list, with a column of the row", MICRO(points_notcovered_pk), DOES(points),
     PRESETS("random-points=100"))
TEST(points_notcovered_si, "points-notcovered-si", POINT_QUERIES,
     "100 values of k in one list, with a column of the rows", MICRO(points_notcovered_si),
     DOES(points), PRESETS("random-points=100"))
#define RANDOM_POINTS(count)                                                          \
    TEST(random_points_##count, "random-points_range=" #count, POINT_QUERIES,         \
         #count " random rows by id in one list", MICRO(inlist_select), DOES(points), \
         PRESETS("random-points=" #count))
RANDOM_POINTS(10)
RANDOM_POINTS(100)
RANDOM_POINTS(1000)

/* ---- range queries ---- */

TEST(range_covered_pk, "range-covered-pk", RANGE_QUERIES,
     "a range of 101 ids, read from the primary key alone", MICRO(range_covered_pk), DOES(range),
     PRESETS("random-points=100"))
TEST(range_covered_si, "range-covered-si", RANGE_QUERIES,
     "a range of 101 values of k, read from its index alone", MICRO(range_covered_si), DOES(range),
     PRESETS("random-points=100"))
TEST(range_notcovered_pk, "range-notcovered-pk", RANGE_QUERIES,
     "a range of 101 ids, with a column of the rows", MICRO(range_notcovered_pk), DOES(range),
     PRESETS("random-points=100"))
TEST(range_notcovered_si, "range-notcovered-si", RANGE_QUERIES,
     "a range of 101 values of k, with a column of the rows", MICRO(range_notcovered_si),
     DOES(range), PRESETS("random-points=100"))
TEST(scan, "scan", RANGE_QUERIES, "a whole table, of which no row is wanted; counted in rows",
     MICRO(scan), DOES(scan), .headlines = micro_scan_headlines)

TEST(read_only_count, "read-only-count", AGGREGATES, "a count over 1000 ids, not in a transaction",
     MICRO(count_range), DOES(count_range), PRESETS("range-size=1000"))
TEST(read_only_distinct, "read-only-distinct", AGGREGATES,
     "10 rows by id and a range of 1000, distinct and in order",
     ONE_RANGE("simple", "sum", "order"))
TEST(read_only_order, "read-only-order", AGGREGATES, "10 rows by id and a range of 1000, in order",
     ONE_RANGE("simple", "sum", "distinct"))
TEST(read_only_simple, "read-only-simple", AGGREGATES, "10 rows by id and a range of 1000",
     ONE_RANGE("sum", "order", "distinct"))
TEST(read_only_sum, "read-only-sum", AGGREGATES, "10 rows by id and a sum over 1000",
     ONE_RANGE("simple", "order", "distinct"))
#define READ_ONLY(range)                                                                 \
    TEST(read_only_##range, "read-only_range=" #range, AGGREGATES,                       \
         "sysbench's read-only transaction with ranges of " #range, OLTP_MIX(read_only), \
         PRESETS("range-size=" #range))
READ_ONLY(10)
READ_ONLY(100)
READ_ONLY(10000)

/* ---- writes ---- */

TEST(delete, "delete", WRITES, "a row by id, gone for good; runs dry", OLTP_DELETE)
TEST(insert, "insert", WRITES, "a new row", OLTP_INSERT)
#define READ_WRITE(range)                                                                  \
    TEST(read_write_##range, "read-write_range=" #range, WRITES,                           \
         "sysbench's read-write transaction with ranges of " #range, OLTP_MIX(read_write), \
         PRESETS("range-size=" #range))
READ_WRITE(10)
READ_WRITE(100)
TEST(update_index, "update-index", WRITES, "k = k + 1 of a row, which changes an index",
     OLTP_MIX(update_index))
TEST(update_inlist, "update-inlist", WRITES, "a new c for 10 random rows by id in one list",
     MICRO(inlist_update), .transactions = micro_inlist_update_transactions,
     .open = micro_inlist_update_open)
TEST(update_nonindex, "update-nonindex", WRITES, "a new c for a row", OLTP_MIX(update_non_index))
TEST(update_one, "update-one", WRITES, "a new c for the first row of a table, always that one",
     OLTP_LIKE(update_non_index), .uses = oltp_update_non_index_uses, .open = one_open)
TEST(update_zipf, "update-zipf", WRITES, "a new c for a row, the lowest ids hottest (Zipf 0.8)",
     OLTP_LIKE(update_non_index), .uses = oltp_update_non_index_uses, .open = zipf_open)
TEST(write_only, "write-only", WRITES, "sysbench's write-only transaction", OLTP_MIX(write_only))

/* ---- their data ---- */

static const struct transaction none[] = { { .name = NULL } };

const struct workload workload_micro = {
    .name = "micro",
    .summary = "32 microbenchmarks of sysbench's tables, micro/NAME: see pgdyno list micro",
    .transactions = none,
    .open = oltp_open,
    OLTP_FAMILY,
};
