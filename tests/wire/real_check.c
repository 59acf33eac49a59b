/*
 * real_check.c - the take-over on a real PostgreSQL. tests/real/wire_test.py starts the server and
 * runs this once for each way to reach it: PGDYNO_WIRE_CONNINFO is the way, PGDYNO_WIRE_TLS the
 * version of TLS that it must turn out to be.
 */
#include "wire/line.h"

#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"

static const struct wire_name name_s1 = { "s1", 3 };

static const char *conninfo;

#define QUERIES 1000
#define BIG     (8 * 1000 * 1000)

static void tells_who_it_is(void **state)
{
    const char *tls = getenv("PGDYNO_WIRE_TLS");
    struct line line = line_open(conninfo);
    char pid[16];

    (void)state;
    line_simple(&line, "SELECT pg_backend_pid()");
    snprintf(pid, sizeof pid, "%d", wire_pid(line.wire));
    assert_string_equal(line.first, pid);
    assert_string_equal(wire_port(line.wire), PQport(wire_conn(line.wire)));
    assert_true(wire_host(line.wire)[0] != '\0');
    if (tls != NULL) {
        assert_string_equal(wire_tls_version(line.wire), tls);
        assert_true(wire_tls_cipher(line.wire)[0] != '\0');
    } else {
        assert_null(wire_tls_version(line.wire));
        assert_null(wire_tls_cipher(line.wire));
    }
    line_close(&line);
}

/* The server gone, told by whatever code the socket gives. */
static void no_connection_no_wire(void **state)
{
    struct error err = { 0 };

    (void)state;
    assert_null(wire_open(PQconnectdb("host=/nonexistent"), &err));
    assert_int_equal(err.kind, ERROR_SERVER);
    assert_true(err.text[0] != '\0' && err.text[strlen(err.text) - 1] != '\n');
}

static void prepared_and_unnamed_queries(void **state)
{
    struct wire_shape shape = { .param_count = 1, .param_types = { 23 } };
    struct line line = line_open(conninfo);
    char wanted[16];

    (void)state;
    wire_add_parse(&line.out, &name_s1, "SELECT $1 * 2", &shape);
    for (int i = 0; i < QUERIES; i++) {
        struct value value = value_whole(i - QUERIES / 2);

        snprintf(wanted, sizeof wanted, "%d", 2 * (i - QUERIES / 2));
        wire_add_bind(&line.out, &name_s1, &shape, &value, 1);
        wire_add_execute(&line.out);
        wire_add_sync(&line.out);
        line_ask(&line, 1);
        assert_string_equal(line.first, wanted);
        assert_int_equal(line.tag_rows, 1);
        line_unnamed(&line, "SELECT $1 * 2", &shape, &value, 1);
        assert_string_equal(line.first, wanted);
        if (i % 50 == 0) { /* an error, a notice, and all goes on */
            line_unnamed(&line, "SELECT 1 / ($1 - $1)", &shape, &value, 1);
            assert_string_equal(line.sqlstate, "22012");
            assert_int_equal(line.status, 'I');
            line_simple(&line, "DO $$BEGIN RAISE NOTICE 'n'; RAISE NOTICE 'm'; END$$");
            assert_int_equal(line.notices, 2);
        }
    }
    wire_add_close_statement(&line.out, &name_s1);
    wire_add_describe_statement(&line.out, &name_s1);
    wire_add_sync(&line.out);
    line_ask(&line, 1);
    assert_string_equal(line.sqlstate, "26000");
    line_close(&line);
}

static void pipelines(void **state)
{
    struct wire_shape shape = { .param_count = 1, .param_types = { 20 } };
    struct line line = line_open(conninfo);

    (void)state;
    for (int i = 0; i < QUERIES; i++) {
        struct value value = value_whole(i);

        wire_add_parse(&line.out, &wire_unnamed, "SELECT g FROM generate_series(1, $1) g", &shape);
        wire_add_bind(&line.out, &wire_unnamed, &shape, &value, 1);
        wire_add_execute(&line.out);
        if (i % 10 == 9)
            wire_add_sync(&line.out);
    }
    line_ask(&line, QUERIES / 10);
    assert_int_equal(line.completes, QUERIES);
    assert_int_equal(line.rows, QUERIES * (QUERIES - 1) / 2);
    line_close(&line);
}

