/*
 * io_test.c - a connection over a socketpair: pieces of every size, no room, no peer.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "wire/wire_private.h"

struct pair {
    struct wire *wire;
    int peer;
    struct wire_in in;
    struct wire_out out;
};

static struct pair pair_open(void)
{
    struct pair pair = { 0 };
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    pair.wire = wire_new_plain(fds[0]);
    pair.peer = fds[1];
    return pair;
}

static void pair_close(struct pair *pair)
{
    wire_close(pair->wire);
    wire_in_close(&pair->in);
    wire_out_close(&pair->out);
    if (pair->peer >= 0)
        close(pair->peer);
}

static void peer_writes(struct pair *pair, const void *bytes, size_t length)
{
    assert_int_equal(write(pair->peer, bytes, length), (ssize_t)length);
}

/* All messages that are there, as their types, a line of letters. */
static enum wire_state receive(struct pair *pair, char *types, size_t *bodies)
{
    struct wire_message message;
    enum wire_state state = wire_receive(pair->wire, &pair->in);

    if (state != WIRE_OK)
        return state;
    while (wire_next(pair->wire, &message)) {
        types[strlen(types) + 1] = '\0';
        types[strlen(types)] = message.type;
        *bodies += (size_t)message.size;
    }
    wire_done_reading(pair->wire);
    return WIRE_OK;
}

static const char answer[] = "2\0\0\0\x04"
                             "D\0\0\0\x0b\0\x01\0\0\0\x01"
                             "7"
                             "C\0\0\0\x0dSELECT 1\0"
                             "Z\0\0\0\x05I";
#define ANSWER_LENGTH (sizeof answer - 1)
#define ANSWER_BODIES (7u + 9 + 1)

static void split_at_each_byte(void **state)
{
    (void)state;
    for (size_t cut = 0; cut <= ANSWER_LENGTH; cut++) {
        struct pair pair = pair_open();
        char types[16] = "";
        size_t bodies = 0;

        if (cut > 0) {
            peer_writes(&pair, answer, cut);
            assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
        }
        assert_int_equal(receive(&pair, types, &bodies), WIRE_WANT_READ);
        if (cut < ANSWER_LENGTH) {
            peer_writes(&pair, answer + cut, ANSWER_LENGTH - cut);
            assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
        }
        assert_string_equal(types, "DCZ");
        assert_int_equal(bodies, ANSWER_BODIES);
        assert_int_equal(pair.wire->stash_length, 0);
        pair_close(&pair);
    }
}

static void byte_by_byte(void **state)
{
    struct pair pair = pair_open();
    char types[16] = "";
    size_t bodies = 0;

    (void)state;
    for (size_t i = 0; i < ANSWER_LENGTH; i++) {
        peer_writes(&pair, answer + i, 1);
        assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    }
    assert_string_equal(types, "DCZ");
    assert_int_equal(bodies, ANSWER_BODIES);
    pair_close(&pair);
}

/* Two connections with one buffer: what one keeps survives the other's reading. */
static void shared_buffer(void **state)
{
    struct pair one = pair_open(), two = pair_open();
    char types[16] = "", others[16] = "";
    size_t bodies = 0;

    (void)state;
    peer_writes(&one, answer, 9);
    assert_int_equal(receive(&one, types, &bodies), WIRE_OK);
    two.in = one.in;
    peer_writes(&two, answer, ANSWER_LENGTH);
    assert_int_equal(receive(&two, others, &bodies), WIRE_OK);
    assert_string_equal(others, "DCZ");
    peer_writes(&one, answer + 9, ANSWER_LENGTH - 9);
    assert_int_equal(receive(&one, types, &bodies), WIRE_OK);
    assert_string_equal(types, "DCZ");
    two.in = (struct wire_in){ 0 };
    pair_close(&one);
    pair_close(&two);
}

/* A message of 3 MB between small ones, written in parts as the socket takes them. */
static void big_message(void **state)
{
    size_t big = 3 * 1000 * 1000, total = 5 + big + 2 * ANSWER_LENGTH, sent = 0, bodies = 0;
    unsigned char *bytes = memory_make(total, 1), *at = bytes + ANSWER_LENGTH;
    struct pair pair = pair_open();
    char types[16] = "";
    ssize_t count;

    (void)state;
    memcpy(bytes, answer, ANSWER_LENGTH);
    memset(at, 'x', big + 5);
    *at = 'D';
    wire_store32(at + 1, (uint32_t)big + 4);
    memcpy(at + 5 + big, answer, ANSWER_LENGTH);
    while (strlen(types) < 7) {
        count = sent < total ? write(pair.peer, bytes + sent, total - sent) : 0;
        if (count > 0)
            sent += (size_t)count;
        assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
        assert_true(pair.wire->stash_size <= 2 * total + WIRE_IN_SIZE);
    }
    assert_string_equal(types, "DCZDDCZ");
    assert_int_equal(bodies, big + 2 * ANSWER_BODIES);
    assert_int_equal(pair.wire->stash_size, 0); /* given back */
    assert_int_equal(pair.in.size, WIRE_IN_SIZE);
    memory_free(bytes);
    pair_close(&pair);
}

