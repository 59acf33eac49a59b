/*
 * percona_rows.c - what the script puts into the tables (spec sysbench 4.3).
 *
 * Its texts are mostly one letter many times, which compresses away to nothing. Rows are numbered
 * warehouse by warehouse, so that more warehouses only add rows; what the script calls now is the
 * first instant of 2026, so that the same data are loaded whenever they are.
 */
#include <stdio.h>
#include <string.h>

#include "workload/tpcc/nurand.h"
#include "workload/tpcc/percona.h"
#include "workload/tpcc/permutation.h"
#include "workload/tpcc/place.h"

#define WORDS_MAX    64
#define REPEATED_MAX 500
#define MICRO        1000000

static uint64_t key_of(const struct percona_world *world, enum topic topic, int64_t place)
{
    return place_key(world->data_seed, topic, place);
}

/* ---- texts ---- */

static char draw_letter(struct rng *rng)
{
    return (char)('a' + rng_between(rng, 0, 25));
}

/* A fixed beginning, then `count` letters or digits. */
static void say_words(struct copy_row *row, const char *begin, int count, struct rng *rng)
{
    char words[WORDS_MAX];
    int length = (int)strlen(begin);

    memcpy(words, begin, (size_t)length);
    for (int i = 0; i < count; i++)
        words[length++] = draw_letter(rng);
    copy_text(row, words, length);
}

static void say_digits(struct copy_row *row, const char *begin, int count, struct rng *rng)
{
    char words[WORDS_MAX];
    int length = (int)strlen(begin);

    memcpy(words, begin, (size_t)length);
    for (int i = 0; i < count; i++)
        words[length++] = (char)('0' + rng_between(rng, 0, 9));
    copy_text(row, words, length);
}

/* One letter, `low` to `high` times. */
static void say_repeated(struct copy_row *row, int low, int high, struct rng *rng)
{
    char words[REPEATED_MAX];
    int length = (int)rng_between(rng, low, high);

    memset(words, draw_letter(rng), (size_t)length);
    copy_text(row, words, length);
}

static void say_marked_address(struct copy_row *row, struct rng *rng)
{
    say_words(row, "street1-", 10, rng);
    say_words(row, "street2-", 10, rng);
    say_words(row, "city-", 10, rng);
    say_words(row, "", 2, rng);
    say_digits(row, "zip-", 5, rng);
}

/* A uniform share of `most` hundredths, rounded to hundredths as the server rounds it. */
static void say_share(struct copy_row *row, int most, struct rng *rng)
{
    int64_t micro = rng_between(rng, 0, MICRO - 1) * most;

    copy_decimal(row, (micro + MICRO / 2) / MICRO, 2);
}

/* ---- rows ---- */

static void say_prefix(struct copy_row *row, const char *words, int most)
{
    int length = (int)strlen(words);

    copy_text(row, words, length < most ? length : most);
}

static void item_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    char name[WORDS_MAX], data[2 * WORDS_MAX], letters[2][6];
    int image = (int)rng_between(rng, 1, 10000);
    int64_t price = MICRO + rng_between(rng, 0, MICRO - 1) * 100; /* in millionths */

    (void)world;
    for (int i = 0; i < 2; i++) {
        for (int at = 0; at < 5; at++)
            letters[i][at] = draw_letter(rng);
        letters[i][5] = '\0';
    }
    snprintf(name, sizeof name, "item-%d-%d.%06d-%s", image, (int)(price / MICRO),
             (int)(price % MICRO), letters[0]);
    snprintf(data, sizeof data, "data-%s-%s", name, letters[1]);
    copy_whole(row, number);
    copy_whole(row, image);
    say_prefix(row, name, 24);
    copy_decimal(row, (price + MICRO / 200) / (MICRO / 100), 2);
    say_prefix(row, data, 50);
}

static void warehouse_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    say_words(row, "name-", 5, rng);
    say_marked_address(row, rng);
    say_share(row, 20, rng);
    copy_decimal(row, 30000000, 2);
}

static void district_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, (number - 1) % TPCC_DISTRICTS + 1);
    copy_whole(row, (number - 1) / TPCC_DISTRICTS + 1);
    say_words(row, "name-", 5, rng);
    say_marked_address(row, rng);
    say_share(row, 20, rng);
    copy_decimal(row, 3000000, 2);
    copy_whole(row, TPCC_ORDERS + 1);
}

static void customer_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_CUSTOMERS);
    char last[LAST_NAME_MAX];
    int64_t name = spot.index;

    (void)world;
    /* The constant of the name is drawn anew here, too. */
    if (name >= 1000)
        name = nurand(rng, NURAND_A_LAST, 0, 999, rng_between(rng, 0, NURAND_A_LAST));
    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    say_words(row, "first-", (int)rng_between(rng, 2, 10), rng);
    copy_text(row, "OE", 2);
    copy_text(row, last, last_name(last, (int)name));
    say_marked_address(row, rng);
    say_digits(row, "", 16, rng);
    copy_moment(row, LOADED_UNIX_US);
    copy_text(row, rng_between(rng, 1, 100) <= 10 ? "BC" : "GC", 2);
    copy_whole(row, 50000);
    say_share(row, 50, rng);
    copy_decimal(row, -1000, 2);
    copy_decimal(row, 1000, 2);
    copy_whole(row, 1);
    copy_whole(row, 0);
    say_repeated(row, 300, 500, rng);
}

