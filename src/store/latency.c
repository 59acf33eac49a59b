/*
 * latency.c - see latency.h.
 */
#include "store/latency.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "store/values.h"

#define NAME_MAX_BYTES   32
#define AGREE_RATIO      1.01 /* how far apart the two ends of a percentile may be */
#define PERCENTS_MAX     (PERCENTILES_MAX + COUNT_OF(usual))
#define CENSORED_AT_LAST (HISTOGRAM_CELLS - 1)

static const double usual[] = { 50, 75, 90, 95, 99, 99.9, 99.99 };

/* The same transactions twice: censored ones at their age, and beyond everything. */
struct bounds {
    struct histogram *low, *high;
    bool censored;
};

static void bounds_open(struct bounds *bounds, const struct histogram *values,
                        const struct histogram *censored)
{
    *bounds = (struct bounds){ .low = histogram_new(), .high = histogram_new() };
    if (values != NULL) {
        histogram_merge(bounds->low, values);
        histogram_merge(bounds->high, values);
    }
    if (censored == NULL || censored->count == 0)
        return;
    bounds->censored = true;
    histogram_merge(bounds->low, censored);
    bounds->high->count += censored->count;
    bounds->high->cells[CENSORED_AT_LAST] += censored->count;
    bounds->high->max_ns = INT64_MAX;
}

static void bounds_close(struct bounds *bounds)
{
    histogram_free(bounds->low);
    histogram_free(bounds->high);
}

/* The usual percentiles and the asked ones, ascending, none twice. */
static int merge_percents(const struct percentiles *asked, double *out)
{
    int count = 0, i = 0, j = 0, asked_count = asked != NULL ? asked->count : 0;

    while (i < COUNT_OF(usual) || j < asked_count) {
        double next;
        if (j == asked_count || (i < COUNT_OF(usual) && usual[i] <= asked->percent[j]))
            next = usual[i++];
        else
            next = asked->percent[j++];
        if (next < 100 && (count == 0 || next > out[count - 1]))
            out[count++] = next;
    }
    return count;
}

static void mark_at_least(json_t *json, const char *name)
{
    char key[NAME_MAX_BYTES + 16];

    snprintf(key, sizeof key, "%s_at_least", name);
    json_object_set_new(json, key, json_true());
}

static void set_percentile(json_t *json, const struct bounds *bounds, double percent)
{
    char name[NAME_MAX_BYTES];
    int64_t low = histogram_percentile_ns(bounds->low, percent);
    int64_t high = histogram_percentile_ns(bounds->high, percent);

    snprintf(name, sizeof name, "p%.10g", percent);
    json_object_set_new(json, name, value_ms_json((double)low));
    if (bounds->censored && (double)high > (double)low * AGREE_RATIO)
        mark_at_least(json, name);
}

json_t *latency_json(const struct histogram *values, const struct histogram *censored,
                     const struct percentiles *asked)
{
    double percents[PERCENTS_MAX];
    int count = merge_percents(asked, percents);
    json_t *json = json_object();
    bool some = values != NULL && values->count > 0;
    struct bounds bounds;

    bounds_open(&bounds, values, censored);
    json_object_set_new(json, "min", some ? value_ms_json((double)values->min_ns) : json_null());
    json_object_set_new(json, "mean",
                        some ? value_ms_json(histogram_mean_ns(values)) : json_null());
    for (int i = 0; i < count; i++) {
        char name[NAME_MAX_BYTES];
        if (bounds.low->count > 0) {
            set_percentile(json, &bounds, percents[i]);
        } else {
            snprintf(name, sizeof name, "p%.10g", percents[i]);
            json_object_set_new(json, name, json_null());
        }
    }
    json_object_set_new(json, "max",
                        bounds.low->count > 0 ? value_ms_json((double)bounds.low->max_ns)
                                              : json_null());
    if (bounds.censored)
        mark_at_least(json, "max");
    bounds_close(&bounds);
    return json;
}
