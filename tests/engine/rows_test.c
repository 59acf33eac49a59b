/*
 * rows_test.c - kept rows: what comes off the wire is read back as text and numbers, stays where it
 * is until the attempt ends, and nonsense is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/rows.h"

static void put(struct text *body, int32_t number, int bytes)
{
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8)
        text_add_char(body, (char)(number >> shift));
}

/* A DataRow of texts, NULL for NULL. Owned by the caller, exactly as long as it is. */
static struct wire_message make_row(const char *const *fields, int count)
{
    struct wire_message message = { .type = 'D' };
    struct text body;
    unsigned char *bytes;

    text_init(&body, 1 << 24);
    put(&body, count, 2);
    for (int i = 0; i < count; i++) {
        put(&body, fields[i] != NULL ? (int32_t)strlen(fields[i]) : -1, 4);
        if (fields[i] != NULL)
            text_add(&body, fields[i]);
    }
    bytes = memory_make(body.length, 1);
    memcpy(bytes, body.bytes, body.length);
    message.body = bytes;
    message.size = (int32_t)body.length;
    text_close(&body);
    return message;
}

static void free_row(struct wire_message *message)
{
    memory_free((void *)(uintptr_t)message->body);
}

static bool add(struct rows_store *store, struct rows *rows, const char *const *fields, int count)
{
    struct wire_message message = make_row(fields, count);
    bool fine;

    if (rows->kept++ == 0)
        rows->first = store->row_count;
    rows->store = store;
    rows->count++;
    fine = rows_store_add(store, &message);
    free_row(&message);
    return fine;
}

static void reads_what_came(void **state)
{
    const char *const first[] = { "hello", NULL, "", "-17", "2.5", "9223372036854775807" };
    const char *const second[] = { NULL, "x", NULL, "0", "-1e3", "-9223372036854775808" };
    struct rows_store store = { 0 };
    struct rows rows = { 0 };

    (void)state;
    assert_true(add(&store, &rows, first, 6));
    assert_true(add(&store, &rows, second, 6));
    assert_int_equal(rows_count(&rows), 2);
    assert_string_equal(rows_text(&rows, 0, 0), "hello");
    assert_null(rows_text(&rows, 0, 1));
    assert_true(rows_null(&rows, 0, 1));
    assert_false(rows_null(&rows, 0, 2));
    assert_string_equal(rows_text(&rows, 0, 2), "");
    assert_int_equal(rows_whole(&rows, 0, 3), -17);
    assert_true(rows_real(&rows, 0, 4) == 2.5);
    assert_true(rows_whole(&rows, 0, 5) == INT64_MAX);
    assert_null(rows_text(&rows, 1, 0));
    assert_string_equal(rows_text(&rows, 1, 1), "x");
    assert_int_equal(rows_whole(&rows, 1, 0), 0);
    assert_true(rows_real(&rows, 1, 2) == 0);
    assert_true(rows_real(&rows, 1, 4) == -1000);
    assert_true(rows_whole(&rows, 1, 5) == INT64_MIN);
    rows_store_close(&store);
}

static void hundredths_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t hundredths;
    } cases[] = {
        { "0", 0 },
        { "1", 100 },
        { "12.34", 1234 },
        { "-12.34", -1234 },
        { "0.1", 10 },
        { "-0.05", -5 },
        { ".5", 50 },
        { "7.", 700 },
        { "1.239", 123 },
        { "300000.00", 30000000 },
        { "92233720368547758.07", INT64_MAX },
    };
    struct rows_store store = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rows rows = { 0 };
        assert_true(add(&store, &rows, (const char *const[]){ cases[i].text, NULL }, 2));
        assert_true(rows_hundredths(&rows, 0, 0) == cases[i].hundredths);
        assert_int_equal(rows_hundredths(&rows, 0, 1), 0);
    }
    rows_store_close(&store);
}

/* Texts are lent until the attempt ends: later rows must not move them. */
static void rows_stay_where_they_are(void **state)
{
    enum { MANY = 5000 };
    static const char *early[MANY];
    struct rows_store store = { 0 };
    char text[32];

    (void)state;
    for (int attempt = 0; attempt < 3; attempt++) {
        struct rows first = { 0 }, second = { 0 };
        for (int i = 0; i < MANY; i++) {
            struct rows *rows = i < MANY / 2 ? &first : &second;
            snprintf(text, sizeof text, "row %d", i);
            assert_true(add(&store, rows, (const char *const[]){ text, "more" }, 2));
            early[i] = rows_text(rows, i % (MANY / 2), 0);
        }
        for (int i = 0; i < MANY; i++) {
            snprintf(text, sizeof text, "row %d", i);
            assert_string_equal(early[i], text);
            assert_ptr_equal(rows_text(i < MANY / 2 ? &first : &second, i % (MANY / 2), 0),
                             early[i]);
        }
        rows_store_reset(&store);
        assert_int_equal(store.row_count, 0);
    }
    rows_store_close(&store);
}

