/*
 * result.c - a finished run as a tree: what result.json says (docs/result.md lists every key).
 *
 * Everything that later readers need is computed here, once: reports and comparisons take numbers
 * from the tree and make none. Counts are whole numbers, times are in the unit that their key ends
 * with, and what there is no value for is null.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/folder.h"
#include "store/latency.h"
#include "store/store.h"
#include "store/values.h"

#define BOOKS_WHY_MAX 1024

static const char closed_loop_note[] = "closed loop: not corrected for coordinated omission";
static const char population_note[] =
    "response times are of committed and rolled back transactions";
static const char censored_note[] =
    "some transactions were dropped or unfinished: percentiles marked 'at least' fall among them";

static int64_t at_least_zero(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static int64_t phase_ns(const struct store_run *run, enum phase phase)
{
    int64_t warmed_ns = run->measure_begin_ns > 0 ? run->measure_begin_ns : run->drained_ns;

    if (phase == PHASE_WARMUP)
        return at_least_zero(warmed_ns - run->start_ns);
    return at_least_zero(run->measure_end_ns - run->measure_begin_ns);
}

/* ---- counts ---- */

static json_t *counts_json(const struct counts *counts, int64_t ns)
{
    json_t *json = json_object();

    json_object_set_new(json, "scheduled", json_integer(counts->scheduled));
    for (int i = 0; i < OUTCOME_COUNT; i++)
        json_object_set_new(json, value_outcome_key((enum outcome)i),
                            json_integer(counts->outcome[i]));
    json_object_set_new(json, "attempts", json_integer(counts->attempts));
    json_object_set_new(json, "retried", json_integer(counts->retried));
    json_object_set_new(json, "late", json_integer(counts->late));
    json_object_set_new(json, "per_s", value_rate_json(counts->outcome[OUTCOME_COMMITTED], ns));
    return json;
}

static json_t *queries_json(const int64_t *queries, int64_t ns)
{
    json_t *json = json_object();
    int64_t total = 0;

    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        json_object_set_new(json, query_kind_names[kind], json_integer(queries[kind]));
        total += queries[kind];
    }
    json_object_set_new(json, "total", json_integer(total));
    json_object_set_new(json, "per_s", value_rate_json(total, ns));
    return json;
}

static json_t *error_counts_json(const struct phase_totals *totals)
{
    json_t *json = json_object();

    for (int i = 0; i < totals->error_count; i++)
        json_object_set_new(json, totals->errors[i].code, json_integer(totals->errors[i].count));
    return json;
}

/* ---- times ---- */

static json_t *censored_json(const struct histogram *censored)
{
    bool some = censored != NULL && censored->count > 0;
    json_t *json = json_object();

    json_object_set_new(json, "count", json_integer(some ? censored->count : 0));
    json_object_set_new(json, "max_ms",
                        some ? value_ms_json((double)censored->max_ns) : json_null());
    return json;
}

/* Response, service and queue. In a closed loop a transaction is sent when it is scheduled, so that
 * service is response and queue is 0 by definition, whatever the recorder kept. */
static json_t *times_json(const struct transaction_totals *totals, const struct store_run *run)
{
    bool open_loop = recorder_layout(run->recorder)->open_loop;
    json_t *json = json_object();
    json_t *response = latency_json(totals->response, totals->censored, run->percentiles);

    json_object_set_new(json, "response", response);
    if (open_loop) {
        json_object_set_new(json, "service", latency_json(totals->service, NULL, run->percentiles));
        json_object_set_new(json, "queue", latency_json(totals->queue, NULL, run->percentiles));
    } else {
        struct histogram *zero = histogram_new();
        if (totals->response->count > 0)
            histogram_record(zero, 0);
        json_object_set_new(json, "service", json_deep_copy(response));
        json_object_set_new(json, "queue", latency_json(zero, NULL, run->percentiles));
        histogram_free(zero);
    }
    json_object_set_new(json, "censored", censored_json(totals->censored));
    return json;
}

static void merge_into(struct histogram *into, const struct histogram *from)
{
    if (from != NULL)
        histogram_merge(into, from);
}

/* All transactions of a phase as one. */
static json_t *all_times_json(const struct phase_totals *totals, const struct store_run *run)
{
    struct transaction_totals all = { .counts = totals->all,
                                      .response = histogram_new(),
                                      .service = histogram_new(),
                                      .queue = histogram_new(),
                                      .censored = histogram_new() };
    json_t *json;

    for (int i = 0; i < recorder_layout(run->recorder)->transaction_count; i++) {
        merge_into(all.response, totals->transactions[i].response);
        merge_into(all.service, totals->transactions[i].service);
        merge_into(all.queue, totals->transactions[i].queue);
        merge_into(all.censored, totals->transactions[i].censored);
    }
    json = times_json(&all, run);
    histogram_free(all.response);
    histogram_free(all.service);
    histogram_free(all.queue);
    histogram_free(all.censored);
    return json;
}

