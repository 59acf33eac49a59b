/*
 * wire.h - PostgreSQL's protocol 3 on a connection that libpq has opened (design D4).
 *
 * libpq connects and authenticates; wire_open() takes the socket over and from then on we encode
 * and decode ourselves: a prepared query costs some hundred instructions instead of thousands. The
 * rules of the take-over are kept in wire/takeover.c and nowhere else. TLS goes through the SSL *
 * that libpq holds; GSS encryption is refused.
 *
 * Sending: messages are encoded into a buffer that the caller shares among all connections of a
 * thread (struct wire_out); wire_flush() hands it to the kernel and keeps what did not fit.
 * Receiving: the caller shares one large buffer likewise (struct wire_in); a message that arrived
 * in part waits in the connection. So an idle connection owns almost nothing. Nothing here blocks,
 * knows time or scheduling.
 *
 * One thread at a time for a connection and its shared buffers.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#define WIRE_MESSAGE_MAX (1 << 30) /* a longer frame is no frame of ours: lost, kind protocol */
#define WIRE_PARAMS_MAX  1000
#define WIRE_NAME_MAX    8 /* of a statement's name, with its NUL */

struct wire;

/* ---- the door in and out ---- */

/* Takes an authenticated connection over. Owns `conn` from here on, whether it succeeds or not.
 * ERROR_PLAN: GSS encryption; ERROR_SERVER: the last exchange failed. */
struct wire *wire_open(PGconn *conn, struct error *err);
/* The same after the caller's own last exchange, an empty query: for who has a limit of time. */
struct wire *wire_take(PGconn *conn, struct error *err);
/* Says goodbye (Terminate, not waiting for room) and closes. NULL is fine. */
void wire_close(struct wire *wire);

/* In two steps, for who wants to know when the server is rid of it: Terminate, when all before it
 * was sent; then, each time the descriptor is readable, throws away what came: true when the server
 * has closed its end, which is when its backend is gone. wire_close() follows. */
void wire_terminate(struct wire *wire);
bool wire_closed_there(struct wire *wire);

int wire_fd(const struct wire *wire);  /* for epoll */
int wire_pid(const struct wire *wire); /* of the backend */
/* What the kernel knows of the way to the peer. False: no TCP, or it does not tell. */
struct wire_tcp {
    int64_t rtt_us;     /* smoothed; answers that come soon carry the acknowledgement, so the
                         * server's time is in it */
    int64_t min_rtt_us; /* the shortest of late, the handshake's among them; -1: unknown */
    int64_t retransmits;
};
bool wire_tcp(const struct wire *wire, struct wire_tcp *tcp);
const char *wire_host(const struct wire *wire); /* host or socket directory in use; borrowed */
const char *wire_port(const struct wire *wire);
/* TLS facts: "TLSv1.3" and cipher, or NULL when plain; borrowed. */
const char *wire_tls_version(const struct wire *wire);
const char *wire_tls_cipher(const struct wire *wire);
int wire_tls_bits(const struct wire *wire); /* of the key; 0 when plain */
/* For PQgetCancel and accessors only. */
PGconn *wire_conn(const struct wire *wire);

enum wire_state {
    WIRE_OK,         /* all was sent; or: something may have been received */
    WIRE_WANT_READ,  /* wait for the descriptor to be readable */
    WIRE_WANT_WRITE, /* wait for it to be writable, then call again */
    WIRE_LOST,       /* the connection is gone: see wire_lost_code() */
};
/* Why: "net:reset", "net:closed", "net:timeout", "net:other", "tls", "protocol"; and a sentence. */
const char *wire_lost_code(const struct wire *wire);
const char *wire_lost_text(const struct wire *wire);

/* ---- sending ---- */

struct wire_out { /* one a thread; the caller zeroes it and gives it to wire_out_close() */
    unsigned char *bytes;
    size_t length, size;
};
void wire_out_close(struct wire_out *out);

/* What a statement's parameters are to the server, as described once a run. */
struct wire_shape {
    int param_count;
    bool all_whole;                        /* int4 and int8 only: wire_shape_settle() */
    uint32_t param_types[WIRE_PARAMS_MAX]; /* OIDs; 0 = unknown: sent as text */
};

/* To be called when the types are known: finds out what can be encoded the quick way. */
void wire_shape_settle(struct wire_shape *shape);

/* A prepared statement's name on the server, as it goes out: in one word, with its length beside
 * it.
 */
struct wire_name {
    char text[WIRE_NAME_MAX];
    int32_t size; /* with its NUL */
};
extern const struct wire_name wire_unnamed;
/* "s17" for 17; at most 999,999. */
struct wire_name wire_name_number(int number);

