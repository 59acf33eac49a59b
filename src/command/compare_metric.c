/*
 * compare_metric.c - which number of a result is compared, and whether more of it is better.
 */
#include <string.h>

#include "base/compiler.h"
#include "command/comparison.h"
#include "store/store.h"

/* Paths of which less is better, whatever comes behind; what is not named is better when larger. */
static const char *const lower_paths[] = {
    "summary.latency_ms.",
    "summary.errors.",
    "summary.transactions.failed",
    "summary.transactions.late",
    "summary.transactions.dropped",
    "summary.transactions.unknown",
    "summary.transactions.unfinished",
    "summary.transactions.retried",
    "connect_ms.",
    "machine.per_query.",
};

static bool lower_is_better(const char *path)
{
    for (int i = 0; i < COUNT_OF(lower_paths); i++)
        if (strncmp(path, lower_paths[i], strlen(lower_paths[i])) == 0)
            return true;
    if (strncmp(path, "machine.published.", 18) == 0)
        return strcmp(path + 18, "o/s") != 0;
    return strstr(path, ".latency_ms.") != NULL;
}

/* Families of which published figures are queries a second. */
static bool known_by_queries(const char *family)
{
    return family != NULL && (strcmp(family, "oltp") == 0);
}

static bool is_open_loop(const json_t *result)
{
    return json_is_object(json_object_get(result, "rate"));
}

/* What the family is known by: its first headline; queries; transactions. In an open loop the rate
 * was given, so it is the response time that tells. */
static struct metric usual(const json_t *result, struct arena *arena)
{
    const json_t *headline = json_array_get(json_object_get(result, "headlines"), 0);
    const char *name = json_string_value(json_object_get(headline, "name"));
    const char *words = json_string_value(json_object_get(headline, "words"));

    if (is_open_loop(result))
        return (struct metric){ .path = "summary.latency_ms.response.p99",
                                .words = "p99 of response, ms",
                                .lower_is_better = true };
    if (name != NULL && words != NULL)
        return (struct metric){ .path = arena_format(arena, "summary.%s", name),
                                .words = arena_text(arena, words) };
    if (known_by_queries(json_string_value(json_object_get(result, "family"))))
        return (struct metric){ .path = "summary.queries.per_s", .words = "queries a second" };
    return (struct metric){ .path = "summary.transactions.per_s",
                            .words = "transactions a second" };
}

struct metric compare_metric(const json_t *result, const struct compare_options *options,
                             struct arena *arena)
{
    struct metric metric;

    if (options->metric == NULL) {
        metric = usual(result, arena);
    } else {
        metric.path = arena_text(arena, options->metric);
        metric.words = metric.path;
        metric.lower_is_better = lower_is_better(metric.path);
    }
    if (options->direction_given)
        metric.lower_is_better = options->lower_is_better;
    return metric;
}

/* ---- the same within the run ---- */

static const char *pieces_of(const json_t *result, const struct metric *metric)
{
    const json_t *headline = json_array_get(json_object_get(result, "headlines"), 0);
    const char *name = json_string_value(json_object_get(headline, "name"));

    if (strcmp(metric->path, "summary.queries.per_s") == 0)
        return "queries_per_s";
    if (strcmp(metric->path, "summary.transactions.per_s") == 0)
        return "per_s";
    if (strcmp(metric->path, "summary.latency_ms.response.mean") == 0)
        return "mean_ms";
    if (strcmp(metric->path, "summary.latency_ms.response.p99") == 0)
        return "p99_ms";
    /* A headline counts some of the transactions, and goes with their number. */
    if (name != NULL && strncmp(metric->path, "summary.", 8) == 0 &&
        strcmp(metric->path + 8, name) == 0)
        return "per_s";
    return NULL;
}

int compare_pieces(json_t *result, const struct metric *metric, double *pieces, int size)
{
    const char *key = pieces_of(result, metric);
    const json_t *list, *value;
    double mean = 0, whole;
    int count = 0;
    size_t index;

    if (key == NULL)
        return 0;
    list = json_object_get(json_object_get(result, "batch_means"), key);
    json_array_foreach(list, index, value)
    {
        if (!json_is_number(value) || count == size)
            return 0;
        pieces[count++] = json_number_value(value);
        mean += json_number_value(value);
    }
    /* In the metric's own unit. A p99 of pieces is not the p99 of the whole, and is left alone. */
    whole = json_number_value(store_find(result, metric->path));
    if (strcmp(key, "per_s") == 0 && mean > 0 && whole > 0)
        for (int i = 0; i < count; i++)
            pieces[i] *= whole / (mean / count);
    return count;
}
