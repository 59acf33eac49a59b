/*
 * suite.c - the steps, a row a step (spec sysbench 3.3).
 *
 * write-only has the seconds of a read test: so it was published.
 */
#include "workload/micro/suite.h"

#include <stddef.h>

#include "base/compiler.h"

#define WAIT_LEAST_S 60
#define WAIT_MOST_S  1200
#define ROWS_A_S     1000000

#define RUN(test, class)                             \
    {                                                \
        SUITE_RUN, test, "micro/" test, class, false \
    }
#define WARM(test, suffix, class)                            \
    {                                                        \
        SUITE_WARM, test suffix, "micro/" test, class, false \
    }
#define POSTWRITE(name)                                  \
    {                                                    \
        SUITE_POSTWRITE, name, NULL, SUITE_MINUTE, false \
    }

static const struct suite_step steps[] = {
    { SUITE_WARM, "point-query.warm", "micro/point-query", SUITE_READ, true },
    POSTWRITE("postwrite.load"),
    WARM("scan", ".warmpre", SUITE_MINUTE),
    WARM("point-query", ".pre", SUITE_READ),
    WARM("range-notcovered-si", ".pre", SUITE_READ),
    /* writes */
    RUN("update-inlist", SUITE_WRITE),
    RUN("update-index", SUITE_WRITE),
    RUN("update-nonindex", SUITE_WRITE),
    RUN("update-one", SUITE_WRITE),
    RUN("update-zipf", SUITE_WRITE),
    RUN("write-only", SUITE_READ),
    RUN("read-write_range=10", SUITE_WRITE),
    RUN("read-write_range=100", SUITE_WRITE),
    POSTWRITE("postwrite.writes"),
    /* reads */
    WARM("scan", ".warm", SUITE_MINUTE),
    RUN("scan", SUITE_READ),
    RUN("read-only_range=10", SUITE_READ),
    RUN("read-only_range=100", SUITE_READ),
    RUN("read-only_range=10000", SUITE_READ),
    RUN("read-only-simple", SUITE_READ),
    RUN("read-only-sum", SUITE_READ),
    RUN("read-only-order", SUITE_READ),
    RUN("read-only-distinct", SUITE_READ),
    RUN("read-only-count", SUITE_READ),
    RUN("point-query", SUITE_READ),
    RUN("random-points_range=10", SUITE_READ),
    RUN("random-points_range=100", SUITE_READ),
    RUN("random-points_range=1000", SUITE_READ),
    RUN("hot-points", SUITE_READ),
    RUN("points-covered-pk", SUITE_READ),
    RUN("points-notcovered-pk", SUITE_READ),
    RUN("range-covered-pk", SUITE_READ),
    RUN("range-notcovered-pk", SUITE_READ),
    WARM("points-covered-si", ".warm", SUITE_READ),
    RUN("points-covered-si", SUITE_READ),
    RUN("points-notcovered-si", SUITE_READ),
    RUN("range-covered-si", SUITE_READ),
    RUN("range-notcovered-si", SUITE_READ),
    /* what uses the tables up */
    RUN("delete", SUITE_WRITE),
    RUN("insert", SUITE_INSERT),
};

static const int64_t published_s[SUITE_LENGTHS] = {
    [SUITE_READ] = 600,
    [SUITE_WRITE] = 1200,
    [SUITE_INSERT] = 1200,
    [SUITE_MINUTE] = 60,
};

const struct suite_step *suite_step(int index)
{
    return index >= 0 && index < COUNT_OF(steps) ? &steps[index] : NULL;
}

int64_t suite_published_s(enum suite_length length)
{
    return published_s[length];
}

int64_t suite_postwrite_s(int64_t total_rows)
{
    int64_t wait_s = WAIT_LEAST_S + total_rows / ROWS_A_S;

    return wait_s < WAIT_MOST_S ? wait_s : WAIT_MOST_S;
}