static void transactions(void **state)
{
    struct line line = line_open(conninfo);

    (void)state;
    line_simple(&line, "BEGIN");
    assert_int_equal(line.status, 'T');
    line_simple(&line, "SELEC");
    assert_string_equal(line.sqlstate, "42601");
    assert_int_equal(line.status, 'E');
    line_simple(&line, "COMMIT");
    assert_int_equal(line.status, 'I');
    line_close(&line);
}

static const int64_t some[] = { 1, -2, 2147483647 }, wide[] = { INT64_MIN, 0, INT64_MAX };

/* Each value through Bind as the server describes the parameter, and as a literal: the same row. */
static const struct {
    const char *sql;
    struct value value;
    const char *row;
} trips[] = {
    { "SELECT $1::int4", { .kind = VALUE_WHOLE, .whole = INT32_MIN }, "-2147483648" },
    { "SELECT $1::int8", { .kind = VALUE_WHOLE, .whole = INT64_MIN }, "-9223372036854775808" },
    { "SELECT $1::int8", { .kind = VALUE_WHOLE, .whole = INT64_MAX }, "9223372036854775807" },
    { "SELECT $1::int2", { .kind = VALUE_WHOLE, .whole = -32768 }, "-32768" },
    { "SELECT $1::float8", { .kind = VALUE_WHOLE, .whole = -3 }, "-3" },
    { "SELECT $1::float8", { .kind = VALUE_REAL, .real = 0.1 }, "0.1" },
    { "SELECT $1::float8", { .kind = VALUE_REAL, .real = -2.5e-300 }, "-2.5e-300" },
    { "SELECT $1::numeric", { .kind = VALUE_REAL, .real = 12.34 }, "12.34" },
    { "SELECT $1::numeric", { .kind = VALUE_WHOLE, .whole = -12 }, "-12" },
    { "SELECT $1::text", { .kind = VALUE_TEXT, .length = 7, .text = "a'b\\c\"d" }, "a'b\\c\"d" },
    { "SELECT $1::text || '$1'", { .kind = VALUE_TEXT, .length = 1, .text = "x" }, "x$1" },
    { "SELECT -- it's $1\n $1::int4 /* $1 */", { .kind = VALUE_WHOLE, .whole = -7 }, "-7" },
    { "SELECT 5 -$1::int4", { .kind = VALUE_WHOLE, .whole = -7 }, "12" },
    { "SELECT $1::int4 IS NULL", { .kind = VALUE_NULL }, "t" },
    { "SELECT $1::int4[]",
      { .kind = VALUE_WHOLES, .length = 3, .wholes = some },
      "{1,-2,2147483647}" },
    { "SELECT $1::int4[]", { .kind = VALUE_WHOLES, .length = 0, .wholes = some }, "{}" },
    { "SELECT $1::int8[]",
      { .kind = VALUE_WHOLES, .length = 3, .wholes = wide },
      "{-9223372036854775808,0,9223372036854775807}" },
    { "SELECT $1::numeric[]",
      { .kind = VALUE_WHOLES, .length = 3, .wholes = some },
      "{1,-2,2147483647}" },
};

static void values_arrive(void **state)
{
    struct line line = line_open(conninfo);
    struct wire_shape shape;
    struct text text;

    (void)state;
    for (int i = 0; i < COUNT_OF(trips); i++) {
        wire_add_parse(&line.out, &wire_unnamed, trips[i].sql, NULL);
        wire_add_describe_statement(&line.out, &wire_unnamed);
        wire_add_sync(&line.out);
        line_ask(&line, 1);
        assert_int_equal(line.shape.param_count, 1);
        shape = line.shape;
        line_unnamed(&line, trips[i].sql, &shape, &trips[i].value, 1);
        assert_string_equal(line.first, trips[i].row);
        text_init(&text, 10000);
        wire_interpolate(&text, trips[i].sql, &trips[i].value, 1);
        line_simple(&line, text.bytes);
        text_close(&text);
        assert_string_equal(line.sqlstate, "");
        assert_string_equal(line.first, trips[i].row);
    }
    line_close(&line);
}

static void refuses(struct line *line, uint32_t type, struct value value, const char *sqlstate)
{
    struct wire_shape shape = { .param_count = 1, .param_types = { type } };

    line_unnamed(line, "SELECT $1", &shape, &value, 1);
    assert_string_equal(line->sqlstate, sqlstate);
    assert_int_equal(line->rows, 0);
}

