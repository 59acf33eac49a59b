/*
 * rows.c - what load puts into the tables (spec hammerdb 1.4, TPC-C clause 4.3.3.1).
 *
 * Rows are numbered warehouse by warehouse, so that more warehouses only add rows. What more than
 * one row must agree on comes from the data seed and the place of the row alone. Where HammerDB and
 * TPC-C differ the identity of the workload decides, in the small functions in the middle.
 */
#include <string.h>

#include "workload/tpcc/names.h"
#include "workload/tpcc/nurand.h"
#include "workload/tpcc/permutation.h"
#include "workload/tpcc/place.h"
#include "workload/tpcc/tpcc.h"
#include "workload/tpcc/words.h"
#include "workload/tproc/tproc.h"

#define DIST_LENGTH  24
#define PHONE_LENGTH 16

static uint64_t key_of(const struct tproc_world *world, enum topic topic, int64_t place)
{
    return place_key(world->data_seed, topic, place);
}

/* ---- where the two identities differ ---- */

/* HammerDB draws 10,000 times among the numbers 0 to 100,000, with replacement: so many are marked
 * that the tenth comes to 9.5 %. TPC-C wants exactly a tenth. */
static bool is_original(const struct tproc_world *world, enum topic topic, int64_t place,
                        int64_t index, struct rng *rng)
{
    if (world->mended)
        return permute(key_of(world, topic, place), TPROC_ITEMS, index) < TPROC_ITEMS / 10;
    return rng_unit(rng) < 0.0951621; /* 1 - (100000/100001)^10000 */
}

/* HammerDB takes out nine characters for the eight of the word, in small letters. */
static int mark(const struct tproc_world *world, char *letters, int length, struct rng *rng)
{
    static const char word[] = "original";
    const int count = (int)sizeof word - 1;
    int64_t at;

    if (world->mended) {
        mark_original(letters, length, rng);
        return length;
    }
    at = rng_between(rng, 0, length - count - 1);
    memcpy(letters + at, word, (size_t)count);
    memmove(letters + at + count, letters + at + count + 1, (size_t)(length - at - count - 1));
    return length - 1;
}

static void say_tax(struct copy_row *row, const struct tproc_world *world, struct rng *rng)
{
    int64_t tax = world->mended ? rng_between(rng, 0, 2000) : 100 * rng_between(rng, 10, 20);

    copy_decimal(row, tax, TPROC_SCALE_TAX);
}

static void say_discount(struct copy_row *row, const struct tproc_world *world, struct rng *rng)
{
    int64_t discount = world->mended ? rng_between(rng, 0, 5000) : 100 * rng_between(rng, 0, 50);

    copy_decimal(row, discount, TPROC_SCALE_TAX);
}

static bool has_bad_credit(const struct tproc_world *world, const struct spot *spot,
                           struct rng *rng)
{
    if (!world->mended)
        return rng_between(rng, 0, 1) == 0;
    return permute(key_of(world, TOPIC_BAD_CREDIT, spot->place), TPROC_CUSTOMERS, spot->index) <
           TPROC_CUSTOMERS / 10;
}

/* Who ordered. HammerDB means to shuffle and loses what it swaps: order i gets any of the customers
 * i to 3000, and half of them have no order at all. */
static int64_t buyer(const struct tproc_world *world, const struct spot *spot, struct rng *rng)
{
    if (!world->mended)
        return rng_between(rng, spot->index + 1, TPROC_CUSTOMERS);
    return permute(key_of(world, TOPIC_BUYERS, spot->place), TPROC_CUSTOMERS, spot->index) + 1;
}

/* In hundredths. HammerDB has the rule of delivered and waiting orders the wrong way round. */
static int64_t line_amount(const struct tproc_world *world, bool delivered, struct rng *rng)
{
    if (!world->mended)
        return delivered ? rng_between(rng, 10, 10000) : 0;
    return delivered ? 0 : rng_between(rng, 1, 999999);
}

static int64_t name_number(const struct tproc_world *world, int64_t index, struct rng *rng)
{
    if (index < TPROC_NAMED)
        return index;
    return nurand(rng, NURAND_A_LAST, 0, TPROC_NAMED - 1,
                  world->mended ? NURAND_C_LAST_LOAD : TPROC_C_LAST);
}

/* ---- pieces of rows ---- */

/* i_data and s_data. */
static void say_data(struct copy_row *row, const struct tproc_world *world, bool original,
                     struct rng *rng)
{
    char letters[50];
    int length = draw_letters(letters, 26, 50, rng);

    if (original)
        length = mark(world, letters, length, rng);
    copy_text(row, letters, length);
}

/* ---- rows, their columns in physical order ---- */

static void item_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    bool original = is_original(world, TOPIC_ITEMS, 0, number - 1, rng);

    copy_whole(row, number);
    copy_whole(row, rng_between(rng, 1, 10000));
    say_letters(row, 14, 24, rng);
    copy_decimal(row, rng_between(rng, 100, 10000), TPROC_SCALE_MONEY);
    say_data(row, world, original, rng);
}

static void warehouse_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    copy_whole(row, number);
    say_letters(row, 6, 10, rng);
    say_address(row, rng);
    say_tax(row, world, rng);
    copy_decimal(row, 30000000, TPROC_SCALE_MONEY);
}

static void district_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, 1);

    copy_whole(row, spot.warehouse);
    copy_whole(row, TPROC_ORDERS + 1);
    copy_whole(row, spot.district);
    copy_decimal(row, 3000000, TPROC_SCALE_MONEY);
    say_tax(row, world, rng);
    say_letters(row, 6, 10, rng);
    say_address(row, rng);
}

