/*
 * blocks.c - see blocks.h.
 */
#include "command/blocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "command/common.h"
#include "engine/engine.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

#define NAMES_ARENA_MAX ((size_t)64 << 20)
#define BLOCK_BYTES     8192

/* ---- counting ---- */

static char *list_tables(const struct workload *workload, const void *world)
{
    struct arena *arena = arena_new(NAMES_ARENA_MAX);
    struct text names;

    text_init(&names, WORKLOAD_SQL_MAX);
    for (int i = 0; i < workload->table_count(world); i++) {
        struct table_spec table;
        workload->describe(&table, world, i, arena);
        text_format(&names, "%sto_regclass('%s')", i > 0 ? ", " : "", table.name);
    }
    arena_free(arena);
    return text_finish(&names);
}

/* `tables` goes into a parenthesis that the question has opened; "": it has not. */
static int64_t ask(const struct blocks *blocks, const char *question, const char *tables)
{
    char *sql = memory_format("SELECT %s%s%s", question, tables, tables[0] != '\0' ? ")" : "");
    int64_t number;
    bool told = collect_whole(blocks->collect, sql, &number);

    memory_free(sql);
    return told ? number : -1;
}

#define OF_TABLES(columns)                   \
    "coalesce(sum(" columns "), 0)::bigint " \
    "FROM pg_catalog.pg_statio_all_tables WHERE relid IN ("
#define OF_DATABASE(column) \
    column " FROM pg_catalog.pg_stat_database WHERE datname = current_database()"
#define WAL_BYTES                             \
    "CASE WHEN NOT pg_is_in_recovery() THEN " \
    "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint END"

static struct blocks_count count(const struct blocks *blocks)
{
    return (struct blocks_count){
        .read = ask(blocks, OF_TABLES("coalesce(heap_blks_read, 0) + coalesce(idx_blks_read, 0)"),
                    blocks->names),
        .hit = ask(blocks, OF_TABLES("coalesce(heap_blks_hit, 0) + coalesce(idx_blks_hit, 0)"),
                   blocks->names),
        .database_read = ask(blocks, OF_DATABASE("blks_read"), ""),
        .database_hit = ask(blocks, OF_DATABASE("blks_hit"), ""),
        .wal = ask(blocks, WAL_BYTES, ""),
        .at_ns = clock_now_ns(),
    };
}

void blocks_begin(struct blocks *blocks, struct collect *collect, const struct workload *workload,
                  const void *world)
{
    *blocks = (struct blocks){ .collect = NULL };
    if (collect == NULL || !workload->counts_blocks)
        return;
    blocks->collect = collect;
    blocks->names = list_tables(workload, world);
    blocks->before = count(blocks);
}

void blocks_window(struct blocks *blocks, int64_t start_ns, int64_t begin_ns)
{
    if (begin_ns <= start_ns || clock_now_ns() < begin_ns || blocks->collect == NULL ||
        blocks->in_window || collect_is_hurried(blocks->collect))
        return;
    blocks->in_window = true;
    blocks->window = count(blocks);
}

void blocks_close(struct blocks *blocks)
{
    memory_free(blocks->names);
    *blocks = (struct blocks){ .collect = NULL };
}

/* ---- figures ---- */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

struct blocks_rates blocks_rates(const struct blocks_sums *sums)
{
    struct blocks_rates rates;
    double per_s = ratio((double)sums->window_transactions, sums->seconds), accesses;

    rates.per_transaction =
        ratio((double)(sums->life_read + sums->life_hit), (double)sums->life_transactions);
    rates.miss_share =
        ratio((double)sums->window_read, (double)(sums->window_read + sums->window_hit));
    accesses = rates.per_transaction * per_s;
    rates.read_per_s = accesses * rates.miss_share;
    rates.hit_per_s = accesses * (1 - rates.miss_share);
    return rates;
}

/* Begun by a session, whatever came of them. */
static int64_t begun(struct recorder *recorder, enum phase phase)
{
    const struct counts *counts = &recorder_totals(recorder, phase)->all;

    return counts->scheduled - counts->outcome[OUTCOME_DROPPED];
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null();
}

static bool told(const struct blocks_count *count)
{
    return count->read >= 0 && count->hit >= 0;
}

