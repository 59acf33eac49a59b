/*
 * tls.c - moving bytes through the SSL * that libpq has opened.
 *
 * OpenSSL's error queue belongs to the thread, not to the connection, so it is emptied before each
 * call; else one connection's failure would be told of another. A write that found no room must be
 * repeated with the same bytes, more may follow and they may have moved: io.c keeps them.
 */
#include <errno.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "wire/wire_private.h"

bool wire_tls_prepare(struct wire *wire, struct error *err)
{
    if (wire->ssl == NULL)
        return error_set(err, ERROR_PLAN,
                         "libpq uses a TLS library other than OpenSSL: use sslmode=disable");
    ERR_clear_error();
    /* Libpq's BIO has no buffer: nothing is lost with it. */
    if (SSL_set_fd(wire->ssl, wire->fd) != 1)
        return error_set(err, ERROR_MACHINE, "OpenSSL did not take the socket");
    SSL_set_read_ahead(wire->ssl, 1);
    SSL_set_mode(wire->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    return true;
}

/* Is this the kernel's or the peer's plain end, seen through OpenSSL 3? */
static bool is_eof(unsigned long error)
{
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
    return ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
    (void)error;
    return false;
#endif
}

static enum wire_state understand(struct wire *wire, const char *doing, int ssl_error,
                                  int error_number)
{
    unsigned long error = ERR_peek_error();
    const char *reason;

    switch (ssl_error) {
    case SSL_ERROR_WANT_READ:
        return WIRE_WANT_READ;
    case SSL_ERROR_WANT_WRITE:
        return WIRE_WANT_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return wire_lose_errno(wire, doing, 0);
    case SSL_ERROR_SYSCALL:
        return wire_lose_errno(wire, doing, error_number);
    default:
        if (is_eof(error))
            return wire_lose_errno(wire, doing, 0);
        reason = ERR_reason_error_string(error);
        return wire_lose(wire, "tls", reason != NULL ? reason : "unknown error of OpenSSL");
    }
}

enum wire_state wire_tls_send(struct wire *wire, const unsigned char *bytes, size_t length,
                              size_t *count)
{
    int error_number, result;

    ERR_clear_error();
    errno = 0;
    result = SSL_write_ex(wire->ssl, bytes, length, count);
    error_number = errno;
    if (LIKELY(result == 1))
        return WIRE_OK;
    result = SSL_get_error(wire->ssl, result);
    if (result == SSL_ERROR_SYSCALL)
        return wire_send_failed(wire, error_number);
    return understand(wire, "sending", result, error_number);
}

/* Reads until OpenSSL wants more from the kernel: what it has taken in already wakes no epoll. */
enum wire_state wire_tls_receive(struct wire *wire, unsigned char *bytes, size_t room,
                                 size_t *count)
{
    enum wire_state state;
    int error_number, result;
    size_t part;

    *count = 0;
    wire->deaf = false;
    do {
        ERR_clear_error();
        errno = 0;
        result = SSL_read_ex(wire->ssl, bytes + *count, room - *count, &part);
        error_number = errno;
        if (result == 1)
            *count += part;
    } while (result == 1 && *count < room);
    if (result == 1)
        return WIRE_OK;
    state = understand(wire, "receiving", SSL_get_error(wire->ssl, result), error_number);
    if (*count == 0 && state != WIRE_LOST && wire->send_errno != 0)
        return wire_lose_errno(wire, "sending", wire->send_errno); /* nothing can follow */
    wire->deaf = state == WIRE_WANT_WRITE;
    if (*count == 0)
        return state;
    /* Good bytes come first; what follows is met again by the next read. */
    if (state == WIRE_LOST) {
        wire->lost = false;
        wire->loss_is_due = true;
    }
    wire->more = state != WIRE_WANT_READ;
    return WIRE_OK;
}
