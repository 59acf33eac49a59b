/*
 * text.c - see text.h.
 */
#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define TEXT_FIRST 64

void text_init(struct text *text, size_t limit_bytes)
{
    *text = (struct text){ .size = TEXT_FIRST, .limit_bytes = limit_bytes };
    text->bytes = memory_make(TEXT_FIRST, 1);
}

void text_close(struct text *text)
{
    memory_free(text->bytes);
    *text = (struct text){ 0 };
}

void text_clear(struct text *text)
{
    text->length = 0;
    text->bytes[0] = '\0';
}

char *text_finish(struct text *text)
{
    char *bytes = text->bytes;

    *text = (struct text){ 0 };
    return bytes;
}

static void make_room(struct text *text, size_t more)
{
    size_t wanted = text->length + more + 1;

    assert(wanted <= text->limit_bytes + 1 && "text limit reached");
    if (wanted <= text->size)
        return;
    while (text->size < wanted)
        text->size *= 2;
    text->bytes = memory_resize(text->bytes, text->size);
}

void text_add_bytes(struct text *text, const void *bytes, size_t count)
{
    make_room(text, count);
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *words)
{
    text_add_bytes(text, words, strlen(words));
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_add_whole(struct text *text, int64_t number)
{
    char digits[24];
    char *end = digits + sizeof digits, *at = end;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        *--at = '-';
    text_add_bytes(text, at, (size_t)(end - at));
}

void text_format(struct text *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    assert(length >= 0);
    make_room(text, (size_t)length);
    va_start(args, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void text_add_safe(struct text *text, const char *words)
{
    for (const unsigned char *at = (const unsigned char *)words; *at != '\0'; at++) {
        bool c1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F;

        if (c1)
            text_format(text, "\\x%02X", *at++);
        if (c1 || *at < 0x20 || *at == 0x7f)
            text_format(text, "\\x%02X", *at);
        else
            text_add_char(text, (char)*at);
    }
}

void text_name_file(char *word)
{
    for (; *word != '\0'; word++)
        if (!isalnum((unsigned char)*word) && *word != '.' && *word != '_')
            *word = '-';
}
