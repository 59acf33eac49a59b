/*
 * books.c - the server's count of commits over the life of the load sessions (design D6).
 *
 * What a session adds to pg_stat_database.xact_commit, and to xact_rollback, was measured on 12,
 * 14, 15, 17 and 18, which all agree:
 *
 *   connect (also when it ends without Terminate or is killed idle)          1 commit
 *   connect refused after the database was chosen (bad setting, no rights)   1 rollback
 *   a simple Query, one or several statements, also SET, DISCARD, COPY, ""   1 commit
 *   Parse + Sync, Parse + Describe + Sync, Describe + Sync                    1 commit
 *   Bind + Execute + Sync; Parse + Bind + Execute + Sync                     1 commit
 *   several Bind + Execute up to one Sync, outside a transaction block       1 commit
 *   Sync alone; Close + Sync                                                 0
 *   anything of these inside BEGIN .. COMMIT (Parse + Sync too)              0
 *   BEGIN .. COMMIT as a whole, each with a Sync or all up to one Sync       1 commit
 *   COMMIT outside a block (a warning)                                       1 commit
 *   ROLLBACK outside a block (a warning)                                     1 rollback
 *   BEGIN .. ROLLBACK; BEGIN, error, ROLLBACK or COMMIT                      1 rollback
 *   a statement that fails or is cancelled outside a block                   1 rollback
 *   a session that ends inside a block or in a statement                     1 rollback
 *   a savepoint and going back to it                                         0
 *   VACUUM of a table 3, ANALYZE 1, VACUUM ANALYZE 4, CREATE INDEX CONCURRENTLY 4,
 *   a DO block with n COMMITs in it                                          n + 1 commits
 *   each parallel worker of a query                                          2 commits
 *   a visit of autovacuum (each database, each autovacuum_naptime)           2 commits, and more
 *                                                                            for each table it does
 *
 * A session publishes its counts when it ends. While it is idle: at most every 0.5 s and at the end
 * of a statement only (up to 14, by a datagram that may be lost), every 1 s (from 15). So our own
 * share is told apart from the others' by making sure that it is published before we read. From 15
 * on a session has published before it leaves pg_stat_activity: when nobody else is in there, one
 * reading tells all.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "collect/query.h"

#define READ_PAUSE_OLD_NS                                                  \
    (550 * NS_PER_MS) /* up to 14: a report and the file are due after 500 \
                       */
#define READ_PAUSE_NEW_NS (300 * NS_PER_MS)
#define READ_SAME_OLD     2 /* readings that must agree */
#define READ_SAME_NEW     3
#define SETTLE_MAX_NS     (4 * NS_PER_S)
#define ALONE_TRIES       15 /* somebody may just be leaving */
#define ALONE_PAUSE_NS    (10 * NS_PER_MS)
#define SILENCE_NS        NS_PER_S /* a longer wait is told */
#define GONE_PAUSE_NS     (50 * NS_PER_MS)

static void begin_waiting(struct collect *collect)
{
    collect->wait_since_ns = clock_now_ns();
}

static void pause_ns(struct collect *collect, int64_t length_ns)
{
    int64_t now_ns = clock_now_ns();

    if (collect->on_wait != NULL && collect->wait_since_ns != 0 &&
        now_ns - collect->wait_since_ns > SILENCE_NS) {
        collect->wait_since_ns = 0;
        collect->on_wait();
    }
    clock_sleep_until_ns(now_ns + length_ns);
}

struct reading {
    int64_t others; /* xact_commit less our own share of it */
    char reset[QUERY_STAMP_MAX], start[QUERY_STAMP_MAX], clock[QUERY_STAMP_MAX];
};

static bool to_whole(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *number = value;
    return errno == 0 && end != text && *end == '\0';
}

static void keep(char *out, const char *text)
{
    size_t length = strnlen(text, QUERY_STAMP_MAX - 1);
    memcpy(out, text, length);
    out[length] = '\0';
}

/* From 15 on a session can be told to publish at the end of this very statement; before, it does so
 * by itself at the end of a statement that comes 500 ms after its last report. */
