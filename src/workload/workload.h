/*
 * workload.h - what is done: a data set, statements, transactions.
 *
 * A workload is one descriptor and its transactions in plain C. It knows nothing of sockets,
 * threads, time, latency or printing, and owns no memory: what its options make of the world is
 * computed once into `world` and then const. A new one is a file in its family's folder and a row
 * in workload_table.
 */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"
#include "plan/option.h"
#include "workload/txn.h"

#define WORKLOAD_SQL_MAX (1 << 20) /* bytes of one statement's text */

struct plan;

/* Where an input comes from. */
struct draw {
    struct rng rng; /* of (seed, stream, sequence) */
    /* Unlike that of any other input of the run, from 0 on: sequence * streams + stream. For ids
     * that must not meet. Retries of an input see the same number. */
    int64_t number;
    /* The load is `streams` disjoint streams of inputs, sessions or terminals; this one is of
     * stream 0..streams-1. */
    int64_t stream, streams;
    /* Its place in its stream, from 0 on, and the stream's key: rng_at(rng, key ^ SALT, deck) is a
     * generator for whatever spans several inputs, such as a deck of cards. In an open loop all
     * arrivals are one stream. */
    uint64_t key, sequence;
};

/* A statement's shape. Its instances differ only in the number that stands for `{}` in the SQL. */
struct statement {
    const char *name; /* timed and listed by it */
    const char *sql;  /* $1, $2, ... for values; NULL when write_sql makes it, or when
                       * `run` makes it each time (txn_send_text) */
    /* For shapes that options change, or the answers of the data: asked again after these. Writes
     * nothing: `run` makes it each time. */
    void (*write_sql)(struct text *out, const void *world);
    bool discard_rows; /* rows are counted and thrown away, as the originals do */
    /* What is said of executions without a row when the data promise one to each: "point reads
     * returned no row". NULL: nothing is promised. */
    const char *misses;
    bool replaces; /* deletes a row that its transaction inserts anew: another session's write that
                    * meets it changes nothing */
    bool runs_dry; /* the promise ends in time: the workload uses its data up */
    /* Must stand in the one-line form of its plan ("Index Scan using t_idx on t"), or the run would
     * measure something else; a number at or within the end of a name is * there. NULL: any. */
    const char *wants;
};

/* A transaction, in sysbench's words an event. */
struct transaction {
    const char *name, *summary;
    double weight;     /* default share of the mix */
    size_t input_size; /* <= TXN_INPUT_MAX */
    /* Under --terminals: a time for keying it in, and the mean of the time for thinking about the
     * answer. A workload in which none has them has no terminals. */
    double keying_s, think_mean_s;
    bool deferred;   /* its terminal only queues it, and its time counts from there */
    double within_s; /* the rules want nine of ten to be done within this; 0: nothing is wanted */
    /* Fills the input, a pure function of world and draw; no database, no clock. May
     * be called again with the same draw: the same input must come out (design D3). */
    void (*draw)(void *input, const void *world, struct draw *draw);
    void (*run)(struct txn *txn, const void *input, const void *world);
};

/* ---- data sets: what `load` makes (room load) ---- */

/* One row on its way into COPY. Every column must be said, in order. */
struct copy_row;
void copy_whole(struct copy_row *row, int64_t whole); /* int2, int4, int8 as the column is */
void copy_text(struct copy_row *row, const char *text, int length);
/* numeric, exactly: `unscaled` / 10^scale, with `scale` digits after the point (0..9). */
void copy_decimal(struct copy_row *row, int64_t unscaled, int scale);
/* timestamp and timestamptz, in microseconds since 1970-01-01 00:00 UTC. */
void copy_moment(struct copy_row *row, int64_t unix_us);
void copy_null(struct copy_row *row);
/* Ends this row and begins another one of the same table: an order has 5 to 15 lines. Tables that
 * use it say so in `rows_each`. */
void copy_next(struct copy_row *row);

/* What one table of the data set is. Texts are SQL, made in the arena given to describe(). */
struct table_spec {
    const char *name;    /* unqualified, unquoted; the loader quotes */
    const char *create;  /* everything after CREATE TABLE <name>: "(id integer NOT NULL, ...)" */
    const char *columns; /* of COPY, comma separated: "id, k, c, pad" */
    const char *const *types; /* of those columns: "int4", "int8", "bpchar", ...; NULL-ended */
    int64_t row_count;        /* rows are numbered 1..row_count in the order of the file */
    double rows_each;         /* COPY rows that one number says, on average; 0: exactly one */
    const char *const
        *after; /* statements after the data (keys, indexes, sequences), NULL-ended,
                 * with %s where the quoted table name goes; each is timed by itself */
    /* Statements after all tables of the data set have theirs and are vacuumed: foreign keys,
     * "ALTER TABLE %s ADD CONSTRAINT ... REFERENCES %{customer1} NOT VALID", then VALIDATE
     * CONSTRAINT. As `after`, but in strict order within the table; tables do not wait for each
     * other. %{NAME} gives the quoted name of another table of the data set: one that is described
     * before this one, since a set that grows fills it first. NULL when there are none. */
    const char *const *links;
    /* Says row number `number`: a pure function of (world, rng of (data seed, table, row)). */
    void (*row)(struct copy_row *row, const void *world, int64_t number, struct rng *rng);
};

