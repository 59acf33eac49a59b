/*
 * functions.c - the five transactions as functions of the server, for mode functions.
 *
 * They do what the single statements do, in the same order of locks, and receive every input from
 * the client; items come as arrays by line number. None has an exception block, which would be a
 * subtransaction: where something is missing nothing has been changed yet, or the error ends all.
 * Money arrives in hundredths. Names of tables are filled in by the loader.
 */
#include "workload/tpcc/tpcc.h"

#include <string.h>

#define FUNCTION_MAX 16384

#define DIST_INFO                                                                  \
    "CASE in_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 " \
    "WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 "           \
    "WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END"

/* clang-format off */
static const char new_order[] =
    "CREATE FUNCTION %s.tpcc_new_order{}(in_w integer, in_d integer, in_c integer,\n"
    "    in_items integer[], in_suppliers integer[], in_quantities integer[], in_rolls_back boolean,\n"
    "    OUT out_order integer, OUT out_entry timestamptz, OUT out_last varchar, OUT out_credit varchar,\n"
    "    OUT out_discount numeric, OUT out_w_tax numeric, OUT out_d_tax numeric, OUT out_number integer,\n"
    "    OUT out_item varchar, OUT out_stock integer, OUT out_brand varchar, OUT out_price numeric,\n"
    "    OUT out_amount numeric)\n"
    "RETURNS SETOF record LANGUAGE plpgsql AS $body$\n"
    "DECLARE\n"
    "    line record; item_data varchar; stock_data varchar; dist_info varchar;\n"
    "BEGIN\n"
    "    SELECT c_discount, c_last, c_credit, w_tax INTO out_discount, out_last, out_credit, out_w_tax\n"
    "        FROM %{customer{}}, %{warehouse{}}\n"
    "        WHERE c_w_id = in_w AND c_d_id = in_d AND c_id = in_c AND w_id = in_w;\n"
    "    IF NOT FOUND THEN RETURN; END IF;\n"
    "    UPDATE %{district{}} SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = in_w AND d_id = in_d\n"
    "        RETURNING d_next_o_id - 1, d_tax INTO out_order, out_d_tax;\n"
    "    IF NOT FOUND THEN RETURN; END IF;\n"
    "    INSERT INTO %{orders{}} (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)\n"
    "        VALUES (in_w, in_d, out_order, in_c, current_timestamp, cardinality(in_items),\n"
    "            (in_w = ALL (in_suppliers))::integer) RETURNING o_entry_d INTO out_entry;\n"
    "    INSERT INTO %{new_orders{}} (no_w_id, no_d_id, no_o_id) VALUES (in_w, in_d, out_order);\n"
    "    FOR line IN SELECT l.* FROM unnest(in_items, in_suppliers, in_quantities) WITH ORDINALITY\n"
    "            AS l (item, supplier, quantity, number) ORDER BY supplier, item, number LOOP\n"
    "        out_number := line.number;\n"
    "        SELECT i_price, i_name, i_data INTO out_price, out_item, item_data\n"
    "            FROM %{item{}} WHERE i_id = line.item;\n"
    "        IF NOT FOUND THEN\n"
    "            IF NOT in_rolls_back THEN\n"
    "                RAISE EXCEPTION 'item number is not valid' USING DETAIL = line.item;\n"
    "            END IF;\n"
    "            out_stock := NULL; out_brand := NULL; out_amount := NULL;\n"
    "            RETURN NEXT;\n"
    "            CONTINUE;\n"
    "        END IF;\n"
    "        UPDATE %{stock{}} SET s_quantity = CASE WHEN s_quantity >= line.quantity + 10\n"
    "                THEN s_quantity - line.quantity ELSE s_quantity - line.quantity + 91 END,\n"
    "            s_ytd = s_ytd + line.quantity, s_order_cnt = s_order_cnt + 1,\n"
    "            s_remote_cnt = s_remote_cnt + (line.supplier <> in_w)::integer\n"
    "            WHERE s_w_id = line.supplier AND s_i_id = line.item\n"
    "            RETURNING s_quantity, s_data, " DIST_INFO " INTO out_stock, stock_data, dist_info;\n"
    "        IF NOT FOUND THEN\n"
    "            RAISE EXCEPTION 'stock is not there' USING DETAIL = line.item;\n"
    "        END IF;\n"
    "        out_brand := CASE WHEN position('ORIGINAL' IN item_data) > 0\n"
    "            AND position('ORIGINAL' IN stock_data) > 0 THEN 'B' ELSE 'G' END;\n"
    "        out_amount := out_price * line.quantity;\n"
    "        INSERT INTO %{order_line{}} (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id,\n"
    "            ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (in_w, in_d, out_order,\n"
    "            line.number, line.item, line.supplier, line.quantity, out_amount, dist_info);\n"
    "        RETURN NEXT;\n"
    "    END LOOP;\n"
    "END $body$";

