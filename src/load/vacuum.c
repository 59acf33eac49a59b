/*
 * vacuum.c - VACUUM of a workload's tables, then CHECKPOINT, after a run.
 *
 * In this order: a checkpoint before it would leave what VACUUM writes to whoever comes next. Only
 * the tables of the workload are meant, in the database that the run was on. What the server
 * refuses, a table that is not ours say, is told and the rest goes on.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "load/channel.h"
#include "load/job.h"
#include "load/stall.h"

#define SQLSTATE_CANCELED "57014"

struct vacuum {
    struct channel channel;
    int64_t until_ns; /* 0: no limit */
    void (*tell)(void *context, const struct load_kept *kept);
    void *context;
};

/* With its partitions; -1: not known. */
static int64_t size_of(struct vacuum *vacuum, const char *quoted)
{
    const char *const values[] = { quoted };
    struct error ignored;
    PGresult *found = channel_ask(&vacuum->channel,
                                  "SELECT (" LOAD_SIZE_OF_C
                                  ")::bigint FROM pg_class c WHERE c.oid = to_regclass($1)",
                                  1, values, &ignored);
    int64_t size =
        found != NULL && PQntuples(found) == 1 ? strtoll(PQgetvalue(found, 0, 0), NULL, 10) : -1;

    PQclear(found);
    return size;
}

/* The server ends what takes longer than is left. */
static bool limit(struct vacuum *vacuum, struct error *err)
{
    int64_t left_ms = (vacuum->until_ns - clock_now_ns()) / NS_PER_MS;
    char sql[64];

    if (vacuum->until_ns == 0)
        return true;
    snprintf(sql, sizeof sql, "SET statement_timeout = %lld",
             (long long)(left_ms > 0 ? left_ms : 1));
    return channel_run(&vacuum->channel, sql, "limiting the time of VACUUM", err);
}

/* False when it makes no sense to go on. */
static bool keep(struct vacuum *vacuum, const char *what, const char *sql, const char *quoted,
                 struct error *err)
{
    struct load_kept kept = { .what = what, .begin_wall_ns = clock_wall_ns() };
    struct error refusal = { .kind = ERROR_NONE };
    int64_t begin_ns;

    if (!limit(vacuum, err))
        return false;
    kept.bytes_before = quoted != NULL ? size_of(vacuum, quoted) : -1;
    begin_ns = clock_now_ns();
    if (!channel_run(&vacuum->channel, sql, what, &refusal)) {
        kept.refusal = refusal.text;
        kept.timed_out = strcmp(vacuum->channel.sqlstate, SQLSTATE_CANCELED) == 0;
    }
    kept.took_ns = clock_now_ns() - begin_ns;
    if (refusal.kind == ERROR_INTERRUPTED || vacuum->channel.lost ||
        (kept.refusal != NULL && vacuum->channel.sqlstate[0] == '\0')) {
        *err = refusal;
        return false;
    }
    kept.bytes_after = quoted != NULL ? size_of(vacuum, quoted) : -1;
    vacuum->tell(vacuum->context, &kept);
    return true;
}

static bool keep_table(struct vacuum *vacuum, const char *name, struct error *err)
{
    char *quoted = PQescapeIdentifier(vacuum->channel.conn, name, strlen(name));
    struct text what, sql;
    bool ok;

    text_init(&what, LOAD_SQL_MAX);
    text_init(&sql, LOAD_SQL_MAX);
    text_format(&what, "VACUUM %s", name);
    text_format(&sql, "VACUUM %s", quoted);
    ok = keep(vacuum, what.bytes, sql.bytes, quoted, err);
    text_close(&sql);
    text_close(&what);
    PQfreemem(quoted);
    return ok;
}

bool load_vacuum(const struct load_setup *setup,
                 void (*tell)(void *context, const struct load_kept *kept), void *context,
                 struct error *err)
{
    struct vacuum vacuum = { .tell = tell, .context = context };
    const struct workload *workload = setup->workload;
    struct arena *arena = arena_new(WORKLOAD_SQL_MAX);
    struct stall stall;
    bool ok;

    if (setup->check_limit_ns > 0)
        vacuum.until_ns = clock_now_ns() + setup->check_limit_ns;
    stall_open(&stall, setup);
    vacuum.channel.care = &stall.care;
    ok = channel_open(&vacuum.channel, setup->conninfo, setup->plan->connect_timeout_ns, err);
    for (int i = 0; ok && i < workload->table_count(setup->world); i++) {
        struct table_spec table;
        workload->describe(&table, setup->world, i, arena);
        ok = keep_table(&vacuum, table.name, err);
    }
    ok = ok && keep(&vacuum, "CHECKPOINT", "CHECKPOINT", NULL, err);
    channel_close(&vacuum.channel);
    stall_close(&stall);
    arena_free(arena);
    return ok;
}
