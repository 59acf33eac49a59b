/*
 * takeover.c - from libpq's hands into ours, and back for closing (design D4).
 *
 * The rules, all of them here. Libpq is set to not blocking. Its last exchange is an empty query,
 * after which nothing is left in its buffers; from then on it is asked for facts and PQfinish()
 * only. GSS encryption is refused: libpq does not share its context. Under TLS the SSL * gets a
 * socket BIO of its own, since libpq's hides EPIPE (tls.c has the rules for OpenSSL). SIGPIPE is
 * ignored, for OpenSSL writes without MSG_NOSIGNAL. PQfinish() itself sends Terminate, without
 * waiting, so we never do.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/memory.h"
#include "wire/wire_private.h"

static pthread_once_t sigpipe_once = PTHREAD_ONCE_INIT;

static void ignore_sigpipe(void)
{
    struct sigaction old;

    /* A handler that somebody has set on purpose stays. */
    if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        signal(SIGPIPE, SIG_IGN);
}

/* Libpq's messages end in a line feed, ours do not. */
static bool server_error(struct error *err, const char *what, const char *message)
{
    int length = (int)strlen(message);

    while (length > 0 && message[length - 1] == '\n')
        length--;
    return error_set(err, ERROR_SERVER, "%s: %.*s", what, length, message);
}

static bool may_be_taken(PGconn *conn, struct error *err)
{
    if (PQstatus(conn) != CONNECTION_OK)
        return server_error(err, "connection failed", PQerrorMessage(conn));
    if (PQgssEncInUse(conn))
        return error_set(err, ERROR_PLAN,
                         "the connection is encrypted by GSSAPI, which pgdyno cannot load: "
                         "use gssencmode=disable");
    if (PQprotocolVersion(conn) != 3)
        return error_set(err, ERROR_SERVER, "the server speaks protocol %d, wanted 3",
                         PQprotocolVersion(conn));
    if (PQtransactionStatus(conn) != PQTRANS_IDLE || PQsetnonblocking(conn, 1) != 0)
        return server_error(err, "connection failed", PQerrorMessage(conn));
    return true;
}

static bool last_exchange(PGconn *conn, struct error *err)
{
    PGresult *result = PQexec(conn, "");
    bool fine = PQresultStatus(result) == PGRES_EMPTY_QUERY;

    if (!fine)
        server_error(err, "the first query failed", PQerrorMessage(conn));
    PQclear(result);
    return fine;
}

struct wire *wire_new_plain(int fd)
{
    struct wire *wire = MEMORY_NEW(struct wire);

    wire->fd = fd;
    return wire;
}

struct wire *wire_open(PGconn *conn, struct error *err)
{
    if (PQstatus(conn) == CONNECTION_OK && !last_exchange(conn, err)) {
        PQfinish(conn);
        return NULL;
    }
    return wire_take(conn, err);
}

struct wire *wire_take(PGconn *conn, struct error *err)
{
    struct wire *wire;

    pthread_once(&sigpipe_once, ignore_sigpipe);
    if (!may_be_taken(conn, err)) {
        PQfinish(conn);
        return NULL;
    }
    wire = wire_new_plain(PQsocket(conn));
    wire->conn = conn;
    if (PQsslInUse(conn)) {
        wire->ssl = PQsslStruct(conn, "OpenSSL");
        if (!wire_tls_prepare(wire, err)) {
            wire_close(wire);
            return NULL;
        }
    }
    return wire;
}

void wire_close(struct wire *wire)
{
    struct wire_out nothing = { 0 };

    if (wire == NULL)
        return;
    if (!wire->lost && wire->kept_length > 0)
        wire_flush(wire, &nothing);
    /* A Terminate behind half a message could complete that message into one that nobody meant. */
    if (wire->lost || wire->kept_length > 0)
        shutdown(wire->fd, SHUT_RDWR);
    if (wire->conn != NULL)
        PQfinish(wire->conn);
    else
        close(wire->fd);
    if (wire->ssl != NULL)
        ERR_clear_error();
    memory_free(wire->kept);
    memory_free(wire->stash);
    memory_free(wire->lost_text);
    memory_free(wire);
}

void wire_terminate(struct wire *wire)
{
    static const unsigned char terminate[] = { 'X', 0, 0, 0, 4 };
    size_t sent = 0;

    if (wire->lost || wire->kept_length > 0)
        shutdown(wire->fd, SHUT_RDWR);
    else if (wire->ssl != NULL)
        wire_tls_send(wire, terminate, sizeof terminate, &sent);
    else
        (void)!send(wire->fd, terminate, sizeof terminate, MSG_NOSIGNAL | MSG_DONTWAIT);
    wire->lost = true; /* Nothing is said any more. */
}

bool wire_closed_there(struct wire *wire)
{
    unsigned char ignored[4096];
    ssize_t got;

    do
        got = recv(wire->fd, ignored, sizeof ignored, MSG_DONTWAIT);
    while (got > 0);
    return got == 0 || (errno != EAGAIN && errno != EINTR);
}

int wire_fd(const struct wire *wire)
{
    return wire->fd;
}

int wire_pid(const struct wire *wire)
{
    return PQbackendPID(wire->conn);
}

const char *wire_host(const struct wire *wire)
{
    return PQhost(wire->conn);
}

const char *wire_port(const struct wire *wire)
{
    return PQport(wire->conn);
}

const char *wire_tls_version(const struct wire *wire)
{
    return wire->ssl != NULL ? SSL_get_version(wire->ssl) : NULL;
}

const char *wire_tls_cipher(const struct wire *wire)
{
    return wire->ssl != NULL ? SSL_get_cipher_name(wire->ssl) : NULL;
}

int wire_tls_bits(const struct wire *wire)
{
    return wire->ssl != NULL ? SSL_get_cipher_bits(wire->ssl, NULL) : 0;
}

PGconn *wire_conn(const struct wire *wire)
{
    return wire->conn;
}
