/*
 * frozen.c - see frozen.h. Every number here is chosen, none is measured.
 */
#include "frozen.h"

#include <assert.h>

#include "base/clock.h"

#define START_NS      NS_PER_S /* soon after the machine was started: in the past for any test */
#define WARMUP_S      2
#define MEASURE_S     4
#define LANES         2
#define A_SECOND      100 /* transactions of a lane */
#define START_WALL_NS (INT64_C(1796062500) * NS_PER_S + 123 * NS_PER_MS)

#define ROW(row_name, row_type, field)                                                    \
    {                                                                                     \
        .name = row_name, .type = row_type, .at = offsetof(struct frozen_options, field), \
        .topic = "load", .since = "0.1", .help = "for tests"                              \
    }

static const struct option plan_rows[] = {
    ROW("connections", OPTION_WHOLE, connections),
    ROW("workers", OPTION_WHOLE, workers),
    ROW("transactions", OPTION_WHOLE, transactions),
    ROW("protocol", OPTION_TEXT, protocol),
    ROW("pipeline", OPTION_FLAG, pipeline),
    ROW("seed", OPTION_WHOLE, seed),
    ROW("data-seed", OPTION_WHOLE, data_seed),
    ROW("label", OPTION_TEXT, label),
    { .name = "pgsql-password",
      .type = OPTION_TEXT,
      .at = offsetof(struct frozen_options, password),
      .marks = OPTION_SECRET,
      .topic = "load",
      .since = "0.1",
      .help = "for tests" },
    { .name = NULL },
};

static const struct option family_rows[] = {
    { .name = "tables",
      .type = OPTION_WHOLE,
      .at = offsetof(struct frozen_options, tables),
      .fallback = "1",
      .topic = "oltp",
      .since = "0.1",
      .help = "for tests" },
    { .name = "table-size",
      .type = OPTION_WHOLE,
      .at = offsetof(struct frozen_options, table_size),
      .fallback = "10000",
      .topic = "oltp",
      .since = "0.1",
      .help = "for tests" },
    { .name = NULL },
};

static void begin(struct frozen *frozen, const struct recorder_layout *layout)
{
    frozen->options = (struct frozen_options){ .connections = 8,
                                               .workers = LANES,
                                               .seed = 20261130181500,
                                               .data_seed = 1,
                                               .protocol = "prepared",
                                               .password = "open sesame",
                                               .tables = 1,
                                               .table_size = 250000 };
    frozen->groups[0] = (struct option_group){ .rows = plan_rows, .base = &frozen->options };
    frozen->groups[1] = (struct option_group){ .rows = family_rows, .base = &frozen->options };
    frozen->percentiles = (struct percentiles){ .count = 2, .percent = { 95, 99.5 } };
    frozen->recorder = recorder_new(layout);
    frozen->run = (struct store_run){
        .groups = frozen->groups,
        .group_count = 2,
        .recorder = frozen->recorder,
        .start_ns = START_NS,
        .start_wall_ns = START_WALL_NS,
        .measure_begin_ns = START_NS + WARMUP_S * NS_PER_S,
        .measure_end_ns = START_NS + (WARMUP_S + MEASURE_S) * NS_PER_S,
        .drained_ns = START_NS + (WARMUP_S + MEASURE_S) * NS_PER_S + 3 * NS_PER_MS,
        .connect_begin_ns = START_NS - 50 * NS_PER_MS,
        .connect_end_ns = START_NS - 1 * NS_PER_MS,
        .percentiles = &frozen->percentiles,
        .ended = "finished",
    };
    recorder_start(frozen->recorder, START_NS);
}

static enum phase phase_of(int second)
{
    return second < WARMUP_S ? PHASE_WARMUP : PHASE_MEASURE;
}

