/*
 * compare_tree.c - a comparison as one JSON tree; every figure that is printed is made here.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/comparison.h"
#include "compare/sample.h"
#include "store/store.h"

#define COMPARISON_SCHEMA 1
#define LEVEL             0.05
#define DRIFT_LEVEL       0.01 /* many are looked at, so 5 % would cry wolf */
#define DRIFT_WORTH       0.02
#define NAMES_MAX         2000
#define SEED              1 /* of what is too much to enumerate: the same p every time */

/* The table of cells and all verdicts over it. */
struct judged {
    struct cell *cells;     /* row * COMPARE_COLUMNS_MAX + column; the arena's */
    struct metric *metrics; /* a row */
    struct verdict_rules *rules;
    struct ratio *ratios;
    struct finding *findings;
    int *place; /* of a cell's test among the ratios, -1: none */
    int count;
};

/* ---- values ---- */

static const struct compared_run *first_of(const struct comparison *comparison, int row)
{
    for (int i = 0; i < comparison->run_count; i++)
        if (comparison->runs[i].row == row)
            return &comparison->runs[i];
    return NULL;
}

static int read_values(struct comparison *comparison, const struct compare_options *options,
                       struct metric *metrics)
{
    int found = 0;

    for (int row = 0; row < comparison->row_count; row++) {
        const struct compared_run *first = first_of(comparison, row);
        if (first != NULL)
            metrics[row] = compare_metric(first->result, options, comparison->arena);
    }
    for (int i = 0; i < comparison->run_count; i++) {
        struct compared_run *run = &comparison->runs[i];
        const json_t *value = store_find(run->result, metrics[run->row].path);

        run->value = json_is_number(value) ? json_number_value(value) : 0;
        found += json_is_number(value);
    }
    return found;
}

/* ---- this machine's resolution ---- */

static const char *workload_of(const struct comparison *comparison, int row)
{
    const struct compared_run *first = first_of(comparison, row);
    const char *name =
        first != NULL ? json_string_value(json_object_get(first->result, "workload")) : NULL;

    return name != NULL ? name : "";
}

static const char *family_of(const struct comparison *comparison, int row)
{
    const struct compared_run *first = first_of(comparison, row);

    return first != NULL ? json_string_value(json_object_get(first->result, "family")) : NULL;
}

/* The host on which all runs of the row were made, or NULL. */
static const char *host_of(const struct comparison *comparison, int row)
{
    const char *host = NULL;

    for (int i = 0; i < comparison->run_count; i++) {
        const char *here;

        if (comparison->runs[i].row != row)
            continue;
        here = json_string_value(store_find(comparison->runs[i].result, "host.hostname"));
        if (here == NULL || (host != NULL && strcmp(host, here) != 0))
            return NULL;
        host = here;
    }
    return host;
}

static bool is_time(const char *path)
{
    return strstr(path, "_ms") != NULL;
}

/* What is asked for, or what the machine can tell at best. */
static double threshold_of(struct comparison *comparison, int row, const char *path, double asked)
{
    const char *host = host_of(comparison, row), *family = family_of(comparison, row);
    json_t *found = host != NULL && family != NULL ? resolution_find(host, family) : NULL;
    const char *of = json_string_value(json_object_get(found, "metric"));
    double half_width = json_number_value(json_object_get(found, "half_width"));

    /* How well throughput repeats says nothing of a p99, nor the other way round. */
    if (of != NULL && path != NULL && is_time(of) != is_time(path))
        half_width = 0;
    if (half_width > asked)
        comparison_note(comparison,
                        "%s tells %.1f %% at best for %s (pgdyno aa): smaller differences are not "
                        "claimed",
                        host, 100 * half_width, family);
    json_decref(found);
    return half_width > asked ? fmin(half_width, 0.99) : asked;
}

/* ---- ratios and verdicts ---- */

