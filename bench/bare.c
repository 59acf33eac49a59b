/*
 * bare.c - the floor: the least that a client of PostgreSQL can do for a prepared point select.
 *
 * One thread, one epoll, N connections over a unix socket; each sends Bind, Execute and Sync for
 * `SELECT c FROM sbtest1 WHERE id = $1` and waits for ReadyForQuery. Nothing is measured, recorded
 * or checked beyond the message type, no library is used, and only trust authentication is spoken.
 * bench/client-cost holds pgdyno and others against it. Errors end the program.
 *
 * usage: bare SOCKET_FOLDER PORT USER DATABASE CONNECTIONS TRANSACTIONS
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define TABLE_SIZE      100000
#define BUFFER_SIZE     4096
#define CONNECTIONS_MAX 10000
#define EVENTS_MAX      256

/* A session: what is left of its last read, until a whole message is there. */
struct session {
    int fd;
    size_t length;
    unsigned char bytes[BUFFER_SIZE];
};

struct out {
    size_t length;
    unsigned char bytes[1024];
};

static void give_up(const char *what)
{
    fprintf(stderr, "bare: %s: %s\n", what, errno != 0 ? strerror(errno) : "not as expected");
    exit(1);
}

static uint32_t read_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_u32(struct out *out, uint32_t number)
{
    const unsigned char bytes[] = { (unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                    (unsigned char)(number >> 8), (unsigned char)number };
    memcpy(out->bytes + out->length, bytes, sizeof(bytes));
    out->length += sizeof(bytes);
}

static void put_bytes(struct out *out, const void *bytes, size_t count)
{
    if (out->length + count > sizeof(out->bytes))
        give_up("a message too long");
    memcpy(out->bytes + out->length, bytes, count);
    out->length += count;
}

static void put_text(struct out *out, const char *text)
{
    put_bytes(out, text, strlen(text) + 1);
}

static void send_all(int fd, const struct out *out)
{
    if (send(fd, out->bytes, out->length, MSG_NOSIGNAL) != (ssize_t)out->length)
        give_up("send");
}

/* Walks the whole messages of a session; true when one was ReadyForQuery. */
static int take_messages(struct session *session)
{
    size_t at = 0;
    int ready = 0;

    while (session->length - at >= 5) {
        size_t size = 1 + (size_t)read_u32(session->bytes + at + 1);
        if (size > BUFFER_SIZE)
            give_up("an answer too long");
        if (session->length - at < size)
            break;
        if (session->bytes[at] == 'E')
            give_up("the server says an error");
        if (session->bytes[at] == 'Z')
            ready = 1;
        at += size;
    }
    session->length -= at;
    if (session->length > 0)
        memmove(session->bytes, session->bytes + at, session->length);
    return ready;
}

/* Reads once; true when the answer is complete. */
static int receive(struct session *session)
{
    ssize_t got =
        recv(session->fd, session->bytes + session->length, BUFFER_SIZE - session->length, 0);

    if (got <= 0)
        give_up("recv");
    session->length += (size_t)got;
    return take_messages(session);
}

static void open_socket(struct session *session, const char *folder, const char *port)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };

    if (snprintf(address.sun_path, sizeof(address.sun_path), "%s/.s.PGSQL.%s", folder, port) >=
        (int)sizeof(address.sun_path))
        give_up("a socket path too long");
    session->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (session->fd < 0 ||
        connect(session->fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        give_up("connect");
}

static void start_session(struct session *session, const char *user, const char *database)
{
    struct out out = { .length = 4 };
    uint32_t length;

    put_u32(&out, 196608); /* protocol 3.0 */
    put_text(&out, "user");
    put_text(&out, user);
    put_text(&out, "database");
    put_text(&out, database);
    put_text(&out, "");
    length = (uint32_t)out.length;
    out.length = 0;
    put_u32(&out, length);
    out.length = length;
    send_all(session->fd, &out);
    while (!receive(session))
        continue;
}

static void prepare(struct session *session)
{
    static const char sql[] = "SELECT c FROM sbtest1 WHERE id = $1";
    static const char count_and_type[] = { 0, 1, 0, 0, 0, 23 }; /* one parameter, int4 */
    struct out out = { .length = 0 };

    put_bytes(&out, "P", 1);
    put_u32(&out, (uint32_t)(4 + sizeof("s") + sizeof(sql) + sizeof(count_and_type)));
    put_text(&out, "s");
    put_text(&out, sql);
    put_bytes(&out, count_and_type, sizeof(count_and_type));
    put_bytes(&out, "S\0\0\0\4", 5);
    send_all(session->fd, &out);
    while (!receive(session))
        continue;
}

/* Bind, Execute and Sync in one piece, made once; only the four bytes of the value change. */
static size_t make_query(struct out *out)
{
    static const unsigned char head[] = {
        'B', 0, 0, 0, 23, 0, 's', 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 4
    };
    static const unsigned char tail[] = { 0,   0,                         /* results as text */
                                          'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, /* the unnamed portal */
                                          'S', 0, 0, 0, 4 };
    size_t value_at;

    out->length = 0;
    put_bytes(out, head, sizeof(head));
    value_at = out->length;
    put_u32(out, 0);
    put_bytes(out, tail, sizeof(tail));
    return value_at;
}

/* Sends the next query: an id from xorshift64*, which is as cheap as random numbers get. */
static void send_query(int fd, struct out *query, size_t value_at, uint64_t *random)
{
    uint32_t id;
    size_t length = query->length;

    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    id = 1 + (uint32_t)((((*random * UINT64_C(2685821657736338717)) >> 32) * TABLE_SIZE) >> 32);
    query->length = value_at;
    put_u32(query, id);
    query->length = length;
    send_all(fd, query);
}

static void run(struct session *sessions, int count, long transactions)
{
    struct epoll_event events[EVENTS_MAX];
    struct out query;
    size_t value_at = make_query(&query);
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    long sent = 0, done = 0;
    int poll = epoll_create1(EPOLL_CLOEXEC);

    for (int i = 0; i < count; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &sessions[i] };
        if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, sessions[i].fd, &event) != 0)
            give_up("epoll");
        if (sent < transactions) {
            send_query(sessions[i].fd, &query, value_at, &random);
            sent++;
        }
    }
    while (done < transactions) {
        int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
        for (int i = 0; i < ready; i++) {
            struct session *session = events[i].data.ptr;
            if (!receive(session))
                continue;
            done++;
            if (sent < transactions) {
                send_query(session->fd, &query, value_at, &random);
                sent++;
            }
        }
    }
    close(poll);
}

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct session *sessions;
    double begin;
    int count;
    long transactions;

    if (argc != 7) {
        fprintf(stderr, "usage: bare SOCKET_FOLDER PORT USER DATABASE CONNECTIONS TRANSACTIONS\n");
        return 2;
    }
    count = (int)strtol(argv[5], NULL, 10);
    transactions = strtol(argv[6], NULL, 10);
    if (count < 1 || count > CONNECTIONS_MAX || transactions < 1)
        give_up("the numbers");
    sessions = calloc((size_t)count, sizeof(*sessions));
    if (sessions == NULL)
        give_up("memory");
    for (int i = 0; i < count; i++) {
        open_socket(&sessions[i], argv[1], argv[2]);
        start_session(&sessions[i], argv[3], argv[4]);
        prepare(&sessions[i]);
    }
    begin = now_s();
    run(sessions, count, transactions);
    printf("%.1f transactions/s\n", (double)transactions / (now_s() - begin));
    for (int i = 0; i < count; i++)
        close(sessions[i].fd);
    free(sessions);
    return 0;
}