/* Ends a second on every lane and hands its intervals to the store. */
static void tick(struct frozen *frozen, struct store *store, int second)
{
    const struct recorder_layout *layout = recorder_layout(frozen->recorder);
    struct interval intervals[PHASE_COUNT];
    int count;

    for (int i = 0; i < layout->lane_count; i++)
        lane_tick(recorder_lane(frozen->recorder, i), START_NS + (second + 1) * NS_PER_S);
    count = recorder_collect(frozen->recorder, 0, intervals);
    if (store != NULL)
        store_intervals(store, layout, intervals, count, START_NS);
}

/* The last, short interval. */
static void rest(struct frozen *frozen, struct store *store)
{
    struct interval intervals[PHASE_COUNT];
    int count = recorder_collect_rest(frozen->recorder, frozen->run.drained_ns, intervals);

    if (store != NULL)
        store_intervals(store, recorder_layout(frozen->recorder), intervals, count, START_NS);
    frozen->run.store = store;
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);

    assert(json != NULL);
    return json;
}

/* ---- closed ---- */

static void point_select(struct lane *lane, int second, int number, int64_t took_ns)
{
    int64_t sent_ns = START_NS + second * NS_PER_S + number * 10 * NS_PER_MS;

    lane_statement(lane, &(struct statement_record){ .statement = 0,
                                                     .phase = phase_of(second),
                                                     .kind = QUERY_READ,
                                                     .latency_ns = took_ns - 1500,
                                                     .rows = number % 50 == 0 ? 0 : 1 });
    lane_transaction(lane, &(struct transaction_record){ .transaction = 0,
                                                         .phase = phase_of(second),
                                                         .outcome = OUTCOME_COMMITTED,
                                                         .attempts = 1,
                                                         .scheduled_ns = sent_ns,
                                                         .sent_ns = sent_ns,
                                                         .done_ns = sent_ns + took_ns });
}

/* Of two seconds on four CPUs, 1,216 queries. */
static json_t *frozen_machine(void)
{
    return parse(
        "{\"host\": \"bench\", \"roles\": [\"client\", \"server\"], \"why\": null,"
        " \"seconds\": 4.0, \"begin_off_s\": 0.00003, \"end_off_s\": -0.0001,"
        " \"client\": {\"cpu_s\": 0.0152}, \"server\": {\"cpu_s\": 0.0608, \"cpus\": 0.0152,"
        " \"processes\": 11, \"run_delay_s\": 0.002}, \"whole\": {\"cpus\": 4, \"cpu_s\": 0.12,"
        " \"busy\": 0.0075, \"user_s\": 0.08, \"nice_s\": 0.0, \"system_s\": 0.03, \"irq_s\": 0.0,"
        " \"softirq_s\": 0.01, \"steal_s\": 0.16, \"iowait_s\": 0.4, \"idle_s\": 15.32,"
        " \"context_switches\": 4864, \"forks\": 2, \"runnable\": 1, \"blocked\": 0},"
        " \"devices\": [{\"name\": \"sda\", \"for\": [\"data\", \"wal\"], \"reads\": 608,"
        " \"read_bytes\": 4980736, \"read_s\": 0.25, \"writes\": 10, \"written_bytes\": 81920,"
        " \"write_s\": 0.01, \"busy_s\": 0.2, \"queue_s\": 0.3, \"flushes\": 4, \"flush_s\": "
        "0.004}],"
        " \"devices_why\": null, \"memory\": {\"major_faults\": 0, \"dirty_bytes\": 8192},"
        " \"pressure\": {\"cpu_some_s\": 0.001}, \"network\": {\"segments_resent\": 0},"
        " \"cgroup\": {\"throttled_s\": 0.25}, \"per_query\": {\"server_cpu_us\": 50.0,"
        " \"client_cpu_us\": 12.5, \"machine_cpu_us\": 98.68421, \"context_switches\": 4.0,"
        " \"reads\": 0.5, \"read_kb\": 4.0, \"written_kb\": 0.0657895, \"flushes\": 0.00328947},"
        " \"published\": {\"cpu/o\": 0.002467, \"cs/o\": 4.0, \"r/o\": 0.5, \"rKB/o\": 4.0,"
        " \"wKB/o\": 0.0657895, \"o/s\": 304.0}}");
}

