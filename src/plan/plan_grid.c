/*
 * plan_grid.c - reads a plan's workloads: options by their rows, lists as grids, sizes and times by
 * their factors.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/nearest.h"
#include "base/text.h"
#include "plan/option_value.h"
#include "plan/plan.h"
#include "plan/plan_reader.h"

#define ITEMS_MAX           64
#define GRID_NAME_MAX       256
#define WHOLE_HIGH          9e15
#define PERCENTILE_LIST_MAX 1024

/* One key of a workload with the values that it takes. */
struct axis {
    const struct option *row;
    const struct yaml *node;
    const char **values;
    int count;
};

struct grid {
    struct plan_reader *reader;
    const struct yaml *node; /* the workload's mapping */
    struct option_group groups[2];
    int group_count;
    struct axis *axes; /* ITEMS_MAX */
    int axis_count;
    struct plan_file_row base; /* what all its points share */
    bool named;                /* by the plan */
};

static const char *const suite_lengths[PLAN_SUITE_LENGTHS] = { "read-time", "write-time",
                                                               "insert-time", "warm-time" };

/* ---- options ---- */

/* Options of `run` that are not a plan's to say; the sentence says why. */
static const char *refused(const struct option *row)
{
    static const struct {
        const char *name, *why;
    } rows[] = {
        { "results", "the bench keeps its results itself" },
        { "label", "the bench labels its runs itself" },
        { "seed", "all targets of a block have one, drawn from the plan's seed" },
        { "force", "the bench loads what is missing: see restore" },
        { "yes", "there is nothing to answer" },
        { "quiet", "the bench says what there is to say" },
        { "help", "it is no option of a run" },
        { "format", "the bench says what there is to say" },
        { "settings", "settings belong to a target" },
        { "pg-bin", "pg-bin belongs to a target" },
    };

    if (strcmp(row->topic, "target") == 0 || (row->marks & OPTION_SECRET) != 0)
        return "where the server is belongs to a target";
    for (int i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(row->name, rows[i].name) == 0)
            return rows[i].why;
    return NULL;
}

static const char *format_ns(int64_t ns, struct arena *arena)
{
    if (ns % NS_PER_S == 0)
        return arena_format(arena, "%llds", (long long)(ns / NS_PER_S));
    return arena_format(arena, "%lldms", (long long)((ns + NS_PER_MS - 1) / NS_PER_MS));
}

/* The value by its factor, as it would be typed. */
static const char *scaled(const struct plan_reader *reader, const struct option *row,
                          const char *text, const struct option_value *value)
{
    const struct plan_file_source *source = reader->source;
    double number = (double)value->whole;

    if (row->type == OPTION_DURATION && source->time != 1 && value->whole > 0 &&
        (strcmp(row->name, "time") == 0 || strcmp(row->name, "warmup") == 0))
        return format_ns((int64_t)fmax(1e6, number * source->time), reader->arena);
    if ((row->marks & OPTION_SCALES) == 0 || source->scale == 1 || row->type != OPTION_WHOLE ||
        value->whole <= 0)
        return text;
    number = fmin(WHOLE_HIGH, fmax(fmax(row->low, 1), floor(number * source->scale + 0.5)));
    return arena_format(reader->arena, "%lld", (long long)number);
}

/* One value of an option, checked by its row and scaled; NULL: refused. */
static const char *read_option(const struct plan_reader *reader, const struct option *row,
                               const struct yaml *owner, const struct yaml *node)
{
    struct yaml place = *node;
    struct option_value value;
    struct error reason;

    place.key = owner->key;
    if (node->kind != YAML_VALUE || node->text[0] == '\0') {
        plan_wrong(reader, &place, "found %s, wanted is one value%s",
                   yaml_show(node, reader->arena), owner == node ? "" : " in each place of a list");
        return NULL;
    }
    if (!option_parse(row, node->text, &value, &reason)) {
        plan_wrong(reader, &place, "%s", reason.text);
        return NULL;
    }
    return scaled(reader, row, node->text, &value);
}

