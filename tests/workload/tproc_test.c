/*
 * tproc_test.c - the rules of the load, the inputs and what is said, held against spec hammerdb.
 *
 * The verbs of COPY and of txn.h are ours here: they write down what was said. Numbers are drawn
 * from fixed seeds, so that a test always sees the same ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "tproc_stage.h"
#include "workload/tpcc/nurand.h"
#include "workload/tproc/tproc.h"

/* ---- the load ---- */

enum { C_LAST = 8, C_CREDIT = 15, C_DISCOUNT = 17, D_TAX = 4, I_DATA = 4, O_BUYER = 3 };
enum { O_CARRIER = 5, O_LINES = 6, OL_DELIVERED = 0, OL_AMOUNT = 8, S_DATA = 16 };

static double share_of_bad_credit(const struct tproc_world *world)
{
    int bad = 0;

    for (int64_t number = 1; number <= 6000; number++) {
        make(world, TPROC_CUSTOMER, number);
        assert_int_equal(field_count, 21);
        bad += strcmp(fields[0][C_CREDIT].text, "BC") == 0;
    }
    return bad / 6000.0;
}

static void half_of_the_customers_have_bad_credit_there(void **state)
{
    (void)state;
    assert_near(share_of_bad_credit(world_of(TPROC_HAMMERDB, 1)), 0.5, 0.02);
    assert_near(share_of_bad_credit(world_of(TPROC_MENDED, 1)), 0.1, 0);
}

/* Of HammerDB's taxes and discounts only whole hundredths; TPC-C's taxes begin at nothing. */
static void taxes_and_discounts(void **state)
{
    const struct tproc_world *published = world_of(TPROC_HAMMERDB, 100);
    const struct tproc_world *mended = world_of(TPROC_MENDED, 100);
    int64_t low = INT64_MAX, high = 0;

    (void)state;
    for (int64_t number = 1; number <= 1000; number++) {
        make(published, TPROC_DISTRICT, number);
        assert_in_range(fields[0][D_TAX].number, 1000, 2000);
        assert_int_equal(fields[0][D_TAX].number % 100, 0);
        make(published, TPROC_CUSTOMER, number);
        assert_in_range(fields[0][C_DISCOUNT].number, 0, 5000);
        assert_int_equal(fields[0][C_DISCOUNT].number % 100, 0);
        make(mended, TPROC_DISTRICT, number);
        low = fields[0][D_TAX].number < low ? fields[0][D_TAX].number : low;
        high = fields[0][D_TAX].number > high ? fields[0][D_TAX].number : high;
    }
    assert_in_range(low, 0, 20);
    assert_in_range(high, 1980, 2000);
}

/* How often the word is found; lengths are within [low, high]. */
static double share_marked(const struct tproc_world *world, enum tproc_table table, int place,
                           const char *word, size_t lengths[2])
{
    int marked = 0;

    lengths[0] = TEXT_MAX;
    lengths[1] = 0;
    for (int64_t number = 1; number <= 100000; number++) {
        make(world, table, number);
        size_t length = strlen(fields[0][place].text);
        lengths[0] = length < lengths[0] ? length : lengths[0];
        lengths[1] = length > lengths[1] ? length : lengths[1];
        marked += strstr(fields[0][place].text, word) != NULL;
    }
    return marked / 1e5;
}

static void originals(void **state)
{
    size_t lengths[2];

    (void)state;
    assert_near(share_marked(world_of(TPROC_HAMMERDB, 1), TPROC_ITEM, I_DATA, "original", lengths),
                0.095, 0.003);
    assert_int_equal(lengths[0], 25);
    assert_int_equal(lengths[1], 50);
    assert_near(share_marked(world_of(TPROC_MENDED, 1), TPROC_ITEM, I_DATA, "ORIGINAL", lengths),
                0.1, 0);
    assert_int_equal(lengths[0], 26);
    assert_near(share_marked(world_of(TPROC_HAMMERDB, 1), TPROC_STOCK, S_DATA, "original", lengths),
                0.095, 0.003);
}

