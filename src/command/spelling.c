/*
 * spelling.c - see spelling.h.
 */
#include "command/spelling.h"

#include <string.h>

#include "base/text.h"
#include "command/common.h"

static const struct word {
    const char *theirs, *ours;
} verbs[] = {
    { "prepare", "load" }, { "cleanup", "drop" }, { "warmup", "run" },
    { "prewarm", "run" },  { "help", "run" },
};

/* Before sysbench 1.0, and the script that the others share. */
static const struct word workloads[] = {
    { "oltp", "oltp_read_write" },
    { "oltp_common", "oltp_read_write" },
    { "oltp_simple", "oltp_point_select" },
    { "select", "oltp_point_select" },
    { "insert", "oltp_insert" },
    { "delete", "oltp_delete" },
    { "update_index", "oltp_update_index" },
    { "update_non_index", "oltp_update_non_index" },
};

static const struct word machine_tests[] = {
    { "cpu", NULL }, { "fileio", NULL }, { "memory", NULL }, { "mutex", NULL }, { "threads", NULL },
};

/* Compared as workloads are: without folder and ".lua". */
static const struct word *find(const struct word *rows, int count, const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *begin = slash != NULL ? slash + 1 : word;
    size_t length = strlen(begin);

    if (length > 4 && strcmp(begin + length - 4, ".lua") == 0)
        length -= 4;
    for (int i = 0; i < count; i++)
        if (strlen(rows[i].theirs) == length && strncmp(rows[i].theirs, begin, length) == 0)
            return &rows[i];
    return NULL;
}

const char *spelling_verb(const char *word)
{
    const struct word *row = find(verbs, COUNT_OF(verbs), word);

    return row != NULL ? row->ours : NULL;
}

const char *spelling_workload(const char *word)
{
    const struct word *row = find(workloads, COUNT_OF(workloads), word);

    return row != NULL ? row->ours : NULL;
}

bool spelling_is_machine_test(const char *word)
{
    return find(machine_tests, COUNT_OF(machine_tests), word) != NULL;
}

/* ---- a whole command line ---- */

struct line {
    const char *verb, *workload;
    int verb_at, workload_at; /* in argv; 0: not there */
    const char *said_verb;    /* as it was typed, NULL when it was not */
};

static const char *verb_of(const char *word)
{
    const struct command *command = command_find(word);

    if (spelling_verb(word) != NULL)
        return spelling_verb(word);
    return command != NULL && command->takes_workload ? command->name : NULL;
}

static const char *workload_of(const char *word)
{
    const struct workload *workload = command_workload(word);

    return workload != NULL ? workload->name : spelling_workload(word);
}

static void read_word(struct line *line, int at, const char *word)
{
    if (line->workload == NULL && workload_of(word) != NULL) {
        line->workload = workload_of(word);
        line->workload_at = at;
    } else if (line->verb == NULL && verb_of(word) != NULL) {
        line->verb = verb_of(word);
        line->said_verb = word;
        line->verb_at = at;
    }
}

static struct line read_line(int argc, char **argv)
{
    struct line line = { .verb = NULL };

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--test=", 7) == 0)
            read_word(&line, i, argv[i] + 7);
        else if (argv[i][0] != '-')
            read_word(&line, i, argv[i]);
    return line;
}

/* As a shell would read it again. */
static void add_quoted(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-_=./,:@%+";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_char(out, *word);
    text_add_char(out, '\'');
}

/* "--pgsql-password=x", "--target=host=a password=x", "postgresql://u:x@h/d". */
static bool may_hold_secret(const char *argument)
{
    return strstr(argument, "pass") != NULL || strstr(argument, "PASS") != NULL ||
           strstr(argument, "://") != NULL;
}

static bool begins(const char *argument, const char *name)
{
    size_t length = strlen(name);

    return strncmp(argument, name, length) == 0 &&
           (argument[length] == '=' || argument[length] == '\0');
}

/* Adds one argument, and says how many it was. */
static int add_argument(struct text *out, char **argv, int left)
{
    static const char *const threads[] = { "--threads", "--num-threads", "--num_threads" };
    const char *argument = argv[0];

    if (begins(argument, "--db-driver") || begins(argument, "--db_driver"))
        return strchr(argument, '=') == NULL && left > 1 ? 2 : 1;
    text_add_char(out, ' ');
    if (may_hold_secret(argument)) {
        size_t name = argument[0] == '-' ? strcspn(argument, "=") : 0;

        text_format(out, "%.*s%s...", (int)name, argument, name > 0 ? "=" : "");
        return argument[0] == '-' && argument[name] == '\0' && left > 1 ? 2 : 1;
    }
    for (int i = 0; i < COUNT_OF(threads); i++)
        if (begins(argument, threads[i])) {
            text_add(out, "--connections");
            argument += strlen(threads[i]);
        }
    if (*argument != '\0')
        add_quoted(out, argument);
    return 1;
}

static void add_line(struct text *out, const struct line *line, int argc, char **argv)
{
    text_format(out, "pgdyno %s %s", line->verb != NULL ? line->verb : "run", line->workload);
    if (line->said_verb != NULL && strcmp(line->said_verb, "help") == 0)
        text_add(out, " --help");
    for (int i = 1; i < argc;)
        i += i == line->verb_at || i == line->workload_at ? 1
                                                          : add_argument(out, argv + i, argc - i);
}

bool spelling_tell(int argc, char **argv, struct error *err)
{
    struct line line = read_line(argc, argv);
    struct text out;

    if (line.workload == NULL)
        return false;
    text_init(&out, SIZE_MAX / 2); /* err cuts what is too long */
    if (line.said_verb != NULL && strstr(line.said_verb, "warm") != NULL)
        text_add(&out, "a run warms up by itself, see --warmup; ");
    else if (line.said_verb != NULL && spelling_verb(line.said_verb) != NULL &&
             strcmp(line.said_verb, "help") != 0)
        text_format(&out, "%s is called %s here; ", line.said_verb, line.verb);
    else
        text_add(&out, "the verb comes first; ");
    text_add(&out, "in pgdyno's words:\n");
    add_line(&out, &line, argc, argv);
    error_set(err, ERROR_USAGE, "%s", out.bytes);
    text_close(&out);
    return true;
}
