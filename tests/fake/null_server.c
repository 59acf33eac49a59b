/*
 * null_server.c - a server that answers everything at once and does nothing, to measure the client
 * alone.
 *
 * usage: null_server [-k FOLDER] [-t] [-p PORT] [-r ROWS] [-w WIDTH]
 *   -k FOLDER  listen on FOLDER/.s.PGSQL.PORT
 *   -t         listen on 127.0.0.1:PORT
 *   -p PORT    5432 unless given
 *   -r ROWS    rows of an answer, 1 unless given;  -w WIDTH  bytes of each row's one value, 1
 *
 * Anybody may connect. It says "ready" on stdout when it listens, ends on SIGTERM, and when the
 * process that started it ends. One thread, one epoll; an idle connection costs a small struct, so
 * that 10,000 of them fit.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "fake/speak.h"

#define INPUT_SIZE (256 * 1024)
#define EVENTS_MAX 256

struct guest {
    int fd;
    bool listening, welcomed;
    struct talk talk;
    struct speech partial; /* the beginning of a message */
    struct speech unsent;
};

static int epoll_fd, rows = 1, width = 1, next_pid = 1000;
static unsigned char input[INPUT_SIZE + 1];
static struct speech answer;

static void watch(struct guest *guest, int operation, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = guest };

    epoll_ctl(epoll_fd, operation, guest->fd, &event);
}

static void leave(struct guest *guest)
{
    close(guest->fd);
    memory_free(guest->partial.bytes);
    memory_free(guest->unsent.bytes);
    memory_free(guest);
}

static void meet(struct guest *door)
{
    struct guest *guest;
    int fd, on = 1;

    while ((fd = accept4(door->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        guest = MEMORY_NEW(struct guest);
        guest->fd = fd;
        guest->talk = (struct talk){ .rows = rows, .width = width, .status = 'I' };
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* fails on a unix socket */
        watch(guest, EPOLL_CTL_ADD, EPOLLIN);
    }
}

/* False when the guest is gone. */
static bool send_answer(struct guest *guest)
{
    struct speech *from = guest->unsent.length > 0 ? &guest->unsent : &answer;
    ssize_t sent;

    if (from == &guest->unsent)
        speak_bytes(&guest->unsent, answer.bytes, answer.length);
    if (from->length == 0)
        return true;
    sent = send(guest->fd, from->bytes, from->length, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        return false;
    sent = sent < 0 ? 0 : sent;
    if (from == &answer && (size_t)sent < answer.length) {
        speak_bytes(&guest->unsent, answer.bytes + sent, answer.length - (size_t)sent);
        watch(guest, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
    } else if (from == &guest->unsent) {
        from->length -= (size_t)sent;
        memmove(from->bytes, from->bytes + sent, from->length);
        if (from->length == 0)
            watch(guest, EPOLL_CTL_MOD, EPOLLIN);
    }
    return true;
}

/* False when the guest is to be shown out. */
static bool hear_startup(struct guest *guest, const unsigned char *bytes, size_t length)
{
    switch (speak_startup_kind(bytes, length)) {
    case SPEAK_STARTUP:
        guest->welcomed = true;
        speak_welcome(&answer, next_pid++);
        return true;
    case SPEAK_REFUSE_ENCRYPTION:
        speak_bytes(&answer, "N", 1);
        return true;
    default:
        return false;
    }
}

static bool hear(struct guest *guest, unsigned char *bytes, size_t length)
{
    unsigned char *end = bytes + length, after;
    int64_t size;

    while ((size = speak_length(bytes, (size_t)(end - bytes), guest->welcomed)) > 0 &&
           size <= end - bytes) {
        if (!guest->welcomed) {
            if (!hear_startup(guest, bytes, (size_t)size))
                return false;
        } else {
            after = bytes[size];
            bytes[size] = '\0';
            speak_answer(&guest->talk, (char)bytes[0], bytes + 5, (size_t)size - 5, &answer);
            bytes[size] = after;
        }
        bytes += size;
    }
    guest->partial.length = 0;
    if (bytes < end)
        speak_bytes(&guest->partial, bytes, (size_t)(end - bytes));
    return size >= 0 && !guest->talk.goodbye;
}

/* A message too long for the shared buffer is put together in `partial`. */
static bool listen_to_long(struct guest *guest)
{
    struct speech whole = guest->partial;
    ssize_t got;
    bool fine;

    speak_reserve(&whole, INPUT_SIZE + 1); /* hear() sets a NUL behind */
    guest->partial = whole;
    got = recv(guest->fd, whole.bytes + whole.length, INPUT_SIZE, 0);
    if (got <= 0)
        return got < 0 && errno == EAGAIN;
    whole.length += (size_t)got;
    guest->partial = whole;
    if (speak_length(whole.bytes, whole.length, true) > (int64_t)whole.length)
        return true;
    guest->partial = (struct speech){ 0 };
    fine = hear(guest, whole.bytes, whole.length);
    memory_free(whole.bytes);
    return send_answer(guest) && fine;
}

static bool listen_to(struct guest *guest)
{
    size_t held = guest->partial.length;
    ssize_t got;
    bool fine;

    if (held >= INPUT_SIZE / 2)
        return listen_to_long(guest);
    got = recv(guest->fd, input + held, INPUT_SIZE - held, 0);
    if (got <= 0)
        return got < 0 && errno == EAGAIN;
    if (held > 0)
        memcpy(input, guest->partial.bytes, held);
    fine = hear(guest, input, held + (size_t)got);
    return send_answer(guest) && fine;
}

static void serve(void)
{
    struct epoll_event events[EVENTS_MAX];
    int count;

    for (;;) {
        count = epoll_wait(epoll_fd, events, EVENTS_MAX, -1);
        for (int i = 0; i < count; i++) {
            struct guest *guest = events[i].data.ptr;

            if (guest->listening) {
                meet(guest);
                continue;
            }
            answer.length = 0;
            if ((events[i].events & EPOLLOUT) != 0 && !send_answer(guest))
                leave(guest);
            else if ((events[i].events & ~(uint32_t)EPOLLOUT) != 0 && !listen_to(guest))
                leave(guest);
        }
    }
}

static void open_door(const char *folder, int port)
{
    struct guest *door = MEMORY_NEW(struct guest);

    door->fd = speak_listen(folder, port);
    fcntl(door->fd, F_SETFL, O_NONBLOCK);
    door->listening = true;
    watch(door, EPOLL_CTL_ADD, EPOLLIN);
}

int main(int argc, char **argv)
{
    const char *folder = NULL;
    struct rlimit limit;
    bool tcp = false;
    int letter, port = 5432;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    while ((letter = getopt(argc, argv, "k:tp:r:w:")) != -1) {
        if (letter == 'k')
            folder = optarg;
        else if (letter == 't')
            tcp = true;
        else if (letter == 'p')
            port = (int)strtol(optarg, NULL, 10);
        else if (letter == 'r')
            rows = (int)strtol(optarg, NULL, 10);
        else if (letter == 'w')
            width = (int)strtol(optarg, NULL, 10);
        else
            return 2;
    }
    if (folder == NULL && !tcp) {
        fprintf(stderr, "null_server: -k FOLDER or -t is needed\n");
        return 2;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (folder != NULL)
        open_door(folder, port);
    if (tcp)
        open_door(NULL, port);
    printf("ready\n");
    fflush(stdout);
    serve();
}
