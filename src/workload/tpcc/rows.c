/*
 * rows.c - what load puts into the tables (clause 4.3.3.1).
 *
 * Rows are numbered warehouse by warehouse, so that more warehouses only add rows. What more than
 * one row or table must agree on - who ordered, how many lines, which tenth is marked - comes from
 * the data seed and the place of the row alone.
 */
#include <string.h>

#include "workload/tpcc/names.h"
#include "workload/tpcc/nurand.h"
#include "workload/tpcc/permutation.h"
#include "workload/tpcc/place.h"
#include "workload/tpcc/tpcc.h"
#include "workload/tpcc/words.h"

#define DIST_LENGTH  24
#define PHONE_LENGTH 16

static uint64_t key_of(const struct tpcc_world *world, enum topic topic, int64_t place)
{
    return place_key(world->data_seed, topic, place);
}

/* Is `index` in a tenth of `count`, drawn for that topic and place? Exactly a tenth. */
static bool in_tenth(const struct tpcc_world *world, enum topic topic, int64_t place,
                     const int64_t count_index[2])
{
    return permute(key_of(world, topic, place), count_index[0], count_index[1]) <
           count_index[0] / 10;
}

/* ---- pieces of rows ---- */

/* i_data and s_data. */
static void say_data(struct copy_row *row, bool original, struct rng *rng)
{
    char letters[50];
    int length = draw_letters(letters, 26, 50, rng);

    if (original)
        mark_original(letters, length, rng);
    copy_text(row, letters, length);
}

/* ---- rows ---- */

static void item_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const int64_t tenth[2] = { TPCC_ITEMS, number - 1 };

    copy_whole(row, number);
    copy_whole(row, rng_between(rng, 1, 10000));
    say_letters(row, 14, 24, rng);
    copy_decimal(row, rng_between(rng, 100, 10000), TPCC_SCALE_MONEY);
    say_data(row, in_tenth(world, TOPIC_ITEMS, 0, tenth), rng);
}

static void warehouse_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    say_letters(row, 6, 10, rng);
    say_address(row, rng);
    copy_decimal(row, rng_between(rng, 0, 2000), TPCC_SCALE_TAX);
    copy_decimal(row, 30000000, TPCC_SCALE_MONEY);
}

static void district_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, (number - 1) % TPCC_DISTRICTS + 1);
    copy_whole(row, (number - 1) / TPCC_DISTRICTS + 1);
    say_letters(row, 6, 10, rng);
    say_address(row, rng);
    copy_decimal(row, rng_between(rng, 0, 2000), TPCC_SCALE_TAX);
    copy_decimal(row, 3000000, TPCC_SCALE_MONEY);
    copy_whole(row, TPCC_ORDERS + 1);
}

static void customer_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_CUSTOMERS);
    const int64_t tenth[2] = { TPCC_CUSTOMERS, spot.index };
    char last[LAST_NAME_MAX], phone[PHONE_LENGTH];
    int64_t name =
        spot.index < 1000 ? spot.index : nurand(rng, NURAND_A_LAST, 0, 999, NURAND_C_LAST_LOAD);

    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    say_letters(row, 8, 16, rng);
    copy_text(row, "OE", 2);
    copy_text(row, last, last_name(last, (int)name));
    say_address(row, rng);
    copy_text(row, phone, draw_digits(phone, PHONE_LENGTH, rng));
    copy_moment(row, LOADED_UNIX_US);
    copy_text(row, in_tenth(world, TOPIC_BAD_CREDIT, spot.place, tenth) ? "BC" : "GC", 2);
    copy_decimal(row, 5000000, TPCC_SCALE_MONEY);
    copy_decimal(row, rng_between(rng, 0, 5000), TPCC_SCALE_TAX);
    copy_decimal(row, -1000, TPCC_SCALE_MONEY);
    copy_decimal(row, 1000, TPCC_SCALE_MONEY);
    copy_whole(row, 1);
    copy_whole(row, 0);
    say_letters(row, 300, LETTERS_MAX, rng);
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
    copy_decimal(row, 1000, TPCC_SCALE_MONEY);
    say_letters(row, 12, 24, rng);
}

/* Two rounds of multiplying within 31 bits, from whose highest ones the quantity is made. */
#define SCATTERED "(((s_w_id::bigint * 100000 + s_i_id) % 2147483648) * 1103515245 % 2147483648)"

const char tpcc_loaded_quantity_sql[] =
    "(10 + (((" SCATTERED " # (" SCATTERED " >> 15)) * 1540483477 % 2147483648) * 91 >> 31))";

int tpcc_loaded_quantity(int64_t warehouse, int64_t item)
{
    const int64_t modulus = INT64_C(1) << 31;
    int64_t scattered = (warehouse * TPCC_ITEMS + item) % modulus * 1103515245 % modulus;

    return (int)(10 + ((scattered ^ scattered >> 15) * 1540483477 % modulus * 91 >> 31));
}

static void stock_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    int64_t warehouse = (number - 1) / TPCC_ITEMS + 1, item = (number - 1) % TPCC_ITEMS + 1;
    const int64_t tenth[2] = { TPCC_ITEMS, item - 1 };

    copy_whole(row, item);
    copy_whole(row, warehouse);
    copy_whole(row, tpcc_loaded_quantity(warehouse, item));
    for (int i = 0; i < TPCC_DISTRICTS; i++)
        say_letters(row, DIST_LENGTH, DIST_LENGTH, rng);
    copy_decimal(row, 0, 0);
    copy_whole(row, 0);
    copy_whole(row, 0);
    say_data(row, in_tenth(world, TOPIC_STOCK, warehouse, tenth), rng);
}