static const char payment[] =
    "CREATE FUNCTION %s.tpcc_payment{}(in_w integer, in_d integer, in_c_w integer, in_c_d integer,\n"
    "    in_c integer, in_last varchar, in_hundredths integer,\n"
    "    OUT out_balance numeric, OUT out_c integer, OUT out_date timestamptz,\n"
    "    OUT out_w_name varchar, OUT out_w_street_1 varchar, OUT out_w_street_2 varchar,\n"
    "    OUT out_w_city varchar, OUT out_w_state varchar, OUT out_w_zip varchar,\n"
    "    OUT out_d_name varchar, OUT out_d_street_1 varchar, OUT out_d_street_2 varchar,\n"
    "    OUT out_d_city varchar, OUT out_d_state varchar, OUT out_d_zip varchar,\n"
    "    OUT out_first varchar, OUT out_middle varchar, OUT out_last varchar,\n"
    "    OUT out_street_1 varchar, OUT out_street_2 varchar, OUT out_city varchar,\n"
    "    OUT out_state varchar, OUT out_zip varchar, OUT out_phone varchar, OUT out_since timestamptz,\n"
    "    OUT out_credit varchar, OUT out_credit_lim numeric, OUT out_discount numeric,\n"
    "    OUT out_data varchar)\n"
    "RETURNS SETOF record LANGUAGE plpgsql AS $body$\n"
    "DECLARE\n"
    "    amount numeric := in_hundredths * 0.01;\n"
    "BEGIN\n"
    "    out_c := in_c;\n"
    "    IF in_c = 0 THEN\n"
    "        SELECT (array_agg(c_id ORDER BY c_first))[(count(*) + 1) / 2] INTO out_c FROM %{customer{}}\n"
    "            WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_last;\n"
    "        IF out_c IS NULL THEN RETURN; END IF;\n"
    "    END IF;\n"
    "    UPDATE %{warehouse{}} SET w_ytd = w_ytd + amount WHERE w_id = in_w\n"
    "        RETURNING w_name, w_street_1, w_street_2, w_city, w_state, w_zip INTO out_w_name,\n"
    "        out_w_street_1, out_w_street_2, out_w_city, out_w_state, out_w_zip;\n"
    "    IF NOT FOUND THEN RETURN; END IF;\n"
    "    UPDATE %{district{}} SET d_ytd = d_ytd + amount WHERE d_w_id = in_w AND d_id = in_d\n"
    "        RETURNING d_name, d_street_1, d_street_2, d_city, d_state, d_zip INTO out_d_name,\n"
    "        out_d_street_1, out_d_street_2, out_d_city, out_d_state, out_d_zip;\n"
    "    UPDATE %{customer{}} SET c_balance = c_balance - amount,\n"
    "        c_ytd_payment = c_ytd_payment + amount, c_payment_cnt = c_payment_cnt + 1,\n"
    "        c_data = CASE WHEN c_credit = 'BC' THEN left(concat_ws(' ', out_c, in_c_d, in_c_w, in_d,\n"
    "            in_w, amount) || '|' || c_data, 500) ELSE c_data END\n"
    "        WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = out_c\n"
    "        RETURNING c_balance, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state,\n"
    "            c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount,\n"
    "            CASE WHEN c_credit = 'BC' THEN left(c_data, 200) END\n"
    "        INTO out_balance, out_first, out_middle, out_last, out_street_1, out_street_2, out_city,\n"
    "            out_state, out_zip, out_phone, out_since, out_credit, out_credit_lim, out_discount,\n"
    "            out_data;\n"
    "    IF NOT FOUND THEN RAISE EXCEPTION 'customer is not there' USING DETAIL = out_c; END IF;\n"
    "    INSERT INTO %{history{}} (h_c_w_id, h_c_d_id, h_c_id, h_w_id, h_d_id, h_date, h_amount, h_data)\n"
    "        VALUES (in_c_w, in_c_d, out_c, in_w, in_d, current_timestamp, amount,\n"
    "            out_w_name || '    ' || out_d_name) RETURNING h_date INTO out_date;\n"
    "    RETURN NEXT;\n"
    "END $body$";

