/*
 * world.c - the tables sbtest1..sbtestN: what they look like and what is in them.
 *
 * Rows are a pure function of (data seed, table, row), so any connection may load any part and the
 * same seed gives the same tables (design D3). Indexes have sysbench's names and are built after
 * the rows.
 */
#include "workload/oltp/oltp.h"

#include <string.h>

bool oltp_open(void *world, const void *options, struct error *err)
{
    struct oltp_world *oltp = world;

    (void)err;
    oltp->options = *(const struct oltp_options *)options;
    /* Of empty tables the first id is asked for, as sysbench does. */
    distribution_init(&oltp->ids, &oltp->options.rand,
                      oltp->options.table_size > 0 ? oltp->options.table_size : 1);
    oltp->ks = oltp->ids;
    for (int group = 0; group < GROUP_COUNT; group++) {
        bool range = group >= GROUP_SIMPLE && group <= GROUP_DISTINCT;
        oltp->repetitions[group] =
            range && !oltp->options.range_selects ? 0 : (int)oltp->options.repetitions[group];
    }
    return true;
}

bool oltp_declares_wide(const void *world)
{
    return ((const struct oltp_world *)world)->options.compat == OLTP_COMPAT_SYSBENCH;
}

int oltp_table_count(const void *world)
{
    return (int)((const struct oltp_world *)world)->options.tables;
}

int oltp_draw_table(const struct oltp_world *world, struct rng *rng)
{
    return world->options.tables == 1 ? 1 : (int)rng_between(rng, 1, world->options.tables);
}

void oltp_add_numbered(struct text *out, const char *words, int number)
{
    const char *mark;

    for (; (mark = strstr(words, "{}")) != NULL; words = mark + 2) {
        text_add_bytes(out, words, (size_t)(mark - words));
        text_add_whole(out, number);
    }
    text_add(out, words);
}

/* Eleven digits from one random word: ten times the fraction, take the whole part. What is lost to
 * rounding is below 1e-8 of a digit's share. */
static void draw_group(char out[11], struct rng *rng)
{
    uint64_t fraction = rng_next(rng);

    for (int i = 0; i < 11; i++) {
        uint128 product = (uint128)fraction * 10;
        out[i] = (char)('0' + (int)(product >> 64));
        fraction = (uint64_t)product;
    }
}

void oltp_draw_digits(char *out, int groups, struct rng *rng)
{
    for (int group = 0; group < groups; group++) {
        draw_group(out, rng);
        out += 11;
        if (group < groups - 1)
            *out++ = '-';
    }
}

static void fill_row(struct copy_row *row, const void *world, int64_t number, struct rng *rng)
{
    const struct oltp_world *oltp = world;
    char c[OLTP_C_LENGTH + 1], pad[OLTP_PAD_LENGTH + 1];

    copy_whole(row, number);
    copy_whole(row, distribution_draw(&oltp->ks, rng));
    oltp_draw_digits(c, 10, rng);
    copy_text(row, c, OLTP_C_LENGTH);
    oltp_draw_digits(pad, 5, rng);
    copy_text(row, pad, OLTP_PAD_LENGTH);
}

void oltp_describe(struct table_spec *table, const void *world, int index, struct arena *arena)
{
    static const char *const types[] = { "int4", "int4", "bpchar", "bpchar", NULL };
    const struct oltp_options *options = &((const struct oltp_world *)world)->options;
    const char **after = ARENA_ARRAY(arena, const char *, 4);
    int count = 0, number = index + 1;

    if (options->secondary)
        after[count++] = arena_format(arena, "CREATE INDEX xid%d ON %%s (id)", number);
    else
        after[count++] = arena_format(
            arena, "ALTER TABLE %%s ADD CONSTRAINT sbtest%d_pkey PRIMARY KEY (id)", number);
    if (options->create_secondary)
        after[count++] = arena_format(arena, "CREATE INDEX k_%d ON %%s (k)", number);
    if (options->auto_inc)
        after[count++] =
            options->table_size > 0
                ? arena_format(arena, "SELECT setval(pg_get_serial_sequence('%%s', 'id'), %lld)",
                               (long long)options->table_size)
                : "SELECT setval(pg_get_serial_sequence('%s', 'id'), 1, false)";
    *table = (struct table_spec){
        .name = arena_format(arena, "sbtest%d", number),
        .create =
            arena_format(arena,
                         "(id %s NOT NULL, k integer DEFAULT 0 NOT NULL, "
                         "c character(120) DEFAULT '' NOT NULL, "
                         "pad character(60) DEFAULT '' NOT NULL) %s",
                         options->auto_inc ? "serial" : "integer", options->create_table_options),
        .columns = "id, k, c, pad",
        .types = types,
        .row_count = options->table_size,
        .after = after,
        .row = fill_row,
    };
}
