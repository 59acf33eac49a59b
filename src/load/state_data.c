/*
 * state_data.c - see state_data.h.
 *
 * Which option matters to the data only the workload knows; so data are held to be the same when
 * their fingerprint is: a hash over every table's definition and some of its rows as they would be
 * made. The parameters are kept for the message.
 */
#include "load/state_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load/grow.h"

json_t *data_describe(const struct job *job)
{
    const struct load_setup *setup = job->setup;
    char fingerprint[20];

    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, job->fingerprint);
    return json_pack("{s:i, s:s, s:I, s:o, s:s}", "version", LOAD_STATE_VERSION, "workload",
                     setup->workload->name, "data-seed", (json_int_t)setup->plan->data_seed,
                     "parameters",
                     setup->options != NULL ? option_json(setup->options) : json_object(),
                     "fingerprint", fingerprint);
}

static void add_difference(struct text *out, const char *name, const json_t *there,
                           const json_t *asked)
{
    char *old = there != NULL ? json_dumps(there, JSON_ENCODE_ANY) : NULL;
    char *wanted = asked != NULL ? json_dumps(asked, JSON_ENCODE_ANY) : NULL;

    text_format(out, "%s%s is %s there and %s is asked", out->length > 0 ? "; " : "", name,
                old != NULL ? old : "unknown", wanted != NULL ? wanted : "nothing");
    free(old);
    free(wanted);
}

static void list_differences(struct text *out, const json_t *there, const json_t *asked)
{
    const json_t *parameters = json_object_get(there, "parameters");
    /* jansson's macro takes no const; it changes nothing. */
    json_t *wanted = json_object_get(asked, "parameters"), *value;
    const char *name;

    if (!json_equal(json_object_get(there, "data-seed"), json_object_get(asked, "data-seed")))
        add_difference(out, "data-seed", json_object_get(there, "data-seed"),
                       json_object_get(asked, "data-seed"));
    json_object_foreach(wanted, name, value)
    {
        const json_t *old = json_object_get(parameters, name);
        if (!json_equal(old, value))
            add_difference(out, name, old, value);
    }
}

bool data_compare(const json_t *there, const json_t *asked, struct error *err)
{
    json_int_t version = json_integer_value(json_object_get(there, "version"));
    const char *old = json_string_value(json_object_get(there, "fingerprint"));
    const char *wanted = json_string_value(json_object_get(asked, "fingerprint"));
    struct text words;

    if (version == LOAD_STATE_VERSION && old != NULL && strcmp(old, wanted) == 0)
        return true;
    text_init(&words, LOAD_SQL_MAX);
    list_differences(&words, there, asked);
    if (words.length == 0)
        text_add(&words, "another version of pgdyno made them");
    error_set(
        err, ERROR_PLAN,
        "other data are there: %s. Use --force to drop and rebuild them, ask for the same, or "
        "use another schema",
        words.bytes);
    text_close(&words);
    return false;
}

/* ---- reading ---- */

/* The row of the data set. `there` NULL: none. */
static bool read_data_set(struct job *job, json_t **there, struct error *err)
{
    const char *values[] = { job->setup->workload->family };
    const char *sql = arena_format(
        job->arena, "SELECT detail FROM %s WHERE family = $1 AND kind = 'data set'", job->state);
    PGresult *found = channel_ask(&job->guard, sql, 1, values, err);
    bool ok = true;

    *there = NULL;
    if (found == NULL)
        return error_wrap(err, "reading pgdyno_dataset");
    if (PQntuples(found) > 0) {
        *there = json_loads(PQgetvalue(found, 0, 0), 0, NULL);
        if (*there == NULL)
            ok = error_set(err, ERROR_PLAN,
                           "the table pgdyno_dataset in schema %s holds what pgdyno never wrote",
                           job->schema);
    }
    PQclear(found);
    return ok;
}

/* Table names to their place in job->tables. Owned. */
static json_t *index_tables(const struct job *job)
{
    json_t *places = json_object();

    for (int i = 0; i < job->table_count; i++)
        json_object_set_new(places, job->tables[i].spec.name, json_integer(i));
    return places;
}

static struct table_job *find_table(struct job *job, const json_t *places, const char *name)
{
    const json_t *place = json_object_get(places, name);

    return place != NULL ? &job->tables[json_integer_value(place)] : NULL;
}

static void take_copied(struct table_job *table, const char *last)
{
    table->copied = TODO_DONE;
    if (table->counted)
        table->rows = strtoll(last, NULL, 10);
}

/* One row of pgdyno_dataset into the table it speaks of. */
static void take_row(struct table_job *table, const char *kind, int64_t part, const char *last,
                     uint32_t relation)
{
    if (strcmp(kind, "table") == 0)
        table->relation = relation;
    else if (strcmp(kind, "chunk") == 0)
        ranges_add(&table->done, part, strtoll(last, NULL, 10));
    else if (strcmp(kind, "copied") == 0)
        take_copied(table, last);
    else if (strcmp(kind, "after") == 0 && part >= 0 && part < table->after.count)
        table->after.todo[part] = TODO_DONE;
    else if (strcmp(kind, "link") == 0 && part >= 0 && part < table->links.count)
        table->links.todo[part] = TODO_DONE;
    else if (strcmp(kind, "vacuum") == 0)
        table->vacuumed = TODO_DONE;
}

