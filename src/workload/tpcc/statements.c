/*
 * statements.c - the SQL of mode sql, and the calls of mode functions.
 *
 * Money travels as whole hundredths and is multiplied by 0.01 in the server, so that no rounding
 * can happen. Rows that will be updated are locked FOR NO KEY UPDATE, the lock that the update
 * takes; it lets the checks of foreign keys pass. The time of day is the server's.
 */
#include "workload/tpcc/tpcc.h"

#define AMOUNT(place)  place "::bigint * 0.01"
#define ADDRESS(x)     #x "_street_1, " #x "_street_2, " #x "_city, " #x "_state, " #x "_zip"
#define CUSTOMER(w, d) "c_w_id = " w " AND c_d_id = " d

/* The district's own column of the stock. */
#define DIST_INFO(place)                                                                         \
    "CASE " place "::integer WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 " \
    "WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 "   \
    "WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END"

/* What a customer's payment changes, the data apart. */
#define PAY_CUSTOMER                                                                               \
    "UPDATE customer{} SET c_balance = c_balance - " AMOUNT(                                       \
        "$4") ", c_ytd_payment = c_ytd_payment + " AMOUNT("$4") ", c_payment_cnt = c_payment_cnt " \
                                                                "+ 1"

#define NO_CUSTOMER "customers were not there"