static const char vacuum[] =
    "{\"state\": \"refused\", \"why\": \"see there\", \"seconds\": 1.5, \"steps\": [{\"what\":"
    " \"VACUUM points\", \"began\": \"2026-11-30T18:15:00.123Z\", \"seconds\": 1.25,"
    " \"bytes_before\": 16384, \"bytes_after\": 8192, \"error\": null}]}";

static json_t *frozen_watched(void)
{
    return parse(
        "{\"statistics\": {\"seconds\": 4.0, \"lag_s\": 1.0, \"database\": {\"xact_commit\": 1216},"
        " \"io\": {\"reads\": 16, \"rows\": [{\"backend_type\": \"client backend\", \"reads\": "
        "16}]}},"
        " \"waits\": {\"samples\": 40, \"missed\": 1, \"chain_samples\": 3,"
        " \"average_active_sessions\": 3.5, \"classes\": {\"cpu\": 1.25, \"wal\": 2.0, \"lock\": "
        "0.25,"
        " \"client\": 0.0}, \"classes_direct\": {\"cpu\": 1.0, \"wal\": 0.5, \"lock\": 2.0,"
        " \"client\": 0.0}, \"events\": [{\"type\": \"Lock\", \"event\": \"transactionid\","
        " \"aas\": 2.0}, {\"type\": \"IO\", \"event\": \"WalSync\", \"aas\": 0.5}]},"
        " \"events\": [{\"kind\": \"checkpoint\", \"at_s\": 1.5, \"until_s\": 2.75,"
        " \"why\": \"requested\", \"buffers\": 812}, {\"kind\": \"autovacuum\", \"at_s\": 3.25,"
        " \"until_s\": null, \"table\": \"public.sbtest1\"}]}");
}

