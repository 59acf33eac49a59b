/*
 * speak.c - see speak.h. Statements are shared by all connections: clients under test give the same
 * statement the same name everywhere, or at least statements of the same form.
 */
#include "fake/speak.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"

#define STATEMENTS_MAX 4096
#define NAME_MAX_BYTES 64
#define MESSAGE_MAX    (64 << 20)
#define OID_INT4       23
#define OID_TEXT       25

struct statement {
    char name[NAME_MAX_BYTES];
    enum speak_kind kind;
    int param_count;
    const char *row; /* a canned row, or NULL */
    uint32_t param_types[64];
};

static struct statement
    statements[STATEMENTS_MAX]; /* open hash; 0 is the unnamed one's place too */

/* ---- words ---- */

void speak_reserve(struct speech *speech, size_t more)
{
    if (speech->length + more <= speech->size)
        return;
    speech->size = 2 * (speech->length + more) + 64;
    speech->bytes = memory_resize(speech->bytes, speech->size);
}

void speak_bytes(struct speech *speech, const void *bytes, size_t length)
{
    speak_reserve(speech, length);
    if (length > 0)
        memcpy(speech->bytes + speech->length, bytes, length);
    speech->length += length;
}

static void put_half(struct speech *speech, unsigned number)
{
    unsigned char bytes[] = { (unsigned char)(number >> 8), (unsigned char)number };

    speak_bytes(speech, bytes, sizeof bytes);
}

static void put_word(struct speech *speech, uint32_t number)
{
    put_half(speech, number >> 16);
    put_half(speech, number & 0xffff);
}

static uint32_t get_word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static _Thread_local size_t begun; /* where the open message begins */

void speak_begin(struct speech *speech, char type)
{
    begun = speech->length;
    speak_bytes(speech, &type, 1);
    put_word(speech, 0);
}

void speak_text(struct speech *speech, const char *text)
{
    speak_bytes(speech, text, strlen(text) + 1);
}

void speak_end(struct speech *speech)
{
    size_t end = speech->length;

    speech->length = begun + 1;
    put_word(speech, (uint32_t)(end - begun - 1));
    speech->length = end;
}

static void say_empty(struct speech *speech, char type)
{
    speak_begin(speech, type);
    speak_end(speech);
}

static void say_ready(struct talk *talk, struct speech *speech)
{
    speak_begin(speech, 'Z');
    speak_bytes(speech, &talk->status, 1);
    speak_end(speech);
}

void speak_error(struct speech *speech, char type, const char *severity, const char *sqlstate,
                 const char *text)
{
    const char *const fields[][2] = {
        { "S", severity }, { "V", severity }, { "C", sqlstate }, { "M", text }
    };

    speak_begin(speech, type);
    for (int i = 0; i < COUNT_OF(fields); i++) {
        speak_bytes(speech, fields[i][0], 1);
        speak_text(speech, fields[i][1]);
    }
    speak_bytes(speech, "", 1);
    speak_end(speech);
}

void speak_welcome(struct speech *speech, int pid)
{
    static const char *const parameters[][2] = {
        { "server_version", "15.0" },
        { "server_encoding", "UTF8" },
        { "client_encoding", "UTF8" },
        { "standard_conforming_strings", "on" },
        { "integer_datetimes", "on" },
        { "DateStyle", "ISO, MDY" },
        { "TimeZone", "UTC" },
        { "is_superuser", "on" },
        { "default_transaction_read_only", "off" },
        { "in_hot_standby", "off" },
    };

    speak_begin(speech, 'R');
    put_word(speech, 0);
    speak_end(speech);
    for (int i = 0; i < COUNT_OF(parameters); i++) {
        speak_begin(speech, 'S');
        speak_text(speech, parameters[i][0]);
        speak_text(speech, parameters[i][1]);
        speak_end(speech);
    }
    speak_begin(speech, 'K');
    put_word(speech, (uint32_t)pid);
    put_word(speech, 0x5eed);
    speak_end(speech);
    speak_begin(speech, 'Z');
    speak_bytes(speech, "I", 1);
    speak_end(speech);
}

/* ---- statements ---- */

static bool begins(const char *sql, const char *word)
{
    return strncasecmp(sql, word, strlen(word)) == 0;
}

static enum speak_kind kind_of(const char *sql)
{
    sql += strspn(sql, " \t\r\n");
    if (*sql == '\0' || *sql == ';')
        return SPEAK_EMPTY;
    if (begins(sql, "SELECT") || begins(sql, "SHOW") || begins(sql, "VALUES") ||
        begins(sql, "WITH"))
        return SPEAK_ROWS;
    if (begins(sql, "INSERT") || begins(sql, "UPDATE") || begins(sql, "DELETE"))
        return SPEAK_CHANGE;
    if (begins(sql, "BEGIN") || begins(sql, "START"))
        return SPEAK_BEGIN;
    if (begins(sql, "COMMIT") || begins(sql, "END"))
        return SPEAK_COMMIT;
    return begins(sql, "ROLLBACK") || begins(sql, "ABORT") ? SPEAK_ROLLBACK : SPEAK_OTHER;
}

