/*
 * common.c - reads a verb's command line.
 *
 * The workload's options can only be read once the workload is known, and options may stand before
 * it: so its word is looked for first, then everything is read in one walk.
 */
#include "command/common.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "command/conf.h"
#include "command/spelling.h"
#include "command/terminals.h"

#define CALL_ARENA_LIMIT (64 << 20)
#define FAMILIES_MAX     32
#define WORD_MAX         256
#define SHOWN_MAX        60
#define SAY_LIMIT        (1 << 20)

void command_say(const char *words)
{
    struct text out;
    const char *prefix = "pgdyno: ";

    text_init(&out, SAY_LIMIT);
    while (*words != '\0') {
        size_t length = strcspn(words, "\n");
        char *line = memory_format("%.*s", (int)length, words);

        text_add(&out, prefix);
        text_add_safe(&out, line);
        text_add_char(&out, '\n');
        memory_free(line);
        prefix = "        ";
        words += length + (words[length] == '\n');
    }
    fputs(out.bytes, stderr);
    text_close(&out);
}

const struct workload *command_workload(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *begin = slash != NULL && workload_find(word) == NULL ? slash + 1 : word;
    size_t length = strlen(begin);
    char name[WORD_MAX];

    if (length >= sizeof name)
        return NULL;
    memcpy(name, begin, length + 1);
    if (length > 4 && strcmp(name + length - 4, ".lua") == 0)
        name[length - 4] = '\0';
    return workload_find(name);
}

/* Takes `workload` into the families met so far when it begins one. */
static int meet_family(const struct workload *met[], int count, const struct workload *workload)
{
    for (int i = 0; i < count; i++)
        if (strcmp(met[i]->family, workload->family) == 0)
            return count;
    assert(count < FAMILIES_MAX);
    met[count] = workload;
    return count + 1;
}

const struct workload *command_family(int index)
{
    const struct workload *met[FAMILIES_MAX];
    int count = 0;

    for (int i = 0; workload_table[i] != NULL && count <= index; i++) {
        const struct variant *variant = workload_table[i]->variants;
        count = meet_family(met, count, workload_table[i]);
        for (; variant != NULL && variant->compat != NULL && count <= index; variant++)
            count = meet_family(met, count, variant->workload);
    }
    return index < count ? met[index] : NULL;
}

char *command_topics(const struct command *command)
{
    const char *topics = command->topics != NULL ? command->topics : "";

    return memory_format("%s,help", topics);
}

/* Whether `argument` is an option of the plan whose value is the next argument. */
static bool takes_next(const char *argument)
{
    const struct option_group group = { .rows = plan_options };
    const struct option *row = NULL;

    if (argument[1] == '-')
        row = option_find(&group, 1, argument + 2, NULL);
    else if (argument[2] == '\0')
        for (row = plan_options; row->name != NULL && row->letter != argument[1];)
            row++;
    return row != NULL && row->name != NULL && row->type != OPTION_FLAG;
}

/* The argument that names a workload: the first that is one, else the first that could be. */
static const char *find_workload_word(int argc, char **argv)
{
    const char *first = NULL;

    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            i += takes_next(argv[i]);
            continue;
        }
        if (command_workload(argv[i]) != NULL)
            return argv[i];
        if (first == NULL)
            first = argv[i];
    }
    return first;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static bool unknown_workload(const char *word, struct error *err)
{
    const char *older = spelling_workload(word);
    const char *near = older != NULL ? older : workload_nearest(word);
    char cut[SHOWN_MAX + 1];
    struct text shown;

    snprintf(cut, sizeof cut, "%s", word);
    text_init(&shown, ERROR_TEXT_MAX);
    text_add_safe(&shown, cut);
    if (spelling_is_machine_test(word))
        error_set(err, ERROR_USAGE,
                  "unknown workload %s: sysbench's tests of a machine have no counterpart: pgdyno "
                  "measures PostgreSQL",
                  shown.bytes);
    else if (near != NULL)
        error_set(err, ERROR_USAGE, "unknown workload %s: did you mean %s?", shown.bytes, near);
    else
        error_set(err, ERROR_USAGE, "unknown workload %s: pgdyno list shows what there is",
                  shown.bytes);
    text_close(&shown);
    return false;
}

/* The value of --compat, wherever it stands; NULL when it is not said. */
static const char *find_compat(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--compat=", 9) == 0)
            return argv[i] + 9;
        if (strcmp(argv[i], "--compat") == 0 && i + 1 < argc)
            return argv[i + 1];
    }
    return NULL;
}

/* The identity of the workload that --compat asks for (design D8). */
static const struct workload *pick_variant(const struct workload *workload, int argc, char **argv)
{
    const char *compat = find_compat(argc, argv);

    for (int i = 0;
         compat != NULL && workload->variants != NULL && workload->variants[i].compat != NULL; i++)
        if (strcmp(workload->variants[i].compat, compat) == 0)
            return workload->variants[i].workload;
    return workload;
}

static bool pick_workload(struct command_call *call, const struct command *command, int argc,
                          char **argv, struct error *err)
{
    const char *word = find_workload_word(argc, argv);

    if (word != NULL && command_workload(word) != NULL)
        call->workload = pick_variant(command_workload(word), argc, argv);
    if (call->workload != NULL || asks_for_help(argc, argv))
        return true;
    if (word != NULL)
        return unknown_workload(word, err);
    return error_set(err, ERROR_USAGE, "pgdyno %s %s: which workload? pgdyno list shows them",
                     command->name, command->usage);
}

