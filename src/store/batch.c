/*
 * batch.c - see batch.h.
 */
#include "store/batch.h"

#include "store/values.h"

static void batch_join(struct batch *into, const struct batch *from)
{
    into->end_ns = from->end_ns;
    into->done += from->done;
    into->queries += from->queries;
    histogram_merge(into->response, from->response);
}

static void join_neighbours(struct batches *batches)
{
    for (int i = 0; i < BATCHES_MAX / 2; i++) {
        /* Swapped, so that every place keeps a histogram; what list[i] held is joined already. */
        struct batch joined_before;
        batch_join(&batches->list[2 * i], &batches->list[2 * i + 1]);
        joined_before = batches->list[i];
        batches->list[i] = batches->list[2 * i];
        batches->list[2 * i] = joined_before;
    }
    batches->count = BATCHES_MAX / 2;
    batches->span *= 2;
}

/* The next batch, empty, with the histogram that its place has. */
static void begin_batch(struct batches *batches, int64_t begin_ns)
{
    struct batch *batch = &batches->list[batches->count++];

    histogram_reset(batch->response);
    *batch = (struct batch){ .begin_ns = begin_ns, .response = batch->response };
    batches->filled = 0;
}

void batches_open(struct batches *batches)
{
    *batches = (struct batches){ .span = 1 };
    for (int i = 0; i < BATCHES_MAX; i++)
        batches->list[i].response = histogram_new();
}

void batches_add(struct batches *batches, const struct interval *interval)
{
    struct batch *last;

    if (interval->phase != PHASE_MEASURE)
        return;
    if (batches->span == 0)
        batches_open(batches);
    if (batches->count == 0 || batches->filled >= batches->span) {
        if (batches->count == BATCHES_MAX)
            join_neighbours(batches);
        begin_batch(batches, interval->begin_ns);
    }
    last = &batches->list[batches->count - 1];
    last->end_ns = interval->end_ns;
    last->done += interval->counts.outcome[OUTCOME_COMMITTED];
    for (int kind = 0; kind < QUERY_KINDS; kind++)
        last->queries += interval->queries[kind];
    histogram_merge(last->response, interval->all);
    batches->filled++;
}

void batches_close(struct batches *batches)
{
    for (int i = 0; i < BATCHES_MAX; i++)
        histogram_free(batches->list[i].response);
    *batches = (struct batches){ 0 };
}

/* The part of a batch that lies in the window. */
static int64_t inside_ns(const struct batch *batch, int64_t begin_ns, int64_t end_ns)
{
    int64_t from = batch->begin_ns > begin_ns ? batch->begin_ns : begin_ns;
    int64_t to = batch->end_ns < end_ns ? batch->end_ns : end_ns;

    return to > from ? to - from : 0;
}

static const char *const columns[] = { "begin_s",       "seconds", "done",  "per_s",
                                       "queries_per_s", "mean_ms", "p99_ms" };

static void append_row(json_t *json, const struct batch *sum, int64_t begin_ns, int64_t length_ns)
{
    bool some = sum->response->count > 0;
    const struct {
        const char *key;
        json_t *value;
    } cells[] = {
        { "begin_s", value_seconds_json(begin_ns) },
        { "seconds", value_seconds_json(length_ns) },
        { "done", json_integer(sum->done) },
        { "per_s", value_rate_json(sum->done, length_ns) },
        { "queries_per_s", value_rate_json(sum->queries, length_ns) },
        { "mean_ms", some ? value_ms_json(histogram_mean_ns(sum->response)) : json_null() },
        { "p99_ms",
          some ? value_ms_json((double)histogram_percentile_ns(sum->response, 99)) : json_null() },
    };

    for (int i = 0; i < COUNT_OF(cells); i++)
        json_array_append_new(json_object_get(json, cells[i].key), cells[i].value);
}

/* From `first` on, the batches that make one row: enough to be at least half of the longest, and
 * all that remain when those would not be enough for another. Gives the first of the next. */
static int row_end(const struct batches *batches, int first, const int64_t *length_ns,
                   int64_t half_ns)
{
    int64_t row_ns = 0, left_ns = 0;
    int end = first;

    while (end < batches->count && row_ns < half_ns)
        row_ns += length_ns[end++];
    for (int i = end; i < batches->count; i++)
        left_ns += length_ns[i];
    return left_ns < half_ns || left_ns == 0 ? batches->count : end;
}

json_t *batches_json(const struct batches *batches, int64_t begin_ns, int64_t end_ns)
{
    json_t *json = json_object();
    int64_t length_ns[BATCHES_MAX], longest_ns = 0, at_ns = 0;
    int rows = 0;

    json_object_set_new(json, "count", json_integer(0));
    json_object_set_new(json, "intervals_per_batch", json_integer(batches->span));
    for (int i = 0; i < COUNT_OF(columns); i++)
        json_object_set_new(json, columns[i], json_array());
    for (int i = 0; i < batches->count; i++) {
        length_ns[i] = inside_ns(&batches->list[i], begin_ns, end_ns);
        longest_ns = length_ns[i] > longest_ns ? length_ns[i] : longest_ns;
    }
    for (int i = 0; i < batches->count; rows++) {
        struct batch sum = { .response = histogram_new() };
        int end = row_end(batches, i, length_ns, (longest_ns + 1) / 2);
        int64_t row_ns = 0;
        for (; i < end; i++) {
            batch_join(&sum, &batches->list[i]);
            row_ns += length_ns[i];
        }
        append_row(json, &sum, at_ns, row_ns);
        histogram_free(sum.response);
        at_ns += row_ns;
    }
    json_object_set_new(json, "count", json_integer(rows));
    return json;
}
