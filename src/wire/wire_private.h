/*
 * wire_private.h - what the files of this room share: the connection, and bytes in network order.
 *
 * Receiving: `at` to `end` is what wire_next() has not given out yet; it lies in the caller's
 * shared buffer, or in the stash when a long message is being put together there. Between two reads
 * only the stash holds anything. Sending: `kept` holds what the kernel had no room for.
 */
#ifndef WIRE_WIRE_PRIVATE_H
#define WIRE_WIRE_PRIVATE_H

#include <string.h>

#include "wire/wire.h"

struct ssl_st;

#define WIRE_IN_SIZE    (256 * 1024) /* of the shared receive buffer */
#define WIRE_OUT_SIZE   (16 * 1024)  /* first size of the shared send buffer */
#define WIRE_STASH_COPY (16 * 1024)  /* a longer part of a message is not copied to and fro */
#define WIRE_IDLE_KEEP  (32 * 1024)  /* a longer buffer of a connection is given back when empty */
#define WIRE_KEPT_MAX   (1u << 31)   /* unsent bytes of one connection */

struct wire {
    const unsigned char *at, *end;
    int fd;
    int receive_flags; /* of recv(): 0 on a descriptor that never blocks, else it is told here */
    int send_errno;    /* sending failed by the peer's leaving; receiving will tell */
    bool lost;
    bool more;           /* the last read filled its room */
    bool deaf;           /* TLS reads on only when there is room to write */
    bool loss_is_due;    /* the loss was met behind good bytes: the next read reports it */
    struct ssl_st *ssl;  /* NULL when plain; owned by conn */
    unsigned char *kept; /* unsent bytes: kept_length from kept_at */
    size_t kept_at, kept_length, kept_size;
    unsigned char *stash; /* owned; the beginning of a message whose rest is to come */
    size_t stash_length, stash_size;
    PGconn *conn;          /* owned; NULL in tests */
    const char *lost_code; /* static */
    char *lost_text;       /* owned; NULL until lost */
};

/* A plain connection on a descriptor that is open, not blocking and ours from here on: for tests
 * and the fuzzer, which have no libpq at the other end. */
struct wire *wire_new_plain(int fd);

/* Marks the loss; the first reason stays. Gives WIRE_LOST. The errno form picks the code. */
enum wire_state wire_lose(struct wire *wire, const char *code, const char *text);
enum wire_state wire_lose_errno(struct wire *wire, const char *doing, int error_number);

/* A peer that has left is not a loss yet (io.c), any other failure is. Gives WIRE_LOST. */
enum wire_state wire_send_failed(struct wire *wire, int error_number);

/* One go at OpenSSL: WIRE_OK when `count` bytes (1 or more) were moved. */
enum wire_state wire_tls_send(struct wire *wire, const unsigned char *bytes, size_t length,
                              size_t *count);
enum wire_state wire_tls_receive(struct wire *wire, unsigned char *bytes, size_t room,
                                 size_t *count);
/* The rules for OpenSSL at the take-over. */
bool wire_tls_prepare(struct wire *wire, struct error *err);

/* The shortest digits that give the same number back, as PostgreSQL reads them. */
#define WIRE_REAL_MAX 32
int wire_real_digits(double real, char out[WIRE_REAL_MAX]);

static inline uint32_t wire_load32(const unsigned char *at)
{
    uint32_t word;

    memcpy(&word, at, sizeof word);
    return __builtin_bswap32(word);
}

static inline uint16_t wire_load16(const unsigned char *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline unsigned char *wire_store16(unsigned char *at, uint16_t half)
{
    half = __builtin_bswap16(half);
    memcpy(at, &half, sizeof half);
    return at + sizeof half;
}

static inline unsigned char *wire_store32(unsigned char *at, uint32_t word)
{
    word = __builtin_bswap32(word);
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

static inline unsigned char *wire_store64(unsigned char *at, uint64_t both)
{
    both = __builtin_bswap64(both);
    memcpy(at, &both, sizeof both);
    return at + sizeof both;
}

#endif
