/*
 * hlog_test.c - what we write we read, known bytes, and hostile input. That another tool reads the
 * same is hlog_check.mjs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "recorder/base64.h"
#include "recorder/recorder.h"

static struct text encoded;
static struct histogram *histogram, *back;

static int set_up(void **state)
{
    (void)state;
    text_init(&encoded, HISTOGRAM_ENCODED_MAX);
    histogram = histogram_new();
    back = histogram_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    text_close(&encoded);
    histogram_free(histogram);
    histogram_free(back);
    return 0;
}

static void encode(void)
{
    text_clear(&encoded);
    histogram_encode(histogram, &encoded);
}

static void comes_back(void)
{
    int64_t max_ns = histogram->max_ns < HISTOGRAM_MAX_NS ? histogram->max_ns : HISTOGRAM_MAX_NS;

    encode();
    assert_true(histogram_decode(back, encoded.bytes));
    assert_int_equal(back->count, histogram->count);
    assert_int_equal(back->overflow, 0);
    assert_memory_equal(back->cells, histogram->cells, sizeof back->cells);
    if (histogram->count > 0) {
        assert_int_equal(histogram_cell(back->max_ns), histogram_cell(max_ns));
        assert_int_equal(histogram_cell(back->min_ns), histogram_cell(histogram->min_ns));
    }
}

static void ours_comes_back(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, 3, 3, 3);
    comes_back(); /* empty */
    histogram_record(histogram, 0);
    comes_back();
    histogram_record(histogram, 2);
    comes_back();
    for (int i = 0; i < 10000; i++)
        histogram_record(histogram, (int64_t)exp2(43 * rng_unit(&rng)) - 1);
    comes_back();
    for (int i = 0; i < 10000; i++)
        histogram_record(histogram, rng_between(&rng, 100000, 200000));
    comes_back();
    assert_true(fabs(histogram_mean_ns(back) / histogram_mean_ns(histogram) - 1) < 1.0 / 1024);
    histogram_record(histogram, 3 * 3600 * NS_PER_S);
    comes_back();
}

/* Counts of every length that LEB128 can take, the ninth byte included. */
static void long_counts_come_back(void **state)
{
    (void)state;
    for (int bit = 0; bit < 63; bit++) {
        histogram_reset(histogram);
        histogram_record(histogram, 1);
        histogram->cells[1] = histogram->count = (INT64_C(1) << bit) + (bit > 1);
        comes_back();
    }
    histogram_reset(histogram);
}

static void the_worst_case_fits(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, 4, 4, 4);
    for (int cell = 0; cell < HISTOGRAM_CELLS; cell++) {
        histogram->cells[cell] = (int64_t)(rng_next(&rng) >> 2);
        histogram->count = 1;
    }
    histogram->min_ns = 0;
    histogram->max_ns = HISTOGRAM_MAX_NS;
    encode(); /* a text beyond its limit would abort */
    assert_true(encoded.length > 3 * HISTOGRAM_ENCODED_MAX / 4);
    assert_false(histogram_decode(back, encoded.bytes)); /* sums do not fit */
    assert_int_equal(back->count, 0);
}

/* ---- hostile input ---- */

static void put32(unsigned char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(number >> (24 - 8 * i));
}

/* What a header says, right or wrong. */
struct claim {
    uint32_t digits, offset;
    uint32_t more_plain, more_packed; /* added to the true lengths */
};

static const struct claim honest = { .digits = 3 };

/* Packs header and payload; true when it decodes. */
static bool decodes(const unsigned char *payload, size_t length, struct claim claim)
{
    unsigned char plain[512] = { 0 }, packed[1024];
    uLongf packed_length = sizeof packed - 8;

    assert_true(length <= sizeof plain - 40);
    put32(plain, 0x1c849313);
    put32(plain + 4, (uint32_t)length + claim.more_plain);
    put32(plain + 8, claim.offset);
    put32(plain + 12, claim.digits);
    plain[23] = 1;
    put32(plain + 28, 0x7fffffff);
    memcpy(plain + 40, payload, length);
    assert_int_equal(compress(packed + 8, &packed_length, plain, 40 + length), Z_OK);
    put32(packed, 0x1c849314);
    put32(packed + 4, (uint32_t)packed_length + claim.more_packed);
    text_clear(&encoded);
    base64_add(&encoded, packed, 8 + packed_length);
    return histogram_decode(back, encoded.bytes);
}

static void payloads_are_checked(void **state)
{
    static const unsigned char one_at_five[] = { 9, 2 }; /* -5, then 1 */
    static const unsigned char cut[] = { 0x82 };
    static const unsigned char run_to_the_end[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
                                                    0xff, 0xff, 0xff, 0xff };
    static const unsigned char huge[] = {
        0x07, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f
    };
    static const struct claim wrong[] = { { .digits = 2 },
                                          { .digits = 3, .offset = 1024 },
                                          { .digits = 3, .more_plain = 1 },
                                          { .digits = 3, .more_plain = 0x7fffffff },
                                          { .digits = 3, .more_packed = 1 },
                                          { .digits = 3, .more_packed = 0x7fffffff } };
    unsigned char runs[400];

    (void)state;
    assert_true(decodes(one_at_five, 2, honest));
    assert_int_equal(back->count, 1);
    assert_int_equal(back->min_ns, 5);
    assert_int_equal(back->max_ns, 5);
    assert_true(decodes(one_at_five, 2, (struct claim){ .digits = 3, .offset = 1 }));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(decodes(one_at_five, 2, wrong[i]));
    assert_false(decodes(cut, 1, honest));
    assert_false(decodes(run_to_the_end, 9, honest));
    assert_false(decodes(huge, sizeof huge, honest));
    memset(runs, 0xff, sizeof runs); /* runs of 8192, which is (0xff, 0x7f) */
    for (size_t i = 1; i < sizeof runs; i += 2)
        runs[i] = 0x7f;
    assert_false(decodes(runs, sizeof runs, honest));
    assert_int_equal(back->count, 0);
    assert_int_equal(back->sum_ns, 0);
}