static const struct option *find_option(const struct grid *grid, const struct yaml *node)
{
    const struct option *row = option_find(grid->groups, grid->group_count, node->key, NULL);
    const char *why = row != NULL ? refused(row) : NULL;

    if (row == NULL || (row->marks & OPTION_HIDDEN) != 0) {
        plan_unknown(grid->reader, node, option_nearest(grid->groups, grid->group_count, node->key),
                     "the options of run and of the workload: see pgdyno run WORKLOAD --help");
        return NULL;
    }
    if (why != NULL) {
        plan_wrong(grid->reader, node, "this is not said here: %s", why);
        return NULL;
    }
    return row;
}

/* ---- one workload ---- */

/* "50, 95, 99" is one value of an option that is a list by itself. */
static bool add_joined(struct grid *grid, struct axis *axis)
{
    struct yaml joined = *axis->node;
    struct text text;

    text_init(&text, PERCENTILE_LIST_MAX);
    for (const struct yaml *one = axis->node->first; one != NULL; one = one->next) {
        if (one->kind != YAML_VALUE || text.length + strlen(one->text) + 2 > PERCENTILE_LIST_MAX) {
            text_close(&text);
            return plan_wrong(grid->reader, axis->node, "wanted are numbers such as 50, 95, 99.9");
        }
        text_format(&text, "%s%s", text.length > 0 ? "," : "", one->text);
    }
    joined.kind = YAML_VALUE;
    joined.text = arena_text(grid->reader->arena, text.bytes);
    text_close(&text);
    axis->values[axis->count++] = read_option(grid->reader, axis->row, axis->node, &joined);
    return axis->values[0] != NULL;
}

static bool read_axis(struct grid *grid, const struct yaml *node)
{
    const struct option *row = find_option(grid, node);
    struct axis *axis = &grid->axes[grid->axis_count];

    if (row == NULL)
        return false;
    if (grid->axis_count == ITEMS_MAX)
        return plan_wrong(grid->reader, node, "wanted are at most %d options", ITEMS_MAX);
    if (node->kind == YAML_LIST && (node->count == 0 || node->count > PLAN_ROWS_MAX))
        return plan_wrong(grid->reader, node, "a list of values needs 1 to %d of them",
                          PLAN_ROWS_MAX);
    for (int i = 0; i < grid->axis_count; i++)
        if (grid->axes[i].row == row)
            return plan_wrong(grid->reader, node, "this is the option %s, which line %d says",
                              row->name, grid->axes[i].node->line);
    *axis =
        (struct axis){ .row = row,
                       .node = node,
                       .values = ARENA_ARRAY(grid->reader->arena, const char *, node->count + 1) };
    grid->axis_count++;
    if (node->kind == YAML_LIST && row->type == OPTION_PERCENTILES)
        return add_joined(grid, axis);
    for (const struct yaml *one = node->kind == YAML_LIST ? node->first : node; one != NULL;
         one = node->kind == YAML_LIST ? one->next : NULL) {
        axis->values[axis->count] = read_option(grid->reader, row, node, one);
        if (axis->values[axis->count++] == NULL)
            return false;
    }
    return true;
}

static bool read_length(struct grid *grid, const struct yaml *node, int64_t *ns)
{
    if (node->kind != YAML_VALUE || !option_read_duration(node->text, ns) || *ns <= 0)
        return plan_wrong(grid->reader, node, "found %s, wanted is a time such as 60s or 10min",
                          yaml_show(node, grid->reader->arena));
    *ns = (int64_t)fmax(1e6, (double)*ns * grid->reader->source->time);
    return true;
}

static bool is_key(const struct yaml *node, const char *key)
{
    return nearest_distance(node->key, key) == 0;
}

