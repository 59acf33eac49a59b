/*
 * conditions.c - see conditions.h.
 *
 * A condition is a query for what breaks it: rows of k (an array to sort by), what, found, wanted.
 * Letters after @ are tables.
 */
#include "workload/tpcc/conditions.h"

#include <string.h>

#define SHOWN 10 /* of what differs */

/* What a district is called, from two columns. */
#define DISTRICT(w, d) "format('district %s of warehouse %s', " d ", " w ")"
#define ORDER(w, d, o) "format('order %s of district %s of warehouse %s', " o ", " d ", " w ")"
#define CUSTOMER       "format('customer %s of district %s of warehouse %s', c_id, c_d_id, c_w_id)"

/* Delivered amounts of a customer, and what it paid. */
#define DELIVERED                                                                                  \
    "(SELECT o_w_id, o_d_id, o_c_id, sum(ol_amount) AS amount FROM @o JOIN @l ON ol_w_id = o_w_id" \
    " AND ol_d_id = o_d_id AND ol_o_id = o_id WHERE ol_delivery_d IS NOT NULL GROUP BY 1, 2, 3) o" \
    " ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id"

static const struct {
    const char *words, *sql;
} table[CONDITION_COUNT] = {
    [CONDITION_SIZES] = { "rows of warehouse, district, customer, stock and item",
                          "SELECT ARRAY[place] AS k, 'rows of ' || name AS what, have AS found, "
                          "want AS wanted FROM"
                          " (VALUES (1, 'warehouse', (SELECT count(*) FROM @w), #),"
                          " (2, 'district', (SELECT count(*) FROM @d), # * 10),"
                          " (3, 'customer', (SELECT count(*) FROM @c), # * 30000),"
                          " (4, 'stock', (SELECT count(*) FROM @s), # * 100000),"
                          " (5, 'item', (SELECT count(*) FROM @i), 100000)) AS sizes (place, name, "
                          "have, want)"
                          " WHERE have <> want" },
    [CONDITION_1] = { "w_ytd = sum(d_ytd)", "SELECT ARRAY[w_id] AS k, 'w_ytd of warehouse ' || "
                                            "w_id AS what, w_ytd AS found,"
                                            " total AS wanted FROM @w"
                                            " LEFT JOIN (SELECT d_w_id, sum(d_ytd) AS total FROM "
                                            "@d GROUP BY 1) d ON d_w_id = w_id"
                                            " WHERE w_ytd IS DISTINCT FROM total" },
    [2] = { "d_next_o_id - 1 = max(o_id) = max(no_o_id)",
            "SELECT ARRAY[d_w_id, d_id] AS k, 'max(o_id) of ' || " DISTRICT(
                "d_w_id",
                "d_id") " AS what,"
                        " o_last AS found, d_next_o_id - 1 AS wanted FROM @d"
                        " LEFT JOIN (SELECT o_w_id, o_d_id, max(o_id) AS o_last FROM @o GROUP BY "
                        "1, 2) o"
                        " ON o_w_id = d_w_id AND o_d_id = d_id WHERE o_last IS DISTINCT FROM "
                        "d_next_o_id - 1"
                        " UNION ALL SELECT ARRAY[d_w_id, d_id], 'max(no_o_id) of ' || " DISTRICT(
                            "d_w_id", "d_id") ","
                                              " no_last, d_next_o_id - 1 FROM @d"
                                              " JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS "
                                              "no_last FROM @n GROUP BY 1, 2) n"
                                              " ON no_w_id = d_w_id AND no_d_id = d_id WHERE "
                                              "no_last IS DISTINCT FROM d_next_o_id - 1" },
    [3] = { "the new orders of a district have no gap",
            "SELECT ARRAY[no_w_id, no_d_id] AS k, 'new orders of ' || " DISTRICT(
                "no_w_id", "no_d_id") " AS what, count(*) AS found, max(no_o_id) - min(no_o_id) + "
                                      "1 AS wanted FROM @n"
                                      " GROUP BY no_w_id, no_d_id HAVING count(*) <> max(no_o_id) "
                                      "- min(no_o_id) + 1" },
    [4] = { "sum(o_ol_cnt) = order lines of a district",
            "SELECT ARRAY[w, d] AS k, 'order lines of ' || " DISTRICT(
                "w", "d") " AS what,"
                          " line_count AS found, promised AS wanted FROM"
                          " (SELECT o_w_id AS w, o_d_id AS d, sum(o_ol_cnt) AS promised FROM @o "
                          "GROUP BY 1, 2) o"
                          " FULL JOIN (SELECT ol_w_id AS w, ol_d_id AS d, count(*) AS line_count "
                          "FROM @l GROUP BY 1, 2)"
                          " l USING (w, d) WHERE line_count IS DISTINCT FROM promised" },
    [5] = { "an order has no carrier if and only if it is a new order",
            "SELECT ARRAY[w, d, id] AS k, " ORDER(
                "w", "d",
                "id") " AS what,"
                      " CASE WHEN is_new THEN 'a new order' ELSE 'no new order' END AS found,"
                      " CASE WHEN known IS NULL THEN 'no such order'"
                      " WHEN carrier IS NULL THEN 'a new order: it has no carrier'"
                      " ELSE 'no new order: carrier ' || carrier END AS wanted FROM"
                      " (SELECT o_w_id AS w, o_d_id AS d, o_id AS id, o_carrier_id AS carrier, "
                      "true AS known FROM @o)"
                      " o FULL JOIN (SELECT no_w_id AS w, no_d_id AS d, no_o_id AS id, true AS "
                      "is_new FROM @n) n"
                      " USING (w, d, id)"
                      " WHERE known IS NULL OR (carrier IS NULL) <> (is_new IS NOT NULL)" },
    [6] = { "o_ol_cnt = lines of the order",
            "SELECT ARRAY[w, d, id] AS k, 'lines of ' || " ORDER(
                "w", "d", "id") " AS what,"
                                " coalesce(line_count, 0) AS found, promised AS wanted FROM"
                                " (SELECT o_w_id AS w, o_d_id AS d, o_id AS id, o_ol_cnt AS "
                                "promised FROM @o) o"
                                " FULL JOIN (SELECT ol_w_id AS w, ol_d_id AS d, ol_o_id AS id, "
                                "count(*) AS line_count FROM @l"
                                " GROUP BY 1, 2, 3) l USING (w, d, id) WHERE coalesce(line_count, "
                                "0) IS DISTINCT FROM promised" },
    [7] = { "a line has no delivery date if and only if its order has no carrier",
            "SELECT ARRAY[ol_w_id, ol_d_id, ol_o_id, ol_number] AS k,"
            " format('line %s of ', ol_number) || " ORDER(
                "ol_w_id", "ol_d_id",
                "ol_o_id") " AS what,"
                           " coalesce('delivered ' || ol_delivery_d, 'not delivered') AS found,"
                           " coalesce('delivered by carrier ' || o_carrier_id, 'not delivered') AS "
                           "wanted"
                           " FROM @l JOIN @o ON o_w_id = ol_w_id AND o_d_id = ol_d_id AND o_id = "
                           "ol_o_id"
                           " WHERE (ol_delivery_d IS NULL) <> (o_carrier_id IS NULL)" },
    [8] = { "w_ytd = sum(h_amount)",
            "SELECT ARRAY[w_id] AS k, 'w_ytd of warehouse ' || w_id AS what, w_ytd AS found,"
            " paid AS wanted FROM @w"
            " LEFT JOIN (SELECT h_w_id, sum(h_amount) AS paid FROM @h GROUP BY 1) h ON h_w_id = "
            "w_id"
            " WHERE w_ytd IS DISTINCT FROM paid" },
    [9] = { "d_ytd = sum(h_amount)",
            "SELECT ARRAY[d_w_id, d_id] AS k, 'd_ytd of ' || " DISTRICT(
                "d_w_id",
                "d_id") " AS what,"
                        " d_ytd AS found, paid AS wanted FROM @d"
                        " LEFT JOIN (SELECT h_w_id, h_d_id, sum(h_amount) AS paid FROM @h GROUP BY "
                        "1, 2) h"
                        " ON h_w_id = d_w_id AND h_d_id = d_id WHERE d_ytd IS DISTINCT FROM paid" },
    [10] = { "c_balance = sum(delivered ol_amount) - sum(h_amount)",
             "SELECT ARRAY[c_w_id, c_d_id, c_id] AS k, 'c_balance of ' || " CUSTOMER " AS what,"
             " c_balance AS found, coalesce(amount, 0) - coalesce(paid, 0) AS wanted FROM @c"
             " LEFT JOIN " DELIVERED
             " LEFT JOIN (SELECT h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) AS paid FROM @h"
             " GROUP BY 1, 2, 3) h ON h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id"
             " WHERE c_balance IS DISTINCT FROM coalesce(amount, 0) - coalesce(paid, 0)" },
    [11] = { "orders - new orders = 2100 + those delivered since",
             "SELECT ARRAY[d_w_id, d_id] AS k, 'orders - new orders of ' || " DISTRICT(
                 "d_w_id",
                 "d_id") " AS what, coalesce(order_count, 0) - coalesce(new_count, 0) AS found,"
                         " 2100 + coalesce(since, 0) AS wanted FROM @d"
                         " LEFT JOIN (SELECT o_w_id, o_d_id, count(*) AS order_count,"
                         " count(*) FILTER (WHERE o_id > 2100 AND o_carrier_id IS NOT NULL) AS "
                         "since FROM @o"
                         " GROUP BY 1, 2) o ON o_w_id = d_w_id AND o_d_id = d_id"
                         " LEFT JOIN (SELECT no_w_id, no_d_id, count(*) AS new_count FROM @n GROUP "
                         "BY 1, 2) n"
                         " ON no_w_id = d_w_id AND no_d_id = d_id"
                         " WHERE coalesce(order_count, 0) - coalesce(new_count, 0) <> 2100 + "
                         "coalesce(since, 0)" },
    [12] = { "c_balance + c_ytd_payment = sum(delivered ol_amount)",
             "SELECT ARRAY[c_w_id, c_d_id, c_id] AS k, 'c_balance + c_ytd_payment of ' || " CUSTOMER
             " AS what, c_balance + c_ytd_payment AS found, coalesce(amount, 0) AS wanted FROM @c"
             " LEFT JOIN " DELIVERED
             " WHERE c_balance + c_ytd_payment IS DISTINCT FROM coalesce(amount, 0)" },
    [CONDITION_13] = { "s_ytd, s_order_cnt, s_remote_cnt and s_quantity agree with the order lines",
                       "SELECT ARRAY[s_w_id, s_i_id] AS k, what || format(' of item %s of "
                       "warehouse %s', s_i_id, s_w_id)"
                       " AS what, found, wanted FROM (SELECT * FROM @s"
                       " LEFT JOIN (SELECT ol_supply_w_id, ol_i_id, count(*) AS sold_times, "
                       "sum(ol_quantity) AS sold,"
                       " count(*) FILTER (WHERE ol_w_id <> ol_supply_w_id) AS sold_away FROM @l "
                       "WHERE ol_o_id > 3000"
                       " GROUP BY 1, 2) l ON ol_supply_w_id = s_w_id AND ol_i_id = s_i_id) s,"
                       " LATERAL (VALUES ('s_order_cnt', s_order_cnt::numeric, "
                       "coalesce(sold_times, 0)::numeric),"
                       " ('s_ytd', s_ytd::numeric, coalesce(sold, 0)::numeric),"
                       " ('s_remote_cnt', s_remote_cnt::numeric, coalesce(sold_away, "
                       "0)::numeric)" },
};

