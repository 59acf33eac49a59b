/*
 * line.h - a wire connection used the blocking way, for tests.
 */
#ifndef WIRE_TEST_LINE_H
#define WIRE_TEST_LINE_H

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/wire.h"

#define LINE_WAIT_MS 20000

struct line {
    struct wire *wire;
    struct wire_in in;
    struct wire_out out;
    /* of the last line_ask() */
    int rows, completes, notices, errors;
    int64_t tag_rows;
    char first[64]; /* the first field of the last row, cut; "" for NULL */
    int32_t first_length;
    char sqlstate[6];
    char status;
    struct wire_shape shape; /* of ParameterDescription */
    bool lost;
};

static inline struct line line_open(const char *conninfo)
{
    struct error err = { 0 };
    struct line line = { 0 };
    PGconn *conn = PQconnectdb(conninfo);

    line.wire = wire_open(conn, &err);
    if (line.wire == NULL)
        fail_msg("%s", err.text);
    return line;
}

static inline void line_close(struct line *line)
{
    wire_close(line->wire);
    wire_in_close(&line->in);
    wire_out_close(&line->out);
}

static inline void line_wait(struct line *line, enum wire_state state, bool writing)
{
    short events = state == WIRE_WANT_WRITE ? POLLOUT : state == WIRE_WANT_READ ? POLLIN : 0;
    struct pollfd one = { .fd = wire_fd(line->wire), .events = events };

    if (events == 0)
        return;
    if (writing)
        one.events |= POLLIN; /* a server that is full itself wants to be read */
    if (poll(&one, 1, LINE_WAIT_MS) != 1)
        fail_msg("the server did not answer within %d ms", LINE_WAIT_MS);
}

static inline void line_hear(struct line *line, const struct wire_message *message)
{
    const unsigned char *at = NULL, *bytes;
    struct wire_error error;
    int left = -1;
    char kind;

    switch (message->type) {
    case 'D':
        line->rows++;
        line->first[0] = '\0';
        if (wire_read_field(message, &at, &left, &bytes, &line->first_length) && bytes != NULL)
            snprintf(line->first, sizeof line->first, "%.*s", (int)line->first_length,
                     (const char *)bytes);
        while (wire_read_field(message, &at, &left, &bytes, &(int32_t){ 0 }))
            ;
        assert_int_equal(left, 0);
        break;
    case 'C':
        line->completes++;
        assert_true(wire_read_complete(message, &line->tag_rows, &kind));
        break;
    case 'E':
    case 'N':
        assert_true(wire_read_error(message, &error));
        if (message->type == 'N') {
            line->notices++;
        } else {
            line->errors++;
            snprintf(line->sqlstate, sizeof line->sqlstate, "%s", error.sqlstate);
        }
        break;
    case 't':
        assert_true(wire_read_parameters(message, &line->shape));
        break;
    case 'Z':
        assert_true(wire_read_ready(message, &line->status));
        break;
    default:
        break;
    }
}

/* Sends what was encoded and hears until `readies` ReadyForQuery have come, or the end. */
static inline void line_ask(struct line *line, int readies)
{
    struct wire_message message;
    enum wire_state sending = wire_flush(line->wire, &line->out), state;

    line->rows = line->completes = line->notices = line->errors = 0;
    line->first[0] = line->sqlstate[0] = line->status = '\0';
    line->tag_rows = -1;
    while (readies > 0 && !line->lost) {
        state = wire_receive(line->wire, &line->in);
        while (state == WIRE_OK && wire_next(line->wire, &message)) {
            line_hear(line, &message);
            readies -= message.type == 'Z';
        }
        if (state == WIRE_OK)
            wire_done_reading(line->wire);
        line->lost = state == WIRE_LOST || sending == WIRE_LOST || wire_lost(line->wire);
        if (sending == WIRE_WANT_WRITE || sending == WIRE_WANT_READ) {
            if (state != WIRE_OK)
                line_wait(line, sending, true);
            sending = wire_flush(line->wire, &line->out);
        } else if (readies > 0 && !line->lost && !wire_more(line->wire)) {
            line_wait(line, state == WIRE_OK ? WIRE_WANT_READ : state, false);
        }
    }
}

/* Parse, Bind, Execute and Sync of an unnamed statement with the types that the server infers. */
static inline void line_unnamed(struct line *line, const char *sql, const struct wire_shape *shape,
                                const struct value *values, int count)
{
    wire_add_parse(&line->out, &wire_unnamed, sql, shape);
    wire_add_bind(&line->out, &wire_unnamed, shape, values, count);
    wire_add_execute(&line->out);
    wire_add_sync(&line->out);
    line_ask(line, 1);
}

static inline void line_simple(struct line *line, const char *sql)
{
    wire_add_query(&line->out, sql);
    line_ask(line, 1);
}

#endif