/* The plan's rows that a verb reads. With a workload it reads all, so that one command line serves
 * load, run and drop alike; otherwise those of its topics. */
static const struct option *plan_rows(const struct command *command, struct arena *arena)
{
    struct option *rows;
    char *topics;
    int count = 0, kept = 0;

    if (command->takes_workload)
        return plan_options;
    topics = command_topics(command);
    while (plan_options[count].name != NULL)
        count++;
    rows = ARENA_ARRAY(arena, struct option, count + 1);
    for (int i = 0; i < count; i++)
        if (option_in_topics(&plan_options[i], topics))
            rows[kept++] = plan_options[i];
    memory_free(topics);
    return rows;
}

/* The workload's own defaults in place of its family's. */
static void set_presets(struct command_call *call)
{
    struct error err;

    for (const struct option *row = call->workload->options; row->name != NULL; row++) {
        const char *own = workload_default(call->workload, row);
        bool ok = own == row->fallback || option_set(row, call->options, own, call->arena, &err);
        assert(ok && "a preset that does not parse");
        (void)ok;
    }
}

static void make_groups(struct command_call *call, const struct command *command)
{
    struct option_group whole = { .rows = plan_options, .base = &call->plan };

    /* Rows that the verb does not read have their defaults all the same. */
    option_defaults(&whole, 1, call->arena);
    call->groups[call->group_count++] =
        (struct option_group){ .rows = plan_rows(command, call->arena), .base = &call->plan };
    if (call->workload != NULL && call->workload->options != NULL) {
        call->options = arena_take(call->arena, call->workload->options_size);
        call->groups[call->group_count++] =
            (struct option_group){ .rows = call->workload->options, .base = call->options };
    }
    if (command->options != NULL)
        call->groups[call->group_count++] =
            (struct option_group){ .rows = command->options, .base = call->own };
    option_defaults(call->groups + 1, call->group_count - 1, call->arena);
    if (call->options != NULL)
        set_presets(call);
}

/* Takes the workload's name out of the words; a verb with a workload has no others. */
static bool take_workload_word(struct command_call *call, struct error *err)
{
    struct option_argv *args = &call->args;

    for (int i = 0; i < args->word_count; i++) {
        const struct workload *named = command_workload(args->words[i]);
        if (named == NULL || strcmp(named->name, call->workload->name) != 0)
            continue;
        memmove(args->words + i, args->words + i + 1,
                (size_t)(args->word_count - i - 1) * sizeof args->words[0]);
        args->word_count--;
        break;
    }
    if (args->word_count > 0 &&
        (spelling_verb(args->words[0]) != NULL || command_find(args->words[0]) != NULL))
        return error_set(err, ERROR_USAGE, "%s: the verb stands first already, and one is enough%s",
                         args->words[0],
                         strcmp(args->words[0], "help") == 0 ? "; for help say --help" : "");
    if (args->word_count > 0 && workload_nearest(args->words[0]) != NULL &&
        command_workload(args->words[0]) == NULL)
        return unknown_workload(args->words[0], err);
    if (args->word_count > 0)
        return error_set(err, ERROR_USAGE, "%.*s: one workload is enough, what is this?", SHOWN_MAX,
                         args->words[0]);
    return true;
}

static bool open_workload(struct command_call *call, struct error *err)
{
    const struct workload *workload = call->workload;

    if (workload->world_size > 0)
        call->world = arena_take(call->arena, workload->world_size);
    if (workload->open != NULL && !workload->open(call->world, call->options, err))
        return false;
    if (workload->settle != NULL &&
        (!workload->settle(call->world, &call->plan, &call->args, err) ||
         !plan_check(&call->plan, err)))
        return false;
    if (workload->set_data_seed != NULL)
        workload->set_data_seed(call->world, call->plan.data_seed);
    return true;
}

bool command_read(struct command_call *call, const struct command *command, int argc, char **argv,
                  struct error *err)
{
    *call = (struct command_call){ .own = call->own, .arena = arena_new(CALL_ARENA_LIMIT) };
    err->kind = ERROR_NONE;
    err->text[0] = '\0';
    if (command->takes_workload && !pick_workload(call, command, argc, argv, err))
        return false;
    make_groups(call, command);
    call->args = (struct option_argv){ .groups = call->groups,
                                       .group_count = call->group_count,
                                       .argc = argc,
                                       .argv = argv,
                                       .arena = call->arena };
    if (!conf_read(call, err) || !option_read_argv(&call->args, err))
        return false;
    if (call->plan.help) {
        command_help_verb(stdout, command, call->workload);
        return false;
    }
    for (int i = 0; i < call->args.note_count; i++)
        command_say(call->args.notes[i]);
    if (call->workload != NULL && !take_workload_word(call, err))
        return false;
    plan_settle(&call->plan, option_given(&call->args, "time"));
    if (!plan_check(&call->plan, err))
        return false;
    return call->workload == NULL || (open_workload(call, err) && terminals_settle(call, err));
}

void command_close(struct command_call *call)
{
    arena_free(call->arena);
    call->arena = NULL;
}
