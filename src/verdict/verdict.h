/*
 * verdict.h - what was the limit? Rules over the evidence of a run; pure.
 *
 * Evidence is a row of figures, each of which may be missing (NaN): without access to the server's
 * machine there is no CPU, without rights there are no waits. The rules are one table (rules.c). A
 * rule holds when its main figure is beyond its threshold and what it needs is known to be so; its
 * score, 0.5 at the threshold, says how much of the run it explains. The highest score is the
 * limit, the next one the runner-up. Where nothing holds and much is missing the answer is
 * `unknown`, with what would have to be seen.
 */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include <stdbool.h>

/* Shares are 0 to 1; those of waits are of the average active sessions. */
enum figure {
    FIGURE_CLIENT_BUSY,      /* of the busiest worker: computing, or waiting for a CPU */
    FIGURE_CLIENT_SATURATED, /* 1: the client was the limit, by its own judgement */
    FIGURE_CLIENT_SHARES,    /* 1: what it ran out of are CPUs that the server uses too */
    FIGURE_OUTSIDE,          /* share of the response time that no session of the server saw */
    FIGURE_ROUND_TRIPS,      /* share of it that the kernel's round trips alone come to */
    FIGURE_RETRANSMITS,      /* share of the segments sent */
    FIGURE_MACHINE_BUSY,     /* of the server's CPUs, by everybody */
    FIGURE_SERVER_PART,      /* of that, the server */
    FIGURE_STEAL,
    FIGURE_THROTTLED, /* share of the window that a limit of the control group stopped it */
    FIGURE_WAIT_CPU,
    FIGURE_WAIT_IO_READ,
    FIGURE_WAIT_IO_WRITE,
    FIGURE_WAIT_WAL,
    FIGURE_WAIT_REPLICATION,
    FIGURE_WAIT_LOCK, /* before locks are charged to the holders */
    FIGURE_WAIT_INTERNAL,
    FIGURE_WAIT_CLIENT,
    FIGURE_PAGE_CACHE,  /* share of the blocks read that no device had to read */
    FIGURE_DEVICE_BUSY, /* the busiest under the server */
    FIGURE_READ_MS,     /* a read of a device */
    FIGURE_FLUSH_MS,
    FIGURE_FLUSH_BUSY, /* flush time by the window */
    FIGURE_DEVICE_CAP, /* 1: requests or bytes flat at a round number with growing queues */
    FIGURE_WAL_MB_PER_S,
    FIGURE_NO_FLUSH, /* 1: a commit does not wait for its WAL, or nothing is flushed at all */
    FIGURE_CHECKPOINTS,
    FIGURE_CHECKPOINT_DIP,     /* throughput lost while one was running */
    FIGURE_CHECKPOINT_REQUEST, /* share that was requested before its time */
    FIGURE_BACKEND_WRITES,     /* share of the buffers written by sessions themselves */
    FIGURE_MEMORY_PRESSURE,
    FIGURE_SWAP_MB_PER_S,
    FIGURE_TEMP_MB_PER_S,
    FIGURE_AUTOVACUUM,   /* share of the window with one at work */
    FIGURE_DEAD_GROWTH,  /* dead rows more at the end, by the live ones */
    FIGURE_SEQUENTIAL,   /* share of the rows read by sequential scans */
    FIGURE_CONNECTS,     /* connections opened a transaction */
    FIGURE_OPEN_LOOP,    /* 1: a rate was asked for */
    FIGURE_RATE_KEPT,    /* 1: and kept */
    FIGURE_UTILISATION,  /* the highest of CPUs, devices, flushes and client; the server's known */
    FIGURE_ACTIVE_SHARE, /* average active sessions by connections */
    FIGURE_COUNT
};

/* NaN everywhere: nothing is known. */
struct evidence {
    double value[FIGURE_COUNT];
};
struct evidence evidence_nothing(void);

enum figure_form {
    FORM_NUMBER,
    FORM_SHARE, /* shown in percent */
    FORM_YES,   /* 1: it is as the words say; 0: it is not */
};
extern const char *const figure_form_names[]; /* "number", "share", "yes" */

struct figure_row {
    const char *name;  /* JSON: "wait_wal" */
    const char *words; /* "of the active sessions at writing and flushing WAL" */
    const char *lacks; /* what access would tell it */
    enum figure_form form;
};
extern const struct figure_row figure_rows[FIGURE_COUNT];

enum area { AREA_INFRASTRUCTURE, AREA_DESIGN, AREA_RESOURCES, AREA_WORKLOAD, AREA_NONE };
extern const char *const area_names[]; /* "infrastructure", "database design", ... */

/* `figure` must be above the threshold, or below it. */
struct condition {
    enum figure figure;
    char sense; /* '>' or '<'; 0 ends a list */
    double threshold;
};

#define RULE_CONDITIONS_MAX 4

struct rule {
    const char *name;  /* JSON: "wal_flush" */
    const char *words; /* "WAL flush" */
    enum area area;
    enum figure main; /* score: 0.5 at `from`, 0.9 at `full` */
    double from, full;
    double most;                                     /* the score is never above; 0: 1 */
    struct condition needs[RULE_CONDITIONS_MAX];     /* unknown: it cannot be told */
    struct condition unless[RULE_CONDITIONS_MAX];    /* known to hold: it is not the limit */
    struct condition confirmed[RULE_CONDITIONS_MAX]; /* each moves the score a little */
    const char *sentence;                            /* for a DBA */
    const char *next;                                /* what to try */
};
extern const struct rule verdict_rules[]; /* ended by name NULL */

struct finding {
    const struct rule *rule; /* NULL: none */
    double score;
};

#define VERDICT_MISSING_MAX 8

struct verdict {
    struct finding limit, runner_up;
    const char *missing[VERDICT_MISSING_MAX]; /* what would tell more, each once */
    int missing_count;
};

struct verdict verdict_judge(const struct evidence *evidence);

#endif