static void closed_facts(struct store_run *run)
{
    run->workload = "oltp_point_select";
    run->family = "oltp";
    run->target =
        parse("{\"host\": \"/run/pg\", \"hostaddr\": null, \"port\": 5432, \"dbname\": \"sbtest\","
              " \"user\": \"bench\", \"tls\": {\"in_use\": false}, \"here\": true,"
              " \"version\": \"17.10\", \"version_num\": 170010, \"major\": 17, \"pid\": 4711,"
              " \"in_recovery\": false, \"start_time\": \"2026-11-30T18:00:00Z\","
              " \"server_address\": null, \"pooler\": null, \"pooler_mode\": null, \"local\": true,"
              " \"hosts\": [{\"host\": \"/run/pg\", \"port\": \"5432\", \"connections\": 4,"
              " \"committed\": 400}], \"load_sessions_tls\": {\"in_use\": false, \"protocol\": "
              "null, \"cipher\": null, \"bits\": null}}");
    run->before = parse(
        "{\"settings\": {\"shared_buffers\": {\"value\": \"131072\", \"unit\": \"8kB\","
        " \"source\": \"configuration file\", \"boot\": \"16384\"}, \"work_mem\":"
        " {\"value\": \"16384\", \"unit\": \"kB\", \"source\": \"configuration file\","
        " \"boot\": \"4096\"}}, \"durability\": {\"fsync\": true, \"full_page_writes\": true,"
        " \"synchronous_commit\": \"on\", \"data_checksums\": true, \"wal_level\": \"replica\","
        " \"synchronous_standbys\": null, \"unlogged_tables\": 0, \"durable\": true,"
        " \"why\": []}}");
    run->after = parse("{\"database\": {\"size_bytes\": 8192}}");
    run->books = parse("{\"client_commits\": 1216, \"server_commits\": 1216,"
                       " \"difference\": 0.0, \"ok\": true, \"note\": \"\"}");
    run->client =
        parse("{\"protocol\": \"prepared\", \"saturated\": false, \"shares_cpus\": false, \"why\": "
              "\"\", \"cpu_cores\": "
              "0.5, \"run_delay_cores\": 0.01,"
              " \"lateness_p50_ms\": 0.003, \"lateness_p99_ms\": 0.056, \"workers\": [{\"tid\": 5, "
              "\"cpu\": 0.25,"
              " \"run_delay\": 0.005, \"lateness_p99_ms\": 0.055, \"lateness_max_ms\": 0.2},"
              " {\"tid\": 6, \"cpu\": 0.25, \"run_delay\": null, \"lateness_p99_ms\": 0.056,"
              " \"lateness_max_ms\": 0.3}], \"sessions\": {\"done_mean\": 100.0,"
              " \"done_deviation\": 2.5, \"busy_s_mean\": 3.9, \"busy_s_deviation\": 0.125}}");
    run->check =
        parse("{\"when\": \"auto\", \"state\": \"failed\", \"why\": null, \"seconds\": 0.25,"
              " \"checked\": 13, \"failed\": 1, \"differences\": [{\"what\": \"condition 3\","
              " \"found\": \"7\", \"wanted\": \"8\"}], \"cannot_hold\": [{\"what\":"
              " \"condition 5\", \"found\": \"2\", \"why\": \"published so\"}]}");
    run->vacuum = parse(vacuum);
    run->headlines = parse("[{\"name\": \"points_a_minute\", \"words\": \"point selects a minute\","
                           " \"value\": 18240.0}]");
    run->tallies = parse("{\"points\": 1216, \"far\": 18}");
    run->rates =
        parse("[{\"name\": \"far_points\", \"words\": \"point selects that went far\","
              " \"part\": 18, \"whole\": 1216, \"share\": 0.014802632, \"low\": 0.0095,"
              " \"high\": 0.0105, \"verdict\": \"too few\", \"source\": \"rule 7\"},"
              " {\"name\": \"points_each\", \"words\": \"points a select\", \"part\": 1216,"
              " \"whole\": 1216, \"share\": 1.0, \"low\": 9.5, \"high\": 10.5,"
              " \"verdict\": \"fail\", \"source\": null}]");
    run->ledgers = parse("[{\"name\": \"points\", \"words\": \"points in the table\","
                         " \"before\": 100, \"after\": 1315, \"growth\": 1215,"
                         " \"committed\": 1216, \"unknown\": 0, \"balanced\": false}]");
    run->plans =
        parse("{\"point_select\": {\"lines\": [\"Index Scan using points1_pkey on points1  "
              "(cost=0.29..8.30 rows=1 width=121)\", \"  Index Cond: (id = $1)\"],"
              " \"shape\": \"Index Scan using points*_pkey on points*\", \"error\": null}}");
    run->host = parse("{\"hostname\": \"bench\", \"cpus\": 4, \"cgroup\": {\"version\": 2,"
                      " \"cpus\": null, \"memory_bytes\": null}}");
    run->watched = frozen_watched();
    json_object_set_new(run->watched, "machine", frozen_machine());
    run->notes = parse("[]");
}

void frozen_closed(struct frozen *frozen, struct store *store)
{
    static const char *const names[] = { "point_select" };
    static const struct recorder_layout layout = { .lane_count = LANES,
                                                   .transaction_count = 1,
                                                   .statement_count = 1,
                                                   .transaction_names = names,
                                                   .statement_names = names,
                                                   .interval_ns = NS_PER_S };

    *frozen = (struct frozen){ 0 };
    begin(frozen, &layout);
    for (int i = 0; i < 8; i++)
        lane_connect(recorder_lane(frozen->recorder, i % LANES), (5 + i) * NS_PER_MS, false);
    for (int second = 0; second < WARMUP_S + MEASURE_S; second++) {
        for (int i = 0; i < LANES * A_SECOND; i++)
            point_select(recorder_lane(frozen->recorder, i % LANES), second, i / LANES,
                         (200 + (i * 37 + second * 11) % 100 * 10) * NS_PER_US +
                             (i == 77 && second == 4 ? 12345678 : 0));
        tick(frozen, store, second);
    }
    closed_facts(&frozen->run);
    rest(frozen, store);
}

/* ---- open ---- */