/* Questions of pgdyno itself whose answers matter: how many may connect; rows as JSON. */
static const char *canned_row(const char *sql)
{
    static const char *const pairs[][2] = {
        { "current_setting('max_connections')", "100000|0|0|1|-1|0|-1|0" },
        { "pg_backend_pid()", "0" }, /* which nobody is: not told */
        { "json_agg(", "[]" },
        { "row_to_json(", "{}" },
    };

    for (int i = 0; i < COUNT_OF(pairs); i++) {
        if (strstr(sql, pairs[i][0]) != NULL)
            return pairs[i][1];
    }
    return NULL;
}

static int find_statement(const char *name)
{
    unsigned hash = 5381;
    int tries = 0;

    for (const char *at = name; *at != '\0'; at++)
        hash = hash * 33 + (unsigned char)*at;
    hash %= STATEMENTS_MAX;
    while (statements[hash].name[0] != '\0' && strcmp(statements[hash].name, name) != 0 &&
           tries++ < STATEMENTS_MAX)
        hash = (hash + 1) % STATEMENTS_MAX;
    return (int)hash;
}

static void learn(struct statement *statement, const char *sql)
{
    statement->kind = kind_of(sql);
    statement->row = canned_row(sql);
    statement->param_count = 0;
    for (const char *at = strchr(sql, '$'); at != NULL; at = strchr(at + 1, '$')) {
        int number = (int)strtol(at + 1, NULL, 10);

        if (number > statement->param_count && number <= COUNT_OF(statement->param_types))
            statement->param_count = number;
    }
}

/* The n-th string of a body; "" when there are not so many. */
static const char *string_at(const unsigned char *body, size_t size, int number)
{
    const char *at = (const char *)body, *end = at + size;

    for (; number > 0 && at < end; number--)
        at += strlen(at) + 1;
    return at < end ? at : "";
}

static void parse(const unsigned char *body, size_t size)
{
    const char *name = string_at(body, size, 0), *sql = string_at(body, size, 1);
    struct statement *statement = &statements[find_statement(name)];
    const unsigned char *at = (const unsigned char *)sql + strlen(sql) + 1;
    int declared = 0;

    if (strlen(name) >= NAME_MAX_BYTES)
        return;
    if (at + 2 <= body + size)
        declared = at[0] << 8 | at[1];
    memcpy(statement->name, name, strlen(name) + 1);
    learn(statement, sql);
    for (int i = 0; i < COUNT_OF(statement->param_types); i++) {
        statement->param_types[i] = OID_INT4;
        if (i < declared && at + 6 + 4 * i <= body + size && get_word(at + 2 + 4 * i) != 0)
            statement->param_types[i] = get_word(at + 2 + 4 * i);
    }
}

/* ---- answers ---- */

static int count_columns(const char *row)
{
    int count = 1;

    for (; row != NULL && *row != '\0'; row++)
        count += *row == '|';
    return count;
}

static void describe_rows(const struct talk *talk, const char *row, struct speech *speech)
{
    int columns = count_columns(row);

    speak_begin(speech, 'T');
    put_half(speech, (unsigned)columns);
    for (int i = 0; i < columns; i++) {
        speak_text(speech, "value");
        put_word(speech, 0);
        put_half(speech, 0);
        put_word(speech, row == NULL && talk->width <= 9 ? OID_INT4 : OID_TEXT);
        put_half(speech, row == NULL && talk->width <= 9 ? 4 : 0xffff);
        put_word(speech, UINT32_MAX);
        put_half(speech, 0);
    }
    speak_end(speech);
}

static void say_row(const struct talk *talk, const char *row, struct speech *speech)
{
    static const char ones[] = "1111111111111111111111111111111111111111111111111111111111111111";
    size_t left = (size_t)talk->width, part;

    speak_begin(speech, 'D');
    put_half(speech, (unsigned)count_columns(row));
    if (row == NULL) {
        put_word(speech, (uint32_t)left);
        for (; left > 0; left -= part) {
            part = left < sizeof ones - 1 ? left : sizeof ones - 1;
            speak_bytes(speech, ones, part);
        }
    }
    for (; row != NULL; row = row[part] == '|' ? row + part + 1 : NULL) {
        part = strcspn(row, "|");
        put_word(speech, (uint32_t)part);
        speak_bytes(speech, row, part);
    }
    speak_end(speech);
}

static void say_complete(struct talk *talk, enum speak_kind kind, int rows, struct speech *speech)
{
    static const char *const tags[] = {
        [SPEAK_CHANGE] = "UPDATE 1",   [SPEAK_BEGIN] = "BEGIN", [SPEAK_COMMIT] = "COMMIT",
        [SPEAK_ROLLBACK] = "ROLLBACK", [SPEAK_OTHER] = "SET",
    };
    char select[32];

    if (kind == SPEAK_BEGIN)
        talk->status = 'T';
    if (kind == SPEAK_COMMIT && talk->status == 'E')
        kind = SPEAK_ROLLBACK;
    if (kind == SPEAK_COMMIT || kind == SPEAK_ROLLBACK)
        talk->status = 'I';
    speak_begin(speech, 'C');
    if (kind == SPEAK_ROWS) {
        snprintf(select, sizeof select, "SELECT %d", rows);
        speak_text(speech, select);
    } else {
        speak_text(speech, tags[kind]);
    }
    speak_end(speech);
}