/* Of 3,000 customers of a district so many ordered nothing. */
static int without_order(const struct tproc_world *world, int district)
{
    bool seen[TPROC_CUSTOMERS + 1] = { false };
    int none = 0;

    for (int64_t order = 1; order <= TPROC_ORDERS; order++) {
        make(world, TPROC_ORDER, district * TPROC_ORDERS + order);
        int64_t buyer = fields[0][O_BUYER].number;
        assert_in_range(buyer, world->mended ? 1 : order, TPROC_CUSTOMERS);
        seen[buyer] = true;
    }
    for (int i = 1; i <= TPROC_CUSTOMERS; i++)
        none += !seen[i];
    return none;
}

static void half_of_the_customers_have_no_order_there(void **state)
{
    const struct tproc_world *published = world_of(TPROC_HAMMERDB, 1);
    const struct tproc_world *mended = world_of(TPROC_MENDED, 1);
    int none = 0;

    (void)state;
    for (int district = 0; district < 10; district++) {
        none += without_order(published, district);
        assert_int_equal(without_order(mended, district), 0);
    }
    assert_near(none / 10.0, 1500, 40);
}

/* Lines are as many as the order says; which orders have amounts is what the two differ in. */
static void amounts_of_lines(void **state)
{
    (void)state;
    for (int compat = TPROC_HAMMERDB; compat <= TPROC_MENDED; compat++) {
        const struct tproc_world *world = world_of(compat, 1);
        for (int64_t order = 2001; order <= 2200; order++) {
            bool delivered = order <= TPROC_DELIVERED;
            make(world, TPROC_ORDER, order);
            int64_t count = fields[0][O_LINES].number;
            assert_int_equal(fields[0][O_CARRIER].number != NONE, delivered);
            make(world, TPROC_ORDER_LINE, order);
            assert_int_equal(row_count, count);
            assert_in_range(count, 5, 15);
            for (int line = 0; line < row_count; line++) {
                bool free = fields[line][OL_AMOUNT].number == 0;
                assert_int_equal(fields[line][OL_DELIVERED].number != NONE, delivered);
                assert_int_equal(free, compat == TPROC_HAMMERDB ? !delivered : delivered);
            }
        }
    }
}

/* ---- names ---- */

/* How many customers of district 1 a name that is drawn belongs to, on average. */
static double customers_of_a_name(const struct tproc_world *world)
{
    int64_t matches = 0;
    int drawn = 0;
    static char names[TPROC_CUSTOMERS][16];

    for (int64_t number = 1; number <= TPROC_CUSTOMERS; number++) {
        make(world, TPROC_CUSTOMER, number);
        snprintf(names[number - 1], sizeof names[0], "%.15s", fields[0][C_LAST].text);
    }
    for (uint64_t sequence = 0; drawn < 1000; sequence++) {
        struct tproc_input in;
        struct draw draw = { .streams = 1 };
        rng_init(&draw.rng, 5, 0, sequence);
        tproc_payment_draw(&in, world, &draw);
        if (!in.by_name)
            continue;
        drawn++;
        for (int i = 0; i < TPROC_CUSTOMERS; i++)
            matches += strcmp(names[i], in.last) == 0;
    }
    return (double)matches / drawn;
}

static void names_that_are_drawn(void **state)
{
    (void)state;
    assert_near(customers_of_a_name(world_of(TPROC_HAMMERDB, 1)), 12.3, 1);
    assert_near(customers_of_a_name(world_of(TPROC_MENDED, 1)), 3.2, 0.4);
}

/* ---- inputs ---- */