/* ---- sections ---- */

/* The plan's own options, and those of the workload's family under one key. */
static json_t *plan_json(const struct store_run *run)
{
    json_t *json = run->group_count > 0 ? option_json(&run->groups[0]) : json_object();
    json_t *others = json_object();

    for (int i = 1; i < run->group_count; i++) {
        json_t *group = option_json(&run->groups[i]);
        json_object_update(others, group);
        json_decref(group);
    }
    json_object_set_new(json, "workload_options", others);
    return json;
}

static bool was_given(const struct store_run *run, const struct option *row, const void *base)
{
    return run->args != NULL ? option_given(run->args, row->name) : !option_is_default(row, base);
}

/* Names of the options that were said: a drawn seed was not. */
static json_t *given_json(const struct store_run *run)
{
    json_t *names = json_array();

    for (int i = 0; i < run->group_count; i++) {
        json_t *shown = option_json(&run->groups[i]);
        const struct option *row = run->groups[i].rows;
        for (; row->name != NULL; row++)
            if (json_object_get(shown, row->name) != NULL &&
                was_given(run, row, run->groups[i].base))
                json_array_append_new(names, json_string(row->name));
        json_decref(shown);
    }
    return names;
}

static json_t *phase_json(const struct store_run *run, enum phase phase)
{
    const struct phase_totals *totals = recorder_totals(run->recorder, phase);
    int64_t ns = phase_ns(run, phase);
    int64_t begin_ns = phase == PHASE_WARMUP ? run->start_ns : run->measure_begin_ns;
    json_t *json = json_object();

    json_object_set_new(json, "begin_s",
                        value_seconds_json(at_least_zero(begin_ns - run->start_ns)));
    json_object_set_new(json, "seconds", value_seconds_json(ns));
    json_object_set_new(json, "transactions", counts_json(&totals->all, ns));
    json_object_set_new(json, "queries", queries_json(totals->queries, ns));
    json_object_set_new(json, "errors", error_counts_json(totals));
    return json;
}

static json_t *span_json(int64_t begin_ns, int64_t end_ns)
{
    json_t *json = json_object();

    json_object_set_new(json, "seconds", value_seconds_json(at_least_zero(end_ns - begin_ns)));
    return json;
}

static json_t *phases_json(const struct store_run *run)
{
    json_t *json = json_object();
    int64_t ended_ns = run->measure_end_ns > run->start_ns ? run->measure_end_ns : run->drained_ns;

    json_object_set_new(json, "connect", span_json(run->connect_begin_ns, run->connect_end_ns));
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        json_object_set_new(json, phase_names[phase], phase_json(run, (enum phase)phase));
    json_object_set_new(json, "drain", span_json(ended_ns, run->drained_ns));
    return json;
}

/* The figures that the family is known by, first of all. */
static void set_headlines(json_t *json, const json_t *headlines)
{
    size_t index;
    json_t *row;

    json_array_foreach(headlines, index, row)
    {
        json_object_set(json, json_string_value(json_object_get(row, "name")),
                        json_object_get(row, "value"));
    }
}

static json_t *summary_json(const struct store_run *run)
{
    const struct phase_totals *totals = recorder_totals(run->recorder, PHASE_MEASURE);
    int64_t ns = phase_ns(run, PHASE_MEASURE);
    json_t *json = json_object();

    set_headlines(json, run->headlines);
    json_object_set_new(json, "transactions", counts_json(&totals->all, ns));
    json_object_set_new(json, "queries", queries_json(totals->queries, ns));
    json_object_set_new(json, "latency_ms", all_times_json(totals, run));
    json_object_set_new(json, "measured_s", value_seconds_json(ns));
    json_object_set_new(json, "errors", error_counts_json(totals));
    return json;
}

static json_t *transactions_json(const struct store_run *run)
{
    const struct recorder_layout *layout = recorder_layout(run->recorder);
    const struct phase_totals *totals = recorder_totals(run->recorder, PHASE_MEASURE);
    json_t *json = json_object();

    for (int i = 0; i < layout->transaction_count; i++) {
        if (layout->transaction_names[i] == NULL)
            continue;
        json_t *row = counts_json(&totals->transactions[i].counts, phase_ns(run, PHASE_MEASURE));
        json_object_set_new(row, "latency_ms", times_json(&totals->transactions[i], run));
        json_object_set_new(json, layout->transaction_names[i], row);
    }
    return json;
}

