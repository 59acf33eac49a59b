/*
 * evidence.c - reads evidence out of a result. Each figure is a few lines; any part of the tree may
 * be missing or null, and then so is the figure.
 */
#include "command/evidence.h"

#include <math.h>
#include <string.h>

#include "store/store.h"

#define BLOCK_BYTES   8192.0
#define BLOCKS_MATTER 100 /* reads a second from which on it matters where they came from */
#define ROWS_MATTER   1e6 /* rows a second from which on scans matter: a fifth of a CPU, say */
#define BATCHES_MIN   2
#define SEGMENTS_MIN  1000

/* NaN: none. */
static double at(json_t *result, const char *path)
{
    const json_t *value = store_find(result, path);

    if (json_is_boolean(value))
        return json_is_true(value) ? 1 : 0;
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double share(double part, double whole)
{
    double both = ratio(part, whole);

    return isnan(both) ? NAN : fmin(fmax(both, 0), 1);
}

/* Of what is known. */
static double highest(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

/* ---- the client and the way ---- */

static void read_client(struct evidence *evidence, json_t *result)
{
    json_t *worker;
    size_t index;
    double busy = NAN;

    json_array_foreach(store_find(result, "client.workers"), index, worker)
    {
        double delay = at(worker, "run_delay");
        busy = highest(busy, at(worker, "cpu") + (isnan(delay) ? 0 : delay));
    }
    evidence->value[FIGURE_CLIENT_BUSY] = busy;
    evidence->value[FIGURE_CLIENT_SATURATED] = at(result, "client.saturated");
    evidence->value[FIGURE_CLIENT_SHARES] = at(result, "client.shares_cpus");
    evidence->value[FIGURE_CONNECTS] =
        ratio(at(result, "connect_ms.reopened.count"), at(result, "summary.transactions.done"));
}

/* Round trips of a transaction: one a statement, or one in all when they go out together. */
static double round_trips(json_t *result)
{
    double each =
        ratio(at(result, "summary.queries.total"), at(result, "summary.transactions.done"));

    return at(result, "plan.pipeline") > 0 ? 1 : each;
}

static void read_network(struct evidence *evidence, json_t *result)
{
    double latency_ms = at(result, "summary.latency_ms.service.mean");
    double in_flight = at(result, "summary.transactions.per_s") * latency_ms / 1000;
    double active =
        at(result, "waits.average_active_sessions") - at(result, "waits.classes.client");
    double queries = at(result, "summary.queries.total");

    /* Behind a pooler they may have another name, and then none is ever seen. */
    if (active <= 0 && json_is_string(store_find(result, "target.pooler")))
        active = NAN;
    evidence->value[FIGURE_ROUND_TRIPS] =
        share(round_trips(result) * at(result, "network.min_rtt_ms"), latency_ms);
    if (queries > SEGMENTS_MIN)
        evidence->value[FIGURE_RETRANSMITS] = share(at(result, "network.retransmits"), queries);
    if (in_flight > 0 && !isnan(active))
        evidence->value[FIGURE_OUTSIDE] = 1 - share(active, in_flight);
    evidence->value[FIGURE_ACTIVE_SHARE] = share(active, at(result, "plan.connections"));
}

/* ---- the server ---- */

static void read_waits(struct evidence *evidence, json_t *result)
{
    static const struct {
        enum figure figure;
        const char *path;
    } classes[] = {
        { FIGURE_WAIT_CPU, "waits.classes.cpu" },
        { FIGURE_WAIT_IO_READ, "waits.classes.io_read" },
        { FIGURE_WAIT_IO_WRITE, "waits.classes.io_write" },
        { FIGURE_WAIT_WAL, "waits.classes.wal" },
        { FIGURE_WAIT_REPLICATION, "waits.classes.replication" },
        { FIGURE_WAIT_LOCK, "waits.classes_direct.lock" },
        { FIGURE_WAIT_INTERNAL, "waits.classes.internal" },
        { FIGURE_WAIT_CLIENT, "waits.classes.client" },
    };
    double active = at(result, "waits.average_active_sessions");

    for (int i = 0; i < COUNT_OF(classes); i++)
        evidence->value[classes[i].figure] = share(at(result, classes[i].path), active);
}

/* In which the counters grew. Exact ones were read before the load and after it. */
static double counted_s(json_t *result)
{
    double measured = at(result, "phases.measure.seconds");

    return at(result, "statistics.lag_s") <= 0 && measured > 0 ? measured
                                                               : at(result, "statistics.seconds");
}

/* 1 when a commit does not wait for a flush; NaN when that is not known. */
static double no_flush(json_t *result)
{
    static const char *const paths[] = { "durability.synchronous_commit", "durability.fsync" };
    double off = 0;

    for (int i = 0; i < COUNT_OF(paths); i++) {
        const char *word = json_string_value(store_find(result, paths[i]));
        if (word == NULL)
            return NAN;
        if (strcmp(word, "off") == 0)
            off = 1;
    }
    return off;
}

static void read_statistics(struct evidence *evidence, json_t *result)
{
    double seconds = counted_s(result);
    double wal = ratio(at(result, "statistics.wal.position_bytes"), seconds);
    double own = at(result, "statistics.bgwriter.buffers_backend");
    double scanned = at(result, "statistics.tables.seq_tup_read");

    evidence->value[FIGURE_WAL_MB_PER_S] =
        (isnan(wal) ? at(result, "blocks.wal_bytes_per_s") : wal) / 1e6;
    evidence->value[FIGURE_NO_FLUSH] = no_flush(result);
    evidence->value[FIGURE_TEMP_MB_PER_S] =
        ratio(at(result, "statistics.database.temp_bytes"), seconds) / 1e6;
    evidence->value[FIGURE_BACKEND_WRITES] =
        share(own, own + at(result, "statistics.bgwriter.buffers_clean") +
                       at(result, "statistics.checkpointer.buffers_written"));
    evidence->value[FIGURE_DEAD_GROWTH] =
        ratio(at(result, "statistics.all_tables.n_dead_tup_growth"),
              at(result, "statistics.all_tables.n_live_tup"));
    /* A table of a few rows is always scanned, and nobody minds. */
    evidence->value[FIGURE_SEQUENTIAL] =
        scanned <= ROWS_MATTER * seconds
            ? 0
            : share(scanned, scanned + at(result, "statistics.tables.idx_tup_fetch"));
}

/* ---- its machine ---- */

static void read_devices(struct evidence *evidence, json_t *result)
{
    json_t *device;
    size_t index;
    double seconds = at(result, "machine.seconds"), busy = NAN, flushing = NAN;
    double reads = 0, read_s = 0, flushes = 0, flush_s = 0;

    json_array_foreach(store_find(result, "machine.devices"), index, device)
    {
        double device_flush_s = at(device, "flush_s");
        busy = highest(busy, share(at(device, "busy_s"), seconds));
        reads += at(device, "reads");
        read_s += at(device, "read_s");
        if (isnan(device_flush_s))
            continue;
        flushing = highest(flushing, share(device_flush_s, seconds));
        flushes += at(device, "flushes");
        flush_s += device_flush_s;
    }
    evidence->value[FIGURE_DEVICE_BUSY] = busy;
    evidence->value[FIGURE_FLUSH_BUSY] = flushing;
    evidence->value[FIGURE_READ_MS] = ratio(1000 * read_s, reads);
    evidence->value[FIGURE_FLUSH_MS] = ratio(1000 * flush_s, flushes);
}

static void read_page_cache(struct evidence *evidence, json_t *result)
{
    json_t *device;
    size_t index;
    double bytes = 0, read = at(result, "statistics.database.blks_read");
    bool known = false;

    evidence->value[FIGURE_PAGE_CACHE] = at(result, "blocks.page_cache_share");
    json_array_foreach(store_find(result, "machine.devices"), index, device)
    {
        bytes += at(device, "read_bytes");
        known = true;
    }
    if (isnan(evidence->value[FIGURE_PAGE_CACHE]) && known &&
        read > BLOCKS_MATTER * counted_s(result))
        evidence->value[FIGURE_PAGE_CACHE] = 1 - share(bytes, read * BLOCK_BYTES);
}

static void read_machine(struct evidence *evidence, json_t *result)
{
    double seconds = at(result, "machine.seconds"), cpu_s = at(result, "machine.whole.cpu_s");
    double *value = evidence->value;

    if (!json_is_object(store_find(result, "machine.server")))
        return; /* These are the client's CPUs. */
    value[FIGURE_MACHINE_BUSY] = at(result, "machine.whole.busy");
    value[FIGURE_SERVER_PART] = share(at(result, "machine.server.cpu_s"), cpu_s);
    value[FIGURE_STEAL] =
        share(at(result, "machine.whole.steal_s"), at(result, "machine.whole.cpus") * seconds);
    /* The time is a sum over CPUs, of which an instant on each counts a period as well. */
    value[FIGURE_THROTTLED] = fmin(share(at(result, "machine.cgroup.throttled_s"), seconds),
                                   share(at(result, "machine.cgroup.periods_throttled"),
                                         at(result, "machine.cgroup.periods")));
    value[FIGURE_MEMORY_PRESSURE] = share(at(result, "machine.pressure.memory_some_s"), seconds);
    value[FIGURE_SWAP_MB_PER_S] = ratio((at(result, "machine.memory.swapped_in_pages") +
                                         at(result, "machine.memory.swapped_out_pages")) *
                                            4096 / 1e6,
                                        seconds);
    read_devices(evidence, result);
    read_page_cache(evidence, result);
    value[FIGURE_UTILISATION] =
        highest(highest(value[FIGURE_MACHINE_BUSY], value[FIGURE_DEVICE_BUSY]),
                highest(value[FIGURE_FLUSH_BUSY], value[FIGURE_CLIENT_BUSY]));
}

/* ---- events ---- */

static bool is_kind(json_t *event, const char *kind)
{
    const char *found = json_string_value(json_object_get(event, "kind"));

    return found != NULL && strcmp(found, kind) == 0;
}

/* Was one of the kind under way at that second since the load began? */
static bool under_way(json_t *events, const char *kind, double second)
{
    json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        double until = at(event, "until_s");
        if (is_kind(event, kind) && at(event, "at_s") <= second && (isnan(until) || until > second))
            return true;
    }
    return false;
}

/* How much less was done in the pieces of the window in which a checkpoint ran; and the share of
 * them with autovacuum. */
static void read_dip(struct evidence *evidence, json_t *result, json_t *events)
{
    json_t *rates = store_find(result, "batch_means.per_s");
    json_t *begins = store_find(result, "batch_means.begin_s");
    double offset = at(result, "phases.measure.begin_s"), sums[2] = { 0, 0 };
    int counts[2] = { 0, 0 }, vacuumed = 0, count = (int)json_array_size(rates);

    for (int i = 0; i < count && i < (int)json_array_size(begins); i++) {
        double second = offset + json_number_value(json_array_get(begins, (size_t)i));
        int during = under_way(events, "checkpoint", second);
        sums[during] += json_number_value(json_array_get(rates, (size_t)i));
        counts[during]++;
        vacuumed += under_way(events, "autovacuum", second);
    }
    if (counts[0] >= BATCHES_MIN && counts[1] >= BATCHES_MIN && sums[0] > 0)
        evidence->value[FIGURE_CHECKPOINT_DIP] =
            fmax(1 - sums[1] / counts[1] / (sums[0] / counts[0]), 0);
    evidence->value[FIGURE_AUTOVACUUM] = share(vacuumed, count);
}

static void read_events(struct evidence *evidence, json_t *result)
{
    json_t *events = store_find(result, "events"), *event;
    size_t index;
    double checkpoints = 0, requested = 0;
    double begin_s = at(result, "phases.measure.begin_s");
    double end_s = begin_s + at(result, "phases.measure.seconds");

    if (!json_is_array(events))
        return;
    json_array_foreach(events, index, event)
    {
        /* Of the load, warm-up and all. */
        if (at(event, "until_s") < begin_s || at(event, "at_s") > end_s)
            continue;
        const char *why = json_string_value(json_object_get(event, "why"));
        checkpoints += is_kind(event, "checkpoint");
        requested += is_kind(event, "checkpoint") && why != NULL && strcmp(why, "requested") == 0;
    }
    evidence->value[FIGURE_CHECKPOINTS] = checkpoints;
    evidence->value[FIGURE_CHECKPOINT_REQUEST] = share(requested, checkpoints);
    read_dip(evidence, result, events);
}

struct evidence evidence_of(json_t *result)
{
    struct evidence evidence = evidence_nothing();

    read_client(&evidence, result);
    read_network(&evidence, result);
    read_waits(&evidence, result);
    read_statistics(&evidence, result);
    read_machine(&evidence, result);
    read_events(&evidence, result);
    evidence.value[FIGURE_OPEN_LOOP] = json_is_object(store_find(result, "rate")) ? 1 : 0;
    evidence.value[FIGURE_RATE_KEPT] = at(result, "rate.kept");
    return evidence;
}

/* ---- the verdict as the result has it ---- */

static void add_figure(json_t *list, const struct evidence *evidence, enum figure figure,
                       const struct condition *condition)
{
    const struct figure_row *row = &figure_rows[figure];
    double value = evidence->value[figure];
    json_t *json;

    if (isnan(value))
        return;
    json = json_object();
    json_object_set_new(json, "name", json_string(row->name));
    json_object_set_new(json, "words", json_string(row->words));
    json_object_set_new(json, "value", json_real(round(value * 1e6) / 1e6));
    json_object_set_new(json, "form", json_string(figure_form_names[row->form]));
    json_object_set_new(json, "wanted", json_string(condition->sense == '>' ? "above" : "below"));
    json_object_set_new(json, "threshold", json_real(condition->threshold));
    json_array_append_new(list, json);
}

static void add_figures(json_t *list, const struct evidence *evidence,
                        const struct condition *conditions)
{
    for (int i = 0; i < RULE_CONDITIONS_MAX && conditions[i].sense != 0; i++)
        add_figure(list, evidence, conditions[i].figure, &conditions[i]);
}

/* What those were at who held the locks: the class that the charging added most to. */
static const char *lock_root(json_t *result)
{
    json_t *charged = store_find(result, "waits.classes"), *value;
    const char *name, *root = NULL;
    double most = 0;

    json_object_foreach(charged, name, value)
    {
        const json_t *direct = json_object_get(store_find(result, "waits.classes_direct"), name);
        double more = json_number_value(value) - json_number_value(direct);
        if (more > most) {
            most = more;
            root = name;
        }
    }
    return root;
}

static json_t *finding_json(const struct finding *found, const struct evidence *evidence,
                            json_t *result)
{
    const struct rule *rule = found->rule;
    struct condition main;
    const char *root;
    json_t *json, *list;

    if (rule == NULL)
        return json_null();
    json = json_object();
    list = json_array();
    main = (struct condition){ rule->main, '>', rule->from };
    root = rule->main == FIGURE_WAIT_LOCK ? lock_root(result) : NULL;
    add_figure(list, evidence, rule->main, &main);
    add_figures(list, evidence, rule->needs);
    add_figures(list, evidence, rule->confirmed);
    json_object_set_new(json, "name", json_string(rule->name));
    json_object_set_new(json, "words", json_string(rule->words));
    json_object_set_new(json, "area", json_string(area_names[rule->area]));
    json_object_set_new(json, "score", json_real(round(found->score * 1000) / 1000));
    json_object_set_new(json, "sentence", json_string(rule->sentence));
    json_object_set_new(json, "next", json_string(rule->next));
    json_object_set_new(json, "holders_at", root != NULL ? json_string(root) : json_null());
    json_object_set_new(json, "evidence", list);
    return json;
}

json_t *evidence_verdict(json_t *result)
{
    struct evidence evidence = evidence_of(result);
    struct verdict verdict = verdict_judge(&evidence);
    json_t *json = json_object(), *missing = json_array();

    for (int i = 0; i < verdict.missing_count; i++)
        json_array_append_new(missing, json_string(verdict.missing[i]));
    json_object_set_new(
        json, "limit",
        json_string(verdict.limit.rule != NULL ? verdict.limit.rule->name : "unknown"));
    json_object_set_new(json, "found", finding_json(&verdict.limit, &evidence, result));
    json_object_set_new(json, "runner_up", finding_json(&verdict.runner_up, &evidence, result));
    json_object_set_new(json, "missing", missing);
    return json;
}
