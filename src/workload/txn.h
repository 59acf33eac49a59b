/*
 * txn.h - what a transaction can say to the database.
 *
 * The engine implements these verbs; a workload's `run` uses them in plain C, top to bottom. A verb
 * that asks the server comes back only with the answer: when a statement fails, or the connection
 * or the time ends, `run` is abandoned in mid call and the engine decides what follows, perhaps a
 * retry with the same input (design D2). That is lawful because `run` owns nothing: its input is
 * const, its rows belong to the attempt. It must not allocate, lock, or change anything but its own
 * locals.
 *
 * Pipeline off: each txn_send() waits for its own answer. Pipeline on: it is only said, and answers
 * are awaited where they are used. The source is the same.
 */
#ifndef WORKLOAD_TXN_H
#define WORKLOAD_TXN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/value.h"

#define TXN_VALUES_MAX  1000 /* values a statement may take */
#define TXN_REPLIES_MAX 128  /* statements of one attempt whose answers may be outstanding */
#define TXN_ROOM_MAX    ((size_t)16 * 1024 * 1024)
#define TXN_INPUT_MAX   4096 /* bytes of one input */
#define TXN_TALLIES_MAX 32   /* tallies of a workload */

struct txn;  /* one attempt; lives in the engine */
struct rows; /* the answer to one statement; borrowed until the attempt ends */

/* A promise of an answer. */
struct reply {
    uint32_t number;
};

/* From here on statements mean this instance of their shape: table 7 of sbtest, set 3 of 20. An
 * attempt starts with instance 1. */
void txn_instance(struct txn *txn, int instance);

/* Opens an explicit transaction at the plan's isolation level. Without it each statement is its
 * own. */
void txn_begin(struct txn *txn);
/* Ends it. Nothing may be said after these. Without txn_begin() neither is called. */
void txn_commit(struct txn *txn);
void txn_rollback(struct txn *txn); /* on purpose: counted as rolled_back */

/* True when the plan asks for an isolation level, which only a block has: a statement that could be
 * a transaction by itself stands between txn_begin() and txn_commit() then. */
bool txn_wants_block(const struct txn *txn);

/* txn_send(txn, STATEMENT, values...) says a statement; txn_query() also waits for its rows. */
#define txn_send(txn, ...)  txn_send_list((txn), TXN_LIST(__VA_ARGS__))
#define txn_query(txn, ...) txn_rows((txn), txn_send_list((txn), TXN_LIST(__VA_ARGS__)))

/* list[0] is the statement's index in the workload's table, the rest its values. For callers that
 * cannot know their number of values at compile time, such as an IN list. */
struct reply txn_send_list(struct txn *txn, const struct value *list, int count);
/* Says SQL that `run` has made itself, as a simple query (one statement) whatever the protocol. It
 * is timed as `statement`, whose row has no SQL, or the same for the server to describe. */
struct reply txn_send_text(struct txn *txn, int statement, const char *sql, int length);
/* Memory for making such things, borrowed until the attempt ends; at most TXN_ROOM_MAX in all. */
void *txn_room(struct txn *txn, size_t size_bytes);
/* Waits for that answer. Never NULL. */
const struct rows *txn_rows(struct txn *txn, struct reply reply);

/* Adds to a tally of the workload; counted when the transaction ends committed or rolled back on
 * purpose, in the measured window. */
void txn_tally(struct txn *txn, int tally, int64_t count);
/* Keeps a computed value from being optimised away. */
void txn_note(struct txn *txn, double value);

/* How many rows came back, or for a statement without rows how many it changed. */
int64_t rows_count(const struct rows *rows);
/* Fields by place; the statement must not be `discard_rows` and the row must exist (assert). */
int64_t rows_whole(const struct rows *rows, int64_t row, int column); /* NULL gives 0 */
double rows_real(const struct rows *rows, int64_t row, int column);   /* NULL gives 0 */
/* Numeric as an exact number of hundredths, for money. */
int64_t rows_hundredths(const struct rows *rows, int64_t row, int column);
const char *rows_text(const struct rows *rows, int64_t row, int column); /* NULL gives NULL */
bool rows_null(const struct rows *rows, int64_t row, int column);

/* clang-format off */
#define TXN_LIST(...) (const struct value[]){ TXN_EACH(__VA_ARGS__) }, TXN_COUNT(__VA_ARGS__)
#define TXN_COUNT(...) (int)(sizeof((const struct value[]){ TXN_EACH(__VA_ARGS__) }) / sizeof(struct value))
#define TXN_EACH(...) TXN_PICK(__VA_ARGS__, TXN_16, TXN_15, TXN_14, TXN_13, TXN_12, TXN_11, TXN_10, TXN_9, \
                               TXN_8, TXN_7, TXN_6, TXN_5, TXN_4, TXN_3, TXN_2, TXN_1, 0)(__VA_ARGS__)
#define TXN_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, name, ...) name
#define TXN_1(a) VALUE(a)
#define TXN_2(a, ...) VALUE(a), TXN_1(__VA_ARGS__)
#define TXN_3(a, ...) VALUE(a), TXN_2(__VA_ARGS__)
#define TXN_4(a, ...) VALUE(a), TXN_3(__VA_ARGS__)
#define TXN_5(a, ...) VALUE(a), TXN_4(__VA_ARGS__)
#define TXN_6(a, ...) VALUE(a), TXN_5(__VA_ARGS__)
#define TXN_7(a, ...) VALUE(a), TXN_6(__VA_ARGS__)
#define TXN_8(a, ...) VALUE(a), TXN_7(__VA_ARGS__)
#define TXN_9(a, ...) VALUE(a), TXN_8(__VA_ARGS__)
#define TXN_10(a, ...) VALUE(a), TXN_9(__VA_ARGS__)
#define TXN_11(a, ...) VALUE(a), TXN_10(__VA_ARGS__)
#define TXN_12(a, ...) VALUE(a), TXN_11(__VA_ARGS__)
#define TXN_13(a, ...) VALUE(a), TXN_12(__VA_ARGS__)
#define TXN_14(a, ...) VALUE(a), TXN_13(__VA_ARGS__)
#define TXN_15(a, ...) VALUE(a), TXN_14(__VA_ARGS__)
#define TXN_16(a, ...) VALUE(a), TXN_15(__VA_ARGS__)
/* clang-format on */

#endif
