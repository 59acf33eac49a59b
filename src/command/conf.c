/*
 * conf.c - see conf.h. A key is the workload's option of that name in small letters; CONNECT_STRING
 * is what psql would be given.
 */
#include "command/conf.h"

#include <ctype.h>
#include <string.h>

#include "plan/assignments.h"

#define CONF_OPTION "pgio-conf"

static const char *find_conf(int argc, char **argv)
{
    static const char *const spellings[] = { "--pgio-conf", "--pgio_conf" };

    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (int k = 0; k < COUNT_OF(spellings); k++) {
            size_t length = strlen(spellings[k]);
            if (strncmp(argv[i], spellings[k], length) != 0)
                continue;
            if (argv[i][length] == '=')
                return argv[i] + length + 1;
            if (argv[i][length] == '\0' && i + 1 < argc)
                return argv[i + 1];
        }
    return NULL;
}

static void lower(char *words)
{
    for (; *words != '\0'; words++)
        *words = (char)tolower((unsigned char)*words);
}

static void note(struct command_call *call, const char *words)
{
    if (call->args.note_count < OPTION_NOTES_MAX)
        call->args.notes[call->args.note_count++] = words;
}

/* A name of a database, a conninfo or a URI; psql's own options cannot be passed on. */
static bool take_target(struct command_call *call, const char *value, struct error *err)
{
    const struct option *row = option_find(call->groups, 1, "target", NULL);
    const char *target = value;

    if (value[0] == '\0')
        return true;
    if (value[0] == '-')
        return error_set(err, ERROR_USAGE,
                         "CONNECT_STRING holds options of psql: leave it empty "
                         "and name the server by --target");
    if (strchr(value, '=') == NULL && strstr(value, "://") == NULL)
        target = arena_format(call->arena, "dbname='%s'", value);
    return option_set(row, call->groups[0].base, target, call->arena, err);
}

static bool take(void *context, const struct assignment *assignment, struct error *err)
{
    struct command_call *call = context;
    char *name = arena_text(call->arena, assignment->name);
    char *value = arena_text(call->arena, assignment->value);
    const struct option *row;

    if (strcmp(name, "CONNECT_STRING") == 0)
        return take_target(call, value, err);
    if (strcmp(name, "DBNAME") == 0)
        return true; /* The figures are of the database that the sessions are in. */
    lower(name);
    row = option_find(&call->groups[1], 1, name, NULL);
    if (row == NULL || strcmp(row->name, CONF_OPTION) == 0 || strcmp(row->name, "compat") == 0) {
        note(call,
             arena_format(call->arena, "%s: nothing here is called so; ignored", assignment->name));
        return true;
    }
    if (row->type == OPTION_FLAG || row->type == OPTION_CHOICE)
        lower(value);
    if (call->args.given_count < OPTION_WORDS_MAX)
        call->args.given[call->args.given_count++] = row;
    return option_set(row, call->groups[1].base, value, call->arena, err);
}

bool conf_read(struct command_call *call, struct error *err)
{
    const char *path = find_conf(call->args.argc, call->args.argv);

    if (path == NULL || call->workload == NULL || call->workload->options == NULL ||
        option_find(&call->groups[1], 1, CONF_OPTION, NULL) == NULL)
        return true;
    return assignments_read(path, take, call, err);
}
