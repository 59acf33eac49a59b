/*
 * job.c - a load's or drop's own memory, what its tables are, and the report it grows.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/memory.h"
#include "load/encode.h"
#include "load/job.h"

#define SAMPLE_ROWS      8
#define CONNECTIONS_MOST 4
/* A table gets another connection for each so many chunks: with C connections at work the rows lie
 * in windows of C chunks, and the correlation of id is about 1 - 0.75 / (chunks / C)^2. */
#define CHUNKS_PER_LANE 16

static volatile sig_atomic_t stop_asked;

void load_stop(void)
{
    stop_asked = 1;
}

static void stop_on_signal(int signal_number)
{
    (void)signal_number;
    load_stop();
}

void load_signals(void)
{
    struct sigaction action = { .sa_handler = stop_on_signal, .sa_flags = (int)SA_RESETHAND };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool load_stopped(void)
{
    return job_stopped();
}

bool job_stopped(void)
{
    return stop_asked != 0;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    /* FNV-1a; rng_mix() at the end of each piece keeps pieces apart. */
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return rng_mix(hash);
}

static uint64_t hash_spec(uint64_t hash, const struct table_spec *spec)
{
    hash = hash_bytes(hash, spec->name, strlen(spec->name));
    hash = hash_bytes(hash, spec->create, strlen(spec->create));
    hash = hash_bytes(hash, spec->columns, strlen(spec->columns));
    for (int i = 0; spec->after != NULL && spec->after[i] != NULL; i++)
        hash = hash_bytes(hash, spec->after[i], strlen(spec->after[i]));
    for (int i = 0; spec->links != NULL && spec->links[i] != NULL; i++)
        hash = hash_bytes(hash, spec->links[i], strlen(spec->links[i]));
    return hash_bytes(hash, &spec->row_count, sizeof spec->row_count);
}

bool job_sample(const struct job *job, const struct table_job *table, int64_t upto,
                struct copy_row *row, struct error *err)
{
    const struct load_setup *setup = job->setup;
    const uint64_t where[2] = { (uint64_t)setup->plan->data_seed, (uint64_t)table->index };
    int64_t count = upto < SAMPLE_ROWS ? upto : SAMPLE_ROWS;

    if (!copy_columns(row, table->spec.types, err))
        return error_wrap(err, "table %s", table->spec.name);
    for (int64_t i = 0; i < count; i++) {
        double share = count > 1 ? (double)i / (double)(count - 1) : 0;
        int64_t number = 1 + (int64_t)(share * (double)(upto - 1));
        copy_add(row, &table->spec, setup->world, where, number);
    }
    return true;
}

/* Makes some rows: how long they are, and what tells these data from others. */
static bool sample(struct job *job, struct table_job *table, struct error *err)
{
    int64_t count = table->spec.row_count < SAMPLE_ROWS ? table->spec.row_count : SAMPLE_ROWS;
    struct copy_row row;
    bool ok;

    job->fingerprint = hash_spec(job->fingerprint, &table->spec);
    copy_open(&row);
    ok = job_sample(job, table, table->spec.row_count, &row, err);
    job->fingerprint = hash_bytes(job->fingerprint, row.bytes, row.length);
    table->row_bytes = count > 0 ? (double)row.length / (double)count : 1;
    copy_close(&row);
    return ok;
}

static int choose_connections(const struct load_setup *setup)
{
    int count = setup->connections, cpus = cpus_allowed();

    if (count <= 0)
        count = cpus < CONNECTIONS_MOST ? cpus : CONNECTIONS_MOST;
    return count < LOAD_CONNECTIONS_MAX ? count : LOAD_CONNECTIONS_MAX;
}

static void plan_chunks(const struct job *job, struct table_job *table)
{
    int64_t chunks;

    table->chunk_rows = (int64_t)((double)LOAD_CHUNK_BYTES / table->row_bytes);
    if (table->chunk_rows < 1)
        table->chunk_rows = 1;
    chunks = table->spec.row_count / table->chunk_rows;
    table->lanes_max = job->connections;
    if (chunks / CHUNKS_PER_LANE < table->lanes_max)
        table->lanes_max = (int)(chunks / CHUNKS_PER_LANE);
    if (table->lanes_max < 1)
        table->lanes_max = 1;
}

static void count_statements(struct job *job, struct statements *list, const char *const *texts)
{
    list->texts = texts;
    while (texts != NULL && texts[list->count] != NULL)
        list->count++;
    list->todo = ARENA_ARRAY(job->arena, enum todo, list->count + 1);
}

int64_t job_rows(const struct table_spec *spec)
{
    return spec->rows_each > 0 ? (int64_t)((double)spec->row_count * spec->rows_each + 0.5)
                               : spec->row_count;
}

static bool describe(struct job *job, int index, struct error *err)
{
    const struct load_setup *setup = job->setup;
    struct table_job *table = &job->tables[index];

    table->index = index;
    table->after = (struct statements){ .step = "index", .kind = "after" };
    table->links = (struct statements){ .step = "link", .kind = "link" };
    setup->workload->describe(&table->spec, setup->world, index, job->arena);
    table->counted = table->spec.rows_each > 0;
    table->rows = job_rows(&table->spec);
    count_statements(job, &table->after, table->spec.after);
    count_statements(job, &table->links, table->spec.links);
    if (!sample(job, table, err))
        return false;
    plan_chunks(job, table);
    return true;
}

bool job_open(struct job *job, const struct load_setup *setup, struct error *err)
{
    uint64_t random = rng_mix(rng_fresh_seed() ^ (uint64_t)clock_wall_ns());

    *job = (struct job){ .setup = setup, .arena = arena_new(LOAD_ARENA_BYTES) };
    stall_open(&job->stall, setup);
    snprintf(job->token, sizeof job->token, "%016llx", (unsigned long long)random);
    job->phases = json_array();
    job->steps = json_array();
    job->notes = json_array();
    job->connections = choose_connections(setup);
    if (setup->workload->table_count != NULL)
        job->table_count = setup->workload->table_count(setup->world);
    job->tables = ARENA_ARRAY(job->arena, struct table_job, job->table_count + 1);
    for (int i = 0; i < job->table_count; i++)
        if (!describe(job, i, err))
            return false;
    for (int i = 0; i < job->table_count; i++) {
        render_parents(job, &job->tables[i]);
        job->linked = job->linked || job->tables[i].links.count > 0;
    }
    object_describe(job);
    return true;
}

void job_close(struct job *job)
{
    channel_close(&job->guard);
    stall_close(&job->stall);
    for (int i = 0; i < job->table_count; i++) {
        ranges_close(&job->tables[i].done);
        ranges_close(&job->tables[i].taken);
    }
    json_decref(job->phases);
    json_decref(job->steps);
    json_decref(job->notes);
    arena_free(job->arena);
}

void job_note(struct job *job, const char *format, ...)
{
    char words[ERROR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    json_array_append_new(job->notes, json_string(words));
}

void job_step(struct job *job, const struct step *step)
{
    double seconds = (double)(clock_now_ns() - step->begin_ns) / (double)NS_PER_S;

    json_array_append_new(job->steps,
                          json_pack("{s:s, s:s, s:f, s:I, s:I}", "step", step->step, "what",
                                    step->what, "seconds", seconds, "rows", (json_int_t)step->rows,
                                    "bytes", (json_int_t)step->bytes));
}
