/*
 * mended.c - the five routines as TPC-C wants them, within HammerDB's signatures.
 *
 * No exception block, so no subtransaction: what fails, fails. An order with an unused item ends in
 * an error of SQLSTATE P0002, which rolls back what was done, as clause 2.4.1.4 has it and as
 * HammerDB itself does since September 2026. Items, suppliers and quantities are still drawn in the
 * server, and what a terminal would show is not returned: the signatures have no room for it.
 */
#include "workload/tproc/tproc.h"

/* ---- New-Order (clause 2.4) ---- */

/* Items by NURand(8191), one supplier in a hundred another warehouse. In order of supplier and
 * item, so that orders meet each other's stock in one order. */
static const char neword_inputs[] =
    "  SELECT c_discount, c_last, c_credit, w_tax INTO discount, last_name, credit, home_tax\n"
    "    FROM customer, warehouse\n"
    "   WHERE w_id = home AND c_w_id = home AND c_d_id = dist AND c_id = cust;\n"
    "  roll := dbms_random(1, 100);\n"
    "  FOR line IN 1 .. line_count LOOP\n"
    "    items[line] := mod((dbms_random(0, 8191) | dbms_random(1, 100000)) + 5417, 100000) + 1;\n"
    "    suppliers[line] := home;\n"
    "    IF home_max > 1 AND dbms_random(1, 100) = 1 THEN\n"
    "      all_local := 0;\n"
    "      suppliers[line] := dbms_random(1, home_max - 1);\n"
    "      IF suppliers[line] >= home THEN\n"
    "        suppliers[line] := suppliers[line] + 1;\n"
    "      END IF;\n"
    "    END IF;\n"
    "    quantities[line] := dbms_random(1, 10);\n"
    "  END LOOP;\n"
    "  IF roll = 1 THEN\n"
    "    items[line_count] := 100001;\n"
    "  END IF;\n"
    "  UPDATE district SET d_next_o_id = d_next_o_id + 1\n"
    "   WHERE d_w_id = home AND d_id = dist\n"
    "  RETURNING d_next_o_id - 1, d_tax INTO order_id, dist_tax;\n"
    "  INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)\n"
    "  VALUES (order_id, dist, home, cust, current_timestamp, line_count, all_local);\n"
    "  INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (order_id, dist, home);\n";

/* A row can be updated once in a statement: an item that an order has twice takes two turns. */
static const char neword_lines[] =
    "  WHILE found_count > 0 AND done_count < line_count LOOP\n"
    "    turn := turn + 1;\n"
    "    WITH wanted AS (\n"
    "      SELECT l.item, l.supplier, l.quantity, l.number,\n"
    "             row_number() OVER (PARTITION BY l.supplier, l.item ORDER BY l.number) AS "
    "own_turn\n"
    "        FROM unnest(items, suppliers, quantities) WITH ORDINALITY\n"
    "               AS l (item, supplier, quantity, number)),\n"
    "    taken AS (\n"
    "      UPDATE stock SET s_quantity = s_quantity - wanted.quantity +\n"
    "               CASE WHEN s_quantity < wanted.quantity + 10 THEN 91 ELSE 0 END,\n"
    "             s_ytd = s_ytd + wanted.quantity, s_order_cnt = s_order_cnt + 1,\n"
    "             s_remote_cnt = s_remote_cnt + (wanted.supplier <> home)::integer\n"
    "        FROM wanted JOIN item ON i_id = wanted.item\n"
    "       WHERE wanted.own_turn = turn AND s_i_id = wanted.item AND s_w_id = wanted.supplier\n"
    "      RETURNING wanted.number, wanted.item, wanted.supplier, wanted.quantity,\n"
    "             wanted.quantity * i_price AS amount, CASE dist\n"
    "               WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03\n"
    "               WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06\n"
    "               WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09\n"
    "               ELSE s_dist_10 END AS info),\n"
    "    added AS (\n"
    "      INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id,\n"
    "                              ol_quantity, ol_amount, ol_dist_info)\n"
    "      SELECT order_id, dist, home, number, item, supplier, quantity, amount, info FROM taken\n"
    "      RETURNING ol_amount)\n"
    "    SELECT count(*), total + coalesce(sum(ol_amount), 0) INTO found_count, total FROM added;\n"
    "    done_count := done_count + found_count;\n"
    "  END LOOP;\n"
    "  IF done_count < line_count THEN\n"
    "    RAISE no_data_found USING MESSAGE = 'item number is not valid';\n"
    "  END IF;\n"
    "  total := total * (1 - discount) * (1 + home_tax + dist_tax);\n";

