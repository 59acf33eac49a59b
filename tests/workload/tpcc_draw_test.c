/*
 * What a terminal's user types in is what TPC-C says: distributions, shares, homes, mixes.
 */
#include "tpcc_help.h"

#define DRAWS 200000

static struct draw draw_of(int64_t stream, int64_t streams, uint64_t sequence)
{
    struct draw draw = { .stream = stream, .streams = streams, .sequence = sequence };

    draw.key = rng_stream(7, (uint64_t)stream);
    rng_at(&draw.rng, draw.key, sequence);
    return draw;
}

static void names(void **state)
{
    char name[LAST_NAME_MAX];

    (void)state;
    assert_int_equal(last_name(name, 0), 9);
    assert_string_equal(name, "BARBARBAR");
    assert_int_equal(last_name(name, 371), 13);
    assert_string_equal(name, "PRICALLYOUGHT");
    assert_int_equal(last_name(name, 999), 12);
    assert_string_equal(name, "EINGEINGEING");
    assert_true(abs(NURAND_C_LAST_LOAD - NURAND_C_LAST_RUN) >= 65);
    assert_true(abs(NURAND_C_LAST_LOAD - NURAND_C_LAST_RUN) <= 119);
    assert_int_not_equal(abs(NURAND_C_LAST_LOAD - NURAND_C_LAST_RUN), 96);
    assert_int_not_equal(abs(NURAND_C_LAST_LOAD - NURAND_C_LAST_RUN), 112);
}

static int descending(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left < right) - (left > right);
}

/* How often something of 1..count that is among the `top` most wanted is drawn. */
static double top_share(int64_t a, int64_t c, int64_t count, int64_t top)
{
    int64_t *hits = memory_make((size_t)count, sizeof *hits), sum = 0, draws = 40 * count;
    struct rng rng;

    rng_init(&rng, 3, (uint64_t)a, 0);
    for (int64_t i = 0; i < draws; i++)
        hits[nurand(&rng, a, 1, count, c) - 1]++;
    qsort(hits, (size_t)count, sizeof *hits, descending);
    for (int64_t i = 0; i < top; i++)
        sum += hits[i];
    memory_free(hits);
    return (double)sum / (double)draws;
}

static void hot_rows(void **state)
{
    double items = top_share(NURAND_A_ITEM, NURAND_C_ITEM, TPCC_ITEMS, TPCC_ITEMS / 100);
    double customers =
        top_share(NURAND_A_CUSTOMER, NURAND_C_CUSTOMER, TPCC_CUSTOMERS, TPCC_CUSTOMERS / 100);

    (void)state;
    if (fabs(items - 0.305) > 0.005 || fabs(customers - 0.22) > 0.01)
        fail_msg("the hottest percent gets %.4f of the items' and %.4f of the customers' draws",
                 items, customers);
}

static void new_orders(void **state)
{
    struct tpcc_world world = make_world(5, 1, "45,43,4,4,4", TPCC_HOME_ALL);
    int64_t lines = 0, remote = 0, unused = 0, away[6] = { 0 }, homes[6] = { 0 }, quantity = 0;
    struct tpcc_new_order order;

    (void)state;
    for (uint64_t i = 0; i < DRAWS / 4; i++) {
        struct draw draw = draw_of(0, 1, i);
        int bad = 0, sum = 0, elsewhere = 0;
        tpcc_new_order_draw(&order, &world, &draw);
        assert_in_range(order.line_count, TPCC_LINES_MIN, TPCC_LINES_MAX);
        assert_in_range(order.at.warehouse, 1, 5);
        homes[order.at.warehouse]++;
        for (int at = 0; at < order.line_count; at++) {
            const struct tpcc_line *line = &order.lines[at];
            bool first = at == 0, last = line->number == order.line_count;
            assert_in_range(line->quantity, 1, 10);
            quantity += line->quantity;
            sum += line->number;
            elsewhere += line->supplier != order.at.warehouse;
            if (line->supplier != order.at.warehouse)
                away[line->supplier]++;
            bad += line->item == TPCC_UNUSED_ITEM;
            assert_true(line->item <= TPCC_ITEMS || (last && order.unused_item));
            assert_true(first || line->supplier > line[-1].supplier ||
                        (line->supplier == line[-1].supplier &&
                         (line->item > line[-1].item ||
                          (line->item == line[-1].item && line->number > line[-1].number))));
        }
        assert_int_equal(sum, order.line_count * (order.line_count + 1) / 2);
        assert_int_equal(bad, order.unused_item);
        assert_int_equal(elsewhere, order.remote_count);
        lines += order.line_count;
        remote += order.remote_count;
        unused += order.unused_item;
    }
    assert_share("rolled back", unused, DRAWS / 4, 0.01);
    assert_share("remote", remote, lines, 0.01);
    assert_share("lines", lines - TPCC_LINES_MIN * DRAWS / 4, 10 * DRAWS / 4, 0.5);
    assert_share("quantity", quantity - lines, 9 * lines, 0.5);
    for (int w = 1; w <= 5; w++) {
        assert_share("suppliers", away[w], remote, 0.2);
        assert_share("homes", homes[w], DRAWS / 4, 0.2);
    }
}

