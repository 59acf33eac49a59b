/*
 * text.h - a string that grows, with a limit.
 *
 * The caller owns the struct; text_init() makes it empty, text_close() frees the bytes. The content
 * is always ended by a NUL that is not counted. Growing beyond `limit_bytes` is a bug of the caller
 * (assert). One thread at a time.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct text {
    char *bytes; /* never NULL after text_init() */
    size_t length, size, limit_bytes;
};

void text_init(struct text *text, size_t limit_bytes);
void text_close(struct text *text);
void text_clear(struct text *text);
char *text_finish(struct text *text); /* the bytes, owned by the caller; the text is closed */

void text_add(struct text *text, const char *words);
void text_add_bytes(struct text *text, const void *bytes, size_t count);
void text_add_char(struct text *text, char c);
void text_add_whole(struct text *text, int64_t number);
void text_format(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);

/* Adds `words` with control characters as \xNN (DEL too), so that what came from a server or a plan
 * cannot act on a terminal (design D11); C1 controls in UTF-8 too. Other bytes above 0x7f pass. */
void text_add_safe(struct text *text, const char *words);

/* Makes `word` fit to be part of a file's name: what is not of [A-Za-z0-9._-] becomes '-'. */
void text_name_file(char *word);

#endif
