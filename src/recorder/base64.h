/*
 * base64.h - bytes as text, RFC 4648 section 4, with padding. Private to the recorder. Any thread.
 */
#ifndef RECORDER_BASE64_H
#define RECORDER_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void base64_add(struct text *out, const unsigned char *bytes, size_t count);
/* Writes at most `length` / 4 * 3 bytes to `bytes` and their number to `count`. False for anything
 * but whole groups of the alphabet, padded only at the end; spaces and line ends are none of it. */
bool base64_read(const char *words, size_t length, unsigned char *bytes, size_t *count);

#endif
