/*
 * fake_server.c - a server that misbehaves as its script says.
 *
 * usage: fake_server (-k FOLDER | -t) [-p PORT] [-r ROWS] [-w WIDTH] SCRIPT
 *
 * Without rules it answers as null_server does (options likewise; it says "ready" when it listens).
 * A script is a text of one rule a line; # begins a comment:
 *
 *     [connection K] EVENT N ACTION [ARGUMENTS]
 *
 * K counts connections from 1, in the order of their coming. EVENT is what the client says:
 * `startup`, `parse`, `bind`, `describe`, `execute` (also a simple query), `begin`, `commit`,
 * `sync`, `query` (simple). N counts them on that connection from 1; `*` is each of them. ACTION:
 *
 *     error SQLSTATE TEXT   answers with an error          fatal SQLSTATE TEXT   and closes
 *     notice TEXT           sends a notice before          parameter NAME VALUE  a ParameterStatus
 *     stall MS              waits before it answers         silent                never answers
 *     close                 closes without an answer        garbage COUNT         bytes of 0xff
 * instead die COUNT             sends COUNT bytes of the answer that is under way, then closes
 *     reset COUNT           likewise, then resets (TCP)
 *     split [US]            from now on sends byte by byte, US microseconds apart
 *     rows ROWS [WIDTH]     from now on answers have so many rows
 *
 * An answer is what the server would send at once: all up to Sync or a simple query's end. A
 * process a connection; all end on SIGTERM, or with the process that started the server.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "fake/speak.h"

#define RULES_MAX 256

enum event { STARTUP, PARSE, BIND, DESCRIBE, EXECUTE, BEGIN, COMMIT, SYNC, QUERY, EVENT_COUNT };
static const char *const event_names[] = { "startup", "parse",  "bind", "describe", "execute",
                                           "begin",   "commit", "sync", "query" };
enum action {
    ERROR,
    FATAL,
    NOTICE,
    PARAMETER,
    STALL,
    SILENT,
    CLOSE,
    GARBAGE,
    DIE,
    RESET,
    SPLIT,
    ROWS
};
static const char *const action_names[] = { "error", "fatal",  "notice", "parameter",
                                            "stall", "silent", "close",  "garbage",
                                            "die",   "reset",  "split",  "rows" };

struct rule {
    int connection, number; /* 0: any */
    enum event event;
    enum action action;
    char first[64], rest[256]; /* the arguments */
};

static struct rule rules[RULES_MAX];
static int rule_count;

/* One connection; the process is its own. */
static int fd, connection, counts[EVENT_COUNT];
static struct talk talk = { .rows = 1, .width = 1, .status = 'I' };
static struct speech heard, answer;
static long cut = -1; /* bytes of the answer that are sent before the end */
static bool reset, split;
static long split_us;

/* ---- the script ---- */

static void refuse(const char *line)
{
    fprintf(stderr, "fake_server: not a rule: %s\n", line);
    exit(2);
}

static int find_name(const char *const *names, int count, const char *word, const char *line)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], word) == 0)
            return i;
    }
    refuse(line);
    return -1;
}

static void read_rule(char *line)
{
    struct rule *rule = &rules[rule_count];
    char event[16], number[16], action[16];
    int used = 0;

    line[strcspn(line, "#\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return;
    if (sscanf(line, " connection %d%n", &rule->connection, &used) < 1)
        used = 0;
    if (rule_count == RULES_MAX || sscanf(line + used, " %15s %15s %15s %63s %255[^\n]", event,
                                          number, action, rule->first, rule->rest) < 3)
        refuse(line);
    rule->event = (enum event)find_name(event_names, EVENT_COUNT, event, line);
    rule->action = (enum action)find_name(action_names, COUNT_OF(action_names), action, line);
    rule->number = (int)strtol(number, NULL, 10);
    rule_count++;
}

static void read_script(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file) != NULL)
        read_rule(line);
    fclose(file);
}

static long number_of(const char *word)
{
    return strtol(word, NULL, 10);
}

/* ---- sending ---- */

static void NEVER_RETURNS leave(void)
{
    struct linger linger = { .l_onoff = 1, .l_linger = 0 };

    if (reset)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(fd);
    _exit(0);
}

static void wait_us(long us)
{
    struct timespec time = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&time, NULL);
}

static void send_answer(void)
{
    size_t length = cut >= 0 && (size_t)cut < answer.length ? (size_t)cut : answer.length;
    size_t step = split ? 1 : length;
    ssize_t sent;

    for (size_t at = 0; at < length; at += (size_t)sent) {
        sent = send(fd, answer.bytes + at, step < length - at ? step : length - at, MSG_NOSIGNAL);
        if (sent <= 0)
            leave();
        if (split && split_us > 0)
            wait_us(split_us);
    }
    answer.length = 0;
    if (cut >= 0)
        leave();
}

/* ---- rules ---- */

/* What takes the place of the answer: true when it did. */
static bool act_instead(const struct rule *rule, char type)
{
    switch (rule->action) {
    case ERROR:
        speak_failure(&talk, type, rule->first, rule->rest, &answer);
        return true;
    case FATAL:
        speak_error(&answer, 'E', "FATAL", rule->first, rule->rest);
        send_answer();
        leave();
    case CLOSE:
        leave();
    case SILENT:
        return true;
    case GARBAGE:
        for (long i = number_of(rule->first); i > 0; i--)
            speak_bytes(&answer, "\xff", 1);
        send_answer();
        return true;
    default:
        return false;
    }
}

