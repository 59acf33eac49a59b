/*
 * doc.c - `pgdyno doc`: the man page and shell completion, made from the tables while building.
 */
#include <string.h>

#include "command/common.h"

#define MAN_DATE "November 30, 2026"

/* What the environment may say; a row a variable. */
static const struct {
    const char *name, *help;
} variables[] = {
    { "PGDYNO_TARGET",
      "As --target, which is asked first; for a conninfo that nobody is to see in the list of "
      "processes." },
    { "PGHOST , PGHOSTADDR , PGPORT , PGDATABASE , PGSERVICE",
      "One of them set, and the target is what libpq's variables and files say, unless "
      "--target is given. They do not reach a local target." },
    { "PGUSER , PGPASSFILE , PGSSLMODE , ...",
      "All other variables of libpq hold for targets that are not local." },
    { "XDG_STATE_HOME",
      "Where local servers are kept, in pgdyno/servers/MAJOR, and what this machine can tell, in "
      "pgdyno/resolution.json." },
    { "PGDYNO_SERVERS",
      "A name: local servers are kept in pgdyno/benches/NAME/MAJOR instead, apart from others." },
    { "NO_COLOR", "No colours, also on a terminal." },
};

static const struct {
    const char *name, *help;
} files[] = {
    { "results/TIME\\-WORKLOAD[\\-LABEL]/result.json",
      "What a run was and gave, in one document." },
    { "results/TIME\\-WORKLOAD[\\-LABEL]/series.jsonl", "One line a second." },
    { "results/TIME\\-WORKLOAD[\\-LABEL]/latency.hlog",
      "Histograms, in the HdrHistogram log format." },
    { "results/TIME\\-WORKLOAD[\\-LABEL]/run.log", "What was said, with times." },
    { "~/.pgpass", "Passwords, see libpq's documentation." },
};

static const struct {
    const char *what, *line;
} examples[] = {
    { "Ten seconds of point selects on a local server, set up when needed:",
      "pgdyno load oltp_point_select --table\\-size 100k\n"
      "pgdyno run oltp_point_select --table\\-size 100k -c 8" },
    { "The same on another server, with TLS:", "pgdyno run oltp_point_select -c 8 -t \\(aqhost=db1 "
                                               "dbname=bench sslmode=verify\\-full\\(aq" },
    { "A million transactions, with a seed, so that they can be repeated:",
      "pgdyno run oltp_point_select --transactions 1M --seed 7" },
};

/* A "--" that stands alone is meant as two characters. */
static void write_usage(FILE *out, const char *words)
{
    const char *dashes = strstr(words, " -- ");

    if (dashes == NULL)
        fputs(words, out);
    else
        fprintf(out, "%.*s \\-\\- %s", (int)(dashes - words), words, dashes + 4);
}

static void write_verbs(FILE *out)
{
    fputs(".Sh VERBS\n.Bl -tag -width Ds\n", out);
    for (int i = 0; command_table[i] != NULL; i++) {
        const struct command *row = command_table[i];

        if (row->hidden)
            continue;
        fprintf(out, ".It Cm %s Ar ", row->name);
        write_usage(out, row->usage);
        fputc('\n', out);
        option_write_mdoc(out, row->text != NULL ? row->text : row->summary);
        fputs(row->text != NULL ? "\n" : ".\n", out);
    }
    fputs(".El\n", out);
}

static void write_options(FILE *out)
{
    fputs(
        ".Sh OPTIONS\n"
        "They may stand anywhere after the verb.\n"
        "In a name\n.Sq -\nand\n.Sq _\nare the same; a value follows after\n.Sq =\nor as the next "
        "argument.\n"
        "Numbers may be written as 10k, 5M or 1e7, times as 250ms, 10s, 5min or\n1h30min, sizes "
        "as 64kB, 8MB or 1GB.\n",
        out);
    option_write_man(out, plan_options, NULL);
    for (int i = 0; command_family(i) != NULL; i++)
        if (command_family(i)->options != NULL)
            option_write_man(out, command_family(i)->options, NULL);
    for (int i = 0; command_table[i] != NULL; i++)
        if (command_table[i]->options != NULL && !command_table[i]->hidden)
            option_write_man(out, command_table[i]->options, NULL);
}

static void write_workloads(FILE *out)
{
    fputs(".Sh WORKLOADS\n.Bl -tag -width Ds\n", out);
    for (int i = 0; workload_table[i] != NULL; i++) {
        fprintf(out, ".It Cm %s\n", workload_table[i]->name);
        option_write_mdoc(out, workload_table[i]->summary);
        fprintf(out, ".\nFamily %s.\n", workload_table[i]->family);
    }
    fputs(".El\n", out);
}

static void write_surroundings(FILE *out)
{
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", out);
    for (int i = 0; i < COUNT_OF(variables); i++) {
        fprintf(out, ".It Ev %s\n", variables[i].name);
        option_write_mdoc(out, variables[i].help);
        fputc('\n', out);
    }
    fputs(".El\n.Sh FILES\n.Bl -tag -width Ds\n", out);
    for (int i = 0; i < COUNT_OF(files); i++)
        fprintf(out, ".It Pa %s\n%s\n", files[i].name, files[i].help);
    fputs(".El\n", out);
}

static void write_ends(FILE *out)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n", out);
    for (const struct exit_code *row = exit_codes; row->name != NULL; row++)
        fprintf(out, ".It %d\n.Em %s :\n%s\n", (int)row->kind, row->name, row->meaning);
    fputs(".El\n.Sh EXAMPLES\n", out);
    for (int i = 0; i < COUNT_OF(examples); i++)
        fprintf(out, "%s%s\n.Bd -literal -offset indent\n%s\n.Ed\n", i > 0 ? ".Pp\n" : "",
                examples[i].what, examples[i].line);
    fputs(".Sh SEE ALSO\n.Xr pgbench 1 ,\n.Xr psql 1\n", out);
}

static void write_man(FILE *out)
{
    fputs(".\\\" Made by pgdyno doc man from the tables of options, verbs and workloads.\n"
          ".Dd " MAN_DATE "\n.Dt PGDYNO 1\n.Os\n"
          ".Sh NAME\n.Nm pgdyno\n.Nd what PostgreSQL really delivers, and what holds it back\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar verb\n.Op Ar workload\n.Op Ar options\n"
          ".Sh DESCRIPTION\n.Nm\n"
          "runs benchmarks against PostgreSQL, measures them right, and keeps what it\n"
          "measured in a folder that others can check.\n"
          "The load goes over many connections from few threads, so that the client is\n"
          "rarely what limits; when it is, the result says so.\n",
          out);
    write_verbs(out);
    write_options(out);
    write_workloads(out);
    write_surroundings(out);
    write_ends(out);
}

static bool write_doc(const struct command_call *call, struct error *err)
{
    const char *what = call->args.word_count > 0 ? call->args.words[0] : "";

    if (strcmp(what, "man") == 0 && call->args.word_count == 1) {
        write_man(stdout);
        return true;
    }
    if (strcmp(what, "completion") == 0 && call->args.word_count == 2 &&
        command_write_completion(stdout, call->args.words[1]))
        return true;
    return error_set(err, ERROR_USAGE,
                     "pgdyno doc: wanted is man, completion bash or completion "
                     "zsh");
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct command_call call = { 0 };

    if (command_read(&call, &command_doc, argc, argv, err))
        write_doc(&call, err);
    command_close(&call);
    return err->kind;
}

const struct command command_doc = {
    .name = "doc",
    .summary = "the man page and shell completion, for packagers",
    .usage = "man|completion bash|completion zsh",
    .hidden = true,
    .run = run,
};
