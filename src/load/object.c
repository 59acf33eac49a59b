/*
 * object.c - functions and procedures beside the tables.
 *
 * One is ours when its oid is the recorded one. It is made when the tables are whole, and made
 * anew, under its signature, when the text that is recorded of it differs from what is asked; the
 * data are not looked at for that. One of that signature that is not ours is never touched.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/crew.h"
#include "load/job.h"

void object_describe(struct job *job)
{
    const struct load_setup *setup = job->setup;
    struct object_spec spec;

    if (setup->workload->object == NULL)
        return;
    while (setup->workload->object(&spec, setup->world, job->object_count, job->arena))
        job->object_count++;
    job->objects = ARENA_ARRAY(job->arena, struct object_job, job->object_count + 1);
    for (int i = 0; i < job->object_count; i++) {
        struct object_job *object = &job->objects[i];
        setup->workload->object(&object->spec, setup->world, i, job->arena);
        object->signature = strchr(object->spec.name, ' ');
        assert(object->signature != NULL && "an object is named \"FUNCTION name(types)\"");
        object->signature++;
    }
}

/* What is recorded of the family's objects, by name. */
static bool read_recorded(struct job *job, struct error *err)
{
    const char *sql = arena_format(
        job->arena,
        "SELECT name, relation, detail #>> '{}' FROM %s WHERE family = %s AND kind = 'object'",
        job->state, job->family);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);

    if (found == NULL)
        return error_wrap(err, "reading pgdyno_dataset");
    for (int row = 0; row < PQntuples(found); row++)
        for (int i = 0; i < job->object_count; i++) {
            struct object_job *object = &job->objects[i];
            if (strcmp(object->spec.name, PQgetvalue(found, row, 0)) != 0)
                continue;
            object->recorded = (uint32_t)strtoul(PQgetvalue(found, row, 1), NULL, 10);
            object->same = strcmp(object->text, PQgetvalue(found, row, 2)) == 0;
        }
    PQclear(found);
    return true;
}

/* Holds what has the signature now against what is recorded. */
static bool look_at(struct job *job, struct object_job *object, struct error *err)
{
    const char *values[] = { object->target };
    PGresult *found =
        channel_ask(&job->guard, "SELECT coalesce(to_regprocedure($1)::oid, 0)", 1, values, err);
    uint32_t there;

    if (found == NULL)
        return error_wrap(err, "looking for %s", object->spec.name);
    there = (uint32_t)strtoul(PQgetvalue(found, 0, 0), NULL, 10);
    PQclear(found);
    if (there != 0 && there != object->recorded)
        return error_set(err, ERROR_PLAN,
                         "%s in schema %s was not made by pgdyno load and is not touched: rename "
                         "or drop it, or use another schema",
                         object->spec.name, job->schema);
    object->todo = there != 0 && object->same ? TODO_DONE : TODO_WAITING;
    return true;
}

bool object_read(struct job *job, struct error *err)
{
    for (int i = 0; i < job->object_count; i++) {
        job->objects[i].recorded = 0;
        job->objects[i].same = false;
    }
    if (job->object_count > 0 && job->known && !read_recorded(job, err))
        return false;
    for (int i = 0; i < job->object_count; i++)
        if (!look_at(job, &job->objects[i], err))
            return false;
    return true;
}

/* ---- making them ---- */

static enum take take_object(struct job *job, struct task *task)
{
    for (int i = 0; i < job->object_count; i++) {
        if (job->objects[i].todo != TODO_WAITING)
            continue;
        job->objects[i].todo = TODO_RUNNING;
        task->part = i;
        task->what = job->objects[i].spec.name;
        return TAKE_TASK;
    }
    return TAKE_END;
}

static void done_object(struct job *job, struct task *task)
{
    const struct step step = { "object", task->what, task->begin_ns, 0, 0 };

    job->objects[task->part].todo = TODO_DONE;
    job_step(job, &step);
}

static bool run_object(struct job *job, struct channel *channel, struct task *task,
                       struct error *err)
{
    const struct object_job *object = &job->objects[task->part];
    const struct mark mark = { .kind = "object", .object = object };
    struct text sql, rest;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    text_init(&rest, LOAD_SQL_MAX);
    text_format(&rest, "NULL, to_regprocedure(%s)::oid, to_jsonb(%s::text)", object->target_literal,
                object->text_literal);
    state_begin_sql(job, &sql);
    text_format(&sql, "DELETE FROM %s WHERE family = %s AND kind = 'object' AND name = %s; ",
                job->state, job->family, object->literal);
    if (object->recorded != 0)
        text_format(&sql, "DROP %.*s IF EXISTS %s; ",
                    (int)(object->signature - object->spec.name) - 1, object->spec.name,
                    object->target);
    text_format(&sql, "%s; ", object->text);
    state_record_sql(job, &sql, &mark, rest.bytes);
    text_add(&sql, "; COMMIT");
    ok = channel_run(channel, sql.bytes, "making it", err) ||
         error_wrap(err, "%s", object->spec.name);
    text_close(&sql);
    text_close(&rest);
    return ok;
}

static bool known_object(struct job *job, struct channel *channel, const struct task *task,
                         bool *answer, struct error *err)
{
    const struct object_job *object = &job->objects[task->part];
    const char *values[] = { object->text };
    struct text sql;
    PGresult *found;

    text_init(&sql, LOAD_SQL_MAX);
    text_format(&sql,
                "SELECT FROM %s WHERE family = %s AND kind = 'object' AND name = %s"
                " AND detail = to_jsonb($1::text)",
                job->state, job->family, object->literal);
    found = channel_ask(channel, sql.bytes, 1, values, err);
    *answer = found != NULL && PQntuples(found) > 0;
    text_close(&sql);
    PQclear(found);
    return found != NULL || error_wrap(err, "reading pgdyno_dataset");
}

bool make_objects(struct job *job, struct error *err)
{
    static const struct work work = { .step = "object",
                                      .cancel = true,
                                      .take = take_object,
                                      .done = done_object,
                                      .run = run_object,
                                      .known = known_object };
    const struct amount nothing = { 0, 0 };

    return crew_run(job, &work, &nothing, 1, err);
}

/* ---- removing them ---- */

bool object_drop_all(struct job *job, struct error *err)
{
    /* By what it is now; one that is not ours any more is only forgotten. */
    const char *sql = arena_format(
        job->arena,
        "SELECT format('%%sDELETE FROM %%s WHERE family = %%L AND kind = ''object'' AND name = "
        "%%L', CASE WHEN p.oid IS NOT NULL THEN format('DROP %%s %%s; ', CASE p.prokind"
        " WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, p.oid::regprocedure) END, %s, %s, s.name),"
        " s.name FROM %s s LEFT JOIN pg_proc p ON p.oid = s.relation AND p.pronamespace = %u"
        " AND p.proowner = %u WHERE s.family = %s AND s.kind = 'object' ORDER BY s.name",
        job->state_literal, job->family, job->state, job->schema_oid, job->role_oid, job->family);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);
    struct text words;
    bool ok = found != NULL || error_wrap(err, "reading pgdyno_dataset");

    text_init(&words, LOAD_SQL_MAX);
    for (int i = 0; ok && i < PQntuples(found); i++) {
        text_clear(&words);
        state_begin_sql(job, &words);
        text_format(&words, "%s; COMMIT", PQgetvalue(found, i, 0));
        ok = channel_run(&job->guard, words.bytes, "dropping it", err) ||
             error_wrap(err, "%s", PQgetvalue(found, i, 1));
    }
    text_close(&words);
    PQclear(found);
    return ok;
}
