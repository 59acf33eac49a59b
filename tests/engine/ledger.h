/*
 * ledger.h - a workload for tests of the engine: counters in tables, changed in blocks of several
 * statements, in every way that a transaction can speak. `ledger_open()` picks what is done.
 */
#ifndef ENGINE_TEST_LEDGER_H
#define ENGINE_TEST_LEDGER_H

#include "workload/workload.h"

enum ledger_kind {
    LEDGER_SINGLE,   /* one UPDATE that commits by itself */
    LEDGER_PAIR,     /* an UPDATE and a SELECT, each by itself */
    LEDGER_TRANSFER, /* a block: three counters are read and written back one higher */
    LEDGER_UNDO,     /* a block that changes a counter and rolls back */
    LEDGER_TEXT,     /* a block whose statements are made each time */
    LEDGER_BLIND,    /* a block that looks at no answer before its end */
    LEDGER_DOUBT,    /* a block of many statements; now and then one divides by zero */
    LEDGER_KINDS
};

/* Of single, transfer, undo, blind: their tries, and their picks. */
enum ledger_tally { LEDGER_TRIES, LEDGER_PICKED };

enum ledger_sql { LEDGER_GET, LEDGER_PUT, LEDGER_ADD, LEDGER_DIVIDE, LEDGER_NOTE };

#define LEDGER_PICKS   3
#define LEDGER_SEEN    4096
#define LEDGER_COUNTER 50 /* counters of a table, ids from 1 */

struct ledger_world {
    int instances;       /* tables ledger1, ledger2, ... */
    int counters;        /* that are used */
    bool watched;        /* keep every try; for plans with one session */
    struct seen_try {    /* in order */
        int64_t number;  /* of the draw */
        uint64_t picked; /* a hash of the input */
    } seen[LEDGER_SEEN];
    int seen_count;
};

/* The workload of these kinds with equal weights; valid until the next call. */
const struct workload *ledger_open(const enum ledger_kind *kinds, int count);

#endif
