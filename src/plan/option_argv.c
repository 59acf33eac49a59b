/*
 * option_argv.c - walks a command line.
 *
 * A password in argv can be read by every user of the machine in the list of processes. So the
 * value of a secret row is copied and overwritten the moment it is met, and a note tells the better
 * way; anything later would widen the gap.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "plan/option_value.h"

#define NAME_SHOWN_MAX 60

/* Where the walk is. */
struct walk {
    struct option_argv *args;
    int at; /* of argv */
    struct error *err;
};

static void note(struct option_argv *args, const char *words)
{
    if (args->note_count < OPTION_NOTES_MAX)
        args->notes[args->note_count++] = words;
}

static bool holds_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (; *text != '\0'; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

/* Whether a connection string seems to carry a password. Generous: it only decides on a warning. */
static bool holds_password(const char *text)
{
    const char *user = strstr(text, "://"), *host, *colon;

    if (holds_word(text, "password") || holds_word(text, "secret"))
        return true;
    if (user == NULL)
        return false;
    user += 3;
    host = strchr(user, '@');
    colon = strchr(user, ':');
    return host != NULL && colon != NULL && colon < host;
}

/* `local:17` needs no hiding and is good to see in a list of processes. */
static bool may_hold_secret(const struct option *row, const char *value)
{
    return holds_word(row->name, "password") || strchr(value, '=') != NULL ||
           strstr(value, "://") != NULL;
}

static void hide_secret(struct option_argv *args, const struct option *row, char *value)
{
    bool password = *value != '\0' && (holds_word(row->name, "password") || holds_password(value));

    if (!may_hold_secret(row, value))
        return;
    memset(value, 'x', strlen(value));
    if (password)
        note(args, arena_format(args->arena,
                                "--%s: a password on the command line can be seen by other users "
                                "of this machine; it is overwritten now, but a password file is "
                                "safe (PGPASSFILE, or ~/.pgpass)",
                                row->name));
}

static void note_ignored(struct option_argv *args, const struct option *row)
{
    if ((row->marks & OPTION_IGNORED) != 0 && row->type != OPTION_CHOICE)
        note(args, arena_format(args->arena, "--%s is ignored: %s", row->name, row->help));
}

/* Sets one option; `value` points into argv, or at a literal when `ours`. */
static bool set(struct walk *walk, const struct option *row, const struct option_group *group,
                char *value)
{
    struct option_argv *args = walk->args;
    const char *copy = value;
    bool ok;

    if ((row->marks & OPTION_SECRET) != 0) {
        copy = arena_text(args->arena, value);
        hide_secret(args, row, value);
    }
    ok = option_set(row, group->base, copy, args->arena, walk->err);
    if (!ok)
        return false;
    if (args->given_count < OPTION_WORDS_MAX)
        args->given[args->given_count++] = row;
    note_ignored(args, row);
    return true;
}

/* A value in the next argument: anything but what looks like an option. "-5" and "-" are values. */
static char *next_value(struct walk *walk)
{
    char *next;

    if (walk->at + 1 >= walk->args->argc)
        return NULL;
    next = walk->args->argv[walk->at + 1];
    if (next[0] == '-' && next[1] != '\0' && next[1] != '.' && !isdigit((unsigned char)next[1]))
        return NULL;
    walk->at++;
    return next;
}

/* `--pipeline on`: a word that can only be the flag's value. */
static char *next_flag_value(struct walk *walk, char *otherwise)
{
    char *next = walk->at + 1 < walk->args->argc ? walk->args->argv[walk->at + 1] : NULL;
    bool flag;

    if (next == NULL || !isalpha((unsigned char)next[0]) || !option_read_flag(next, &flag))
        return otherwise;
    walk->at++;
    return next;
}

static bool no_value(const struct option *row, struct error *err)
{
    return error_set(err, ERROR_USAGE, "--%s needs a value (one that begins with - as --%s=VALUE)",
                     row->name, row->name);
}

/* Says what is unknown, made safe for a terminal, and what it may have meant. */
static bool unknown(struct walk *walk, const char *dashes, const char *name)
{
    const struct option_argv *args = walk->args;
    const char *near = option_nearest(args->groups, args->group_count, name);
    char cut[NAME_SHOWN_MAX + 1];
    struct text shown;

    snprintf(cut, sizeof cut, "%s", name);
    text_init(&shown, ERROR_TEXT_MAX);
    text_add_safe(&shown, cut);
    if (near != NULL)
        error_set(walk->err, ERROR_USAGE, "unknown option %s%s: did you mean --%s?", dashes,
                  shown.bytes, near);
    else
        error_set(walk->err, ERROR_USAGE, "unknown option %s%s: --help lists what there is", dashes,
                  shown.bytes);
    text_close(&shown);
    return false;
}

/* The flag that `no-NAME` turns off, or NULL. */
static const struct option *find_negated(const struct option_argv *args, const char *name,
                                         const struct option_group **group)
{
    const struct option *row;

    if (strncmp(name, "no-", 3) != 0 && strncmp(name, "no_", 3) != 0)
        return NULL;
    row = option_find(args->groups, args->group_count, name + 3, group);
    return row != NULL && row->type == OPTION_FLAG ? row : NULL;
}

/* `--name`, `--name=value`, `--name value`, `--no-name`. */
static bool read_long(struct walk *walk)
{
    static char on[] = "on", off[] = "off";
    struct option_argv *args = walk->args;
    char *argument = args->argv[walk->at] + 2;
    char *equals = strchr(argument, '=');
    size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const struct option_group *group = NULL;
    const struct option *row;
    char *value = equals != NULL ? equals + 1 : NULL;
    char *name = arena_take(args->arena, length + 1);

    memcpy(name, argument, length);
    row = option_find(args->groups, args->group_count, name, &group);
    if (row == NULL && (row = find_negated(args, name, &group)) != NULL) {
        if (value != NULL)
            return error_set(walk->err, ERROR_USAGE, "--no-%s takes no value", row->name);
        return set(walk, row, group, off);
    }
    if (row == NULL)
        return unknown(walk, "--", name);
    if ((row->marks & OPTION_REFUSED) != 0)
        return error_set(walk->err, ERROR_USAGE, "--%s: %s", name, row->help);
    if (value == NULL)
        value = row->type == OPTION_FLAG ? next_flag_value(walk, on) : next_value(walk);
    if (value == NULL && (row->marks & OPTION_IGNORED) != 0)
        value = on; /* sysbench has some whose value may be left out */
    if (value == NULL)
        return no_value(row, walk->err);
    return set(walk, row, group, value);
}

static const struct option *find_letter(const struct option_argv *args, char letter,
                                        const struct option_group **group)
{
    for (int i = 0; i < args->group_count; i++)
        for (const struct option *row = args->groups[i].rows; row->name != NULL; row++)
            if (row->letter == letter) {
                *group = &args->groups[i];
                return row;
            }
    return NULL;
}

/* `-c8`, `-c 8`, `-c=8`, `-qh`. */
static bool read_letters(struct walk *walk)
{
    static char on[] = "on";
    char *at = walk->args->argv[walk->at] + 1;

    for (; *at != '\0'; at++) {
        const struct option_group *group = NULL;
        const struct option *row = find_letter(walk->args, *at, &group);
        char letter[2] = { *at, '\0' };
        char *value;

        if (row == NULL)
            return unknown(walk, "-", letter);
        if (row->type == OPTION_FLAG) {
            if (!set(walk, row, group, on))
                return false;
            continue;
        }
        value = at[1] == '=' ? at + 2 : at[1] != '\0' ? at + 1 : next_value(walk);
        if (value == NULL)
            return no_value(row, walk->err);
        return set(walk, row, group, value);
    }
    return true;
}

static bool take_word(struct walk *walk, const char *word)
{
    struct option_argv *args = walk->args;

    if (args->word_count == OPTION_WORDS_MAX)
        return error_set(walk->err, ERROR_USAGE, "too many words: at most %d can be given",
                         OPTION_WORDS_MAX);
    args->words[args->word_count++] = word;
    return true;
}

bool option_read_argv(struct option_argv *args, struct error *err)
{
    struct walk walk = { .args = args, .err = err };
    bool options_over = false;

    for (; walk.at < args->argc; walk.at++) {
        const char *argument = args->argv[walk.at];
        bool ok;

        if (!options_over && strcmp(argument, "--") == 0) {
            options_over = true;
            continue;
        }
        if (options_over || argument[0] != '-' || argument[1] == '\0')
            ok = take_word(&walk, argument);
        else if (argument[1] == '-')
            ok = read_long(&walk);
        else
            ok = read_letters(&walk);
        if (!ok)
            return false;
    }
    return true;
}

/* Does `other` write what `row` of the group owns, in another spelling? */
static bool speaks_for(const struct option *other, const struct option *row,
                       const struct option_group *group)
{
    const struct option *one = group->rows;

    if ((other->marks & OPTION_ALSO) == 0 || (other->marks & OPTION_IGNORED) != 0 ||
        other->at != row->at)
        return false;
    while (one->name != NULL && one != other)
        one++;
    return one == other;
}

bool option_given(const struct option_argv *args, const char *name)
{
    const struct option_group *group = NULL;
    const struct option *row = option_find(args->groups, args->group_count, name, &group);

    for (int i = 0; i < args->given_count; i++)
        if (option_name_same(args->given[i]->name, name) ||
            (row != NULL && speaks_for(args->given[i], row, group)))
            return true;
    return false;
}
