/*
 * store.h - the result directory: written once, read for ever (docs/result.md).
 *
 * A result under way is a folder that already holds run.log and a growing series.jsonl;
 * store_finish() adds the rest and the checksums. `result.json` is written last, to a temporary
 * name, and renamed: a folder without it is a run that did not end. The JSON is jansson's; report
 * and compare read the same tree whether it was just made or came from disk.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "recorder/recorder.h"

#define RESULT_SCHEMA 1

struct store;

/* ---- writing ---- */

/* Makes <results>/<stamp>-<workload>[-label]/ with O_EXCL semantics (a suffix -2, -3, ... when it
 * is there). ERROR_MACHINE: which folder, why. Owned: store_finish() or store_abandon(). */
struct store *store_begin(const char *results, const char *workload, const char *label,
                          int64_t wall_ns, struct error *err);
const char *store_path(const struct store *store);

/* One line with its time into run.log, control characters escaped. Any thread. What cannot be
 * written from here on is told by store_finish(). */
void store_log(struct store *store, const char *line);
/* One object as a line of series.jsonl. Steals `line`. */
void store_series(struct store *store, json_t *line);
/* The lines of an interval into latency.hlog: one a transaction, tag "<phase>/<transaction>". */
void store_intervals(struct store *store, const struct recorder_layout *layout,
                     const struct interval *intervals, int count, int64_t start_ns);

/* A file of its own beside the others, "round_trips.csv", of those that the store knows. */
void store_file(struct store *store, const char *name, const void *bytes, size_t count);

/* An interval as an object for store_series(): "at_s", "phase", counts, rates per second and
 * response times; the caller adds what it knows of server and machine. Pure. Owned. */
json_t *store_interval_json(const struct interval *interval, const struct percentiles *percentiles,
                            int64_t start_ns);

/* What a finished run is, to become result.json. All borrowed. */
struct store_run {
    const struct store *store; /* for the batch means its intervals gave; NULL: none */
    const char *workload, *family;
    const struct option_group *groups; /* plan first, then the family's options */
    int group_count;
    const struct option_argv *args; /* what was said; NULL: what is not at its default was */
    struct recorder *recorder;
    int64_t start_ns, start_wall_ns, measure_begin_ns, measure_end_ns, drained_ns;
    int64_t connect_begin_ns, connect_end_ns;
    const struct percentiles *percentiles;
    json_t *target; /* {"host", "port", "dbname", "user", "version", "tls": ..., "local": bool, ...}
                       no secrets */
    json_t *before, *after; /* snapshots, or NULL */
    json_t *durability;     /* collect_durability(), or NULL: that of `before` when it has one */
    json_t *books;          /* {"client_commits", "server_commits", "difference", "ok", "note"} */
    json_t *client;         /* {"saturated", "why", "workers": [...], ...} */
    json_t *host;           /* collect_host() */
    json_t *watched;        /* {"machine", "statistics", "waits", "events"}, or NULL */
    json_t *rate;           /* open loop: {"arrival", "wanted_per_s", "ramp", "achieved_share",
                               "kept"}; else NULL */
    json_t *check;          /* whether the data were consistent afterwards, or NULL */
    json_t *vacuum;         /* what was done for the tables afterwards, or NULL */
    json_t *headlines; /* array of {"name", "words", "value"}; the values go into the summary */
    json_t *tallies;   /* {name: count} */
    json_t *rates, *ledgers; /* arrays */
    json_t *plans;           /* an object; NULL: not asked for */
    json_t *terminals;       /* {"count", ...}, or NULL */
    json_t *blocks;          /* {"read", "hit", "riops", ...}, or NULL */
    json_t *network;         /* {"sockets", "min_rtt_ms", ...}, or NULL */
    json_t *round_trips;     /* {"count", "min_us", ...}, or NULL */
    json_t *verdict;         /* {"limit", ...}; NULL: who made the run judges the tree */
    json_t *outages;         /* array of {"at_s", "seconds", "failed", ...}, or NULL */
    int64_t outages_unlisted;
    json_t *notes;     /* array of strings */
    const char *ended; /* "finished", "interrupted", "stopped" */
    int exit_code;
};
/* result.json as a tree: schema, tool, plan, target, phases, summary, transactions, statements,
 * errors, ... Pure but for reading its inputs. Owned. */
json_t *store_result(const struct store_run *run);

/* Writes result.json, before.json, after.json, latency.hlog's phase lines, sha256sums; fsyncs.
 * Consumes the store, path included. ERROR_MACHINE: the first thing that could not be written,
 * now or earlier in the run; the folder stays, and result.json is in it when there was room: some
 * is set aside by store_begin(). */
bool store_finish(struct store *store, const struct store_run *run, const json_t *result,
                  struct error *err);
/* Gives up: leaves the folder with run.log. */
void store_abandon(struct store *store);

/* ---- reading ---- */

/* Reads <path>/result.json (or the file itself) and lifts older schemas to this one. ERROR_USAGE:
 * no result there; ERROR_PLAN: not one of ours, newer schema, or broken. Owned. */
json_t *store_read(const char *path, struct error *err);

/* One value by a dotted path, longest key first at each step ("summary.latency_ms.response.p99.9"
 * works), or by RFC 6901 when it begins with '/'. Borrowed; NULL when there is none. */
json_t *store_find(json_t *result, const char *path);

#endif
