/*
 * job.h - one load or drop under way: what the room's files share.
 *
 * load.c leads; guard.c looks round and keeps others out; state.c reads and writes what is known of
 * the data in the table pgdyno_dataset beside them; crew.c works with several connections; create,
 * copy, after and vacuum are its kinds of work.
 *
 * Every step is one transaction together with its row in pgdyno_dataset, so each crash is all or
 * nothing and whoever comes next reads what is there. Two things keep loads apart. The guard's
 * session holds an advisory lock on the schema as long as it lives; and each step's row takes over
 * the token of the present load from the data set's row, and is refused when it is no longer that
 * one. A step holds a second advisory lock, shared, by which sessions that a killed load left
 * behind are found and ended.
 */
#ifndef LOAD_JOB_H
#define LOAD_JOB_H

#include <jansson.h>
#include <stdint.h>

#include "base/arena.h"
#include "load/channel.h"
#include "load/load.h"
#include "load/ranges.h"
#include "load/stall.h"

#define LOAD_STATE_VERSION   1
#define LOAD_CONNECTIONS_MAX 16
#define LOAD_CHUNK_BYTES     (1 << 20)
#define LOAD_ARENA_BYTES     ((size_t)1 << 30)
#define LOAD_SQL_MAX         ((size_t)1 << 20)

enum todo { TODO_WAITING, TODO_RUNNING, TODO_DONE };

/* Statements of a table after its rows. */
struct statements {
    const char *const *texts;
    enum todo *todo; /* a word a statement */
    int count;
    const char *step, *kind; /* in the report; in pgdyno_dataset */
};

struct table_job {
    struct table_spec spec;
    int index;
    const char *quoted;  /* "schema"."name" */
    const char *literal; /* 'name' */
    enum todo made, copied, vacuumed;
    struct statements after, links;
    const struct table_job **parents; /* whom its links name */
    int parent_count;
    uint32_t relation;
    int64_t rows;              /* COPY rows; estimated until all are copied */
    bool counted;              /* a number may say several: they are recorded with the chunks */
    double row_bytes;          /* average of a few numbers */
    int64_t chunk_rows;        /* about LOAD_CHUNK_BYTES */
    int lanes, lanes_max;      /* connections that copy into it: now, and at most */
    struct ranges done, taken; /* rows recorded as copied; these and the ones being copied */
    int seals;                 /* how often its ranges were read back */
    int64_t grown_from;        /* numbers that it had before the data set grows */
    int64_t begin_ns, added, bytes; /* of copying it, now: COPY rows and bytes */
};

/* A function or procedure. */
struct object_job {
    struct object_spec spec;
    const char *signature;               /* of the name, without its first word */
    const char *literal;                 /* the name */
    const char *target, *target_literal; /* the signature with its schema */
    const char *text, *text_literal;     /* what makes it, with its names */
    uint32_t recorded;                   /* its oid as it is recorded, or 0 */
    bool same;                           /* the text is the recorded one */
    enum todo todo;
};

/* What the relation c of pg_class takes, as SQL: with indexes, TOAST and partitions. */
#define LOAD_SIZE_OF_C                                                                      \
    "pg_total_relation_size(c.oid) + coalesce((SELECT sum(pg_total_relation_size(t.relid))" \
    " FROM pg_partition_tree(c.oid) t WHERE t.isleaf AND t.relid <> c.oid), 0)"

struct job {
    const struct load_setup *setup;
    struct arena *arena;
    struct stall stall;
    struct channel guard; /* holds the advisory lock; does what is done once */
    /* what guard_open() found */
    const char *schema, *role;
    const char *quoted_schema;
    const char *state, *state_literal; /* the quoted name of pgdyno_dataset; that as a literal */
    const char *family;                /* quoted literal */
    uint32_t schema_oid, role_oid;
    bool state_there, may_checkpoint;
    /* what is to be made */
    struct table_job *tables;
    struct object_job *objects;
    int table_count, object_count;
    int connections, connections_used; /* at most; by the step that used most */
    char token[20];                    /* of this load */
    uint64_t fingerprint;              /* of the data that the parameters ask for */
    bool linked;                       /* tables have links */
    bool growing;                      /* the data that are there are smaller, else as asked */
    bool known, checkpointed;          /* the data set's row is there; its last step is done */
    int64_t drop_begin_ns;             /* of tables that are there */
    json_t *phases, *steps, *notes;
};

/* ---- job.c ---- */

