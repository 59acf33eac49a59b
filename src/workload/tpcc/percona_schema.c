/*
 * percona_schema.c - the nine tables as the script makes them for PostgreSQL (spec sysbench 4.2).
 *
 * Keys, indexes and foreign keys come after the rows, where the script has them before: the same in
 * the end, made in a fraction of the time and without bloat.
 */
#include "workload/tpcc/percona.h"

#define KEYS_MAX  4
#define LINKS_MAX 6

#define ADDRESS(x)                                                                        \
#x "_street_1 varchar(20), " #x "_street_2 varchar(20), " #x "_city varchar(20), " #x \
       "_state char(2), " #x "_zip char(9), "
#define DIST(number) "s_dist_" number " char(24), "

struct layout {
    const char *name;
    const char *columns;
    const char *key; /* NULL: none */
    /* Names of indexes, to which the set's number is added, and their columns. */
    struct {
        const char *name, *columns;
    } indexes[2];
    /* Foreign keys: names, to which _ and the set's number are added, columns, the table and what
     * they are there. */
    struct {
        const char *name, *columns;
        enum tpcc_table table;
        const char *there;
    } links[2];
};

static const struct layout layouts[TPCC_TABLES] = {
    [TPCC_ITEM] = { .name = "item",
                    .columns = "i_id int NOT NULL, i_im_id int, i_name varchar(24), "
                               "i_price decimal(5,2), i_data varchar(50)",
                    .key = "i_id" },
    [TPCC_WAREHOUSE] = { .name = "warehouse",
                         .columns = "w_id smallint NOT NULL, w_name varchar(10), " ADDRESS(
                             w) "w_tax decimal(4,2), w_ytd decimal(12,2)",
                         .key = "w_id" },
    [TPCC_DISTRICT] = { .name = "district",
                        .columns =
                            "d_id smallint NOT NULL, d_w_id smallint NOT NULL, d_name "
                            "varchar(10), " ADDRESS(
                                d) "d_tax decimal(4,2), d_ytd decimal(12,2), d_next_o_id int",
                        .key = "d_w_id, d_id",
                        .links = { { "fkey_district_1", "d_w_id", TPCC_WAREHOUSE, "w_id" } } },
    [TPCC_CUSTOMER] = { .name = "customer",
                        .columns =
                            "c_id int NOT NULL, c_d_id smallint NOT NULL, c_w_id smallint NOT "
                            "NULL, c_first varchar(16), c_middle char(2), c_last "
                            "varchar(16), " ADDRESS(
                                c) "c_phone char(16), c_since timestamp, c_credit char(2), "
                                   "c_credit_lim bigint, c_discount decimal(4,2), "
                                   "c_balance decimal(12,2), c_ytd_payment decimal(12,2), "
                                   "c_payment_cnt smallint, c_delivery_cnt smallint, c_data text",
                        .key = "c_w_id, c_d_id, c_id",
                        .indexes = { { "idx_customer", "c_w_id, c_d_id, c_last, c_first" } },
                        .links = { { "fkey_customer_1", "c_w_id, c_d_id", TPCC_DISTRICT,
                                     "d_w_id, d_id" } } },
    [TPCC_HISTORY] = { .name = "history",
                       .columns = "h_c_id int, h_c_d_id smallint, h_c_w_id smallint, "
                                  "h_d_id smallint, h_w_id smallint, h_date timestamp, "
                                  "h_amount decimal(6,2), h_data varchar(24)",
                       .indexes = { { "fkey_history_1", "h_c_w_id, h_c_d_id, h_c_id" },
                                    { "fkey_history_2", "h_w_id, h_d_id" } },
                       .links = { { "fkey_history_1", "h_c_w_id, h_c_d_id, h_c_id", TPCC_CUSTOMER,
                                    "c_w_id, c_d_id, c_id" },
                                  { "fkey_history_2", "h_w_id, h_d_id", TPCC_DISTRICT,
                                    "d_w_id, d_id" } } },
    [TPCC_STOCK] = { .name = "stock",
                     .columns =
                         "s_i_id int NOT NULL, s_w_id smallint NOT NULL, s_quantity "
                         "smallint, " DIST("01") DIST("02") DIST("03") DIST("04") DIST("05")
                             DIST("06") DIST("07") DIST("08") DIST("09") DIST(
                                 "10") "s_ytd decimal(8,0), s_order_cnt smallint, s_remote_cnt "
                                       "smallint, s_data varchar(50)",
                     .key = "s_w_id, s_i_id",
                     .indexes = { { "fkey_stock_2", "s_i_id" } },
                     .links = { { "fkey_stock_1", "s_w_id", TPCC_WAREHOUSE, "w_id" },
                                { "fkey_stock_2", "s_i_id", TPCC_ITEM, "i_id" } } },
    [TPCC_ORDER] = { .name = "orders",
                     .columns = "o_id int NOT NULL, o_d_id smallint NOT NULL, o_w_id smallint NOT "
                                "NULL, o_c_id int, o_entry_d timestamp, o_carrier_id smallint, "
                                "o_ol_cnt smallint, o_all_local smallint",
                     .key = "o_w_id, o_d_id, o_id",
                     .indexes = { { "idx_orders", "o_w_id, o_d_id, o_c_id, o_id" } },
                     .links = { { "fkey_orders_1", "o_w_id, o_d_id, o_c_id", TPCC_CUSTOMER,
                                  "c_w_id, c_d_id, c_id" } } },
    [TPCC_NEW_ORDER] = { .name = "new_orders",
                         .columns = "no_o_id int NOT NULL, no_d_id smallint NOT NULL, no_w_id "
                                    "smallint NOT NULL",
                         .key = "no_w_id, no_d_id, no_o_id",
                         .links = { { "fkey_new_orders_1", "no_w_id, no_d_id, no_o_id", TPCC_ORDER,
                                      "o_w_id, o_d_id, o_id" } } },
    [TPCC_ORDER_LINE] = { .name = "order_line",
                          .columns = "ol_o_id int NOT NULL, ol_d_id smallint NOT NULL, ol_w_id "
                                     "smallint NOT NULL, ol_number smallint NOT NULL, ol_i_id "
                                     "int, ol_supply_w_id smallint, ol_delivery_d timestamp, "
                                     "ol_quantity smallint, ol_amount decimal(6,2), ol_dist_info "
                                     "char(24)",
                          .key = "ol_w_id, ol_d_id, ol_o_id, ol_number",
                          .indexes = { { "fkey_order_line_2", "ol_supply_w_id, ol_i_id" } },
                          .links = { { "fkey_order_line_1", "ol_w_id, ol_d_id, ol_o_id", TPCC_ORDER,
                                       "o_w_id, o_d_id, o_id" },
                                     { "fkey_order_line_2", "ol_supply_w_id, ol_i_id", TPCC_STOCK,
                                       "s_w_id, s_i_id" } } },
};

