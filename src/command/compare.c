/*
 * compare.c - `pgdyno compare`: results held against each other, with verdicts.
 */
#include <string.h>

#include "command/common.h"
#include "command/comparison.h"
#include "report/report.h"

static const struct choice formats[] = {
    { "text", COMPARE_TEXT, "tables for a terminal" },
    { "markdown", COMPARE_MARKDOWN, "the same tables for a page" },
    { "csv", COMPARE_CSV, "a line a row and side, with every figure" },
    { "json", COMPARE_JSON, "everything" },
    { NULL, 0, NULL },
};

static const struct choice fails[] = {
    { "never", FAIL_NEVER, "whatever the verdicts" },
    { "slower", FAIL_SLOWER, "exit code 7 when a verdict is slower" },
    { NULL, 0, NULL },
};

#define AT(field) offsetof(struct compare_options, field)

static const struct option compare_rows[] = {
    { .name = "by",
      .type = OPTION_TEXT,
      .at = AT(by),
      .topic = "compare",
      .since = "0.1",
      .help = "sides by label, version, major, host, client or any path of a result",
      .text = "Divides all results that are named, or lie in the folders that are named, into "
              "sides by what they say there. The first side met is the base, unless --base names "
              "another." },
    { .name = "base",
      .type = OPTION_TEXT,
      .at = AT(base),
      .topic = "compare",
      .since = "0.1",
      .help = "name of the side that the others are held against" },
    { .name = "paired",
      .type = OPTION_FLAG,
      .at = AT(paired),
      .fallback = "off",
      .topic = "compare",
      .since = "0.1",
      .help = "the first run of a side belongs to the first of the other",
      .text =
          "For runs that were made in turn, in the order in which they are named. A bench knows "
          "its blocks by itself." },
    { .name = "metric",
      .type = OPTION_TEXT,
      .at = AT(metric),
      .topic = "compare",
      .since = "0.1",
      .help = "path of the number to compare: summary.latency_ms.response.p99",
      .text = "By default what the workload is known by: its first headline, or queries a second, "
              "or transactions a second; in an open loop the p99 of the response time, since the "
              "rate was given." },
    { .name = "lower-is-better",
      .type = OPTION_FLAG,
      .at = AT(lower_is_better),
      .fallback = "off",
      .topic = "compare",
      .since = "0.1",
      .help = "less of the metric is faster; known by itself for times and errors" },
    { .name = "threshold",
      .type = OPTION_REAL,
      .at = AT(threshold),
      .fallback = "3",
      .low = 0,
      .high = 50,
      .unit = "%",
      .topic = "compare",
      .since = "0.1",
      .help = "a difference below it does not matter",
      .text =
          "Faster and slower mean that the whole interval lies beyond it, same that the whole "
          "interval lies within. What pgdyno aa found that this machine can tell is the least." },
    { .name = "allow",
      .type = OPTION_TEXT,
      .at = AT(allow),
      .topic = "compare",
      .since = "0.1",
      .help = "compare although sides differ in durability, mode, options, data",
      .text = "Names of kinds with commas between, or all. Unasked, sides that differ in one of "
              "them get no verdict but exit code 9." },
    { .name = "fail-if",
      .type = OPTION_CHOICE,
      .at = AT(fail_if),
      .fallback = "never",
      .choices = fails,
      .topic = "compare",
      .since = "0.1",
      .help = "when to end with exit code 7" },
    { .name = "format",
      .type = OPTION_CHOICE,
      .at = AT(format),
      .fallback = "text",
      .choices = formats,
      .topic = "compare",
      .since = "0.1",
      .help = "how to show it" },
    { .name = "detail",
      .type = OPTION_FLAG,
      .at = AT(detail),
      .fallback = "off",
      .topic = "compare",
      .since = "0.1",
      .help = "a line with interval and verdict for each side, also when there are many" },
    { .name = "per-query",
      .type = OPTION_FLAG,
      .at = AT(per_query),
      .fallback = "off",
      .topic = "compare",
      .since = "0.1",
      .help = "tables of what a query cost: CPU, context switches, I/O",
      .text =
          "In the columns of published tables: cpu/o, cs/o, r/o, rKB/o, wKB/o and o/s, absolute "
          "and relative to the base. Only results that know what the machine did have them." },
    { .name = NULL },
};

/* Takes the "--" out of argv; `sides` says behind how many of them each argument stood. */
static int take_dashes(int argc, char **argv, int *sides)
{
    int kept = 0, side = 0;

    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            side++;
            continue;
        }
        sides[kept] = side;
        argv[kept++] = argv[i];
    }
    return kept;
}