static struct ratio ratio_of(const struct comparison *comparison, const struct cell *base,
                             const struct cell *head)
{
    int size = base->count < head->count ? base->count : head->count;
    double *values = MEMORY_ARRAY(double, 2 * size + 1);
    int count = comparison->paired ? compare_pair(base, head, values, values + size) : 0;
    struct ratio ratio;

    if (count > 0)
        ratio = ratio_of_blocks(values, values + size, count, SEED);
    else
        ratio = ratio_of_groups(base->values, base->count, head->values, head->count, SEED);
    memory_free(values);
    return ratio;
}

static void judge(struct comparison *comparison, const struct compare_options *options,
                  struct judged *judged)
{
    for (int row = 0; row < comparison->row_count; row++) {
        double threshold =
            threshold_of(comparison, row, judged->metrics[row].path, options->threshold / 100);

        for (int column = 0; column < comparison->column_count; column++) {
            int at = row * COMPARE_COLUMNS_MAX + column;

            judged->place[at] = -1;
            judged->cells[at] = compare_cell(comparison, row, column);
            if (column == 0 || judged->cells[at].count == 0 ||
                judged->cells[row * COMPARE_COLUMNS_MAX].count == 0)
                continue;
            judged->place[at] = judged->count;
            judged->rules[judged->count] =
                (struct verdict_rules){ .threshold = threshold,
                                        .level = LEVEL,
                                        .lower_is_better = judged->metrics[row].lower_is_better };
            judged->ratios[judged->count++] =
                ratio_of(comparison, &judged->cells[row * COMPARE_COLUMNS_MAX], &judged->cells[at]);
        }
    }
    verdicts(judged->ratios, judged->rules, judged->count, judged->findings);
}

/* What of the machine a query took, head over base. */
static json_t *published_ratio(const json_t *base, const json_t *head)
{
    json_t *out = json_object(), *value;
    const char *name;

    json_object_foreach((json_t *)(uintptr_t)head, name, value)
    {
        double under = json_number_value(json_object_get(base, name));
        double over = json_number_value(value);

        if (json_object_get(base, name) == NULL || (under == 0 && over != 0))
            continue; /* infinity has no JSON */
        json_object_set_new(out, name, json_real(under == 0 ? 1 : over / under));
    }
    return out;
}

static const char *mark_of(enum verdict verdict)
{
    static const char *const marks[] = {
        [VERDICT_NONE] = ".",   [VERDICT_CANNOT_TELL] = "?", [VERDICT_SAME] = "=",
        [VERDICT_FASTER] = "+", [VERDICT_SLOWER] = "-",
    };
    return marks[verdict];
}

static json_t *ratio_json(const struct ratio *ratio, const struct finding *finding)
{
    bool interval = finding->verdict != VERDICT_NONE;
    json_t *out = json_pack("{s:f, s:n, s:n, s:b, s:i, s:i, s:s, s:s}", "value",
                            exp(ratio->log_mean), "low", "high", "paired", ratio->paired,
                            "base_count", ratio->base_count, "count", ratio->head_count, "verdict",
                            verdict_word(finding->verdict), "mark", mark_of(finding->verdict));

    if (interval) {
        json_object_set_new(out, "low", json_real(finding->low));
        json_object_set_new(out, "high", json_real(finding->high));
        json_object_set_new(out, "p", json_real(finding->p));
        json_object_set_new(out, "p_held", json_real(finding->p_held));
        json_object_set_new(out, "permutation_p", json_real(ratio->permutation_p));
    }
    if (finding->verdict == VERDICT_CANNOT_TELL)
        json_object_set_new(out, "further",
                            finding->further > FURTHER_MAX ? json_null()
                                                           : json_integer(finding->further));
    return out;
}

/* ---- what should be known of the runs ---- */

static void note_drift(struct comparison *comparison, const struct cell *cell, const char *side,
                       const char *row)
{
    struct trend trend = sample_trend(cell->values, cell->count);

    if (!comparison->paired || cell->count < BLOCKS_FOR_A_CLAIM || trend.p > DRIFT_LEVEL ||
        fabs(trend.total) < DRIFT_WORTH)
        return;
    comparison_note(comparison, "%s, %s: drifts by %+.1f %% over the blocks (p %.2g)", row, side,
                    100 * trend.total, trend.p);
}

