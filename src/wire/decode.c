/*
 * decode.c - what the server's messages say.
 *
 * The bytes come from outside: each function reads only within the body and says false when it
 * is not well formed. All texts stay where they are.
 */
#include <string.h>

#include "wire/wire_private.h"

#define ROWS_DIGITS_MAX 18 /* fits int64_t whatever the digits */

/* ---- errors and notices ---- */

static bool is_sqlstate(const char *text)
{
    int i = 0;

    while (i < 5 && ((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z')))
        i++;
    return i == 5 && text[5] == '\0';
}

bool wire_read_error(const struct wire_message *message, struct wire_error *error)
{
    const unsigned char *at = message->body, *end = at + message->size, *nul;
    const char *text, *local = "";

    *error = (struct wire_error){
        .severity = "", .sqlstate = "", .message = "", .detail = "", .hint = ""
    };
    while (at < end && *at != '\0') {
        text = (const char *)at + 1;
        nul = memchr(text, '\0', (size_t)(end - at - 1));
        if (nul == NULL)
            return false;
        switch (*at) {
        case 'V': /* as 'S', but never translated; since 9.6 */
            error->severity = text;
            break;
        case 'S':
            local = text;
            break;
        case 'C':
            error->sqlstate = text;
            break;
        case 'M':
            error->message = text;
            break;
        case 'D':
            error->detail = text;
            break;
        case 'H':
            error->hint = text;
            break;
        default: /* position, file, line and what may come */
            break;
        }
        at = nul + 1;
    }
    if (error->severity[0] == '\0')
        error->severity = local;
    return at + 1 == end && (error->sqlstate[0] == '\0' || is_sqlstate(error->sqlstate));
}

/* ---- CommandComplete ---- */

/* Digits to the end; `at` is moved behind them. -1 when there are none or too many. */
static inline int64_t read_digits(const unsigned char **at)
{
    const unsigned char *first = *at;
    int64_t number = 0;

    while ((unsigned)(**at - '0') <= 9 && *at - first < ROWS_DIGITS_MAX) {
        number = number * 10 + (**at - '0');
        ++*at;
    }
    return *at == first ? -1 : number;
}

static inline bool read_rows(const unsigned char *at, const unsigned char *last, int64_t *rows)
{
    *rows = read_digits(&at);
    return *rows >= 0 && at == last;
}

/* Does the tag begin with these words? The compiler makes one or two comparisons of it. */
#define BEGINS(words) (size >= (int)sizeof(words) && memcmp(body, words, sizeof(words) - 1) == 0)

bool wire_read_complete(const struct wire_message *message, int64_t *rows, char *kind)
{
    const unsigned char *body = message->body, *at, *last;
    int size = message->size;

    *rows = -1;
    *kind = 'O';
    if (UNLIKELY(size < 1 || body[size - 1] != '\0'))
        return false;
    last = body + size - 1;
    if (BEGINS("SELECT ") || BEGINS("UPDATE ") || BEGINS("DELETE ")) {
        *kind = (char)body[0];
        if (size == 9 && (unsigned)(body[7] - '0') <= 9) { /* mostly one digit */
            *rows = body[7] - '0';
            return true;
        }
        return read_rows(body + 7, last, rows);
    }
    if (BEGINS("INSERT ")) { /* an OID goes before, always 0 since 12 */
        *kind = 'I';
        at = body + 7;
        return read_digits(&at) >= 0 && *at == ' ' && read_rows(at + 1, last, rows);
    }
    if (BEGINS("MERGE ")) {
        *kind = 'M';
        return read_rows(body + 6, last, rows);
    }
    if (BEGINS("COPY ")) {
        *kind = 'C';
        return read_rows(body + 5, last, rows);
    }
    if (size == sizeof "ROLLBACK" && BEGINS("ROLLBACK"))
        *kind = 'R';
    return memchr(body, '\0', (size_t)size) == last;
}

/* ---- the others ---- */

bool wire_read_ready(const struct wire_message *message, char *status)
{
    if (UNLIKELY(message->size != 1))
        return false;
    *status = (char)message->body[0];
    return *status == 'I' || *status == 'T' || *status == 'E';
}

bool wire_read_parameters(const struct wire_message *message, struct wire_shape *shape)
{
    int count;

    if (message->size < 2)
        return false;
    count = wire_load16(message->body);
    if (count > WIRE_PARAMS_MAX || message->size != 2 + 4 * count)
        return false;
    shape->param_count = count;
    for (int i = 0; i < count; i++)
        shape->param_types[i] = wire_load32(message->body + 2 + 4 * i);
    wire_shape_settle(shape);
    return true;
}

bool wire_read_field(const struct wire_message *message, const unsigned char **at, int *left,
                     const unsigned char **bytes, int32_t *length)
{
    const unsigned char *end = message->body + message->size;
    uint32_t size;

    if (*at == NULL) {
        if (message->size < 2)
            goto malformed;
        *left = wire_load16(message->body);
        *at = message->body + 2;
    }
    if (*left == 0 && *at == end)
        return false;
    if (*left <= 0 || end - *at < 4)
        goto malformed;
    size = wire_load32(*at);
    *at += 4;
    --*left;
    *length = 0;
    *bytes = NULL;
    if (size == UINT32_MAX)
        return true;
    if (size > (size_t)(end - *at))
        goto malformed;
    *bytes = *at;
    *length = (int32_t)size;
    *at += size;
    return true;
malformed:
    *left = -2;
    return false;
}