static const char *const open_transactions[] = { "new_order", "payment" };
static const char *const open_statements[] = { "select_item", "update_stock", "never_used" };

static void open_transaction(struct lane *lane, int second, int i)
{
    int64_t scheduled_ns = START_NS + second * NS_PER_S + i * 5 * NS_PER_MS;
    int64_t queued_ns = (i % 7) * 30 * NS_PER_US, took_ns = (1000 + i * 29 % 400) * NS_PER_US;
    enum outcome outcome = i % 40 == 3     ? OUTCOME_ROLLED_BACK
                           : i % 100 == 50 ? OUTCOME_FAILED
                           : i == 66       ? OUTCOME_UNKNOWN
                                           : OUTCOME_COMMITTED;

    lane_statement(lane, &(struct statement_record){ .statement = 0,
                                                     .phase = phase_of(second),
                                                     .kind = QUERY_READ,
                                                     .latency_ns = took_ns / 3,
                                                     .rows = 1 });
    lane_statement(lane, &(struct statement_record){ .statement = 1,
                                                     .phase = phase_of(second),
                                                     .kind = i % 10 ? QUERY_WRITE : QUERY_OTHER,
                                                     .latency_ns = took_ns / 2,
                                                     .rows = i % 10 ? 1 : 0 });
    lane_transaction(lane,
                     &(struct transaction_record){ .transaction = i % 2,
                                                   .phase = phase_of(second),
                                                   .outcome = outcome,
                                                   .attempts = i % 20 == 0 ? 2 : 1,
                                                   .scheduled_ns = scheduled_ns,
                                                   .sent_ns = scheduled_ns + queued_ns,
                                                   .done_ns = scheduled_ns + queued_ns + took_ns });
    if (i % 20 == 0)
        lane_error(lane, phase_of(second), "40001", 1,
                   "could not serialize access due to concurrent update");
    if (outcome == OUTCOME_FAILED)
        lane_error(lane, phase_of(second), "23505", 1, FROZEN_HOSTILE " \xff not UTF-8");
}

/* Five that never were sent and three that still ran at the end. */
static void leave_some(struct lane *lane)
{
    int64_t end_ns = START_NS + (WARMUP_S + MEASURE_S) * NS_PER_S;

    for (int i = 0; i < 8; i++) {
        int64_t scheduled_ns = end_ns - (i + 1) * 50 * NS_PER_MS;
        bool dropped = i < 5;
        lane_transaction(lane, &(struct transaction_record){
                                   .transaction = 0,
                                   .phase = PHASE_MEASURE,
                                   .outcome = dropped ? OUTCOME_DROPPED : OUTCOME_UNFINISHED,
                                   .attempts = dropped ? 0 : 1,
                                   .scheduled_ns = scheduled_ns,
                                   .sent_ns = dropped ? end_ns : scheduled_ns,
                                   .done_ns = end_ns });
    }
}

static void open_connect(struct lane *lane, int64_t took_ns, bool reopened)
{
    lane_connect(lane, took_ns, reopened);
    for (int i = 0; i < CONNECT_PARTS; i++)
        lane_connect_part(lane, (enum connect_part)i, took_ns * (i + 1) / 10);
}