static void note_cell(struct comparison *comparison, const json_t *cell, const char *side,
                      const char *row)
{
    const json_t *list = json_object_get(cell, "outliers"), *one;
    size_t unsteady = json_array_size(json_object_get(cell, "unsteady")), index;

    json_array_foreach(list, index, one)
    {
        comparison_note(comparison,
                        "%s, %s: %s is an outlier, %.2f of the median, and is counted all the "
                        "same: %s",
                        row, side, json_string_value(json_object_get(one, "run")),
                        json_number_value(json_object_get(one, "of_median")),
                        json_string_value(json_object_get(one, "why")));
    }
    if (unsteady > 0) {
        one = json_array_get(json_object_get(cell, "unsteady"), 0);
        comparison_note(
            comparison, "%s, %s: %zu of %lld runs had not settled; the first: %s (%+.1f %%)", row,
            side, unsteady, (long long)json_integer_value(json_object_get(cell, "count")),
            json_string_value(json_object_get(one, "why")),
            100 * json_number_value(json_object_get(one, "drift")));
    }
}

/* ---- the tree ---- */

/* The median of what the intervals are wide, half of it as a share; null when none has one. */
static json_t *half_width_json(const struct judged *judged)
{
    double *widths = MEMORY_ARRAY(double, judged->count + 1);
    json_t *out;
    int count = 0;

    for (int i = 0; i < judged->count; i++)
        if (judged->findings[i].verdict != VERDICT_NONE)
            widths[count++] = ratio_half_width(&judged->ratios[i], LEVEL);
    out = count > 0 ? json_real(sample_median(widths, count)) : json_null();
    memory_free(widths);
    return out;
}

static json_t *cells_json(struct comparison *comparison, const struct judged *judged, int row)
{
    json_t *out = json_array();

    for (int column = 0; column < comparison->column_count; column++) {
        int at = row * COMPARE_COLUMNS_MAX + column, place = judged->place[at];
        const struct cell *cell = &judged->cells[at];
        json_t *json = compare_cell_json(comparison, cell, &judged->metrics[row]);

        if (place >= 0) {
            const json_t *base = json_object_get(json_array_get(out, 0), "published");
            const json_t *own = json_object_get(json, "published");

            json_object_set_new(json, "ratio",
                                ratio_json(&judged->ratios[place], &judged->findings[place]));
            json_object_set_new(json, "published_ratio",
                                json_is_object(base) && json_is_object(own)
                                    ? published_ratio(base, own)
                                    : json_null());
        }
        note_cell(comparison, json, comparison->columns[column], comparison->rows[row]);
        note_drift(comparison, cell, comparison->columns[column], comparison->rows[row]);
        json_array_append_new(out, json);
    }
    return out;
}

static json_t *rows_json(struct comparison *comparison, const struct compare_options *options,
                         const struct judged *judged)
{
    json_t *out = json_array();

    for (int row = 0; row < comparison->row_count; row++) {
        const struct metric *metric = &judged->metrics[row];
        const char *family = family_of(comparison, row), *name = comparison->rows[row];
        double threshold = options->threshold / 100;

        for (int column = 0; column < comparison->column_count; column++) {
            int place = judged->place[row * COMPARE_COLUMNS_MAX + column];
            threshold = place >= 0 ? judged->rules[place].threshold : threshold;
        }
        json_array_append_new(
            out, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:b, s:f, s:o}", "name", name,
                           "workload", workload_of(comparison, row), "family", family, "group",
                           compare_group(workload_of(comparison, row)), "metric", metric->path,
                           "words", metric->words, "lower_is_better", metric->lower_is_better,
                           "threshold", threshold, "cells", cells_json(comparison, judged, row)));
    }
    return out;
}

static json_t *names_json(const char *const *names, int count)
{
    json_t *out = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(out, json_string(names[i]));
    return out;
}