static void more_waits(void **state)
{
    struct pair pair = pair_open();
    char types[16] = "";
    size_t bodies = 0;

    (void)state;
    pair.in.size = ANSWER_LENGTH; /* a buffer that one answer fills */
    pair.in.bytes = memory_make(ANSWER_LENGTH, 1);
    peer_writes(&pair, answer, ANSWER_LENGTH);
    peer_writes(&pair, answer, ANSWER_LENGTH - 1);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_true(wire_more(pair.wire));
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_false(wire_more(pair.wire));
    assert_string_equal(types, "DCZDC");
    pair_close(&pair);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* It waits only when told to, only so long, and never for more than it has been given. */
static void patience(void **state)
{
    struct pair pair = pair_open();
    const int64_t limit_ns = 30 * 1000000;
    char types[16] = "";
    size_t bodies = 0;
    int64_t begin_ns;

    (void)state;
    assert_true(wire_make_patient(pair.wire, limit_ns));
    begin_ns = now_ns();
    assert_int_equal(receive(&pair, types, &bodies), WIRE_WANT_READ);
    wire_wait(pair.wire, true);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_WANT_READ);
    assert_true(now_ns() - begin_ns >= limit_ns);
    peer_writes(&pair, answer, ANSWER_LENGTH);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_string_equal(types, "DCZ");

    /* A read that filled its room is followed by one that does not wait. */
    pair.in.size = ANSWER_LENGTH;
    peer_writes(&pair, answer, ANSWER_LENGTH);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_true(wire_more(pair.wire));
    assert_true(wire_make_patient(pair.wire, 1000 * limit_ns));
    wire_wait(pair.wire, true);
    begin_ns = now_ns();
    assert_int_equal(receive(&pair, types, &bodies), WIRE_WANT_READ);
    assert_true(now_ns() - begin_ns < 500 * limit_ns);
    assert_false(wire_more(pair.wire));
    pair_close(&pair);
}

static void impossible_frames(void **state)
{
    static const char *const frames[] = {
        "R\0\0\0\x04",         /* authentication is over */
        "K\0\0\0\x04",         /* and so is the key */
        "\0\0\0\0\x04",        /* no letter */
        "\xff\0\0\0\x04",      /* far from one */
        "B\0\0\0\x04",         /* ours to say */
        "D\0\0\0\x03",         /* shorter than its length */
        "D\0\0\0\0",           /* likewise */
        "D\xff\xff\xff\xff",   /* negative */
        "D\x40\0\0\x01",       /* beyond WIRE_MESSAGE_MAX */
        "Z\0\0\xff\xff",       /* no reason to be so long */
        "2\0\0\0\x05",         /* nor for a body */
        "HTTP/1.1 400 Bad Re", /* another protocol */
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(frames); i++) {
        struct pair pair = pair_open();
        char types[16] = "";
        size_t bodies = 0;

        peer_writes(&pair, "1\0\0\0\x04", 5);
        peer_writes(&pair, frames[i], 5);
        assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
        assert_string_equal(types, "1");
        assert_true(wire_lost(pair.wire));
        assert_string_equal(wire_lost_code(pair.wire), "protocol");
        assert_non_null(strstr(wire_lost_text(pair.wire), "impossible message"));
        assert_int_equal(receive(&pair, types, &bodies), WIRE_LOST);
        wire_add_sync(&pair.out);
        assert_int_equal(wire_flush(pair.wire, &pair.out), WIRE_LOST);
        assert_int_equal(pair.out.length, 0);
        pair_close(&pair);
    }
}

/* A length that promises a gigabyte reserves nothing before the bytes are there. */
static void promises_cost_nothing(void **state)
{
    struct pair pair = pair_open();
    char types[16] = "";
    size_t bodies = 0;

    (void)state;
    peer_writes(&pair, "D\x3f\xff\xff\xff__", 7);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_WANT_READ);
    assert_false(wire_lost(pair.wire));
    assert_true(pair.wire->stash_size < 1000);
    pair_close(&pair);
}