/* 10 to 100, less what was sold, 91 up whenever it would fall below 10: so 10 + a remainder. */
#define QUANTITY                            \
    ", ('s_quantity', s_quantity::numeric," \
    " 10 + mod(mod((%s) - 10 - coalesce(sold, 0), 91) + 91, 91))"

static const char *name_of(const struct conditions *conditions, char letter)
{
    switch (letter) {
    case 'w':
        return conditions->warehouse;
    case 'd':
        return conditions->district;
    case 'c':
        return conditions->customer;
    case 'h':
        return conditions->history;
    case 'o':
        return conditions->orders;
    case 'n':
        return conditions->new_order;
    case 'l':
        return conditions->order_line;
    case 's':
        return conditions->stock;
    default:
        return conditions->item;
    }
}

static void add_name(struct text *sql, const char *name, int set)
{
    const char *mark = strstr(name, "{}");

    if (mark == NULL) {
        text_add(sql, name);
        return;
    }
    text_add_bytes(sql, name, (size_t)(mark - name));
    text_add_whole(sql, set);
    text_add(sql, mark + 2);
}

/* The query, with tables for @ and the number of warehouses for #. */
static void add_query(struct text *sql, const struct conditions *conditions, int condition)
{
    for (const char *at = table[condition].sql; *at != '\0'; at++) {
        if (*at == '@')
            add_name(sql, name_of(conditions, *++at), conditions->set);
        else if (*at == '#')
            text_add_whole(sql, conditions->warehouses);
        else
            text_add_char(sql, *at);
    }
    if (condition != CONDITION_13)
        return;
    if (conditions->loaded_quantity != NULL)
        text_format(sql, QUANTITY, conditions->loaded_quantity);
    text_add(sql, ") AS of_stock (what, found, wanted) WHERE found IS DISTINCT FROM wanted");
}

