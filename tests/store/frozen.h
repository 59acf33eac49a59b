/*
 * frozen.h - two runs that never happened, the same every time: inputs for goldens.
 *
 * `closed` is what a first run is: one transaction of one statement in a closed loop. `open` has
 * everything else at once: two transactions in an open loop, several statements, errors, dropped
 * and unfinished transactions, reopened connections, an interruption, and words that would act on a
 * terminal.
 */
#ifndef TESTS_STORE_FROZEN_H
#define TESTS_STORE_FROZEN_H

#include "store/store.h"

/* What a hostile server or label may hold: an escape, a C1 control, a newline, a bell. */
#define FROZEN_HOSTILE             \
    "evil\x1b]0;owned\x07\xc2\x9b" \
    "31m\r\nnext\x7f"

struct frozen_options {
    int64_t connections, workers, seed, data_seed, transactions;
    const char *protocol, *label, *password;
    bool pipeline;
    int64_t tables, table_size;
};

struct frozen {
    struct frozen_options options;
    struct option_group groups[2];
    struct percentiles percentiles;
    struct recorder *recorder;
    struct store_run run;
};

/* Fills `frozen` and feeds the intervals to `store` (NULL: to nobody). End with frozen_close(). */
void frozen_closed(struct frozen *frozen, struct store *store);
void frozen_open(struct frozen *frozen, struct store *store);
/* A run that was interrupted before anything was done. */
void frozen_empty(struct frozen *frozen);
void frozen_close(struct frozen *frozen);

#endif
