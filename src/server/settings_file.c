/*
 * settings_file.c - reads a person's settings, written as in postgresql.conf.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "server/settings.h"

/* By these we keep the server where it is, reachable by us alone; an include could name them. */
static const char *const kept_names[] = {
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "include",
    "include_dir",
    "include_if_exists",
    "listen_addresses",
    "port",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
};

struct reader {
    const char *at, *origin;
    int line;
    struct error *err;
};

static bool complain(const struct reader *reader, const char *what, const char *name)
{
    return error_set(reader->err, ERROR_PLAN, "in %s, line %d: %s%s",
                     reader->origin != NULL ? reader->origin : "pgdyno.conf", reader->line, what,
                     name);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_spaces(struct reader *reader)
{
    while (is_space(*reader->at))
        reader->at++;
}

static bool read_name(struct reader *reader, struct server_setting *row)
{
    size_t length = 0;

    while (isalnum((unsigned char)*reader->at) || *reader->at == '_' || *reader->at == '.' ||
           *reader->at == '$') {
        if (length == sizeof row->name - 1)
            return complain(reader, "the name is too long", "");
        row->name[length++] = (char)tolower((unsigned char)*reader->at++);
    }
    row->name[length] = '\0';
    if (length == 0)
        return complain(reader, "a line must be: name = value", "");
    for (int i = 0; i < COUNT_OF(kept_names) && reader->origin != NULL; i++)
        if (strcmp(row->name, kept_names[i]) == 0)
            return complain(reader,
                            "pgdyno holds its server by this setting, leave it out: ", row->name);
    return true;
}

/* Inside quotes '' is a quote, and a backslash takes the next character as it is. */
static bool read_quoted(struct reader *reader, struct server_setting *row)
{
    size_t length = 0;

    for (reader->at++;; reader->at++) {
        if (reader->at[0] == '\'' && reader->at[1] == '\'')
            reader->at++;
        else if (reader->at[0] == '\'')
            break;
        else if (reader->at[0] == '\\' && reader->at[1] != '\n' && reader->at[1] != '\0')
            reader->at++;
        if (*reader->at == '\n' || *reader->at == '\0')
            return complain(reader, "the quote is not closed in the value of ", row->name);
        if (length == sizeof row->value - 1)
            return complain(reader, "too long is the value of ", row->name);
        row->value[length++] = *reader->at;
    }
    reader->at++;
    row->value[length] = '\0';
    return true;
}

static bool read_value(struct reader *reader, struct server_setting *row)
{
    size_t length = 0;

    skip_spaces(reader);
    if (*reader->at == '=')
        reader->at++;
    skip_spaces(reader);
    if (*reader->at == '\'')
        return read_quoted(reader, row);
    while (*reader->at != '\0' && *reader->at != '\n' && *reader->at != '#' &&
           !is_space(*reader->at)) {
        if (length == sizeof row->value - 1)
            return complain(reader, "too long is the value of ", row->name);
        row->value[length++] = *reader->at++;
    }
    row->value[length] = '\0';
    return length > 0 || complain(reader, "no value is given to ", row->name);
}

static bool read_line(struct reader *reader, struct settings *out)
{
    struct server_setting row = { 0 };

    skip_spaces(reader);
    if (*reader->at != '#' && *reader->at != '\n' && *reader->at != '\0') {
        if (!read_name(reader, &row) || !read_value(reader, &row))
            return false;
        skip_spaces(reader);
        if (*reader->at != '#' && *reader->at != '\n' && *reader->at != '\0')
            return complain(reader, "one value too many (quote it if it has blanks) for ",
                            row.name);
        if (out->count == SETTINGS_MAX / 2)
            return complain(reader, "too many settings", "");
        if (reader->origin != NULL)
            snprintf(row.why, sizeof row.why, "from %.*s", 120, reader->origin);
        else if (strncmp(reader->at, "# ", 2) == 0)
            snprintf(row.why, sizeof row.why, "%.*s", (int)strcspn(reader->at + 2, "\n"),
                     reader->at + 2);
        settings_set(out, row.name, row.value, row.why);
    }
    while (*reader->at != '\n' && *reader->at != '\0')
        reader->at++;
    return true;
}

static bool parse(struct reader *reader, struct settings *out)
{
    out->count = 0;
    for (;;) {
        reader->line++;
        if (!read_line(reader, out))
            return false;
        if (*reader->at == '\0')
            return true;
        reader->at++;
    }
}

bool settings_parse(const char *content, const char *origin, struct settings *out,
                    struct error *err)
{
    struct reader reader = { .at = content, .origin = origin, .err = err };

    return parse(&reader, out);
}

bool settings_parse_ours(const char *content, struct settings *out, struct error *err)
{
    struct reader reader = { .at = content, .err = err };

    return parse(&reader, out);
}
