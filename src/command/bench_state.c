/*
 * bench_state.c - brings a target's server up and its data into the state that the plan wants.
 *
 * Local servers of a bench are its own, kept under the plan's name apart from those that `local:17`
 * means elsewhere. One of them runs at a time: those that wait would hold memory and write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/collect.h"
#include "command/bench.h"
#include "command/common.h"
#include "load/load.h"
#include "wire/conninfo.h"

#define SERVERS_VARIABLE "PGDYNO_SERVERS"
#define RUN_DATABASE     "_pgdyno_bench" /* behind the name of the database that is the template */
#define IDENTIFIER_MAX   63              /* bytes; what is longer is cut by the server */
#define QUIET_POLL_NS    (200 * NS_PER_MS)
#define QUIET_POLLS      3 /* quiet so many times one after the other */
#define VACUUM_BESIDE    8
#define SQL_MAX          4096
#define COLLECT_WAIT_NS  (10 * NS_PER_S)

static void say(void *context, const char *line)
{
    (void)context;
    command_say(line);
}

static struct server_options options_of(const struct bench_target *target)
{
    return (struct server_options){ .pg_bin = target->plan->pg_bin,
                                    .settings = target->settings_path != NULL
                                                    ? target->settings_path
                                                    : "default",
                                    .brief = true,
                                    .checksums = true,
                                    .stopped = child_stopped };
}

/* ---- servers ---- */

static bool same_server(const struct bench *bench, int a, int b)
{
    const struct bench_target *one = &bench->targets[a], *other = &bench->targets[b];

    return one->local && other->local && one->major == other->major &&
           strcmp(one->servers, other->servers) == 0;
}

void bench_put_down(struct bench *bench)
{
    struct error ignored;
    const struct bench_target *target = bench->up >= 0 ? &bench->targets[bench->up] : NULL;

    if (target != NULL && target->local)
        server_stop(target->major, NULL, &ignored);
    bench->up = -1;
}

static bool is_first_of_servers(const struct bench *bench, int target)
{
    for (int i = 0; i < target; i++)
        if (bench->targets[i].local &&
            strcmp(bench->targets[i].servers, bench->targets[target].servers) == 0)
            return false;
    return true;
}

bool bench_hold_servers(struct bench *bench, struct error *err)
{
    for (int i = 0; i < bench->plan.target_count; i++) {
        struct bench_target *target = &bench->targets[i];

        if (!target->local || !is_first_of_servers(bench, i))
            continue;
        setenv(SERVERS_VARIABLE, target->servers, 1);
        target->held = server_hold(err);
        if (target->held < 0)
            return false;
    }
    return true;
}

/* One that was killed leaves its server up. */
void bench_put_all_down(struct bench *bench)
{
    struct error ignored;

    for (int i = 0; i < bench->plan.target_count; i++) {
        if (!bench->targets[i].local)
            continue;
        setenv(SERVERS_VARIABLE, bench->targets[i].servers, 1);
        server_stop(bench->targets[i].major, NULL, &ignored);
    }
    bench->up = -1;
}

static void tell_conninfo(struct bench *bench, const struct bench_target *target,
                          const char *conninfo)
{
    char *name = conninfo_value(conninfo, "dbname"), *other = NULL;

    bench->base = conninfo;
    bench->conninfo = conninfo;
    bench->child_target =
        target->local ? arena_format(bench->arena, "local:%d", target->major) : conninfo;
    if (bench->plan.restore == RESTORE_TEMPLATE && name != NULL) {
        char *run = memory_format("%s" RUN_DATABASE, name);
        other = conninfo_with(conninfo, "dbname", run);
        bench->conninfo = arena_text(bench->arena, other);
        bench->child_target = bench->conninfo;
        memory_free(run);
    }
    memory_free(other);
    memory_free(name);
}

static bool start(struct bench *bench, const struct bench_target *target, struct error *err)
{
    struct server_options options = options_of(target);
    struct server_kept kept;

    options.say = say;
    setenv(SERVERS_VARIABLE, target->servers, 1);
    if (!server_start(target->major, &options, &kept, err))
        return false;
    kept.tcp = false;
    tell_conninfo(bench, target, server_conninfo(&kept, NULL, bench->arena));
    return true;
}

