/*
 * memory.c - see memory.h.
 */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static void NEVER_RETURNS out_of_memory(void)
{
    static const char words[] = "pgdyno: out of memory\n";

    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(ERROR_MACHINE);
}

void *memory_make(size_t count, size_t size_bytes)
{
    void *memory = calloc(count > 0 ? count : 1, size_bytes > 0 ? size_bytes : 1);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

void *memory_resize(void *old, size_t size_bytes)
{
    void *memory = realloc(old, size_bytes > 0 ? size_bytes : 1);

    if (memory == NULL)
        out_of_memory();
    return memory;
}

char *memory_text(const char *text)
{
    char *copy;

    if (text == NULL)
        return NULL;
    copy = memory_make(strlen(text) + 1, 1);
    memcpy(copy, text, strlen(text));
    return copy;
}

char *memory_format(const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        out_of_memory();
    va_end(args);
    return text;
}

void memory_free(void *memory)
{
    free(memory);
}