/* The keys that are no options. False with `*known` false: it is an option. */
static bool read_own_key(struct grid *grid, const struct yaml *node, bool *known)
{
    *known = true;
    if (is_key(node, "workload") || is_key(node, "suite"))
        return true;
    if (is_key(node, "name")) {
        grid->named = true;
        grid->base.name = plan_value(grid->reader, node, "a name");
        if (grid->base.name == NULL)
            return false;
        return plan_is_name(grid->base.name) ||
               plan_wrong(grid->reader, node,
                          "found %s, wanted are letters, digits, dots, "
                          "underscores and dashes",
                          yaml_show(node, grid->reader->arena));
    }
    for (int i = 0; i < PLAN_SUITE_LENGTHS && grid->base.suite != NULL; i++)
        if (is_key(node, suite_lengths[i]))
            return read_length(grid, node, &grid->base.suite_ns[i]);
    *known = false;
    return true;
}

static bool read_entries(struct grid *grid)
{
    for (const struct yaml *node = grid->node->first; node != NULL; node = node->next) {
        bool known;
        if (!read_own_key(grid, node, &known) || (!known && !read_axis(grid, node)))
            return false;
    }
    return true;
}

/* ---- its points ---- */

static bool is_taken(const struct plan_reader *reader, const char *name)
{
    for (int i = 0; i < reader->out->row_count; i++)
        if (strcmp(reader->out->rows[i].name, name) == 0)
            return true;
    return false;
}

/* The workload's name, with the values by which the points of a grid differ. */
static const char *point_name(const struct grid *grid, const int *at)
{
    const struct plan_file_row *base = &grid->base;
    struct text text;
    const char *name;

    text_init(&text, YAML_BYTES_MAX);
    text_add(&text, base->name != NULL       ? base->name
                    : base->workload != NULL ? base->workload
                                             : base->suite);
    for (int i = 0; i < grid->axis_count; i++)
        if (grid->axes[i].count > 1)
            text_format(&text, " %s=%.60s", grid->axes[i].row->name, grid->axes[i].values[at[i]]);
    if (text.length > GRID_NAME_MAX) {
        text.bytes[GRID_NAME_MAX] = '\0';
        text.length = GRID_NAME_MAX;
    }
    name = arena_text(grid->reader->arena, text.bytes);
    text_close(&text);
    return name;
}

static bool add_point(struct grid *grid, const int *at)
{
    struct plan_reader *reader = grid->reader;
    struct plan_file_row *row;
    struct plan_item *items = ARENA_ARRAY(reader->arena, struct plan_item, grid->axis_count + 1);
    const char *name = point_name(grid, at);

    if (is_taken(reader, name))
        return plan_wrong(reader, grid->node,
                          "there is another workload called %s: give it a name of its own "
                          "(name: ...)",
                          name);
    if (reader->out->row_count == PLAN_ROWS_MAX)
        return plan_wrong(reader, grid->node, "these are more than %d workloads, grids counted out",
                          PLAN_ROWS_MAX);
    for (int i = 0; i < grid->axis_count; i++)
        items[i] = (struct plan_item){ .key = grid->axes[i].row->name,
                                       .value = grid->axes[i].values[at[i]],
                                       .row = grid->axes[i].row };
    /* The array has room for all from the start: see plan_read_rows(). */
    row = &reader->out->rows[reader->out->row_count++];
    *row = grid->base;
    row->name = name;
    row->items = items;
    row->item_count = grid->axis_count;
    return true;
}

static bool add_points(struct grid *grid)
{
    int at[ITEMS_MAX + 1] = { 0 }, axis;

    for (;;) {
        if (!add_point(grid, at))
            return false;
        /* As a counter does: the last key of the file changes first. */
        for (axis = grid->axis_count - 1; axis >= 0 && ++at[axis] == grid->axes[axis].count; axis--)
            at[axis] = 0;
        if (axis < 0)
            return true;
    }
}

/* ---- the list ---- */

static bool find_suite(struct grid *grid, const struct yaml *node, const char **workload)
{
    const struct plan_words *words = grid->reader->source->words;
    struct nearest nearest = { .wanted = node->kind == YAML_VALUE ? node->text : "" };
    int at = 0;

    for (; words->suites[at] != NULL; at++) {
        nearest_offer(&nearest, words->suites[at]);
        if (node->kind == YAML_VALUE && strcmp(words->suites[at], node->text) == 0)
            break;
    }
    if (words->suites[at] == NULL)
        return plan_wrong(grid->reader, node, "found %s, wanted is a suite: %s",
                          yaml_show(node, grid->reader->arena),
                          words->suites[0] != NULL ? words->suites[0] : "there is none");
    grid->base.suite = words->suites[at];
    *workload = words->suite_workloads[at];
    return true;
}

