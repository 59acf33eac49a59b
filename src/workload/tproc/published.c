/*
 * published.c - the five routines as HammerDB publishes them, in our own words (spec hammerdb 2.4).
 *
 * What is wrong in them is meant: an unused item stays in an order, s_ytd and its like are never
 * counted, the customer by name is another one than TPC-C's, a balance is written over what was
 * read before. Each is one block with an exception handler whose ROLLBACK is not allowed in a
 * function. Names of parameters and variables are ours, those of columns the schema's.
 */
#include "workload/tproc/tproc.h"

/* ---- New-Order ---- */

static const char neword_inputs[] =
    "  SELECT c_discount, c_last, c_credit, w_tax INTO discount, last_name, credit, home_tax\n"
    "    FROM customer, warehouse\n"
    "   WHERE w_id = home AND c_w_id = home AND c_d_id = dist AND c_id = cust;\n"
    "  roll := dbms_random(1, 100);\n"
    "  FOR line IN 1 .. line_count LOOP\n"
    "    numbers[line] := line;\n"
    "    IF roll = 1 AND line = line_count THEN\n"
    "      items[line] := 100001;\n"
    "    ELSE\n"
    "      items[line] := dbms_random(1, 100000);\n"
    "    END IF;\n"
    "    IF dbms_random(1, 100) > 1 THEN\n"
    "      suppliers[line] := home;\n"
    "    ELSE\n"
    "      all_local := 0;\n"
    "      suppliers[line] := 1 + mod(home + dbms_random(0, home_max - 1), home_max);\n"
    "    END IF;\n"
    "    quantities[line] := dbms_random(1, 10);\n"
    "  END LOOP;\n";

static const char neword_order[] =
    "  UPDATE district SET d_next_o_id = d_next_o_id + 1\n"
    "   WHERE d_w_id = home AND d_id = dist\n"
    "  RETURNING d_next_o_id - 1, d_tax INTO order_id, dist_tax;\n"
    "  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)\n"
    "  VALUES (order_id, dist, home, cust, current_timestamp, line_count, all_local);\n"
    "  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, dist, home);\n"
    "  SELECT array_agg(i_price) INTO prices\n"
    "    FROM unnest(items) AS wanted (item) LEFT JOIN item ON i_id = wanted.item;\n";

/* A branch for each district: its own column of the stock. */
static const char neword_stock[] =
    "    WITH taken AS (\n"
    "      UPDATE stock SET s_quantity = s_quantity - wanted.quantity +\n"
    "               CASE WHEN s_quantity < wanted.quantity + 10 THEN 91 ELSE 0 END\n"
    "        FROM unnest(items, suppliers, quantities, prices)\n"
    "               AS wanted (item, supplier, quantity, price)\n"
    "       WHERE s_i_id = wanted.item AND s_w_id = wanted.supplier\n"
    "      RETURNING s_dist_%02d AS info, s_quantity AS rest, wanted.quantity * wanted.price *\n"
    "               (1 + home_tax + dist_tax) * (1 - discount) AS amount)\n"
    "    SELECT array_agg(info), array_agg(rest), array_agg(amount)\n"
    "      INTO infos, rests, amounts FROM taken;\n";

static const char neword_lines[] =
    "  INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,\n"
    "                          ol_quantity, ol_amount, ol_dist_info)\n"
    "  SELECT order_id, dist, home, l.number, l.item, l.supplier, l.quantity, l.amount, l.info\n"
    "    FROM unnest(numbers, items, suppliers, quantities, amounts, infos)\n"
    "           AS l (number, item, supplier, quantity, amount, info);\n"
    "  FOR line IN 1 .. line_count LOOP\n"
    "    total := total + amounts[line];\n"
    "  END LOOP;\n";

static void write_neword(struct text *out)
{
    text_add(out, neword_inputs);
    text_add(out, neword_order);
    for (int district = 1; district <= TPROC_DISTRICTS; district++) {
        text_format(out, "  %s dist = %d THEN\n", district == 1 ? "IF" : "ELSIF", district);
        text_format(out, neword_stock, district);
    }
    text_add(out, "  END IF;\n");
    text_add(out, neword_lines);
}