static void sending_with_little_room(void **state)
{
    struct pair pair = pair_open();
    size_t total = 0, got = 0, want;
    static unsigned char bytes[4096], message[1000];
    enum wire_state last = WIRE_OK;
    int small = 2048;
    ssize_t count;
    char sql[996];

    (void)state;
    assert_int_equal(setsockopt(wire_fd(pair.wire), SOL_SOCKET, SO_SNDBUF, &small, sizeof small),
                     0);
    memset(sql, 'q', sizeof sql);
    sql[sizeof sql - 2] = '\0';
    wire_add_query(&pair.out, sql);
    want = pair.out.length;
    memcpy(message, pair.out.bytes, want);
    pair.out.length = 0;
    for (int i = 0; i < 500; i++) {
        for (int j = 0; j <= i % 7; j++, total += want)
            wire_add_query(&pair.out, sql);
        last = wire_flush(pair.wire, &pair.out);
        assert_true(last == WIRE_OK || last == WIRE_WANT_WRITE);
        assert_int_equal(pair.out.length, 0);
        if (i % 3 == 0 && (count = read(pair.peer, bytes, 1 + (size_t)(i * 7) % 4096)) > 0) {
            for (ssize_t j = 0; j < count; j++, got++)
                assert_int_equal(bytes[j], message[got % want]);
        }
    }
    assert_int_equal(last, WIRE_WANT_WRITE);
    while ((last = wire_flush(pair.wire, &pair.out)) == WIRE_WANT_WRITE || got < total) {
        count = read(pair.peer, bytes, sizeof bytes);
        assert_true(count > 0);
        for (ssize_t j = 0; j < count; j++, got++)
            assert_int_equal(bytes[j], message[got % want]);
    }
    assert_int_equal(last, WIRE_OK);
    assert_int_equal(got, total);
    assert_int_equal(pair.wire->kept_size, 0); /* given back */
    pair_close(&pair);
}

/* The server's last words are heard although sending has failed. */
static void last_words(void **state)
{
    static const char words[] = "E\0\0\0\x13SFATAL\0C57P01\0\0";
    struct pair pair = pair_open();
    char types[16] = "";
    size_t bodies = 0;

    (void)state;
    pair.peer = (peer_writes(&pair, words, sizeof words - 1), close(pair.peer), -1);
    wire_add_sync(&pair.out);
    assert_int_equal(wire_flush(pair.wire, &pair.out), WIRE_OK);
    assert_int_equal(wire_flush(pair.wire, &pair.out), WIRE_OK);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_string_equal(types, "E");
    assert_false(wire_lost(pair.wire));
    assert_int_equal(receive(&pair, types, &bodies), WIRE_LOST);
    assert_string_equal(wire_lost_code(pair.wire), "net:reset");
    pair_close(&pair);
}

static void losses_have_codes(void **state)
{
    struct pair pair = pair_open();
    char types[16] = "";
    size_t bodies = 0;

    (void)state;
    assert_string_equal(wire_lost_code(pair.wire), "");
    peer_writes(&pair, answer, 7); /* in mid-message */
    pair.peer = (close(pair.peer), -1);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_OK);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_LOST);
    assert_string_equal(wire_lost_code(pair.wire), "net:closed");
    pair_close(&pair);

    /* A peer that leaves without reading resets the connection. */
    pair = pair_open();
    wire_add_sync(&pair.out);
    assert_int_equal(wire_flush(pair.wire, &pair.out), WIRE_OK);
    pair.peer = (close(pair.peer), -1);
    assert_int_equal(receive(&pair, types, &bodies), WIRE_LOST);
    assert_string_equal(wire_lost_code(pair.wire), "net:reset");
    pair_close(&pair);

    pair = pair_open();
    assert_int_equal(wire_lose_errno(pair.wire, "receiving", ETIMEDOUT), WIRE_LOST);
    assert_int_equal(wire_lose_errno(pair.wire, "receiving", ENETDOWN), WIRE_LOST);
    assert_string_equal(wire_lost_code(pair.wire), "net:timeout"); /* the first stays */
    pair_close(&pair);

    pair = pair_open();
    assert_int_equal(wire_lose_errno(pair.wire, "receiving", EHOSTUNREACH), WIRE_LOST);
    assert_string_equal(wire_lost_code(pair.wire), "net:other");
    pair_close(&pair);
}

/* Closing waits for nobody, also when the socket is full and half a message is out. */
static void closing_does_not_wait(void **state)
{
    struct pair pair = pair_open();
    char *sql = memory_make(1000 * 1000, 1);

    (void)state;
    memset(sql, 'q', 1000 * 1000 - 1);
    wire_add_query(&pair.out, sql);
    assert_int_equal(wire_flush(pair.wire, &pair.out), WIRE_WANT_WRITE);
    memory_free(sql);
    pair_close(&pair);
    wire_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_at_each_byte),
        cmocka_unit_test(byte_by_byte),
        cmocka_unit_test(shared_buffer),
        cmocka_unit_test(big_message),
        cmocka_unit_test(more_waits),
        cmocka_unit_test(patience),
        cmocka_unit_test(impossible_frames),
        cmocka_unit_test(promises_cost_nothing),
        cmocka_unit_test(sending_with_little_room),
        cmocka_unit_test(last_words),
        cmocka_unit_test(losses_have_codes),
        cmocka_unit_test(closing_does_not_wait),
    };

    signal(SIGPIPE, SIG_IGN); /* as wire_open() does, which these tests pass by */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
