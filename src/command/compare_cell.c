/*
 * compare_cell.c - the runs of one row and column: their values, spread, strangers and drift.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/comparison.h"
#include "compare/sample.h"
#include "compare/steady.h"
#include "store/store.h"

#define PIECES_MAX    256
#define REASON_MAX    4096
#define STRANGERS_MIN 5 /* runs, for one to be called an outlier */
#define LEVEL         0.05

static int by_block(const void *left, const void *right)
{
    const struct compared_run *a = *(const struct compared_run *const *)left;
    const struct compared_run *b = *(const struct compared_run *const *)right;

    /* Within a block by their order of arrival: they lie in one array. */
    return a->block != b->block ? (a->block > b->block) - (a->block < b->block) : (a > b) - (a < b);
}

struct cell compare_cell(struct comparison *comparison, int row, int column)
{
    struct cell cell = { .count = 0 };
    int size = 0;

    for (int i = 0; i < comparison->run_count; i++)
        size += comparison->runs[i].row == row && comparison->runs[i].column == column;
    cell.runs = ARENA_ARRAY(comparison->arena, const struct compared_run *, size + 1);
    cell.values = ARENA_ARRAY(comparison->arena, double, size + 1);
    for (int i = 0; i < comparison->run_count; i++) {
        const struct compared_run *run = &comparison->runs[i];

        if (run->row != row || run->column != column)
            continue;
        if (run->value > 0 && isfinite(run->value))
            cell.runs[cell.count++] = run;
        else
            comparison_note(comparison, "%s has no such figure above 0: left out", run->path);
    }
    qsort(cell.runs, (size_t)cell.count, sizeof(*cell.runs), by_block);
    for (int i = 0; i < cell.count; i++)
        cell.values[i] = cell.runs[i]->value;
    return cell;
}

/* ---- pairs ---- */

/* The mean of the runs of the block that begins at `*next`, which moves behind it. */
static double take_block(const struct cell *cell, int *next)
{
    int first = *next, block = cell->runs[first]->block;

    while (*next < cell->count && cell->runs[*next]->block == block)
        (*next)++;
    return sample_mean(cell->values + first, *next - first);
}

int compare_pair(const struct cell *base, const struct cell *head, double *base_values,
                 double *head_values)
{
    int count = 0, i = 0, j = 0;

    while (i < base->count && j < head->count) {
        if (base->runs[i]->block < head->runs[j]->block) {
            take_block(base, &i);
        } else if (base->runs[i]->block > head->runs[j]->block) {
            take_block(head, &j);
        } else {
            base_values[count] = take_block(base, &i);
            head_values[count++] = take_block(head, &j);
        }
    }
    return count;
}

/* ---- the JSON ---- */

/* The level is for all cells together: of 200 some would look odd by chance. */
static json_t *outliers_json(const struct comparison *comparison, const struct cell *cell)
{
    double level = LEVEL / (comparison->row_count * comparison->column_count);
    double *logs = MEMORY_ARRAY(double, cell->count + 1);
    bool *strangers = MEMORY_ARRAY(bool, cell->count + 1);
    json_t *out = json_array();

    for (int i = 0; i < cell->count; i++)
        logs[i] = log(cell->values[i]);
    if (cell->count >= STRANGERS_MIN)
        sample_outliers(logs, cell->count, level, strangers);
    for (int i = 0; i < cell->count; i++) {
        struct text why;

        if (!strangers[i])
            continue;
        text_init(&why, REASON_MAX);
        compare_reason(&why, cell->runs, cell->count, i);
        json_array_append_new(
            out, json_pack("{s:s, s:i, s:f, s:f, s:s}", "run", cell->runs[i]->path, "block",
                           cell->runs[i]->block, "value", cell->values[i], "of_median",
                           cell->values[i] / sample_median(cell->values, cell->count), "why",
                           why.length > 0 ? why.bytes : "nothing in its result tells why"));
        text_close(&why);
    }
    memory_free(logs);
    memory_free(strangers);
    return out;
}

static json_t *within_json(const struct compared_run *run, const struct metric *metric)
{
    double pieces[PIECES_MAX];
    int count = compare_pieces(run->result, metric, pieces, PIECES_MAX);
    struct within within;

    if (!within_run(pieces, count, LEVEL, &within))
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:i, s:i, s:f, s:f}", "mean", within.mean, "low", within.low,
                     "high", within.high, "batches", within.batches, "pieces_per_batch",
                     within.joined, "autocorrelation", within.autocorrelation, "effective",
                     within.effective);
}

/* Runs that had not settled, by their own pieces. */
static json_t *unsteady_json(const struct cell *cell)
{
    static const struct metric rate = { .path = "summary.transactions.per_s" };
    json_t *out = json_array();

    for (int i = 0; i < cell->count; i++) {
        double pieces[PIECES_MAX];
        int count = compare_pieces(cell->runs[i]->result, &rate, pieces, PIECES_MAX);
        struct steadiness steady = steady_judge(pieces, count);

        if (steady.judged && !steady.steady)
            json_array_append_new(out, json_pack("{s:s, s:f, s:f, s:s}", "run", cell->runs[i]->path,
                                                 "drift", steady.drift, "p", steady.p, "why",
                                                 steady.why));
    }
    return out;
}

/* What the machine did a query, in the published columns: means over the runs that know. */
static json_t *published_json(const struct cell *cell)
{
    json_t *out = json_object(), *known = json_object(), *value;
    const char *name;

    for (int i = 0; i < cell->count; i++)
        json_object_foreach(store_find(cell->runs[i]->result, "machine.published"), name, value)
        {
            double mean = json_number_value(json_object_get(out, name));
            json_int_t count = json_integer_value(json_object_get(known, name)) + 1;

            if (!json_is_number(value))
                continue;
            mean += (json_number_value(value) - mean) / (double)count;
            json_object_set_new(out, name, json_real(mean));
            json_object_set_new(known, name, json_integer(count));
        }
    json_decref(known);
    if (json_object_size(out) > 0)
        return out;
    json_decref(out);
    return json_null();
}

static json_t *runs_json(const struct cell *cell)
{
    json_t *out = json_array();

    for (int i = 0; i < cell->count; i++)
        json_array_append_new(out, json_pack("{s:s, s:i, s:f}", "run", cell->runs[i]->path, "block",
                                             cell->runs[i]->block, "value", cell->values[i]));
    return out;
}

json_t *compare_cell_json(struct comparison *comparison, const struct cell *cell,
                          const struct metric *metric)
{
    json_t *out = json_object();
    struct trend trend = sample_trend(cell->values, cell->count);

    json_object_set_new(out, "count", json_integer(cell->count));
    if (cell->count == 0)
        return out;
    json_object_set_new(out, "mean", json_real(sample_mean(cell->values, cell->count)));
    json_object_set_new(out, "median", json_real(sample_median(cell->values, cell->count)));
    json_object_set_new(out, "variation",
                        cell->count > 1 ? json_real(sample_variation(cell->values, cell->count))
                                        : json_null());
    json_object_set_new(out, "within",
                        cell->count == 1 ? within_json(cell->runs[0], metric) : json_null());
    json_object_set_new(out, "drift", json_null());
    if (comparison->paired && cell->count >= 3)
        json_object_set_new(out, "drift",
                            json_pack("{s:f, s:f}", "total", trend.total, "p", trend.p));
    json_object_set_new(out, "outliers", outliers_json(comparison, cell));
    json_object_set_new(out, "unsteady", unsteady_json(cell));
    json_object_set_new(out, "published", published_json(cell));
    json_object_set_new(out, "runs", runs_json(cell));
    return out;
}