/* Sections that few workloads have. */
static void set_beside(struct store_run *run)
{
    run->blocks = parse(
        "{\"read\": 3000, \"hit\": 1000, \"window_read\": 1500, \"window_hit\": 500,"
        " \"per_transaction\": 40.0, \"miss_share\": 0.75, \"riops\": 300.0,"
        " \"cache_hits_per_s\": 100.0, \"rpiops\": 30.0, \"device_read_bytes_per_s\": 245760.0,"
        " \"device_bytes_per_read\": 8192.0, \"page_cache_share\": 0.9, \"read_ahead_kb\": 128.0,"
        " \"wal_bytes_per_s\": 1000.5, \"server_cpu_us_per_block\": 4.25, \"settings\":"
        " {\"io_method\": null}, \"published\": {\"run_time_s\": 10, \"blks_read\": 3100,"
        " \"blks_hit\": 1100, \"riops\": 310, \"cache_hits_per_s\": 110, \"sessions\": 8,"
        " \"sessions_died\": 3, \"line\": \"DBNAME:  shop. 1 schemas\"}}");
    run->verdict = parse(
        "{\"limit\": \"row_locks\", \"found\": {\"name\": \"row_locks\", \"words\": \"row locks\","
        " \"area\": \"database design\", \"score\": 0.8, \"sentence\": \"sessions queue for rows\","
        " \"next\": \"more rows\", \"holders_at\": \"wal\", \"evidence\": [{\"name\":"
        " \"wait_lock\", \"words\": \"of the active sessions waited for locks\", \"value\": 0.5,"
        " \"form\": \"share\", \"wanted\": \"above\", \"threshold\": 0.2}]}, \"runner_up\": "
        "{\"name\":"
        " \"wal_flush\", \"words\": \"WAL flush\"}, \"missing\": [\"CPU of the server\"]}");
    run->network = parse("{\"sockets\": 8, \"min_rtt_ms\": 0.025, \"rtt_ms\": 0.125,"
                         " \"retransmits\": 1}");
    run->round_trips = parse("{\"count\": 200, \"not_kept\": 0, \"min_us\": 30.5, \"p50_us\": 40.0,"
                             " \"p99_us\": 90.25, \"max_us\": 100.0, \"tcp_rtt_us\": 25.0,"
                             " \"above_tcp_us\": 15.0, \"file\": \"round_trips.csv\"}");
}

static void open_facts(struct frozen *frozen)
{
    struct store_run *run = &frozen->run;
    json_t *why;

    frozen->options.label = "nightly.7";
    frozen->options.pipeline = true;
    run->workload = "tpcc";
    run->family = "tpcc";
    run->ended = "interrupted";
    run->exit_code = ERROR_INTERRUPTED;
    run->target = parse(
        "{\"port\": 6432, \"dbname\": \"tpcc\", \"user\": \"bench\","
        " \"tls\": {\"in_use\": true, \"protocol\": \"TLSv1.3\","
        " \"cipher\": \"TLS_AES_256_GCM_SHA384\", \"bits\": 256},"
        " \"in_recovery\": true, \"pooler\": \"another process id\", \"pooler_mode\": "
        "\"transaction\","
        " \"local\": false, \"load_sessions_tls\": {\"in_use\": true,"
        " \"protocol\": \"TLSv1.3\", \"cipher\": \"TLS_AES_256_GCM_SHA384\", \"bits\": 256}}");
    json_object_set_new(run->target, "host", json_string(FROZEN_HOSTILE));
    json_object_set_new(run->target, "version", json_string("18beta1 " FROZEN_HOSTILE));
    run->rate = parse("{\"arrival\": \"poisson\", \"wanted_per_s\": 202.0, \"ramp\": null,"
                      " \"achieved_share\": 0.990099009900990, \"kept\": true}");
    run->terminals = parse("{\"count\": 10000, \"wanted\": 200, \"pace_scale\": 20.0,"
                           " \"deferred\": {\"queued\": 48, \"mean_ms\": 0.051, \"p90_ms\": 0.12,"
                           " \"max_ms\": 0.4, \"left\": 2}}");
    set_beside(run);
    run->durability = parse("{\"durable\": false}");
    why = json_array();
    json_array_append_new(why, json_string("fsync is off"));
    json_array_append_new(why, json_string(FROZEN_HOSTILE));
    json_object_set_new(run->durability, "why", why);
    run->before = parse("{\"settings\": {\"fsync\": {\"value\": \"off\"}}}");
    run->books = parse("{\"client_commits\": 1156, \"server_commits\": 2212,"
                       " \"difference\": 0.913494809688581, \"ok\": false,"
                       " \"note\": \"others work in this database\"}");
    run->client = parse("{\"protocol\": \"prepared\", \"saturated\": true, \"shares_cpus\": false, "
                        "\"why\": \"worker 2 "
                        "used 99 % of its CPU\","
                        " \"workers\": [{\"cpu\": 0.5}, {\"cpu\": 0.99}]}");
    run->host = parse("{\"hostname\": \"bench\", \"cpus\": 4}");
    run->watched = parse(
        "{\"machine\": {\"host\": \"bench\", \"roles\": [\"client\"], \"why\": \"the server is on "
        "another machine: nothing is known of what that did\", \"server\": null,"
        " \"devices\": null, \"per_query\": {\"client_cpu_us\": 12.5}}}");
    run->outages = parse("[{\"at_s\": 3.25, \"seconds\": 1.207331, \"ended\": true,"
                         " \"code\": \"57P01\", \"failed\": 3, \"unknown\": 1, \"refused\": 9},"
                         " {\"at_s\": 6.5, \"seconds\": 0.5, \"ended\": false,"
                         " \"code\": \"net:closed\", \"failed\": 2, \"unknown\": 0,"
                         " \"refused\": 0}]");
    run->outages_unlisted = 2;
    run->notes = json_array();
    json_array_append_new(run->notes, json_string("the collector failed: " FROZEN_HOSTILE));
}

