/*
 * collect.h - watches the server and the machine; never touches a session under load.
 *
 * Everything here uses libpq on a connection of its own, named pgdyno-collect. A collector that
 * fails becomes a note, never the end of a run. What it gives is JSON, ready for the result.
 */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct collect;

/* Connects; waits for each answer of the server at most `timeout_ns`, and 10 s. Owned:
 * collect_close(). ERROR_SERVER with libpq's reason, secrets removed. */
struct collect *collect_open(const char *conninfo, int64_t timeout_ns, struct error *err);
void collect_close(struct collect *collect); /* NULL is fine */

/* The target in short, for the result: {"host", "hostaddr", "port", "dbname", "user", "version",
 * "version_num", "major", "pid", "here": collect_server_is_here(), "in_recovery", "start_time",
 * "server_address" (of the server's end, null on a unix socket), "tls": {"in_use", "protocol",
 * "cipher", "bits"}, "pooler": null or why one is suspected}. No secrets. Owned, never NULL. */
json_t *collect_target(struct collect *collect);

/* Server facts at one instant, for before.json and after.json: {"at", "version", "version_num",
 * "system_identifier" where it may be read, "settings": {name: {value, unit, source, boot}} that
 * differ from their default, "all_settings": {name: value}, "database": {pg_stat_database's row,
 * size_bytes}, "bgwriter"/..., "durability":
 * {...}}. What could not be read is a line in "notes". Owned by the caller, never NULL. */
json_t *collect_snapshot(struct collect *collect);

/* {"fsync", "full_page_writes", "synchronous_commit", "data_checksums", "wal_level",
 * "synchronous_standbys": bool, "unlogged_tables", "durable": bool, "why": [..]} of a snapshot;
 * what is not known is null, and then not durable. A setting of the load sessions alone is seen
 * when it is in the conninfo. Pure; owned. */
json_t *collect_durability(const json_t *snapshot);

/* ---- the books against the server (design D6) ---- */

/* pg_stat_database.xact_commit + our own commits so far, to be read before the first load session.
 */
int64_t collect_commits_begin(struct collect *collect);
/* After the load sessions are closed: waits until none named `application_name` is in
 * pg_stat_activity (at most patience_ns), lets statistics settle, and gives the server's commits
 * since collect_commits_begin() less those of this connection; -1 when it cannot be told (then
 * `note` says why). `note` is "" when all is well; with a count it says what makes that doubtful.
 * Parallel workers (2 each) and autovacuum are in it: see the table in books.c. Takes up to
 * patience_ns, and for settling as long again but at most 4 s; from 15 on it is quick when nobody
 * else is in the database, else usually 0.6 s; before 15 1.7 s. The same in
 * collect_commits_begin().
 */
int64_t collect_commits_end(struct collect *collect, const char *application_name,
                            int64_t patience_ns, char *note, int note_size);
/* From now on no statement is waited for longer than that; a server that does not answer in time is
 * not asked again. */
void collect_limit(struct collect *collect, int64_t limit_ns);
/* Did it once not answer in time? */
bool collect_is_silent(const struct collect *collect);
/* To be said, once a count of the commits, when that takes longer than a second. */
void collect_on_wait(struct collect *collect, void (*say)(void));
/* Nothing of this is waited for any longer. Async-signal-safe, any thread; for good. */
void collect_hurry(struct collect *collect);
/* The program leaves now: ends what the server is doing for us, so that its session does not stay
 * until a lock is free. Once. Async-signal-safe, any thread; takes as long as libpq's PQcancel()
 * does, for ever when the server is stopped. */
void collect_interrupt(struct collect *collect);
/* Was that said? Then nothing more is asked. */
bool collect_is_hurried(struct collect *collect);

/* Asks SQL whose answer is one row and in it one whole number; not part of the others' commits.
 * False: it was not told. */
bool collect_whole(struct collect *collect, const char *sql, int64_t *number);

/* ---- what the machine did while it was measured ---- */

struct collect_watch;

/* Begins to watch the machine, and the server's processes and devices when it is here; `snapshot`
 * tells where its data lie. `collect` NULL: there is no server. Owned: collect_watch_free(). */
struct collect_watch *collect_watch_start(struct collect *collect, const json_t *snapshot);
/* Begins to watch the server as well, over a connection of its own: its views, and `rate` times a
 * second its load sessions, which are named `application`. Not at all when the rate is 0 or
 * `collect` NULL. `cold`: the measured window begins with the load. */
void collect_watch_server(struct collect_watch *watch, struct collect *collect,
                          const char *application, int64_t rate, bool cold);
/* When the load and the measured window begin, and when that ends if it is known (else 0), on
 * clock_now_ns(), said before it begins. And: the last transaction is over. Both from any thread;
 * they wait for nobody. */
void collect_watch_clock(struct collect_watch *watch, int64_t start_ns, int64_t begin_ns,
                         int64_t end_ns);
void collect_watch_over(struct collect_watch *watch);
/* Puts the latest second into a line of the series: "machine", "server", "waits". */
void collect_watch_second(struct collect_watch *watch, json_t *line);
/* Ends the watching of the server, before its commits are counted: {"statistics", "waits",
 * "events"}, empty when it was not watched. `hurry`: wait for nothing. What failed is in `notes`.
 * Owned. */
json_t *collect_watch_told(struct collect_watch *watch, struct collect *collect, bool hurry,
                           json_t *notes);
/* `machine` of the result, over the window as it was, with what a query took. Ends the watching.
 * Owned, never NULL; null when the window did not begin or end. */
json_t *collect_watch_machine(struct collect_watch *watch, int64_t begin_ns, int64_t end_ns,
                              int64_t queries);
void collect_watch_free(struct collect_watch *watch); /* NULL is fine */

/* ---- plans ---- */

/* A statement as load sessions prepare it; borrowed. */
struct collect_statement {
    const char *name, *sql;
    const uint32_t *types; /* of its values, as they are declared */
    int type_count;
};
/* {NAME: {"lines": [EXPLAIN's], "shape": one line without costs and numbers of tables, or null,
 * "error": what the server said against it, or null}}. Plans are the generic ones, for any values;
 * nothing is executed. Statements that have no plan, and those not reached within 5 s, have no row.
 * Not part of the others' commits. Not to be asked through a pooler. Owned. */
json_t *collect_plans(struct collect *collect, const struct collect_statement *list, int count);

/* ---- the client's machine ---- */

/* {"hostname", "kernel", "cpus", "cpu_model", "memory_bytes", "cgroup": {...}, "libpq", "openssl",
 * ...}; owned. */
json_t *collect_host(void);
/* True when the server is this machine (unix socket, or loopback). */
bool collect_server_is_here(struct collect *collect);

/* The client's part of one second of /proc: {"cpu": 0.93 of one core, "run_delay": ..,
 * "rss_bytes"}; keeps the last reading in `state` (zeroed at first: then the shares are null, as is
 * what the kernel does not tell). Owned. */
struct collect_self {
    int64_t at_ns, cpu_ns, run_delay_ns;
};
json_t *collect_self_second(struct collect_self *state);

#endif