static struct tproc_input input_of(enum tproc_kind kind, const struct tproc_world *world,
                                   int64_t stream, int64_t streams, uint64_t sequence)
{
    static void (*const draws[])(void *, const void *, struct draw *) = {
        tproc_neword_draw, tproc_payment_draw, tproc_delivery_draw,
        tproc_slev_draw,   tproc_ostat_draw,
    };
    struct tproc_input in;
    struct draw draw = { .stream = stream,
                         .streams = streams,
                         .key = rng_stream(3, (uint64_t)stream),
                         .sequence = sequence };

    rng_at(&draw.rng, draw.key, sequence);
    draws[kind](&in, world, &draw);
    return in;
}

static void a_session_keeps_to_its_home(void **state)
{
    const struct tproc_world *world = world_of(TPROC_HAMMERDB, 50);
    bool seen[51] = { false };
    int homes = 0;

    (void)state;
    for (int64_t stream = 0; stream < 200; stream++) {
        struct tproc_input first = input_of(TPROC_NEWORD, world, stream, 200, 0);
        int32_t district = input_of(TPROC_SLEV, world, stream, 200, 0).district;
        for (uint64_t i = 1; i < 20; i++) {
            enum tproc_kind kind = (enum tproc_kind)(i % TPROC_KINDS);
            assert_int_equal(input_of(kind, world, stream, 200, i).warehouse, first.warehouse);
            assert_int_equal(input_of(TPROC_SLEV, world, stream, 200, i).district, district);
        }
        seen[first.warehouse] = true;
    }
    for (int i = 1; i <= 50; i++)
        homes += seen[i];
    assert_in_range(homes, 45, 50); /* 200 draws of 50 leave out 0.9 */
}

/* 10 warehouses among 4 sessions: three each, the last begins again at the first. */
static void all_warehouses_are_shared_out(void **state)
{
    struct tproc_world *world = world_of(TPROC_HAMMERDB, 10);
    static const int mine[4][3] = { { 1, 5, 9 }, { 2, 6, 10 }, { 3, 7, 1 }, { 4, 8, 2 } };
    int counts[4][3] = { { 0 } };

    (void)state;
    world->options.allwarehouse = true;
    for (int64_t stream = 0; stream < 4; stream++)
        for (uint64_t i = 0; i < 300; i++) {
            int warehouse = input_of(TPROC_NEWORD, world, stream, 4, i).warehouse;
            int place = 0;
            while (place < 2 && mine[stream][place] != warehouse)
                place++;
            assert_int_equal(mine[stream][place], warehouse);
            counts[stream][place]++;
        }
    for (int stream = 0; stream < 4; stream++)
        for (int place = 0; place < 3; place++)
            assert_in_range(counts[stream][place], 60, 140);
}

static void payments(void **state)
{
    const struct tproc_world *world = world_of(TPROC_HAMMERDB, 4);
    int remote = 0, by_name = 0, count = 20000;

    (void)state;
    for (int i = 0; i < count; i++) {
        struct tproc_input in = input_of(TPROC_PAYMENT, world, 0, 1, (uint64_t)i);
        remote += in.customer_warehouse != in.warehouse;
        by_name += in.by_name;
        assert_null(strchr(in.amount, '.'));
        assert_in_range(atoi(in.amount), 1, 5000);
        assert_in_range(in.customer, 1, 3000);
        assert_in_range(in.customer_warehouse, 1, 4);
        if (in.customer_warehouse == in.warehouse && in.customer_district != in.district)
            fail_msg("a customer of another district, though not remote");
    }
    assert_near((double)remote / count, 0.15, 0.01);
    assert_near((double)by_name / count, 0.6, 0.01);
    assert_non_null(
        strchr(input_of(TPROC_PAYMENT, world_of(TPROC_MENDED, 1), 0, 1, 0).amount, '.'));
}