/* Something beside the tables, made when they are whole: a function or a procedure. It is made
 * anew when the text recorded of it differs; the data stay. */
struct object_spec {
    /* As DROP wants it, without a schema: "FUNCTION neword(integer, integer)", of the types that
     * are put in. */
    const char *name;
    /* The statement that makes it, with %s where the quoted schema goes and %{NAME} for the quoted
     * name of a table: "CREATE FUNCTION %s.neword(...) ...". Nothing else may look like these. */
    const char *create;
};

/* ---- what a run of it is held to ---- */

/* Something that transactions count as they go (txn_tally). */
struct tally {
    const char *name;  /* JSON key: "remote_lines" */
    const char *words; /* "order lines from a remote warehouse" */
};

/* A share that the rules of the benchmark fix; measured in each run. */
struct rate_rule {
    const char *name;                   /* JSON key: "new_orders_rolled_back" */
    const char *words;                  /* "New-Orders rolled back" */
    int part, whole;                    /* tallies */
    double low, high;                   /* of part / whole: within it passes */
    const char *source;                 /* "TPC-C 5.5.1.5" */
    bool (*applies)(const void *world); /* NULL: always */
};

/* A figure that people know the workload by: committed transactions of a kind, by time. */
struct headline {
    const char *name;  /* JSON key in summary: "nopm" */
    const char *words; /* "New-Orders a minute" */
    const char
        *figure;     /* it is this key of the result's `blocks` or `round_trips`; NULL: a count */
    int transaction; /* -1: all of them, those rolled back on purpose too: the server ends both */
    double seconds;  /* the count is for so many: 60 */
    /* What each of them counts for, such as the rows that it looked at; NULL: for one. */
    double (*counts_for)(const void *world);
    /* The same by units of the data; all NULL and 0: not told. Where each unit has `terminals_each`
     * terminals (--terminals), which is all that the rules allow, it lies between these bounds. */
    const char *each; /* JSON: "nopm_per_warehouse"; words: "New-Orders a minute and warehouse" */
    double (*units)(const void *world);
    double terminals_each, low, high;
    const char *source;
};

/* What the data themselves say was done: its growth over the life of the load sessions is the
 * number of committed transactions of one kind (design D6). */
struct ledger {
    const char *name;                                       /* JSON key: "order_ids" */
    const char *words;                                      /* "orders numbered by the districts" */
    void (*write_sql)(struct text *out, const void *world); /* one row, one whole number; nothing:
                                                             * it is not to be asked */
    int transaction;
    int64_t (*each)(const void *world); /* growth by one such transaction; NULL: 1 */
    /* It grows by what a tally counts, and `transaction` is that tally: for workloads without a
     * warm-up, since tallies are of the window. */
    bool by_tally;
};

struct workload;
/* Another identity of a workload, by the word that --compat takes (design D8). */
struct variant {
    const char *compat;
    const struct workload *workload;
};