static const char order_status[] =
    "CREATE FUNCTION %s.tpcc_order_status{}(in_w integer, in_d integer, in_c integer, in_last varchar,\n"
    "    OUT out_balance numeric, OUT out_c integer, OUT out_first varchar, OUT out_middle varchar,\n"
    "    OUT out_last varchar, OUT out_order integer, OUT out_entry timestamptz,\n"
    "    OUT out_carrier integer, OUT out_item integer, OUT out_supplier integer,\n"
    "    OUT out_quantity integer, OUT out_amount numeric, OUT out_delivery timestamptz)\n"
    "RETURNS SETOF record STABLE LANGUAGE plpgsql AS $body$\n"
    "BEGIN\n"
    "    out_c := in_c;\n"
    "    IF in_c = 0 THEN\n"
    "        SELECT (array_agg(c_id ORDER BY c_first))[(count(*) + 1) / 2] INTO out_c FROM %{customer{}}\n"
    "            WHERE c_w_id = in_w AND c_d_id = in_d AND c_last = in_last;\n"
    "    END IF;\n"
    "    SELECT c_balance, c_first, c_middle, c_last INTO out_balance, out_first, out_middle, out_last\n"
    "        FROM %{customer{}} WHERE c_w_id = in_w AND c_d_id = in_d AND c_id = out_c;\n"
    "    IF NOT FOUND THEN RETURN; END IF;\n"
    "    SELECT o_id, o_entry_d, o_carrier_id INTO out_order, out_entry, out_carrier FROM %{orders{}}\n"
    "        WHERE o_w_id = in_w AND o_d_id = in_d AND o_c_id = out_c ORDER BY o_id DESC LIMIT 1;\n"
    "    IF NOT FOUND THEN RETURN; END IF;\n"
    "    FOR out_item, out_supplier, out_quantity, out_amount, out_delivery IN\n"
    "            SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d\n"
    "            FROM %{order_line{}} WHERE ol_w_id = in_w AND ol_d_id = in_d AND ol_o_id = out_order LOOP\n"
    "        RETURN NEXT;\n"
    "    END LOOP;\n"
    "END $body$";

