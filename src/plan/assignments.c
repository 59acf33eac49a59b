/*
 * assignments.c - see assignments.h.
 */
#include "plan/assignments.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static bool refuse(struct error *err, const char *what)
{
    return error_set(err, ERROR_USAGE, "%s: the file is read and not executed: KEY=value is wanted",
                     what);
}

/* Takes the name and its '='. */
static bool parse_name(const char **at, struct assignment *assignment, struct error *err)
{
    const char *begin = *at;
    size_t length = 0;

    while (isalnum((unsigned char)begin[length]) || begin[length] == '_')
        length++;
    if (length == 0 || isdigit((unsigned char)begin[0]) || begin[length] != '=' ||
        length >= sizeof assignment->name)
        return refuse(err, "this is no assignment");
    memcpy(assignment->name, begin, length);
    assignment->name[length] = '\0';
    *at = begin + length + 1;
    return true;
}

/* What a backslash keeps from its meaning here. */
static bool escapes(const char *at, char quote)
{
    if (at[0] != '\\' || at[1] == '\0' || quote == '\'')
        return false;
    return quote == '\0' || strchr("\"\\$`", at[1]) != NULL;
}

static bool parse_value(const char **at, struct assignment *assignment, struct error *err)
{
    char quote = '\0';
    size_t length = 0;

    for (; **at != '\0' && (quote != '\0' || (!is_blank(**at) && **at != ';')); (*at)++) {
        if (**at == quote && quote != '\0') {
            quote = '\0';
            continue;
        }
        if (quote == '\0' && (**at == '\'' || **at == '"')) {
            quote = **at;
            continue;
        }
        if (quote != '\'' && (**at == '$' || **at == '`'))
            return refuse(err, "variables and commands need a shell");
        if (quote == '\0' && strchr("|&<>()", **at) != NULL)
            return refuse(err, "this needs a shell");
        if (escapes(*at, quote))
            (*at)++;
        if (length + 1 >= sizeof assignment->value)
            return error_set(err, ERROR_USAGE, "the value is too long");
        assignment->value[length++] = **at;
    }
    assignment->value[length] = '\0';
    return quote == '\0' || error_set(err, ERROR_USAGE, "a quote is not closed in its line");
}

bool assignment_parse(const char *line, struct assignment *assignment, struct error *err)
{
    const char *at = skip_blanks(line);

    assignment->name[0] = assignment->value[0] = '\0';
    if (*at == '\0' || *at == '#')
        return true;
    if (strncmp(at, "export", 6) == 0 && is_blank(at[6]))
        at = skip_blanks(at + 6);
    if (!parse_name(&at, assignment, err) || !parse_value(&at, assignment, err))
        return false;
    at = skip_blanks(at);
    if (*at == ';')
        at = skip_blanks(at + 1);
    return *at == '\0' || *at == '#' ||
           refuse(err, "there is more than one assignment in the line");
}

bool assignments_read(const char *path,
                      bool (*take)(void *context, const struct assignment *assignment,
                                   struct error *err),
                      void *context, struct error *err)
{
    FILE *file = fopen(path, "r");
    char line[ASSIGNMENTS_LINE_MAX];
    struct assignment assignment;
    size_t bytes = 0;
    bool ok = true;

    if (file == NULL)
        return error_set(err, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    for (int number = 1; ok && fgets(line, sizeof line, file) != NULL; number++) {
        size_t length = strlen(line);
        bytes += length;
        if (bytes > ASSIGNMENTS_FILE_MAX || length + 1 == sizeof line)
            ok = error_set(err, ERROR_USAGE, "longer than a file of settings can be");
        if (length > 0 && line[length - 1] == '\n')
            line[length - 1] = '\0';
        ok = ok && assignment_parse(line, &assignment, err) &&
             (assignment.name[0] == '\0' || take(context, &assignment, err));
        if (!ok)
            error_wrap(err, "%s, line %d", path, number);
    }
    fclose(file);
    return ok;
}
