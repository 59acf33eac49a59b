/*
 * arena.h - memory that is given back all at once.
 *
 * An arena hands out zeroed pieces of larger blocks and frees or forgets them together. It has a
 * limit, because every store of ours has one; reaching it is a bug of the caller and ends the
 * process (memory.h). One thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/compiler.h"

struct arena;

/* Owned: give it to arena_free(). `limit_bytes` bounds what can be taken between two resets. */
struct arena *arena_new(size_t limit_bytes);
void arena_free(struct arena *arena); /* NULL is fine */

/* Zeroed, aligned for any type; borrowed until arena_reset() or arena_free(). */
void *arena_take(struct arena *arena, size_t size_bytes);
char *arena_text(struct arena *arena, const char *text); /* copy; NULL gives NULL */
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

/* Forgets all pieces and keeps the first block for reuse. */
void arena_reset(struct arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_take((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) \
    ((type *)arena_take((arena), sizeof(type) * (size_t)(count)))

#endif
