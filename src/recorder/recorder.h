/*
 * recorder.h - counts what happened, without being in its way.
 *
 * Each worker owns a lane and is its only writer: no lock, no atomic on the path of a transaction.
 * A lane counts into the phase of a transaction's scheduled instant, once into tallies that live as
 * long as the run and once into the interval that is being filled. At a tick the worker itself
 * hands its filled interval over through a one-slot mailbox and goes on with an empty one; when the
 * last was not yet collected it goes on filling. Response times lie in the intervals alone, and the
 * totals are made of them as they are collected: they always agree (design D5).
 *
 * Memory: a histogram is 272 KiB. Warm-up keeps counts and response times; service, queue, ages and
 * statements have histograms in the measured phase only, service and queue only in an open loop. So
 * T transactions and S statements are 5 T + S + 6 histograms a lane (7 T + S + 6 in an open loop)
 * and about as many for the coordinator: 5, 30 and 2 lanes make 54 MiB (61 MiB).
 *
 * The books: scheduled = committed + rolled_back + failed + unknown + dropped + unfinished, and
 * attempts = the sum over outcomes of attempts (design D6); recorder_balanced() tests it.
 */
#ifndef RECORDER_RECORDER_H
#define RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/histogram.h"

#define RECORDER_ERRORS_MAX 64  /* codes with a row of their own; more go to the code "other" */
#define ERROR_CODE_MAX      24  /* "40001", or "net:reset", "net:closed", "protocol", ... */
#define ERROR_SAMPLE_MAX    256 /* bytes, ended between characters */

enum phase { PHASE_WARMUP, PHASE_MEASURE, PHASE_COUNT };

/* How a scheduled transaction ended; names and meanings are rows of outcome_table. */
enum outcome {
    OUTCOME_COMMITTED,   /* the server said so */
    OUTCOME_ROLLED_BACK, /* on purpose, as the workload says */
    OUTCOME_FAILED,      /* an error ended it, counted by SQLSTATE */
    OUTCOME_UNKNOWN,     /* the connection was lost during COMMIT */
    OUTCOME_DROPPED,     /* never sent: too late already, or left over from warm-up */
    OUTCOME_UNFINISHED,  /* still running when the run had to end */
    OUTCOME_COUNT
};

struct outcome_row {
    const char *name;    /* JSON key */
    const char *meaning; /* for help and reports */
};
extern const struct outcome_row outcome_table[OUTCOME_COUNT];
extern const char *const phase_names[PHASE_COUNT]; /* "warmup", "measure" */

/* A statement as sysbench counts it (spec sysbench 5.3): by what the server answered. */
enum query_kind { QUERY_READ, QUERY_WRITE, QUERY_OTHER, QUERY_KINDS };
extern const char *const query_kind_names[QUERY_KINDS]; /* "read", "write", "other" */

/* What is to be counted; names are borrowed and must outlive the recorder. What has the name NULL
 * never happens: it is told nowhere and takes no memory to speak of. */
struct recorder_layout {
    int lane_count;
    int transaction_count, statement_count;
    int tally_count; /* what the workload counts by itself */
    const char *const *transaction_names, *const *statement_names;
    int64_t latency_limit_ns; /* responses above it are late; 0: none is */
    bool open_loop;      /* or terminals. false: scheduled = sent, so that queue is 0 and service
                          * equals response */
    int64_t interval_ns; /* length of a tick */
};

/* ---- one lane: the worker's side ---- */

struct recorder;
struct lane;

/* What opening a connection is made of. */
enum connect_part {
    CONNECT_REACH, /* names looked up, hosts tried, TCP's handshake */
    CONNECT_TLS,   /* encryption asked for and negotiated */
    CONNECT_AUTH,  /* from the start-up message until authenticated: a backend is forked here */
    CONNECT_READY, /* from there until the first query was answered */
    CONNECT_PARTS
};
extern const char *const connect_part_names[CONNECT_PARTS]; /* "tcp", "tls", "auth", "ready" */

struct transaction_record {
    int transaction;
    enum phase phase; /* of the scheduled instant */
    enum outcome outcome;
    int attempts;                           /* tries sent: 0 when dropped before the first */
    int64_t scheduled_ns, sent_ns, done_ns; /* done of an unfinished one: when we stopped waiting */
};

struct statement_record {
    int statement;
    enum phase phase;
    enum query_kind kind;
    int64_t latency_ns;
    int64_t rows; /* returned or changed */
};

/* Thread: the lane's worker, all of them. A committed or rolled back transaction enters the
 * response (done - scheduled), service (done - sent) and queue (sent - scheduled) histograms of its
 * phase; the others are only counted, dropped and unfinished ones with their age as `censored`. */
void lane_transaction(struct lane *lane, const struct transaction_record *record);
/* The same for the most common record, and quicker: a closed loop's transaction that was committed
 * at the first attempt (scheduled = sent). */
void lane_committed(struct lane *lane, int transaction, enum phase phase, int64_t response_ns);
/* And for many that were dropped at one age, before their first attempt. */
void lane_dropped(struct lane *lane, int transaction, enum phase phase, int64_t count,
                  int64_t age_ns);
void lane_statement(struct lane *lane, const struct statement_record *record);
/* One failed attempt (retried or not). `statement` may be -1. `message` is kept once a code. */
void lane_error(struct lane *lane, enum phase phase, const char *code, int statement,
                const char *message);
/* One connection opened: its time, before the barrier (reopened = false) or after. */
void lane_connect(struct lane *lane, int64_t took_ns, bool reopened);
/* A part of that time, of one that has it: there is no TLS on a unix socket. */
void lane_connect_part(struct lane *lane, enum connect_part part, int64_t took_ns);
/* Adds to what the workload counts by itself, of transactions that are done in the measured phase.
 */
