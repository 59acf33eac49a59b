/*
 * io.c - bytes to and from the kernel, and frames out of bytes.
 *
 * All connections of a thread share one buffer for sending and one for receiving. Only what the
 * kernel did not take, and a message that has not arrived whole, are copied into the connection.
 * When the peer has gone, sending still gives WIRE_OK: the server's last words (57P01: it was
 * told to stop) are often waiting to be read and say more than EPIPE does, so the loss is reported
 * by wire_receive() behind them. This is also what libpq does.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/wire_private.h"

/* What a server may say after authentication to one who calls no functions, each with the length
 * from which on it is not believed; 0 for all others. Short ones have no reason to be longer. */
#define EMPTY_LIMIT 1
#define SHORT_LIMIT 30000
#define LONG_LIMIT  (WIRE_MESSAGE_MAX - 3u)

static const uint32_t body_limits[256] = {
    ['1'] = EMPTY_LIMIT, ['3'] = EMPTY_LIMIT, ['A'] = LONG_LIMIT,  ['C'] = SHORT_LIMIT,
    ['D'] = LONG_LIMIT,  ['E'] = LONG_LIMIT,  ['G'] = SHORT_LIMIT, ['H'] = SHORT_LIMIT,
    ['I'] = EMPTY_LIMIT, ['N'] = LONG_LIMIT,  ['S'] = SHORT_LIMIT, ['T'] = LONG_LIMIT,
    ['W'] = SHORT_LIMIT, ['Z'] = SHORT_LIMIT, ['c'] = EMPTY_LIMIT, ['d'] = LONG_LIMIT,
    ['n'] = EMPTY_LIMIT, ['s'] = EMPTY_LIMIT, ['t'] = LONG_LIMIT,
};

/* libc's functions are cancellation points, which costs a process with threads some thirty
 * instructions a call; nobody here is ever cancelled. A socket's own calls are quicker in the
 * kernel than read and write. */
