/*
 * values.c - see values.h.
 */
#include "store/values.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* How many bytes a well-formed UTF-8 character takes at `at`; 0 when it is not one. jansson is the
 * judge of overlong forms and surrogates. */
static size_t utf8_length(const char *at, size_t left)
{
    unsigned char first = (unsigned char)*at;
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    json_t *judged;

    if (length <= 1)
        return length;
    if (length > left)
        return 0;
    judged = json_stringn(at, length);
    if (judged == NULL)
        return 0;
    json_decref(judged);
    return length;
}

/* `text` with the bytes that are no UTF-8 as \xNN. */
static json_t *mended_json(const char *text, size_t length)
{
    struct text mended;
    json_t *json;
    size_t i = 0;

    text_init(&mended, 4 * VALUES_TEXT_MAX + 4);
    while (i < length) {
        size_t step = utf8_length(text + i, length - i);
        if (step > 0)
            text_add_bytes(&mended, text + i, step);
        else
            text_format(&mended, "\\x%02X", (unsigned char)text[i]);
        i += step > 0 ? step : 1;
    }
    json = json_stringn(mended.bytes, mended.length);
    text_close(&mended);
    return json;
}

json_t *value_text_json(const char *text)
{
    size_t length;
    json_t *json;

    if (text == NULL)
        return json_null();
    length = strnlen(text, VALUES_TEXT_MAX);
    json = json_stringn(text, length);
    return json != NULL ? json : mended_json(text, length);
}

json_t *value_real_json(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *value_ms_json(double ns)
{
    return value_real_json(round(ns) / (double)NS_PER_MS);
}

json_t *value_seconds_json(int64_t ns)
{
    return json_real((double)ns / (double)NS_PER_S);
}

json_t *value_rate_json(int64_t count, int64_t ns)
{
    if (ns <= 0)
        return json_null();
    return json_real(round((double)count / ((double)ns / (double)NS_PER_S) * 1e6) / 1e6);
}

json_t *value_share(json_t *value)
{
    return value != NULL ? json_incref(value) : json_null();
}

const char *value_outcome_key(enum outcome outcome)
{
    return outcome == OUTCOME_COMMITTED ? "done" : outcome_table[outcome].name;
}