#define NEWORD_DECLARE            \
    "  roll integer;\n"           \
    "  all_local integer := 1;\n" \
    "  numbers integer[];\n"      \
    "  items integer[];\n"        \
    "  suppliers integer[];\n"    \
    "  quantities integer[];\n"   \
    "  prices numeric[];\n"       \
    "  infos text[];\n"           \
    "  rests integer[];\n"        \
    "  amounts numeric[];\n"      \
    "  total numeric := 0;\n"

/* ---- Payment ---- */

/* By name floor(n / 2) are fetched: none of one, the first of three. */
static const char payment_sql[] =
    "  UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = home\n"
    "  RETURNING w_street_1, w_street_2, w_city, w_state, w_zip, w_name\n"
    "       INTO home_street_1, home_street_2, home_city, home_state, home_zip, home_name;\n"
    "  UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = home AND d_id = dist\n"
    "  RETURNING d_street_1, d_street_2, d_city, d_state, d_zip, d_name\n"
    "       INTO dist_street_1, dist_street_2, dist_city, dist_state, dist_zip, dist_name;\n"
    "  IF by_name = 1 THEN\n"
    "    SELECT count(*) INTO found_count FROM customer\n"
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_last = last_name;\n"
    "    OPEN namesakes;\n"
    "    FOR step IN 1 .. found_count / 2 LOOP\n"
    "      FETCH namesakes INTO cust, first_name, middle_name, street_1, street_2, city, state,\n"
    "        zip, phone, since, credit, credit_limit, discount, balance;\n"
    "    END LOOP;\n"
    "    CLOSE namesakes;\n"
    "  ELSE\n"
    "    SELECT c_last, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip,\n"
    "           c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance\n"
    "      INTO last_name, first_name, middle_name, street_1, street_2, city, state, zip,\n"
    "           phone, since, credit, credit_limit, discount, balance\n"
    "      FROM customer WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_id = cust;\n"
    "  END IF;\n"
    "  balance := balance - amount;\n"
    "  info := home_name || ' ' || dist_name;\n"
    "  IF credit = 'BC' THEN\n"
    "    SELECT c_data INTO notes FROM customer\n"
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_id = cust;\n"
    "    notes := left(concat_ws(' ', cust, cust_dist, cust_home, dist, home, amount, stamp,\n"
    "                            info, notes), 500);\n"
    "    UPDATE customer SET c_balance = balance, c_data = notes\n"
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_id = cust;\n"
    "  ELSE\n"
    "    UPDATE customer SET c_balance = balance\n"
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_id = cust;\n"
    "  END IF;\n"
    "  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)\n"
    "  VALUES (cust_dist, cust_home, cust, dist, home, stamp, amount, info);\n";

#define PAYMENT_DECLARE                                                                     \
    "  home_name text;\n"                                                                   \
    "  dist_name text;\n"                                                                   \
    "  info text;\n"                                                                        \
    "  found_count integer;\n"                                                              \
    "  namesakes CURSOR FOR\n"                                                              \
    "    SELECT c_id, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip,\n" \
    "           c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance\n"          \
    "      FROM customer\n"                                                                 \
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_last = last_name\n"         \
    "     ORDER BY c_first;\n"

/* ---- Delivery ---- */

static const char delivery_sql[] =
    "  WITH gone AS (\n"
    "    DELETE FROM new_order USING generate_series(1, 10) AS each (dist)\n"
    "     WHERE no_w_id = home AND no_d_id = each.dist AND no_o_id =\n"
    "           (SELECT min(waiting.no_o_id) FROM new_order AS waiting\n"
    "             WHERE waiting.no_w_id = home AND waiting.no_d_id = each.dist)\n"
    "    RETURNING no_d_id, no_o_id)\n"
    "  SELECT array_agg(no_d_id), array_agg(no_o_id) INTO dists, ids FROM gone;\n"
    "  UPDATE orders SET o_carrier_id = carrier FROM unnest(dists, ids) AS gone (dist, id)\n"
    "   WHERE o_w_id = home AND o_d_id = gone.dist AND o_id = gone.id;\n"
    "  WITH delivered AS (\n"
    "    UPDATE order_line SET ol_delivery_d = current_timestamp\n"
    "      FROM unnest(dists, ids) AS gone (dist, id)\n"
    "     WHERE ol_w_id = home AND ol_d_id = gone.dist AND ol_o_id = gone.id\n"
    "    RETURNING ol_d_id, ol_o_id, ol_amount),\n"
    "  bills AS (\n"
    "    SELECT ol_d_id AS dist, sum(ol_amount) AS amount,\n"
    "           (SELECT o_c_id FROM orders\n"
    "             WHERE o_w_id = home AND o_d_id = ol_d_id AND o_id = ol_o_id) AS cust\n"
    "      FROM delivered GROUP BY ol_d_id, ol_o_id)\n"
    "  SELECT array_agg(bills.dist), array_agg(bills.cust), array_agg(bills.amount)\n"
    "    INTO dists, custs, amounts FROM bills;\n"
    "  UPDATE customer SET c_balance = c_balance + bill.amount\n"
    "    FROM unnest(dists, custs, amounts) AS bill (dist, cust, amount)\n"
    "   WHERE c_w_id = home AND c_d_id = bill.dist AND c_id = bill.cust;\n";