static void add_rates(json_t *json, const struct blocks *blocks, const struct blocks_count *after,
                      const struct blocks_asked *asked)
{
    const struct engine_facts *facts = asked->facts;
    const struct blocks_count *window = blocks->in_window ? &blocks->window : &blocks->before;
    struct blocks_sums sums = {
        .life_read = after->read - blocks->before.read,
        .life_hit = after->hit - blocks->before.hit,
        .window_read = after->read - window->read,
        .window_hit = after->hit - window->hit,
        .window_transactions = begun(asked->recorder, PHASE_MEASURE),
        .seconds = (double)(facts->measure_end_ns - facts->measure_begin_ns) / (double)NS_PER_S,
    };
    struct blocks_rates rates = { NAN, NAN, NAN, NAN };
    bool all = told(&blocks->before) && told(window) && told(after);

    sums.life_transactions = sums.window_transactions + begun(asked->recorder, PHASE_WARMUP);
    if (all)
        rates = blocks_rates(&sums);
    json_object_set_new(json, "read", all ? json_integer(sums.life_read) : json_null());
    json_object_set_new(json, "hit", all ? json_integer(sums.life_hit) : json_null());
    json_object_set_new(json, "window_read", all ? json_integer(sums.window_read) : json_null());
    json_object_set_new(json, "window_hit", all ? json_integer(sums.window_hit) : json_null());
    json_object_set_new(json, "per_transaction", number(rates.per_transaction));
    json_object_set_new(json, "miss_share", number(rates.miss_share));
    json_object_set_new(json, "riops", number(rates.read_per_s));
    json_object_set_new(json, "cache_hits_per_s", number(rates.hit_per_s));
}

/* ---- beside them: devices, WAL, CPU ---- */

static double real_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The first device under the data. */
static const json_t *data_device(const json_t *machine)
{
    json_t *devices = json_object_get(machine, "devices"), *device, *what;
    size_t index, at;

    json_array_foreach(devices, index, device)
    {
        json_array_foreach(json_object_get(device, "for"), at, what)
        {
            if (strcmp(json_string_value(what), "data") == 0)
                return device;
        }
    }
    return NULL;
}

/* Of a disk or of the one that the partition is on; NaN when the kernel does not tell. */
static double read_ahead_kb(const char *device)
{
    static const char *const places[] = { "queue", "../queue" };
    double kb = NAN;

    for (int i = 0; i < COUNT_OF(places) && isnan(kb); i++) {
        char *path = memory_format("/sys/class/block/%s/%s/read_ahead_kb", device, places[i]);
        FILE *file = fopen(path, "re");
        if (file != NULL && fscanf(file, "%lf", &kb) != 1)
            kb = NAN;
        if (file != NULL)
            fclose(file);
        memory_free(path);
    }
    return kb;
}

/* What the devices under the data did in the same window; of everybody who uses them. */
static void add_devices(json_t *json, const struct blocks_asked *asked)
{
    const json_t *device = data_device(asked->machine);
    const char *name = json_string_value(json_object_get(device, "name"));
    double seconds = real_of(asked->machine, "seconds"), reads = real_of(device, "reads");
    double bytes = real_of(device, "read_bytes"), riops = real_of(json, "riops");
    double share = 1 - bytes / (riops * seconds * BLOCK_BYTES);

    json_object_set_new(json, "rpiops", number(reads / seconds));
    json_object_set_new(json, "device_read_bytes_per_s", number(bytes / seconds));
    json_object_set_new(json, "device_bytes_per_read", number(ratio(bytes, reads)));
    json_object_set_new(json, "page_cache_share", number(riops > 0 ? fmax(share, 0) : NAN));
    json_object_set_new(json, "read_ahead_kb", number(name != NULL ? read_ahead_kb(name) : NAN));
}

static void add_costs(json_t *json, const struct blocks *blocks, const struct blocks_count *after,
                      const struct blocks_asked *asked)
{
    const struct blocks_count *window = blocks->in_window ? &blocks->window : &blocks->before;
    int64_t since_ns = blocks->in_window ? window->at_ns : asked->facts->start_ns;
    double seconds = (double)(asked->facts->drained_ns - since_ns) / (double)NS_PER_S;
    double accesses = (real_of(json, "riops") + real_of(json, "cache_hits_per_s")) *
                      real_of(asked->machine, "seconds");
    double cpu_s = real_of(json_object_get(asked->machine, "server"), "cpu_s");
    bool known = after->wal >= 0 && window->wal >= 0;

    json_object_set_new(json, "wal_bytes_per_s",
                        number(known ? ratio((double)(after->wal - window->wal), seconds) : NAN));
    json_object_set_new(json, "server_cpu_us_per_block", number(ratio(1e6 * cpu_s, accesses)));
}

