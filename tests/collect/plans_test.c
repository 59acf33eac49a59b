/*
 * Plans in one line, of recorded answers of EXPLAIN.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "collect/plans.h"

#define LINES_MAX 16

static void assert_shape(const char *const *lines, int instance, const char *wanted)
{
    int count = 0;
    char *shape;

    while (lines[count] != NULL)
        count++;
    assert_true(count <= LINES_MAX);
    shape = plans_shape(lines, count, instance);
    assert_string_equal(shape, wanted);
    memory_free(shape);
}
#define SHAPE(instance, wanted, ...) \
    assert_shape((const char *const[]){ __VA_ARGS__, NULL }, instance, wanted)

static void one_node(void **state)
{
    (void)state;
    SHAPE(1, "Index Scan using sbtest*_pkey on sbtest*",
          "Index Scan using sbtest1_pkey on sbtest1  (cost=0.29..8.31 rows=1 width=121)",
          "  Index Cond: (id = $1)");
    SHAPE(1, "Result", "Result  (cost=0.00..0.26 rows=1 width=4)");
    SHAPE(1, "", NULL);
}

static void children(void **state)
{
    (void)state;
    SHAPE(1, "Unique (Sort (Index Scan using sbtest*_pkey on sbtest*))",
          "Unique  (cost=11.63..11.88 rows=50 width=121)",
          "  ->  Sort  (cost=11.63..11.75 rows=50 width=121)", "        Sort Key: c",
          "        ->  Index Scan using sbtest1_pkey on sbtest1  (cost=0.29..10.21 rows=50 "
          "width=121)",
          "              Index Cond: ((id >= $1) AND (id <= $2))");
    SHAPE(1, "Update on sbtest* (Bitmap Heap Scan on sbtest* (Bitmap Index Scan on sbtest*_pkey))",
          "Update on sbtest1  (cost=43.10..81.83 rows=0 width=0)",
          "  ->  Bitmap Heap Scan on sbtest1  (cost=43.10..81.83 rows=10 width=490)",
          "        Recheck Cond: (id = ANY (ARRAY[$2, $3]))",
          "        ->  Bitmap Index Scan on sbtest1_pkey  (cost=0.00..43.10 rows=10 width=0)",
          "              Index Cond: (id = ANY (ARRAY[$2, $3]))");
}

static void siblings(void **state)
{
    (void)state;
    SHAPE(1,
          "Aggregate (Nested Loop (Index Scan using l on order_line*, Index Only Scan using s on "
          "stock*))",
          "Aggregate  (cost=1..2 rows=1 width=8)", "  ->  Nested Loop  (cost=1..2 rows=1 width=4)",
          "        ->  Index Scan using l on order_line1  (cost=1..2 rows=1 width=4)",
          "        ->  Index Only Scan using s on stock1  (cost=1..2 rows=1 width=4)");
    /* An InitPlan lies further right than what follows it. */
    SHAPE(1, "Sort (Limit (Seq Scan on a), Hash Join (Seq Scan on b, Hash (Seq Scan on c)))",
          "Sort  (cost=1..2 rows=1 width=4)", "  InitPlan 1 (returns $0)",
          "    ->  Limit  (cost=1..2 rows=1 width=4)",
          "          ->  Seq Scan on a  (cost=1..2 rows=1 width=4)",
          "  ->  Hash Join  (cost=1..2 rows=1 width=4)",
          "        ->  Seq Scan on b  (cost=1..2 rows=1 width=4)",
          "        ->  Hash  (cost=1..2 rows=1 width=4)",
          "              ->  Seq Scan on c  (cost=1..2 rows=1 width=4)");
}

/* Of names alone, and only the number of the instance. */
static void numbers(void **state)
{
    (void)state;
    SHAPE(7, "Index Scan using k_* on sbtest* s1",
          "Index Scan using k_7 on sbtest7 s1  (cost=0.29..8.31 rows=7 width=7)");
    SHAPE(1, "Index Scan using orders_i2 on orders*",
          "Index Scan using orders_i2 on orders1  (cost=0.29..8.31 rows=1 width=1)");
    SHAPE(1, "Seq Scan on sbtest12", "Seq Scan on sbtest12  (cost=0.29..8.31 rows=1 width=1)");
    SHAPE(1, "Subquery Scan on \"*SELECT* 1\"", "Subquery Scan on \"*SELECT* 1\"  (cost=0..1)");
}

static void what_has_a_plan(void **state)
{
    (void)state;
    assert_true(plans_explainable("SELECT 1"));
    assert_true(plans_explainable("  with x AS (SELECT 1) SELECT * FROM x"));
    assert_true(plans_explainable("DELETE FROM t"));
    assert_false(plans_explainable("CALL neword($1)"));
    assert_false(plans_explainable("BEGIN"));
    assert_false(plans_explainable("SELECTED"));
    assert_false(plans_explainable(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_node), cmocka_unit_test(children),        cmocka_unit_test(siblings),
        cmocka_unit_test(numbers),  cmocka_unit_test(what_has_a_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