bool bench_bring_up(struct bench *bench, int target, struct error *err)
{
    if (bench->up == target)
        return true;
    if (bench->up >= 0 && !same_server(bench, bench->up, target))
        bench_put_down(bench);
    bench->up = -1;
    if (!bench->targets[target].local)
        tell_conninfo(bench, &bench->targets[target], bench->targets[target].conninfo);
    else if (!start(bench, &bench->targets[target], err))
        return false;
    bench->up = target;
    return true;
}

/* ---- loading ---- */

static const char *key_of(const struct bench *bench, int target)
{
    const struct bench_target *of = &bench->targets[target];

    return of->local ? arena_format(bench->arena, "%s/%d", of->servers, of->major) : of->servers;
}

void bench_forget_data(struct bench *bench, int target)
{
    json_object_del(bench->data, key_of(bench, target));
}

/* What is known of the data of a server. Borrowed from bench->data. */
static json_t *data_of(struct bench *bench, int target)
{
    const char *key = key_of(bench, target);
    json_t *data = json_object_get(bench->data, key);

    if (data == NULL) {
        data = json_object();
        json_object_set_new(bench->data, key, data);
    }
    return data;
}

static bool load_once(struct bench *bench, const struct bench_row *row, bool force, int *code,
                      struct error *err)
{
    const char *words[BENCH_WORDS_MAX + 16];
    struct child child = { .words = words,
                           .target =
                               bench->targets[bench->up].local ? bench->child_target : bench->base,
                           .output = arena_format(bench->arena, "%s/logs/load.log", bench->folder),
                           .wait = bench_wait,
                           .context = bench };
    struct child_end end;
    int count = 0;
    bool good;

    if (bench->plan.restore == RESTORE_TEMPLATE)
        child.target = bench->base;
    for (; row->load[count] != NULL; count++)
        words[count] = row->load[count];
    if (force)
        words[count++] = "--force";
    words[count] = NULL;
    good = child_run(&child, &end, err);
    *code = end.code;
    if (good && child_stopped())
        good = error_set(err, ERROR_INTERRUPTED, "interrupted while data were loaded");
    else if (good && end.code != 0)
        good = error_set(err, (enum error_kind)end.code, "loading: %.900s", end.said);
    child_end_free(&end);
    return good;
}

/* A server of the bench's own is loaded anew when it holds other data; that of somebody else is
 * not, unless the plan says reload. */
static bool load(struct bench *bench, const struct bench_row *row, bool anew, struct error *err)
{
    json_t *data = data_of(bench, bench->up);
    int code = 0;
    bool good;

    if (row->tables == NULL)
        return true;
    json_object_del(data, row->family);
    good = load_once(bench, row, anew, &code, err);
    if (!good && !anew && code == ERROR_PLAN && bench->targets[bench->up].local)
        good = load_once(bench, row, true, &code, err);
    if (good)
        json_object_set_new(data, row->family, json_string(row->data));
    return good;
}

static bool is_loaded(struct bench *bench, const struct bench_row *row)
{
    const char *there = json_string_value(json_object_get(data_of(bench, bench->up), row->family));

    return row->tables == NULL || (there != NULL && strcmp(there, row->data) == 0);
}

/* What all runs are to begin from. Data of which this bench knows nothing may have had runs on
 * them, of another bench of that name or of one that was killed: in a server of its own they are
 * loaded anew. */
static bool load_all(struct bench *bench, struct error *err)
{
    bool anew = bench->targets[bench->up].local;

    for (int i = 0; i < bench->row_count; i++)
        if (!is_loaded(bench, &bench->rows[i]) && !load(bench, &bench->rows[i], anew, err))
            return false;
    return true;
}

/* ---- the state before a unit ---- */

