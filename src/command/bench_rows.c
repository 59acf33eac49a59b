/*
 * bench_rows.c - a plan's workloads as command lines of `run`, each read and checked as `run` will
 * read it, with what its data are.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "command/bench.h"
#include "command/common.h"
#include "workload/micro/suite.h"

#define SUITE_WARMUP_MS 5000 /* as published */
#define HASH_BEGIN      UINT64_C(0x9e3779b97f4a7c15)

/* ---- what a plan can say ---- */

static bool options_of(const char *name, const char *compat, const struct option **rows)
{
    const struct workload *workload = command_workload(name);

    *rows = NULL;
    if (workload == NULL)
        return false;
    for (const struct variant *one = workload->variants;
         one != NULL && compat != NULL && one->compat != NULL; one++)
        if (strcmp(one->compat, compat) == 0)
            workload = one->workload;
    *rows = workload->options;
    return true;
}

const struct plan_words *bench_plan_words(void)
{
    static const char *const suites[] = { "micro", NULL };
    static const char *const workloads[] = { "micro/point-query", NULL };
    static const struct plan_words words = { .options = options_of,
                                             .nearest = workload_nearest,
                                             .suites = suites,
                                             .suite_workloads = workloads };

    return &words;
}

/* ---- command lines ---- */

static bool is_of_run(const struct option *row)
{
    for (const struct option *one = plan_options; one->name != NULL; one++)
        if (one == row)
            return true;
    return false;
}

static const char *word(struct bench *bench, const char *key, const char *value)
{
    return arena_format(bench->arena, "--%s=%s", key, value);
}

static const char *item_value(const struct plan_file_row *plan, const char *key)
{
    for (int i = 0; i < plan->item_count; i++)
        if (strcmp(plan->items[i].key, key) == 0)
            return plan->items[i].value;
    return NULL;
}

/* What it is run with; a suite's step says its own time. */
static void make_run_words(struct bench *bench, struct bench_row *row, const char *time,
                           const char *connections)
{
    const char **words = ARENA_ARRAY(bench->arena, const char *, BENCH_WORDS_MAX + 8);
    int count = 0;

    words[count++] = "run";
    words[count++] = row->workload;
    for (int i = 0; i < row->plan->item_count && count < BENCH_WORDS_MAX; i++) {
        const char *key = row->plan->items[i].key;
        if ((time != NULL && strcmp(key, "time") == 0) ||
            (connections != NULL && strcmp(key, "connections") == 0))
            continue;
        words[count++] = word(bench, key, row->plan->items[i].value);
    }
    if (time != NULL)
        words[count++] = word(bench, "time", time);
    if (connections != NULL)
        words[count++] = word(bench, "connections", connections);
    if (time != NULL && item_value(row->plan, "warmup") == NULL)
        words[count++] = arena_format(bench->arena, "--warmup=%dms",
                                      (int)fmax(1, fmin(1e9, SUITE_WARMUP_MS * bench->time)));
    row->words = words;
}

/* What of it load wants to hear: the family's options, and the seed of the data. */
static void make_load_words(struct bench *bench, struct bench_row *row)
{
    const char **words = ARENA_ARRAY(bench->arena, const char *, BENCH_WORDS_MAX + 8);
    int count = 0;

    words[count++] = "load";
    words[count++] = row->workload;
    for (int i = 0; i < row->plan->item_count && count < BENCH_WORDS_MAX; i++) {
        const struct plan_item *item = &row->plan->items[i];
        if (!is_of_run(item->row) || strcmp(item->key, "data-seed") == 0 ||
            strcmp(item->key, "compat") == 0)
            words[count++] = word(bench, item->key, item->value);
    }
    for (int i = 0; i < bench->plan.load_count && count < BENCH_WORDS_MAX; i++)
        words[count++] = word(bench, bench->plan.load[i].key, bench->plan.load[i].value);
    row->load = words;
}