/* What does not fit is refused by the server, never cut by us. */
static void values_out_of_range(void **state)
{
    struct line line = line_open(conninfo);

    (void)state;
    refuses(&line, 23, value_whole(INT64_C(1) << 32), "22003");
    refuses(&line, 21, value_whole(65536), "22003");
    refuses(&line, 16, value_whole(2), "22P02");
    refuses(&line, 1007, value_wholes(wide, 3), "22003");
    refuses(&line, 25, value_bytes("a\0b", 3), "22021");
    line_simple(&line, "SELECT E'\\000'");
    assert_string_equal(line.sqlstate, "22021");
    line_close(&line);
}

static void big_both_ways(void **state)
{
    struct wire_shape shape = { .param_count = 1, .param_types = { 25 } };
    struct line line = line_open(conninfo);
    char *text = memory_make(BIG + 1, 1);
    int small = 65536;

    (void)state;
    memset(text, 'x', BIG);
    /* Little room makes short writes. */
    setsockopt(wire_fd(line.wire), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    for (int i = 0; i < 3; i++) {
        struct value value = value_bytes(text, BIG - i);

        line_unnamed(&line, "SELECT length($1)", &shape, &value, 1);
        assert_int_equal(strtol(line.first, NULL, 10), BIG - i);
        line_unnamed(&line, "SELECT $1 FROM generate_series(1, 3)", &shape, &value, 1);
        assert_int_equal(line.rows, 3);
        assert_int_equal(line.first_length, BIG - i);
        line_simple(&line, "SELECT 1");
        assert_string_equal(line.first, "1");
    }
    memory_free(text);
    line_close(&line);
}

static void last_words_are_heard(void **state)
{
    struct line one = line_open(conninfo), other = line_open(conninfo);
    struct timespec moment = { 0, 200 * 1000 * 1000 };
    char sql[64];

    (void)state;
    snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d)", wire_pid(one.wire));
    line_simple(&other, sql);
    nanosleep(&moment, NULL);
    line_simple(&one, "SELECT 1");
    assert_true(one.lost);
    assert_string_equal(one.sqlstate, "57P01");
    assert_int_equal(strncmp(wire_lost_code(one.wire), "net:", 4), 0);
    line_simple(&one, "SELECT 1"); /* and that goes on being so */
    assert_true(one.lost);
    assert_int_equal(one.rows, 0);
    line_close(&one);
    line_close(&other);
}

/* Closing waits neither for the server nor for room, and leaves no backend. */
static void closing(void **state)
{
    struct line other = line_open(conninfo);
    char *text = memory_make(BIG + 1, 1), sql[96];
    int64_t begin_ns;

    (void)state;
    memset(text, 'x', BIG);
    for (int kind = 0; kind < 3; kind++) {
        struct line line = line_open(conninfo);

        snprintf(sql, sizeof sql, "SELECT count(*) FROM pg_stat_activity WHERE pid = %d",
                 wire_pid(line.wire));
        if (kind == 1) /* in mid-query */
            wire_add_query(&line.out, "SELECT pg_sleep(0.3)");
        if (kind == 2) { /* in mid-message */
            wire_add_query(&line.out, "SELECT pg_sleep(0.3)");
            wire_add_query(&line.out, text);
        }
        assert_true(wire_flush(line.wire, &line.out) != WIRE_LOST);
        begin_ns = clock_now_ns();
        line_close(&line);
        assert_true(clock_now_ns() - begin_ns < 200 * NS_PER_MS);
        begin_ns = clock_now_ns();
        do {
            line_simple(&other, sql);
        } while (strcmp(other.first, "0") != 0 && clock_now_ns() - begin_ns < 5 * NS_PER_S);
        assert_string_equal(other.first, "0");
    }
    memory_free(text);
    line_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_who_it_is),
        cmocka_unit_test(no_connection_no_wire),
        cmocka_unit_test(prepared_and_unnamed_queries),
        cmocka_unit_test(pipelines),
        cmocka_unit_test(transactions),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(values_out_of_range),
        cmocka_unit_test(big_both_ways),
        cmocka_unit_test(last_words_are_heard),
        cmocka_unit_test(closing),
    };

    conninfo = getenv("PGDYNO_WIRE_CONNINFO");
    if (conninfo == NULL)
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