struct workload {
    const char *name, *summary;
    const char *family; /* workloads of one family share data, options and folder */
    /* The suite that it is a member of, which is a row of the table itself, of the same data; lists
     * show that one alone, unless they are asked for the suite. NULL: none. */
    const char *suite;
    const char *group; /* the heading that such a list shows it under */
    const struct option
        *options; /* rows write into the family's options struct; ended by name NULL */
    /* Defaults of its own in place of the rows': "random-points=100"; NULL-ended. NULL: none. */
    const char *const *presets;
    size_t options_size;
    size_t world_size;
    const struct statement *statements;     /* ended by a row whose name is NULL */
    const struct transaction *transactions; /* ended by a row whose name is NULL; none: it stands
                                             * for the data of a suite and cannot be run */
    bool needs_server;                      /* false: never connects (null) */
    /* Computes the world from the checked options. False: an option that makes no sense with
     * another. */
    bool (*open)(void *world, const void *options, struct error *err);
    /* Fits the plan to the options, after open(): how many sessions they ask for, unless `said` has
     * it. The plan is checked again. False: ERROR_USAGE. NULL: nothing to fit. */
    bool (*settle)(void *world, struct plan *plan, const struct option_argv *said,
                   struct error *err);
    /* Puts the data seed into the world after open(), for rows of a load that depend on each other:
     * a permutation, the lines of an order. NULL: not needed. */
    void (*set_data_seed)(void *world, int64_t data_seed);
    /* Questions to the data before the run, when the world must know what the tables hold: writes
     * the SQL of question `index` (one row, one whole number) and gives true, or false when there
     * are no more; answers go into the world before it becomes const. Both NULL when there are
     * none. */
    bool (*ask)(struct text *sql, const void *world, int index);
    void (*answer)(void *world, int index, int64_t number);
    /* After the last answer: can these data be run on? ERROR_PLAN. NULL: always. */
    bool (*accept)(const void *world, struct error *err);
    /* What a reader of the result must know of how it was done, once all is answered: writes note
     * `index` and gives true, or false when there are no more. NULL: none. */
    bool (*remark)(struct text *out, const void *world, int index);
    /* True when parameters of int4 are to be declared int8 and those of char(n) varchar, as
     * sysbench declares them (spec sysbench 2). NULL: never. */
    bool (*declares_wide)(const void *world);
    /* True when the original that is imitated draws a new input for a retry, and retries without
     * limit, also after a unique violation (design D2). NULL: never. */
    bool (*redraws)(const void *world);
    /* The isolation level (enum isolation) of what is imitated, unless the command line says
     * another. NULL: the plan's. */
    int (*isolation)(const void *world);
    bool says_texts; /* every statement is a text (txn_send_text): so are BEGIN and COMMIT, unless
                      * the command line says another protocol */
    /* SQLSTATE of the error by which a routine in the server undoes its transaction on purpose: it
     * counts as rolled back. NULL: none. */
    const char *undo_code;
    /* True: statements may have other plans than they want. NULL: never. */
    bool (*any_plan)(const void *world);
    /* How many instances each statement has; NULL means 1. */
    int (*instance_count)(const void *world);
    /* Tables of the data set, 0..n-1; NULL when the workload has no data. */
    int (*table_count)(const void *world);
    void (*describe)(struct table_spec *table, const void *world, int index, struct arena *arena);
    /* Are the data still consistent? Writes the SQL of check `index` and gives true, or false when
     * there are no more. Each row of its answer is one thing checked, as three texts: what it is,
     * what was found, what was wanted; where the two differ the check has failed. A fourth that is
     * not NULL says why a variant cannot be held to it. NULL: none. */
    bool (*check)(struct text *sql, const void *world, int index);
    /* A run could leave the data inconsistent: it is followed by the check. */
    bool check_after_run;
    /* Descriptors that stand in for this one under `--compat WORD`; ended by compat NULL. NULL: the
     * family's own option tells all. */
    const struct variant *variants;
    /* Is the statement said under these options? What is not is not described, nor listed in the
     * result. NULL: all are. */
    bool (*uses)(const void *world, int statement);
    /* A user's pauses around each transaction, in a closed loop: keying it in `before`, thinking
     * about the answer after it. They are drawn with the input and no part of the transaction;
     * `pauses` says whether these options want them. Both NULL: none. */
    bool (*pauses)(const void *world);
    int64_t (*pause_ns)(const void *input, const void *world, bool before);
    /* A transaction's share of the mix, 0: never, and the result does not list it. NULL: as its row
     * says. */
    double (*weight)(const void *world, int transaction);
    /* Which transaction comes, a pure function of world and draw, for mixes that are not drawn one
     * by one; weights then tell the shares all the same. NULL: each is drawn by weight. */
    int (*pick)(const void *world, struct draw *draw);
    /* Objects beside the tables, 0.. until false. NULL: none. */
    bool (*object)(struct object_spec *object, const void *world, int index, struct arena *arena);
    /* The option that may be larger in a later `load`, which then adds the rows beyond the old
     * row_count of each table: "warehouses". NULL: none. */
    const char *grows;
    bool takes_part; /* a run may use a part of the data: a larger set serves a smaller run */
    /* Blocks of its tables that were found in the buffers or not are counted by the server over a
     * run, for headlines. */
    bool counts_blocks;
    bool keeps_times; /* each transaction's time is kept; it tallies something, whatever it is */
    const struct tally *tallies; /* ended by name NULL; NULL: none; so are the next three */
    const struct rate_rule *rates;
    const struct headline *headlines;
    const struct ledger *ledgers;
};

/* The only list of workloads, ended by NULL. */
extern const struct workload *const workload_table[];
const struct workload *
workload_find(const char *name); /* '-' and '_' are the same; NULL when unknown */
/* The known name nearest to an unknown one, or NULL when none is near; that of a suite's member may
 * be known without the suite's. */
const char *workload_nearest(const char *name);

int workload_statement_count(const struct workload *workload);
int workload_transaction_count(const struct workload *workload);
int workload_tally_count(const struct workload *workload);
/* The default that it has for an option of its family, or that of the option's row. */
const char *workload_default(const struct workload *workload, const struct option *row);
int workload_instances(const struct workload *workload, const void *world);
/* Writes the SQL of a statement's instance, `{}` replaced, into `out` (cleared first). */
void workload_sql(const struct workload *workload, const void *world, int statement, int instance,
                  struct text *out);

#endif