static bool from_copy(struct bench *bench, struct error *err)
{
    const int at = bench->up;
    const struct bench_target *target = &bench->targets[at];
    const struct server_options options = options_of(target);
    json_t *data = data_of(bench, at);

    if (!json_is_true(json_object_get(data, "saved"))) {
        if (!load_all(bench, err))
            return false;
        bench->up = -1;
        if (!server_save(target->major, &options, err))
            return false;
        json_object_set_new(data, "saved", json_true());
    } else {
        bench->up = -1;
        if (!server_restore(target->major, &options, err))
            return false;
    }
    return bench_bring_up(bench, at, err);
}

bool bench_template_fits(const char *database, struct error *err)
{
    if (database == NULL || strchr(database, '"') != NULL)
        return error_set(err, ERROR_PLAN, "restore: template wants a target that says its dbname");
    if (strlen(database) + strlen(RUN_DATABASE) > IDENTIFIER_MAX)
        return error_set(err, ERROR_PLAN,
                         "restore: template works in a database named %s" RUN_DATABASE
                         ", and a name has at most %d bytes: give the template a shorter one",
                         database, IDENTIFIER_MAX);
    return true;
}

static bool from_template(struct bench *bench, struct error *err)
{
    char *name = conninfo_value(bench->base, "dbname");
    char *manager = conninfo_with(bench->base, "dbname", "postgres");
    char drop[SQL_MAX], make[SQL_MAX];
    const char *const statements[] = { drop, make };
    struct load_upkeep upkeep = { .conninfo = manager,
                                  .statements = statements,
                                  .count = COUNT_OF(statements),
                                  .connections = 1,
                                  .stopped = child_stopped };
    bool good = bench_template_fits(name, err) && load_all(bench, err);

    if (good) {
        snprintf(drop, sizeof drop, "DROP DATABASE IF EXISTS \"%s" RUN_DATABASE "\"", name);
        snprintf(make, sizeof make, "CREATE DATABASE \"%s" RUN_DATABASE "\" TEMPLATE \"%s\"", name,
                 name);
        good = load_upkeep(&upkeep, err);
    }
    memory_free(manager);
    memory_free(name);
    return good;
}

static bool restore(struct bench *bench, const struct bench_row *row, struct error *err)
{
    switch ((enum plan_restore)bench->plan.restore) {
    case RESTORE_COPY:
        return from_copy(bench, err);
    case RESTORE_TEMPLATE:
        return from_template(bench, err);
    case RESTORE_RELOAD:
        return load(bench, row, true, err);
    case RESTORE_KEEP:
        break;
    }
    return is_loaded(bench, row) || load(bench, row, false, err);
}

/* Were the data in their state when its unit began? */
static bool has_state(const struct bench_step *step)
{
    while (!step->begins)
        step--;
    return json_object_get(step->entry, "state_before") != NULL;
}

/* The index is written here too: a bench that is killed in the run to come must still know what was
 * loaded and copied. */
bool bench_prepare(struct bench *bench, struct bench_step *step, struct error *err)
{
    int64_t begin_ns = clock_now_ns();

    if (!step->begins && !has_state(step))
        return error_set(err, ERROR_PLAN,
                         "the data were not brought into their state before the first step of its "
                         "suite; see that one");
    if (!bench_bring_up(bench, step->target, err))
        return false;
    if (!step->begins)
        return true;
    if (!restore(bench, &bench->rows[step->row], err))
        return false;
    json_object_set_new(step->entry, "state_before",
                        json_pack("{s:s, s:f}", "restore", plan_restore_word(bench->plan.restore),
                                  "seconds", (double)(clock_now_ns() - begin_ns) / 1e9));
    return bench_write_index(bench, err);
}

/* ---- what precedes a run ---- */

static bool vacuum(struct bench *bench, const struct bench_row *row, const char *how,
                   struct error *err)
{
    struct load_upkeep upkeep = { .conninfo = bench->conninfo,
                                  .connections = VACUUM_BESIDE,
                                  .count = row->table_count,
                                  .stopped = child_stopped };
    const char **statements = MEMORY_ARRAY(const char *, row->table_count + 1);
    bool good;

    for (int i = 0; i < row->table_count; i++)
        statements[i] = memory_format("VACUUM (%s) %s", how, row->tables[i]);
    upkeep.statements = statements;
    good = row->tables == NULL || load_upkeep(&upkeep, err);
    for (int i = 0; i < row->table_count; i++)
        memory_free((char *)(uintptr_t)statements[i]);
    memory_free(statements);
    return good;
}