static bool find_groups(struct grid *grid)
{
    const struct plan_reader *reader = grid->reader;
    const struct yaml *node = yaml_find(grid->node, "workload");
    const struct yaml *suite = yaml_find(grid->node, "suite");
    const struct yaml *compat = yaml_find(grid->node, "compat");
    const char *workload = NULL, *near;
    const struct option *rows = NULL;

    if ((node == NULL) == (suite == NULL))
        return plan_wrong(reader, node != NULL ? node : grid->node,
                          "wanted is one of workload and suite");
    if (suite != NULL && !find_suite(grid, suite, &workload))
        return false;
    if (suite == NULL) {
        workload = plan_value(reader, node, "the name of a workload: see pgdyno list");
        if (workload == NULL)
            return false;
        grid->base.workload = workload;
    }
    if (!reader->source->words->options(
            workload, compat != NULL && compat->kind == YAML_VALUE ? compat->text : NULL, &rows)) {
        near = reader->source->words->nearest(workload);
        return plan_wrong(reader, node != NULL ? node : suite,
                          "found %s, which is no workload: %s%s%s",
                          yaml_show(node != NULL ? node : suite, reader->arena),
                          near != NULL ? "did you mean " : "pgdyno list shows them",
                          near != NULL ? near : "", near != NULL ? "?" : "");
    }
    grid->groups[grid->group_count++] = (struct option_group){ .rows = plan_options };
    if (rows != NULL)
        grid->groups[grid->group_count++] = (struct option_group){ .rows = rows };
    return true;
}

static bool read_row(struct plan_reader *reader, const struct yaml *node)
{
    struct grid grid = { .reader = reader, .node = node };

    if (node->kind != YAML_MAP)
        return plan_wrong(reader, node, "found %s, wanted is {workload: NAME, ...}",
                          yaml_show(node, reader->arena));
    grid.base.place = (struct plan_place){ node->line, node->column };
    for (int i = 0; i < PLAN_SUITE_LENGTHS; i++)
        grid.base.suite_ns[i] = -1;
    grid.axes = ARENA_ARRAY(reader->arena, struct axis, ITEMS_MAX + 1);
    return find_groups(&grid) && read_entries(&grid) && add_points(&grid);
}

bool plan_read_rows(struct plan_reader *reader, const struct yaml *list)
{
    if (list->kind != YAML_LIST || list->count == 0 || list->count > PLAN_ROWS_MAX)
        return plan_wrong(reader, list, "found %s, wanted is a list of 1 to %d workloads",
                          yaml_show(list, reader->arena), PLAN_ROWS_MAX);
    reader->out->rows = ARENA_ARRAY(reader->arena, struct plan_file_row, PLAN_ROWS_MAX);
    for (const struct yaml *node = list->first; node != NULL; node = node->next)
        if (!read_row(reader, node))
            return false;
    return true;
}

bool plan_read_load(struct plan_reader *reader, const struct yaml *map)
{
    struct grid grid = { .reader = reader, .node = map };
    struct plan_item *items;

    if (map->kind != YAML_MAP || map->count > ITEMS_MAX)
        return plan_wrong(reader, map, "found %s, wanted is a mapping such as {connections: 4}",
                          yaml_show(map, reader->arena));
    grid.groups[grid.group_count++] = (struct option_group){ .rows = plan_options };
    items = ARENA_ARRAY(reader->arena, struct plan_item, map->count + 1);
    reader->out->load = items;
    for (const struct yaml *node = map->first; node != NULL; node = node->next) {
        const struct option *row = find_option(&grid, node);
        const char *value = row != NULL ? read_option(reader, row, node, node) : NULL;
        if (value == NULL)
            return false;
        items[reader->out->load_count++] =
            (struct plan_item){ .key = row->name, .value = value, .row = row };
    }
    return true;
}
