/*
 * encode.c - see encode.h. The format: a signature, then a row as its column count (int16) and for
 * each column a length (int32, -1 is NULL) and that many bytes, big-endian; -1 as a count ends it.
 */
#include "load/encode.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "base/memory.h"

#define BUFFER_FIRST       65536
#define BASE_DIGITS        4 /* decimal digits in one of numeric's */
#define SCALE_MAX          9
#define NUMERIC_DIGITS_MAX 8 /* five before the point, three behind it */
#define EPOCH_US           (INT64_C(946684800) * 1000000) /* 2000-01-01, where PostgreSQL begins */

/* Eleven bytes of signature, then two int32 of zero: flags, and the length of what extends this. */
static const char signature[19] = "PGCOPY\n\377\r\n";

static const struct {
    const char *name;
    enum copy_type type;
} type_names[] = {
    { "int2", COPY_INT2 },  { "int4", COPY_INT4 },        { "int8", COPY_INT8 },
    { "text", COPY_TEXT },  { "bpchar", COPY_TEXT },      { "varchar", COPY_TEXT },
    { "bytea", COPY_TEXT }, { "numeric", COPY_NUMERIC },  { "float8", COPY_FLOAT8 },
    { "bool", COPY_BOOL },  { "timestamp", COPY_MOMENT }, { "timestamptz", COPY_MOMENT },
};

void copy_open(struct copy_row *row)
{
    memset(row, 0, sizeof *row);
    row->size = BUFFER_FIRST;
    row->bytes = memory_make(row->size, 1);
}

void copy_close(struct copy_row *row)
{
    memory_free(row->bytes);
    row->bytes = NULL;
}

static bool find_type(const char *name, enum copy_type *type)
{
    for (int i = 0; i < COUNT_OF(type_names); i++) {
        if (strcmp(type_names[i].name, name) == 0) {
            *type = type_names[i].type;
            return true;
        }
    }
    return false;
}

bool copy_columns(struct copy_row *row, const char *const *types, struct error *err)
{
    row->column_count = 0;
    for (; *types != NULL; types++) {
        assert(row->column_count < COPY_COLUMNS_MAX);
        if (!find_type(*types, &row->types[row->column_count++]))
            return error_set(err, ERROR_BUG, "a column of type %s cannot be loaded", *types);
    }
    return true;
}

/* Room for `count` more bytes; gives where they go. */
static unsigned char *reserve(struct copy_row *row, size_t count)
{
    unsigned char *at;

    if (UNLIKELY(row->size - row->length < count)) {
        while (row->size - row->length < count)
            row->size *= 2;
        row->bytes = memory_resize(row->bytes, row->size);
    }
    at = row->bytes + row->length;
    row->length += count;
    return at;
}

static void put16(unsigned char *at, int value)
{
    uint16_t big = htobe16((uint16_t)value);

    memcpy(at, &big, sizeof big);
}

static void put32(unsigned char *at, int64_t value)
{
    uint32_t big = htobe32((uint32_t)value);

    memcpy(at, &big, sizeof big);
}

static void put64(unsigned char *at, int64_t value)
{
    uint64_t big = htobe64((uint64_t)value);

    memcpy(at, &big, sizeof big);
}

/* A length word and room for the value behind it. */
static unsigned char *add_field(struct copy_row *row, int length)
{
    unsigned char *at = reserve(row, (size_t)length + 4);

    put32(at, length);
    return at + 4;
}

static enum copy_type next_type(struct copy_row *row)
{
    assert(row->column < row->column_count && "the row says more columns than the table has");
    return row->types[row->column++];
}

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* The digits to base 10000 of `left`, written backwards and ending before `end`; at least `least`
 * of them. Gives the first. */
static int *split(uint64_t left, int least, int *end)
{
    for (; left > 0 || least > 0; left /= 10000, least--)
        *--end = (int)(left % 10000);
    return end;
}

/* numeric: count, weight, sign and scale, then digits to base 10000, of which one begins at the
 * point; zeros at either end are left out. */