/* Rows and the end of one statement. */
static void execute(struct talk *talk, const struct statement *statement, struct speech *speech)
{
    int rows = statement->row != NULL ? 1 : talk->rows;
    enum speak_kind kind = statement->kind;

    if (talk->status == 'E' && kind != SPEAK_ROLLBACK && kind != SPEAK_COMMIT) {
        speak_failure(talk, 'E', "25P02", "current transaction is aborted", speech);
        return;
    }
    if (kind == SPEAK_EMPTY) {
        say_empty(speech, 'I');
        return;
    }
    if (kind == SPEAK_ROWS) {
        for (int i = 0; i < rows; i++)
            say_row(talk, statement->row, speech);
    }
    say_complete(talk, kind, rows, speech);
}

static void answer_query(struct talk *talk, const char *sql, struct speech *speech)
{
    struct statement statement;

    learn(&statement, sql);
    if (statement.kind == SPEAK_ROWS && talk->status != 'E')
        describe_rows(talk, statement.row, speech);
    execute(talk, &statement, speech);
    talk->skipping = false;
    say_ready(talk, speech);
}

static void describe(struct talk *talk, const unsigned char *body, size_t size,
                     struct speech *speech)
{
    const struct statement *statement = &statements[talk->bound];

    if (size > 0 && body[0] == 'S') {
        statement = &statements[find_statement((const char *)body + 1)];
        speak_begin(speech, 't');
        put_half(speech, (unsigned)statement->param_count);
        for (int i = 0; i < statement->param_count; i++)
            put_word(speech, statement->param_types[i]);
        speak_end(speech);
    }
    if (statement->kind == SPEAK_ROWS)
        describe_rows(talk, statement->row, speech);
    else
        say_empty(speech, 'n');
}

enum speak_kind speak_kind_of(const struct talk *talk, char type, const unsigned char *body)
{
    return type == 'Q' ? kind_of((const char *)body) : statements[talk->bound].kind;
}

void speak_failure(struct talk *talk, char type, const char *sqlstate, const char *text,
                   struct speech *speech)
{
    speak_error(speech, 'E', "ERROR", sqlstate, text);
    if (talk->status == 'T')
        talk->status = 'E';
    if (type == 'Q')
        say_ready(talk, speech);
    else
        talk->skipping = true;
}

void speak_answer(struct talk *talk, char type, const unsigned char *body, size_t size,
                  struct speech *speech)
{
    if (type == 'X') {
        talk->goodbye = true;
    } else if (type == 'S') {
        talk->skipping = false;
        say_ready(talk, speech);
    } else if (type == 'Q') {
        answer_query(talk, (const char *)body, speech);
    } else if (talk->skipping) {
        return;
    } else if (type == 'P') {
        parse(body, size);
        say_empty(speech, '1');
    } else if (type == 'B') {
        talk->bound = find_statement(string_at(body, size, 1));
        say_empty(speech, '2');
    } else if (type == 'D') {
        describe(talk, body, size, speech);
    } else if (type == 'E') {
        execute(talk, &statements[talk->bound], speech);
    } else if (type == 'C') {
        say_empty(speech, '3');
    } else if (type != 'H') {
        speak_error(speech, 'E', "FATAL", "08P01", "message of an unknown type");
        talk->goodbye = true;
    }
}

/* ---- frames, and sockets ---- */

int64_t speak_length(const unsigned char *bytes, size_t length, bool welcomed)
{
    size_t before = welcomed ? 1 : 0;
    uint32_t said;

    if (length < before + 4)
        return 0;
    said = get_word(bytes + before);
    return said < 4 || said > MESSAGE_MAX ? -1 : (int64_t)(before + said);
}

enum speak_startup speak_startup_kind(const unsigned char *bytes, size_t length)
{
    uint32_t code = length >= 8 ? get_word(bytes + 4) : 0;

    if (code == 3 << 16)
        return SPEAK_STARTUP;
    if (code == 80877103 || code == 80877104) /* TLS, GSS */
        return SPEAK_REFUSE_ENCRYPTION;
    return code == 80877102 ? SPEAK_CANCEL : SPEAK_NONSENSE;
}

int speak_listen(const char *folder, int port)
{
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    struct sockaddr_in net = { .sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(folder != NULL ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    bool fine;

    if (folder != NULL) {
        snprintf(local.sun_path, sizeof local.sun_path, "%s/.s.PGSQL.%d", folder, port);
        unlink(local.sun_path);
        fine = bind(fd, (struct sockaddr *)&local, sizeof local) == 0;
    } else {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        fine = bind(fd, (struct sockaddr *)&net, sizeof net) == 0;
    }
    if (fd < 0 || !fine || listen(fd, 4096) != 0) {
        perror("listening");
        exit(1);
    }
    return fd;
}