/* Describes the tables and takes samples of their rows. Quoted names come with guard_open(). */
bool job_open(struct job *job, const struct load_setup *setup, struct error *err);
void job_close(struct job *job);
/* COPY rows of a table: exact, or by its average. */
int64_t job_rows(const struct table_spec *spec);
/* Says some rows of 1..upto, always the same ones. `row` is open. */
struct copy_row;
bool job_sample(const struct job *job, const struct table_job *table, int64_t upto,
                struct copy_row *row, struct error *err);
void job_note(struct job *job, const char *format, ...) PRINTF_LIKE(2, 3);
/* Adds a step that ends now to the report. */
struct step {
    const char *step, *what;
    int64_t begin_ns, rows, bytes;
};
void job_step(struct job *job, const struct step *step);
bool job_stopped(void);

/* ---- render.c ---- */

/* Adds a statement with `own` for %s and a table's name for %{NAME}: quoted as the server wants it,
 * or as people read it. */
void render_statement(struct text *out, const struct job *job, const char *statement,
                      const char *own, bool quoted);
/* Finds whom the table's links name. */
void render_parents(const struct job *job, struct table_job *table);

/* ---- guard.c ---- */

/* Connects, finds schema and role, takes the lock and ends what a killed load left behind.
 * ERROR_PLAN: no schema, no right to create in it, or another load is at work. */
bool guard_open(struct job *job, bool may_create, struct error *err);
/* Ends sessions in the middle of a step (pid 0: all) and waits until they are gone. */
bool guard_clear(const struct job *job, struct channel *channel, int pid, struct error *err);

/* ---- state.c ---- */

/* Makes the table when it is not there. */
bool state_make(struct job *job, struct error *err);
/* Reads what is done; compares it with what is asked. `differs` is set, and `err` filled with the
 * differences, when other data are there. ERROR_PLAN: a table that is not ours. */
bool state_read(struct job *job, bool *differs, struct error *err);
/* Makes this load the data set's, by its token; writes its row when it is new. */
bool state_claim(struct job *job, struct error *err);
/* One thing that is done, as a row of pgdyno_dataset; zeroes where the kind has no numbers. */
struct mark {
    const char *kind;
    const struct table_job *table; /* NULL: of the whole data set, or of: */
    int64_t part, last;
    const struct object_job *object;
};
/* SQL that begins a step, and that records it; `rest` is "last, relation, detail" as SQL. */
void state_begin_sql(const struct job *job, struct text *sql);
void state_record_sql(const struct job *job, struct text *sql, const struct mark *mark,
                      const char *rest);
/* Is it recorded? A chunk also as part of a larger one. */
bool state_recorded(const struct job *job, struct channel *channel, const struct mark *mark,
                    bool *answer, struct error *err);
/* Merges the recorded chunks of a table into as few rows as they make. */
bool state_merge(const struct job *job, struct channel *channel, const struct table_job *table,
                 struct error *err);
/* Merges them and reads them into table->done; when they are the whole table,
 * records it as copied and gives true in `whole`. */
bool state_seal(const struct job *job, struct channel *channel, struct table_job *table,
                bool *whole, struct error *err);
/* Ends with everything recorded as done? */
bool state_complete(const struct job *job);

/* ---- names.c ---- */

/* Are the names free that tables (when `anew`: all are going to be dropped and made) and indexes
 * that are still to be made will have? ERROR_PLAN says which are not. */
bool names_free(struct job *job, bool anew, struct error *err);

/* ---- live.c ---- */

struct live {
    int64_t until_ns; /* set by the caller: counting ends, an estimate must do */
    int64_t rows;     /* -1: not known */
    bool exact;       /* counted, no estimate */
};
/* Until when counting may go on, all tables together. */
int64_t live_until_ns(void);
bool live_rows(struct job *job, const char *quoted, uint32_t relation, struct live *live,
               struct error *err);
/* ERROR_PLAN: tables that are finished and have other rows by now than were loaded. */
bool live_compare(struct job *job, struct error *err);

/* ---- object.c ---- */

void object_describe(struct job *job);
/* What is to be made of them. ERROR_PLAN: one of the same signature that is not ours. */
bool object_read(struct job *job, struct error *err);
/* Removes what is recorded. */
bool object_drop_all(struct job *job, struct error *err);

/* ---- drop.c ---- */

/* Removes what is recorded; the guard is open. */
bool drop_recorded(struct job *job, int *count, struct error *err);

/* ---- phases: each does what is not yet done, with the crew ---- */
bool create_tables(struct job *job, struct error *err);
bool copy_rows(struct job *job, struct error *err);
bool build_indexes(struct job *job, struct error *err);
bool link_tables(struct job *job, struct error *err);
bool make_objects(struct job *job, struct error *err);
bool vacuum_tables(struct job *job, struct error *err);

#endif
