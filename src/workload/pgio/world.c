/*
 * world.c - what the options and the data come to.
 *
 * SCALE of a run is the part of the tables that it works on, the "active data set": the data are
 * asked how many keys there are, and asking for more is refused, since keys that are not there cost
 * nothing to read.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/plan.h"
#include "workload/pgio/pgio.h"

static int shift_of(char suffix)
{
    switch (toupper((unsigned char)suffix)) {
    case 'M':
        return 20;
    case 'G':
        return 30;
    default:
        return toupper((unsigned char)suffix) == 'T' ? 40 : -1;
    }
}

bool pgio_blocks(const char *name, const char *words, int64_t *blocks, struct error *err)
{
    char *end;
    int64_t number = isdigit((unsigned char)words[0]) ? strtoll(words, &end, 10) : -1;
    int shift = 13;

    if (number >= 0 && *end != '\0') {
        shift = shift_of(*end);
        number = end[1] == '\0' && shift >= 0 ? number : -1;
    }
    if (number < 0 || number > PGIO_BLOCKS_MAX >> (shift - 13))
        return error_set(err, ERROR_USAGE,
                         "%s: %s is no size: a number of blocks of 8 kB, or 512M, 1G, 2T", name,
                         words);
    *blocks = number << (shift - 13);
    return true;
}

static bool scale_ok(const struct pgio_world *pgio, struct error *err)
{
    int64_t unit = pgio->options.work_unit > pgio->options.update_work_unit
                       ? pgio->options.work_unit
                       : pgio->options.update_work_unit;

    if (pgio->blocks < PGIO_BLOCKS_MIN)
        return error_set(err, ERROR_USAGE,
                         "--scale: %" PRId64 " blocks are too few: use %d or more", pgio->blocks,
                         PGIO_BLOCKS_MIN);
    return unit + 1 < pgio->blocks ||
           error_set(err, ERROR_USAGE, "--scale: %" PRId64 " blocks hold no work unit of %" PRId64,
                     pgio->blocks, unit + 1);
}

bool pgio_open(void *world, const void *options, struct error *err)
{
    struct pgio_world *pgio = world;

    pgio->options = *(const struct pgio_options *)options;
    if (!pgio_blocks("--scale", pgio->options.scale, &pgio->blocks, err) || !scale_ok(pgio, err))
        return false;
    if (pgio->options.scan_pct + pgio->options.update_pct > 100)
        return error_set(err, ERROR_USAGE,
                         "--scan-pct and --update-pct are more than 100 %% of "
                         "the operations together");
    return pgio->options.scan_pct == 0 ||
           pgio_blocks("--scan-table-sz", pgio->options.scan_table_size, &pgio->scan_blocks, err);
}

void pgio_set_data_seed(void *world, int64_t data_seed)
{
    ((struct pgio_world *)world)->data_seed = (uint64_t)data_seed;
}

bool pgio_settle(void *world, struct plan *plan, const struct option_argv *said, struct error *err)
{
    struct pgio_world *pgio = world;

    (void)err;
    pgio->scale_given = option_given(said, "scale");
    if (!option_given(said, "connections"))
        plan->connections = pgio->options.num_schemas * pgio->options.num_threads;
    if (option_given(said, "run-time"))
        plan->time_ns = pgio->options.run_time_ns;
    return true;
}

int pgio_instance_count(const void *world)
{
    return (int)((const struct pgio_world *)world)->options.num_schemas;
}

bool pgio_ask(struct text *sql, const void *world, int index)
{
    const struct pgio_world *pgio = world;

    if (index >= pgio->options.num_schemas)
        return false;
    text_format(sql, "SELECT coalesce(max(mykey), 0) FROM pgio%d", index + 1);
    return true;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void pgio_answer(void *world, int index, int64_t number)
{
    struct pgio_world *pgio = world;
    const struct pgio_options *options = &pgio->options;

    pgio->rows = index == 0 ? number : least(pgio->rows, number);
    if (index + 1 < options->num_schemas)
        return;
    if (!pgio->scale_given)
        pgio->blocks = pgio->rows;
    if (pgio->blocks <= options->work_unit || pgio->blocks <= options->update_work_unit)
        return; /* Refused in a moment. */
    distribution_init(&pgio->reads, &options->rand, pgio->blocks - options->work_unit);
    distribution_init(&pgio->writes, &options->rand, pgio->blocks - options->update_work_unit);
    pgio->hot_first = options->hotspot_offset_mb * PGIO_MB + 1;
    pgio->hot_last = least(pgio->hot_first + options->hotspot_mb * PGIO_MB - 1, pgio->blocks);
}

bool pgio_accept(const void *world, struct error *err)
{
    const struct pgio_world *pgio = world;

    if (pgio->rows == 0)
        return error_set(err, ERROR_PLAN,
                         "a table of pgio1 to pgio%" PRId64 " is empty: pgdyno "
                         "load pgio makes the data",
                         pgio->options.num_schemas);
    if (pgio->blocks > pgio->rows)
        return error_set(err, ERROR_PLAN,
                         "--scale asks for %" PRId64 " blocks of a table, but there are only "
                         "%" PRId64 ": load with a larger --scale, or leave it out",
                         pgio->blocks, pgio->rows);
    if (pgio->options.do_hotspot && pgio->hot_first > pgio->hot_last)
        return error_set(err, ERROR_PLAN, "--hotspot-offset-mb is beyond the end of the tables");
    return scale_ok(pgio, err);
}
