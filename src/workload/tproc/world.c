/*
 * world.c - what the options and the data come to.
 *
 * Before a run the database is asked how many warehouses it holds and which of the five routines it
 * has: HammerDB's driver uses those that are there, whatever its option says.
 */
#include <string.h>

#include "workload/tproc/tproc.h"

#define FIVE "('neword', 'payment', 'delivery', 'slev', 'ostat')"

enum question { ASK_WAREHOUSES, ASK_FUNCTIONS, ASK_PROCEDURES, ASK_MENDED, QUESTIONS };

bool tproc_open(void *world, const void *options, struct error *err)
{
    struct tproc_world *tproc = world;

    (void)err;
    tproc->options = *(const struct tproc_options *)options;
    tproc->mended = tproc->options.compat == TPROC_MENDED;
    tproc->warehouses = tproc->options.warehouses;
    tproc->routines = tproc->options.routines;
    return true;
}

static void ask_routines(struct text *sql, const char *kinds, const char *more)
{
    text_format(sql,
                "SELECT count(DISTINCT proname) FROM pg_proc WHERE proname IN " FIVE
                " AND prokind IN (%s) AND pg_function_is_visible(oid)%s",
                kinds, more);
}

bool tproc_ask(struct text *sql, const void *world, int index)
{
    (void)world;
    switch (index) {
    case ASK_WAREHOUSES:
        text_add(sql, "SELECT coalesce(max(w_id), 0) FROM warehouse");
        break;
    case ASK_FUNCTIONS:
        ask_routines(sql, "'f'", "");
        break;
    case ASK_PROCEDURES:
        ask_routines(sql, "'p'", "");
        break;
    case ASK_MENDED:
        ask_routines(sql, "'f', 'p'", " AND prosrc LIKE '%" TPROC_MARK "%'");
        break;
    default:
        return false;
    }
    return true;
}

/* All five of one kind and not of the other rule; otherwise the option does. */
static void choose_routines(struct tproc_world *tproc)
{
    bool functions = tproc->found.functions == TPROC_KINDS;
    bool procedures = tproc->found.procedures == TPROC_KINDS;

    if (functions != procedures)
        tproc->routines = functions ? TPROC_FUNCTIONS : TPROC_PROCEDURES;
}

void tproc_answer(void *world, int index, int64_t number)
{
    struct tproc_world *tproc = world;

    switch (index) {
    case ASK_WAREHOUSES:
        tproc->warehouses = number;
        break;
    case ASK_FUNCTIONS:
        tproc->found.functions = number;
        break;
    case ASK_PROCEDURES:
        tproc->found.procedures = number;
        break;
    default:
        tproc->found.mended = number;
        tproc->found.asked = true;
        choose_routines(tproc);
        break;
    }
}

void tproc_set_data_seed(void *world, int64_t data_seed)
{
    ((struct tproc_world *)world)->data_seed = (uint64_t)data_seed;
}

bool tproc_accept(const void *world, struct error *err)
{
    const struct tproc_world *tproc = world;
    const struct tproc_found *found = &tproc->found;

    if (tproc->warehouses < 1)
        return error_set(err, ERROR_PLAN,
                         "the table warehouse is empty: pgdyno load tproc makes the data");
    if (found->functions < TPROC_KINDS && found->procedures < TPROC_KINDS)
        return error_set(err, ERROR_PLAN,
                         "of the routines neword, payment, delivery, slev and ostat the database "
                         "has %d of 5 as functions and %d of 5 as procedures: pgdyno load tproc "
                         "makes them",
                         (int)found->functions, (int)found->procedures);
    if (tproc->mended && found->mended < TPROC_KINDS)
        return error_set(err, ERROR_PLAN,
                         "the routines in this database are as HammerDB makes them: run with "
                         "--compat hammerdb, or load with --compat hammerdb-fixed");
    if (!tproc->mended && found->mended > 0)
        return error_set(err, ERROR_PLAN,
                         "the routines in this database are the mended ones: run with --compat "
                         "hammerdb-fixed, or load with --compat hammerdb");
    return true;
}

bool tproc_remark(struct text *out, const void *world, int index)
{
    const struct tproc_world *tproc = world;

    if (index == 0) {
        text_format(out,
                    "%s: the five routines are %s; NOPM of functions and of procedures, and "
                    "of hammerdb and hammerdb-fixed, are not the same workload",
                    tproc->mended ? "hammerdb-fixed" : "hammerdb",
                    tproc->routines == TPROC_FUNCTIONS ? "functions" : "procedures");
        return true;
    }
    if (index == 1 && tproc->routines != tproc->options.routines) {
        text_format(out,
                    "the database has only %s of the five routines, so these were called; "
                    "--routines %s was asked",
                    tproc->routines == TPROC_FUNCTIONS ? "the functions" : "the procedures",
                    tproc->options.routines == TPROC_FUNCTIONS ? "functions" : "procedures");
        return true;
    }
    return false;
}