static bool read_once(struct collect *collect, struct reading *reading, struct error *err)
{
    if (collect->major >= 15) {
        PGresult *done = query_run(collect, "SELECT pg_stat_force_next_flush()", false, err);
        if (done == NULL)
            return false;
        PQclear(done);
    }
    int64_t published = collect->own_commits;
    PGresult *result = query_run(collect,
                                 "SELECT xact_commit, extract(epoch FROM stats_reset)::text,"
                                 " extract(epoch FROM pg_postmaster_start_time())::text,"
                                 " extract(epoch FROM clock_timestamp())::text"
                                 " FROM pg_stat_database WHERE datname = current_database()",
                                 false, err);
    if (result == NULL)
        return false;
    int64_t commits = 0;
    bool good = PQntuples(result) == 1 && to_whole(PQgetvalue(result, 0, 0), &commits);
    if (good) {
        reading->others = commits - published;
        keep(reading->reset, PQgetvalue(result, 0, 1));
        keep(reading->start, PQgetvalue(result, 0, 2));
        keep(reading->clock, PQgetvalue(result, 0, 3));
    } else {
        error_set(err, ERROR_SERVER, "pg_stat_database has no row of this database");
    }
    PQclear(result);
    return good;
}

/* Is no other session of any kind in this database? Then nothing is left to be published. */
static bool is_alone(struct collect *collect)
{
    struct error ignored;
    int64_t others = -1;
    for (int i = 0; i < ALONE_TRIES && others != 0 && !atomic_load(&collect->hurry); i++) {
        if (i > 0)
            pause_ns(collect, ALONE_PAUSE_NS);
        PGresult *result = query_run(collect,
                                     "SELECT count(*) FROM pg_stat_activity WHERE datname ="
                                     " current_database() AND pid <> pg_backend_pid()",
                                     false, &ignored);
        if (result == NULL)
            return false;
        if (PQntuples(result) != 1 || !to_whole(PQgetvalue(result, 0, 0), &others))
            others = -1;
        PQclear(result);
    }
    return others == 0;
}

/* Reads until enough readings agree. False: could not be read, or (settled = false) others commit
 * all the time; then the last reading stands. */
static bool read_settled(struct collect *collect, int64_t until_ns, struct reading *reading,
                         bool *settled, struct error *err)
{
    bool old = collect->major < 15;
    int same = 0, wanted = old ? READ_SAME_OLD : READ_SAME_NEW;
    int64_t last = 0;
    *settled = false;
    if (!old && is_alone(collect))
        wanted = 1;
    while (same < wanted && (same == 0 || clock_now_ns() < until_ns)) {
        if (old || same > 0)
            pause_ns(collect, old ? READ_PAUSE_OLD_NS : READ_PAUSE_NEW_NS);
        if (atomic_load(&collect->hurry))
            return error_set(err, ERROR_SERVER, "interrupted again before it could be read");
        if (!read_once(collect, reading, err))
            return false;
        same = same > 0 && reading->others == last ? same + 1 : 1;
        last = reading->others;
    }
    *settled = same >= wanted;
    return true;
}

int64_t collect_commits_begin(struct collect *collect)
{
    struct reading reading = { 0 };
    struct error err = { 0 };
    bool settled;
    begin_waiting(collect);
    collect->books_open = false;
    if (!query_connect(collect, &err) ||
        !read_settled(collect, clock_now_ns() + SETTLE_MAX_NS, &reading, &settled, &err))
        return -1;
    collect->books_open = true;
    collect->others_begin = reading.others;
    keep(collect->reset_begin, reading.reset);
    keep(collect->start_begin, reading.start);
    keep(collect->clock_begin, reading.clock);
    return reading.others + collect->own_commits;
}

/* How many sessions of that name this database has; -1 when it cannot be told. Those that were
 * there before the books were opened are another's: of a run beside this one, or kept by a pooler.
 */
