/*
 * value.h - a value on its way into a statement.
 *
 * VALUE() makes one from a C number or string, so that a call reads
 * txn_query(txn, SQL_POINT, input->id). Text and arrays are borrowed: they must live until the
 * attempt ends, which inputs and rows do.
 */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum value_kind { VALUE_NULL, VALUE_WHOLE, VALUE_REAL, VALUE_TEXT, VALUE_WHOLES };

struct value {
    enum value_kind kind;
    int32_t length; /* bytes of text, or elements of an array */
    union {
        int64_t whole;
        double real;
        const char *text;
        const int64_t *wholes; /* sent as int8[] or int4[], as the parameter is declared */
    };
};

static inline struct value value_whole(int64_t whole)
{
    return (struct value){ .kind = VALUE_WHOLE, .whole = whole };
}

static inline struct value value_real(double real)
{
    return (struct value){ .kind = VALUE_REAL, .real = real };
}

static inline struct value value_text(const char *text)
{
    if (text == NULL)
        return (struct value){ .kind = VALUE_NULL };
    return (struct value){ .kind = VALUE_TEXT, .length = (int32_t)strlen(text), .text = text };
}

static inline struct value value_bytes(const char *text, int32_t length)
{
    return (struct value){ .kind = VALUE_TEXT, .length = length, .text = text };
}

static inline struct value value_wholes(const int64_t *wholes, int32_t count)
{
    return (struct value){ .kind = VALUE_WHOLES, .length = count, .wholes = wholes };
}

static inline struct value value_null(void)
{
    return (struct value){ .kind = VALUE_NULL };
}

static inline struct value value_same(struct value value)
{
    return value;
}

/* clang-format off */
#define VALUE(x) _Generic((x),                                                                     \
    struct value: value_same, double: value_real, float: value_real,                               \
    char *: value_text, const char *: value_text, default: value_whole)(x)
/* clang-format on */

#endif
