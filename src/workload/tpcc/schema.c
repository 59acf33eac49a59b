/*
 * schema.c - the nine tables of a set, their keys, indexes and partitions.
 *
 * Columns are those of clause 1.3 in its order; names of tables and indexes are those that
 * sysbench-tpcc has made common. Wider than the clause asks: w_ytd and d_ytd, since a warehouse
 * that takes payments for days outgrows ten digits, and the counters, which are integers.
 */
#include <stdio.h>
#include <string.h>

#include "workload/tpcc/tpcc.h"

#define LINKS_MAX 8

#define ADDRESS(x)                                                                      \
#x "_street_1 varchar(20) NOT NULL, " #x "_street_2 varchar(20) NOT NULL, " #x      \
       "_city varchar(20) NOT NULL, " #x "_state char(2) NOT NULL, " #x "_zip char(9) " \
       "NOT NULL, "
#define STOCK_DISTRICT(number) "s_dist_" number " char(24) NOT NULL, "

/* How a table is made. Names of columns are joined by ", ". */
struct layout {
    const char *name; /* without the set's number */
    const char *columns;
    const char *key;       /* NULL: none */
    const char *warehouse; /* the column that partitions go by; NULL: never partitioned */
    const char *index, *name_of_index; /* NULL: none */
    /* Foreign keys: columns, and the table whose primary key they are; ended by NULL. */
    struct {
        const char *columns;
        enum tpcc_table table;
    } links[3];
};