static void write_neword(struct text *out)
{
    text_add(out, neword_inputs);
    text_add(out, neword_lines);
}

#define NEWORD_DECLARE              \
    "  roll integer;\n"             \
    "  all_local integer := 1;\n"   \
    "  items integer[];\n"          \
    "  suppliers integer[];\n"      \
    "  quantities integer[];\n"     \
    "  turn integer := 0;\n"        \
    "  found_count integer := 1;\n" \
    "  done_count integer := 0;\n"  \
    "  total numeric := 0;\n"

/* ---- Payment (clause 2.5) ---- */

/* Of n with one name the one in the middle, rounded up, in order of first names. */
static const char payment_sql[] =
    "  UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = home\n"
    "  RETURNING w_street_1, w_street_2, w_city, w_state, w_zip, w_name\n"
    "       INTO home_street_1, home_street_2, home_city, home_state, home_zip, home_name;\n"
    "  UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = home AND d_id = dist\n"
    "  RETURNING d_street_1, d_street_2, d_city, d_state, d_zip, d_name\n"
    "       INTO dist_street_1, dist_street_2, dist_city, dist_state, dist_zip, dist_name;\n"
    "  IF by_name = 1 THEN\n"
    "    SELECT array_agg(c_id ORDER BY c_first) INTO namesakes FROM customer\n"
    "     WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_last = last_name;\n"
    "    cust := namesakes[(cardinality(namesakes) + 1) / 2];\n"
    "  END IF;\n"
    "  info := home_name || '    ' || dist_name;\n"
    "  UPDATE customer SET c_balance = c_balance - amount,\n"
    "         c_ytd_payment = c_ytd_payment + amount, c_payment_cnt = c_payment_cnt + 1,\n"
    "         c_data = CASE c_credit WHEN 'BC' THEN\n"
    "           left(concat_ws(' ', cust, cust_dist, cust_home, dist, home, amount) || ' ' ||\n"
    "                c_data, 500) ELSE c_data END\n"
    "   WHERE c_w_id = cust_home AND c_d_id = cust_dist AND c_id = cust\n"
    "  RETURNING c_last, c_first, c_middle, c_street_1, c_street_2, c_city, c_state, c_zip,\n"
    "         c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance,\n"
    "         CASE c_credit WHEN 'BC' THEN left(c_data, 200) END\n"
    "    INTO last_name, first_name, middle_name, street_1, street_2, city, state, zip,\n"
    "         phone, since, credit, credit_limit, discount, balance, notes;\n"
    "  IF NOT FOUND THEN\n"
    "    RAISE EXCEPTION 'there is no such customer';\n"
    "  END IF;\n"
    "  INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)\n"
    "  VALUES (cust_dist, cust_home, cust, dist, home, current_timestamp, amount, info);\n";

/* ---- Delivery (clause 2.7) ---- */

