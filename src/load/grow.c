/*
 * grow.c - see grow.h.
 *
 * Growing is one transaction: the data set's row gets the new parameters, and each table that is
 * copied becomes one that lacks the rows beyond. What follows is a load that goes on, with keys in
 * place. Whether all else is as it was the fingerprint tells: with the old size put into the
 * options that are asked now, it must be the recorded one.
 */
#include "load/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "load/encode.h"
#include "load/state_data.h"

/* The job that would load the data with the growing option at `value`. */
static bool open_smaller(const struct job *job, int64_t value, struct load_setup *setup,
                         struct option_group *options, struct job *smaller)
{
    const struct workload *workload = job->setup->workload;
    const struct option *row = option_find(job->setup->options, 1, workload->grows, NULL);
    void *base = arena_take(job->arena, workload->options_size);
    void *world = workload->world_size > 0 ? arena_take(job->arena, workload->world_size) : NULL;
    struct error err;

    memcpy(base, job->setup->options->base, workload->options_size);
    *options = (struct option_group){ job->setup->options->rows, base };
    *setup = *job->setup;
    setup->options = options;
    setup->world = world;
    if (row == NULL ||
        !option_set(row, base, arena_format(job->arena, "%lld", (long long)value), job->arena,
                    &err) ||
        (workload->open != NULL && !workload->open(world, base, &err)))
        return false;
    if (workload->set_data_seed != NULL)
        workload->set_data_seed(world, setup->plan->data_seed);
    return job_open(smaller, setup, &err);
}

static bool same_texts(const char *const *a, const char *const *b)
{
    while (a != NULL && b != NULL && *a != NULL && *b != NULL && strcmp(*a, *b) == 0) {
        a++;
        b++;
    }
    return (a == NULL || *a == NULL) && (b == NULL || *b == NULL);
}

/* The first rows are the same, by all that a few of them tell. */
static bool same_rows(const struct job *job, const struct table_job *table,
                      const struct job *smaller)
{
    int64_t upto = smaller->tables[table->index].spec.row_count;
    struct copy_row old, now;
    struct error err;
    bool same;

    copy_open(&old);
    copy_open(&now);
    same = job_sample(smaller, &smaller->tables[table->index], upto, &old, &err) &&
           job_sample(job, table, upto, &now, &err) && old.length == now.length &&
           memcmp(old.bytes, now.bytes, old.length) == 0;
    copy_close(&old);
    copy_close(&now);
    return same;
}

static bool holds(const struct job *job, const struct job *smaller)
{
    if (job->table_count != smaller->table_count)
        return false;
    for (int i = 0; i < job->table_count; i++) {
        const struct table_spec *now = &job->tables[i].spec, *old = &smaller->tables[i].spec;
        if (strcmp(now->name, old->name) != 0 || strcmp(now->create, old->create) != 0 ||
            strcmp(now->columns, old->columns) != 0 || !same_texts(now->types, old->types) ||
            !same_texts(now->after, old->after) || !same_texts(now->links, old->links) ||
            now->row_count < old->row_count || !same_rows(job, &job->tables[i], smaller))
            return false;
    }
    return true;
}

bool grow_possible(struct job *job, const json_t *there)
{
    const char *name = job->setup->workload->grows;
    const char *recorded = json_string_value(json_object_get(there, "fingerprint"));
    struct job smaller = { .setup = NULL };
    struct load_setup setup;
    struct option_group options;
    char fingerprint[20];
    int64_t from, to;
    json_t *asked;

    if (name == NULL || job->setup->options == NULL || recorded == NULL)
        return false;
    asked = option_json(job->setup->options);
    from = json_integer_value(json_object_get(json_object_get(there, "parameters"), name));
    to = json_integer_value(json_object_get(asked, name));
    json_decref(asked);
    if (from <= 0 || to <= from)
        return false;
    job->growing = open_smaller(job, from, &setup, &options, &smaller);
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, smaller.fingerprint);
    job->growing = job->growing && strcmp(fingerprint, recorded) == 0 && holds(job, &smaller);
    for (int i = 0; job->growing && i < job->table_count; i++)
        job->tables[i].grown_from = smaller.tables[i].spec.row_count;
    if (job->growing)
        job_note(job, "%s grow from %lld to %lld: the rows beyond are added", name, (long long)from,
                 (long long)to);
    job_close(&smaller);
    return job->growing;
}

static bool grows(const struct table_job *table)
{
    return table->grown_from < table->spec.row_count;
}

void grow_adjust(struct job *job)
{
    job->checkpointed = false;
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        if (!grows(table))
            continue;
        if (table->copied == TODO_DONE && table->grown_from > 0)
            ranges_add(&table->done, 1, table->grown_from);
        table->copied = table->vacuumed = TODO_WAITING;
        table->rows = job_rows(&table->spec);
    }
}

static void add_growth(const struct job *job, struct text *sql, const struct table_job *table)
{
    const char *where = arena_format(
        job->arena, "family = %s AND name = %s AND kind =", job->family, table->literal);

    if (table->grown_from > 0)
        text_format(sql,
                    "UPDATE %s SET kind = 'chunk', part = 1, last = %lld, detail = %s"
                    " WHERE %s 'copied'; ",
                    job->state, (long long)table->grown_from,
                    table->counted ? "to_jsonb(last)" : "NULL", where);
    else
        text_format(sql, "DELETE FROM %s WHERE %s 'copied'; ", job->state, where);
    text_format(sql,
                "UPDATE %s SET last = %lld WHERE %s 'table'; DELETE FROM %s WHERE %s 'vacuum'; ",
                job->state, (long long)table->spec.row_count, where, job->state, where);
}

bool grow_record(struct job *job, struct error *err)
{
    json_t *detail = data_describe(job);
    char *words = json_dumps(detail, JSON_COMPACT);
    char *literal = PQescapeLiteral(job->guard.conn, words, strlen(words));
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    text_format(&sql,
                "BEGIN; UPDATE %s SET loader = '%s', detail = %s::jsonb"
                " WHERE family = %s AND kind = 'data set'; ",
                job->state, job->token, literal, job->family);
    for (int i = 0; i < job->table_count; i++)
        if (grows(&job->tables[i]))
            add_growth(job, &sql, &job->tables[i]);
    text_add(&sql, "COMMIT");
    ok = channel_run(&job->guard, sql.bytes, "writing pgdyno_dataset", err);
    text_close(&sql);
    PQfreemem(literal);
    free(words);
    json_decref(detail);
    return ok;
}