static const struct layout layouts[TPCC_TABLES] = {
    [TPCC_ITEM] = { .name = "item",
                    .columns = "i_id integer NOT NULL, i_im_id integer NOT NULL, "
                               "i_name varchar(24) NOT NULL, i_price numeric(5,2) NOT NULL, "
                               "i_data varchar(50) NOT NULL",
                    .key = "i_id" },
    [TPCC_WAREHOUSE] = { .name = "warehouse",
                         .columns = "w_id integer NOT NULL, w_name varchar(10) NOT NULL, " ADDRESS(
                             w) "w_tax numeric(4,4) NOT NULL, w_ytd numeric(16,2) NOT NULL",
                         .key = "w_id",
                         .warehouse = "w_id" },
    [TPCC_DISTRICT] = { .name = "district",
                        .columns = "d_id smallint NOT NULL, d_w_id integer NOT NULL, "
                                   "d_name varchar(10) NOT NULL, " ADDRESS(
                                       d) "d_tax numeric(4,4) NOT NULL, "
                                          "d_ytd numeric(16,2) NOT NULL, "
                                          "d_next_o_id integer NOT NULL",
                        .key = "d_w_id, d_id",
                        .warehouse = "d_w_id",
                        .links = { { "d_w_id", TPCC_WAREHOUSE } } },
    [TPCC_CUSTOMER] = { .name = "customer",
                        .columns =
                            "c_id integer NOT NULL, c_d_id smallint NOT NULL, "
                            "c_w_id integer NOT NULL, c_first varchar(16) NOT NULL, "
                            "c_middle char(2) NOT NULL, c_last varchar(16) NOT NULL, " ADDRESS(
                                c) "c_phone char(16) NOT NULL, "
                                   "c_since timestamptz NOT NULL, c_credit char(2) NOT NULL, "
                                   "c_credit_lim numeric(12,2) NOT NULL, "
                                   "c_discount numeric(4,4) NOT NULL, "
                                   "c_balance numeric(12,2) NOT NULL, "
                                   "c_ytd_payment numeric(12,2) NOT NULL, "
                                   "c_payment_cnt integer NOT NULL, "
                                   "c_delivery_cnt integer NOT NULL, "
                                   "c_data varchar(500) NOT NULL",
                        .key = "c_w_id, c_d_id, c_id",
                        .warehouse = "c_w_id",
                        .index = "c_w_id, c_d_id, c_last, c_first",
                        .name_of_index = "idx_customer",
                        .links = { { "c_w_id, c_d_id", TPCC_DISTRICT } } },
    [TPCC_HISTORY] = { .name = "history",
                       .columns = "h_c_id integer NOT NULL, h_c_d_id smallint NOT NULL, "
                                  "h_c_w_id integer NOT NULL, h_d_id smallint NOT NULL, "
                                  "h_w_id integer NOT NULL, h_date timestamptz NOT NULL, "
                                  "h_amount numeric(6,2) NOT NULL, h_data varchar(24) NOT NULL",
                       .warehouse = "h_w_id",
                       .links = { { "h_c_w_id, h_c_d_id, h_c_id", TPCC_CUSTOMER },
                                  { "h_w_id, h_d_id", TPCC_DISTRICT } } },
    [TPCC_STOCK] = { .name = "stock",
                     .columns = "s_i_id integer NOT NULL, s_w_id integer NOT NULL, "
                                "s_quantity smallint NOT NULL, " STOCK_DISTRICT("01")
                                    STOCK_DISTRICT("02") STOCK_DISTRICT("03") STOCK_DISTRICT("04")
                                        STOCK_DISTRICT("05") STOCK_DISTRICT("06") STOCK_DISTRICT(
                                            "07") STOCK_DISTRICT("08") STOCK_DISTRICT("09")
                                            STOCK_DISTRICT("10") "s_ytd numeric(8,0) NOT NULL, "
                                                                 "s_order_cnt integer NOT NULL, "
                                                                 "s_remote_cnt integer NOT NULL, "
                                                                 "s_data varchar(50) NOT NULL",
                     .key = "s_w_id, s_i_id",
                     .warehouse = "s_w_id",
                     .links = { { "s_w_id", TPCC_WAREHOUSE }, { "s_i_id", TPCC_ITEM } } },
    [TPCC_ORDER] = { .name = "orders",
                     .columns = "o_id integer NOT NULL, o_d_id smallint NOT NULL, "
                                "o_w_id integer NOT NULL, o_c_id integer NOT NULL, "
                                "o_entry_d timestamptz NOT NULL, o_carrier_id smallint, "
                                "o_ol_cnt smallint NOT NULL, o_all_local smallint NOT NULL",
                     .key = "o_w_id, o_d_id, o_id",
                     .warehouse = "o_w_id",
                     .index = "o_w_id, o_d_id, o_c_id, o_id",
                     .name_of_index = "idx_orders",
                     .links = { { "o_w_id, o_d_id, o_c_id", TPCC_CUSTOMER } } },
    [TPCC_NEW_ORDER] = { .name = "new_orders",
                         .columns = "no_o_id integer NOT NULL, no_d_id smallint NOT NULL, "
                                    "no_w_id integer NOT NULL",
                         .key = "no_w_id, no_d_id, no_o_id",
                         .warehouse = "no_w_id",
                         .links = { { "no_w_id, no_d_id, no_o_id", TPCC_ORDER } } },
    [TPCC_ORDER_LINE] = { .name = "order_line",
                          .columns =
                              "ol_o_id integer NOT NULL, ol_d_id smallint NOT NULL, "
                              "ol_w_id integer NOT NULL, ol_number smallint NOT NULL, "
                              "ol_i_id integer NOT NULL, ol_supply_w_id integer NOT NULL, "
                              "ol_delivery_d timestamptz, ol_quantity smallint NOT NULL, "
                              "ol_amount numeric(6,2) NOT NULL, ol_dist_info char(24) NOT NULL",
                          .key = "ol_w_id, ol_d_id, ol_o_id, ol_number",
                          .warehouse = "ol_w_id",
                          .links = { { "ol_w_id, ol_d_id, ol_o_id", TPCC_ORDER },
                                     { "ol_supply_w_id, ol_i_id", TPCC_STOCK } } },
};

int tpcc_table_count(const void *world)
{
    return ((const struct tpcc_world *)world)->sets * TPCC_TABLES;
}