static bool read_rows(struct job *job, const json_t *places, struct error *err)
{
    const char *values[] = { job->setup->workload->family };
    const char *sql = arena_format(job->arena,
                                   "SELECT kind, name, part, last, relation FROM %s"
                                   " WHERE family = $1 AND kind <> 'data set' ORDER BY name, part",
                                   job->state);
    PGresult *found = channel_ask(&job->guard, sql, 1, values, err);

    if (found == NULL)
        return error_wrap(err, "reading pgdyno_dataset");
    for (int i = 0; i < PQntuples(found); i++) {
        const char *kind = PQgetvalue(found, i, 0);
        struct table_job *table = find_table(job, places, PQgetvalue(found, i, 1));
        if (strcmp(kind, "checkpoint") == 0)
            job->checkpointed = true;
        if (table != NULL)
            take_row(table, kind, strtoll(PQgetvalue(found, i, 2), NULL, 10),
                     PQgetvalue(found, i, 3), (uint32_t)strtoul(PQgetvalue(found, i, 4), NULL, 10));
    }
    PQclear(found);
    return true;
}

/* Holds the relations of the schema against what is recorded. */
static bool compare_relations(struct job *job, const json_t *places, struct error *err)
{
    const char *sql = arena_format(
        job->arena, "SELECT relname, oid FROM pg_class WHERE relnamespace = %u", job->schema_oid);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);
    bool ok = true;

    if (found == NULL)
        return error_wrap(err, "looking for tables");
    for (int i = 0; i < PQntuples(found) && ok; i++) {
        struct table_job *table = find_table(job, places, PQgetvalue(found, i, 0));
        uint32_t oid = (uint32_t)strtoul(PQgetvalue(found, i, 1), NULL, 10);
        if (table == NULL)
            continue;
        if (table->relation != oid)
            ok = error_set(err, ERROR_PLAN,
                           "%s in schema %s was not made by pgdyno load and is not touched: "
                           "rename or drop it, or use another schema",
                           table->spec.name, job->schema);
        table->made = TODO_DONE;
    }
    PQclear(found);
    return ok;
}

static void forget_statements(struct table_job *table)
{
    memset(table->after.todo, 0, sizeof *table->after.todo * (size_t)table->after.count);
    memset(table->links.todo, 0, sizeof *table->links.todo * (size_t)table->links.count);
}

static void reset_tables(struct job *job)
{
    job->checkpointed = false;
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        table->made = table->copied = table->vacuumed = TODO_WAITING;
        table->relation = 0;
        ranges_clear(&table->done);
        forget_statements(table);
    }
}

/* Dropping it took the keys that name it along, and a crowd of them cannot be told apart. */
static bool check_links(const struct job *job, const struct table_job *gone, struct error *err)
{
    for (int i = 0; i < job->table_count; i++) {
        const struct table_job *table = &job->tables[i];
        for (int part = 0; part < table->parent_count; part++)
            if (table->parents[part] == gone && table->made == TODO_DONE &&
                table->links.todo[0] == TODO_DONE)
                return error_set(err, ERROR_PLAN,
                                 "table %s had been dropped, and with it what linked %s to it: use "
                                 "--force to load all of it anew",
                                 gone->spec.name, table->spec.name);
    }
    return true;
}

/* What is recorded of a table that is gone does not count. */
static bool forget_missing(struct job *job, bool force, struct error *err)
{
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        if (table->made == TODO_DONE || table->relation == 0)
            continue;
        if (!force && !check_links(job, table, err))
            return false;
        job_note(job, "table %s had been dropped; it is loaded again", table->spec.name);
        table->copied = table->vacuumed = TODO_WAITING;
        job->checkpointed = false;
        ranges_clear(&table->done);
        forget_statements(table);
    }
    return true;
}

bool state_read(struct job *job, bool *differs, struct error *err)
{
    json_t *there = NULL, *asked, *places;
    bool ok;

    *differs = job->growing = false;
    reset_tables(job);
    if (job->state_there && !read_data_set(job, &there, err))
        return false;
    job->known = there != NULL;
    if (there != NULL) {
        asked = data_describe(job);
        *differs = !data_compare(there, asked, err) && !grow_possible(job, there);
        json_decref(there);
        json_decref(asked);
        if (*differs)
            return false;
        *err = (struct error){ .kind = ERROR_NONE }; /* A difference that can be made up for. */
    }
    places = index_tables(job);
    ok = (!job->known || read_rows(job, places, err)) && compare_relations(job, places, err);
    json_decref(places);
    if (ok && job->growing)
        grow_adjust(job);
    return ok && forget_missing(job, job->setup->plan->force, err) && object_read(job, err);
}

bool state_complete(const struct job *job)
{
    bool complete = job->known && job->checkpointed;

    for (int i = 0; i < job->object_count; i++)
        complete = complete && job->objects[i].todo == TODO_DONE;
    for (int i = 0; i < job->table_count && complete; i++) {
        const struct table_job *table = &job->tables[i];
        complete =
            table->made == TODO_DONE && table->copied == TODO_DONE && table->vacuumed == TODO_DONE;
        for (int part = 0; part < table->after.count; part++)
            complete = complete && table->after.todo[part] == TODO_DONE;
        for (int part = 0; part < table->links.count; part++)
            complete = complete && table->links.todo[part] == TODO_DONE;
    }
    return complete;
}
