/*
 * decode_test.c - bodies that are right, cut short at every byte, or made to deceive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "wire/wire_private.h"

/* A body in memory of exactly its size, so that ASan sees a byte too far. */
static struct wire_message message_of(char type, const char *bytes, size_t length)
{
    struct wire_message message = { .type = type, .size = (int32_t)length };
    unsigned char *body = memory_make(length, 1);

    memcpy(body, bytes, length);
    message.body = body;
    return message;
}
#define MESSAGE(type, words) message_of((type), (words), sizeof(words) - 1)

static void drop(struct wire_message *message)
{
    unsigned char *body;

    memcpy(&body, &message->body, sizeof body);
    memory_free(body);
}

static void errors(void **state)
{
    struct wire_message message =
        MESSAGE('E', "SFEHLER\0VERROR\0C40001\0Mcould not\0Ddetail\0Hhint\0P12\0Xnew\0\0");
    struct wire_error error;

    (void)state;
    assert_true(wire_read_error(&message, &error));
    assert_string_equal(error.severity, "ERROR");
    assert_string_equal(error.sqlstate, "40001");
    assert_string_equal(error.message, "could not");
    assert_string_equal(error.detail, "detail");
    assert_string_equal(error.hint, "hint");
    for (; message.size > 0;) { /* and every beginning of it is refused */
        message.size--;
        assert_false(wire_read_error(&message, &error));
    }
    drop(&message);
    message = MESSAGE('E', "SFATAL\0C57P01\0\0");
    assert_true(wire_read_error(&message, &error));
    assert_string_equal(error.severity, "FATAL");
    assert_string_equal(error.message, "");
    drop(&message);
}

static void hostile_errors(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } bad[] = {
        { "C4000\0\0", 7 },
        { "C400011\0\0", 9 },
        { "C4000\x1b\0\0", 8 },
        { "C40001\0\0x", 9 },
        { "M", 1 },
        { "Mabc", 4 },
        { "", 0 },
        { "\0\0", 2 },
        { "C\x1b[2J\0\0", 7 },
    };
    struct wire_error error;

    (void)state;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        struct wire_message message = message_of('E', bad[i].bytes, bad[i].length);

        assert_false(wire_read_error(&message, &error));
        drop(&message);
    }
}

static void completes(const char *tag, size_t length, bool fine, int64_t rows, char kind)
{
    struct wire_message message = message_of('C', tag, length);
    int64_t rows_found;
    char kind_found;

    assert_int_equal(wire_read_complete(&message, &rows_found, &kind_found), fine);
    if (fine) {
        assert_int_equal(rows_found, rows);
        assert_int_equal(kind_found, kind);
    }
    drop(&message);
}
#define COMPLETES(words, rows, kind) completes((words), sizeof(words), true, (rows), (kind))
#define REFUSED(words)               completes((words), sizeof(words) - 1, false, 0, 0)

static void command_tags(void **state)
{
    (void)state;
    COMPLETES("SELECT 5", 5, 'S');
    COMPLETES("SELECT 0", 0, 'S');
    COMPLETES("SELECT 123456789012345678", INT64_C(123456789012345678), 'S');
    COMPLETES("INSERT 0 1", 1, 'I');
    COMPLETES("UPDATE 12", 12, 'U');
    COMPLETES("DELETE 3", 3, 'D');
    COMPLETES("MERGE 4", 4, 'M');
    COMPLETES("COPY 9", 9, 'C');
    COMPLETES("ROLLBACK", -1, 'R');
    COMPLETES("BEGIN", -1, 'O');
    COMPLETES("COMMIT", -1, 'O');
    COMPLETES("SELECT", -1, 'O');
    COMPLETES("", -1, 'O');
    COMPLETES("FETCH 1", -1, 'O');
    COMPLETES("MOVE 1", -1, 'O');
    COMPLETES("ROLLBACK PREPARED", -1, 'O');
    COMPLETES("CREATE TABLE", -1, 'O');
    COMPLETES("S", -1, 'O');
    REFUSED("");
    REFUSED("SELECT 5");
    REFUSED("SELECT \0");
    REFUSED("SELECT 5x\0");
    REFUSED("SELECT x\0");
    REFUSED("SELECT -1\0");
    REFUSED("SELECT 1234567890123456789\0");
    REFUSED("SELECT 5\0\0");
    REFUSED("INSERT 0\0");
    REFUSED("INSERT 0 \0");
    REFUSED("INSERT  1\0");
    REFUSED("INSERT 01\0");
    REFUSED("BEG\0IN\0");
}

