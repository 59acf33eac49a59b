/*
 * option_number_test.c - numbers as people write them, and as nobody should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/option_value.h"

#define S INT64_C(1000000000)

static const char *const hostile[] = {
    "",      " ",    "-",    "+",     ".",     "e",     "e5",  "1e",   "1e+",       "0x10",
    "inf",   "nan",  "1 ",   " 1",    "1,5",   "1..2",  "--1", "1kk",  "1kB5",      "ten",
    "1e5e5", "1s1",  "1h30", "%s%n",  "1\n",   "\x1b[", "1x",  "1ks",  "1\xc3\xa9", "\xff",
    "1h 2m", "1e,2", "0b1",  "1'000", "1_000", "s",     "kB",  "10 s", "1.2.3",     "1e1.5",
};

static void whole_numbers(void **state)
{
    static const struct {
        const char *text;
        int64_t number;
    } good[] = {
        { "0", 0 },
        { "10000", 10000 },
        { "10k", 10000 },
        { "1.5k", 1500 },
        { "2M", 2000000 },
        { "1e7", 10000000 },
        { "1.0", 1 },
        { "100e-2", 1 },
        { "+5", 5 },
        { "-5", -5 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "0e999999999", 0 },
        { "007", 7 },
    };
    static const char *const bad[] = { "1.5",          "9223372036854775808",  "1e19",
                                       "1e400",        "99999999999999999999", "1e-1",
                                       "1e99999999999" };
    int64_t number;

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++) {
        if (!option_read_whole(good[i].text, &number) || number != good[i].number)
            fail_msg("%s", good[i].text);
    }
    for (int i = 0; i < COUNT_OF(bad); i++)
        if (option_read_whole(bad[i], &number))
            fail_msg("%s is no whole number", bad[i]);
}

static void real_numbers(void **state)
{
    static const struct {
        const char *text;
        double number;
    } good[] = {
        { "0.1", 0.1 },
        { "99.99", 99.99 },
        { "1e3", 1000 },
        { "10k", 10000 },
        { "-2.5", -2.5 },
        { ".5", 0.5 },
        { "5.", 5 },
        { "1e-400", 0 },
        { "0.30000000000000004", 0.30000000000000004 },
        { "3.14159265358979323846264338327950288", 3.14159265358979323846 },
    };
    double number;

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++)
        if (!option_read_real(good[i].text, &number) || number != good[i].number)
            fail_msg("%s", good[i].text);
    assert_false(option_read_real("1e400", &number));
    assert_false(option_read_real("infinity", &number));
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {
        { "10", 10 * S },         { "0", 0 },
        { "250ms", S / 4 },       { "0.25", S / 4 },
        { "5min", 300 * S },      { "5m", 300 * S },
        { "1h", 3600 * S },       { "1h30min", 5400 * S },
        { "1h30m15s", 5415 * S }, { "2d", 172800 * S },
        { "7us", 7000 },          { "9ns", 9 },
        { "0.1s", S / 10 },       { "10S", 10 * S },
        { "1.5h", 5400 * S },
    };
    static const char *const bad[] = { "-1", "1e3", "9223372037", "99999999999999999999h",
                                       "9223372036s9223372036s" };
    int64_t ns;

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++)
        if (!option_read_duration(good[i].text, &ns) || ns != good[i].ns)
            fail_msg("%s", good[i].text);
    for (int i = 0; i < COUNT_OF(bad); i++)
        if (option_read_duration(bad[i], &ns))
            fail_msg("%s is no time", bad[i]);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        int64_t bytes;
    } good[] = {
        { "64", 64 },       { "64kB", 65536 }, { "8MB", 8 << 20 },
        { "1GB", 1 << 30 }, { "1.5kB", 1536 }, { "2TiB", INT64_C(2) << 40 },
        { "16k", 16384 },   { "3b", 3 },
    };
    static const char *const bad[] = { "-1", "8EB", "9999999999TB", "1MB1kB" };
    int64_t bytes;

    (void)state;
    for (int i = 0; i < COUNT_OF(good); i++)
        if (!option_read_size(good[i].text, &bytes) || bytes != good[i].bytes)
            fail_msg("%s", good[i].text);
    for (int i = 0; i < COUNT_OF(bad); i++)
        if (option_read_size(bad[i], &bytes))
            fail_msg("%s is no size", bad[i]);
}

static void percentile_lists(void **state)
{
    static const char *const bad[] = {
        "0",   "100.1", "50,,99",
        ",50", "50,",   "50;99",
        "p99", "-50",   "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"
    };
    struct percentiles list;

    (void)state;
    assert_true(option_read_percentiles("99.9,50,95,50", &list));
    assert_int_equal(list.count, 3);
    assert_true(list.percent[0] == 50 && list.percent[1] == 95 && list.percent[2] == 99.9);
    assert_true(option_read_percentiles("100", &list));
    assert_true(option_read_percentiles("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &list));
    for (int i = 0; i < COUNT_OF(bad); i++)
        if (option_read_percentiles(bad[i], &list))
            fail_msg("%s is no list", bad[i]);
}

/* Whatever is read: no reader may crash, and what none promises none may take. */
static void hostile_words_are_refused(void **state)
{
    struct percentiles list;
    int64_t whole;
    double real;

    (void)state;
    for (int i = 0; i < COUNT_OF(hostile); i++) {
        if (option_read_whole(hostile[i], &whole))
            fail_msg("whole: '%s'", hostile[i]);
        if (option_read_real(hostile[i], &real))
            fail_msg("real: '%s'", hostile[i]);
        if (strcmp(hostile[i], "1kB5") != 0 && option_read_size(hostile[i], &whole))
            fail_msg("size: '%s'", hostile[i]);
        if (option_read_duration(hostile[i], &whole))
            fail_msg("duration: '%s'", hostile[i]);
        if (strcmp(hostile[i], "1,5") != 0 && option_read_percentiles(hostile[i], &list))
            fail_msg("percentiles: '%s'", hostile[i]);
    }
}

static void random_words_do_no_harm(void **state)
{
    static const char letters[] = "0123456789999.eE+-kMGTBsmhdniu,xX \x01\xff";
    struct rng rng;

    (void)state;
    rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < 200000; i++) {
        struct percentiles list;
        char *word;
        int64_t whole, again;
        double real;
        int length = (int)rng_between(&rng, 0, 24);

        /* On the heap and exactly as long as it is, so that the sanitizers see a step too far. */
        word = test_malloc((size_t)length + 1);
        for (int j = 0; j < length; j++)
            word[j] = letters[rng_between(&rng, 0, (int64_t)sizeof letters - 2)];
        word[length] = '\0';
        if (option_read_whole(word, &whole)) {
            char digits[32];

            snprintf(digits, sizeof digits, "%lld", (long long)whole);
            assert_true(option_read_whole(digits, &again) && again == whole);
            /* A whole number is a number. */
            assert_true(option_read_real(word, &real) && (double)whole == real);
        }
        if (option_read_duration(word, &whole))
            assert_true(whole >= 0);
        if (option_read_size(word, &whole))
            assert_true(whole >= 0);
        if (option_read_percentiles(word, &list))
            assert_true(list.count > 0 && list.count <= PERCENTILES_MAX);
        test_free(word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(durations),
        cmocka_unit_test(sizes),
        cmocka_unit_test(percentile_lists),
        cmocka_unit_test(hostile_words_are_refused),
        cmocka_unit_test(random_words_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