/* ---- checking, and the data ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++)
        hash = rng_mix(hash ^ (unsigned char)*text);
    return rng_mix(hash + 1);
}

/* A name as SQL has it when it must be taken as it is. */
static const char *quoted(struct arena *arena, const char *name)
{
    struct text text;
    const char *copy;

    text_init(&text, ERROR_TEXT_MAX);
    text_add_char(&text, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            text_add_char(&text, '"');
        text_add_char(&text, *name);
    }
    text_add_char(&text, '"');
    copy = arena_text(arena, text.bytes);
    text_close(&text);
    return copy;
}

/* Two rows have the same data when their tables have the same shape, size and seed. */
static void describe_data(struct bench *bench, const struct command_call *call,
                          struct bench_row *row)
{
    const struct workload *workload = call->workload;
    uint64_t hash = rng_mix(HASH_BEGIN ^ (uint64_t)call->plan.data_seed);
    const char **tables;
    int64_t rows = 0;

    row->family = arena_text(bench->arena, workload->family);
    row->table_count = workload->table_count != NULL ? workload->table_count(call->world) : 0;
    if (row->table_count == 0 || row->table_count > BENCH_TABLES_MAX)
        return;
    tables = ARENA_ARRAY(bench->arena, const char *, row->table_count + 1);
    for (int i = 0; i < row->table_count; i++) {
        struct table_spec spec = { .name = NULL };
        workload->describe(&spec, call->world, i, call->arena);
        tables[i] = quoted(bench->arena, spec.name);
        hash = hash_text(hash_text(hash, spec.name), spec.create) + (uint64_t)spec.row_count;
        rows += spec.row_count;
    }
    row->tables = tables;
    row->row_count = rows;
    row->takes_part = workload->takes_part;
    snprintf(row->data, sizeof row->data, "%016llx", (unsigned long long)hash);
    row->wait_ns = (int64_t)((double)(suite_postwrite_s(rows) * NS_PER_S) * bench->time);
}

static bool check_row(struct bench *bench, struct bench_row *row, struct error *err)
{
    static const struct command checker = { .name = "run", .usage = "", .takes_workload = true };
    struct command_call call = { .own = NULL };
    char *words[BENCH_WORDS_MAX + 8];
    int count = 0;
    bool good;

    /* A word may be overwritten when it is a secret; none of a plan is. */
    for (; row->words[count + 1] != NULL; count++)
        words[count] = arena_text(bench->arena, row->words[count + 1]);
    words[count] = NULL;
    good = command_read(&call, &checker, count, words, err);
    if (good && call.workload->transactions[0].name == NULL)
        good = error_set(err, ERROR_PLAN, "this is the data of a suite, no workload to be run");
    if (good) {
        row->planned_ns = call.plan.time_ns + call.plan.warmup_ns;
        describe_data(bench, &call, row);
    }
    command_close(&call);
    return good || error_wrap(err, "%s:%d:%d: %s", bench->plan_path, row->plan->place.line,
                              row->plan->place.column, row->name);
}

/* ---- rows ---- */

static struct bench_row *add_row(struct bench *bench, const struct plan_file_row *plan)
{
    struct bench_row *row = &bench->rows[bench->row_count++];

    *row = (struct bench_row){ .name = plan->name, .workload = plan->workload, .plan = plan };
    return row;
}

static const char *suite_time(const struct bench *bench, const struct plan_file_row *plan,
                              enum suite_length length)
{
    int64_t ns = plan->suite_ns[length];

    if (ns < 0 && length == SUITE_INSERT) /* published with that of writes */
        ns = plan->suite_ns[SUITE_WRITE];

    if (ns < 0)
        ns = (int64_t)fmax(1e9, (double)suite_published_s(length) * 1e9 * bench->time);
    return arena_format(bench->arena, "%lldms", (long long)(ns / NS_PER_MS));
}