static void ready(void **state)
{
    struct wire_message message = MESSAGE('Z', "T");
    char status;

    (void)state;
    assert_true(wire_read_ready(&message, &status));
    assert_int_equal(status, 'T');
    message.size = 0;
    assert_false(wire_read_ready(&message, &status));
    drop(&message);
    message = MESSAGE('Z', "x");
    assert_false(wire_read_ready(&message, &status));
    drop(&message);
    message = MESSAGE('Z', "II");
    assert_false(wire_read_ready(&message, &status));
    drop(&message);
}

static void parameters(void **state)
{
    struct wire_message message = MESSAGE('t', "\0\x02\0\0\0\x17\0\0\x04\x12");
    struct wire_shape shape;
    unsigned char *most;

    (void)state;
    assert_true(wire_read_parameters(&message, &shape));
    assert_int_equal(shape.param_count, 2);
    assert_int_equal(shape.param_types[0], 23);
    assert_int_equal(shape.param_types[1], 1042);
    for (message.size--; message.size > 0; message.size--)
        assert_false(wire_read_parameters(&message, &shape));
    drop(&message);
    message = MESSAGE('t', "\0\0");
    assert_true(wire_read_parameters(&message, &shape));
    assert_int_equal(shape.param_count, 0);
    drop(&message);
    message = MESSAGE('t', "\0\x01\0\0\0\x17\0");
    assert_false(wire_read_parameters(&message, &shape));
    drop(&message);
    most = memory_make(2 + 4 * (WIRE_PARAMS_MAX + 1), 1);
    most[0] = (WIRE_PARAMS_MAX + 1) >> 8; /* well formed, but more than we hold */
    most[1] = (WIRE_PARAMS_MAX + 1) & 255;
    message = (struct wire_message){ 't', most, 2 + 4 * (WIRE_PARAMS_MAX + 1) };
    assert_false(wire_read_parameters(&message, &shape));
    most[0] = WIRE_PARAMS_MAX >> 8;
    most[1] = WIRE_PARAMS_MAX & 255;
    message.size -= 4;
    assert_true(wire_read_parameters(&message, &shape));
    memory_free(most);
}

static void fields(void **state)
{
    struct wire_message message = MESSAGE('D', "\0\x03\0\0\0\x02hi\xff\xff\xff\xff\0\0\0\0");
    const unsigned char *at = NULL, *bytes;
    int left = -1, count;
    int32_t length;

    (void)state;
    assert_true(wire_read_field(&message, &at, &left, &bytes, &length));
    assert_int_equal(length, 2);
    assert_memory_equal(bytes, "hi", 2);
    assert_true(wire_read_field(&message, &at, &left, &bytes, &length));
    assert_null(bytes);
    assert_true(wire_read_field(&message, &at, &left, &bytes, &length));
    assert_non_null(bytes);
    assert_int_equal(length, 0);
    assert_false(wire_read_field(&message, &at, &left, &bytes, &length));
    assert_int_equal(left, 0);
    for (message.size--; message.size >= 0; message.size--) {
        at = NULL;
        left = -1;
        count = 0;
        while (wire_read_field(&message, &at, &left, &bytes, &length))
            count++;
        assert_int_equal(left, -2);
        assert_true(count < 3);
    }
    drop(&message);
}

static void hostile_fields(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
    } bad[] = {
        { "\0\x01\x7f\xff\xff\xff", 6 },       /* longer than the message */
        { "\0\x01\xff\xff\xff\xfe", 6 },       /* negative, but not NULL */
        { "\0\x01\0\0\0\x01xy", 8 },           /* bytes behind the last field */
        { "\0\0x", 3 },                        /* and behind none */
        { "\xff\xff\xff\xff\xff\xff", 6 },     /* more fields than bytes */
        { "\0\x02\0\0\0\x05hello\0\0\0", 14 }, /* a length cut short */
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        struct wire_message message = message_of('D', bad[i].bytes, bad[i].length);
        const unsigned char *at = NULL, *bytes;
        int left = -1;
        int32_t length;

        while (wire_read_field(&message, &at, &left, &bytes, &length))
            assert_true(bytes == NULL || (length >= 0 && at <= message.body + message.size));
        assert_int_equal(left, -2);
        drop(&message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors),         cmocka_unit_test(hostile_errors),
        cmocka_unit_test(command_tags),   cmocka_unit_test(ready),
        cmocka_unit_test(parameters),     cmocka_unit_test(fields),
        cmocka_unit_test(hostile_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
