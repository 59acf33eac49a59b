/*
 * compare_reason.c - why one run may have come out unlike the others.
 *
 * Nothing is proved here: what the run has and the others have not is named, so that a reader knows
 * where to look. A run is never left out for it.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/comparison.h"
#include "compare/sample.h"
#include "store/store.h"

#define PIECES_MAX  256
#define FAR_ABOVE   5.0  /* times the others' median: a maximum that is worth a word */
#define STEAL_WORTH 0.05 /* CPUs, above the others' median */
#define WAITS_MORE  0.5  /* average sessions that waited, above the others' median */

static double number_at(json_t *result, const char *path)
{
    return json_number_value(store_find(result, path));
}

/* The median of a number over the other runs. */
static double others(const struct compared_run *const *cell, int count, int odd, const char *path)
{
    double *values = MEMORY_ARRAY(double, count), median;
    int found = 0;

    for (int i = 0; i < count; i++)
        if (i != odd)
            values[found++] = number_at(cell[i]->result, path);
    median = sample_median(values, found);
    memory_free(values);
    return median;
}

static void begin(struct text *out)
{
    text_add(out, out->length > 0 ? "; " : "");
}

/* ---- what happened in it ---- */

static int events_of(const json_t *result, const char *kind)
{
    const json_t *events = json_object_get(result, "events"), *event;
    int count = 0;
    size_t index;

    json_array_foreach(events, index, event)
    {
        const char *here = json_string_value(json_object_get(event, "kind"));
        count += here != NULL && strcmp(here, kind) == 0;
    }
    return count;
}

static void tell_events(struct text *out, const struct compared_run *const *cell, int count,
                        int odd)
{
    static const char *const kinds[] = { "checkpoint", "autovacuum" };

    for (int i = 0; i < COUNT_OF(kinds); i++) {
        int here = events_of(cell[odd]->result, kinds[i]), most = 0;

        for (int j = 0; j < count; j++)
            if (j != odd && events_of(cell[j]->result, kinds[i]) > most)
                most = events_of(cell[j]->result, kinds[i]);
        if (here <= most)
            continue;
        begin(out);
        text_format(out, "%s ran %d times in it, in the others at most %d", kinds[i], here, most);
    }
}

/* Pieces of the window that were at less than half of the run's own median: a stall. */
static void tell_stall(struct text *out, const json_t *result)
{
    const json_t *means = json_object_get(result, "batch_means"), *value;
    double pieces[PIECES_MAX], median, lost = 0, first = -1;
    int count = 0;
    size_t index;

    json_array_foreach(json_object_get(means, "per_s"), index, value) if (count < PIECES_MAX)
        pieces[count++] = json_number_value(value);
    median = sample_median(pieces, count);
    for (int i = 0; i < count; i++) {
        if (pieces[i] >= median / 2)
            continue;
        if (first < 0)
            first = json_number_value(json_array_get(json_object_get(means, "begin_s"), (size_t)i));
        lost += json_number_value(json_array_get(json_object_get(means, "seconds"), (size_t)i));
    }
    if (first < 0)
        return;
    begin(out);
    text_format(out, "for %.3g s, from %.3g s on, it did less than half of its median rate", lost,
                first);
}

static void tell_longest(struct text *out, const struct compared_run *const *cell, int count,
                         int odd)
{
    static const char path[] = "summary.latency_ms.response.max";
    double here = number_at(cell[odd]->result, path), usual = others(cell, count, odd, path);

    if (usual <= 0 || here < FAR_ABOVE * usual)
        return;
    begin(out);
    text_format(out, "its longest transaction took %.4g ms, the others' median is %.4g ms", here,
                usual);
}

static void tell_waits(struct text *out, const struct compared_run *const *cell, int count, int odd)
{
    const json_t *waits = json_object_get(cell[odd]->result, "waits"), *value;
    const char *name, *most = NULL;
    double excess = WAITS_MORE;

    json_object_foreach((json_t *)(uintptr_t)waits, name, value)
    {
        char *path;
        double more;

        if (!json_is_number(value))
            continue;
        path = memory_format("waits.%s", name);
        more = json_number_value(value) - others(cell, count, odd, path);
        memory_free(path);
        if (more > excess) {
            excess = more;
            most = name;
        }
    }
    if (most == NULL)
        return;
    begin(out);
    text_format(out, "%.2g more sessions waited for %s than in the others", excess, most);
}

static void tell_client(struct text *out, const struct compared_run *const *cell, int count,
                        int odd)
{
    static const char steal[] = "machine.whole.steal_s";
    json_t *result = cell[odd]->result;
    double failed = number_at(result, "summary.transactions.failed");

    if (json_is_true(store_find(result, "client.saturated"))) {
        begin(out);
        text_add(out, "the client was saturated");
    }
    if (number_at(result, steal) - others(cell, count, odd, steal) >
        STEAL_WORTH * number_at(result, "machine.seconds")) {
        begin(out);
        text_format(out, "the host kept %.3g s of CPU from this machine", number_at(result, steal));
    }
    if (failed > others(cell, count, odd, "summary.transactions.failed")) {
        begin(out);
        text_format(out, "%.0f of its transactions failed", failed);
    }
}

void compare_reason(struct text *out, const struct compared_run *const *cell, int count, int odd)
{
    tell_client(out, cell, count, odd);
    tell_events(out, cell, count, odd);
    tell_waits(out, cell, count, odd);
    tell_stall(out, cell[odd]->result);
    tell_longest(out, cell, count, odd);
}
