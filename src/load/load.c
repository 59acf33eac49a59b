/*
 * load.c - leads a load: what is there, what is missing, and then step after step.
 */
#include "load/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/crew.h"
#include "load/job.h"

/* Sums up a phase from the steps it added to the report. */
static void add_phase(struct job *job, const char *step, int64_t begin_ns, size_t steps_before)
{
    double seconds = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_S;
    json_int_t rows = 0, bytes = 0, count = 0;

    for (size_t i = steps_before; i < json_array_size(job->steps); i++) {
        const json_t *one = json_array_get(job->steps, i);
        rows += json_integer_value(json_object_get(one, "rows"));
        bytes += json_integer_value(json_object_get(one, "bytes"));
        count++;
    }
    json_array_append_new(job->phases,
                          json_pack("{s:s, s:f, s:I, s:I, s:I}", "step", step, "seconds", seconds,
                                    "rows", rows, "bytes", bytes, "count", count));
}

static bool phase(struct job *job, const char *step, bool (*work)(struct job *, struct error *),
                  struct error *err)
{
    int64_t begin_ns = clock_now_ns();
    size_t before = json_array_size(job->steps);

    if (!work(job, err))
        return false;
    add_phase(job, step, begin_ns, before);
    return true;
}

/* ---- the last step ---- */

static const struct mark checkpoint_mark = { .kind = "checkpoint" };

static bool record_checkpoint(struct job *job, struct channel *channel, struct error *err)
{
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    state_record_sql(job, &sql, &checkpoint_mark, "NULL, NULL, NULL");
    ok = channel_run(channel, sql.bytes, "recording CHECKPOINT", err);
    text_close(&sql);
    return ok;
}

static enum take take_checkpoint(struct job *job, struct task *task)
{
    if (job->checkpointed)
        return TAKE_END;
    job->checkpointed = true;
    task->what = "";
    return TAKE_TASK;
}

static void done_checkpoint(struct job *job, struct task *task)
{
    const struct step step = { "checkpoint", "", task->begin_ns, 0, 0 };

    if (job->may_checkpoint)
        job_step(job, &step);
}

static bool run_checkpoint(struct job *job, struct channel *channel, struct task *task,
                           struct error *err)
{
    (void)task;
    if (job->may_checkpoint && !channel_run(channel, "CHECKPOINT", "CHECKPOINT", err))
        return false;
    return record_checkpoint(job, channel, err);
}

static bool known_checkpoint(struct job *job, struct channel *channel, const struct task *task,
                             bool *answer, struct error *err)
{
    (void)task;
    return state_recorded(job, channel, &checkpoint_mark, answer, err);
}

static bool checkpoint(struct job *job, struct error *err)
{
    static const struct work work = { .step = "checkpoint",
                                      .take = take_checkpoint,
                                      .done = done_checkpoint,
                                      .run = run_checkpoint,
                                      .known = known_checkpoint };
    const struct amount nothing = { 0, 0 };

    if (!job->may_checkpoint)
        job_note(job,
                 "no CHECKPOINT: role %s may not (it takes pg_checkpoint, from version 15 on, "
                 "or a superuser); the server writes the data out when it sees fit",
                 job->role);
    return crew_run(job, &work, &nothing, 1, err);
}

/* ---- the whole ---- */

/* What is there, and whether it may be gone on with. --force takes away what is ours, also when it
 * is what is asked for: a run may have changed it. */
static bool look(struct job *job, struct error *err)
{
    bool force = job->setup->plan->force, differs;
    bool same = state_read(job, &differs, err);
    int dropped;

    if (same && !(force && job->known))
        return true;
    if (!same && !(force && differs))
        return false;
    if (!names_free(job, true, err) || !drop_recorded(job, &dropped, err))
        return false;
    *err = (struct error){ .kind = ERROR_NONE }; /* The differences are settled. */
    job_note(job, "%s data were there: %d table%s dropped, since --force says so",
             same ? "such" : "other", dropped, dropped == 1 ? "" : "s");
    return state_read(job, &differs, err);
}

static bool fill(struct job *job, struct error *err)
{
    return state_make(job, err) && state_claim(job, err) &&
           phase(job, "create", create_tables, err) && phase(job, "copy", copy_rows, err) &&
           phase(job, "index", build_indexes, err) && phase(job, "vacuum", vacuum_tables, err) &&
           (!job->linked || phase(job, "link", link_tables, err)) &&
           (job->object_count == 0 || phase(job, "object", make_objects, err)) &&
           phase(job, "checkpoint", checkpoint, err);
}

static bool work_through(struct job *job, bool *nothing, struct error *err)
{
    *nothing = false;
    if (!guard_open(job, true, err) || !look(job, err))
        return false;
    *nothing = state_complete(job);
    return live_compare(job, err) && (*nothing || (names_free(job, false, err) && fill(job, err)));
}

/* On a fresh session: the guard's may be gone after a long build, which does no harm. */
static bool measure_size(struct job *job, int64_t *size_bytes, struct error *err)
{
    const char *sql = arena_format(
        job->arena,
        "SELECT coalesce(sum(" LOAD_SIZE_OF_C "), 0)::bigint FROM %s s"
        " JOIN pg_class c ON c.oid = s.relation WHERE s.family = %s AND s.kind = 'table'",
        job->state, job->family);
    struct channel channel = { .care = &job->stall.care };
    PGresult *found;

    *size_bytes = -1;
    if (!channel_open(&channel, job->setup->conninfo, job->setup->plan->connect_timeout_ns, err))
        return false;
    found = channel_ask(&channel, sql, 0, NULL, err);
    if (found != NULL)
        *size_bytes = strtoll(PQgetvalue(found, 0, 0), NULL, 10);
    PQclear(found);
    channel_close(&channel);
    return *size_bytes >= 0;
}

static json_t *make_report(struct job *job, bool nothing, int64_t begin_ns, int64_t size_bytes)
{
    double seconds = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_S;
    json_int_t rows = 0;

    for (int i = 0; i < job->table_count; i++)
        rows += job->tables[i].rows;
    return json_pack("{s:s, s:s, s:I, s:o, s:s, s:s, s:i, s:I, s:I, s:i, s:b, s:f, s:O, s:O, s:O}",
                     "workload", job->setup->workload->name, "family", job->setup->workload->family,
                     "data_seed", (json_int_t)job->setup->plan->data_seed, "parameters",
                     job->setup->options != NULL ? option_json(job->setup->options) : json_object(),
                     "schema", job->schema != NULL ? job->schema : "", "role",
                     job->role != NULL ? job->role : "", "tables", job->table_count, "rows", rows,
                     "size_bytes", (json_int_t)size_bytes, "connections", job->connections_used,
                     "nothing_to_do", nothing, "seconds", seconds, "phases", job->phases, "steps",
                     job->steps, "notes", job->notes);
}

bool load_data(const struct load_setup *setup, json_t **report, struct error *err)
{
    int64_t begin_ns = clock_now_ns(), size_bytes = 0;
    struct job job;
    bool nothing = true, ok = job_open(&job, setup, err);

    if (ok && job.table_count > 0)
        ok = work_through(&job, &nothing, err) && measure_size(&job, &size_bytes, err);
    if (ok && report != NULL)
        *report = make_report(&job, nothing, begin_ns, size_bytes);
    job_close(&job);
    return ok;
}
