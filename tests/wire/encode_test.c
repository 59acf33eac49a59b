/*
 * encode_test.c - each message against bytes written by hand from the protocol's description.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire_private.h"

static const struct wire_name name_s1 = { "s1", 3 }, name_s = { "s", 2 };

/* The bytes of a string constant without its end. */
#define IS(out, words) is((out), (words), sizeof(words) - 1)

static void is(struct wire_out *out, const char *bytes, size_t length)
{
    assert_int_equal(out->length, length);
    assert_memory_equal(out->bytes, bytes, length);
    out->length = 0;
}

static void fixed_messages(void **state)
{
    struct wire_out out = { 0 };

    (void)state;
    wire_add_execute(&out);
    IS(&out, "E\0\0\0\x09\0\0\0\0\0");
    wire_add_sync(&out);
    IS(&out, "S\0\0\0\x04");
    wire_add_query(&out, "SELECT 1");
    IS(&out, "Q\0\0\0\x0dSELECT 1\0");
    wire_add_describe_statement(&out, &name_s1);
    IS(&out, "D\0\0\0\x08Ss1\0");
    wire_add_close_statement(&out, &wire_unnamed);
    IS(&out, "C\0\0\0\x06S\0");
    wire_out_close(&out);
}

static void parse(void **state)
{
    struct wire_shape shape = { .param_count = 2, .param_types = { 23, 25 } };
    struct wire_out out = { 0 };

    (void)state;
    wire_add_parse(&out, &name_s, "X", &shape);
    IS(&out, "P\0\0\0\x12s\0X\0\0\x02\0\0\0\x17\0\0\0\x19");
    wire_add_parse(&out, &wire_unnamed, "X", NULL);
    IS(&out, "P\0\0\0\x09\0X\0\0\0");
    wire_out_close(&out);
}

/* One parameter of a type: what stands between the counts and the result formats. */
static void binds(struct value value, uint32_t type, int format, const char *bytes, size_t length)
{
    struct wire_shape shape = { .param_count = 1, .param_types = { type } };
    struct wire_out out = { 0 };
    unsigned char wanted[512] = "B....\0s\0\0\x01\0?\0\x01";

    wire_store32(wanted + 1, (uint32_t)(15 + length));
    wanted[11] = (unsigned char)format;
    memcpy(wanted + 14, bytes, length);
    wire_add_bind(&out, &name_s, &shape, &value, 1);
    is(&out, (const char *)wanted, 16 + length); /* ended by 0, 0 */
    wire_out_close(&out);
}
#define BINDS(value, type, format, words) \
    binds((value), (type), (format), (words), sizeof(words) - 1)

static void whole_numbers(void **state)
{
    (void)state;
    BINDS(value_whole(258), 23, 1, "\0\0\0\x04\0\0\x01\x02");
    BINDS(value_whole(-1), 23, 1, "\0\0\0\x04\xff\xff\xff\xff");
    BINDS(value_whole(INT32_MIN), 23, 1, "\0\0\0\x04\x80\0\0\0");
    BINDS(value_whole(INT64_C(1) << 32), 20, 1, "\0\0\0\x08\0\0\0\x01\0\0\0\0");
    BINDS(value_whole(-2), 21, 1, "\0\0\0\x02\xff\xfe");
    BINDS(value_whole(1), 16, 1, "\0\0\0\x01\x01");
    BINDS(value_whole(2), 701, 1, "\0\0\0\x08\x40\0\0\0\0\0\0\0");
    BINDS(value_whole(-7), 1700, 0, "\0\0\0\x02-7");
    BINDS(value_whole(0), 0, 0,
          "\0\0\0\x01"
          "0");
}

/* What does not fit is never cut: as text the server refuses it. */
static void numbers_out_of_range(void **state)
{
    (void)state;
    BINDS(value_whole(INT64_C(2147483648)), 23, 0,
          "\0\0\0\x0a"
          "2147483648");
    BINDS(value_whole(INT64_C(-2147483649)), 23, 0, "\0\0\0\x0b-2147483649");
    BINDS(value_whole(32768), 21, 0,
          "\0\0\0\x05"
          "32768");
    BINDS(value_whole(2), 16, 0,
          "\0\0\0\x01"
          "2");
    BINDS(value_whole(INT64_MIN), 701, 0, "\0\0\0\x14-9223372036854775808");
}

static void reals(void **state)
{
    (void)state;
    BINDS(value_real(-1.5), 701, 1, "\0\0\0\x08\xbf\xf8\0\0\0\0\0\0");
    BINDS(value_real(0.1), 1700, 0,
          "\0\0\0\x03"
          "0.1");
    BINDS(value_real(1.0 / 3), 0, 0,
          "\0\0\0\x12"
          "0.3333333333333333");
    BINDS(value_real((double)NAN), 0, 0, "\0\0\0\x03NaN");
    BINDS(value_real(-(double)INFINITY), 1700, 0, "\0\0\0\x09-Infinity");
}