/* A role that may not is no reason to give up the run. */
static bool checkpoint(struct bench *bench, struct error *err)
{
    static const char *const statements[] = { "CHECKPOINT" };
    struct load_upkeep upkeep = { .conninfo = bench->conninfo,
                                  .statements = statements,
                                  .count = 1,
                                  .connections = 1,
                                  .stopped = child_stopped };

    return load_upkeep(&upkeep, err);
}

/* Nobody at work in the server, autovacuum neither. False: it was not, within the limit. */
static bool wait_until_quiet(struct bench *bench)
{
    static const char sql[] = "SELECT count(*) FROM pg_catalog.pg_stat_activity"
                              " WHERE pid <> pg_catalog.pg_backend_pid()"
                              " AND (backend_type = 'autovacuum worker'"
                              " OR (backend_type = 'client backend' AND state <> 'idle'))";
    int64_t until_ns = clock_now_ns() + bench->plan.quiet_limit_ns;
    struct error ignored;
    struct collect *collect = collect_open(bench->conninfo, COLLECT_WAIT_NS, &ignored);
    int quiet = 0;

    while (collect != NULL && quiet < QUIET_POLLS && clock_now_ns() < until_ns &&
           !child_stopped()) {
        int64_t busy = 1;
        quiet = collect_whole(collect, sql, &busy) && busy == 0 ? quiet + 1 : 0;
        clock_sleep_until_ns(clock_now_ns() + QUIET_POLL_NS);
        bench_wait(bench);
    }
    collect_close(collect);
    return quiet == QUIET_POLLS;
}

static void note_step(json_t *done, const char *what, bool good, int64_t begin_ns,
                      const struct error *err)
{
    json_t *one =
        json_pack("{s:b, s:f}", "done", good, "seconds", (double)(clock_now_ns() - begin_ns) / 1e9);

    if (!good && err != NULL)
        json_object_set_new(one, "why", json_string(err->text));
    json_object_set_new(done, what, one);
}

bool bench_precede(struct bench *bench, struct bench_step *step, struct error *err)
{
    const struct bench_row *row = &bench->rows[step->row];
    unsigned wanted = row->plan->suite == NULL ? bench->plan.preconditions : 0;
    json_t *done = json_object();
    struct error why;
    int64_t begin_ns = clock_now_ns();

    json_object_set_new(step->entry, "precondition", done);
    if ((wanted & PRECONDITION_VACUUM) != 0 && row->tables != NULL)
        note_step(done, "vacuum", vacuum(bench, row, "ANALYZE", &why), begin_ns, &why);
    begin_ns = clock_now_ns();
    if ((wanted & PRECONDITION_CHECKPOINT) != 0 && row->family != NULL)
        note_step(done, "checkpoint", checkpoint(bench, &why), begin_ns, &why);
    begin_ns = clock_now_ns();
    if ((wanted & PRECONDITION_QUIET) != 0)
        note_step(done, "quiet", wait_until_quiet(bench), begin_ns, NULL);
    return !child_stopped() || error_set(err, ERROR_INTERRUPTED, "interrupted between two runs");
}

/* Published: all tables at once, then a checkpoint, then a wait since the step began. */
bool bench_postwrite(struct bench *bench, struct bench_step *step, struct error *err)
{
    const struct bench_row *row = &bench->rows[step->row];
    int64_t begin_ns = clock_now_ns();

    if (!vacuum(bench, row, "ANALYZE, INDEX_CLEANUP ON", err) || !checkpoint(bench, err))
        return false;
    while (clock_now_ns() < begin_ns + row->wait_ns && !child_stopped()) {
        clock_sleep_until_ns(clock_now_ns() + QUIET_POLL_NS);
        bench_wait(bench);
    }
    json_object_set_new(step->entry, "seconds",
                        json_real((double)(clock_now_ns() - begin_ns) / 1e9));
    return !child_stopped() || error_set(err, ERROR_INTERRUPTED, "interrupted between two runs");
}