static int64_t sessions_left(struct collect *collect, const char *application_name,
                             struct error *err)
{
    char *name = PQescapeLiteral(collect->conn, application_name, strlen(application_name));
    if (name == NULL) {
        error_set(err, ERROR_SERVER, "the application name cannot be quoted");
        return -1;
    }
    char *sql = memory_format("SELECT count(*) FROM pg_stat_activity WHERE datname ="
                              " current_database() AND application_name = %s"
                              " AND pid <> pg_backend_pid() AND backend_start >= to_timestamp(%s)",
                              name, collect->clock_begin);
    PQfreemem(name);
    PGresult *result = query_run(collect, sql, false, err);
    memory_free(sql);
    int64_t count = -1;
    if (result != NULL && PQntuples(result) == 1)
        to_whole(PQgetvalue(result, 0, 0), &count);
    PQclear(result);
    return count;
}

static bool wait_until_gone(struct collect *collect, const char *application_name,
                            int64_t patience_ns, struct error *err)
{
    int64_t until_ns = clock_now_ns() + patience_ns;
    for (;;) {
        int64_t left = sessions_left(collect, application_name, err);
        if (left <= 0)
            return left == 0;
        if (atomic_load(&collect->hurry) || clock_now_ns() >= until_ns)
            return error_set(err, ERROR_SERVER, "%" PRId64 " session(s) named %s are still there",
                             left, application_name);
        pause_ns(collect, GONE_PAUSE_NS);
    }
}

/* Our own connection may be as dead as theirs: then a new one tells that the server was restarted.
 */
static bool are_gone(struct collect *collect, const char *application_name, int64_t patience_ns,
                     struct error *err)
{
    bool gone =
        query_connect(collect, err) && wait_until_gone(collect, application_name, patience_ns, err);

    if (gone || collect->conn != NULL || !query_connect(collect, err))
        return gone;
    *err = (struct error){ 0 };
    return wait_until_gone(collect, application_name, patience_ns, err);
}

static int64_t tell(const struct collect *collect, const struct reading *reading, bool settled,
                    struct error *err)
{
    int64_t commits = reading->others - collect->others_begin;
    if (strcmp(reading->start, collect->start_begin) != 0)
        error_set(err, ERROR_SERVER, "the server was restarted during the run");
    else if (strcmp(reading->reset, collect->reset_begin) != 0 || commits < 0)
        error_set(err, ERROR_SERVER, "the server's statistics were reset during the run");
    else {
        if (!settled)
            error_set(err, ERROR_SERVER, "other sessions of this database commit all the time");
        return commits;
    }
    return -1;
}

int64_t collect_commits_end(struct collect *collect, const char *application_name,
                            int64_t patience_ns, char *note, int note_size)
{
    struct reading reading = { 0 };
    struct error err = { 0 };
    bool settled = false;
    int64_t commits = -1;
    int64_t settle_ns = patience_ns < SETTLE_MAX_NS ? patience_ns : SETTLE_MAX_NS;
    begin_waiting(collect);
    if (!collect->books_open)
        error_set(&err, ERROR_SERVER, "the count at the beginning could not be read");
    else if (are_gone(collect, application_name, patience_ns, &err) &&
             read_settled(collect, clock_now_ns() + settle_ns, &reading, &settled, &err))
        commits = tell(collect, &reading, settled, &err);
    if (note_size > 0)
        snprintf(note, (size_t)note_size, "%s", err.text);
    return commits;
}

/* The names in it are found as the load sessions find them. */
bool collect_whole(struct collect *collect, const char *sql, int64_t *number)
{
    struct error err = { 0 };
    char *limited = memory_format("SET LOCAL statement_timeout = %d; %s", QUERY_TIMEOUT_MS, sql);
    PGresult *result =
        query_connect(collect, &err) ? query_run(collect, limited, true, &err) : NULL;
    bool told = result != NULL && PQntuples(result) == 1 && PQnfields(result) == 1 &&
                to_whole(PQgetvalue(result, 0, 0), number);

    PQclear(result);
    memory_free(limited);
    return told;
}

void collect_on_wait(struct collect *collect, void (*say)(void))
{
    collect->on_wait = say;
}

void collect_limit(struct collect *collect, int64_t limit_ns)
{
    collect->limit_ns = limit_ns;
}

bool collect_is_silent(const struct collect *collect)
{
    return collect->silent;
}

void collect_hurry(struct collect *collect)
{
    atomic_store(&collect->hurry, true);
}

bool collect_is_hurried(struct collect *collect)
{
    return atomic_load(&collect->hurry);
}