/* clang-format off */
const struct statement tpcc_statements[] = {
    /* ---- New-Order ---- */
    [TPCC_SQL_BUYER] = {
        .name = "new_order_customer",
        .sql = "SELECT c_discount, c_last, c_credit, w_tax FROM customer{}, warehouse{} WHERE "
               CUSTOMER("$1", "$2") " AND c_id = $3 AND w_id = $1",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_LOCK_DISTRICT] = {
        .name = "new_order_district",
        .sql = "SELECT d_next_o_id, d_tax FROM district{} WHERE d_w_id = $1 AND d_id = $2 FOR NO KEY UPDATE",
        .misses = "districts were not there" },
    [TPCC_SQL_NEXT_ORDER] = {
        .name = "new_order_next_id",
        .sql = "UPDATE district{} SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2" },
    [TPCC_SQL_GET_ITEM] = {
        .name = "new_order_item",
        .sql = "SELECT i_price, i_name, i_data FROM item{} WHERE i_id = $1" },
    [TPCC_SQL_LOCK_STOCK] = {
        .name = "new_order_stock",
        .sql = "SELECT s_quantity, s_data, " DIST_INFO("$3")
               " FROM stock{} WHERE s_w_id = $1 AND s_i_id = $2 FOR NO KEY UPDATE" },
    [TPCC_SQL_ADD_ORDER] = {
        .name = "new_order_insert_order",
        .sql = "INSERT INTO orders{} (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) "
               "VALUES ($1, $2, $3, $4, current_timestamp, $5, $6) RETURNING o_entry_d" },
    [TPCC_SQL_ADD_NEW_ORDER] = {
        .name = "new_order_insert_new_order",
        .sql = "INSERT INTO new_orders{} (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3)" },
    [TPCC_SQL_CHANGE_STOCK] = {
        .name = "new_order_update_stock",
        .sql = "UPDATE stock{} SET s_quantity = $3, s_ytd = s_ytd + $4::integer, "
               "s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + $5 "
               "WHERE s_w_id = $1 AND s_i_id = $2",
        .misses = "stock was not there" },
    [TPCC_SQL_ADD_LINE] = {
        .name = "new_order_insert_line",
        .sql = "INSERT INTO order_line{} (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, "
               "ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) "
               "VALUES ($1, $2, $3, $4, $5, $6, $7, " AMOUNT("$8") ", $9)" },

    /* ---- Payment ---- */
    [TPCC_SQL_PAY_WAREHOUSE] = {
        .name = "payment_warehouse",
        .sql = "UPDATE warehouse{} SET w_ytd = w_ytd + " AMOUNT("$2")
               " WHERE w_id = $1 RETURNING w_name, " ADDRESS(w),
        .misses = "warehouses were not there" },
    [TPCC_SQL_PAY_DISTRICT] = {
        .name = "payment_district",
        .sql = "UPDATE district{} SET d_ytd = d_ytd + " AMOUNT("$3")
               " WHERE d_w_id = $1 AND d_id = $2 RETURNING d_name, " ADDRESS(d),
        .misses = "districts were not there" },
    [TPCC_SQL_FIND_PAYER] = {
        .name = "payment_by_name",
        .sql = "SELECT c_id FROM customer{} WHERE " CUSTOMER("$1", "$2") " AND c_last = $3 ORDER BY c_first",
        .misses = "no customer had that name" },
    [TPCC_SQL_LOCK_PAYER] = {
        .name = "payment_customer",
        .sql = "SELECT c_credit, c_first, c_middle, c_last, " ADDRESS(c)
               ", c_phone, c_since, c_credit_lim, c_discount, c_balance FROM customer{} WHERE "
               CUSTOMER("$1", "$2") " AND c_id = $3 FOR NO KEY UPDATE",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_PAY_CUSTOMER] = {
        .name = "payment_update_customer",
        .sql = PAY_CUSTOMER " WHERE " CUSTOMER("$1", "$2") " AND c_id = $3 RETURNING c_balance",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_PAY_CUSTOMER_DATA] = {
        .name = "payment_update_bad_credit",
        .sql = PAY_CUSTOMER ", c_data = left($5 || c_data, 500) WHERE " CUSTOMER("$1", "$2")
               " AND c_id = $3 RETURNING c_balance, left(c_data, 200)",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_ADD_HISTORY] = {
        .name = "payment_insert_history",
        .sql = "INSERT INTO history{} (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data) "
               "VALUES ($1, $2, $3, $4, $5, current_timestamp, " AMOUNT("$6") ", $7) RETURNING h_date" },

    /* ---- Order-Status ---- */
    [TPCC_SQL_FIND_CUSTOMER] = {
        .name = "order_status_by_name",
        .sql = "SELECT c_balance, c_first, c_middle, c_last, c_id FROM customer{} WHERE "
               CUSTOMER("$1", "$2") " AND c_last = $3 ORDER BY c_first",
        .misses = "no customer had that name" },
    [TPCC_SQL_GET_CUSTOMER] = {
        .name = "order_status_customer",
        .sql = "SELECT c_balance, c_first, c_middle, c_last, c_id FROM customer{} WHERE "
               CUSTOMER("$1", "$2") " AND c_id = $3",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_LAST_ORDER] = {
        .name = "order_status_order",
        .sql = "SELECT o_id, o_entry_d, o_carrier_id FROM orders{} "
               "WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1",
        .misses = "customers had no order" },
    [TPCC_SQL_GET_LINES] = {
        .name = "order_status_lines",
        .sql = "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line{} "
               "WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
        .misses = "orders had no lines" },

    /* ---- Delivery ---- */
    [TPCC_SQL_OLDEST_NEW_ORDER] = {
        .name = "delivery_oldest",
        .sql = "SELECT no_o_id FROM new_orders{} WHERE no_w_id = $1 AND no_d_id = $2 "
               "ORDER BY no_o_id LIMIT 1 FOR UPDATE" },
    [TPCC_SQL_TAKE_NEW_ORDER] = {
        .name = "delivery_delete_new_order",
        .sql = "DELETE FROM new_orders{} WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3" },
    [TPCC_SQL_CARRY_ORDER] = {
        .name = "delivery_update_order",
        .sql = "UPDATE orders{} SET o_carrier_id = $4 WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3 "
               "RETURNING o_c_id",
        .misses = "orders to deliver were not there" },
    [TPCC_SQL_DELIVER_LINES] = {
        .name = "delivery_update_lines",
        .sql = "UPDATE order_line{} SET ol_delivery_d = current_timestamp "
               "WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3",
        .misses = "orders had no lines" },
    [TPCC_SQL_SUM_LINES] = {
        .name = "delivery_sum",
        .sql = "SELECT sum(ol_amount) FROM order_line{} WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3" },
    [TPCC_SQL_CHARGE_CUSTOMER] = {
        .name = "delivery_update_customer",
        .sql = "UPDATE customer{} SET c_balance = c_balance + " AMOUNT("$4")
               ", c_delivery_cnt = c_delivery_cnt + 1 WHERE " CUSTOMER("$1", "$2") " AND c_id = $3",
        .misses = NO_CUSTOMER },

    /* ---- Stock-Level ---- */
    [TPCC_SQL_NEXT_OF_DISTRICT] = {
        .name = "stock_level_district",
        .sql = "SELECT d_next_o_id FROM district{} WHERE d_w_id = $1 AND d_id = $2",
        .misses = "districts were not there" },
    [TPCC_SQL_COUNT_LOW] = {
        .name = "stock_level_count",
        .sql = "SELECT count(DISTINCT s_i_id) FROM order_line{}, stock{} WHERE ol_w_id = $1 AND ol_d_id = $2 "
               "AND ol_o_id >= $3 AND ol_o_id < $4 AND s_w_id = $1 AND s_i_id = ol_i_id AND s_quantity < $5" },

    /* ---- functions ---- */
    [TPCC_SQL_FUNCTION + TPCC_KIND_NEW_ORDER] = {
        .name = "new_order",
        .sql = "SELECT * FROM tpcc_new_order{}($1, $2, $3, $4::integer[], $5::integer[], $6::integer[], "
               "$7::boolean)",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_FUNCTION + TPCC_KIND_PAYMENT] = {
        .name = "payment",
        .sql = "SELECT * FROM tpcc_payment{}($1, $2, $3, $4, $5, $6, $7)",
        .misses = NO_CUSTOMER },
    [TPCC_SQL_FUNCTION + TPCC_KIND_ORDER_STATUS] = {
        .name = "order_status",
        .sql = "SELECT * FROM tpcc_order_status{}($1, $2, $3, $4)",
        .misses = "customers or their orders were not there" },
    [TPCC_SQL_FUNCTION + TPCC_KIND_DELIVERY] = {
        .name = "delivery",
        .sql = "SELECT * FROM tpcc_delivery{}($1, $2)" },
    [TPCC_SQL_FUNCTION + TPCC_KIND_STOCK_LEVEL] = {
        .name = "stock_level",
        .sql = "SELECT tpcc_stock_level{}($1, $2, $3)" },
    [TPCC_SQL_COUNT] = { .name = NULL },
};
/* clang-format on */

bool tpcc_uses(const void *world, int statement)
{
    const struct tpcc_world *tpcc = world;

    return (statement >= TPCC_SQL_FUNCTION) == (tpcc->options.mode == TPCC_MODE_FUNCTIONS);
}