/* One that waited for another Delivery finds its orders gone, and looks for the next oldest. */
static const char delivery_sql[] =
    "  LOOP\n"
    "    WITH gone AS (\n"
    "      DELETE FROM new_order USING generate_series(1, 10) AS each (dist)\n"
    "       WHERE no_w_id = home AND no_d_id = each.dist AND no_d_id <> ALL (dists) AND no_o_id =\n"
    "             (SELECT min(waiting.no_o_id) FROM new_order AS waiting\n"
    "               WHERE waiting.no_w_id = home AND waiting.no_d_id = each.dist)\n"
    "      RETURNING no_d_id, no_o_id)\n"
    "    SELECT dists || array_agg(no_d_id::integer), ids || array_agg(no_o_id) INTO dists, ids\n"
    "      FROM gone;\n"
    "    EXIT WHEN cardinality(dists) = 10 OR NOT EXISTS (\n"
    "      SELECT FROM new_order WHERE no_w_id = home AND no_d_id <> ALL (dists));\n"
    "  END LOOP;\n"
    "  UPDATE orders SET o_carrier_id = carrier FROM unnest(dists, ids) AS gone (dist, id)\n"
    "   WHERE o_w_id = home AND o_d_id = gone.dist AND o_id = gone.id;\n"
    "  WITH delivered AS (\n"
    "    UPDATE order_line SET ol_delivery_d = current_timestamp\n"
    "      FROM unnest(dists, ids) AS gone (dist, id)\n"
    "     WHERE ol_w_id = home AND ol_d_id = gone.dist AND ol_o_id = gone.id\n"
    "    RETURNING ol_d_id, ol_o_id, ol_amount),\n"
    "  bills AS (\n"
    "    SELECT o_d_id AS dist, o_c_id AS cust, sum(ol_amount) AS amount\n"
    "      FROM delivered JOIN orders ON o_w_id = home AND o_d_id = ol_d_id AND o_id = ol_o_id\n"
    "     GROUP BY o_d_id, o_c_id)\n"
    "  UPDATE customer SET c_balance = c_balance + bills.amount,\n"
    "         c_delivery_cnt = c_delivery_cnt + 1\n"
    "    FROM bills\n"
    "   WHERE c_w_id = home AND c_d_id = bills.dist AND c_id = bills.cust;\n";

/* ---- Stock-Level (clause 2.8) ---- */

static const char slev_sql[] =
    "  SELECT count(DISTINCT s_i_id) INTO low_count FROM order_line, stock, district\n"
    "   WHERE d_w_id = home AND d_id = dist AND ol_w_id = home AND ol_d_id = dist\n"
    "     AND ol_o_id < d_next_o_id AND ol_o_id >= d_next_o_id - 20\n"
    "     AND s_w_id = home AND s_i_id = ol_i_id AND s_quantity < threshold;\n";

/* ---- Order-Status (clause 2.6) ---- */

static const char ostat_sql[] =
    "  IF by_name = 1 THEN\n"
    "    SELECT array_agg(c_id ORDER BY c_first) INTO namesakes FROM customer\n"
    "     WHERE c_w_id = home AND c_d_id = dist AND c_last = last_name;\n"
    "    cust := namesakes[(cardinality(namesakes) + 1) / 2];\n"
    "  END IF;\n"
    "  SELECT c_balance, c_first, c_middle, c_last\n"
    "    INTO balance, first_name, middle_name, last_name\n"
    "    FROM customer WHERE c_w_id = home AND c_d_id = dist AND c_id = cust;\n"
    "  SELECT o_id, o_carrier_id, o_entry_d INTO order_id, carrier, entered\n"
    "    FROM orders WHERE o_w_id = home AND o_d_id = dist AND o_c_id = cust\n"
    "   ORDER BY o_id DESC LIMIT 1;\n";

#define MARK "  -- " TPROC_MARK "\n"

const struct tproc_body tproc_mended[TPROC_KINDS] = {
    [TPROC_NEWORD] = { .declare = MARK NEWORD_DECLARE,
                       .write = write_neword,
                       .function_end = "  RETURN total;\n" },
    [TPROC_PAYMENT] = { .declare = MARK "  home_name text;\n"
                                        "  dist_name text;\n"
                                        "  info text;\n"
                                        "  namesakes integer[];\n",
                        .sql = payment_sql,
                        .function_end = "  RETURN cust;\n" },
    [TPROC_DELIVERY] = { .declare = MARK "  dists integer[] := '{}';\n"
                                         "  ids integer[] := '{}';\n",
                         .sql = delivery_sql,
                         .function_end = "  RETURN cardinality(dists);\n" },
    [TPROC_SLEV] = { .declare = MARK, .sql = slev_sql, .function_end = "  RETURN low_count;\n" },
    [TPROC_OSTAT] = { .declare = MARK "  namesakes integer[];\n", .sql = ostat_sql },
};