/* Encoders append one message each; `wire_unnamed` is the unnamed statement. Values are sent binary
 * for int2/4/8, float8, bool and int arrays of declared parameters, else as text. */
void wire_add_parse(struct wire_out *out, const struct wire_name *name, const char *sql,
                    const struct wire_shape *shape /* NULL: let the server infer */);
void wire_add_bind(struct wire_out *out, const struct wire_name *name,
                   const struct wire_shape *shape, const struct value *values, int count);
void wire_add_describe_statement(struct wire_out *out, const struct wire_name *name);
void wire_add_execute(struct wire_out *out);
void wire_add_close_statement(struct wire_out *out, const struct wire_name *name);
void wire_add_sync(struct wire_out *out);
/* Execute and Sync at once. */
void wire_add_execute_sync(struct wire_out *out);
void wire_add_query(struct wire_out *out, const char *sql); /* simple protocol */

/* Appends `sql` with $1..$n replaced by literals, for the simple protocol. Text is quoted with
 * doubled quotes, and as E'' when it has a backslash. */
void wire_interpolate(struct text *out, const char *sql, const struct value *values, int count);

/* Hands everything in `out` to the kernel and empties it; what did not fit is kept in the
 * connection and goes first the next time. WIRE_OK, WIRE_WANT_WRITE (WIRE_WANT_READ under TLS) or
 * WIRE_LOST. WIRE_WANT_WRITE with nothing kept: TLS needs room in order to receive, so that is to
 * be tried again as well. With an empty `out` it goes on with what was kept. A peer that has left
 * is WIRE_OK: its last words wait to be received, and behind them wire_receive() tells of the loss.
 */
enum wire_state wire_flush(struct wire *wire, struct wire_out *out);

/* ---- receiving ---- */

struct wire_in { /* one a thread; the caller zeroes it and gives it to wire_in_close() */
    unsigned char *bytes;
    size_t size;
};
void wire_in_close(struct wire_in *in);

/* A message, borrowed until the next wire_receive() with the same wire_in. */
struct wire_message {
    char type;                 /* 'D', 'C', 'E', 'Z', ... */
    const unsigned char *body; /* after the length word */
    int32_t size;              /* of the body */
};

/* Reads once what the kernel has (under TLS until it wants more). WIRE_OK: call wire_next() until
 * it gives false, then, before any other connection uses `in`, wire_done_reading(). */
enum wire_state wire_receive(struct wire *wire, struct wire_in *in);
/* From here on wire_receive() can be made to wait in the kernel for what comes, at most about
 * `limit_ns`: one call in place of two where a thread has nobody else to listen to. False: not
 * under TLS, nor when the kernel refuses. */
bool wire_make_patient(struct wire *wire, int64_t limit_ns);
/* Of a connection made patient: shall the next wire_receive() wait? It still gives WIRE_WANT_READ
 * when nothing came. */
void wire_wait(struct wire *wire, bool wait);
/* True when `wire_receive()` filled the buffer and more may wait in the kernel (or in OpenSSL). */
bool wire_more(const struct wire *wire);
/* The next whole message; false when there is none (or a frame was impossible: wire_lost()).
 * Every BindComplete is passed over. */
bool wire_next(struct wire *wire, struct wire_message *message);
/* Keeps the part of a message that is left over. Must follow the last wire_next(). */
void wire_done_reading(struct wire *wire);
bool wire_lost(const struct wire *wire);

/* ---- decoding bodies; all are safe on any bytes, false when they are not well formed ---- */

/* An error or notice: borrowed texts within the body, "" when absent. */
struct wire_error {
    const char *severity, *sqlstate, *message, *detail, *hint;
};
bool wire_read_error(const struct wire_message *message, struct wire_error *error);
/* "SELECT 5" gives 5 and kind 'S'; "INSERT 0 1" 1 and 'I'; 'U' update, 'D' delete, 'M' merge, 'C'
 * copy; other tags give -1 and 'O' (BEGIN, COMMIT, ROLLBACK, SET, DDL). 'R' is ROLLBACK. */
bool wire_read_complete(const struct wire_message *message, int64_t *rows, char *kind);
/* 'I', 'T' or 'E'. */
bool wire_read_ready(const struct wire_message *message, char *status);
/* ParameterDescription into a shape; false also for more than WIRE_PARAMS_MAX. */
bool wire_read_parameters(const struct wire_message *message, struct wire_shape *shape);
/* Walks a DataRow: start with *at = NULL and *left = -1; gives the next field, bytes NULL for NULL;
 * false at the end (*left = 0) or when malformed (*left = -2). */
bool wire_read_field(const struct wire_message *message, const unsigned char **at, int *left,
                     const unsigned char **bytes, int32_t *length);

#endif