static void act_beside(const struct rule *rule)
{
    char words[512];

    switch (rule->action) {
    case NOTICE:
        snprintf(words, sizeof words, "%s %s", rule->first, rule->rest);
        speak_error(&answer, 'N', "NOTICE", "00000", words);
        break;
    case PARAMETER:
        speak_begin(&answer, 'S');
        speak_text(&answer, rule->first);
        speak_text(&answer, rule->rest);
        speak_end(&answer);
        break;
    case STALL:
        wait_us(1000 * number_of(rule->first));
        break;
    case RESET:
    case DIE:
        reset = rule->action == RESET;
        cut = number_of(rule->first);
        break;
    case SPLIT:
        split = true;
        split_us = number_of(rule->first);
        break;
    case ROWS:
        talk.rows = (int)number_of(rule->first);
        if (rule->rest[0] != '\0')
            talk.width = (int)number_of(rule->rest);
        break;
    default:
        break;
    }
}

/* True when a rule has taken the answer's place. */
static bool happens(enum event event, char type)
{
    bool done = false;

    counts[event]++;
    for (int i = 0; i < rule_count && !done; i++) {
        const struct rule *rule = &rules[i];

        if (rule->event != event || (rule->connection != 0 && rule->connection != connection) ||
            (rule->number != 0 && rule->number != counts[event]))
            continue;
        act_beside(rule);
        done = act_instead(rule, type);
    }
    return done;
}

/* ---- one connection ---- */

static void answer_message(char type, const unsigned char *body, size_t size)
{
    static const struct {
        char type;
        enum event event;
    } events[] = { { 'P', PARSE },   { 'B', BIND },  { 'D', DESCRIBE }, { 'E', EXECUTE },
                   { 'Q', EXECUTE }, { 'Q', QUERY }, { 'S', SYNC } };
    bool skipped = talk.skipping && type != 'S' && type != 'Q', done = false;
    enum speak_kind kind = SPEAK_OTHER;

    if (type == 'E' || type == 'Q')
        kind = speak_kind_of(&talk, type, body);
    for (int i = 0; i < COUNT_OF(events) && !skipped && !done; i++) {
        if (type == events[i].type)
            done = happens(events[i].event, type);
    }
    if (!skipped && !done && kind == SPEAK_BEGIN)
        done = happens(BEGIN, type);
    if (!skipped && !done && kind == SPEAK_COMMIT)
        done = happens(COMMIT, type);
    if (!done)
        speak_answer(&talk, type, body, size, &answer);
}

/* Takes the next whole message out of `heard` and answers it; false when there is none. */
static bool take_message(bool *welcomed)
{
    int64_t size = speak_length(heard.bytes, heard.length, *welcomed);
    char type = 'S';

    if (size < 0)
        leave();
    if (size == 0 || size > (int64_t)heard.length)
        return false;
    if (*welcomed) {
        unsigned char *body = memory_make((size_t)size, 1); /* one byte more than it has */

        type = (char)heard.bytes[0];
        memcpy(body, heard.bytes + 5, (size_t)size - 5);
        answer_message(type, body, (size_t)size - 5);
        memory_free(body);
    } else if (speak_startup_kind(heard.bytes, (size_t)size) == SPEAK_STARTUP) {
        *welcomed = true;
        if (!happens(STARTUP, 'F'))
            speak_welcome(&answer, getpid());
        else if (talk.skipping) /* an error at this point is the end */
            cut = (long)answer.length;
    } else if (speak_startup_kind(heard.bytes, (size_t)size) == SPEAK_REFUSE_ENCRYPTION) {
        speak_bytes(&answer, "N", 1);
    } else {
        leave();
    }
    heard.length -= (size_t)size;
    memmove(heard.bytes, heard.bytes + size, heard.length);
    if (type == 'S' || type == 'Q' || type == 'H')
        send_answer();
    if (talk.goodbye)
        leave();
    return true;
}

static void NEVER_RETURNS serve(void)
{
    bool welcomed = false;
    ssize_t got;
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* fails on a unix socket */
    for (;;) {
        speak_reserve(&heard, 65536);
        got = recv(fd, heard.bytes + heard.length, 65536, 0);
        if (got <= 0)
            leave();
        heard.length += (size_t)got;
        while (take_message(&welcomed))
            ;
    }
}

int main(int argc, char **argv)
{
    const char *folder = NULL;
    bool tcp = false;
    int letter, door, port = 5432;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    while ((letter = getopt(argc, argv, "k:tp:r:w:")) != -1) {
        if (letter == 'k')
            folder = optarg;
        else if (letter == 't')
            tcp = true;
        else if (letter == 'p')
            port = (int)number_of(optarg);
        else if (letter == 'r')
            talk.rows = (int)number_of(optarg);
        else if (letter == 'w')
            talk.width = (int)number_of(optarg);
        else
            return 2;
    }
    if (optind != argc - 1 || (folder != NULL) == tcp) {
        fprintf(stderr,
                "usage: fake_server (-k FOLDER | -t) [-p PORT] [-r ROWS] [-w WIDTH] SCRIPT\n");
        return 2;
    }
    read_script(argv[optind]);
    signal(SIGCHLD, SIG_IGN);
    door = speak_listen(folder, port);
    printf("ready\n");
    fflush(stdout);
    while ((fd = accept(door, NULL, NULL)) >= 0) {
        connection++;
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            close(door);
            serve();
        }
        close(fd);
    }
    return 1;
}
