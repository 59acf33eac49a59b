/*
 * tls_test.c - TLS that turns round: reading that has to write, and writing that has to read.
 *
 * The peer is OpenSSL at the other end of a pair of sockets, in the same thread. In TLS 1.3 it asks
 * for new keys while there is no room for the answer; in TLS 1.2 for a handshake anew while there
 * is something to say. Neither may lose, repeat or disorder a byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "line.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/memory.h"
#include "wire/wire_private.h"

#define SAID_MAX    (8 << 20)
#define TURNS_MAX   1000000
#define ROOM_BYTES  8192 /* of the kernel's buffers */
#define JUNK_LENGTH 512

struct peers {
    struct wire *wire;
    struct wire_in in;
    struct wire_out out;
    SSL_CTX *client_context, *server_context;
    SSL *client, *server;
    int fds[2]; /* ours, the server's */
    unsigned char *said;
    size_t said_length; /* by us, as the server has it */
    int readies;        /* heard by us */
};

/* A certificate that nobody but this test has to believe. */
static void certify(SSL_CTX *context)
{
    EVP_PKEY_CTX *making = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL);
    EVP_PKEY *key = NULL;
    X509 *certificate = X509_new();

    assert_int_equal(EVP_PKEY_keygen_init(making), 1);
    assert_int_equal(EVP_PKEY_CTX_set_ec_paramgen_curve_nid(making, NID_X9_62_prime256v1), 1);
    assert_int_equal(EVP_PKEY_keygen(making, &key), 1);
    EVP_PKEY_CTX_free(making);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
    X509_set_pubkey(certificate, key);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(context, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(context, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void shake_hands(struct peers *peers)
{
    int ours = 0, theirs = 0;

    for (int turn = 0; turn < 100 && (ours != 1 || theirs != 1); turn++) {
        ERR_clear_error();
        ours = SSL_do_handshake(peers->client);
        theirs = SSL_do_handshake(peers->server);
    }
    assert_int_equal(ours, 1);
    assert_int_equal(theirs, 1);
}

static struct peers open_peers(int version)
{
    struct peers peers = { .said = memory_make(SAID_MAX, 1) };
    struct error err = { 0 };
    int room = ROOM_BYTES;

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, peers.fds), 0);
    for (int i = 0; i < 2; i++)
        setsockopt(peers.fds[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    peers.client_context = SSL_CTX_new(TLS_client_method());
    peers.server_context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_max_proto_version(peers.client_context, version);
    SSL_CTX_set_verify(peers.client_context, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_num_tickets(peers.server_context, 0);
    certify(peers.server_context);
    peers.client = SSL_new(peers.client_context);
    peers.server = SSL_new(peers.server_context);
    SSL_set_connect_state(peers.client);
    SSL_set_accept_state(peers.server);
    SSL_set_fd(peers.client, peers.fds[0]);
    SSL_set_fd(peers.server, peers.fds[1]);
    SSL_set_mode(peers.server, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    shake_hands(&peers);
    peers.wire = wire_new_plain(peers.fds[0]);
    peers.wire->ssl = peers.client;
    assert_true(wire_tls_prepare(peers.wire, &err));
    return peers;
}

static void close_peers(struct peers *peers)
{
    wire_close(peers->wire);
    wire_in_close(&peers->in);
    wire_out_close(&peers->out);
    SSL_free(peers->client);
    SSL_free(peers->server);
    close(peers->fds[1]);
    SSL_CTX_free(peers->client_context);
    SSL_CTX_free(peers->server_context);
    memory_free(peers->said);
}

/* ---- the two ends, one step each ---- */

static void hear(struct peers *peers)
{
    struct wire_message message;
    enum wire_state state = wire_receive(peers->wire, &peers->in);

    if (state == WIRE_LOST)
        fail_msg("lost: %s: %s", wire_lost_code(peers->wire), wire_lost_text(peers->wire));
    if (state != WIRE_OK)
        return;
    while (wire_next(peers->wire, &message)) {
        assert_int_equal(message.type, 'Z');
        peers->readies++;
    }
    wire_done_reading(peers->wire);
}

static void say(struct peers *peers)
{
    if (wire_flush(peers->wire, &peers->out) == WIRE_LOST)
        fail_msg("lost: %s", wire_lost_text(peers->wire));
}

static void serve_read(struct peers *peers)
{
    size_t part = 0;

    ERR_clear_error();
    if (SSL_read_ex(peers->server, peers->said + peers->said_length, SAID_MAX - peers->said_length,
                    &part) == 1)
        peers->said_length += part;
    else
        assert_int_not_equal(SSL_get_error(peers->server, 0), SSL_ERROR_SSL);
}

static void serve_ready(struct peers *peers)
{
    static const unsigned char ready[] = { 'Z', 0, 0, 0, 5, 'I' };
    size_t part;

    ERR_clear_error();
    assert_int_equal(SSL_write_ex(peers->server, ready, sizeof ready, &part), 1);
}

static void ask_new_keys(struct peers *peers)
{
    ERR_clear_error();
    assert_int_equal(SSL_key_update(peers->server, SSL_KEY_UPDATE_REQUESTED), 1);
    assert_int_equal(SSL_do_handshake(peers->server), 1);
}

/* Both ends go on until so much was said and heard. */
static void go_on(struct peers *peers, size_t said, int readies)
{
    for (int turn = 0; turn < TURNS_MAX; turn++) {
        if (peers->said_length >= said && peers->readies >= readies)
            break;
        say(peers);
        hear(peers);
        serve_read(peers);
    }
    assert_int_equal(peers->said_length, said);
    assert_int_equal(peers->readies, readies);
}

/* ---- what is said, and found again ---- */

static size_t add_query(struct peers *peers, size_t length, unsigned seed)
{
    char *sql = memory_make(length + 1, 1);

    for (size_t i = 0; i < length; i++)
        sql[i] = (char)('a' + (i * 7 + i / 251 + seed) % 26);
    wire_add_query(&peers->out, sql);
    memory_free(sql);
    return length + 6;
}

static void check_query(const struct peers *peers, size_t at, size_t length, unsigned seed)
{
    assert_int_equal(peers->said[at], 'Q');
    for (size_t i = 0; i < length; i++)
        if (peers->said[at + 5 + i] != (unsigned char)('a' + (i * 7 + i / 251 + seed) % 26))
            fail_msg("byte %zu is not what was said", i);
}

/* ---- tests ---- */

/* Records wait half sent while the peer asks for new keys. */
static void new_keys_while_sending(void **state)
{
    struct peers peers = open_peers(TLS1_3_VERSION);
    size_t said = 0;

    (void)state;
    for (unsigned round = 0; round < 8; round++) {
        size_t length = 300000 + 1000 * round, begin = said;
        said += add_query(&peers, length, round);
        assert_int_equal(wire_flush(peers.wire, &peers.out), WIRE_WANT_WRITE);
        ask_new_keys(&peers); /* a second time would be too much for OpenSSL 3.0 itself */
        serve_ready(&peers);
        hear(&peers);
        go_on(&peers, said, (int)round + 1);
        check_query(&peers, begin, length, round);
    }
    close_peers(&peers);
}

/* Puts into the kernel's buffer, between two records, what leaves no room for another one. */
static size_t stuff(int fd)
{
    static const unsigned char junk[JUNK_LENGTH] = { 0 };
    size_t whole = 0;
    ssize_t part;

    for (size_t length = sizeof junk; length > 0; length /= 2)
        while ((part = send(fd, junk, length, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
            whole += (size_t)part;
    return whole;
}

static void unstuff(int fd, size_t whole)
{
    unsigned char junk[JUNK_LENGTH];
    ssize_t part;

    while (whole > 0) {
        part = recv(fd, junk, whole < sizeof junk ? whole : sizeof junk, MSG_DONTWAIT);
        assert_true(part > 0);
        whole -= (size_t)part;
    }
}

/* Until the handshake that the peer wished is over. */
static void shake_again(struct peers *peers)
{
    for (int turn = 0; turn < 1000 && (SSL_in_init(peers->client) || SSL_in_init(peers->server));
         turn++) {
        serve_read(peers);
        say(peers);
        hear(peers);
    }
    assert_false(SSL_in_init(peers->client));
    assert_false(SSL_in_init(peers->server));
}

static void wish_handshake(struct peers *peers)
{
    ERR_clear_error();
    assert_int_equal(SSL_renegotiate(peers->server), 1);
    assert_int_equal(SSL_do_handshake(peers->server), 1); /* has said so, no more */
}

/* Nothing of ours waits to be sent, and yet reading cannot go on before there is room to write. */
static void reading_waits_for_room(void **state)
{
    struct peers peers = open_peers(TLS1_2_VERSION);
    size_t said, stuffed;

    (void)state;
    for (int round = 1; round <= 3; round++) {
        stuffed = stuff(peers.fds[0]);
        wish_handshake(&peers);
        assert_int_equal(wire_receive(peers.wire, &peers.in), WIRE_WANT_WRITE);
        assert_int_equal(wire_flush(peers.wire, &peers.out), WIRE_WANT_WRITE);
        assert_int_equal(wire_receive(peers.wire, &peers.in), WIRE_WANT_WRITE);
        unstuff(peers.fds[1], stuffed);
        hear(&peers);
        shake_again(&peers);
        assert_int_equal(wire_flush(peers.wire, &peers.out), WIRE_OK);
        serve_ready(&peers);
        go_on(&peers, 0, round);
    }
    said = add_query(&peers, 100000, 5);
    serve_ready(&peers);
    go_on(&peers, said, 4);
    check_query(&peers, 0, 100000, 5);
    close_peers(&peers);
}

/* Once the peer wants a new handshake, nothing is sent before something was read. */
static void writing_waits_for_reading(void **state)
{
    struct peers peers = open_peers(TLS1_2_VERSION);
    size_t said = 0;

    (void)state;
    for (int round = 1; round <= 2; round++) {
        size_t begin = said;
        wish_handshake(&peers);
        hear(&peers); /* meets the wish, and begins */
        said += add_query(&peers, 50000, (unsigned)round);
        assert_int_equal(wire_flush(peers.wire, &peers.out), WIRE_WANT_READ);
        shake_again(&peers);
        serve_ready(&peers);
        go_on(&peers, said, round);
        check_query(&peers, begin, 50000, (unsigned)round);
    }
    close_peers(&peers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_keys_while_sending),
        cmocka_unit_test(reading_waits_for_room),
        cmocka_unit_test(writing_waits_for_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