static json_t *statements_json(const struct store_run *run)
{
    const struct recorder_layout *layout = recorder_layout(run->recorder);
    const struct phase_totals *totals = recorder_totals(run->recorder, PHASE_MEASURE);
    json_t *json = json_object();

    for (int i = 0; i < layout->statement_count; i++) {
        const struct statement_totals *statement = &totals->statements[i];
        json_t *row;
        int64_t count = 0;
        if (layout->statement_names[i] == NULL)
            continue;
        row = json_object();
        for (int kind = 0; kind < QUERY_KINDS; kind++)
            count += statement->kind[kind];
        json_object_set_new(row, "count", json_integer(count));
        for (int kind = 0; kind < QUERY_KINDS; kind++)
            json_object_set_new(row, query_kind_names[kind], json_integer(statement->kind[kind]));
        json_object_set_new(row, "per_s", value_rate_json(count, phase_ns(run, PHASE_MEASURE)));
        json_object_set_new(row, "rows", json_integer(statement->rows));
        json_object_set_new(row, "without_rows", json_integer(statement->without_rows));
        json_object_set_new(
            row, "rows_per_op",
            count > 0 ? json_real(round(1e6 * (double)statement->rows / (double)count) / 1e6)
                      : json_null());
        json_object_set_new(row, "latency_ms",
                            latency_json(statement->latency, NULL, run->percentiles));
        json_object_set_new(json, layout->statement_names[i], row);
    }
    return json;
}

static void append_errors(json_t *list, const struct store_run *run, enum phase phase)
{
    const struct recorder_layout *layout = recorder_layout(run->recorder);
    const struct phase_totals *totals = recorder_totals(run->recorder, phase);

    for (int i = 0; i < totals->error_count; i++) {
        const struct error_totals *error = &totals->errors[i];
        bool known = error->statement >= 0 && error->statement < layout->statement_count;
        json_t *row = json_object();
        json_object_set_new(row, "code", value_text_json(error->code));
        json_object_set_new(row, "count", json_integer(error->count));
        json_object_set_new(row, "phase", json_string(phase_names[phase]));
        json_object_set_new(
            row, "statement",
            value_text_json(known ? layout->statement_names[error->statement] : NULL));
        json_object_set_new(row, "message", value_text_json(error->message));
        json_array_append_new(list, row);
    }
}

static json_t *connect_json(const struct store_run *run, bool reopened)
{
    const struct histogram *connects = recorder_connects(run->recorder, reopened);
    json_t *json = latency_json(connects, NULL, run->percentiles);
    json_t *counted = json_object();

    json_object_set_new(counted, "count", json_integer(connects != NULL ? connects->count : 0));
    json_object_update(counted, json);
    json_decref(json);
    return counted;
}

/* What opening a connection, then or again, is made of; those that were not seen have count 0. */
static json_t *connect_parts_json(const struct store_run *run)
{
    json_t *json = json_object();

    for (int i = 0; i < CONNECT_PARTS; i++) {
        const struct histogram *part = recorder_connect_part(run->recorder, (enum connect_part)i);
        json_t *times = latency_json(part, NULL, run->percentiles), *counted = json_object();
        json_object_set_new(counted, "count", json_integer(part->count));
        json_object_update(counted, times);
        json_object_set_new(json, connect_part_names[i], counted);
        json_decref(times);
    }
    return json;
}

/* The server's side is told by who asked it; that our own side adds up is told here (design D6). */
static json_t *books_json(const struct store_run *run)
{
    json_t *json = run->books != NULL ? json_copy(run->books) : json_object();
    bool balanced = true;
    struct text why;

    text_init(&why, BOOKS_WHY_MAX);
    for (int phase = 0; phase < PHASE_COUNT && balanced; phase++) {
        text_clear(&why);
        balanced = recorder_balanced(run->recorder, (enum phase)phase, &why);
    }
    json_object_set_new(json, "balanced", json_boolean(balanced));
    json_object_set_new(json, "balanced_why", balanced ? json_null() : value_text_json(why.bytes));
    text_close(&why);
    return json;
}

static json_t *notes_json(const struct store_run *run)
{
    const struct phase_totals *totals = recorder_totals(run->recorder, PHASE_MEASURE);
    json_t *notes = json_is_array(run->notes) ? json_copy(run->notes) : json_array();

    if (!recorder_layout(run->recorder)->open_loop)
        json_array_append_new(notes, json_string(closed_loop_note));
    json_array_append_new(notes, json_string(population_note));
    if (totals->all.outcome[OUTCOME_DROPPED] + totals->all.outcome[OUTCOME_UNFINISHED] > 0)
        json_array_append_new(notes, json_string(censored_note));
    if (run->store != NULL && run->store->failure != 0) {
        char *line = memory_format("%s is not complete: %s", run->store->failed,
                                   strerror(run->store->failure));
        json_array_append_new(notes, value_text_json(line));
        memory_free(line);
    }
    return notes;
}