static void customer_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPROC_CUSTOMERS);
    char last[LAST_NAME_MAX], phone[PHONE_LENGTH];
    int name = (int)name_number(world, spot.index, rng);

    copy_moment(row, LOADED_UNIX_US);
    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.warehouse);
    copy_whole(row, spot.district);
    copy_whole(row, 1); /* payments */
    copy_whole(row, 0); /* deliveries */
    say_letters(row, 8, 16, rng);
    copy_text(row, "OE", 2);
    copy_text(row, last, last_name(last, name));
    say_address(row, rng);
    copy_text(row, phone, draw_digits(phone, PHONE_LENGTH, rng));
    copy_text(row, has_bad_credit(world, &spot, rng) ? "BC" : "GC", 2);
    copy_decimal(row, 5000000, TPROC_SCALE_MONEY);
    say_discount(row, world, rng);
    copy_decimal(row, -1000, TPROC_SCALE_MONEY);
    copy_decimal(row, 1000, TPROC_SCALE_MONEY);
    say_letters(row, 300, LETTERS_MAX, rng);
}

static void history_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPROC_CUSTOMERS);

    (void)world;
    copy_moment(row, LOADED_UNIX_US);
    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.warehouse);
    copy_whole(row, spot.warehouse);
    copy_whole(row, spot.district);
    copy_whole(row, spot.district);
    copy_decimal(row, 1000, TPROC_SCALE_MONEY);
    say_letters(row, 12, 24, rng);
}

/* The quantity can be told afterwards where a check wants to know it. */
static void stock_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const struct tproc_world *tproc = world;
    int64_t warehouse = (number - 1) / TPROC_ITEMS + 1, item = (number - 1) % TPROC_ITEMS + 1;
    bool original = is_original(world, TOPIC_STOCK, warehouse, item - 1, rng);

    copy_whole(row, item);
    copy_whole(row, warehouse);
    copy_whole(row, 0); /* s_ytd */
    copy_whole(row,
               tproc->mended ? tpcc_loaded_quantity(warehouse, item) : rng_between(rng, 10, 100));
    copy_whole(row, 0); /* orders */
    copy_whole(row, 0); /* remote ones */
    for (int i = 0; i < TPROC_DISTRICTS; i++)
        say_letters(row, DIST_LENGTH, DIST_LENGTH, rng);
    say_data(row, world, original, rng);
}

int tproc_loaded_lines(const struct tproc_world *world, int64_t number)
{
    struct rng rng;

    rng_at(&rng, key_of(world, TOPIC_LINES, 0), (uint64_t)number);
    return (int)rng_between(&rng, TPROC_LINES_MIN, TPROC_LINES_MAX);
}

static void order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPROC_ORDERS);

    copy_moment(row, LOADED_UNIX_US);
    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.warehouse);
    copy_whole(row, buyer(world, &spot, rng));
    copy_whole(row, spot.district);
    if (spot.index < TPROC_DELIVERED)
        copy_whole(row, rng_between(rng, 1, 10));
    else
        copy_null(row);
    copy_whole(row, tproc_loaded_lines(world, number));
    copy_whole(row, 1);
}

static void new_order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPROC_ORDERS - TPROC_DELIVERED);

    (void)world;
    (void)rng;
    copy_whole(row, spot.warehouse);
    copy_whole(row, TPROC_DELIVERED + spot.index + 1);
    copy_whole(row, spot.district);
}

/* The lines of order `number`. */
static void order_line_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPROC_ORDERS);
    int count = tproc_loaded_lines(world, number);
    bool delivered = spot.index < TPROC_DELIVERED;

    for (int line = 1; line <= count; line++) {
        if (line > 1)
            copy_next(row);
        if (delivered)
            copy_moment(row, LOADED_UNIX_US);
        else
            copy_null(row);
        copy_whole(row, spot.index + 1);
        copy_whole(row, spot.warehouse);
        copy_whole(row, rng_between(rng, 1, TPROC_ITEMS));
        copy_whole(row, spot.warehouse);
        copy_whole(row, spot.district);
        copy_whole(row, line);
        copy_whole(row, 5);
        copy_decimal(row, line_amount(world, delivered, rng), TPROC_SCALE_MONEY);
        say_letters(row, DIST_LENGTH, DIST_LENGTH, rng);
    }
}

#define EACH_DISTRICT(count) ((int64_t)TPROC_DISTRICTS * (count))

const struct tproc_rows tproc_rows[TPROC_TABLES] = {
    [TPROC_ITEM] = { .row = item_row },
    [TPROC_WAREHOUSE] = { .each = 1, .row = warehouse_row },
    [TPROC_DISTRICT] = { .each = TPROC_DISTRICTS, .row = district_row },
    [TPROC_CUSTOMER] = { .each = EACH_DISTRICT(TPROC_CUSTOMERS), .row = customer_row },
    [TPROC_HISTORY] = { .each = EACH_DISTRICT(TPROC_CUSTOMERS), .row = history_row },
    [TPROC_STOCK] = { .each = TPROC_ITEMS, .row = stock_row },
    [TPROC_ORDER] = { .each = EACH_DISTRICT(TPROC_ORDERS), .row = order_row },
    [TPROC_NEW_ORDER] = { .each = EACH_DISTRICT(TPROC_ORDERS - TPROC_DELIVERED),
                          .row = new_order_row },
    [TPROC_ORDER_LINE] = { .each = EACH_DISTRICT(TPROC_ORDERS),
                           .lines = (TPROC_LINES_MIN + TPROC_LINES_MAX) / 2.0,
                           .row = order_line_row },
};