static const char delivery[] =
    "CREATE FUNCTION %s.tpcc_delivery{}(in_w integer, in_carrier integer, OUT out_district integer,\n"
    "    OUT out_order integer)\n"
    "RETURNS SETOF record LANGUAGE plpgsql AS $body$\n"
    "DECLARE\n"
    "    buyer integer; amount numeric;\n"
    "BEGIN\n"
    "    FOR district IN 1..10 LOOP\n"
    "        out_district := district;\n"
    "        SELECT no_o_id INTO out_order FROM %{new_orders{}} WHERE no_w_id = in_w AND no_d_id = district\n"
    "            ORDER BY no_o_id LIMIT 1 FOR UPDATE;\n"
    "        IF FOUND THEN\n"
    "            DELETE FROM %{new_orders{}}\n"
    "                WHERE no_w_id = in_w AND no_d_id = district AND no_o_id = out_order;\n"
    "            UPDATE %{orders{}} SET o_carrier_id = in_carrier\n"
    "                WHERE o_w_id = in_w AND o_d_id = district AND o_id = out_order\n"
    "                RETURNING o_c_id INTO buyer;\n"
    "            UPDATE %{order_line{}} SET ol_delivery_d = current_timestamp\n"
    "                WHERE ol_w_id = in_w AND ol_d_id = district AND ol_o_id = out_order;\n"
    "            SELECT coalesce(sum(ol_amount), 0) INTO amount FROM %{order_line{}}\n"
    "                WHERE ol_w_id = in_w AND ol_d_id = district AND ol_o_id = out_order;\n"
    "            UPDATE %{customer{}} SET c_balance = c_balance + amount,\n"
    "                c_delivery_cnt = c_delivery_cnt + 1\n"
    "                WHERE c_w_id = in_w AND c_d_id = district AND c_id = buyer;\n"
    "        END IF;\n"
    "        RETURN NEXT;\n"
    "    END LOOP;\n"
    "END $body$";

static const char stock_level[] =
    "CREATE FUNCTION %s.tpcc_stock_level{}(in_w integer, in_d integer, in_threshold integer)\n"
    "RETURNS bigint STABLE LANGUAGE plpgsql AS $body$\n"
    "DECLARE\n"
    "    next integer; low bigint;\n"
    "BEGIN\n"
    "    SELECT d_next_o_id INTO next FROM %{district{}} WHERE d_w_id = in_w AND d_id = in_d;\n"
    "    SELECT count(DISTINCT s_i_id) INTO low FROM %{order_line{}}, %{stock{}}\n"
    "        WHERE ol_w_id = in_w AND ol_d_id = in_d AND ol_o_id >= next - 20 AND ol_o_id < next\n"
    "        AND s_w_id = in_w AND s_i_id = ol_i_id AND s_quantity < in_threshold;\n"
    "    RETURN low;\n"
    "END $body$";

/* As DROP wants them, and how they are made; `{}` is the set's number. */
static const struct { const char *name, *create; } functions[TPCC_KINDS] = {
    [TPCC_KIND_NEW_ORDER] = {
        "FUNCTION tpcc_new_order{}(integer, integer, integer, integer[], integer[], integer[], boolean)",
        new_order },
    [TPCC_KIND_PAYMENT] = {
        "FUNCTION tpcc_payment{}(integer, integer, integer, integer, integer, varchar, integer)", payment },
    [TPCC_KIND_ORDER_STATUS] = {
        "FUNCTION tpcc_order_status{}(integer, integer, integer, varchar)", order_status },
    [TPCC_KIND_DELIVERY] = { "FUNCTION tpcc_delivery{}(integer, integer)", delivery },
    [TPCC_KIND_STOCK_LEVEL] = { "FUNCTION tpcc_stock_level{}(integer, integer, integer)", stock_level },
};
/* clang-format on */

/* `words` with the set's number for each {}. */
static const char *numbered(const char *words, int set, struct arena *arena)
{
    struct text text;
    const char *mark, *answer;

    text_init(&text, FUNCTION_MAX);
    for (; (mark = strstr(words, "{}")) != NULL; words = mark + 2) {
        text_add_bytes(&text, words, (size_t)(mark - words));
        text_add_whole(&text, set);
    }
    text_add(&text, words);
    answer = arena_text(arena, text.bytes);
    text_close(&text);
    return answer;
}

bool tpcc_function(struct object_spec *object, const void *world, int index, struct arena *arena)
{
    int set = index / TPCC_KINDS + 1, kind = index % TPCC_KINDS;

    if (set > tpcc_set_count(world))
        return false;
    object->name = numbered(functions[kind].name, set, arena);
    object->create = numbered(functions[kind].create, set, arena);
    return true;
}