/* ---- the whole ---- */

static void set_head(json_t *json, const struct store_run *run)
{
    char started[32];
    json_t *tool = json_object();

    clock_iso(run->start_wall_ns, started, sizeof started);
    json_object_set_new(json, "schema", json_integer(RESULT_SCHEMA));
    json_object_set_new(tool, "name", json_string("pgdyno"));
    json_object_set_new(tool, "version", json_string(PGDYNO_VERSION));
    json_object_set_new(json, "tool", tool);
    json_object_set_new(json, "workload", value_text_json(run->workload));
    json_object_set_new(json, "family", value_text_json(run->family));
    json_object_set_new(json, "started", json_string(started));
    json_object_set_new(json, "ended", value_text_json(run->ended));
    json_object_set_new(json, "interrupted", json_boolean(strcmp(run->ended, "interrupted") == 0));
    json_object_set_new(json, "exit_code", json_integer(run->exit_code));
    json_object_set_new(json, "closed_loop",
                        json_boolean(!recorder_layout(run->recorder)->open_loop));
}

static json_t *list_of(json_t *list)
{
    return list != NULL ? json_incref(list) : json_array();
}

json_t *store_result(const struct store_run *run)
{
    static const struct batches no_batches;
    const struct batches *batches = run->store != NULL ? &run->store->batches : &no_batches;
    json_t *json = json_object(), *errors = json_array(), *connects = json_object();
    json_t *durability = run->durability;

    assert(run->recorder != NULL && run->ended != NULL);
    if (durability == NULL)
        durability = json_object_get(run->before, "durability");
    append_errors(errors, run, PHASE_MEASURE);
    append_errors(errors, run, PHASE_WARMUP);
    json_object_set_new(connects, "opened", connect_json(run, false));
    json_object_set_new(connects, "reopened", connect_json(run, true));
    json_object_set_new(connects, "parts", connect_parts_json(run));
    set_head(json, run);
    json_object_set_new(json, "plan", plan_json(run));
    json_object_set_new(json, "plan_given", given_json(run));
    json_object_set_new(json, "target", value_share(run->target));
    json_object_set_new(json, "settings", value_share(json_object_get(run->before, "settings")));
    json_object_set_new(json, "durability", value_share(durability));
    json_object_set_new(json, "rate", value_share(run->rate));
    json_object_set_new(json, "phases", phases_json(run));
    json_object_set_new(json, "summary", summary_json(run));
    json_object_set_new(json, "terminals", value_share(run->terminals));
    json_object_set_new(json, "headlines", list_of(run->headlines));
    json_object_set_new(json, "tallies",
                        run->tallies != NULL ? json_incref(run->tallies) : json_object());
    json_object_set_new(json, "rates", list_of(run->rates));
    json_object_set_new(json, "blocks", value_share(run->blocks));
    json_object_set_new(json, "network", value_share(run->network));
    json_object_set_new(json, "round_trips", value_share(run->round_trips));
    json_object_set_new(json, "verdict", value_share(run->verdict));
    json_object_set_new(json, "ledgers", list_of(run->ledgers));
    json_object_set_new(json, "transactions", transactions_json(run));
    json_object_set_new(json, "statements", statements_json(run));
    json_object_set_new(json, "plans", value_share(run->plans));
    json_object_set_new(json, "errors", errors);
    json_object_set_new(json, "outages", list_of(run->outages));
    json_object_set_new(json, "outages_unlisted", json_integer(run->outages_unlisted));
    json_object_set_new(json, "connect_ms", connects);
    json_object_set_new(json, "batch_means",
                        batches_json(batches, run->measure_begin_ns, run->measure_end_ns));
    json_object_set_new(json, "books", books_json(run));
    json_object_set_new(json, "check", value_share(run->check));
    json_object_set_new(json, "vacuum", value_share(run->vacuum));
    json_object_set_new(json, "client", value_share(run->client));
    json_object_set_new(json, "host", value_share(run->host));
    json_object_set_new(json, "machine", value_share(json_object_get(run->watched, "machine")));
    json_object_set_new(json, "statistics",
                        value_share(json_object_get(run->watched, "statistics")));
    json_object_set_new(json, "waits", value_share(json_object_get(run->watched, "waits")));
    json_object_set_new(json, "events", value_share(json_object_get(run->watched, "events")));
    json_object_set_new(json, "notes", notes_json(run));
    return json;
}
