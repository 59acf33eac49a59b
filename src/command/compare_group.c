/*
 * compare_group.c - the four tables in which the microbenchmarks are published, by the rules of
 * their names (docs/sysbench.md), and the geometric mean of each.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "command/comparison.h"

#define MICRO "micro/"

static bool has(const char *words, const char *part)
{
    return strstr(words, part) != NULL;
}

const char *compare_group(const char *workload)
{
    const char *row = workload + strlen(MICRO);

    if (strncmp(workload, MICRO, strlen(MICRO)) != 0)
        return NULL;
    if (has(row, "point"))
        return "point queries";
    if (has(row, "delete") || has(row, "insert") || has(row, "update") || has(row, "write"))
        return "writes";
    if (has(row, "range-covered") || has(row, "range-notcovered") || has(row, "scan"))
        return "range queries without aggregation";
    return "range queries with aggregation";
}

/* Of one column, the cells of a group's rows, base and head one behind the other. */
struct members {
    const char *group; /* NULL: rows that are in none */
    int column;
    /* who they are: */
    const struct cell *pairs[COMPARE_ROWS_MAX][2];
    bool lower[COMPARE_ROWS_MAX];
    int count;
};

/* A row takes part as speed: where less is better its ratio is turned. */
static struct ratio ratio_of(const struct comparison *comparison, const struct cell *base,
                             const struct cell *head, bool lower)
{
    const struct cell *first = lower ? head : base, *second = lower ? base : head;
    int size = base->count < head->count ? base->count : head->count;
    double *values = MEMORY_ARRAY(double, 2 * size + 1);
    int count = comparison->paired ? compare_pair(first, second, values, values + size) : 0;
    struct ratio ratio;

    if (count > 0)
        ratio = ratio_of_blocks(values, values + size, count, 1);
    else
        ratio = ratio_of_groups(first->values, first->count, second->values, second->count, 1);
    memory_free(values);
    return ratio;
}

/* The blocks' own geometric means, when all members have the same blocks. False: they have not. */
static bool by_blocks(const struct members *members, struct ratio *ratio)
{
    int count = members->pairs[0][0]->count;
    double *sums = MEMORY_ARRAY(double, 2 * count + 1);
    double *values = MEMORY_ARRAY(double, 2 * count + 1);
    bool same = count > 0;

    for (int i = 0; i < members->count && same; i++) {
        const struct cell *base = members->pairs[i][0], *head = members->pairs[i][1];

        same = base->count == count && head->count == count &&
               compare_pair(base, head, values, values + count) == count;
        for (int block = 0; block < count && same; block++) {
            double log_ratio = log(values[count + block] / values[block]);
            sums[block] += (members->lower[i] ? -log_ratio : log_ratio) / members->count;
        }
    }
    for (int block = 0; block < count; block++) {
        values[block] = 1;
        values[count + block] = exp(sums[block]);
    }
    if (same)
        *ratio = ratio_of_blocks(values, values + count, count, 1);
    memory_free(sums);
    memory_free(values);
    return same;
}

static json_t *mean_json(const struct comparison *comparison, const struct members *members,
                         double level)
{
    struct ratio *ratios = MEMORY_ARRAY(struct ratio, members->count + 1), group;
    double low, high;
    json_t *out;

    if (!comparison->paired || !by_blocks(members, &group)) {
        for (int i = 0; i < members->count; i++)
            ratios[i] =
                ratio_of(comparison, members->pairs[i][0], members->pairs[i][1], members->lower[i]);
        group = ratio_of_group(ratios, members->count);
    }
    memory_free(ratios);
    out = json_pack("{s:i, s:f, s:n, s:n}", "rows", members->count, "value", exp(group.log_mean),
                    "low", "high");
    if (ratio_interval(&group, level, &low, &high)) {
        json_object_set_new(out, "low", json_real(low));
        json_object_set_new(out, "high", json_real(high));
    }
    return out;
}

static bool is_in(const char *here, const char *group)
{
    return here == NULL || group == NULL ? here == group : strcmp(here, group) == 0;
}

/* The rows of the group that both sides have. */
static void find_members(const struct comparison *comparison, const json_t *rows,
                         const struct cell *cells, struct members *members)
{
    members->count = 0;
    for (int row = 0; row < comparison->row_count; row++) {
        const json_t *about = json_array_get(rows, (size_t)row);
        const char *here = json_string_value(json_object_get(about, "group"));
        const struct cell *line = &cells[row * COMPARE_COLUMNS_MAX];

        if (line[0].count == 0 || line[members->column].count == 0 || !is_in(here, members->group))
            continue;
        members->pairs[members->count][0] = &line[0];
        members->pairs[members->count][1] = &line[members->column];
        members->lower[members->count++] = json_is_true(json_object_get(about, "lower_is_better"));
    }
}

static void add_group(struct comparison *comparison, const json_t *rows, const struct cell *cells,
                      const char *group, json_t *out)
{
    struct members *members = MEMORY_NEW(struct members);
    json_t *columns = json_array();
    bool several = false;

    for (int column = 1; column < comparison->column_count; column++) {
        members->group = group;
        members->column = column;
        find_members(comparison, rows, cells, members);
        several = several || members->count > 1;
        json_array_append_new(columns, members->count > 0 ? mean_json(comparison, members, 0.05)
                                                          : json_null());
    }
    /* One row is its own mean. */
    if (several)
        json_array_append_new(out, json_pack("{s:s?, s:o}", "group", group, "columns", columns));
    else
        json_decref(columns);
    memory_free(members);
}

json_t *compare_groups_json(struct comparison *comparison, const json_t *rows,
                            const struct cell *cells)
{
    static const char *const groups[] = { "point queries", "range queries without aggregation",
                                          "range queries with aggregation", "writes", NULL };
    json_t *out = json_array();

    for (int i = 0; i < COUNT_OF(groups); i++)
        add_group(comparison, rows, cells, groups[i], out);
    return out;
}