/* The sides of the words that are left when the options are read. Words are the arguments
 * themselves, so their place tells. */
static void sides_of_words(const struct option_argv *args, const int *argument_sides, int *sides)
{
    for (int i = 0; i < args->word_count; i++) {
        sides[i] = 0;
        for (int j = 0; j < args->argc; j++)
            if (args->argv[j] == args->words[i])
                sides[i] = argument_sides[j];
    }
}

static void write_tree(const json_t *tree, const struct compare_options *options)
{
    struct report_style style = report_style_of(stdout);
    const struct report_comparison how = { .style = &style,
                                           .markdown = options->format == COMPARE_MARKDOWN,
                                           .detail = options->detail,
                                           .per_query = options->per_query };

    if (options->format == COMPARE_JSON) {
        json_dumpf(tree, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        putchar('\n');
    } else if (options->format == COMPARE_CSV) {
        report_comparison_csv(stdout, tree);
    } else {
        report_comparison(stdout, &how, tree);
    }
}

/* Sides that must not be held against each other get the first line and no verdict. */
static bool refuse(struct comparison *comparison, const struct compare_options *options,
                   const json_t *differences, struct error *err)
{
    struct report_style style = report_style_of(stdout);
    const struct report_comparison how = { .style = &style,
                                           .markdown = options->format == COMPARE_MARKDOWN };
    const char *kinds = compare_forbids(comparison, differences, options->allow);
    json_t *tree;

    if (kinds == NULL)
        return false;
    tree = json_pack("{s:O, s:s}", "differences", (json_t *)(uintptr_t)differences, "incomparable",
                     kinds);
    if (options->format == COMPARE_JSON)
        write_tree(tree, options);
    else if (options->format != COMPARE_CSV)
        report_comparison(stdout, &how, tree);
    json_decref(tree);
    error_set(err, ERROR_INCOMPARABLE,
              "not comparable: the sides differ in %s; --allow %s compares them all the same",
              kinds, kinds);
    return true;
}

static void compare(struct comparison *comparison, const struct compare_options *options,
                    struct error *err)
{
    json_t *differences = compare_differences(comparison), *tree = NULL;
    const char *worse;

    if (!refuse(comparison, options, differences, err))
        tree = compare_tree(comparison, options, differences, err);
    json_decref(differences);
    if (tree == NULL)
        return;
    write_tree(tree, options);
    worse = compare_failed(tree, options->fail_if, comparison->arena);
    if (worse != NULL)
        error_set(err, ERROR_WORSE, "slower than the base: %.400s", worse);
    json_decref(tree);
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct compare_options options = { 0 };
    struct command_call call = { .own = &options };
    struct comparison comparison = { .arena = arena_new(COMPARISON_ARENA_LIMIT) };
    int *argument_sides = ARENA_ARRAY(comparison.arena, int, argc + 1);
    struct operands operands;
    int sides[OPTION_WORDS_MAX];

    argc = take_dashes(argc, argv, argument_sides);
    if (command_read(&call, &command_compare, argc, argv, err) &&
        compare_allow_check(options.allow, err)) {
        options.direction_given = option_given(&call.args, "lower-is-better");
        sides_of_words(&call.args, argument_sides, sides);
        operands = (struct operands){ call.args.words, sides, call.args.word_count };
        if (call.args.word_count == 0)
            error_set(err, ERROR_USAGE,
                      "compare wants results: BASE... -- HEAD..., --by label DIR..., or the folder "
                      "of a bench");
        else if (compare_gather(&comparison, &options, &operands, err))
            compare(&comparison, &options, err);
        comparison_close(&comparison);
    }
    command_close(&call);
    arena_free(comparison.arena);
    return err->kind;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "what differs between results, and how sure that is",
    .usage = "BASE... -- HEAD... | --by label DIR... | BENCH [options]",
    .text = "Holds results against each other: the ratio to the base with its interval, and a "
            "verdict. The first line says what differs between the sides; sides unlike in "
            "durability, mode, options or data are not comparable unless allowed. A bench has "
            "blocks, which make small differences visible; six of them are the least for a claim, "
            "or four runs a side without blocks. Two results alone can be compared as well, but "
            "then nothing is claimed: one run says nothing about the next. Further heads "
            "behind a dash pair of their own make more columns.",
    .options = compare_rows,
    .run = run,
};