/* Once warm, nothing is allocated. */
static void a_warm_store_keeps_its_block(void **state)
{
    struct rows_store store = { 0 };
    struct rows_block *block = NULL;

    (void)state;
    for (int attempt = 0; attempt < 20; attempt++) {
        struct rows rows = { 0 };
        for (int i = 0; i < 300; i++)
            assert_true(add(&store, &rows, (const char *const[]){ "0123456789" }, 1));
        if (attempt > 5)
            assert_ptr_equal(store.block, block);
        block = store.block;
        rows_store_reset(&store);
    }
    rows_store_close(&store);
}

static void long_rows(void **state)
{
    size_t length = 3 << 20;
    char *text = memory_make(length + 1, 1);
    struct rows_store store = { 0 };
    struct rows rows = { 0 };

    (void)state;
    memset(text, 'x', length);
    for (int i = 0; i < 4; i++)
        assert_true(add(&store, &rows, (const char *const[]){ "a", text, "z" }, 3));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(strlen(rows_text(&rows, i, 1)), length);
        assert_string_equal(rows_text(&rows, i, 2), "z");
    }
    rows_store_close(&store);
    memory_free(text);
}

static void many_short_fields(void **state)
{
    enum { COLUMNS = 1600 };
    const char *fields[COLUMNS];
    struct rows_store store = { 0 };
    struct rows rows = { 0 };

    (void)state;
    for (int i = 0; i < COLUMNS; i++)
        fields[i] = i % 3 == 0 ? NULL : i % 3 == 1 ? "" : "7";
    for (int row = 0; row < 10; row++)
        assert_true(add(&store, &rows, fields, COLUMNS));
    for (int i = 0; i < COLUMNS; i++) {
        assert_int_equal(rows_null(&rows, 9, i), i % 3 == 0);
        assert_int_equal(rows_whole(&rows, 9, i), i % 3 == 2 ? 7 : 0);
    }
    assert_true(add(&store, &rows, fields, 0)); /* SELECT FROM t */
    rows_store_close(&store);
}

/* Every cut and every byte changed of a good row: refused or read, never beyond its end. */
static void malformed_rows(void **state)
{
    const char *const fields[] = { "hello", NULL, "42" };
    struct wire_message good = make_row(fields, 3);
    struct rows_store store = { 0 };

    (void)state;
    for (int32_t size = 0; size < good.size; size++) {
        struct wire_message cut = { .type = 'D', .size = size };
        unsigned char *bytes = memory_make((size_t)size + 1, 1);
        unsigned char *tight = size > 0 ? memory_resize(NULL, (size_t)size) : NULL;

        if (size > 0)
            memcpy(tight, good.body, (size_t)size);
        cut.body = tight != NULL ? tight : bytes;
        assert_false(rows_store_add(&store, &cut));
        memory_free(bytes);
        memory_free(tight);
    }
    for (int32_t at = 0; at < good.size; at++) {
        for (int value = 0; value < 256; value += 51) {
            struct wire_message bad = make_row(fields, 3);
            unsigned char *bytes = (unsigned char *)(uintptr_t)bad.body;

            bytes[at] = (unsigned char)value;
            rows_store_add(&store, &bad);
            free_row(&bad);
        }
    }
    free_row(&good);
    rows_store_close(&store);
}

static void too_much_is_refused(void **state)
{
    size_t length = 100 << 20;
    int added;
    unsigned char *body = memory_make(length + 6, 1);
    struct wire_message message = { .type = 'D', .body = body, .size = (int32_t)length + 6 };
    struct rows_store store = { 0 };

    (void)state;
    body[1] = 1;
    for (int i = 0; i < 4; i++)
        body[2 + i] = (unsigned char)(length >> (24 - 8 * i));
    for (added = 0; added < 3 && rows_store_add(&store, &message); added++)
        ;
    assert_in_range(added, 1, 2);
    rows_store_close(&store);
    memory_free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_came),
        cmocka_unit_test(hundredths_are_exact),
        cmocka_unit_test(rows_stay_where_they_are),
        cmocka_unit_test(a_warm_store_keeps_its_block),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(many_short_fields),
        cmocka_unit_test(malformed_rows),
        cmocka_unit_test(too_much_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