/* Three counts in a cell, whether or not we have it; true when it decodes. */
static bool three_at(uint32_t cell)
{
    uint32_t run = 2 * cell - 1;
    unsigned char payload[] = { (unsigned char)((run & 127) | 128),
                                (unsigned char)((run >> 7 & 127) | 128), (unsigned char)(run >> 14),
                                6 };

    return decodes(payload, sizeof payload, honest);
}

/* Another tool may tell longer times than we do: they are overflow, not lost. */
static void cells_beyond_ours_are_overflow(void **state)
{
    (void)state;
    assert_true(three_at(HISTOGRAM_CELLS - 1));
    assert_int_equal(back->overflow, 0);
    assert_int_equal(back->max_ns, HISTOGRAM_MAX_NS);
    assert_true(three_at(HISTOGRAM_CELLS + 1024));
    assert_int_equal(back->count, 3);
    assert_int_equal(back->overflow, 3);
    assert_true(back->min_ns > HISTOGRAM_MAX_NS);
    assert_int_equal(back->cells[HISTOGRAM_CELLS - 1], 3);
    assert_int_equal(histogram_percentile_ns(back, 50), back->max_ns);
    assert_false(three_at(54 * 1024)); /* beyond 2^63 */
    assert_false(three_at(54 * 1024 + 1));
}

static void truncated_ones_are_refused(void **state)
{
    char *copy;

    (void)state;
    for (int i = 0; i < 200; i++)
        histogram_record(histogram, i * 997);
    encode();
    copy = memory_text(encoded.bytes);
    for (size_t length = encoded.length; length-- > 0;) {
        copy[length] = '\0';
        assert_false(histogram_decode(back, copy));
        assert_int_equal(back->count, 0);
    }
    memory_free(copy);
}

/* Random words, and right ones with random bytes changed: whatever happens, no sanitizer speaks and
 * a refused one leaves nothing. */
static void noise_never_harms(void **state)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    struct rng rng;
    char noise[200];

    (void)state;
    rng_init(&rng, 5, 5, 5);
    for (int round = 0; round < 3000; round++) {
        size_t length = (size_t)rng_between(&rng, 0, sizeof noise - 1);

        for (size_t i = 0; i < length; i++)
            noise[i] = digits[rng_between(&rng, 0, sizeof digits - 2)];
        noise[length] = '\0';
        assert_false(histogram_decode(back, noise));
    }
    for (int round = 0; round < 1000; round++) {
        unsigned char payload[400];
        size_t length = (size_t)rng_between(&rng, 0, sizeof payload);

        for (size_t i = 0; i < length; i++)
            payload[i] = (unsigned char)rng_between(&rng, 0, round % 2 ? 255 : 140);
        if (!decodes(payload, length, honest))
            assert_int_equal(back->count, 0);
        text_close(&encoded);
        text_init(&encoded, HISTOGRAM_ENCODED_MAX);
        histogram_encode(back, &encoded);
    }
}

/* ---- the log ---- */

static void lines_are_as_the_format_says(void **state)
{
    const char *expected = "#[Histogram log format version 1.3]\n"
                           "#[Values in ns, times in s, Interval_Max in ms]\n"
                           "#[StartTime: 1441812279.474 (seconds since epoch), "
                           "2015-09-09T15:24:39.474Z]\n"
                           "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                           "\"Interval_Compressed_Histogram\"\n";

    (void)state;
    text_clear(&encoded);
    hlog_header(&encoded, INT64_C(1441812279474000000));
    assert_string_equal(encoded.bytes, expected);
    text_clear(&encoded);
    histogram_record(histogram, 2500000);
    hlog_line(&encoded, "measure/new order,x", 1.5, 1, histogram);
    assert_memory_equal(encoded.bytes, "Tag=measure/new_order_x,1.500,1.000,2.500,HIST", 46);
    assert_int_equal(encoded.bytes[encoded.length - 1], '\n');
    text_clear(&encoded);
    hlog_line(&encoded, NULL, 0, 1, histogram);
    assert_memory_equal(encoded.bytes, "0.000,1.000,2.500,HIST", 22);
}

#define HLOG_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HLOG_TEST(ours_comes_back),
        HLOG_TEST(long_counts_come_back),
        HLOG_TEST(the_worst_case_fits),
        HLOG_TEST(payloads_are_checked),
        HLOG_TEST(cells_beyond_ours_are_overflow),
        HLOG_TEST(truncated_ones_are_refused),
        HLOG_TEST(noise_never_harms),
        HLOG_TEST(lines_are_as_the_format_says),
    };

    return cmocka_run_group_tests_name("hlog", tests, NULL, NULL);
}
