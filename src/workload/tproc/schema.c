/*
 * schema.c - HammerDB's nine tables, their keys, indexes and partitions (spec hammerdb 1.1).
 *
 * Columns stand in the order that HammerDB gave them, the wide ones first. Stock is keyed by item
 * before warehouse, as there. Keys are built after the rows, with HammerDB's names.
 */
#include <stdio.h>

#include "workload/tproc/tproc.h"

/* Of warehouse, district and customer; NOT NULL throughout. */
#define ADDRESS(x)                                                        \
    { #x "_street_1", "varchar(20)" }, { #x "_street_2", "varchar(20)" }, \
        { #x "_city", "varchar(20)" }, { #x "_state", "char(2)" },        \
    {                                                                     \
#x "_zip", "char(9)"                                              \
    }
#define NULLABLE "?" /* before a type */

#define COLUMNS_MAX 22

struct column {
    const char *name, *type;
};

struct layout {
    const char *name, *key; /* key NULL: none */
    const char *second;     /* columns of the unique index beside the key; NULL: none */
    struct column columns[COLUMNS_MAX];
};

/* clang-format off */
static const struct layout layouts[TPROC_TABLES] = {
    [TPROC_ITEM] = { "item", "i_id", NULL, {
        { "i_id", "integer" }, { "i_im_id", "integer" }, { "i_name", "varchar(24)" },
        { "i_price", "numeric(5,2)" }, { "i_data", "varchar(50)" } } },
    [TPROC_WAREHOUSE] = { "warehouse", "w_id", NULL, {
        { "w_id", "integer" }, { "w_name", "varchar(10)" }, ADDRESS(w),
        { "w_tax", "numeric(4,4)" }, { "w_ytd", "numeric(16,2)" } } },
    [TPROC_DISTRICT] = { "district", "d_w_id, d_id", NULL, {
        { "d_w_id", "integer" }, { "d_next_o_id", "integer" }, { "d_id", "smallint" },
        { "d_ytd", "numeric(12,2)" }, { "d_tax", "numeric(4,4)" }, { "d_name", "varchar(10)" },
        ADDRESS(d) } },
    [TPROC_CUSTOMER] = { "customer", "c_w_id, c_d_id, c_id", "c_w_id, c_d_id, c_last, c_first, c_id", {
        { "c_since", "timestamptz" }, { "c_id", "integer" }, { "c_w_id", "integer" },
        { "c_d_id", "smallint" }, { "c_payment_cnt", "smallint" }, { "c_delivery_cnt", "smallint" },
        { "c_first", "varchar(16)" }, { "c_middle", "char(2)" }, { "c_last", "varchar(16)" },
        ADDRESS(c), { "c_phone", "char(16)" }, { "c_credit", "char(2)" },
        { "c_credit_lim", "numeric(12,2)" }, { "c_discount", "numeric(4,4)" },
        { "c_balance", "numeric(12,2)" }, { "c_ytd_payment", "numeric(12,2)" },
        { "c_data", "varchar(500)" } } },
    [TPROC_HISTORY] = { "history", NULL, NULL, {
        { "h_date", "timestamptz" }, { "h_c_id", NULLABLE "integer" }, { "h_c_w_id", "integer" },
        { "h_w_id", "integer" }, { "h_c_d_id", "smallint" }, { "h_d_id", "smallint" },
        { "h_amount", "numeric(6,2)" }, { "h_data", "varchar(24)" } } },
    [TPROC_STOCK] = { "stock", "s_i_id, s_w_id", NULL, {
        { "s_i_id", "integer" }, { "s_w_id", "integer" }, { "s_ytd", "integer" },
        { "s_quantity", "smallint" }, { "s_order_cnt", "smallint" }, { "s_remote_cnt", "smallint" },
        { "s_dist_01", "char(24)" }, { "s_dist_02", "char(24)" }, { "s_dist_03", "char(24)" },
        { "s_dist_04", "char(24)" }, { "s_dist_05", "char(24)" }, { "s_dist_06", "char(24)" },
        { "s_dist_07", "char(24)" }, { "s_dist_08", "char(24)" }, { "s_dist_09", "char(24)" },
        { "s_dist_10", "char(24)" }, { "s_data", "varchar(50)" } } },
    [TPROC_ORDER] = { "orders", "o_w_id, o_d_id, o_id", "o_w_id, o_d_id, o_c_id, o_id", {
        { "o_entry_d", "timestamptz" }, { "o_id", "integer" }, { "o_w_id", "integer" },
        { "o_c_id", "integer" }, { "o_d_id", "smallint" }, { "o_carrier_id", NULLABLE "smallint" },
        { "o_ol_cnt", "smallint" }, { "o_all_local", "smallint" } } },
    [TPROC_NEW_ORDER] = { "new_order", "no_w_id, no_d_id, no_o_id", NULL, {
        { "no_w_id", "integer" }, { "no_o_id", "integer" }, { "no_d_id", "smallint" } } },
    [TPROC_ORDER_LINE] = { "order_line", "ol_w_id, ol_d_id, ol_o_id, ol_number", NULL, {
        { "ol_delivery_d", NULLABLE "timestamptz" }, { "ol_o_id", "integer" },
        { "ol_w_id", "integer" }, { "ol_i_id", "integer" }, { "ol_supply_w_id", "integer" },
        { "ol_d_id", "smallint" }, { "ol_number", "smallint" }, { "ol_quantity", "smallint" },
        { "ol_amount", NULLABLE "numeric(6,2)" }, { "ol_dist_info", NULLABLE "char(24)" } } },
};

/* The loader's words for them. */
static const struct column type_names[] = {
    { "integer", "int4" }, { "smallint", "int2" }, { "timestamptz", "timestamptz" },
    { "char", "bpchar" },  { "varchar", "varchar" }, { "numeric", "numeric" },
};
/* clang-format on */

int tproc_table_count(const void *world)
{
    (void)world;
    return TPROC_TABLES;
}

static const char *type_name(const char *type)
{
    size_t length = strcspn(type, "(");

    for (int i = 0; i < COUNT_OF(type_names); i++)
        if (strlen(type_names[i].name) == length && strncmp(type, type_names[i].name, length) == 0)
            return type_names[i].type;
    return type;
}

/* Fills create, columns and types. */
static void write_columns(struct table_spec *table, const struct layout *layout, struct text *text,
                          struct arena *arena)
{
    const char **types = ARENA_ARRAY(arena, const char *, COLUMNS_MAX + 1);
    struct text names;

    text_init(&names, WORKLOAD_SQL_MAX);
    for (int i = 0; i < COLUMNS_MAX && layout->columns[i].name != NULL; i++) {
        const struct column *column = &layout->columns[i];
        bool nullable = column->type[0] == NULLABLE[0];
        const char *type = column->type + nullable;
        text_format(text, "%s%s %s%s", i > 0 ? ", " : "(", column->name, type,
                    nullable ? "" : " NOT NULL");
        text_format(&names, "%s%s", i > 0 ? ", " : "", column->name);
        types[i] = type_name(type);
    }
    text_add_char(text, ')');
    table->columns = arena_text(arena, names.bytes);
    table->types = types;
    text_close(&names);
}

/* Below 200 warehouses HammerDB ignores the option without a word. */
static int64_t part_count(const struct tproc_options *options)
{
    return options->partition && options->warehouses >= TPROC_PARTED_FROM
               ? options->warehouses / 100
               : 0;
}

static void write_parts(struct text *text, int64_t count)
{
    if (count == 0)
        return;
    text_add(text, " PARTITION BY HASH (ol_w_id)");
    for (int64_t part = 0; part < count; part++)
        text_format(text,
                    "; CREATE TABLE ol_%lld PARTITION OF order_line FOR VALUES WITH (MODULUS %lld, "
                    "REMAINDER %lld)",
                    (long long)part, (long long)count, (long long)part);
}

static const char *const *write_keys(const struct layout *layout, struct arena *arena)
{
    const char **after = ARENA_ARRAY(arena, const char *, 3);
    int count = 0;

    if (layout->key != NULL)
        after[count++] =
            arena_format(arena, "ALTER TABLE %%s ADD CONSTRAINT %s_i1 PRIMARY KEY (%s)",
                         layout->name, layout->key);
    if (layout->second != NULL)
        after[count++] = arena_format(arena, "CREATE UNIQUE INDEX %s_i2 ON %%s (%s)", layout->name,
                                      layout->second);
    return after;
}

void tproc_describe(struct table_spec *table, const void *world, int index, struct arena *arena)
{
    const struct tproc_world *tproc = world;
    const struct layout *layout = &layouts[index];
    const struct tproc_rows *rows = &tproc_rows[index];
    struct text text;

    *table = (struct table_spec){
        .name = layout->name,
        .row_count = rows->each > 0 ? rows->each * tproc->options.warehouses : TPROC_ITEMS,
        .rows_each = rows->lines,
        .after = write_keys(layout, arena),
        .row = rows->row,
    };
    text_init(&text, WORKLOAD_SQL_MAX);
    write_columns(table, layout, &text, arena);
    if (index == TPROC_ORDER_LINE)
        write_parts(&text, part_count(&tproc->options));
    table->create = arena_text(arena, text.bytes);
    text_close(&text);
}