static void payments(void **state)
{
    struct tpcc_world world = make_world(4, 1, "45,43,4,4,4", TPCC_HOME_ALL);
    struct tpcc_world single = make_world(1, 1, "45,43,4,4,4", TPCC_HOME_ALL);
    int64_t remote = 0, by_name = 0, same_district = 0;
    struct tpcc_payment payment;

    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++) {
        struct draw draw = draw_of(0, 1, i);
        bool far;
        tpcc_payment_draw(&payment, &world, &draw);
        far = payment.customer.warehouse != payment.at.warehouse;
        assert_in_range(payment.hundredths, 100, 500000);
        assert_in_range(payment.customer.warehouse, 1, 4);
        assert_in_range(payment.customer.district, 1, TPCC_DISTRICTS);
        assert_true((payment.customer.number == 0) == (payment.customer.last[0] != '\0'));
        assert_true(far || payment.customer.district == payment.at.district);
        same_district += far && payment.customer.district == payment.at.district;
        remote += far;
        by_name += payment.customer.number == 0;
        draw = draw_of(0, 1, i);
        tpcc_payment_draw(&payment, &single, &draw);
        assert_int_equal(payment.customer.warehouse, 1);
    }
    assert_share("remote", remote, DRAWS, 0.15);
    assert_share("by name", by_name, DRAWS, 0.6);
    assert_share("its own district", same_district, remote, 0.1);
}

/* The same draw gives the same input, byte for byte. */
static void inputs_are_pure(void **state)
{
    static void (*const draws[TPCC_KINDS])(void *, const void *, struct draw *) = {
        tpcc_new_order_draw, tpcc_payment_draw, tpcc_order_status_draw, tpcc_delivery_draw,
        tpcc_stock_level_draw
    };
    struct tpcc_world world = make_world(3, 2, "deck", TPCC_HOME_ALL);

    (void)state;
    for (uint64_t i = 0; i < 500; i++) {
        struct tpcc_new_order one = { .customer = 0 }, other = { .customer = 0 };
        struct draw draw = draw_of(5, 8, i), again = draw_of(5, 8, i);
        draws[i % TPCC_KINDS](&one, &world, &draw);
        draws[i % TPCC_KINDS](&other, &world, &again);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

static void homes(void **state)
{
    struct tpcc_world fixed = make_world(2, 2, "deck", TPCC_HOME_FIXED);
    struct tpcc_world automatic = make_world(2, 2, "deck", TPCC_HOME_AUTO);
    int seen[3][3][11] = { { { 0 } } }, moved = 0;

    (void)state;
    for (int64_t stream = 0; stream < 40; stream++) {
        struct tpcc_stock_level first = { .threshold = 0 }, later;
        for (uint64_t i = 0; i < 20; i++) {
            struct draw draw = draw_of(stream, 40, i), few = draw_of(stream % 3, 3, i);
            tpcc_stock_level_draw(&later, &fixed, &draw);
            assert_in_range(later.threshold, 10, 20);
            first = i == 0 ? later : first;
            assert_memory_equal(&first.at, &later.at, sizeof first.at);
            draw = draw_of(stream, 40, i);
            tpcc_stock_level_draw(&later, &automatic, &draw);
            assert_memory_equal(&first.at, &later.at, sizeof first.at);
            tpcc_stock_level_draw(&later, &automatic, &few);
            moved += later.at.warehouse != first.at.warehouse;
        }
        seen[first.at.set][first.at.warehouse][first.at.district]++;
    }
    for (int set = 1; set <= 2; set++)
        for (int w = 1; w <= 2; w++)
            for (int d = 1; d <= TPCC_DISTRICTS; d++)
                assert_int_equal(seen[set][w][d], 1);
    assert_true(moved > 0);
}

static void mixes(void **state)
{
    static const double shares[TPCC_KINDS] = { 0.45, 0.43, 0.04, 0.04, 0.04 };
    static const int cards[TPCC_KINDS] = { 10, 10, 1, 1, 1 };
    struct tpcc_world drawn = make_world(1, 1, "45,43,4,4,4", TPCC_HOME_ALL);
    struct tpcc_world deck = make_world(1, 1, "deck", TPCC_HOME_ALL);
    int64_t counts[TPCC_KINDS] = { 0 }, orders = 0;
    int last[23] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < DRAWS; i++) {
        struct draw draw = draw_of(0, 1, i);
        counts[tpcc_pick(&drawn, &draw)]++;
    }
    for (int kind = 0; kind < TPCC_KINDS; kind++)
        assert_share("mix", counts[kind], DRAWS, shares[kind]);
    for (uint64_t round = 0; round < 100; round++) {
        int dealt[TPCC_KINDS] = { 0 };
        for (uint64_t card = 0; card < 23; card++) {
            struct draw draw = draw_of(1, 2, round * 23 + card);
            int kind = tpcc_pick(&deck, &draw);
            dealt[kind]++;
            orders += kind != last[card];
            last[card] = kind;
        }
        assert_memory_equal(dealt, cards, sizeof dealt);
    }
    assert_true(orders > 100); /* Each deck is shuffled anew. */
}

static void mixes_refused(void **state)
{
    static const char *const words[] = {
        "",          "45,43,4,4",   "45,43,4,4,4,", "45,43,4,4,4,1",
        "0,0,0,0,0", "-1,43,4,4,4", "a,b,c,d,e",    "decks"
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(words); i++) {
        struct tpcc_options options = { .warehouses = 1, .tables = 1, .mix = words[i] };
        struct tpcc_world world;
        struct error err = { 0 };
        assert_false(tpcc_open(&world, &options, &err));
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_non_null(strstr(err.text, "45,43,4,4,4"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),    cmocka_unit_test(hot_rows),        cmocka_unit_test(new_orders),
        cmocka_unit_test(payments), cmocka_unit_test(inputs_are_pure), cmocka_unit_test(homes),
        cmocka_unit_test(mixes),    cmocka_unit_test(mixes_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
