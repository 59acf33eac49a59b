/*
 * prepared.h - which statements a session has prepared on its server.
 *
 * A statement is a shape with an instance; it is prepared when first said and kept under a cap
 * (--statement-cache), the least recently used one making room. The slot number is also its name on
 * the server, so names are few and short. Thread: the session's worker.
 */
#ifndef ENGINE_PREPARED_H
#define ENGINE_PREPARED_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/wire.h"

#define PREPARED_MAX 4096 /* slots a session may have */

struct prepared;

/* `total` is how many (shape, instance) pairs there are; at most `cap` are kept. Owned. */
struct prepared *prepared_new(int64_t total, int64_t cap);
void prepared_free(struct prepared *prepared);
/* The session has a new connection: nothing is prepared any more. */
void prepared_forget(struct prepared *prepared);

struct prepared_slot {
    int slot;
    const struct wire_name *name; /* on the server: "s17" */
    bool fresh;                   /* not prepared yet: say Parse */
    bool evicted; /* the server may hold another statement of this name: say Close first */
};
/* The slot for `key` (0 .. total - 1), which is the most recently used from now on. */
struct prepared_slot prepared_use(struct prepared *prepared, int64_t key);
/* The server never answered the Parse of this slot, so what it holds there is in doubt: forget it.
 */
void prepared_drop(struct prepared *prepared, int slot);

#endif