static bool add_suite(struct bench *bench, const struct plan_file_row *plan, struct error *err)
{
    const struct suite_step *step;
    const char *tables = item_value(plan, "tables");
    bool alone = strcmp(plan->name, plan->suite) == 0;

    for (int i = 0; (step = suite_step(i)) != NULL; i++) {
        struct bench_row *row;
        if (bench->row_count == BENCH_ROWS_MAX)
            return error_set(err, ERROR_PLAN, "%s: these are too many rows", bench->plan_path);
        row = add_row(bench, plan);
        row->name =
            alone ? step->name : arena_format(bench->arena, "%s: %s", plan->name, step->name);
        row->kind = step->kind == SUITE_RUN    ? BENCH_RUN
                    : step->kind == SUITE_WARM ? BENCH_WARM
                                               : BENCH_POSTWRITE;
        row->workload = step->workload != NULL ? step->workload : "micro/point-query";
        make_run_words(bench, row, suite_time(bench, plan, step->length),
                       !step->session_a_table ? NULL
                       : tables != NULL       ? tables
                                              : "1");
        make_load_words(bench, row);
        if (!check_row(bench, row, err))
            return false;
        if (row->kind == BENCH_POSTWRITE)
            row->planned_ns = row->wait_ns;
    }
    return true;
}

static bool add_plan_row(struct bench *bench, const struct plan_file_row *plan, struct error *err)
{
    struct bench_unit *unit = &bench->units[bench->unit_count++];
    struct bench_row *row;

    unit->first = bench->row_count;
    if (plan->suite != NULL) {
        if (!add_suite(bench, plan, err))
            return false;
    } else {
        if (bench->row_count == BENCH_ROWS_MAX)
            return error_set(err, ERROR_PLAN, "%s: these are too many rows", bench->plan_path);
        row = add_row(bench, plan);
        make_run_words(bench, row, NULL, NULL);
        make_load_words(bench, row);
        if (!check_row(bench, row, err))
            return false;
    }
    unit->count = bench->row_count - unit->first;
    return true;
}

/* A copy holds one data set of a family. */
static bool check_data(const struct bench *bench, struct error *err)
{
    if (bench->plan.restore != RESTORE_COPY && bench->plan.restore != RESTORE_TEMPLATE)
        return true;
    for (int i = 0; i < bench->row_count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(bench->rows[i].family, bench->rows[j].family) == 0 &&
                strcmp(bench->rows[i].data, bench->rows[j].data) != 0)
                return error_set(err, ERROR_PLAN,
                                 "%s: %s and %s want different data in the same tables, and "
                                 "restore: %s keeps one set: say reload, or make two plans",
                                 bench->plan_path, bench->rows[j].name, bench->rows[i].name,
                                 plan_restore_word(bench->plan.restore));
    return true;
}

/* Where a run may use a part, the largest set is loaded for all. */
static void share_data(struct bench *bench)
{
    for (int i = 0; i < bench->row_count; i++) {
        const struct bench_row *largest = &bench->rows[i];
        if (!largest->takes_part)
            continue;
        for (int j = 0; j < bench->row_count; j++)
            if (bench->rows[j].takes_part && bench->rows[j].row_count > largest->row_count &&
                strcmp(bench->rows[j].family, largest->family) == 0)
                largest = &bench->rows[j];
        bench->rows[i].load = largest->load;
        memcpy(bench->rows[i].data, largest->data, sizeof largest->data);
    }
}

bool bench_make_rows(struct bench *bench, struct error *err)
{
    bench->rows = ARENA_ARRAY(bench->arena, struct bench_row, BENCH_ROWS_MAX);
    bench->units = ARENA_ARRAY(bench->arena, struct bench_unit, bench->plan.row_count);
    for (int i = 0; i < bench->plan.row_count; i++)
        if (!add_plan_row(bench, &bench->plan.rows[i], err))
            return false;
    share_data(bench);
    return check_data(bench, err);
}