static void history_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_CUSTOMERS);

    (void)world;
    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    copy_moment(row, LOADED_UNIX_US);
    copy_decimal(row, 1000, 2);
    say_repeated(row, 12, 24, rng);
}

static void stock_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    int64_t warehouse = (number - 1) / TPCC_ITEMS + 1, item = (number - 1) % TPCC_ITEMS + 1;

    (void)world;
    copy_whole(row, item);
    copy_whole(row, warehouse);
    copy_whole(row, tpcc_loaded_quantity(warehouse, item));
    for (int i = 0; i < TPCC_DISTRICTS; i++)
        say_repeated(row, 24, 24, rng);
    copy_decimal(row, 0, 0);
    copy_whole(row, 0);
    copy_whole(row, 0);
    say_repeated(row, 26, 50, rng);
}

static int loaded_lines(const struct percona_world *world, int64_t number)
{
    struct rng rng;

    rng_at(&rng, key_of(world, TOPIC_PERCONA_LINES, 0), (uint64_t)number);
    return (int)rng_between(&rng, TPCC_LINES_MIN, TPCC_LINES_MAX);
}

/* The ten districts of a warehouse share one order of customers. */
static void order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_ORDERS);
    uint64_t key = key_of(world, TOPIC_PERCONA_BUYERS, spot.warehouse);

    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    copy_whole(row, permute(key, TPCC_CUSTOMERS, spot.index) + 1);
    copy_moment(row, LOADED_UNIX_US);
    if (spot.index < TPCC_DELIVERED)
        copy_whole(row, rng_between(rng, 1, 10));
    else
        copy_null(row);
    copy_whole(row, loaded_lines(world, number));
    copy_whole(row, 1);
}

static void new_order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_ORDERS - TPCC_DELIVERED);

    (void)world;
    (void)rng;
    copy_whole(row, TPCC_DELIVERED + spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
}

static void order_line_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_ORDERS);
    bool delivered = spot.index < TPCC_DELIVERED;
    int count = loaded_lines(world, number);

    for (int line = 1; line <= count; line++) {
        if (line > 1)
            copy_next(row);
        copy_whole(row, spot.index + 1);
        copy_whole(row, spot.district);
        copy_whole(row, spot.warehouse);
        copy_whole(row, line);
        copy_whole(row, rng_between(rng, 1, TPCC_ITEMS));
        copy_whole(row, spot.warehouse);
        if (delivered)
            copy_moment(row, LOADED_UNIX_US);
        else
            copy_null(row);
        copy_whole(row, 5);
        copy_decimal(row, delivered ? 0 : rng_between(rng, 0, 999999), 2);
        say_repeated(row, 24, 24, rng);
    }
}

/* ---- the table of them ---- */

#define TYPES(...)    ((const char *const[]){ __VA_ARGS__, NULL })
#define ADDRESS_TYPES "varchar", "varchar", "varchar", "bpchar", "bpchar"

const struct percona_rows percona_rows[TPCC_TABLES] = {
    [TPCC_ITEM] = { .types = TYPES("int4", "int4", "varchar", "numeric", "varchar"),
                    .row = item_row },
    [TPCC_WAREHOUSE] = { .types = TYPES("int2", "varchar", ADDRESS_TYPES, "numeric", "numeric"),
                         .row = warehouse_row },
    [TPCC_DISTRICT] = { .types = TYPES("int2", "int2", "varchar", ADDRESS_TYPES, "numeric",
                                       "numeric", "int4"),
                        .row = district_row },
    [TPCC_CUSTOMER] = { .types = TYPES("int4", "int2", "int2", "varchar", "bpchar", "varchar",
                                       ADDRESS_TYPES, "bpchar", "timestamp", "bpchar", "int8",
                                       "numeric", "numeric", "numeric", "int2", "int2", "text"),
                        .row = customer_row },
    [TPCC_HISTORY] = { .types = TYPES("int4", "int2", "int2", "int2", "int2", "timestamp",
                                      "numeric", "varchar"),
                       .row = history_row },
    [TPCC_STOCK] = { .types = TYPES("int4", "int2", "int2", "bpchar", "bpchar", "bpchar", "bpchar",
                                    "bpchar", "bpchar", "bpchar", "bpchar", "bpchar", "bpchar",
                                    "numeric", "int2", "int2", "varchar"),
                     .row = stock_row },
    [TPCC_ORDER] = { .types =
                         TYPES("int4", "int2", "int2", "int4", "timestamp", "int2", "int2", "int2"),
                     .row = order_row },
    [TPCC_NEW_ORDER] = { .types = TYPES("int4", "int2", "int2"), .row = new_order_row },
    [TPCC_ORDER_LINE] = { .types = TYPES("int4", "int2", "int2", "int2", "int4", "int2",
                                         "timestamp", "int2", "numeric", "bpchar"),
                          .row = order_line_row },
};
