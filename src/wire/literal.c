/*
 * literal.c - parameters written into the statement, for the simple protocol.
 *
 * Finds $n where PostgreSQL's lexer would (scan.l): not within quotes, identifiers, dollar quotes
 * or comments. What is not closed runs to the end and is left to the server, and so is a number
 * that has no value: "there is no parameter $3" is its own answer. A literal never touches what
 * could change its meaning: "U&$1" would become a Unicode string, "$1and" a name.
 */
#include <assert.h>
#include <string.h>

#include "wire/wire_private.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool goes_on_name(char c)
{
    return starts_name(c) || is_digit(c) || c == '$';
}

/* ---- literals ---- */

static void add_quoted(struct text *out, const char *bytes, size_t length)
{
    bool escape = memchr(bytes, '\\', length) != NULL || memchr(bytes, '\0', length) != NULL;
    size_t from = 0;

    text_add(out, escape ? "E'" : "'");
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\'' && bytes[i] != '\\' && bytes[i] != '\0')
            continue;
        text_add_bytes(out, bytes + from, i - from);
        from = i + 1;
        if (bytes[i] == '\0')
            text_add(out, "\\000"); /* which the server refuses, as it does in a parameter */
        else if (bytes[i] == '\'')
            text_add(out, "''");
        else
            text_add(out, "\\\\");
    }
    text_add_bytes(out, bytes + from, length - from);
    text_add_char(out, '\'');
}

static void add_whole(struct text *out, int64_t whole)
{
    if (whole == INT64_MIN) { /* its digits alone are too big for int8 */
        text_add(out, "('-9223372036854775808'::int8)");
    } else if (whole < 0) { /* "- -1" and "--1" are other things, "-1::text" too */
        text_add_char(out, '(');
        text_add_whole(out, whole);
        text_add_char(out, ')');
    } else {
        text_add_whole(out, whole);
    }
}

static void add_literal(struct text *out, const struct value *value)
{
    char digits[WIRE_REAL_MAX];

    switch (value->kind) {
    case VALUE_WHOLE:
        add_whole(out, value->whole);
        break;
    case VALUE_REAL: /* quoted: of unknown type, as the parameter would be, and never an integer */
        add_quoted(out, digits, (size_t)wire_real_digits(value->real, digits));
        break;
    case VALUE_TEXT:
        assert(value->length >= 0);
        add_quoted(out, value->text, (size_t)value->length);
        break;
    case VALUE_WHOLES:
        text_add(out, "'{");
        for (int32_t i = 0; i < value->length; i++) {
            if (i > 0)
                text_add_char(out, ',');
            text_add_whole(out, value->wholes[i]);
        }
        text_add(out, "}'");
        break;
    default:
        text_add(out, "NULL");
        break;
    }
}

/* ---- the lexer: each takes the place behind its opening, gives the one behind its end ---- */

static const char *skip_quoted(const char *at, char quote, bool backslashes)
{
    for (; *at != '\0' && (*at != quote || at[1] == quote); at++) {
        if (*at == quote || (backslashes && *at == '\\' && at[1] != '\0'))
            at++;
    }
    return *at == quote ? at + 1 : at;
}

static const char *skip_comment(const char *at)
{
    int depth = 1;

    while (*at != '\0' && depth > 0) {
        if (at[0] == '/' && at[1] == '*') {
            depth++;
            at += 2;
        } else if (at[0] == '*' && at[1] == '/') {
            depth--;
            at += 2;
        } else {
            at++;
        }
    }
    return at;
}

/* `at` is on a $. Behind the dollar-quoted string that begins here, or NULL when none does. */
static const char *skip_dollar_quoted(const char *at)
{
    const char *end = at + 1;
    size_t length;

    if (starts_name(*end)) {
        while (starts_name(*end) || is_digit(*end))
            end++;
    }
    if (*end != '$')
        return NULL;
    length = (size_t)(end - at) + 1;
    for (end++; *end != '\0'; end++) {
        if (*end == '$' && strncmp(end, at, length) == 0)
            return end + length;
    }
    return end;
}

/* Names and numbers: within them a $ means nothing. E'' strings begin like a name. A number ends
 * before a letter, as it does up to PostgreSQL 14. */
static const char *skip_word(const char *at)
{
    if ((at[0] == 'e' || at[0] == 'E') && at[1] == '\'')
        return skip_quoted(at + 2, '\'', true);
    if (is_digit(*at)) {
        while (is_digit(*at))
            at++;
        return at;
    }
    while (goes_on_name(*at))
        at++;
    return at;
}

/* Behind the thing at `at`, which is not a parameter; NULL at a parameter. */
static const char *skip_one(const char *at)
{
    const char *end;

    if (starts_name(*at) || is_digit(*at))
        return skip_word(at);
    if (*at == '\'' || *at == '"')
        return skip_quoted(at + 1, *at, false);
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\r\n");
    if (at[0] == '/' && at[1] == '*')
        return skip_comment(at + 2);
    if (*at == '$') {
        if (is_digit(at[1]))
            return NULL;
        end = skip_dollar_quoted(at);
        return end != NULL ? end : at + 1;
    }
    return at + 1;
}

/* ---- the door ---- */

void wire_interpolate(struct text *out, const char *sql, const struct value *values, int count)
{
    const char *at = sql, *from = sql, *end;
    int number;

    while (*at != '\0') {
        end = skip_one(at);
        if (end != NULL) {
            at = end;
            continue;
        }
        number = 0;
        for (end = at + 1; is_digit(*end); end++) {
            if (number <= count)
                number = number * 10 + (*end - '0');
        }
        if (number >= 1 && number <= count) {
            text_add_bytes(out, from, (size_t)(at - from));
            if (at > sql && strchr(" \t\r\n(,[=<>+-*/", at[-1]) == NULL)
                text_add_char(out, ' ');
            add_literal(out, &values[number - 1]);
            if (goes_on_name(*end) || *end == '\'' || *end == '.')
                text_add_char(out, ' ');
            from = end;
        }
        at = end;
    }
    text_add_bytes(out, from, (size_t)(at - from));
}
