/*
 * conninfo.c - see conninfo.h. Parsing is PQconninfoParse(); what is written back is always the
 * key=value form, because every option has a place there and none needs percent-encoding.
 */
#include "wire/conninfo.h"

#include <ctype.h>
#include <libpq-fe.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define SECRET_SURE_LENGTH 6    /* shorter ones are only replaced where they stand alone */
#define KEYWORDS_ROOM      8192 /* all keywords of a libpq with "='' " behind each */

static const char hidden[] = "...";

/* ---- what is a secret ---- */

static bool name_is_secret(const char *keyword)
{
    return strcmp(keyword, "password") == 0 || strcmp(keyword, "sslpassword") == 0 ||
           strstr(keyword, "secret") != NULL || strncmp(keyword, "scram_", 6) == 0;
}

static bool option_is_secret(const PQconninfoOption *option)
{
    return (option->dispchar != NULL && option->dispchar[0] == '*') ||
           name_is_secret(option->keyword);
}

/* ---- writing ---- */

static bool is_plain(const char *value)
{
    if (*value == '\0')
        return false;
    for (const char *at = value; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("_-./:,@%+", *at) == NULL)
            return false;
    return true;
}

static void add_pair(struct text *out, const char *key, const char *value)
{
    if (out->length > 0)
        text_add_char(out, ' ');
    text_add(out, key);
    text_add_char(out, '=');
    if (is_plain(value)) {
        text_add(out, value);
        return;
    }
    text_add_char(out, '\'');
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '\'' || *at == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *at);
    }
    text_add_char(out, '\'');
}

/* Percent-decoding only shrinks and quoting at most doubles. */
static void init_for(struct text *out, const char *conninfo, const char *value)
{
    text_init(out, KEYWORDS_ROOM + 2 * strlen(conninfo) + 2 * strlen(value));
}

/* ---- messages about a string that cannot be parsed ---- */

/* Where the first secret of an unparsable string may begin; NULL when there is none. In a URI the
 * user's name comes before the password, but where a broken one is cut nobody can say. */
static const char *secret_begin(const char *conninfo)
{
    static const char *const words[] = { "password", "secret", "scram_" };
    const char *first = NULL;
    const char *slashes = strstr(conninfo, "://");
    if (slashes != NULL && strchr(slashes, '@') != NULL)
        first = slashes + 3;
    for (int i = 0; i < COUNT_OF(words); i++) {
        const char *at = strstr(conninfo, words[i]);
        if (at != NULL && (first == NULL || at < first))
            first = at;
    }
    return first;
}

static bool quote_may_tell(const char *conninfo, const char *word)
{
    const char *begin = secret_begin(conninfo);
    size_t length = strlen(word);
    if (begin == NULL || length <= 1)
        return false;
    const char *at = strstr(conninfo, word);
    if (at == NULL)
        return true; /* decoded or cut: unknown origin */
    if (at + length <= begin)
        return strstr(begin, word) != NULL;
    return true;
}

/* libpq quotes what it stumbled over, which may be the rest of a password with a blank in it, or a
 * whole URI. */
static void add_reason(struct text *out, const char *conninfo, const char *reason)
{
    const char *at = reason;
    while (*at != '\0') {
        const char *open = strchr(at, '"');
        if (open == NULL)
            break;
        /* The quoted piece may itself hold quotes: it ends before the last one that is followed by
         * libpq's own words, so the outermost is taken when in doubt. */
        const char *close = strchr(open + 1, '"');
        if (secret_begin(conninfo) != NULL && strchr(conninfo, '"') != NULL)
            close = strrchr(open + 1, '"');
        if (close == NULL)
            break;
        char *word = memory_format("%.*s", (int)(close - open - 1), open + 1);
        text_add_bytes(out, at, (size_t)(open - at));
        text_format(out, "\"%s\"", quote_may_tell(conninfo, word) ? hidden : word);
        memory_free(word);
        at = close + 1;
    }
    text_add(out, at);
    while (out->length > 0 && isspace((unsigned char)out->bytes[out->length - 1]))
        out->bytes[--out->length] = '\0';
}

/* ---- messages of a connection ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void replace_all(char *text, const char *secret)
{
    size_t length = strlen(secret);
    size_t dots = length < sizeof(hidden) - 1 ? length : sizeof(hidden) - 1;
    char *at = text;
    if (length == 0)
        return;
    while ((at = strstr(at, secret)) != NULL) {
        bool alone = (at == text || !is_word(at[-1])) && !is_word(at[length]);
        if (!alone && length < SECRET_SURE_LENGTH) {
            at++;
            continue;
        }
        for (size_t i = 0; i < dots; i++)
            at[i] = hidden[i];
        memmove(at + dots, at + length, strlen(at + length) + 1);
        at += dots;
    }
}

/* A password that equals the user's name would be told by hiding it: "user ... does not exist". */
static bool is_shown_anyway(const PQconninfoOption *options, const char *secret)
{
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
        if (!option_is_secret(option) && option->val != NULL && strcmp(option->val, secret) == 0)
            return true;
    return false;
}