struct conditions conditions_of_set(int set, int64_t warehouses)
{
    return (struct conditions){ .warehouse = "warehouse{}",
                                .district = "district{}",
                                .customer = "customer{}",
                                .history = "history{}",
                                .orders = "orders{}",
                                .new_order = "new_orders{}",
                                .order_line = "order_line{}",
                                .stock = "stock{}",
                                .item = "item{}",
                                .set = set,
                                .warehouses = warehouses };
}

void condition_sql(struct text *sql, const struct conditions *conditions, int condition)
{
    const char *why = conditions->impossible[condition];

    text_add(sql, "WITH broken AS (");
    add_query(sql, conditions, condition);
    text_add(sql, ") SELECT what, found, wanted, excuse FROM (SELECT 0 AS place, NULL AS k, '");
    if (conditions->set > 0)
        text_format(sql, "set %d, ", conditions->set);
    if (condition == CONDITION_SIZES)
        text_add(sql, table[condition].words);
    else
        text_format(sql, "condition %d, %s", condition, table[condition].words);
    text_add(sql, "' AS what, count(*) || ' differ' AS found, '0 differ' AS wanted, ");
    if (why != NULL)
        text_format(sql, "'%s'", why);
    else
        text_add(sql, "NULL");
    text_format(sql,
                " AS excuse FROM broken UNION ALL (SELECT 1, k::text, what,"
                " coalesce(found::text, 'none'), coalesce(wanted::text, 'none'), NULL FROM broken"
                " ORDER BY broken.k LIMIT %d)) told ORDER BY place",
                why != NULL ? 0 : SHOWN);
}
