/*
 * copy.c - makes the tables and fills them: chunks of about a megabyte, handed out in ascending
 * order.
 *
 * A chunk's COPY and its row in pgdyno_dataset are one transaction, and it does not wait for the
 * disk: when the server crashes both are gone together. What is there is read back in a
 * transaction that does wait, before a table counts as copied; so rows that a crash took are found
 * missing and copied again.
 */
#include "base/clock.h"
#include "load/crew.h"
#include "load/encode.h"

#define SEND_BYTES (64 * 1024)
#define MERGE_EACH 128 /* chunks of a table; keeps pgdyno_dataset small */
#define SEALS_MAX  5   /* a server that loses rows so often is not worth loading */

/* ---- making tables ---- */

static enum take take_table(struct job *job, struct task *task)
{
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        if (table->made != TODO_WAITING)
            continue;
        table->made = TODO_RUNNING;
        task->table = table;
        task->what = table->spec.name;
        task->rows = table->spec.row_count;
        return TAKE_TASK;
    }
    return TAKE_END;
}

static void done_table(struct job *job, struct task *task)
{
    (void)job;
    task->table->made = TODO_DONE;
}

static bool run_table(struct job *job, struct channel *channel, struct task *task,
                      struct error *err)
{
    struct table_job *table = task->table;
    const struct mark mark = { .kind = "table", .table = table };
    struct text sql, rest;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    text_init(&rest, LOAD_SQL_MAX);
    /* Its oid is what tells our table from another of that name. */
    text_format(&rest,
                "%lld, (SELECT oid FROM pg_class WHERE relnamespace = %u AND relname = %s), "
                "NULL",
                (long long)table->spec.row_count, job->schema_oid, table->literal);
    state_begin_sql(job, &sql);
    text_format(&sql, "CREATE TABLE %s %s; ", table->quoted, table->spec.create);
    state_record_sql(job, &sql, &mark, rest.bytes);
    text_add(&sql, "; COMMIT");
    ok = channel_run(channel, sql.bytes, "creating it", err) ||
         error_wrap(err, "table %s", table->spec.name);
    text_close(&sql);
    text_close(&rest);
    return ok;
}

static bool known_table(struct job *job, struct channel *channel, const struct task *task,
                        bool *answer, struct error *err)
{
    const struct mark mark = { .kind = "table", .table = task->table };

    return state_recorded(job, channel, &mark, answer, err);
}

bool create_tables(struct job *job, struct error *err)
{
    static const struct work work = { .step = "create",
                                      .cancel = true,
                                      .take = take_table,
                                      .done = done_table,
                                      .run = run_table,
                                      .known = known_table };
    struct amount amount = { 0, 0 };

    for (int i = 0; i < job->table_count; i++)
        if (job->tables[i].made != TODO_DONE)
            amount.rows_total += job->tables[i].spec.row_count;
    return crew_run(job, &work, &amount, job->connections, err);
}

/* ---- filling them ---- */

/* Rows that come when the table is linked already must find those that they name. */
static bool waits_for_parents(const struct table_job *table)
{
    if (table->links.count == 0 || table->links.todo[0] != TODO_DONE)
        return false;
    for (int i = 0; i < table->parent_count; i++)
        if (table->parents[i]->copied != TODO_DONE)
            return true;
    return false;
}

/* COPY rows that so many numbers say, for the progress. */
static int64_t rows_of(const struct table_job *table, int64_t numbers)
{
    double each = table->spec.rows_each > 0 ? table->spec.rows_each : 1;

    return (int64_t)((double)numbers * each + 0.5);
}

static bool take_from(struct table_job *table, struct task *task)
{
    const struct range whole = { 1, table->spec.row_count };
    struct range chunk;

    if (table->copied != TODO_WAITING || table->lanes >= table->lanes_max ||
        waits_for_parents(table))
        return false;
    task->seal = !ranges_missing(&table->taken, whole, table->chunk_rows, &chunk);
    if (task->seal) {
        if (table->lanes > 0) /* The last chunks are still on their way. */
            return false;
        table->copied = TODO_RUNNING;
        return true;
    }
    ranges_add(&table->taken, chunk.first, chunk.last);
    table->lanes++;
    task->part = chunk.first;
    task->last = chunk.last;
    task->rows = rows_of(table, chunk.last - chunk.first + 1);
    if (table->begin_ns == 0)
        table->begin_ns = clock_now_ns();
    return true;
}

static enum take take_chunk(struct job *job, struct task *task)
{
    bool open = false;

    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        if (table->copied == TODO_DONE)
            continue;
        open = true;
        if (!take_from(table, task))
            continue;
        task->table = table;
        task->what = table->spec.name;
        return TAKE_TASK;
    }
    return open ? TAKE_WAIT : TAKE_END;
}

static void done_seal(struct job *job, struct table_job *table)
{
    const struct step step = { "copy", table->spec.name, table->begin_ns, table->added,
                               table->bytes };

    if (ranges_rows(&table->done) == table->spec.row_count) {
        table->copied = TODO_DONE;
        job_step(job, &step);
        return;
    }
    /* Some are gone: once more for what is missing. */
    table->copied = TODO_WAITING;
    ranges_clear(&table->taken);
    for (int i = 0; i < table->done.count; i++)
        ranges_add(&table->taken, table->done.list[i].first, table->done.list[i].last);
}