/* The pauses of HammerDB: whole seconds, some longer than ten means; Delivery thinks 10 seconds. */
static void pauses(void **state)
{
    struct tproc_world *published = world_of(TPROC_HAMMERDB, 1);
    struct tproc_world *mended = world_of(TPROC_MENDED, 1);
    double sums[2][TPROC_KINDS] = { { 0 } };
    int count = 20000;

    (void)state;
    assert_int_equal(input_of(TPROC_NEWORD, published, 0, 1, 0).key_ns, 0);
    assert_false(workload_tproc.pauses(published));
    published->options.keyandthink = mended->options.keyandthink = true;
    assert_true(workload_tproc.pauses(published));
    for (int kind = 0; kind < TPROC_KINDS; kind++)
        for (int i = 0; i < count; i++) {
            struct tproc_input in = input_of((enum tproc_kind)kind, published, 0, 1, (uint64_t)i);
            assert_int_equal(in.think_ns % NS_PER_S, 0);
            assert_int_equal(workload_tproc.pause_ns(&in, published, true), in.key_ns);
            assert_int_equal(workload_tproc.pause_ns(&in, published, false), in.think_ns);
            sums[0][kind] += (double)in.think_ns / NS_PER_S / count;
            in = input_of((enum tproc_kind)kind, mended, 0, 1, (uint64_t)i);
            assert_true(in.think_ns <= 120 * NS_PER_S);
            sums[1][kind] += (double)in.think_ns / NS_PER_S / count;
            assert_int_equal(in.key_ns, (kind == TPROC_NEWORD    ? 18
                                         : kind == TPROC_PAYMENT ? 3
                                                                 : 2) *
                                            NS_PER_S);
        }
    for (int i = 0; i < 2; i++) {
        assert_near(sums[i][TPROC_NEWORD], 12, 0.5);
        assert_near(sums[i][TPROC_DELIVERY], i == 0 ? 10 : 5, 0.4);
        assert_near(sums[i][TPROC_OSTAT], i == 0 ? 5 : 10, 0.4);
    }
}

/* ---- what is said ---- */

static int count_commas(const char *words)
{
    int count = 0;

    for (; *words != '\0'; words++)
        count += *words == ',';
    return count;
}

static void functions_are_told_no_name(void **state)
{
    struct tproc_world *world = world_of(TPROC_HAMMERDB, 1);
    struct tproc_input in = { .warehouse = 1, .by_name = true, .last = "BARBARBAR", .amount = "7" };
    struct text text;

    (void)state;
    text_init(&text, 4096);
    tproc_statements[TPROC_PAYMENT].write_sql(&text, world);
    assert_string_equal(text.bytes, "SELECT payment($1, $2, $3, $4, $5, $6, $7, '$8', '0', 0)");
    text_clear(&text);
    world->mended = true;
    tproc_statements[TPROC_OSTAT].write_sql(&text, world);
    assert_non_null(strstr(text.bytes, "ostat($1, $2, $3, $4, $5) AS"));
    tproc_payment_run(NULL, &in, world);
    assert_int_equal(said_count, 8);
    world->mended = false;
    tproc_payment_run(NULL, &in, world);
    assert_int_equal(said_count, 7);
    assert_int_equal(last_statement, TPROC_PAYMENT);
    text_close(&text);
}

static void procedures_are_called_by_text(void **state)
{
    struct tproc_world *world = world_of(TPROC_HAMMERDB, 1);
    struct tproc_input in = {
        .warehouse = 16777216,
        .customer_warehouse = 16777215,
        .district = 10,
        .customer_district = 10,
        .customer = 3000,
        .line_count = 15,
        .by_name = true,
        .last = "CALLYCALLYCALLY",
        .amount = "5000.00",
        .key_ns = 3,
    };
    struct text text;

    (void)state;
    text_init(&text, 4096);
    world->routines = TPROC_PROCEDURES;
    tproc_statements[TPROC_PAYMENT].write_sql(&text, world);
    assert_string_equal(text.bytes, "");
    text_close(&text);
    tproc_neword_run(NULL, &in, world);
    assert_string_equal(said, "CALL neword(16777216,1,10,3000,15,0.0,'','',0.0,0.0,0,"
                              "localtimestamp(0))");
    tproc_payment_run(NULL, &in, world);
    assert_int_equal(count_commas(said), 32); /* 33 parameters */
    assert_non_null(strstr(said, "CALL payment(16777216,10,16777215,10,1,5000.00,'0',"
                                 "'CALLYCALLYCALLY',3000,'',"));
    tproc_ostat_run(NULL, &in, world);
    assert_int_equal(count_commas(said), 11);
    tproc_slev_run(NULL, &in, world);
    assert_int_equal(count_commas(said), 3);
    tproc_delivery_run(NULL, &in, world);
    assert_int_equal(count_commas(said), 2);
}

