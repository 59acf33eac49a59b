/*
 * load_probe.c - loads a small data set that has everything a data set can have: several rows a
 * number, decimals, moments, foreign keys, functions, and an option by which it grows. For
 * tests/real/load_parts_test.py, which says:
 *
 *   load_probe CONNINFO load|drop [--shops N] [--lines N] [--body TEXT] [--objects N]
 *              [--connections N] [--force on]
 *
 * Prints the report as JSON, or the error; exits with the error's code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "plan/option.h"

#define ORDERS_EACH 50
#define WARES       400
#define FIRST_US    INT64_C(1700000000000000)

struct probe_options {
    int64_t shops, lines, objects, connections;
    const char *body;
    bool force;
};

#define AT(field) offsetof(struct probe_options, field)
#define ROW(NAME, FIELD, TYPE, FALLBACK)                                                     \
    {                                                                                        \
        .name = (NAME), .at = AT(FIELD), .type = (TYPE), .fallback = (FALLBACK), .high = 1e9 \
    }

static const struct option option_rows[] = {
    ROW("shops", shops, OPTION_WHOLE, "2"),
    ROW("lines", lines, OPTION_WHOLE, "9"),
    { .name = "objects",
      .at = AT(objects),
      .type = OPTION_WHOLE,
      .fallback = "2",
      .high = 2,
      .marks = OPTION_ALSO },
    { .name = "connections",
      .at = AT(connections),
      .type = OPTION_WHOLE,
      .fallback = "2",
      .high = 16,
      .marks = OPTION_ALSO },
    { .name = "body", .at = AT(body), .type = OPTION_TEXT, .fallback = "+", .marks = OPTION_ALSO },
    { .name = "force", .at = AT(force), .type = OPTION_FLAG, .marks = OPTION_ALSO },
    { .name = NULL },
};

static bool probe_open(void *world, const void *options, struct error *err)
{
    (void)err;
    memcpy(world, options, sizeof(struct probe_options));
    return true;
}

/* ---- tables ---- */

static void shop_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    copy_decimal(row, rng_between(rng, -99999, 99999), 2);
}

static void ware_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    copy_decimal(row, rng_between(rng, 1, 999999), 4);
}

static void order_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    (void)world;
    copy_whole(row, number);
    copy_whole(row, 1 + (number - 1) / ORDERS_EACH);
    copy_moment(row, FIRST_US + rng_between(rng, 0, 1000000000));
}

static void line_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const struct probe_options *options = world;
    int64_t count = rng_between(rng, 1, options->lines);
    char pad[200];

    memset(pad, 'a' + (int)(number % 26), sizeof pad);
    for (int64_t line = 1; line <= count; line++) {
        if (line > 1)
            copy_next(row);
        copy_whole(row, number);
        copy_whole(row, line);
        copy_whole(row, rng_between(rng, 1, WARES));
        copy_text(row, pad, sizeof pad);
    }
}

static int probe_count(const void *world)
{
    (void)world;
    return 4;
}

