/*
 * bulk_insert.c - bulk_insert: rows of (id, k) added to the end of a table, many in one INSERT
 * (spec sysbench 2).
 *
 * A transaction is one INSERT of --rows rows. sysbench calls a row an event and sends 512 KiB of
 * them at a time, after the clock has stopped for most; --compat sysbench counts rows as well. A
 * stream keeps to one table, as a thread does in sysbench; streams that share a table take turns.
 * Ids continue after what the table holds.
 */
#include <string.h>

#include "workload/oltp/oltp.h"

#define TABLES_MAX     1024
#define ROW_LENGTH_MAX 32 /* "(2147483647,2147483647)," and more */

enum { SQL_BULK };

struct bulk_options {
    int64_t tables, rows;
    const char *create_table_options;
    int compat; /* enum oltp_compat */
};

struct bulk_world {
    struct bulk_options options;
    int64_t last_ids[TABLES_MAX];
    int64_t foreign_columns; /* of sbtest1, beside its own two */
};

#define AT(field) offsetof(struct bulk_options, field)

static const struct option option_rows[] = {
    { .name = "tables",
      .type = OPTION_WHOLE,
      .at = AT(tables),
      .fallback = "1",
      .low = 1,
      .high = TABLES_MAX,
      .marks = OPTION_SHAPES,
      .unit = "tables",
      .topic = "bulk",
      .since = "0.1",
      .help = "number of tables sbtest1, sbtest2, ...",
      .text = "sysbench takes as many as it has threads, and each has its own." },
    { .name = "rows",
      .type = OPTION_WHOLE,
      .at = AT(rows),
      .fallback = "30000",
      .low = 1,
      .high = 400000,
      .marks = OPTION_SHAPES,
      .unit = "rows",
      .topic = "bulk",
      .since = "0.1",
      .help = "rows in one INSERT, which is a transaction",
      .text = "The default makes about the 512 KiB of text that sysbench sends at a time." },
    { .name = "create-table-options",
      .type = OPTION_TEXT,
      .at = AT(create_table_options),
      .fallback = "",
      .marks = OPTION_SHAPES,
      .unit = "SQL",
      .topic = "bulk",
      .since = "0.1",
      .help = "raw SQL after the columns of CREATE TABLE",
      .text =
          "For example 'WITH (fillfactor=90)' or 'USING heap'. Passed to the server as it is, and "
          "shown in the result." },
    { .name = "compat",
      .type = OPTION_CHOICE,
      .at = AT(compat),
      .fallback = "none",
      .choices = oltp_compat_choices,
      .marks = OPTION_SHAPES,
      .topic = "bulk",
      .since = "0.1",
      .help = "do as another tool does, also where that is a defect",
      .text = "With sysbench a row counts as a transaction in what --format sysbench shows." },
    { .name = NULL },
};

/* ---- the statement ---- */

static const struct statement statements[] = {
    [SQL_BULK] = { .name = "bulk_insert" }, /* its text is made each time */
    { .name = NULL },
};

struct bulk_input {
    int table;
    int64_t first_id;
};

/* Of the streams 0, 1, 2, ... that share a table each takes the next --rows ids in turn. */
static void bulk_draw(void *input, const void *world, struct draw *draw)
{
    const struct bulk_world *bulk = world;
    struct bulk_input *in = input;
    int64_t tables = bulk->options.tables, table = draw->stream % tables;
    int64_t sharers = (draw->streams - table + tables - 1) / tables;
    int64_t turn = draw->number / draw->streams * sharers + draw->stream / tables;

    in->table = (int)table + 1;
    in->first_id = bulk->last_ids[table] + turn * bulk->options.rows + 1;
}

static char *add_digits(char *out, int64_t number)
{
    char digits[24];
    int at = (int)sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(out, digits + at, sizeof digits - (size_t)at);
    return out + sizeof digits - (size_t)at;
}

static void bulk_run(struct txn *txn, const void *input, const void *world)
{
    static const char begin[] = "INSERT INTO sbtest";
    const struct bulk_world *bulk = world;
    const struct bulk_input *in = input;
    char *sql = txn_room(txn, (size_t)(bulk->options.rows + 2) * ROW_LENGTH_MAX);
    char *out = sql;

    memcpy(out, begin, sizeof begin - 1);
    out = add_digits(out + sizeof begin - 1, in->table);
    memcpy(out, " VALUES", 7);
    out += 7;
    for (int64_t id = in->first_id; id < in->first_id + bulk->options.rows; id++) {
        *out++ = id == in->first_id ? ' ' : ',';
        *out++ = '(';
        out = add_digits(out, id);
        *out++ = ',';
        out = add_digits(out, id);
        *out++ = ')';
    }
    *out = '\0';
    txn_send_text(txn, SQL_BULK, sql, (int)(out - sql));
}