int percona_table_count(const void *world)
{
    return (int)((const struct percona_world *)world)->options.tables * TPCC_TABLES;
}

static const char *const *write_keys(const struct layout *layout, int set, struct arena *arena)
{
    const char **after = ARENA_ARRAY(arena, const char *, KEYS_MAX);
    int count = 0;

    if (layout->key != NULL)
        after[count++] =
            arena_format(arena, "ALTER TABLE %%s ADD CONSTRAINT %s%d_pkey PRIMARY KEY (%s)",
                         layout->name, set, layout->key);
    for (int i = 0; i < COUNT_OF(layout->indexes) && layout->indexes[i].name != NULL; i++)
        after[count++] = arena_format(arena, "CREATE INDEX %s%d ON %%s (%s)",
                                      layout->indexes[i].name, set, layout->indexes[i].columns);
    return after;
}

static const char *const *write_links(const struct layout *layout, int set, struct arena *arena)
{
    const char **links = ARENA_ARRAY(arena, const char *, LINKS_MAX);
    int count = 0;

    for (int i = 0; i < COUNT_OF(layout->links) && layout->links[i].name != NULL; i++) {
        const char *name = arena_format(arena, "%s_%d", layout->links[i].name, set);
        links[count++] = arena_format(
            arena,
            "ALTER TABLE %%s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %%{%s%d} (%s) NOT VALID",
            name, layout->links[i].columns, layouts[layout->links[i].table].name, set,
            layout->links[i].there);
        links[count++] = arena_format(arena, "ALTER TABLE %%s VALIDATE CONSTRAINT %s", name);
    }
    return count > 0 ? links : NULL;
}

void percona_describe(struct table_spec *table, const void *world, int index, struct arena *arena)
{
    const struct percona_world *percona = world;
    const struct layout *layout = &layouts[index % TPCC_TABLES];
    const struct percona_rows *rows = &percona_rows[index % TPCC_TABLES];
    const struct tpcc_rows *shared = &tpcc_rows[index % TPCC_TABLES];
    int set = index / TPCC_TABLES + 1;

    *table = (struct table_spec){
        .name = arena_format(arena, "%s%d", layout->name, set),
        .create = arena_format(arena, "(%s)", layout->columns),
        .columns = shared->columns,
        .types = rows->types,
        .row_count = shared->each > 0 ? shared->each * percona->options.scale : TPCC_ITEMS,
        .rows_each = shared->lines,
        .after = write_keys(layout, set, arena),
        .links = percona->options.use_fk ? write_links(layout, set, arena) : NULL,
        .row = rows->row,
    };
}
