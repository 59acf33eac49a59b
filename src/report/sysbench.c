/*
 * sysbench.c - a result in the words of sysbench, for old eyes and for scripts that grep them (spec
 * sysbench 5.5 and 5.6).
 *
 * Lines and columns are as sysbench 1.0 prints them; the figures are ours, with counts of the
 * measured window alone. Percentiles are those of a histogram with three digits, but with --compat,
 * which is for figures to be set beside old ones: then they are what sysbench makes of its cells
 * (spec sysbench 5.4).
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "report/page.h"

#define WANTED_PERCENT 95 /* sysbench's default */

#define CELL_LAST   1023
#define CELL_LOW_MS 1e-3
#define CELL_TOP_MS 1e5

static const char kept_key[] = "sysbench_percentiles_ms"; /* of the summary */

/* ---- percentiles ---- */

/* The middle of the cell that sysbench counts a time in. */
static double cell_ms(double ms)
{
    double low = log(CELL_LOW_MS), step = (log(CELL_TOP_MS) - low) / CELL_LAST;
    double cell = ms > CELL_LOW_MS ? floor((log(ms) - low) / step + 0.5) : 0;

    return exp(low + fmin(cell, CELL_LAST) * step);
}

/* The cells are in the order of the values, so that of the rank's value is the one. */
double report_sysbench_percentile_ms(const struct histogram *histogram, double percent)
{
    double rank = floor((double)histogram->count * percent / 100 + 0.5);
    int64_t seen = 0;

    if (histogram->count == 0)
        return 0;
    for (int cell = 0; cell < HISTOGRAM_CELLS; cell++) {
        seen += histogram->cells[cell];
        if ((double)seen < rank)
            continue;
        double middle_ns = (double)(histogram_cell_low_ns(cell) + histogram_cell_high_ns(cell)) / 2;
        return cell_ms(fmin(middle_ns, (double)histogram->max_ns) / (double)NS_PER_MS);
    }
    return CELL_TOP_MS;
}

/* sysbench shows one percentile: the one that was asked for, of several the 95th, or else the
 * highest. */
static double pick_percent(const struct percentiles *percentiles)
{
    double highest = 0;

    for (int i = 0; i < percentiles->count; i++) {
        if (percentiles->percent[i] == WANTED_PERCENT)
            return WANTED_PERCENT;
        highest = percentiles->percent[i];
    }
    return highest;
}

static double per_second(int64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds : 0;
}

void report_sysbench_begin(FILE *out, int64_t connections)
{
    fprintf(out,
            "Running the test with following options:\nNumber of threads: %lld\n\n\n"
            "Initializing worker threads...\n\nThreads started!\n\n",
            (long long)connections);
}

void report_sysbench_interval(FILE *out, const struct interval *interval,
                              const struct percentiles *percentiles,
                              const struct report_sysbench *run)
{
    double seconds = (double)(interval->end_ns - interval->begin_ns) / (double)NS_PER_S;
    double at_s = (double)(interval->end_ns - run->begin_ns) / (double)NS_PER_S;
    double percent = pick_percent(percentiles), rates[QUERY_KINDS], queries = 0, ms = 0;
    int64_t rolled_back = interval->counts.outcome[OUTCOME_ROLLED_BACK];

    if (interval->phase != PHASE_MEASURE)
        return;
    for (int kind = 0; kind < QUERY_KINDS; kind++) {
        rates[kind] = per_second(interval->queries[kind], seconds);
        queries += rates[kind];
    }
    if (run->compat)
        ms = report_sysbench_percentile_ms(interval->all, percent);
    else if (interval->all->count > 0)
        ms = (double)histogram_percentile_ns(interval->all, percent) / (double)NS_PER_MS;
    fprintf(out,
            "[ %.0fs ] thds: %lld tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) "
            "lat (ms,%.10g%%): %4.2f err/s: %4.2f reconn/s: %4.2f\n",
            at_s, (long long)run->connections,
            per_second(interval->counts.outcome[OUTCOME_COMMITTED] * run->events + rolled_back,
                       seconds),
            queries, rates[QUERY_READ], rates[QUERY_WRITE], rates[QUERY_OTHER], percent, ms,
            per_second(interval->errors + (run->compat ? rolled_back : 0), seconds), 0.0);
}

/* ---- the report ---- */

static double real_at(const json_t *object, const char *key)
{
    return json_number_value(dig(object, key, NULL));
}

struct report_sysbench report_sysbench_of(const json_t *workload_options)
{
    const char *compat = json_string_value(dig(workload_options, "compat", NULL));
    int64_t rows = dig_whole(workload_options, "rows");
    bool sysbench = compat != NULL && strcmp(compat, "sysbench") == 0;
    /* What else is a script for sysbench, and reported by it. */
    bool script =
        compat != NULL && (strcmp(compat, "percona") == 0 || strcmp(compat, "percona-fixed") == 0);

    return (struct report_sysbench){ .events = sysbench && rows > 0 ? rows : 1,
                                     .compat = sysbench || script };
}

static void write_count(FILE *out, const char *name, int64_t count, double seconds)
{
    fprintf(out, "    %-37s%-6lld (%.2f per sec.)\n", name, (long long)count,
            per_second(count, seconds));
}