int tpcc_loaded_lines(const struct tpcc_world *world, int64_t number)
{
    struct rng rng;

    rng_at(&rng, key_of(world, TOPIC_LINES, 0), (uint64_t)number);
    return (int)rng_between(&rng, TPCC_LINES_MIN, TPCC_LINES_MAX);
}

static void order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_ORDERS);

    copy_whole(row, spot.index + 1);
    copy_whole(row, spot.district);
    copy_whole(row, spot.warehouse);
    copy_whole(row,
               permute(key_of(world, TOPIC_BUYERS, spot.place), TPCC_CUSTOMERS, spot.index) + 1);
    copy_moment(row, LOADED_UNIX_US);
    if (spot.index < TPCC_DELIVERED)
        copy_whole(row, rng_between(rng, 1, 10));
    else
        copy_null(row);
    copy_whole(row, tpcc_loaded_lines(world, number));
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

/* The lines of order `number`. */
static void order_line_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    struct spot spot = spot_of(number, TPCC_ORDERS);
    int count = tpcc_loaded_lines(world, number);
    bool delivered = spot.index < TPCC_DELIVERED;

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
        copy_decimal(row, delivered ? 0 : rng_between(rng, 1, 999999), TPCC_SCALE_MONEY);
        say_letters(row, DIST_LENGTH, DIST_LENGTH, rng);
    }
}

/* ---- the table of them ---- */

#define TYPES(...)           ((const char *const[]){ __VA_ARGS__, NULL })
#define ADDRESS_COLUMNS(x)   #x "_street_1, " #x "_street_2, " #x "_city, " #x "_state, " #x "_zip, "
#define ADDRESS_TYPES        "varchar", "varchar", "varchar", "bpchar", "bpchar"
#define EACH_DISTRICT(count) ((int64_t)TPCC_DISTRICTS * (count))

const struct tpcc_rows tpcc_rows[TPCC_TABLES] = {
    [TPCC_ITEM] = { .columns = "i_id, i_im_id, i_name, i_price, i_data",
                    .types = TYPES("int4", "int4", "varchar", "numeric", "varchar"),
                    .row = item_row },
    [TPCC_WAREHOUSE] = { .columns = "w_id, w_name, " ADDRESS_COLUMNS(w) "w_tax, w_ytd",
                         .types = TYPES("int4", "varchar", ADDRESS_TYPES, "numeric", "numeric"),
                         .each = 1,
                         .row = warehouse_row },
    [TPCC_DISTRICT] = { .columns =
                            "d_id, d_w_id, d_name, " ADDRESS_COLUMNS(d) "d_tax, d_ytd, d_next_o_id",
                        .types = TYPES("int2", "int4", "varchar", ADDRESS_TYPES, "numeric",
                                       "numeric", "int4"),
                        .each = TPCC_DISTRICTS,
                        .row = district_row },
    [TPCC_CUSTOMER] = { .columns = "c_id, c_d_id, c_w_id, c_first, c_middle, "
                                   "c_last, " ADDRESS_COLUMNS(
                                       c) "c_phone, c_since, c_credit, c_credit_lim, c_discount, "
                                          "c_balance, c_ytd_payment, c_payment_cnt, "
                                          "c_delivery_cnt, c_data",
                        .types = TYPES("int4", "int2", "int4", "varchar", "bpchar", "varchar",
                                       ADDRESS_TYPES, "bpchar", "timestamptz", "bpchar", "numeric",
                                       "numeric", "numeric", "numeric", "int4", "int4", "varchar"),
                        .each = EACH_DISTRICT(TPCC_CUSTOMERS),
                        .row = customer_row },
    [TPCC_HISTORY] = { .columns =
                           "h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data",
                       .types = TYPES("int4", "int2", "int4", "int2", "int4", "timestamptz",
                                      "numeric", "varchar"),
                       .each = EACH_DISTRICT(TPCC_CUSTOMERS),
                       .row = history_row },
    [TPCC_STOCK] = { .columns = "s_i_id, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, "
                                "s_dist_04, s_dist_05, s_dist_06, s_dist_07, s_dist_08, s_dist_09, "
                                "s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data",
                     .types = TYPES("int4", "int4", "int2", "bpchar", "bpchar", "bpchar", "bpchar",
                                    "bpchar", "bpchar", "bpchar", "bpchar", "bpchar", "bpchar",
                                    "numeric", "int4", "int4", "varchar"),
                     .each = TPCC_ITEMS,
                     .row = stock_row },
    [TPCC_ORDER] = { .columns = "o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "
                                "o_all_local",
                     .types = TYPES("int4", "int2", "int4", "int4", "timestamptz", "int2", "int2",
                                    "int2"),
                     .each = EACH_DISTRICT(TPCC_ORDERS),
                     .row = order_row },
    [TPCC_NEW_ORDER] = { .columns = "no_o_id, no_d_id, no_w_id",
                         .types = TYPES("int4", "int2", "int4"),
                         .each = EACH_DISTRICT(TPCC_ORDERS - TPCC_DELIVERED),
                         .row = new_order_row },
    [TPCC_ORDER_LINE] = { .columns = "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, "
                                     "ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, "
                                     "ol_dist_info",
                          .types = TYPES("int4", "int2", "int4", "int2", "int4", "int4",
                                         "timestamptz", "int2", "numeric", "bpchar"),
                          .each = EACH_DISTRICT(TPCC_ORDERS),
                          .lines = (TPCC_LINES_MIN + TPCC_LINES_MAX) / 2.0,
                          .row = order_line_row },
};