static void done_chunk(struct job *job, struct task *task)
{
    struct table_job *table = task->table;

    if (task->seal) {
        done_seal(job, table);
        return;
    }
    table->lanes--;
    table->bytes += task->bytes;
    table->added += task->added;
}

static bool send_rows(struct job *job, struct channel *channel, struct task *task,
                      struct copy_row *row, struct error *err)
{
    const struct table_spec *spec = &task->table->spec;
    const uint64_t where[2] = { (uint64_t)job->setup->plan->data_seed,
                                (uint64_t)task->table->index };

    copy_begin(row);
    for (int64_t number = task->part; number <= task->last; number++) {
        copy_add(row, spec, job->setup->world, where, number);
        if (row->length >= SEND_BYTES) {
            if (!channel_copy_bytes(channel, row->bytes, row->length, err))
                return false;
            task->bytes += (int64_t)row->length;
            row->length = 0;
        }
    }
    copy_end(row);
    task->bytes += (int64_t)row->length;
    return channel_copy_bytes(channel, row->bytes, row->length, err) &&
           channel_copy_end(channel, err);
}

/* `rows` are told where they are more than the numbers. */
static void add_record_sql(struct job *job, struct text *sql, const struct task *task, int64_t rows)
{
    const struct mark mark = { "chunk", task->table, task->part, task->last, NULL };
    char rest[96];

    if (task->table->counted)
        snprintf(rest, sizeof rest, "%lld, NULL, '%lld'", (long long)task->last, (long long)rows);
    else
        snprintf(rest, sizeof rest, "%lld, NULL, NULL", (long long)task->last);
    state_record_sql(job, sql, &mark, rest);
    text_add(sql, "; COMMIT");
}

/* Where rows are counted the record follows when they are, else it travels with the COPY. */
static void add_copy_sql(struct job *job, struct text *sql, const struct task *task)
{
    const struct table_job *table = task->table;

    state_begin_sql(job, sql);
    text_format(sql, "SET LOCAL synchronous_commit = off; COPY %s (%s) FROM STDIN (FORMAT binary)",
                table->quoted, table->spec.columns);
    if (table->counted)
        return;
    text_add(sql, "; ");
    add_record_sql(job, sql, task, 0);
}

static bool record_counted(struct job *job, struct channel *channel, const struct task *task,
                           int64_t rows, struct error *err)
{
    struct text sql;
    bool ok;

    if (!task->table->counted)
        return true;
    text_init(&sql, LOAD_SQL_MAX);
    add_record_sql(job, &sql, task, rows);
    ok = channel_run(channel, sql.bytes, "recording the rows", err);
    text_close(&sql);
    return ok;
}

static bool run_copy(struct job *job, struct channel *channel, struct task *task, struct error *err)
{
    struct copy_row row;
    struct text sql;
    bool ok;

    task->bytes = 0;
    text_init(&sql, LOAD_SQL_MAX);
    add_copy_sql(job, &sql, task);
    copy_open(&row);
    ok = copy_columns(&row, task->table->spec.types, err) &&
         channel_copy_begin(channel, sql.bytes, err) && send_rows(job, channel, task, &row, err) &&
         record_counted(job, channel, task, row.rows, err);
    task->added = row.rows;
    copy_close(&row);
    text_close(&sql);
    return ok || error_wrap(err, "table %s, copying rows %lld to %lld", task->table->spec.name,
                            (long long)task->part, (long long)task->last);
}

static bool run_chunk(struct job *job, struct channel *channel, struct task *task,
                      struct error *err)
{
    struct table_job *table = task->table;
    bool whole;

    if (!task->seal)
        return run_copy(job, channel, task, err) &&
               (task->part / table->chunk_rows % MERGE_EACH != MERGE_EACH - 1 ||
                state_merge(job, channel, table, err));
    if (!state_seal(job, channel, table, &whole, err))
        return false;
    if (!whole && ++table->seals >= SEALS_MAX)
        return error_set(err, ERROR_SERVER, "table %s: the server keeps losing rows that it had",
                         table->spec.name);
    return true;
}

static bool known_chunk(struct job *job, struct channel *channel, const struct task *task,
                        bool *answer, struct error *err)
{
    const struct mark chunk = { "chunk", task->table, task->part, task->last, NULL };
    const struct mark copied = { .kind = "copied", .table = task->table };

    if (!state_recorded(job, channel, task->seal ? &copied : &chunk, answer, err))
        return false;
    if (task->seal && *answer &&
        task->table->spec.row_count > 0) /* Its chunks are merged away by then. */
        ranges_add(&task->table->done, 1, task->table->spec.row_count);
    return true;
}

bool copy_rows(struct job *job, struct error *err)
{
    static const struct work work = { .step = "copy",
                                      .take = take_chunk,
                                      .done = done_chunk,
                                      .run = run_chunk,
                                      .known = known_chunk };
    struct amount amount = { 0, 0 };

    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        amount.rows_total += rows_of(table, table->spec.row_count);
        amount.rows_before += rows_of(
            table, table->copied == TODO_DONE ? table->spec.row_count : ranges_rows(&table->done));
        for (int at = 0; at < table->done.count; at++)
            ranges_add(&table->taken, table->done.list[at].first, table->done.list[at].last);
    }
    return crew_run(job, &work, &amount, job->connections, err);
}