static int64_t write_queries(FILE *out, const json_t *queries)
{
    static const char *const names[] = { "read:", "write:", "other:" };
    int64_t total = dig_whole(queries, "total");

    fprintf(out, "SQL statistics:\n    queries performed:\n");
    for (int kind = 0; kind < QUERY_KINDS; kind++)
        fprintf(out, "        %-33s%lld\n", names[kind],
                (long long)dig_whole(queries, query_kind_names[kind]));
    fprintf(out, "        %-33s%lld\n", "total:", (long long)total);
    return total;
}

/* Those that the plan asked for; the lines of intervals go by the same. */
static struct percentiles asked_percentiles(const json_t *result)
{
    const json_t *list = dig(result, "plan", "percentiles", NULL);
    struct percentiles asked = { 0 };

    for (size_t i = 0; i < json_array_size(list) && asked.count < PERCENTILES_MAX; i++)
        asked.percent[asked.count++] = json_number_value(json_array_get(list, i));
    return asked;
}

static void name_percentile(char name[NUMBER_TEXT_MAX], double percent)
{
    snprintf(name, NUMBER_TEXT_MAX, "p%.10g", percent);
}

void report_sysbench_keep(json_t *result, struct recorder *recorder)
{
    const struct phase_totals *totals = recorder_totals(recorder, PHASE_MEASURE);
    struct percentiles asked = asked_percentiles(result);
    struct histogram *all;
    json_t *kept;

    if (!report_sysbench_of(dig(result, "plan", "workload_options", NULL)).compat)
        return;
    all = histogram_new();
    kept = json_object();
    for (int i = 0; i < recorder_layout(recorder)->transaction_count; i++)
        histogram_merge(all, totals->transactions[i].response);
    for (int i = 0; i < asked.count; i++) {
        char name[NUMBER_TEXT_MAX];
        name_percentile(name, asked.percent[i]);
        json_object_set_new(kept, name,
                            json_real(report_sysbench_percentile_ms(all, asked.percent[i])));
    }
    json_object_set_new(dig(result, "summary", NULL), kept_key, kept);
    histogram_free(all);
}

/* By sysbench's rule when that was kept. */
static void write_percentile(FILE *out, const json_t *result, const json_t *times)
{
    struct percentiles asked = asked_percentiles(result);
    double percent = asked.count > 0 ? pick_percent(&asked) : WANTED_PERCENT;
    char key[NUMBER_TEXT_MAX], name[NUMBER_TEXT_MAX];
    const json_t *kept;

    name_percentile(key, percent);
    snprintf(name, sizeof name, "%.10gth percentile:", percent);
    kept = dig(result, "summary", kept_key, key, NULL);
    fprintf(out, "         %-29s%15.2f\n", name,
            kept != NULL ? json_number_value(kept) : real_at(times, percent < 100 ? key : "max"));
}

static void write_latency(FILE *out, const json_t *result, int64_t events)
{
    json_t *times = dig(result, "summary", "latency_ms", "response", NULL);
    json_t *transactions = dig(result, "summary", "transactions", NULL);
    int64_t done = dig_whole(transactions, "done") + dig_whole(transactions, "rolled_back");

    fprintf(out, "\nLatency (ms):\n");
    fprintf(out, "         %-29s%15.2f\n", "min:", real_at(times, "min"));
    fprintf(out, "         %-29s%15.2f\n", "avg:", real_at(times, "mean") / (double)events);
    fprintf(out, "         %-29s%15.2f\n", "max:", real_at(times, "max"));
    write_percentile(out, result, times);
    fprintf(out, "         %-29s%15.2f\n", "sum:", real_at(times, "mean") * (double)done);
}

static void write_fairness(FILE *out, const json_t *result, int64_t events)
{
    const json_t *sessions = dig(result, "client", "sessions", NULL);

    fprintf(out, "\nThreads fairness:\n");
    fprintf(out, "    events (avg/stddev):           %.4f/%3.2f\n",
            real_at(sessions, "done_mean") * (double)events,
            real_at(sessions, "done_deviation") * (double)events);
    fprintf(out, "    execution time (avg/stddev):   %.4f/%3.2f\n\n",
            real_at(sessions, "busy_s_mean"), real_at(sessions, "busy_s_deviation"));
}

/* An event that rolled back on purpose is one that is done; its script counts it as an error, too.
 */
void report_sysbench(FILE *out, const json_t *result)
{
    const json_t *summary = dig(result, "summary", NULL);
    const json_t *transactions = dig(summary, "transactions", NULL);
    const struct report_sysbench run =
        report_sysbench_of(dig(result, "plan", "workload_options", NULL));
    int64_t rolled_back = dig_whole(transactions, "rolled_back");
    int64_t done = dig_whole(transactions, "done") * run.events + rolled_back;
    int64_t errors = run.compat ? rolled_back : 0, total;
    double seconds = real_at(summary, "measured_s");
    const char *code;
    json_t *count;

    json_object_foreach(dig(summary, "errors", NULL), code, count) errors +=
        json_integer_value(count);
    total = write_queries(out, dig(summary, "queries", NULL));
    write_count(out, "transactions:", done, seconds);
    write_count(out, "queries:", total, seconds);
    write_count(out, "ignored errors:", errors, seconds);
    write_count(out, "reconnects:", dig_whole(dig(result, "connect_ms", "reopened", NULL), "count"),
                seconds);
    fprintf(out, "\nGeneral statistics:\n");
    fprintf(out, "    %-37s%.4fs\n", "total time:", seconds);
    fprintf(out, "    %-37s%lld\n", "total number of events:", (long long)done);
    write_latency(out, result, run.events);
    write_fairness(out, result, run.events);
}