void frozen_open(struct frozen *frozen, struct store *store)
{
    static const struct recorder_layout layout = { .lane_count = LANES,
                                                   .transaction_count = 2,
                                                   .statement_count = 3,
                                                   .transaction_names = open_transactions,
                                                   .statement_names = open_statements,
                                                   .open_loop = true,
                                                   .interval_ns = NS_PER_S };

    *frozen = (struct frozen){ 0 };
    begin(frozen, &layout);
    for (int i = 0; i < 8; i++)
        open_connect(recorder_lane(frozen->recorder, i % LANES), (20 + i) * NS_PER_MS, i == 7);
    for (int second = 0; second < WARMUP_S + MEASURE_S; second++) {
        for (int i = 0; i < LANES * A_SECOND; i++)
            open_transaction(recorder_lane(frozen->recorder, i % LANES), second, i);
        if (second == WARMUP_S + MEASURE_S - 1)
            leave_some(recorder_lane(frozen->recorder, 0));
        tick(frozen, store, second);
    }
    open_facts(frozen);
    rest(frozen, store);
}

/* ---- empty ---- */

void frozen_empty(struct frozen *frozen)
{
    static const char *const names[] = { "point_select" };
    static const struct recorder_layout layout = { .lane_count = LANES,
                                                   .transaction_count = 1,
                                                   .statement_count = 1,
                                                   .transaction_names = names,
                                                   .statement_names = names,
                                                   .interval_ns = NS_PER_S };

    *frozen = (struct frozen){ 0 };
    begin(frozen, &layout);
    frozen->run.workload = "null";
    frozen->run.ended = "interrupted";
    frozen->run.exit_code = ERROR_INTERRUPTED;
    frozen->run.measure_begin_ns = frozen->run.measure_end_ns = 0;
    frozen->run.drained_ns = START_NS;
}

void frozen_close(struct frozen *frozen)
{
    json_decref(frozen->run.target);
    json_decref(frozen->run.before);
    json_decref(frozen->run.after);
    json_decref(frozen->run.durability);
    json_decref(frozen->run.books);
    json_decref(frozen->run.client);
    json_decref(frozen->run.host);
    json_decref(frozen->run.watched);
    json_decref(frozen->run.rate);
    json_decref(frozen->run.check);
    json_decref(frozen->run.vacuum);
    json_decref(frozen->run.headlines);
    json_decref(frozen->run.terminals);
    json_decref(frozen->run.blocks);
    json_decref(frozen->run.network);
    json_decref(frozen->run.verdict);
    json_decref(frozen->run.round_trips);
    json_decref(frozen->run.tallies);
    json_decref(frozen->run.rates);
    json_decref(frozen->run.ledgers);
    json_decref(frozen->run.plans);
    json_decref(frozen->run.outages);
    json_decref(frozen->run.notes);
    recorder_free(frozen->recorder);
}