/* Settings that the figures hang on. */
static json_t *settings(const json_t *before)
{
    static const char *const names[] = { "effective_io_concurrency", "io_combine_limit",
                                         "io_method", "io_workers", "shared_buffers" };
    const json_t *all = json_object_get(before, "all_settings");
    json_t *json = json_object();

    for (int i = 0; i < COUNT_OF(names); i++) {
        json_t *value = json_object_get(all, names[i]);
        json_object_set_new(json, names[i], value != NULL ? json_incref(value) : json_null());
    }
    return json;
}

/* ---- as published ---- */

static int64_t whole_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static void note_died(const struct counts *counts, json_t *notes)
{
    int64_t died = counts->scheduled - counts->outcome[OUTCOME_COMMITTED];
    char *words;

    if (died == 0)
        return;
    words =
        memory_format("%" PRId64 " of %" PRId64 " sessions died: from then on the load was that "
                      "of the others, and RIOPS are not those of the sessions asked for",
                      died, counts->scheduled);
    json_array_append_new(notes, json_string(words));
    memory_free(words);
}

/* The last line of the published script and its arithmetic: counters of the whole database by whole
 * seconds, cut to whole numbers (spec pgio 1.6). */
static json_t *published(const struct blocks *blocks, const struct blocks_count *after,
                         const struct blocks_asked *asked, const json_t *options)
{
    const struct counts *counts = &recorder_totals(asked->recorder, PHASE_MEASURE)->all;
    int64_t seconds = (asked->facts->drained_ns - asked->facts->start_ns) / NS_PER_S;
    int64_t read = after->database_read - blocks->before.database_read;
    int64_t hit = after->database_hit - blocks->before.database_hit;
    json_t *json = json_object();
    char *line;

    if (seconds < 1 || after->database_read < 0 || blocks->before.database_read < 0 ||
        after->database_hit < 0 || blocks->before.database_hit < 0) {
        json_decref(json);
        return json_null();
    }
    line = memory_format("DBNAME:  %s. %" PRId64 " schemas, %" PRId64
                         " threads(each). Run time: %" PRId64 " seconds. RIOPS >%" PRId64
                         "< CACHE_HITS/s >%" PRId64 "<",
                         text_of(asked->target, "dbname"), whole_of(options, "num-schemas"),
                         whole_of(options, "num-threads"), seconds, read / seconds, hit / seconds);
    json_object_set_new(json, "run_time_s", json_integer(seconds));
    json_object_set_new(json, "blks_read", json_integer(read));
    json_object_set_new(json, "blks_hit", json_integer(hit));
    json_object_set_new(json, "riops", json_integer(read / seconds));
    json_object_set_new(json, "cache_hits_per_s", json_integer(hit / seconds));
    json_object_set_new(json, "sessions", json_integer(counts->scheduled));
    json_object_set_new(json, "sessions_died",
                        json_integer(counts->scheduled - counts->outcome[OUTCOME_COMMITTED]));
    json_object_set_new(json, "line", json_string(line));
    memory_free(line);
    note_died(counts, asked->notes);
    return json;
}

json_t *blocks_end(const struct blocks *blocks, const struct blocks_asked *asked)
{
    bool known = blocks->collect != NULL && !collect_is_hurried(blocks->collect) &&
                 asked->facts->pooling == POOLING_NONE && asked->facts->host_count <= 1;
    struct blocks_count after = { -1, -1, -1, -1, -1, 0 };
    json_t *json, *options;

    if (blocks->collect == NULL)
        return NULL;
    if (known)
        after = count(blocks);
    options = option_json(&asked->call->groups[1]);
    json = json_object();
    add_rates(json, blocks, &after, asked);
    add_devices(json, asked);
    add_costs(json, blocks, &after, asked);
    json_object_set_new(json, "settings", settings(asked->before));
    json_object_set_new(json, "published",
                        strcmp(text_of(options, "compat"), "pgio1") == 0
                            ? published(blocks, &after, asked, options)
                            : json_null());
    json_decref(options);
    return json;
}
