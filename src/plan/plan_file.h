/*
 * plan_file.h - a published experiment as one reviewable file: targets x workloads x repeats.
 *
 * The keys of a workload are the options of `run` and of its family by their names, so their rows
 * are their whole grammar; a list where one value is expected is a grid. A plan is data from a
 * stranger: nothing in it may act (design D11), and it holds no password, so that it can be kept
 * beside the results as it is. Every message says file, line, column, key, what was found and what
 * is allowed.
 */
#ifndef PLAN_PLAN_FILE_H
#define PLAN_PLAN_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "plan/option.h"

#define PLAN_TARGETS_MAX  64
#define PLAN_ROWS_MAX     1024
#define PLAN_SETTINGS_MAX 8
#define PLAN_REPEATS_MAX  1000
#define PLAN_NAME_MAX     40 /* so that a label of a run holds it */

enum plan_restore {
    RESTORE_KEEP,     /* nothing: a run finds what the one before it left */
    RESTORE_COPY,     /* of a local server's data folder, taken once they are loaded */
    RESTORE_TEMPLATE, /* runs in a database made by CREATE DATABASE ... TEMPLATE each time */
    RESTORE_RELOAD,   /* loaded anew */
};

enum plan_precondition { /* or-ed, done in this order */
                         PRECONDITION_VACUUM = 1,
                         PRECONDITION_CHECKPOINT = 2,
                         PRECONDITION_QUIET = 4,
};

/* One option that the plan says. */
struct plan_item {
    const char *key, *value; /* the key is the row's name */
    const struct option *row;
};

struct plan_place {
    int line, column;
};

struct plan_file_target {
    const char *name;
    const char *target; /* conninfo, URI, local, local:17; or $NAME of a variable that holds one */
    const char *pg_bin; /* NULL: searched */
    const char *settings[PLAN_SETTINGS_MAX]; /* files, a later one wins */
    int settings_count;
    json_t *price; /* {"compute_month": 280, ...} for reports; borrowed from the plan; or NULL */
    struct plan_place place;
};

/* Lengths of a suite, in the order of enum suite_length; -1: as published. */
#define PLAN_SUITE_LENGTHS 4

/* One workload with one set of options, of a grid one point. */
struct plan_file_row {
    const char *name;     /* unlike all others */
    const char *workload; /* NULL: a suite */
    const char *suite;    /* "micro"; NULL: a workload */
    int64_t suite_ns[PLAN_SUITE_LENGTHS];
    const struct plan_item *items;
    int item_count;
    struct plan_place place;
};

struct plan_file {
    const char *path;
    const char *name, *about; /* about: NULL when it says nothing */
    struct plan_file_target *targets;
    int target_count;
    struct plan_file_row *rows; /* borrowed, as all of it */
    int row_count;
    const struct plan_item *load; /* options of load alone */
    int load_count;
    int repeats;
    int64_t seed;           /* of order and runs; -1: drawn */
    unsigned preconditions; /* enum plan_precondition */
    int64_t quiet_limit_ns;
    int restore;          /* enum plan_restore */
    bool stop_on_failure; /* the first run that fails ends it; else it goes on */
    json_t *prices;       /* owned: plan_file_close() */
};

/* What a plan can say is known to others. */
struct plan_words {
    /* The rows of a workload's own options, under --compat `compat` (NULL: none is said); `rows`
     * gets NULL when it has none. False: there is no such workload. */
    bool (*options)(const char *workload, const char *compat, const struct option **rows);
    const char *(*nearest)(const char *workload); /* NULL when none is near */
    const char *const *suites;                    /* their names, ended by NULL */
    /* A workload whose options are those of the suite's. */
    const char *const *suite_workloads;
};

/* Reads `size` bytes of the plan at `path`, which only messages use. Sizes (rows marked
 * OPTION_SCALES) are multiplied by `scale`, durations by `time`. ERROR_PLAN. All in the arena;
 * plan_file_close() in any case. */
struct plan_file_source {
    const char *path, *content;
    size_t size;
    const struct plan_words *words;
    double scale, time; /* 1: as it says */
};
bool plan_file_read(const struct plan_file_source *source, struct arena *arena,
                    struct plan_file *out, struct error *err);
void plan_file_close(struct plan_file *plan);

const char *plan_restore_word(int restore); /* "keep", ... */

/* May a plan's settings file not name this setting (design D11)? The sentence that says why, or
 * NULL. */
const char *plan_refuses_setting(const char *name);

#endif
