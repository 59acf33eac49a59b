/*
 * rows.h - rows that a transaction wants to look at, kept until the attempt ends.
 *
 * One growing store a session; an answer is a range of its rows. Fields are kept as text, each
 * ended by a NUL, behind an index of rows. Texts are lent out until the attempt ends, so bytes
 * never move: a full block stays and a larger one follows. Implements the rows_ accessors of
 * workload/txn.h.
 */
#ifndef ENGINE_ROWS_H
#define ENGINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "wire/wire.h"
#include "workload/txn.h"

#define ROWS_BYTES_MAX                                                         \
    ((size_t)256 * 1024 * 1024) /* of one attempt; declare discard_rows beyond \
                                 */

struct rows_block; /* in rows.c */

struct rows_store {
    struct rows_block *block; /* the one that is being filled */
    size_t used, size;        /* of its bytes */
    size_t full_bytes;        /* in the blocks before it */
    const unsigned char **row_at;
    int64_t row_count, row_size;
};

/* An answer: `count` counts also discarded rows, or rows changed. */
struct rows {
    const struct rows_store *store;
    int64_t count, kept, first;
};

void rows_store_close(struct rows_store *store);
/* Gives all blocks back but the last and largest. */
void rows_store_shrink(struct rows_store *store);
static inline void rows_store_reset(struct rows_store *store)
{
    if (UNLIKELY(store->full_bytes > 0))
        rows_store_shrink(store);
    store->used = 0;
    store->row_count = 0;
}
/* Keeps a DataRow. False: malformed, or beyond ROWS_BYTES_MAX. */
bool rows_store_add(struct rows_store *store, const struct wire_message *message);

#endif
