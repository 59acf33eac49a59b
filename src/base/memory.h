/*
 * memory.h - the only door to malloc. A benchmark out of memory has no result to save, so these end
 * the process with exit code 5 and one line instead of returning NULL. Nothing here is called per
 * transaction once a run is warm. Any thread.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

#include "base/compiler.h"

/* Owned, zeroed memory for `count` things of `size_bytes`; give it to memory_free(). */
void *memory_make(size_t count, size_t size_bytes);
/* Grows or shrinks; new bytes are not zeroed. `old` may be NULL. */
void *memory_resize(void *old, size_t size_bytes);
char *memory_text(const char *text);                            /* owned copy; NULL gives NULL */
char *memory_format(const char *format, ...) PRINTF_LIKE(1, 2); /* owned */
void memory_free(void *memory);                                 /* NULL is fine */

#define MEMORY_NEW(type)          ((type *)memory_make(1, sizeof(type)))
#define MEMORY_ARRAY(type, count) ((type *)memory_make((size_t)(count), sizeof(type)))

#endif