static const struct transaction transactions[] = {
    { .name = "bulk_insert",
      .summary = "one INSERT of --rows rows",
      .weight = 1,
      .input_size = sizeof(struct bulk_input),
      .draw = bulk_draw,
      .run = bulk_run },
    { .name = NULL },
};

/* ---- the data ---- */

static bool bulk_open(void *world, const void *options, struct error *err)
{
    struct bulk_world *bulk = world;

    (void)err;
    bulk->options = *(const struct bulk_options *)options;
    return true;
}

static int bulk_table_count(const void *world)
{
    return (int)((const struct bulk_world *)world)->options.tables;
}

/* The highest id of each table; and whether the first is one of ours, not of its namesakes. */
static bool bulk_ask(struct text *sql, const void *world, int index)
{
    int tables = bulk_table_count(world);

    if (index < tables)
        text_format(sql, "SELECT coalesce(max(id), 0) FROM sbtest%d", index + 1);
    else if (index == tables)
        text_add(sql, "SELECT count(*) FROM pg_catalog.pg_attribute WHERE attrelid ="
                      " 'sbtest1'::regclass AND attnum > 0 AND NOT attisdropped"
                      " AND attname NOT IN ('id', 'k')");
    return index <= tables;
}

static void bulk_answer(void *world, int index, int64_t number)
{
    struct bulk_world *bulk = world;

    if (index < bulk_table_count(world))
        bulk->last_ids[index] = number;
    else
        bulk->foreign_columns = number;
}

/* Rows of (id, k) would go into the tables of the others as well, and spoil them. */
static bool bulk_accept(const void *world, struct error *err)
{
    return ((const struct bulk_world *)world)->foreign_columns == 0 ||
           error_set(err, ERROR_PLAN,
                     "sbtest1 has more columns than id and k: it holds the data of another oltp_* "
                     "workload; drop these, or use another schema");
}

/* Tables begin empty. */
static void no_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    (void)rng;
    copy_whole(row, number);
    copy_whole(row, number);
}

static void bulk_describe(struct table_spec *table, const void *world, int index,
                          struct arena *arena)
{
    static const char *const types[] = { "int4", "int4", NULL };
    const struct bulk_options *options = &((const struct bulk_world *)world)->options;
    const char **after = ARENA_ARRAY(arena, const char *, 2);

    after[0] = arena_format(arena, "ALTER TABLE %%s ADD CONSTRAINT sbtest%d_pkey PRIMARY KEY (id)",
                            index + 1);
    *table = (struct table_spec){
        .name = arena_format(arena, "sbtest%d", index + 1),
        .create = arena_format(arena, "(id integer NOT NULL, k integer DEFAULT 0 NOT NULL) %s",
                               options->create_table_options),
        .columns = "id, k",
        .types = types,
        .row_count = 0,
        .after = after,
        .row = no_row,
    };
}

static const char check_sql[] =
    "SELECT 'sbtest{}: ' || what, found, wanted FROM "
    "(SELECT count(*) FILTER (WHERE k <> id OR id < 1) AS odd FROM sbtest{}) AS t, "
    "LATERAL (VALUES ('rows whose k is not their id', odd::text, '0'), "
    "('primary key', (SELECT count(*)::text FROM pg_index WHERE indrelid = "
    "'sbtest{}'::regclass AND indisprimary AND indisvalid), '1')) AS v (what, found, wanted)";

static bool bulk_check(struct text *sql, const void *world, int index)
{
    if (index >= bulk_table_count(world))
        return false;
    oltp_add_numbered(sql, check_sql, index + 1);
    return true;
}

const struct workload workload_bulk_insert = {
    .name = "bulk_insert",
    .summary = "sysbench's bulk insert: many rows of two numbers in one INSERT",
    .family = "bulk",
    .options = option_rows,
    .options_size = sizeof(struct bulk_options),
    .world_size = sizeof(struct bulk_world),
    .statements = statements,
    .transactions = transactions,
    .needs_server = true,
    .open = bulk_open,
    .ask = bulk_ask,
    .answer = bulk_answer,
    .accept = bulk_accept,
    .table_count = bulk_table_count,
    .describe = bulk_describe,
    .check = bulk_check,
};