/* The password of a URI as it is written there, percent signs and all. Owned, or NULL. */
static char *written_password(const char *conninfo)
{
    const char *begin = strstr(conninfo, "://");
    if (begin == NULL)
        return NULL;
    begin += 3;
    const char *at_sign = strchr(begin, '@');
    const char *colon = strchr(begin, ':');
    if (at_sign == NULL || colon == NULL || colon > at_sign)
        return NULL;
    return memory_format("%.*s", (int)(at_sign - colon - 1), colon + 1);
}

/* ---- the door ---- */

/* libpq looks at this one only when it connects. */
static bool check_sslmode(const PQconninfoOption *options, struct error *err)
{
    static const char *const modes[] = { "disable", "allow",     "prefer",
                                         "require", "verify-ca", "verify-full" };

    for (; options->keyword != NULL; options++) {
        bool known = options->val == NULL || strcmp(options->keyword, "sslmode") != 0;
        for (int i = 0; i < COUNT_OF(modes) && !known; i++)
            known = strcmp(options->val, modes[i]) == 0;
        if (!known)
            return error_set(err, ERROR_USAGE,
                             "sslmode %.40s is none of disable, allow, prefer, require, "
                             "verify-ca and verify-full",
                             options->val);
    }
    return true;
}

bool conninfo_check(const char *conninfo, struct error *err)
{
    char *reason = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &reason);
    if (options != NULL) {
        bool good = check_sslmode(options, err);
        PQconninfoFree(options);
        return good;
    }
    struct text out;
    text_init(&out, 1024 + 8 * strlen(conninfo) + (reason != NULL ? 4 * strlen(reason) : 0));
    add_reason(&out, conninfo, reason != NULL ? reason : "out of memory");
    error_set(err, ERROR_USAGE, "cannot read the connection string: %s", out.bytes);
    text_close(&out);
    PQfreemem(reason);
    return false;
}

char *conninfo_with(const char *conninfo, const char *key, const char *value)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    if (options == NULL)
        return memory_text(conninfo);
    struct text out;
    init_for(&out, conninfo, value != NULL ? value : "");
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
        if (option->val != NULL && strcmp(option->keyword, key) != 0)
            add_pair(&out, option->keyword, option->val);
    if (value != NULL)
        add_pair(&out, key, value);
    PQconninfoFree(options);
    return text_finish(&out);
}

char *conninfo_value(const char *conninfo, const char *key)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    char *value = NULL;
    if (options == NULL)
        return NULL;
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
        if (strcmp(option->keyword, key) == 0)
            value = memory_text(option->val);
    PQconninfoFree(options);
    return value;
}

bool conninfo_check_encryption(const char *conninfo, struct error *err)
{
    char *said = conninfo_value(conninfo, "gssencmode");
    const char *variable = getenv("PGGSSENCMODE");
    const char *mode = said != NULL ? said : variable;
    bool ok = mode == NULL || strcmp(mode, "require") != 0;

    memory_free(said);
    return ok || error_set(err, ERROR_PLAN,
                           "gssencmode=require is asked for, but pgdyno speaks on the socket "
                           "itself and cannot go through GSSAPI encryption: use "
                           "gssencmode=disable, with sslmode=require for TLS");
}

/* "a,b,c" by 1 is "b,c,a"; a list of one stays. Owned. */
static char *rotate_list(const char *list, int by)
{
    const char *cut = list;
    int count = 1;

    for (const char *at = list; *at != '\0'; at++)
        count += *at == ',';
    by = (by % count + count) % count;
    if (by == 0)
        return memory_text(list);
    for (int passed = 0; passed < by; cut++)
        passed += *cut == ',';
    return memory_format("%s,%.*s", cut, (int)(cut - list - 1), list);
}

char *conninfo_rotated(const char *conninfo, int by)
{
    static const char *const lists[] = { "host", "hostaddr", "port" };
    char *whole = memory_text(conninfo);

    for (int i = 0; i < COUNT_OF(lists); i++) {
        char *list = conninfo_value(whole, lists[i]), *rotated, *next;
        if (list == NULL)
            continue;
        rotated = rotate_list(list, by);
        next = conninfo_with(whole, lists[i], rotated);
        memory_free(whole);
        memory_free(list);
        memory_free(rotated);
        whole = next;
    }
    return whole;
}

void conninfo_scrub(const char *conninfo, char *text)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    char *written = written_password(conninfo);
    if (written != NULL && (options == NULL || !is_shown_anyway(options, written)))
        replace_all(text, written);
    memory_free(written);
    const char *variable = getenv("PGPASSWORD");
    if (variable != NULL && (options == NULL || !is_shown_anyway(options, variable)))
        replace_all(text, variable);
    if (options == NULL)
        return;
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
        if (option_is_secret(option) && option->val != NULL &&
            !is_shown_anyway(options, option->val))
            replace_all(text, option->val);
    PQconninfoFree(options);
}

char *conninfo_public(const char *conninfo)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    if (options == NULL)
        return memory_text(hidden);
    struct text out;
    init_for(&out, conninfo, "");
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
        if (option->val != NULL && !option_is_secret(option))
            add_pair(&out, option->keyword, option->val);
    PQconninfoFree(options);
    return text_finish(&out);
}
