/*
 * literal_fuzz.c - a literal is a literal: when all parameters of a statement have been written
 * into it, none is left to be found, whatever the statement and the text. So doing it again changes
 * nothing.
 *
 * The first byte says how many bytes are the parameter's text; the rest is the statement.
 */
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#define INPUT_MAX 4096
#define LIMIT     (256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const int64_t wholes[] = { 1, INT64_MIN };
    struct value values[5];
    struct text once, twice;
    size_t length;
    char *sql;

    if (size < 1 || size > INPUT_MAX)
        return 0;
    length = bytes[0] < size - 1 ? bytes[0] : size - 1;
    sql = memory_make(size, 1);
    memcpy(sql, bytes + 1 + length, size - 1 - length);
    values[0] = value_bytes((const char *)bytes + 1, (int32_t)length);
    values[1] = value_whole(-(int64_t)size);
    values[2] = value_real((double)length / 3);
    values[3] = value_null();
    values[4] = value_wholes(wholes, 2);
    text_init(&once, LIMIT);
    text_init(&twice, LIMIT);
    wire_interpolate(&once, sql, values, 5);
    wire_interpolate(&twice, once.bytes, values, 5);
    must(once.length == twice.length && memcmp(once.bytes, twice.bytes, once.length) == 0);
    must(strlen(once.bytes) == once.length);
    text_close(&once);
    text_close(&twice);
    memory_free(sql);
    return 0;
}
