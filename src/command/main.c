/*
 * main.c - picks the verb, and turns how it ended into the exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "command/common.h"
#include "command/spelling.h"

#define SHOWN_MAX 60

/* A descriptor below 3 that is closed would be given to a socket, and then be written to by
 * printf(). What stands in for it cannot be written to either: that is told in the end. */
static void keep_standard_descriptors(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDONLY);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Words of sysbench that are no verb here, and an option that stands before the verb. */
static bool told_otherwise(const char *verb, struct error *err)
{
    if (spelling_is_machine_test(verb))
        error_set(err, ERROR_USAGE,
                  "%s: sysbench's tests of a machine have no counterpart: pgdyno measures "
                  "PostgreSQL",
                  verb);
    else if (spelling_verb(verb) != NULL)
        error_set(err, ERROR_USAGE, "%s is called %s here: pgdyno %s WORKLOAD", verb,
                  spelling_verb(verb), spelling_verb(verb));
    else if (verb[0] == '-')
        error_set(err, ERROR_USAGE,
                  "%.*s: a verb comes first, then options: pgdyno --help shows what there is",
                  SHOWN_MAX, verb);
    else
        return false;
    return true;
}

static enum error_kind unknown_verb(int argc, char **argv, struct error *err)
{
    const char *verb = argv[1], *workload = workload_nearest(verb);
    struct nearest nearest = { .wanted = verb };

    if (spelling_tell(argc, argv, err) || told_otherwise(verb, err))
        return ERROR_USAGE;
    for (int i = 0; command_table[i] != NULL; i++)
        if (!command_table[i]->hidden)
            nearest_offer(&nearest, command_table[i]->name);
    nearest_offer(&nearest, "help");
    if (nearest.best != NULL)
        error_set(err, ERROR_USAGE, "unknown verb %.*s: did you mean %s?", SHOWN_MAX, verb,
                  nearest.best);
    else if (workload != NULL)
        error_set(err, ERROR_USAGE, "unknown verb %.*s: did you mean pgdyno run %s?", SHOWN_MAX,
                  verb, workload);
    else
        error_set(err, ERROR_USAGE, "unknown verb %.*s: pgdyno --help shows what there is",
                  SHOWN_MAX, verb);
    return ERROR_USAGE;
}

/* `pgdyno help [VERB] [WORKLOAD]`; argv[0] is "help". */
static enum error_kind help(int argc, char **argv, struct error *err)
{
    const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;
    const struct workload *workload = command_workload(argc > 0 ? argv[argc - 1] : "");

    if (argc == 2 && command == NULL && workload != NULL)
        command = command_find("run");
    if (argc > 1 && command == NULL)
        return unknown_verb(argc, argv, err);
    if (command == NULL)
        command_help(stdout);
    else
        command_help_verb(stdout, command, workload);
    return ERROR_NONE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static enum error_kind dispatch(int argc, char **argv, struct error *err)
{
    const struct command *command;

    if (argc < 2) {
        command_help(stderr);
        return ERROR_USAGE;
    }
    if (is_one_of(argv[1], "help", "--help", "-h"))
        return help(argc - 1, argv + 1, err);
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        puts("pgdyno " PGDYNO_VERSION);
        return ERROR_NONE;
    }
    command = command_find(argv[1]);
    if (command == NULL)
        return unknown_verb(argc, argv, err);
    return command->run(argc - 2, argv + 2, err);
}

static bool reader_is_gone(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* A reader that went away (`pgdyno list | head`) is no fault; a full disk under stdout is, also
 * when it was met earlier and the reason is forgotten. */
static enum error_kind finish_output(enum error_kind kind, struct error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return kind;
    if (errno == EPIPE || kind != ERROR_NONE || (errno == 0 && reader_is_gone()))
        return kind;
    error_set(err, ERROR_MACHINE, "cannot write the output: %s",
              errno != 0 ? strerror(errno) : "some of it is lost");
    return ERROR_MACHINE;
}

int main(int argc, char **argv)
{
    struct error err = { .kind = ERROR_NONE };
    enum error_kind kind;

    keep_standard_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* A write that is refused is told like any other. */
    kind = dispatch(argc, argv, &err);
    kind = finish_output(kind, &err);
    if (kind != ERROR_NONE && err.text[0] != '\0')
        command_say(err.text);
    return (int)kind;
}