void lane_tally(struct lane *lane, int tally, int64_t count);
/* One that nobody waits for was put into a queue, so long after it was due. It enters the books
 * like any other when it is over. */
void lane_put_off(struct lane *lane, enum phase phase, int64_t late_ns);
/* Counts transactions of the server (design D6): each ReadyForQuery that ended one. */
void lane_server_commit(struct lane *lane, int64_t commits);

/* To be called when lane_next_tick_ns() is reached, by an idle worker too: until the run is over
 * the coordinator waits for all lanes. Cheap; does nothing before that time. What the last call
 * left is taken by recorder_collect_rest(). */
void lane_tick(struct lane *lane, int64_t now_ns);
int64_t lane_next_tick_ns(const struct lane *lane);
/* The worker has no more to do while others have: nobody waits for its lane any longer. After its
 * last lane_tick(). */
void lane_end(struct lane *lane);

/* ---- the recorder: the coordinator's side ---- */

struct counts {
    int64_t outcome[OUTCOME_COUNT];
    int64_t scheduled, attempts, retried; /* retried = attempts beyond the first */
    int64_t late;                         /* done, but above the latency limit */
};

/* Histograms are never NULL, but of warm-up all except response are empty. In a closed loop service
 * is the same histogram as response, and queue that many zeros. */
struct transaction_totals {
    struct counts counts;
    struct histogram *response, *service, *queue; /* committed and rolled back ones */
    struct histogram *censored;                   /* ages of dropped and unfinished ones */
};

struct statement_totals {
    int64_t kind[QUERY_KINDS];
    int64_t rows, without_rows; /* rows returned or changed; executions that had none */
    struct histogram *latency;  /* empty in warm-up */
};

struct error_totals {
    char code[ERROR_CODE_MAX];
    int64_t count;
    int statement; /* of the first one, or -1 */
    char message[ERROR_SAMPLE_MAX];
};

struct phase_totals {
    struct transaction_totals *transactions; /* transaction_count of them */
    struct statement_totals *statements;     /* statement_count of them */
    struct counts all;
    int64_t queries[QUERY_KINDS];
    struct error_totals *errors; /* error_count of them, most frequent first, at most
                                    RECORDER_ERRORS_MAX + 1 */
    int error_count;
};

/* One printed line's worth. Histograms: one a transaction, response times of what ended in it. */
struct interval {
    int64_t number;           /* 1, 2, 3, ... from the start of warm-up */
    int64_t begin_ns, end_ns; /* on clock_now_ns() */
    enum phase phase;  /* of its counts; a late end of warm-up may share a number with measure */
    int stalled_lanes; /* lanes that did not report in time: their counts come later */
    struct counts counts;
    int64_t queries[QUERY_KINDS], errors;
    struct histogram **response; /* transaction_count of them */
    struct histogram *all;       /* their sum */
};

/* Owned; recorder_free(). All arrays are touched here, none grows later. Thread: coordinator. */
struct recorder *recorder_new(const struct recorder_layout *layout);
void recorder_free(struct recorder *recorder);
const struct recorder_layout *recorder_layout(const struct recorder *recorder);
struct lane *recorder_lane(struct recorder *recorder, int index);

/* Sets the first tick of all lanes: interval n ends at start_ns + n * interval_ns. Before workers
 * run. */
void recorder_start(struct recorder *recorder, int64_t start_ns);

/* Takes what the lanes handed over for the interval that ends next; called before its end, sleeps
 * until then. Waits at most `patience_ns` beyond its end for lanes that are late (1/16 interval or
 * more, or one late report makes the next late too); those are counted in stalled_lanes. Fills one
 * interval a phase that saw anything; when none did, an empty one of the last phase that had. Gives
 * how many. The arrays are borrowed until the next call. Thread: coordinator only. */
int recorder_collect(struct recorder *recorder, int64_t patience_ns,
                     struct interval out[PHASE_COUNT]);
/* After all workers have ended: everything not yet collected as one last interval (0 when none).
 * Before the first recorder_totals(), which would take it in silently. */
int recorder_collect_rest(struct recorder *recorder, int64_t now_ns,
                          struct interval out[PHASE_COUNT]);

/* After all workers have ended: sums the lanes. Borrowed from the recorder, const from now on. */
const struct phase_totals *recorder_totals(struct recorder *recorder, enum phase phase);
const struct histogram *recorder_connects(struct recorder *recorder, bool reopened);
const struct histogram *recorder_connect_part(struct recorder *recorder, enum connect_part part);
int64_t recorder_server_commits(struct recorder *recorder);
/* How late those were put into their queue; of the measured phase. */
const struct histogram *recorder_put_off(struct recorder *recorder);
int64_t recorder_tally(const struct recorder *recorder, int tally);
/* True when the books of the phase balance; otherwise `why` tells the two sides. */
bool recorder_balanced(struct recorder *recorder, enum phase phase, struct text *why);

/* ---- HdrHistogram log V2: see its HistogramLogWriter ---- */

/* Header lines; `start_wall_ns` dates the log. Appends to `out`. */
void hlog_header(struct text *out, int64_t start_wall_ns);
/* One line: Tag=<tag>,<begin s>,<length s>,<max ms>,<base64>; begin since the start. Commas and
 * blanks in a tag become '_'; NULL or "" is no tag. Below HISTOGRAM_ENCODED_MAX + the tag + 128. */
void hlog_line(struct text *out, const char *tag, double begin_s, double length_s,
               const struct histogram *histogram);

#endif