static void add_numeric(struct copy_row *row, int64_t unscaled, int scale)
{
    uint64_t left = unscaled < 0 ? 0 - (uint64_t)unscaled : (uint64_t)unscaled;
    uint64_t unit = (uint64_t)power_of_ten(scale);
    int behind = (scale + BASE_DIGITS - 1) / BASE_DIGITS; /* digits behind the point */
    uint64_t part = left % unit * (uint64_t)power_of_ten(behind * BASE_DIGITS - scale);
    int digits[NUMERIC_DIGITS_MAX], *end = digits + COUNT_OF(digits), *first, weight;
    unsigned char *at;

    first = split(left / unit, 0, split(part, behind, end));
    weight = (int)(end - first) - behind - 1;
    for (; first < end && *first == 0; first++)
        weight--;
    while (first < end && end[-1] == 0)
        end--;
    at = add_field(row, 8 + 2 * (int)(end - first));
    put16(at, (int)(end - first));
    put16(at + 2, first < end ? weight : 0);
    put16(at + 4, unscaled < 0 ? 0x4000 : 0);
    put16(at + 6, scale);
    for (at += 8; first < end; first++, at += 2)
        put16(at, *first);
}

static void add_digits(struct copy_row *row, int64_t whole)
{
    uint64_t left = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
    char digits[24];
    int at = COUNT_OF(digits);

    do {
        digits[--at] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (whole < 0)
        digits[--at] = '-';
    memcpy(add_field(row, COUNT_OF(digits) - at), digits + at, sizeof digits - (size_t)at);
}

static void add_real(struct copy_row *row, double real)
{
    int64_t bits;

    memcpy(&bits, &real, sizeof bits);
    put64(add_field(row, 8), bits);
}

void copy_whole(struct copy_row *row, int64_t whole)
{
    switch (next_type(row)) {
    case COPY_INT2:
        assert(whole >= INT16_MIN && whole <= INT16_MAX);
        put16(add_field(row, 2), (int)whole);
        return;
    case COPY_INT4:
        assert(whole >= INT32_MIN && whole <= INT32_MAX);
        put32(add_field(row, 4), whole);
        return;
    case COPY_INT8:
        put64(add_field(row, 8), whole);
        return;
    case COPY_NUMERIC:
        add_numeric(row, whole, 0);
        return;
    case COPY_TEXT:
        add_digits(row, whole);
        return;
    case COPY_FLOAT8:
        add_real(row, (double)whole);
        return;
    case COPY_BOOL:
        *add_field(row, 1) = whole != 0;
        return;
    case COPY_MOMENT:
        assert(false && "a number for a column that is a moment");
        return;
    }
}

void copy_text(struct copy_row *row, const char *text, int length)
{
    enum copy_type type = next_type(row);

    assert(type == COPY_TEXT && "text for a column that is not text");
    (void)type;
    memcpy(add_field(row, length), text, (size_t)length);
}

void copy_decimal(struct copy_row *row, int64_t unscaled, int scale)
{
    enum copy_type type = next_type(row);

    assert(scale >= 0 && scale <= SCALE_MAX);
    assert((type == COPY_NUMERIC || type == COPY_FLOAT8) && "a decimal for a column of whole ones");
    if (type == COPY_NUMERIC)
        add_numeric(row, unscaled, scale);
    else
        add_real(row, (double)unscaled / (double)power_of_ten(scale));
}

void copy_moment(struct copy_row *row, int64_t unix_us)
{
    enum copy_type type = next_type(row);

    assert(type == COPY_MOMENT && "a moment for a column that is none");
    (void)type;
    put64(add_field(row, 8), unix_us - EPOCH_US);
}

void copy_null(struct copy_row *row)
{
    next_type(row);
    put32(reserve(row, 4), -1);
}

void copy_begin(struct copy_row *row)
{
    row->length = 0;
    memcpy(reserve(row, sizeof signature), signature, sizeof signature);
}

static void begin_row(struct copy_row *row)
{
    put16(reserve(row, 2), row->column_count);
    row->column = 0;
    row->rows++;
}

static void end_row(const struct copy_row *row)
{
    assert(row->column == row->column_count && "the row says fewer columns than the table has");
    (void)row;
}

void copy_next(struct copy_row *row)
{
    end_row(row);
    begin_row(row);
}

void copy_add(struct copy_row *row, const struct table_spec *spec, const void *world,
              const uint64_t where[2], int64_t number)
{
    struct rng rng;

    rng_init(&rng, where[0], where[1], (uint64_t)number);
    begin_row(row);
    spec->row(row, world, number, &rng);
    end_row(row);
}

void copy_end(struct copy_row *row)
{
    put16(reserve(row, 2), -1);
}
