/*
 * base64.c - see base64.h.
 */
#include "recorder/base64.h"

#include <stdint.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct text *out, const unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += 3) {
        size_t left = count - at;
        uint32_t group = (uint32_t)bytes[at] << 16;
        char word[4];

        if (left > 1)
            group |= (uint32_t)bytes[at + 1] << 8;
        if (left > 2)
            group |= bytes[at + 2];
        word[0] = alphabet[group >> 18];
        word[1] = alphabet[group >> 12 & 63];
        word[2] = left > 1 ? alphabet[group >> 6 & 63] : '=';
        word[3] = left > 2 ? alphabet[group & 63] : '=';
        text_add_bytes(out, word, sizeof word);
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

bool base64_read(const char *words, size_t length, unsigned char *bytes, size_t *count)
{
    size_t padding = 0, made = 0;

    *count = 0;
    if (length == 0 || length % 4 != 0)
        return false;
    while (padding < 2 && words[length - 1 - padding] == '=')
        padding++;
    for (size_t at = 0; at < length; at += 4) {
        uint32_t group = 0;

        for (size_t i = 0; i < 4; i++) {
            bool pad = at + i >= length - padding;
            int digit = pad ? 0 : digit_of(words[at + i]);

            if (digit < 0)
                return false;
            group = group << 6 | (uint32_t)digit;
        }
        bytes[made++] = (unsigned char)(group >> 16);
        bytes[made++] = (unsigned char)(group >> 8 & 255);
        bytes[made++] = (unsigned char)(group & 255);
    }
    *count = made - padding;
    return true;
}
