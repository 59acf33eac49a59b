/*
 * suite.h - the 32 microbenchmarks as one suite: which runs, in which order, how long each.
 *
 * Order and lengths are the published ones (spec sysbench 3.3). Writes come before most reads and
 * delete next to last, so that a test finds the tables as those before it left them: the order is
 * part of what is measured. Who runs the suite walks the steps from 0 to the end, on one data set
 * that is loaded once, before step 0.
 *
 *     for (int i = 0; (step = suite_step(i)) != NULL; i++)
 */
#ifndef WORKLOAD_MICRO_SUITE_H
#define WORKLOAD_MICRO_SUITE_H

#include <stdbool.h>
#include <stdint.h>

enum suite_kind {
    SUITE_RUN,       /* a run that is reported: one of the 32, each once */
    SUITE_WARM,      /* a run that is not reported: it warms a cache, or shows the state before */
    SUITE_POSTWRITE, /* no run: vacuum, checkpoint, wait; see below */
};

/* The lengths of a suite are parameters, by class: published figures have 600 and 1200 s. */
enum suite_length {
    SUITE_READ,
    SUITE_WRITE,
    SUITE_INSERT, /* a parameter of its own, published with that of SUITE_WRITE */
    SUITE_MINUTE, /* 60 s in every publication: scans that warm the cache */
    SUITE_LENGTHS
};

struct suite_step {
    enum suite_kind kind;
    const char *name;     /* as published, unlike that of any other step: "point-query.warm" */
    const char *workload; /* "micro/point-query"; NULL for SUITE_POSTWRITE */
    enum suite_length length;
    bool session_a_table; /* as many connections as there are tables, whatever the suite has */
};

/* Step `index` of the suite, from 0; NULL when there are no more. */
const struct suite_step *suite_step(int index);

/* Seconds of a class as published: 600, 1200, 1200, 60. */
int64_t suite_published_s(enum suite_length length);

/* A postwrite step: this for all tables at once, a connection a table, with %d for its number 1, 2,
 * 3, ...; then the second statement; then a wait until so many seconds have passed since the step
 * began: 60 and one for each million rows of all tables together, at most 1200. */
#define SUITE_POSTWRITE_VACUUM     "VACUUM (ANALYZE, INDEX_CLEANUP ON) sbtest%d"
#define SUITE_POSTWRITE_CHECKPOINT "CHECKPOINT"
int64_t suite_postwrite_s(int64_t total_rows);

#endif