static void probe_describe(struct table_spec *table, const void *world, int index,
                           struct arena *arena)
{
    static const char *const shop_types[] = { "int4", "numeric", NULL };
    static const char *const order_types[] = { "int4", "int4", "timestamptz", NULL };
    static const char *const line_types[] = { "int4", "int2", "int4", "bpchar", NULL };
    static const char *const key[] = { "ALTER TABLE %s ADD PRIMARY KEY (id)", NULL };
    static const char *const line_key[] = { "ALTER TABLE %s ADD PRIMARY KEY (id, line)",
                                            "CREATE INDEX ON %s (ware)", NULL };
    static const char *const order_links[] = {
        "ALTER TABLE %s ADD CONSTRAINT of_shop FOREIGN KEY (shop) REFERENCES %{a shop} NOT VALID",
        "ALTER TABLE %s VALIDATE CONSTRAINT of_shop", NULL
    };
    static const char *const line_links[] = {
        "ALTER TABLE %s ADD CONSTRAINT of_order FOREIGN KEY (id) REFERENCES %{orders} NOT VALID",
        "ALTER TABLE %s VALIDATE CONSTRAINT of_order",
        "ALTER TABLE %s ADD CONSTRAINT of_ware FOREIGN KEY (ware) REFERENCES %{ware} NOT VALID",
        "ALTER TABLE %s VALIDATE CONSTRAINT of_ware", NULL
    };
    int64_t shops = ((const struct probe_options *)world)->shops;
    double mean = (1 + (double)((const struct probe_options *)world)->lines) / 2;
    const struct table_spec specs[] = {
        { .name = "a shop",
          .create = "(id integer NOT NULL, ytd numeric(12,2))",
          .columns = "id, ytd",
          .types = shop_types,
          .row_count = shops,
          .after = key,
          .row = shop_row },
        { .name = "ware",
          .create = "(id integer NOT NULL, price numeric(10,4))",
          .columns = "id, price",
          .types = shop_types,
          .row_count = WARES,
          .after = key,
          .row = ware_row },
        { .name = "orders",
          .create = "(id integer NOT NULL, shop integer NOT NULL, at timestamptz)",
          .columns = "id, shop, at",
          .types = order_types,
          .row_count = shops * ORDERS_EACH,
          .after = key,
          .links = order_links,
          .row = order_row },
        { .name = "lines",
          .create = "(id integer NOT NULL, line smallint NOT NULL, ware integer, pad char(200))",
          .columns = "id, line, ware, pad",
          .types = line_types,
          .row_count = shops * ORDERS_EACH,
          .rows_each = mean,
          .after = line_key,
          .links = line_links,
          .row = line_row },
    };

    (void)arena;
    *table = specs[index];
}

static bool probe_object(struct object_spec *object, const void *world, int index,
                         struct arena *arena)
{
    const struct probe_options *options = world;

    if (index >= options->objects)
        return false;
    if (index == 0) {
        object->name = "FUNCTION total(integer, integer)";
        object->create = arena_format(arena,
                                      "CREATE FUNCTION %%s.total(a integer, b integer) RETURNS "
                                      "integer LANGUAGE sql AS $$ SELECT a %s b $$",
                                      options->body);
    } else {
        object->name = "PROCEDURE touch(integer)";
        object->create = "CREATE PROCEDURE %s.touch(which integer) LANGUAGE sql AS "
                         "$$ UPDATE %{a shop} SET ytd = ytd + 1 WHERE id = which $$";
    }
    return true;
}

static const struct workload probe = {
    .name = "probe",
    .summary = "everything a data set can have",
    .family = "probe's",
    .options = option_rows,
    .options_size = sizeof(struct probe_options),
    .world_size = sizeof(struct probe_options),
    .needs_server = true,
    .open = probe_open,
    .table_count = probe_count,
    .describe = probe_describe,
    .object = probe_object,
    .grows = "shops",
};

static int finish(bool ok, const struct error *err)
{
    if (!ok)
        fprintf(stderr, "%s\n", err->text);
    return ok ? 0 : (int)err->kind;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_new(1 << 20);
    struct probe_options options;
    const struct option_group group = { option_rows, &options };
    struct option_argv args = {
        .groups = &group, .group_count = 1, .argc = argc - 1, .argv = argv + 1, .arena = arena
    };
    struct plan plan = { .data_seed = 1 };
    struct load_setup setup = {
        .plan = &plan, .workload = &probe, .world = &options, .options = &group
    };
    struct error err = { .kind = ERROR_NONE };
    json_t *report = NULL;
    int count = 0;
    bool ok;

    option_defaults(&group, 1, arena);
    if (!option_read_argv(&args, &err) || args.word_count != 2)
        return finish(false, &err);
    setup.conninfo = args.words[0];
    setup.connections = (int)options.connections;
    plan.force = options.force;
    load_signals();
    if (strcmp(args.words[1], "drop") == 0) {
        ok = load_drop(&setup, &count, &err);
        printf("%d\n", count);
    } else {
        ok = load_data(&setup, &report, &err);
        if (ok)
            json_dumpf(report, stdout, JSON_INDENT(1));
    }
    json_decref(report);
    arena_free(arena);
    return finish(ok, &err);
}
