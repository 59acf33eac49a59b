/*
 * base64_test.c - the vectors of RFC 4648, all lengths there and back, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "recorder/base64.h"

static void vectors_of_the_rfc(void **state)
{
    static const char *const pairs[][2] = {
        { "f", "Zg==" },        { "fo", "Zm8=" },        { "foo", "Zm9v" },
        { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
    };
    unsigned char bytes[16];
    size_t count;

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct text text;

        text_init(&text, 100);
        base64_add(&text, (const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(text.bytes, pairs[i][1]);
        assert_true(base64_read(text.bytes, text.length, bytes, &count));
        assert_int_equal(count, strlen(pairs[i][0]));
        assert_memory_equal(bytes, pairs[i][0], count);
        text_close(&text);
    }
}

static void all_lengths_come_back(void **state)
{
    unsigned char bytes[256], back[256 + 3];
    struct text text;
    struct rng rng;

    (void)state;
    rng_init(&rng, 1, 2, 3);
    text_init(&text, 1000);
    for (size_t length = 1; length <= sizeof bytes; length++) {
        size_t count;

        for (size_t i = 0; i < length; i++)
            bytes[i] = (unsigned char)rng_between(&rng, 0, 255);
        text_clear(&text);
        base64_add(&text, bytes, length);
        assert_true(base64_read(text.bytes, text.length, back, &count));
        assert_int_equal(count, length);
        assert_memory_equal(back, bytes, length);
    }
    text_close(&text);
}

static void others_are_refused(void **state)
{
    static const char *const wrong[] = { "",         "A",      "AA",       "AAA",
                                         "A===",     "====",   "AA=A",     "=AAA",
                                         "AAAA====", "AA-A",   "AA_A",     "AA A",
                                         "AAA\n",    "AAAA\n", "AA==AAAA", "\x80\x80\x80\x80" };
    unsigned char bytes[16];
    size_t count;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(base64_read(wrong[i], strlen(wrong[i]), bytes, &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_the_rfc),
        cmocka_unit_test(all_lengths_come_back),
        cmocka_unit_test(others_are_refused),
    };

    return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
