/*
 * interval.c - one interval as a line of series.jsonl.
 */
#include "store/latency.h"
#include "store/store.h"
#include "store/values.h"

json_t *store_interval_json(const struct interval *interval, const struct percentiles *percentiles,
                            int64_t start_ns)
{
    int64_t length_ns = interval->end_ns - interval->begin_ns, total = 0;
    json_t *json = json_object(), *transactions = json_object(), *queries = json_object();

    for (int i = 0; i < OUTCOME_COUNT; i++)
        json_object_set_new(transactions, value_outcome_key((enum outcome)i),
                            json_integer(interval->counts.outcome[i]));
    json_object_set_new(transactions, "retried", json_integer(interval->counts.retried));
    json_object_set_new(transactions, "per_s",
                        value_rate_json(interval->counts.outcome[OUTCOME_COMMITTED], length_ns));
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        json_object_set_new(queries, query_kind_names[kind], json_integer(interval->queries[kind]));
        total += interval->queries[kind];
    }
    json_object_set_new(queries, "total", json_integer(total));
    json_object_set_new(queries, "per_s", value_rate_json(total, length_ns));
    json_object_set_new(json, "interval", json_integer(interval->number));
    json_object_set_new(json, "at_s", value_seconds_json(interval->end_ns - start_ns));
    json_object_set_new(json, "seconds", value_seconds_json(length_ns));
    json_object_set_new(json, "phase", json_string(phase_names[interval->phase]));
    json_object_set_new(json, "stalled_lanes", json_integer(interval->stalled_lanes));
    json_object_set_new(json, "transactions", transactions);
    json_object_set_new(json, "queries", queries);
    json_object_set_new(json, "errors", json_integer(interval->errors));
    json_object_set_new(json, "latency_ms", latency_json(interval->all, NULL, percentiles));
    return json;
}