/* "" or " WITH (fillfactor=90)". */
static const char *storage(const struct tpcc_options *options, struct arena *arena)
{
    if (options->fillfactor == 100)
        return "";
    return arena_format(arena, " WITH (fillfactor=%lld)", (long long)options->fillfactor);
}

/* The table, then its partitions; the storage is theirs, a table in parts has none. */
static const char *write_parts(const struct layout *layout, const struct tpcc_options *options,
                               int set, struct arena *arena)
{
    struct text text;
    const char *words;

    text_init(&text, WORKLOAD_SQL_MAX);
    text_format(&text, "(%s) PARTITION BY HASH (%s)", layout->columns, layout->warehouse);
    for (int64_t part = 0; part < options->partitions; part++)
        text_format(&text,
                    "; CREATE TABLE %s%d_p%lld PARTITION OF %s%d FOR VALUES WITH (MODULUS %lld, "
                    "REMAINDER %lld)%s",
                    layout->name, set, (long long)part, layout->name, set,
                    (long long)options->partitions, (long long)part, storage(options, arena));
    words = arena_text(arena, text.bytes);
    text_close(&text);
    return words;
}

/* Checked apart from being made, so that nobody waits long for the tables; a table in parts cannot
 * have it so. */
static const char *const *write_links(const struct layout *layout, bool in_parts, int set,
                                      struct arena *arena)
{
    const char **links = ARENA_ARRAY(arena, const char *, LINKS_MAX);
    int count = 0;

    for (int i = 0; i < COUNT_OF(layout->links) && layout->links[i].columns != NULL; i++) {
        const char *to = layouts[layout->links[i].table].name;
        const char *name = arena_format(arena, "%s%d_%s_fk", layout->name, set, to);
        links[count++] = arena_format(
            arena, "ALTER TABLE %%s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %%{%s%d}%s", name,
            layout->links[i].columns, to, set, in_parts ? "" : " NOT VALID");
        if (!in_parts)
            links[count++] = arena_format(arena, "ALTER TABLE %%s VALIDATE CONSTRAINT %s", name);
    }
    return count > 0 ? links : NULL;
}

static const char *const *write_keys(const struct layout *layout, int set, struct arena *arena)
{
    const char **after = ARENA_ARRAY(arena, const char *, 3);
    int count = 0;

    if (layout->key != NULL)
        after[count++] =
            arena_format(arena, "ALTER TABLE %%s ADD CONSTRAINT %s%d_pkey PRIMARY KEY (%s)",
                         layout->name, set, layout->key);
    if (layout->index != NULL)
        after[count++] = arena_format(arena, "CREATE INDEX %s%d ON %%s (%s)", layout->name_of_index,
                                      set, layout->index);
    return after;
}

void tpcc_describe(struct table_spec *table, const void *world, int index, struct arena *arena)
{
    const struct tpcc_world *tpcc = world;
    const struct tpcc_options *options = &tpcc->options;
    const struct layout *layout = &layouts[index % TPCC_TABLES];
    const struct tpcc_rows *rows = &tpcc_rows[index % TPCC_TABLES];
    int set = index / TPCC_TABLES + 1;
    bool in_parts = options->partitions > 0 && layout->warehouse != NULL;

    *table = (struct table_spec){
        .name = arena_format(arena, "%s%d", layout->name, set),
        .create = in_parts
                      ? write_parts(layout, options, set, arena)
                      : arena_format(arena, "(%s)%s", layout->columns, storage(options, arena)),
        .columns = rows->columns,
        .types = rows->types,
        .row_count = rows->each > 0 ? rows->each * tpcc->warehouses : TPCC_ITEMS,
        .rows_each = rows->lines,
        .after = write_keys(layout, set, arena),
        .links = options->use_fk ? write_links(layout, in_parts, set, arena) : NULL,
        .row = rows->row,
    };
}