/* ---- what the database has ---- */

static void tell(struct tproc_world *world, int64_t functions, int64_t procedures, int64_t mended)
{
    const int64_t answers[] = { 7, functions, procedures, mended };

    for (int i = 0; i < COUNT_OF(answers); i++)
        tproc_answer(world, i, answers[i]);
}

static void what_is_there_is_called(void **state)
{
    struct tproc_world *world = world_of(TPROC_HAMMERDB, 1);
    struct error err = { 0 };
    struct text text;

    (void)state;
    text_init(&text, 4096);
    tell(world, 5, 0, 0);
    assert_int_equal(world->warehouses, 7);
    assert_true(tproc_accept(world, &err));
    assert_false(tproc_remark(&text, world, 1));
    tell(world, 0, 5, 0);
    assert_int_equal(world->routines, TPROC_PROCEDURES);
    assert_true(tproc_accept(world, &err));
    assert_true(tproc_remark(&text, world, 1));
    assert_non_null(strstr(text.bytes, "only the procedures"));
    world = world_of(TPROC_HAMMERDB, 1);
    tell(world, 5, 5, 0);
    assert_int_equal(world->routines, TPROC_FUNCTIONS);
    tell(world, 4, 4, 0);
    assert_false(tproc_accept(world, &err));
    assert_int_equal(err.kind, ERROR_PLAN);
    tell(world, 5, 0, 5); /* another identity */
    assert_false(tproc_accept(world, &err));
    world = world_of(TPROC_MENDED, 1);
    tell(world, 5, 0, 5);
    assert_true(tproc_accept(world, &err));
    tell(world, 5, 0, 0);
    assert_false(tproc_accept(world, &err));
    text_close(&text);
}

/* ---- partitions ---- */

static void order_line_has_parts_from_200_warehouses_on(void **state)
{
    struct tproc_world *world = world_of(TPROC_HAMMERDB, 199);
    struct table_spec table;
    int parts = 0;

    (void)state;
    world->options.partition = true;
    tproc_describe(&table, world, TPROC_ORDER_LINE, arena);
    assert_null(strstr(table.create, "PARTITION"));
    world->options.warehouses = 399;
    tproc_describe(&table, world, TPROC_ORDER_LINE, arena);
    assert_non_null(strstr(table.create, "PARTITION BY HASH (ol_w_id)"));
    for (const char *at = table.create; (at = strstr(at, "PARTITION OF order_line")) != NULL; at++)
        parts++;
    assert_int_equal(parts, 3);
    tproc_describe(&table, world, TPROC_STOCK, arena);
    assert_null(strstr(table.create, "PARTITION"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(half_of_the_customers_have_bad_credit_there),
        TEST(taxes_and_discounts),
        TEST(originals),
        TEST(half_of_the_customers_have_no_order_there),
        TEST(amounts_of_lines),
        TEST(names_that_are_drawn),
        TEST(a_session_keeps_to_its_home),
        TEST(all_warehouses_are_shared_out),
        TEST(payments),
        TEST(pauses),
        TEST(functions_are_told_no_name),
        TEST(procedures_are_called_by_text),
        TEST(what_is_there_is_called),
        TEST(order_line_has_parts_from_200_warehouses_on),
    };

    return cmocka_run_group_tests_name("workload/tproc", tests, NULL, NULL);
}
