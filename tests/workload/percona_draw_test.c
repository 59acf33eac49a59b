/*
 * Inputs of sysbench-tpcc: nearly uniform and at home as published, skewed and elsewhere when
 * mended.
 */
#include "tpcc_help.h"
#include "workload/tpcc/percona.h"

#define ORDERS 200000
#define CELL   100 /* items side by side */

static struct percona_world percona_of(int compat, int64_t scale)
{
    struct percona_options options = { .tables = 2, .scale = scale, .compat = compat };
    struct percona_world world;
    struct error err;

    assert_true(workload_percona.open(&world, &options, &err));
    workload_percona.set_data_seed(&world, 1);
    return world;
}

static struct draw draw_at(uint64_t sequence)
{
    struct draw draw = { .streams = 1, .sequence = sequence };

    rng_init(&draw.rng, 11, 0, sequence);
    return draw;
}

static int descending(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left < right) - (left > right);
}

/* Share of what the highest `top` of counts hold. Sorts them. */
static double top_share(int64_t *counts, int64_t count, int64_t top)
{
    int64_t all = 0, part = 0;

    qsort(counts, (size_t)count, sizeof *counts, descending);
    for (int64_t i = 0; i < count; i++)
        all += counts[i];
    for (int64_t i = 0; i < top; i++)
        part += counts[i];
    return (double)part / (double)all;
}

struct seen {
    int64_t lines, remote, not_local, unused, orders;
    int64_t items[TPCC_ITEMS + 1], cells[TPCC_ITEMS / CELL];
};

static void see_order(struct seen *seen, const struct percona_new_order *order, bool fixed)
{
    int at = order->line_count - (fixed ? 1 : 2), remote = 0;

    assert_in_range(order->line_count, TPCC_LINES_MIN, TPCC_LINES_MAX);
    assert_in_range(order->at.set, 1, 2);
    assert_in_range(order->customer, 1, TPCC_CUSTOMERS);
    for (int i = 0; i < order->line_count; i++) {
        const struct percona_line *line = &order->lines[i];
        assert_in_range(line->quantity, 1, 10);
        remote += line->supplier != order->at.warehouse;
        assert_int_equal(line->item == -1, order->unused_item && i == at);
        if (line->item == -1)
            continue;
        assert_in_range(line->item, 1, TPCC_ITEMS);
        seen->items[line->item]++;
        seen->cells[(line->item - 1) / CELL]++;
    }
    assert_int_equal(remote, order->remote_count);
    seen->lines += order->line_count;
    seen->remote += remote;
    seen->not_local += !order->all_local;
    seen->unused += order->unused_item;
    seen->orders++;
    if (fixed)
        assert_int_equal(order->all_local, remote == 0);
}

static struct seen *see_orders(int compat, int64_t scale)
{
    struct percona_world world = percona_of(compat, scale);
    struct seen *seen = memory_make(sizeof *seen, 1);

    memset(seen, 0, sizeof *seen);
    for (uint64_t i = 0; i < ORDERS; i++) {
        struct draw draw = draw_at(i);
        struct percona_new_order order;
        percona_new_order_draw(&order, &world, &draw);
        see_order(seen, &order, world.fixed);
    }
    assert_share("unused items", seen->unused, ORDERS, 0.01);
    return seen;
}

static void as_published(void **state)
{
    struct seen *seen = see_orders(PERCONA_AS_PUBLISHED, 5);
    double cells = top_share(seen->cells, TPCC_ITEMS / CELL, TPCC_ITEMS / CELL / 100);
    double items = top_share(seen->items, TPCC_ITEMS + 1, TPCC_ITEMS / 100);

    (void)state;
    assert_int_equal(seen->remote, 0);
    assert_true(seen->not_local > 0);
    /* Of single items chance alone makes some hot when each is drawn a few times. */
    if (cells < 0.0112 || cells > 0.0130 || items > 0.02)
        fail_msg("the hottest percent has %.4f of the draws by cells, %.4f by items", cells, items);
    memory_free(seen);
}

static void mended(void **state)
{
    struct seen *seen = see_orders(PERCONA_FIXED, 5);
    double items = top_share(seen->items, TPCC_ITEMS + 1, TPCC_ITEMS / 100);

    (void)state;
    assert_share("remote lines", seen->remote, seen->lines, 0.01);
    if (fabs(items - 0.305) > 0.02)
        fail_msg("the hottest percent of the items has %.4f of the draws", items);
    memory_free(seen);
    seen = see_orders(PERCONA_FIXED, 1);
    assert_int_equal(seen->remote, 0);
    memory_free(seen);
}

static void payments(void **state)
{
    (void)state;
    for (int compat = PERCONA_AS_PUBLISHED; compat <= PERCONA_FIXED; compat++) {
        struct percona_world world = percona_of(compat, 5);
        int64_t by_name = 0, away = 0, elsewhere = 0;
        for (uint64_t i = 0; i < ORDERS; i++) {
            struct draw draw = draw_at(i);
            struct percona_payment payment;
            percona_payment_draw(&payment, &world, &draw);
            assert_in_range(payment.amount, 1, 5000);
            assert_in_range(payment.customer.number, 0, TPCC_CUSTOMERS);
            by_name += payment.customer.number == 0;
            away += payment.customer.warehouse != payment.at.warehouse;
            elsewhere += payment.customer.district != payment.at.district;
        }
        assert_share("by name", by_name, ORDERS, 0.6);
        assert_share("of another district", elsewhere, ORDERS, 0.15 * 0.9);
        if (compat == PERCONA_AS_PUBLISHED)
            assert_int_equal(away, 0);
        else
            assert_share("remote payments", away, ORDERS, 0.15);
    }
}

static void the_mix(void **state)
{
    struct percona_world world = percona_of(PERCONA_AS_PUBLISHED, 1);
    double sum = 0;

    (void)state;
    for (int kind = 0; kind < PERCONA_KINDS; kind++)
        sum += workload_percona.weight(&world, kind);
    assert_true(sum == 23 && workload_percona.weight(&world, PERCONA_PURGE) == 0);
    world.options.enable_purge = true;
    assert_true(workload_percona.weight(&world, PERCONA_PURGE) == 1);
    assert_int_equal(workload_statement_count(&workload_percona), PERCONA_SQL_COUNT);
    for (int i = 0; i < PERCONA_SQL_COUNT; i++)
        assert_non_null(percona_statements[i].name);
}

static void texts(void **state)
{
    char quoted[PERCONA_QUOTED_MAX], money[PERCONA_MONEY_MAX], quotes[600];

    (void)state;
    assert_string_equal(percona_quote(quoted, "it's", 24), "'it''s'");
    assert_string_equal(percona_quote(quoted, "abcdef", 3), "'abc'");
    assert_string_equal(percona_quote(quoted, NULL, 3), "''");
    memset(quotes, '\'', sizeof quotes);
    quotes[sizeof quotes - 1] = '\0';
    assert_int_equal(strlen(percona_quote(quoted, quotes, 500)), 1002);
    assert_string_equal(percona_money(money, -5), "-0.05");
    assert_string_equal(percona_money(money, 123456), "1234.56");
    assert_string_equal(percona_money(money, -100), "-1.00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_published), cmocka_unit_test(mended), cmocka_unit_test(payments),
        cmocka_unit_test(the_mix),      cmocka_unit_test(texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
