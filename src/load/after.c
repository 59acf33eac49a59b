/*
 * after.c - what follows the rows: keys, indexes and sequences, then VACUUM, then what links
 * tables.
 *
 * A table's statements run in their order, except that neighbours which only create an index run
 * beside each other: CREATE INDEX lets others of its kind at the table. Tables do not wait for each
 * other.
 */
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "load/crew.h"

#define WHAT_MAX 80

/* The statement as people read it. In the job's arena. */
static const char *describe(struct job *job, const char *statement, const char *name)
{
    struct text text;
    const char *what;

    text_init(&text, LOAD_SQL_MAX);
    render_statement(&text, job, statement, name, false);
    if (text.length > WHAT_MAX) {
        text.bytes[WHAT_MAX - 3] = '\0';
        what = arena_format(job->arena, "%s...", text.bytes);
    } else {
        what = arena_text(job->arena, text.bytes);
    }
    text_close(&text);
    return what;
}

static bool runs_beside(const char *statement)
{
    static const char *const starts[] = { "CREATE INDEX ", "CREATE UNIQUE INDEX " };

    for (int i = 0; i < COUNT_OF(starts); i++)
        if (strncasecmp(statement, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* The next statement of the list that may start now, or -1. `open` is set when some are not
 * done. */
static int next_statement(const struct statements *list, bool *open)
{
    bool earlier = false, earlier_alone = false; /* not done; and must run alone */

    for (int i = 0; i < list->count; i++) {
        bool beside = runs_beside(list->texts[i]);
        if (list->todo[i] == TODO_DONE)
            continue;
        *open = true;
        if (list->todo[i] == TODO_WAITING && (beside ? !earlier_alone : !earlier))
            return i;
        earlier = true;
        earlier_alone = earlier_alone || !beside;
    }
    return -1;
}

/* `open` as above. */
static bool take_from(struct job *job, struct table_job *table, struct statements *list,
                      struct task *task, bool *open)
{
    int part = next_statement(list, open);

    if (part < 0)
        return false;
    list->todo[part] = TODO_RUNNING;
    task->table = table;
    task->list = list;
    task->part = part;
    task->rows = table->spec.row_count;
    task->what = describe(job, list->texts[part], table->spec.name);
    return true;
}

static enum take take_after(struct job *job, struct task *task)
{
    bool open = false;

    for (int i = 0; i < job->table_count; i++)
        if (take_from(job, &job->tables[i], &job->tables[i].after, task, &open))
            return TAKE_TASK;
    return open ? TAKE_WAIT : TAKE_END;
}

static enum take take_link(struct job *job, struct task *task)
{
    bool open = false;

    for (int i = 0; i < job->table_count; i++)
        if (take_from(job, &job->tables[i], &job->tables[i].links, task, &open))
            return TAKE_TASK;
    return open ? TAKE_WAIT : TAKE_END;
}

static void done_statement(struct job *job, struct task *task)
{
    const struct step step = { task->list->step, task->what, task->begin_ns, task->table->rows, 0 };

    task->list->todo[task->part] = TODO_DONE;
    job_step(job, &step);
}

static bool run_statement(struct job *job, struct channel *channel, struct task *task,
                          struct error *err)
{
    struct table_job *table = task->table;
    const struct mark mark = { task->list->kind, table, task->part, 0, NULL };
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    state_begin_sql(job, &sql);
    render_statement(&sql, job, task->list->texts[task->part], table->quoted, true);
    text_add(&sql, "; ");
    state_record_sql(job, &sql, &mark, "NULL, NULL, NULL");
    text_add(&sql, "; COMMIT");
    ok = channel_run(channel, sql.bytes, task->what, err) ||
         error_wrap(err, "table %s", table->spec.name);
    text_close(&sql);
    return ok;
}

static bool known_statement(struct job *job, struct channel *channel, const struct task *task,
                            bool *answer, struct error *err)
{
    const struct mark mark = { task->list->kind, task->table, task->part, 0, NULL };

    return state_recorded(job, channel, &mark, answer, err);
}

static void add_waiting(struct amount *amount, const struct table_job *table,
                        const struct statements *list)
{
    for (int part = 0; part < list->count; part++)
        if (list->todo[part] != TODO_DONE)
            amount->rows_total += table->spec.row_count;
}

bool build_indexes(struct job *job, struct error *err)
{
    static const struct work work = { .step = "index",
                                      .cancel = true,
                                      .take = take_after,
                                      .done = done_statement,
                                      .run = run_statement,
                                      .known = known_statement };
    struct amount amount = { 0, 0 };

    for (int i = 0; i < job->table_count; i++)
        add_waiting(&amount, &job->tables[i], &job->tables[i].after);
    return crew_run(job, &work, &amount, job->connections, err);
}

bool link_tables(struct job *job, struct error *err)
{
    static const struct work work = { .step = "link",
                                      .cancel = true,
                                      .take = take_link,
                                      .done = done_statement,
                                      .run = run_statement,
                                      .known = known_statement };
    struct amount amount = { 0, 0 };

    for (int i = 0; i < job->table_count; i++)
        add_waiting(&amount, &job->tables[i], &job->tables[i].links);
    return crew_run(job, &work, &amount, job->connections, err);
}

/* ---- VACUUM ---- */

static enum take take_vacuum(struct job *job, struct task *task)
{
    for (int i = 0; i < job->table_count; i++) {
        struct table_job *table = &job->tables[i];
        if (table->vacuumed != TODO_WAITING)
            continue;
        table->vacuumed = TODO_RUNNING;
        task->table = table;
        task->what = table->spec.name;
        task->rows = table->spec.row_count;
        return TAKE_TASK;
    }
    return TAKE_END;
}

static void done_vacuum(struct job *job, struct task *task)
{
    const struct step step = { "vacuum", task->what, task->begin_ns, task->table->rows, 0 };

    task->table->vacuumed = TODO_DONE;
    job_step(job, &step);
}

/* VACUUM runs in no transaction block, so its row comes after it; doing it twice does no harm. The
 * indexes are cleaned however little there is to clean: a page with a row that a killed load left
 * would not be all visible, and runs on these data would differ from runs on others. */
static bool run_vacuum(struct job *job, struct channel *channel, struct task *task,
                       struct error *err)
{
    const struct mark mark = { .kind = "vacuum", .table = task->table };
    struct text sql;
    bool ok;

    text_init(&sql, LOAD_SQL_MAX);
    text_format(&sql, "VACUUM (FREEZE, ANALYZE, INDEX_CLEANUP on) %s", task->table->quoted);
    ok = channel_run(channel, sql.bytes, "VACUUM", err);
    text_clear(&sql);
    state_record_sql(job, &sql, &mark, "NULL, NULL, NULL");
    ok = ok && channel_run(channel, sql.bytes, "recording VACUUM", err);
    text_close(&sql);
    return ok || error_wrap(err, "table %s", task->table->spec.name);
}

static bool known_vacuum(struct job *job, struct channel *channel, const struct task *task,
                         bool *answer, struct error *err)
{
    const struct mark mark = { .kind = "vacuum", .table = task->table };

    return state_recorded(job, channel, &mark, answer, err);
}

bool vacuum_tables(struct job *job, struct error *err)
{
    static const struct work work = { .step = "vacuum",
                                      .cancel = true,
                                      .take = take_vacuum,
                                      .done = done_vacuum,
                                      .run = run_vacuum,
                                      .known = known_vacuum };
    struct amount amount = { 0, 0 };

    for (int i = 0; i < job->table_count; i++)
        if (job->tables[i].vacuumed != TODO_DONE)
            amount.rows_total += job->tables[i].spec.row_count;
    return crew_run(job, &work, &amount, job->connections, err);
}
