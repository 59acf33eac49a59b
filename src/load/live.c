/*
 * live.c - how many rows the tables have by now.
 *
 * What is recorded says what was loaded; a run may have used it up since. Tables are counted while
 * that is cheap; of large ones, or when the time for it is over, the server's own statistics tell.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/job.h"

#define COUNT_NS      (3 * NS_PER_S) /* all tables together */
#define COUNT_LEAST   (20 * NS_PER_MS)
#define COUNT_PAGES   65536 /* half a gigabyte */
#define ESTIMATE_PART 100   /* an estimate may be off by so much of the rows */
#define SHOWN_MAX     3

int64_t live_until_ns(void)
{
    return clock_now_ns() + COUNT_NS;
}

/* What the server knows without looking; -1: nothing. */
static bool estimate(struct job *job, uint32_t relation, struct live *live, int64_t *pages,
                     struct error *err)
{
    const char *sql = arena_format(job->arena,
                                   "SELECT relpages, reltuples::bigint,"
                                   " coalesce(pg_stat_get_live_tuples(oid), 0)"
                                   " FROM pg_class WHERE oid = %u",
                                   relation);
    PGresult *found = channel_ask(&job->guard, sql, 0, NULL, err);
    int64_t planned = -1, seen = 0;

    if (found == NULL)
        return error_wrap(err, "looking for the rows there");
    if (PQntuples(found) > 0) {
        *pages = strtoll(PQgetvalue(found, 0, 0), NULL, 10);
        planned = strtoll(PQgetvalue(found, 0, 1), NULL, 10);
        seen = strtoll(PQgetvalue(found, 0, 2), NULL, 10);
    }
    PQclear(found);
    live->exact = false;
    live->rows = seen > 0 ? seen : planned;
    return true;
}

bool live_rows(struct job *job, const char *quoted, uint32_t relation, struct live *live,
               struct error *err)
{
    const char *limit;
    int64_t pages = 0, left_ns;
    PGresult *found;

    if (!estimate(job, relation, live, &pages, err))
        return false;
    left_ns = live->until_ns - clock_now_ns();
    if (pages > COUNT_PAGES || left_ns < COUNT_LEAST)
        return true;
    limit = arena_format(job->arena, "SET statement_timeout = %d", (int)(left_ns / NS_PER_MS));
    if (!channel_run(&job->guard, limit, "bounding a count", err))
        return false;
    found = channel_ask(&job->guard, arena_format(job->arena, "SELECT count(*) FROM %s", quoted), 0,
                        NULL, err);
    if (found != NULL) {
        live->rows = strtoll(PQgetvalue(found, 0, 0), NULL, 10);
        live->exact = true;
        PQclear(found);
    } else if (job_stopped() || job->guard.lost) {
        return error_wrap(err, "counting the rows of %s", quoted);
    } else {
        *err = (struct error){ .kind = ERROR_NONE }; /* The estimate will do. */
    }
    return channel_run(&job->guard, "SET statement_timeout = 0", "bounding a count", err);
}

static bool as_loaded(const struct live *live, int64_t wanted)
{
    int64_t off = live->rows > wanted ? live->rows - wanted : wanted - live->rows;

    if (live->exact)
        return off == 0;
    return live->rows < 0 || off <= wanted / ESTIMATE_PART;
}

bool live_compare(struct job *job, struct error *err)
{
    int64_t until_ns = live_until_ns();
    struct text words;
    int count = 0;
    bool ok = true;

    /* A run adds and takes away rows of these, and is itself followed by a check. */
    if (job->setup->workload->check_after_run)
        return true;
    text_init(&words, LOAD_SQL_MAX);
    for (int i = 0; i < job->table_count && ok; i++) {
        const struct table_job *table = &job->tables[i];
        struct live live = { .until_ns = until_ns };
        if (table->made != TODO_DONE || table->copied != TODO_DONE || table->vacuumed != TODO_DONE)
            continue; /* Nobody has run on it yet, and what is missing comes now. */
        ok = live_rows(job, table->quoted, table->relation, &live, err);
        if (!ok || as_loaded(&live, table->rows) || ++count > SHOWN_MAX)
            continue;
        text_format(&words, "%s%s has %s%lld rows and %lld were loaded", count > 1 ? "; " : "",
                    table->spec.name, live.exact ? "" : "about ", (long long)live.rows,
                    (long long)table->rows);
    }
    if (ok && count > SHOWN_MAX)
        text_format(&words, "; %d more tables differ", count - SHOWN_MAX);
    if (ok && count > 0)
        ok = error_set(err, ERROR_PLAN,
                       "the data are not as they were loaded: %s. Use --force to load them anew",
                       words.bytes);
    text_close(&words);
    return ok;
}