static void texts_and_null(void **state)
{
    (void)state;
    BINDS(value_text("abc"), 25, 0,
          "\0\0\0\x03"
          "abc");
    BINDS(value_text("12"), 23, 0,
          "\0\0\0\x02"
          "12");
    BINDS(value_text(""), 25, 0, "\0\0\0\0");
    BINDS(value_bytes("a\0b", 3), 25, 0,
          "\0\0\0\x03"
          "a\0b");
    BINDS(value_null(), 23, 0, "\xff\xff\xff\xff");
}

static void arrays(void **state)
{
    int64_t wholes[] = { 1, -1 }, big[] = { INT64_C(1) << 40 };

    (void)state;
    BINDS(value_wholes(wholes, 2), 1007, 1,
          "\0\0\0\x24\0\0\0\x01\0\0\0\0\0\0\0\x17\0\0\0\x02\0\0\0\x01"
          "\0\0\0\x04\0\0\0\x01\0\0\0\x04\xff\xff\xff\xff");
    BINDS(value_wholes(wholes, 1), 1016, 1,
          "\0\0\0\x20\0\0\0\x01\0\0\0\0\0\0\0\x14\0\0\0\x01\0\0\0\x01"
          "\0\0\0\x08\0\0\0\0\0\0\0\x01");
    BINDS(value_wholes(wholes, 0), 1007, 1, "\0\0\0\x0c\0\0\0\0\0\0\0\0\0\0\0\x17");
    BINDS(value_wholes(wholes, 2), 1231, 0, "\0\0\0\x06{1,-1}");
    BINDS(value_wholes(wholes, 0), 0, 0, "\0\0\0\x02{}");
    BINDS(value_wholes(big, 1), 1007, 0, "\0\0\0\x0f{1099511627776}");
}

static void several_parameters(void **state)
{
    struct wire_shape shape = { .param_count = 2, .param_types = { 23, 20 } };
    struct value values[] = { value_whole(1), value_null(), value_text("x") };
    struct wire_out out = { 0 };

    (void)state;
    wire_add_bind(&out, &wire_unnamed, &shape, values, 3);
    IS(&out, "B\0\0\0\x23\0\0\0\x03\0\x01\0\0\0\0\0\x03"
             "\0\0\0\x04\0\0\0\x01\xff\xff\xff\xff\0\0\0\x01x\0\0");
    wire_add_bind(&out, &wire_unnamed, NULL, values, 1);
    IS(&out, "B\0\0\0\x13\0\0\0\x01\0\0\0\x01\0\0\0\x01"
             "1\0\0");
    wire_add_bind(&out, &wire_unnamed, NULL, NULL, 0);
    IS(&out, "B\0\0\0\x0c\0\0\0\0\0\0\0\0");
    wire_out_close(&out);
}

/* Room is asked for once: the longest of everything must be within it. ASan watches. */
static void the_longest_values_have_room(void **state)
{
    static int64_t wholes[5000];
    struct value values[WIRE_PARAMS_MAX];
    struct wire_out out = { 0 };
    struct wire_name longest = wire_name_number(999999);

    (void)state;
    for (int i = 0; i < 5000; i++)
        wholes[i] = INT64_MIN;
    for (int i = 0; i < WIRE_PARAMS_MAX; i++) {
        values[i] = i % 3 == 0   ? value_whole(INT64_MIN)
                    : i % 3 == 1 ? value_real(-2.2250738585072011e-308)
                                 : value_wholes(wholes, 5000);
    }
    for (int count = 0; count <= WIRE_PARAMS_MAX; count += count == 64 ? WIRE_PARAMS_MAX - 64 : 1) {
        out.length = 0;
        wire_add_bind(&out, &longest, NULL, values, count);
        assert_int_equal(wire_load32(out.bytes + 1), out.length - 1);
        wire_out_close(&out);
    }
    wire_out_close(&out);
}

/* Messages follow each other over the growing of the buffer. */
static void many_messages(void **state)
{
    struct wire_out out = { 0 };
    size_t at = 0;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        wire_add_query(&out, "SELECT 1");
        wire_add_sync(&out);
        wire_add_execute(&out);
    }
    for (int i = 0; i < 30000; i++) {
        assert_int_equal(out.bytes[at], "QSE"[i % 3]);
        at += 1 + wire_load32(out.bytes + at + 1);
    }
    assert_int_equal(at, out.length);
    wire_out_close(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_messages),
        cmocka_unit_test(parse),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(numbers_out_of_range),
        cmocka_unit_test(reals),
        cmocka_unit_test(texts_and_null),
        cmocka_unit_test(arrays),
        cmocka_unit_test(several_parameters),
        cmocka_unit_test(the_longest_values_have_room),
        cmocka_unit_test(many_messages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