/* How many blocks the widest row has; 0 without blocks. */
static int blocks_of(const struct comparison *comparison)
{
    int least = 0, most = -1;

    for (int i = 0; i < comparison->run_count && comparison->paired; i++) {
        int block = comparison->runs[i].block;
        least = most < 0 || block < least ? block : least;
        most = block > most ? block : most;
    }
    return most < 0 ? 0 : most - least + 1;
}

static struct judged judged_new(struct comparison *comparison)
{
    struct arena *arena = comparison->arena;
    int size = (comparison->row_count + 1) * COMPARE_COLUMNS_MAX;

    return (struct judged){ .cells = ARENA_ARRAY(arena, struct cell, size),
                            .metrics = ARENA_ARRAY(arena, struct metric, comparison->row_count + 1),
                            .rules = ARENA_ARRAY(arena, struct verdict_rules, size),
                            .ratios = ARENA_ARRAY(arena, struct ratio, size),
                            .findings = ARENA_ARRAY(arena, struct finding, size),
                            .place = ARENA_ARRAY(arena, int, size) };
}

static void tell_nothing_common(const struct comparison *comparison, struct error *err)
{
    const char *base = "nothing", *head = "nothing";

    for (int i = comparison->run_count - 1; i >= 0; i--) {
        const struct compared_run *run = &comparison->runs[i];
        *(run->column == 0 ? &base : &head) = comparison->rows[run->row];
    }
    error_set(err, ERROR_INCOMPARABLE,
              "not comparable: no workload was run on the base (%s, ...) and on another side as "
              "well (%s, ...)",
              base, head);
}

json_t *compare_tree(struct comparison *comparison, const struct compare_options *options,
                     const json_t *differences, struct error *err)
{
    struct judged judged = judged_new(comparison);
    json_t *rows, *tree;

    if (read_values(comparison, options, judged.metrics) == 0) {
        error_set(err, ERROR_USAGE, "no result has a number at %s",
                  options->metric != NULL ? options->metric : "the usual metric");
        return NULL;
    }
    judge(comparison, options, &judged);
    if (judged.count == 0) {
        tell_nothing_common(comparison, err);
        return NULL;
    }
    rows = rows_json(comparison, options, &judged);
    tree = json_pack("{s:i, s:{s:s, s:s}, s:s?, s:b, s:i, s:f, s:i, s:o, s:O}", "schema",
                     COMPARISON_SCHEMA, "tool", "name", "pgdyno", "version", PGDYNO_VERSION, "name",
                     comparison->name, "paired", comparison->paired, "blocks",
                     blocks_of(comparison), "level", LEVEL, "tests", judged.count, "columns",
                     names_json(comparison->columns, comparison->column_count), "differences",
                     (json_t *)(uintptr_t)differences);
    json_object_set_new(tree, "groups", compare_groups_json(comparison, rows, judged.cells));
    json_object_set_new(tree, "rows", rows);
    json_object_set_new(tree, "half_width", half_width_json(&judged));
    json_object_set(tree, "notes", comparison->notes);
    return tree;
}

/* ---- --fail-if ---- */

const char *compare_failed(const json_t *tree, int fail_if, struct arena *arena)
{
    const json_t *rows = json_object_get(tree, "rows"), *row, *cell;
    const char *found = NULL;
    size_t index, column;

    json_array_foreach(rows, index, row)
    {
        const json_t *cells = json_object_get(row, "cells");

        json_array_foreach(cells, column, cell)
        {
            const char *verdict =
                json_string_value(json_object_get(json_object_get(cell, "ratio"), "verdict"));
            const char *name = json_string_value(json_object_get(row, "name"));

            if (verdict == NULL || fail_if == FAIL_NEVER ||
                strcmp(verdict, verdict_word(VERDICT_SLOWER)) != 0)
                continue;
            found = found == NULL ? name : arena_format(arena, "%s, %s", found, name);
            break;
        }
    }
    return found;
}
