/*
 * encode.c - messages of the client, appended to the shared send buffer.
 *
 * Each message asks for room once, for the most that it can need, and is then written without
 * further questions. Numbers go binary where the server declared a type that they fit; anything
 * else goes as text, so that a value out of a type's range is refused by the server and never cut.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "wire/wire_private.h"

/* Type OIDs never change (pg_type.dat). */
enum {
    OID_BOOL = 16,
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_FLOAT8 = 701,
    OID_INT4_ARRAY = 1007,
    OID_INT8_ARRAY = 1016,
};

#define BIND_FIXED    16         /* type, length, portal, name's end, three counts */
#define VALUE_FIXED   40         /* format, length, and any number or an array's header */
#define ELEMENT_BYTES 21         /* of an array: "-9223372036854775808," or length and 8 bytes */
#define EXACT_DOUBLE  (1L << 53) /* whole numbers up to it are exact in a double */

static COLD void grow(struct wire_out *out, size_t more)
{
    size_t wanted = out->length + more;

    assert(wanted <= WIRE_KEPT_MAX);
    out->size = out->size == 0 ? WIRE_OUT_SIZE : 2 * out->size;
    if (out->size < wanted)
        out->size = wanted;
    out->bytes = memory_resize(out->bytes, out->size);
}

static inline unsigned char *reserve(struct wire_out *out, size_t more)
{
    if (UNLIKELY(out->size - out->length < more))
        grow(out, more);
    return out->bytes + out->length;
}

/* Closes the message that began at `begin`. */
static inline void finish(struct wire_out *out, unsigned char *begin, const unsigned char *end)
{
    size_t length = (size_t)(end - begin);

    HOT_ASSERT(length <= WIRE_MESSAGE_MAX);
    wire_store32(begin + 1, (uint32_t)(length - 1));
    out->length += length;
}

/* ---- values ---- */

