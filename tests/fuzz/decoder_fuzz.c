/*
 * decoder_fuzz.c - whatever a server sends, however it is cut: no byte is read that is not there,
 * and the pieces make no difference.
 *
 * The first byte seeds the cutting, the rest is what the server sends. The bytes go through a
 * connection twice, in one piece and in many; both must see the same messages and the same end.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "wire/wire_private.h"

#define INPUT_MAX 65536

/* What was seen, in one number. */
static void note(uint64_t *seen, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < length; i++)
        *seen = (*seen ^ at[i]) * UINT64_C(1099511628211);
    *seen = (*seen ^ length) * UINT64_C(1099511628211);
}

static void note_text(uint64_t *seen, const char *text)
{
    note(seen, text, strlen(text));
}

static void read_row(const struct wire_message *message, uint64_t *seen)
{
    const unsigned char *at = NULL, *bytes;
    int left = -1;
    int32_t length;

    while (wire_read_field(message, &at, &left, &bytes, &length)) {
        must(length >= 0 && left >= 0);
        if (bytes != NULL)
            note(seen, bytes, (size_t)length);
    }
    must(left == 0 || left == -2);
}

/* Every decoder on every message: a client may be wrong about what it gets. */
static void read_message(const struct wire_message *given, uint64_t *seen)
{
    unsigned char *body = memory_make((size_t)given->size, 1); /* of exactly its size, for ASan */
    struct wire_message message = { given->type, body, given->size };
    struct wire_error error;
    struct wire_shape shape;
    int64_t rows;
    char letter;

    memcpy(body, given->body, (size_t)given->size);
    note(seen, &given->type, 1);
    note(seen, body, (size_t)given->size);
    if (wire_read_error(&message, &error)) {
        note_text(seen, error.severity);
        note_text(seen, error.sqlstate);
        note_text(seen, error.message);
        note_text(seen, error.detail);
        note_text(seen, error.hint);
        must(strlen(error.sqlstate) == 0 || strlen(error.sqlstate) == 5);
    }
    if (wire_read_complete(&message, &rows, &letter))
        must(rows >= -1 && strchr("SIUDMCOR", letter) != NULL && letter != '\0');
    if (wire_read_ready(&message, &letter))
        must(letter == 'I' || letter == 'T' || letter == 'E');
    if (wire_read_parameters(&message, &shape))
        must(shape.param_count >= 0 && shape.param_count <= WIRE_PARAMS_MAX);
    read_row(&message, seen);
    memory_free(body);
}

static void listen_once(struct wire *wire, struct wire_in *in, uint64_t *seen)
{
    struct wire_message message;

    do {
        if (wire_receive(wire, in) != WIRE_OK)
            return;
        while (wire_next(wire, &message)) {
            must(message.size >= 0);
            read_message(&message, seen);
        }
        wire_done_reading(wire);
    } while (wire_more(wire) && !wire_lost(wire));
}

/* Sends in pieces of up to `piece` bytes, cut by a small generator; gives what was seen. */
static uint64_t converse(const unsigned char *bytes, size_t size, size_t piece, unsigned seed)
{
    struct wire_in in = { .size = 8192 }; /* small, so that it fills */
    struct wire *wire;
    uint64_t seen = 0;
    int fds[2];

    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
    in.bytes = memory_make(in.size, 1);
    wire = wire_new_plain(fds[0]);
    for (size_t at = 0, part; at < size; at += part) {
        seed = seed * 1103515245 + 12345;
        part = 1 + (seed >> 16) % piece;
        if (part > size - at)
            part = size - at;
        must(write(fds[1], bytes + at, part) == (ssize_t)part);
        listen_once(wire, &in, &seen);
        if (wire_lost(wire))
            break;
    }
    note_text(&seen, wire_lost_code(wire));
    close(fds[1]);
    listen_once(wire, &in, &seen);
    must(wire_lost(wire) && wire_lost_text(wire)[0] != '\0');
    note_text(&seen, wire_lost_code(wire));
    wire_close(wire);
    wire_in_close(&in);
    return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1 || size > INPUT_MAX)
        return 0;
    must(converse(bytes + 1, size - 1, INPUT_MAX, 0) ==
         converse(bytes + 1, size - 1, 1 + bytes[0] % 64u, bytes[0]));
    return 0;
}