/* ---- Stock-Level ---- */

static const char slev_sql[] =
    "  SELECT count(DISTINCT s_i_id) INTO low_count FROM order_line, stock, district\n"
    "   WHERE d_w_id = home AND d_id = dist AND ol_w_id = home AND ol_d_id = dist\n"
    "     AND ol_o_id < d_next_o_id AND ol_o_id >= d_next_o_id - 20\n"
    "     AND s_w_id = home AND s_i_id = ol_i_id AND s_quantity < threshold;\n";

/* ---- Order-Status ---- */

/* By name n is made even, and n / 2 + 1 are fetched: nobody of one, the second of two. */
static const char ostat_sql[] =
    "  IF by_name = 1 THEN\n"
    "    SELECT count(*) INTO found_count FROM customer\n"
    "     WHERE c_w_id = home AND c_d_id = dist AND c_last = last_name;\n"
    "    IF mod(found_count, 2) = 1 THEN\n"
    "      found_count := found_count + 1;\n"
    "    END IF;\n"
    "    OPEN namesakes;\n"
    "    FOR step IN 0 .. found_count / 2 LOOP\n"
    "      FETCH namesakes INTO balance, first_name, middle_name, cust;\n"
    "    END LOOP;\n"
    "    CLOSE namesakes;\n"
    "  ELSE\n"
    "    SELECT c_balance, c_first, c_middle, c_last\n"
    "      INTO balance, first_name, middle_name, last_name\n"
    "      FROM customer WHERE c_w_id = home AND c_d_id = dist AND c_id = cust;\n"
    "  END IF;\n"
    "  SELECT newest.o_id, newest.o_carrier_id, newest.o_entry_d\n"
    "    INTO order_id, carrier, entered\n"
    "    FROM (SELECT o_id, o_carrier_id, o_entry_d FROM orders\n"
    "           WHERE o_w_id = home AND o_d_id = dist AND o_c_id = cust\n"
    "           ORDER BY o_id DESC) AS newest\n"
    "   LIMIT 1;\n";

const struct tproc_body tproc_published[TPROC_KINDS] = {
    [TPROC_NEWORD] = { .declare = NEWORD_DECLARE,
                       .write = write_neword,
                       .function_end = "  RETURN total;\n" },
    [TPROC_PAYMENT] = { .declare = PAYMENT_DECLARE,
                        .sql = payment_sql,
                        .function_end = "  RETURN cust;\n" },
    [TPROC_DELIVERY] = { .declare = "  dists integer[];\n"
                                    "  ids integer[];\n"
                                    "  custs integer[];\n"
                                    "  amounts numeric[];\n",
                         .sql = delivery_sql,
                         .function_end = "  RETURN 1;\n" },
    [TPROC_SLEV] = { .declare = "", .sql = slev_sql, .function_end = "  RETURN low_count;\n" },
    [TPROC_OSTAT] = { .declare =
                          "  found_count integer;\n"
                          "  namesakes CURSOR FOR\n"
                          "    SELECT c_balance, c_first, c_middle, c_id FROM customer\n"
                          "     WHERE c_w_id = home AND c_d_id = dist AND c_last = last_name\n"
                          "     ORDER BY c_first;\n",
                      .sql = ostat_sql },
};