static unsigned char *put_digits(unsigned char *at, int64_t number)
{
    unsigned char digits[20], *first = digits + sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t count;

    do {
        *--first = (unsigned char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        *at++ = '-';
    count = (size_t)(digits + sizeof digits - first);
    memcpy(at, first, count);
    return at + count;
}

int wire_real_digits(double real, char out[WIRE_REAL_MAX])
{
    int length = 0;

    if (__builtin_isnan(real))
        return snprintf(out, WIRE_REAL_MAX, "NaN");
    if (__builtin_isinf(real))
        return snprintf(out, WIRE_REAL_MAX, real < 0 ? "-Infinity" : "Infinity");
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(out, WIRE_REAL_MAX, "%.*g", digits, real);
        if (strtod(out, NULL) == real)
            break;
    }
    return length;
}

/* Length word and digits; the format word stays text. */
static unsigned char *put_whole_text(unsigned char *at, int64_t whole)
{
    unsigned char *end = put_digits(at + 4, whole);

    wire_store32(at, (uint32_t)(end - at - 4));
    return end;
}

static unsigned char *put_double(unsigned char *at, unsigned char *format, double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    wire_store16(format, 1);
    return wire_store64(wire_store32(at, 8), bits);
}

static inline unsigned char *put_whole(unsigned char *at, unsigned char *format, int64_t whole,
                                       uint32_t type)
{
    if (LIKELY(type == OID_INT4) && LIKELY(whole == (int32_t)whole)) {
        wire_store16(format, 1);
        return wire_store32(wire_store32(at, 4), (uint32_t)whole);
    }
    if (type == OID_INT8) {
        wire_store16(format, 1);
        return wire_store64(wire_store32(at, 8), (uint64_t)whole);
    }
    if (type == OID_INT2 && whole == (int16_t)whole) {
        wire_store16(format, 1);
        return wire_store16(wire_store32(at, 2), (uint16_t)whole);
    }
    if (type == OID_BOOL && (whole == 0 || whole == 1)) {
        wire_store16(format, 1);
        at = wire_store32(at, 1);
        *at = (unsigned char)whole;
        return at + 1;
    }
    if (type == OID_FLOAT8 && whole <= EXACT_DOUBLE && whole >= -EXACT_DOUBLE)
        return put_double(at, format, (double)whole);
    return put_whole_text(at, whole);
}

static unsigned char *put_real(unsigned char *at, unsigned char *format, double real, uint32_t type)
{
    char digits[WIRE_REAL_MAX];
    int length;

    if (type == OID_FLOAT8)
        return put_double(at, format, real);
    length = wire_real_digits(real, digits);
    at = wire_store32(at, (uint32_t)length);
    memcpy(at, digits, (size_t)length);
    return at + length;
}

static bool all_fit_int4(const struct value *value)
{
    for (int32_t i = 0; i < value->length; i++) {
        if (value->wholes[i] != (int32_t)value->wholes[i])
            return false;
    }
    return true;
}

/* The form of array_recv(): dimensions, has-null flag, element type; length and lower bound of the
 * dimension; elements. An empty array has no dimension. */
static unsigned char *put_array(unsigned char *at, const struct value *value, bool wide)
{
    unsigned char *begin = at;

    at = wire_store32(at + 4, value->length > 0 ? 1 : 0);
    at = wire_store32(at, 0);
    at = wire_store32(at, wide ? OID_INT8 : OID_INT4);
    if (value->length > 0) {
        at = wire_store32(at, (uint32_t)value->length);
        at = wire_store32(at, 1);
    }
    for (int32_t i = 0; i < value->length; i++) {
        if (wide)
            at = wire_store64(wire_store32(at, 8), (uint64_t)value->wholes[i]);
        else
            at = wire_store32(wire_store32(at, 4), (uint32_t)value->wholes[i]);
    }
    wire_store32(begin, (uint32_t)(at - begin - 4));
    return at;
}

static unsigned char *put_wholes(unsigned char *at, unsigned char *format,
                                 const struct value *value, uint32_t type)
{
    unsigned char *begin = at;

    if (type == OID_INT8_ARRAY || (type == OID_INT4_ARRAY && all_fit_int4(value))) {
        wire_store16(format, 1);
        return put_array(at, value, type == OID_INT8_ARRAY);
    }
    at += 4;
    *at++ = '{';
    for (int32_t i = 0; i < value->length; i++) {
        if (i > 0)
            *at++ = ',';
        at = put_digits(at, value->wholes[i]);
    }
    *at++ = '}';
    wire_store32(begin, (uint32_t)(at - begin - 4));
    return at;
}

static unsigned char *put_value(unsigned char *at, unsigned char *format, const struct value *value,
                                uint32_t type)
{
    if (LIKELY(value->kind == VALUE_WHOLE))
        return put_whole(at, format, value->whole, type);
    switch (value->kind) {
    case VALUE_TEXT:
        at = wire_store32(at, (uint32_t)value->length);
        memcpy(at, value->text, (size_t)value->length);
        return at + value->length;
    case VALUE_REAL:
        return put_real(at, format, value->real, type);
    case VALUE_WHOLES:
        return put_wholes(at, format, value, type);
    default:
        return wire_store32(at, UINT32_MAX); /* NULL has no length */
    }
}

/* The most that a value takes. */
static inline size_t value_room(const struct value *value)
{
    if (LIKELY(value->kind <= VALUE_REAL))
        return VALUE_FIXED;
    assert(value->length >= 0);
    return VALUE_FIXED + (size_t)value->length * (value->kind == VALUE_WHOLES ? ELEMENT_BYTES : 1);
}

/* ---- messages ---- */

void wire_shape_settle(struct wire_shape *shape)
{
    shape->all_whole = shape->param_count > 0;
    for (int i = 0; i < shape->param_count; i++)
        if (shape->param_types[i] != OID_INT4 && shape->param_types[i] != OID_INT8)
            shape->all_whole = false;
}

const struct wire_name wire_unnamed = { .size = 1 };

struct wire_name wire_name_number(int number)
{
    struct wire_name name;

    assert(number >= 0 && number <= 999999);
    name.size = 1 + snprintf(name.text, sizeof name.text, "s%d", number);
    return name;
}

/* Type, room for the length, the unnamed portal and the statement's name: a whole word is copied,
 * what is too much of it is overwritten. */
static inline unsigned char *begin_bind(unsigned char *begin, const struct wire_name *name)
{
    begin[0] = 'B';
    begin[5] = '\0';
    memcpy(begin + 6, name->text, WIRE_NAME_MAX);
    return begin + 6 + name->size;
}

/* Whole numbers for int4 and int8 alone: one format for all. False: one does not fit, nothing is
 * added. */
static inline bool bind_wholes(struct wire_out *out, const struct wire_name *name,
                               const struct wire_shape *shape, const struct value *values)
{
    int count = shape->param_count;
    unsigned char *begin = reserve(out, BIND_FIXED + WIRE_NAME_MAX + 12 * (size_t)count), *at;

    at = begin_bind(begin, name);
    at = wire_store32(at, 1u << 16 | 1u); /* one format, binary */
    at = wire_store16(at, (uint16_t)count);
    for (int i = 0; i < count; i++) {
        if (UNLIKELY(values[i].kind != VALUE_WHOLE))
            return false;
        if (shape->param_types[i] == OID_INT8) {
            at = wire_store64(wire_store32(at, 8), (uint64_t)values[i].whole);
        } else {
            if (UNLIKELY(values[i].whole != (int32_t)values[i].whole))
                return false;
            at = wire_store64(at, UINT64_C(4) << 32 | (uint32_t)values[i].whole);
        }
    }
    at = wire_store16(at, 0); /* all results as text */
    finish(out, begin, at);
    return true;
}

/* Any values: a format each. */
static __attribute__((noinline)) void bind_values(struct wire_out *out,
                                                  const struct wire_name *name,
                                                  const struct wire_shape *shape,
                                                  const struct value *values, int count)
{
    size_t room = BIND_FIXED + WIRE_NAME_MAX;
    int known = shape != NULL ? shape->param_count : 0;
    unsigned char *begin, *at, *format;

    HOT_ASSERT(count >= 0 && count <= WIRE_PARAMS_MAX);
    for (int i = 0; i < count; i++)
        room += value_room(&values[i]);
    begin = reserve(out, room);
    at = begin_bind(begin, name);
    at = wire_store16(at, (uint16_t)count);
    format = at;
    at = wire_store16(at + 2 * count, (uint16_t)count);
    for (int i = 0; i < count; i++, format += 2) {
        wire_store16(format, 0);
        at = put_value(at, format, &values[i], i < known ? shape->param_types[i] : 0);
    }
    at = wire_store16(at, 0); /* all results as text */
    finish(out, begin, at);
}

void wire_add_bind(struct wire_out *out, const struct wire_name *name,
                   const struct wire_shape *shape, const struct value *values, int count)
{
    if (shape == NULL || !shape->all_whole || count != shape->param_count ||
        !bind_wholes(out, name, shape, values))
        bind_values(out, name, shape, values, count);
}

static inline void add_fixed(struct wire_out *out, const char *bytes, size_t length)
{
    memcpy(reserve(out, length), bytes, length);
    out->length += length;
}

void wire_add_execute(struct wire_out *out)
{
    /* The unnamed portal, all rows. */
    add_fixed(out, "E\0\0\0\011\0\0\0\0\0", 10);
}

void wire_add_execute_sync(struct wire_out *out)
{
    add_fixed(out, "E\0\0\0\011\0\0\0\0\0S\0\0\0\004", 15);
}

void wire_add_sync(struct wire_out *out)
{
    add_fixed(out, "S\0\0\0\004", 5);
}

void wire_add_parse(struct wire_out *out, const struct wire_name *name, const char *sql,
                    const struct wire_shape *shape)
{
    size_t name_size = (size_t)name->size, sql_size = strlen(sql) + 1;
    int count = shape != NULL ? shape->param_count : 0;
    unsigned char *begin, *at;

    assert(count >= 0 && count <= WIRE_PARAMS_MAX);
    begin = reserve(out, 7 + name_size + sql_size + 4 * (size_t)count);
    begin[0] = 'P';
    memcpy(begin + 5, name->text, name_size);
    at = begin + 5 + name_size;
    memcpy(at, sql, sql_size);
    at = wire_store16(at + sql_size, (uint16_t)count);
    for (int i = 0; i < count; i++)
        at = wire_store32(at, shape->param_types[i]);
    finish(out, begin, at);
}

/* Describe and Close: a type, what of, a name. */
static void add_named(struct wire_out *out, char type, char what, const struct wire_name *name)
{
    size_t name_size = (size_t)name->size;
    unsigned char *begin = reserve(out, 6 + name_size);

    begin[0] = (unsigned char)type;
    begin[5] = (unsigned char)what;
    memcpy(begin + 6, name->text, name_size);
    finish(out, begin, begin + 6 + name_size);
}

void wire_add_describe_statement(struct wire_out *out, const struct wire_name *name)
{
    add_named(out, 'D', 'S', name);
}

void wire_add_close_statement(struct wire_out *out, const struct wire_name *name)
{
    add_named(out, 'C', 'S', name);
}

void wire_add_query(struct wire_out *out, const char *sql)
{
    size_t sql_size = strlen(sql) + 1;
    unsigned char *begin = reserve(out, 5 + sql_size);

    begin[0] = 'Q';
    memcpy(begin + 5, sql, sql_size);
    finish(out, begin, begin + 5 + sql_size);
}
