/*
 * arena.c - blocks in a list, newest first; each new one is at least twice the last.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define ARENA_BLOCK_FIRST 4096
#define ARENA_ALIGN       16

struct block {
    struct block *older;
    size_t size, used;
    _Alignas(ARENA_ALIGN) unsigned char bytes[];
};

struct arena {
    struct block *newest;
    size_t limit_bytes, taken_bytes;
};

static void add_block(struct arena *arena, size_t wanted)
{
    size_t size = arena->newest != NULL ? arena->newest->size * 2 : ARENA_BLOCK_FIRST;
    struct block *block;

    while (size < wanted)
        size *= 2;
    block = memory_make(1, sizeof *block + size);
    block->size = size;
    block->older = arena->newest;
    arena->newest = block;
}

struct arena *arena_new(size_t limit_bytes)
{
    struct arena *arena = MEMORY_NEW(struct arena);

    arena->limit_bytes = limit_bytes;
    return arena;
}

static void drop_blocks(struct arena *arena, const struct block *keep)
{
    while (arena->newest != NULL && arena->newest != keep) {
        struct block *older = arena->newest->older;
        memory_free(arena->newest);
        arena->newest = older;
    }
}

void arena_free(struct arena *arena)
{
    if (arena == NULL)
        return;
    drop_blocks(arena, NULL);
    memory_free(arena);
}

void *arena_take(struct arena *arena, size_t size_bytes)
{
    size_t wanted = (size_bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    void *piece;

    arena->taken_bytes += wanted;
    assert(arena->taken_bytes <= arena->limit_bytes && "arena limit reached");
    if (arena->newest == NULL || arena->newest->size - arena->newest->used < wanted)
        add_block(arena, wanted);
    piece = arena->newest->bytes + arena->newest->used;
    arena->newest->used += wanted;
    return piece;
}

char *arena_text(struct arena *arena, const char *text)
{
    size_t length;
    char *copy;

    if (text == NULL)
        return NULL;
    length = strlen(text);
    copy = arena_take(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    text = arena_take(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

void arena_reset(struct arena *arena)
{
    struct block *first = arena->newest;

    while (first != NULL && first->older != NULL)
        first = first->older;
    drop_blocks(arena, first);
    if (first != NULL) {
        memset(first->bytes, 0, first->used);
        first->used = 0;
    }
    arena->taken_bytes = 0;
}
