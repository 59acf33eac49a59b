/*
 * bench.h - one bench: targets x workloads x repeats. Private to the bench*.c files.
 *
 * A bench is a list of steps that follows from the plan and its seed alone, so it can be carried on
 * by another process: what is done is in index.json, and the rest is computed anew.
 */
#ifndef COMMAND_BENCH_H
#define COMMAND_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/arena.h"
#include "command/child.h"
#include "plan/plan_file.h"
#include "server/server.h"

#define BENCH_STEPS_MAX   200000
#define BENCH_ROWS_MAX    4096
#define BENCH_TABLES_MAX  100000
#define BENCH_ID_MAX      64
#define BENCH_DATA_MAX    20 /* a hash in hexadecimal */
#define BENCH_SCHEMA      1
#define BENCH_WORDS_MAX   (CHILD_WORDS_MAX - 16)
#define BENCH_INDEX       "index.json"
#define BENCH_PLAN        "plan.yaml"
#define BENCH_POSTWRITE_S 60

enum bench_servers { BENCH_SERVERS_STOP, BENCH_SERVERS_KEEP, BENCH_SERVERS_REMOVE };

struct bench_options {
    const char *output; /* the folder */
    int64_t repeats;    /* 0: as the plan says */
    double scale, time; /* 0: 1, or what the bench was begun with */
    bool dry_run, retry_failed, trust_plan;
    int servers; /* enum bench_servers */
};

enum bench_kind {
    BENCH_RUN,       /* reported */
    BENCH_WARM,      /* a run that is not */
    BENCH_POSTWRITE, /* of a suite: vacuum, checkpoint, wait */
};

/* What is done to a target: a workload with its options, or a step of a suite. */
struct bench_row {
    const char *name;
    const char *workload; /* of a postwrite step: one whose tables are meant */
    const struct plan_file_row *plan;
    enum bench_kind kind;
    const char *const *words; /* "run", the workload, its options; ended by NULL */
    const char *const *load;  /* the same for load */
    int64_t planned_ns;
    const char *family;
    char data[BENCH_DATA_MAX]; /* rows with the same have the same data set */
    int64_t row_count;         /* of all its tables */
    bool takes_part;           /* a larger data set serves it */
    const char *const *tables; /* quoted, ended by NULL; NULL: it has no data */
    int table_count;
    int64_t wait_ns; /* of a postwrite step */
};

/* Rows that stay together, in their order, with one state of the data before the first. */
struct bench_unit {
    int first, count; /* of rows */
};

struct bench_target {
    const struct plan_file_target *plan;
    bool local;
    int major;            /* of a local one */
    const char *servers;  /* PGDYNO_SERVERS; local ones with the same share their data */
    const char *conninfo; /* of one that is not local: a secret */
    const char *settings; /* what its files say, put together; "" when there are none */
    const char *settings_path;
    int held; /* descriptor of server_hold(); 0 and -1: none */
};

enum bench_state { STEP_WAITING, STEP_DONE, STEP_FAILED };

struct bench_step {
    char id[BENCH_ID_MAX];
    int block, target, row; /* block from 1 on */
    int64_t seed;
    bool begins; /* its unit: the data are brought into their state before it */
    enum bench_state state;
    json_t *entry; /* as in index.json; owned */
};

struct bench {
    struct bench_options options;
    struct arena *arena;
    const char *folder, *plan_path, *plan_text;
    struct plan_file plan;
    int repeats;
    int64_t seed;
    double scale, time;
    struct bench_target *targets;
    struct bench_row *rows;
    int row_count;
    struct bench_unit *units;
    int unit_count;
    struct bench_step *steps;
    int step_count;
    json_t *data; /* what is loaded where: {servers: {"saved": bool, family: hash}} */
    char begun[32];
    int lock; /* descriptor, -1: none */
    bool begun_before;
    struct timespec index_time; /* of index.json as it was read */
    bool settings_kept;         /* they are read from the folder as they were put together */
    /* while it runs: */
    int up;                        /* the target whose server runs, -1: none */
    const char *base, *conninfo;   /* of the target that is up, of its runs: secrets */
    const char *child_target;      /* what a child is told; a secret */
    int64_t overhead_ns, measured; /* beyond what was planned, of so many steps */
    int64_t step_begin_ns, told_ns;
    int at; /* the step */
};

/* bench_plan.c: the plan, its targets and rows, checked and completed. */
bool bench_read_plan(struct bench *bench, struct error *err);
bool bench_read_targets(struct bench *bench, struct error *err);
/* bench_rows.c */
bool bench_make_rows(struct bench *bench, struct error *err);
const struct plan_words *bench_plan_words(void);

/* bench_steps.c: pure. The steps of blocks 1..repeats; the same for the same plan and seed, and
 * with more repeats the first ones stay. */
bool bench_make_steps(struct bench *bench, struct error *err);
int64_t bench_block_seed(int64_t seed, int block);

/* bench_index.c: the folder and its index. */
bool bench_same_plan(struct bench *bench, struct error *err);
bool bench_open_folder(struct bench *bench, struct error *err);
/* Takes over what was begun in the folder: options, seed; false when it does not fit. */
bool bench_recall(struct bench *bench, struct error *err);
bool bench_recall_steps(struct bench *bench, struct error *err);
bool bench_write_index(const struct bench *bench, struct error *err);
/* The content of a file of at most `limit` bytes, in the arena; NULL with `err`. */
char *bench_read_file(struct arena *arena, const char *path, size_t limit, size_t *size,
                      struct error *err);
bool bench_write_file(const char *path, const char *content, struct error *err);

/* bench_state.c: servers and data. */
bool bench_bring_up(struct bench *bench, int target, struct error *err);
bool bench_prepare(struct bench *bench, struct bench_step *step, struct error *err);
/* What precedes a run by the plan, or what a postwrite step is. */
bool bench_precede(struct bench *bench, struct bench_step *step, struct error *err);
bool bench_postwrite(struct bench *bench, struct bench_step *step, struct error *err);
/* No other bench may have the servers of this one; they stay held until its end. */
bool bench_hold_servers(struct bench *bench, struct error *err);
/* Has the template a name to which that of the database of the runs can be made? ERROR_PLAN. */
bool bench_template_fits(const char *database, struct error *err);
/* The server of the target has been removed. */
void bench_forget_data(struct bench *bench, int target);
void bench_put_down(struct bench *bench);
void bench_put_all_down(struct bench *bench);

/* bench_run.c: all that is to be done; the exit code. */
enum error_kind bench_run_steps(struct bench *bench, struct error *err);
void bench_show_schedule(const struct bench *bench);
void bench_wait(void *context); /* of a child: shows how far it is */
int64_t bench_left_ns(const struct bench *bench);
/* "1 h 5 min", into at least 32 bytes; gives it back. */
const char *bench_time(int64_t ns, char *out);

#endif