static inline ssize_t kernel_send(int fd, const unsigned char *bytes, size_t length)
{
    return syscall(SYS_sendto, fd, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
}

static inline ssize_t kernel_receive(int fd, unsigned char *bytes, size_t room, int flags)
{
    return syscall(SYS_recvfrom, fd, bytes, room, flags, NULL, NULL);
}

/* ---- the loss ---- */

enum wire_state wire_lose(struct wire *wire, const char *code, const char *text)
{
    if (!wire->lost && wire->lost_text == NULL) {
        wire->lost_code = code;
        wire->lost_text = memory_text(text);
    }
    wire->lost = true;
    wire->at = wire->end = NULL;
    return WIRE_LOST;
}

enum wire_state wire_lose_errno(struct wire *wire, const char *doing, int error_number)
{
    const char *code = "net:other";
    char text[160], reason[96];

    if (error_number == 0)
        code = "net:closed";
    else if (error_number == ECONNRESET || error_number == EPIPE)
        code = "net:reset";
    else if (error_number == ETIMEDOUT)
        code = "net:timeout";
    snprintf(text, sizeof text, "%s while %s",
             error_number == 0 ? "the server closed the connection"
                               : strerror_r(error_number, reason, sizeof reason),
             doing);
    return wire_lose(wire, code, text);
}

bool wire_lost(const struct wire *wire)
{
    return wire->lost;
}

const char *wire_lost_code(const struct wire *wire)
{
    return wire->lost_code != NULL ? wire->lost_code : "";
}

const char *wire_lost_text(const struct wire *wire)
{
    return wire->lost_text != NULL ? wire->lost_text : "";
}

/* ---- sending ---- */

enum wire_state wire_send_failed(struct wire *wire, int error_number)
{
    if (error_number != EPIPE && error_number != ECONNRESET)
        return wire_lose_errno(wire, "sending", error_number);
    wire->send_errno = error_number;
    return WIRE_LOST; /* of this sending; the connection's loss is told by receiving */
}

static enum wire_state plain_send(struct wire *wire, const unsigned char *bytes, size_t length,
                                  size_t *count)
{
    ssize_t sent;

    do {
        sent = kernel_send(wire->fd, bytes, length);
    } while (UNLIKELY(sent < 0) && errno == EINTR);
    if (LIKELY(sent > 0)) {
        *count = (size_t)sent;
        return WIRE_OK;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return WIRE_WANT_WRITE;
    return wire_send_failed(wire, errno);
}

static COLD void keep(struct wire *wire, const unsigned char *bytes, size_t length)
{
    size_t wanted = wire->kept_length + length;

    assert(wanted <= WIRE_KEPT_MAX);
    if (wire->kept_at > 0) {
        memmove(wire->kept, wire->kept + wire->kept_at, wire->kept_length);
        wire->kept_at = 0;
    }
    if (wanted > wire->kept_size) {
        wire->kept_size = wanted > 2 * wire->kept_size ? wanted : 2 * wire->kept_size;
        wire->kept = memory_resize(wire->kept, wire->kept_size);
    }
    memcpy(wire->kept + wire->kept_length, bytes, length);
    wire->kept_length = wanted;
}

static void forget_kept(struct wire *wire)
{
    wire->kept_at = wire->kept_length = 0;
    if (wire->kept_size > WIRE_IDLE_KEEP) {
        memory_free(wire->kept);
        wire->kept = NULL;
        wire->kept_size = 0;
    }
}

/* Pushes until all is gone or there is no room; `done` tells how far it came. */
static enum wire_state push(struct wire *wire, const unsigned char *bytes, size_t length,
                            size_t *done)
{
    enum wire_state state = WIRE_OK;
    size_t count = 0;

    *done = 0;
    while (*done < length && state == WIRE_OK) {
        if (wire->ssl != NULL)
            state = wire_tls_send(wire, bytes + *done, length - *done, &count);
        else
            state = plain_send(wire, bytes + *done, length - *done, &count);
        if (state == WIRE_OK)
            *done += count;
    }
    return state;
}

static COLD enum wire_state flush_slowly(struct wire *wire, struct wire_out *out)
{
    enum wire_state state = WIRE_OK;
    size_t done;

    if (wire->lost || wire->send_errno != 0)
        goto gone;
    if (wire->kept_length > 0) {
        state = push(wire, wire->kept + wire->kept_at, wire->kept_length, &done);
        wire->kept_at += done;
        wire->kept_length -= done;
    }
    if (wire->kept_length == 0)
        forget_kept(wire);
    done = 0;
    if (state == WIRE_OK)
        state = push(wire, out->bytes, out->length, &done);
    if (state == WIRE_LOST)
        goto gone;
    if (out->length > done)
        keep(wire, out->bytes + done, out->length - done);
    out->length = 0;
    return state == WIRE_OK && wire->deaf ? WIRE_WANT_WRITE : state;
gone:
    out->length = 0;
    forget_kept(wire);
    return wire->lost ? WIRE_LOST : WIRE_OK;
}

enum wire_state wire_flush(struct wire *wire, struct wire_out *out)
{
    ssize_t sent;

    if (UNLIKELY(wire->kept_length > 0 || wire->ssl != NULL || wire->lost || out->length == 0))
        return flush_slowly(wire, out);
    sent = kernel_send(wire->fd, out->bytes, out->length);
    if (LIKELY(sent == (ssize_t)out->length)) {
        out->length = 0;
        return WIRE_OK;
    }
    if (sent > 0) {
        keep(wire, out->bytes + sent, out->length - (size_t)sent);
        out->length = 0;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        wire_send_failed(wire, errno); /* asking again would give another reason */
    }
    return flush_slowly(wire, out);
}

void wire_out_close(struct wire_out *out)
{
    memory_free(out->bytes);
    *out = (struct wire_out){ 0 };
}

/* ---- receiving ---- */

/* Why recv() gave nothing. */
static COLD enum wire_state understand_receive(struct wire *wire, ssize_t got, int error_number)
{
    bool empty = got < 0 && (error_number == EAGAIN || error_number == EWOULDBLOCK);

    /* Nothing can follow when sending has failed, and that says more than a mere end. */
    if (wire->send_errno != 0 && (empty || got == 0))
        return wire_lose_errno(wire, "sending", wire->send_errno);
    if (empty || (got < 0 && error_number == EINTR))
        return WIRE_WANT_READ;
    return wire_lose_errno(wire, "receiving", got == 0 ? 0 : error_number);
}

static enum wire_state plain_receive(struct wire *wire, unsigned char *bytes, size_t room,
                                     int flags, size_t *count)
{
    ssize_t got = kernel_receive(wire->fd, bytes, room, flags);

    if (got <= 0)
        return understand_receive(wire, got, errno);
    *count = (size_t)got;
    return WIRE_OK;
}

static void resize_stash(struct wire *wire, size_t wanted)
{
    if (wanted <= wire->stash_size)
        return;
    wire->stash_size = wanted > 2 * wire->stash_size ? wanted : 2 * wire->stash_size;
    wire->stash = memory_resize(wire->stash, wire->stash_size);
}

/* Where the next bytes go: behind the beginning of their message. A short beginning is copied into
 * the shared buffer, a long one grows in the stash by what really arrives, whatever its length word
 * promises. */
static unsigned char *place_stash(struct wire *wire, struct wire_in *in, size_t *size)
{
    if (wire->stash_length > WIRE_STASH_COPY) {
        resize_stash(wire, wire->stash_length + WIRE_STASH_COPY);
        *size = wire->stash_size;
        return wire->stash;
    }
    if (wire->stash_length > 0)
        memcpy(in->bytes, wire->stash, wire->stash_length);
    *size = in->size;
    return in->bytes;
}

/* All that is not "plain, nothing held, bytes are there". */
static COLD enum wire_state receive_slowly(struct wire *wire, struct wire_in *in)
{
    enum wire_state state;
    unsigned char *bytes;
    size_t size, held = wire->stash_length, count;
    int flags = wire->more ? MSG_DONTWAIT : wire->receive_flags; /* perhaps nothing more comes */

    wire->more = false;
    if (wire->lost || wire->loss_is_due) {
        wire->lost = true;
        return WIRE_LOST;
    }
    if (in->size == 0) {
        in->size = WIRE_IN_SIZE;
        in->bytes = memory_make(in->size, 1);
    }
    bytes = place_stash(wire, in, &size);
    if (wire->ssl != NULL)
        state = wire_tls_receive(wire, bytes + held, size - held, &count);
    else
        state = plain_receive(wire, bytes + held, size - held, flags, &count);
    if (state != WIRE_OK)
        return state;
    wire->stash_length = 0;
    wire->at = bytes;
    wire->end = bytes + held + count;
    if (count == size - held)
        wire->more = true;
    return WIRE_OK;
}

enum wire_state wire_receive(struct wire *wire, struct wire_in *in)
{
    ssize_t got;

    HOT_ASSERT(wire->at == wire->end && "wire_done_reading() was left out");
    if (UNLIKELY(wire->ssl != NULL || wire->stash_length > 0 || wire->lost || wire->more ||
                 in->size == 0))
        return receive_slowly(wire, in);
    got = kernel_receive(wire->fd, in->bytes, in->size, wire->receive_flags);
    if (UNLIKELY(got <= 0)) {
        wire->more = false;
        return understand_receive(wire, got, errno);
    }
    wire->more = got == (ssize_t)in->size;
    wire->at = in->bytes;
    wire->end = in->bytes + got;
    return WIRE_OK;
}

bool wire_make_patient(struct wire *wire, int64_t limit_ns)
{
    struct timeval limit = { .tv_sec = limit_ns / 1000000000,
                             .tv_usec = limit_ns % 1000000000 / 1000 };
    int flags = fcntl(wire->fd, F_GETFL);

    if (wire->ssl != NULL || flags < 0 ||
        setsockopt(wire->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
        fcntl(wire->fd, F_SETFL, flags & ~O_NONBLOCK) != 0)
        return false;
    wire_wait(wire, false);
    return true;
}

void wire_wait(struct wire *wire, bool wait)
{
    wire->receive_flags = wait ? 0 : MSG_DONTWAIT;
}

bool wire_more(const struct wire *wire)
{
    return wire->more;
}

static COLD bool refuse_frame(struct wire *wire, unsigned char type, uint32_t length)
{
    char text[96];

    snprintf(text, sizeof text, "impossible message: type 0x%02x, length %u", type, length);
    wire_lose(wire, "protocol", text);
    return false;
}

bool wire_next(struct wire *wire, struct wire_message *message)
{
    const unsigned char *at = wire->at, *end = wire->end;
    uint32_t length;

    for (;;) {
        if (end - at < 5)
            break;
        length = wire_load32(at + 1);
        if (UNLIKELY(length - 4 >= body_limits[at[0]])) { /* less than 4 wraps around */
            /* BindComplete comes with every statement and is of interest to nobody. */
            if (at[0] != '2' || length != 4)
                return refuse_frame(wire, at[0], length);
            at += 5;
            continue;
        }
        if (UNLIKELY((size_t)(end - at) <= length))
            break;
        message->type = (char)at[0];
        message->body = at + 5;
        message->size = (int32_t)(length - 4);
        wire->at = at + 1 + length;
        return true;
    }
    wire->at = at;
    return false;
}

static COLD void stash_rest(struct wire *wire, size_t left)
{
    bool in_stash = wire->stash != NULL && wire->at >= wire->stash &&
                    wire->at <= wire->stash + wire->stash_size;

    if (!in_stash)
        resize_stash(wire, left);
    if (wire->at != wire->stash)
        memmove(wire->stash, wire->at, left);
    wire->stash_length = left;
}

void wire_done_reading(struct wire *wire)
{
    size_t left = (size_t)(wire->end - wire->at);

    if (UNLIKELY(left > 0)) {
        stash_rest(wire, left);
    } else if (UNLIKELY(wire->stash_size > WIRE_IDLE_KEEP && wire->stash_length == 0)) {
        memory_free(wire->stash);
        wire->stash = NULL;
        wire->stash_size = 0;
    }
    wire->at = wire->end = NULL;
}

void wire_in_close(struct wire_in *in)
{
    memory_free(in->bytes);
    *in = (struct wire_in){ 0 };
}
