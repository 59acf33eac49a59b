/*
 * option_argv_test.c - command lines into a plan: every way to write an option, and every refusal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/option_value.h"
#include "plan/plan.h"

#define ARGS_MAX 64

/* A command line and what became of it. */
struct line {
    struct arena *arena;
    struct plan plan;
    struct option_group group;
    struct option_argv args;
    char *argv[ARGS_MAX];
    struct error err;
    bool ok;
};

/* Reads the words, separated by spaces; "~" stands for a space within one. */
static struct line *read_line(const char *words)
{
    struct line *line = test_calloc(1, sizeof *line);
    char *copy;

    line->arena = arena_new(1 << 20);
    line->group = (struct option_group){ .rows = plan_options, .base = &line->plan };
    option_defaults(&line->group, 1, line->arena);
    line->args = (struct option_argv){
        .groups = &line->group, .group_count = 1, .argv = line->argv, .arena = line->arena
    };
    copy = arena_text(line->arena, words);
    for (char *word = copy; *word != '\0';) {
        size_t length = strcspn(word, " ");
        bool last = word[length] == '\0';

        word[length] = '\0';
        for (char *c = word; *c != '\0'; c++)
            if (*c == '~')
                *c = ' ';
        assert_true(line->args.argc < ARGS_MAX);
        line->argv[line->args.argc++] = word;
        word += length + !last;
    }
    line->ok = option_read_argv(&line->args, &line->err);
    return line;
}

static void close_line(struct line *line)
{
    arena_free(line->arena);
    test_free(line);
}

static struct line *must_read(const char *words)
{
    struct line *line = read_line(words);

    if (!line->ok)
        fail_msg("%s: %s", words, line->err.text);
    return line;
}

static void must_refuse(const char *words, const char *message)
{
    struct line *line = read_line(words);

    if (line->ok)
        fail_msg("%s was taken", words);
    assert_int_equal(line->err.kind, ERROR_USAGE);
    if (strstr(line->err.text, message) == NULL)
        fail_msg("%s: '%s' does not say '%s'", words, line->err.text, message);
    close_line(line);
}

static void every_way_to_write_an_option(void **state)
{
    static const char *const ways[] = { "-c 8",
                                        "-c8",
                                        "-c=8",
                                        "--connections 8",
                                        "--connections=8",
                                        "-qc8",
                                        "x --connections=0x --connections=8" };

    (void)state;
    for (int i = 0; i < COUNT_OF(ways) - 1; i++) {
        struct line *line = must_read(ways[i]);

        assert_int_equal(line->plan.connections, 8);
        assert_true(option_given(&line->args, "connections"));
        assert_false(option_given(&line->args, "workers"));
        close_line(line);
    }
    must_refuse(ways[COUNT_OF(ways) - 1], "--connections=0x");
}

static void flags(void **state)
{
    static const struct {
        const char *words;
        bool pipeline;
    } lines[] = {
        { "--pipeline", true },
        { "--pipeline=on", true },
        { "--pipeline on", true },
        { "--pipeline=off", false },
        { "--pipeline off", false },
        { "--no-pipeline", false },
        { "--pipeline --no-pipeline", false },
        { "--pipeline=1", true },
        { "--pipeline=YES", true },
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(lines); i++) {
        struct line *line = must_read(lines[i].words);

        if (line->plan.pipeline != lines[i].pipeline || line->args.word_count != 0)
            fail_msg("%s", lines[i].words);
        close_line(line);
    }
    must_refuse("--pipeline=maybe", "--pipeline=maybe: wanted is on or off");
    must_refuse("--no-pipeline=on", "takes no value");
    must_refuse("--no-connections", "unknown option --no-connections");
}

static void words_stand_anywhere(void **state)
{
    struct line *line = must_read("one -c 2 two --quiet three -- --four -c");

    (void)state;
    assert_int_equal(line->args.word_count, 5);
    assert_string_equal(line->args.words[0], "one");
    assert_string_equal(line->args.words[2], "three");
    assert_string_equal(line->args.words[3], "--four");
    assert_int_equal(line->plan.connections, 2);
    assert_true(line->plan.quiet);
    close_line(line);
}

static void spellings_of_sysbench(void **state)
{
    struct line *line = must_read(
        "--events=5 --report_interval=2 --percentile=99.9 --rand-seed=0 --warmup-time=3 "
        "--db-driver=pgsql --db-ps-mode=disable --thread_init_timeout=9 --pgsql-port=1,2");

    (void)state;
    assert_int_equal(line->plan.transactions, 5);
    assert_int_equal(line->plan.interval_ns, INT64_C(2000000000));
    assert_int_equal(line->plan.percentiles.count, 1);
    assert_int_equal(line->plan.seed, -1);
    assert_int_equal(line->plan.warmup_ns, INT64_C(3000000000));
    assert_int_equal(line->plan.protocol, PROTOCOL_SIMPLE);
    assert_int_equal(line->plan.connect_timeout_ns, INT64_C(9000000000));
    assert_string_equal(line->plan.pgsql_port, "1,2");
    assert_int_equal(line->args.note_count, 0);
    close_line(line);

    line =
        must_read("--verbosity=3 --debug=on --validate --thread-stack-size 64K --luajit-cmd=off");
    assert_int_equal(line->args.note_count, 5);
    assert_non_null(strstr(line->args.notes[0], "--verbosity is ignored"));
    close_line(line);

    must_refuse("--threads=8", "use --connections for them, and --workers for threads");
    must_refuse("--num-threads 8", "use --connections");
    must_refuse("--mysql-user=x", "PostgreSQL only");
    must_refuse("--db-driver=mysql", "PostgreSQL only");
    must_refuse("--db-driver=oracle", "wanted is pgsql");
}

static void unknown_names_get_the_nearest(void **state)
{
    (void)state;
    must_refuse("--conections=8", "unknown option --conections: did you mean --connections?");
    must_refuse("--conections 8", "did you mean --connections?");
    must_refuse("--reprot-interval=1", "did you mean --interval?");
    must_refuse("--xyzzy", "unknown option --xyzzy: --help lists");
    must_refuse("-Z", "unknown option -Z");
    must_refuse("--\x1b[31m", "unknown option --\\x1B[31m");
    must_refuse("---", "unknown option");
    must_refuse("--=5", "unknown option");
}

static void values_are_checked(void **state)
{
    (void)state;
    must_refuse("-c 0", "--connections=0: too small, the least is 1");
    must_refuse("-c 1M", "--connections=1M: too large, the most is 100000");
    must_refuse("-c ten", "--connections=ten: wanted is a whole number, as 10000, 10k or 1e7");
    must_refuse("-c", "--connections needs a value");
    must_refuse("-c --quiet", "--connections needs a value");
    must_refuse("--time=-1", "--time=-1: wanted is a time");
    must_refuse("--seed -1", "--seed=-1: too small");
    must_refuse("--seed x", "or random");
    must_refuse("--protocol=binary", "wanted is auto, prepared, extended or simple");
    must_refuse("--interval=10ms", "the least is 0.1s");
    must_refuse("--percentiles=0", "above 0 and up to 100");
}

static void passwords_are_overwritten(void **state)
{
    static const struct {
        const char *words, *secret;
        int argument;
        bool note;
    } lines[] = {
        { "--pgsql-password=geheim", "geheim", 0, true },
        { "--pgsql-password geheim", "geheim", 1, true },
        { "-t postgresql://me:geheim@db/x", "geheim", 1, true },
        { "-tpostgresql://me:geheim@db/x", "geheim", 0, true },
        { "--target=host=db~password=geheim", "geheim", 0, true },
        { "--pgsql-db=dbname=x~password=geheim", "geheim", 0, true },
        { "--target=host=geheim", "geheim", 0, false },
        { "--pgsql-password=", "geheim", 0, false },
    };

    (void)state;
    for (int i = 0; i < COUNT_OF(lines); i++) {
        struct line *line = must_read(lines[i].words);

        if (strstr(line->argv[lines[i].argument], lines[i].secret) != NULL)
            fail_msg("%s is still in argv", lines[i].words);
        assert_int_equal(line->args.note_count, lines[i].note);
        if (lines[i].note) {
            assert_non_null(strstr(line->args.notes[0], "PGPASSFILE"));
            assert_null(strstr(line->args.notes[0], lines[i].secret));
        }
        close_line(line);
    }
}

static void secrets_are_kept_and_never_shown(void **state)
{
    struct line *line = must_read("--pgsql-password=geheim -t local:17");
    const struct option *row = option_find(&line->group, 1, "pgsql_password", NULL);

    (void)state;
    assert_string_equal(line->plan.pgsql_password, "geheim");
    assert_string_equal(option_show(row, &line->plan, line->arena), "...");
    /* A local target holds nothing to hide. */
    assert_string_equal(line->argv[2], "local:17");
    close_line(line);
}

/* No command line whatsoever may crash the reader or leave it without a verdict. */
static void random_lines_do_no_harm(void **state)
{
    static const char *const pieces[] = {
        "-",
        "--",
        "=",
        "c",
        "--connections",
        "--time",
        "8",
        "on",
        "off",
        "--no-",
        "pipeline",
        "-q",
        "t",
        "%n",
        "\xff",
        "--target",
        "://",
        ":",
        "@",
        "_",
        "rand",
        "seed",
        "~",
        "--percentiles=",
        ",",
        "9",
        "e",
        "-h",
        "\x01",
    };
    struct rng rng;

    (void)state;
    rng_init(&rng, 7, 0, 0);
    for (int i = 0; i < 5000; i++) {
        char words[512] = "";
        struct line *line;
        size_t length = 0;

        for (int64_t n = rng_between(&rng, 1, 20); n > 0; n--) {
            const char *piece = pieces[rng_between(&rng, 0, COUNT_OF(pieces) - 1)];

            length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", piece,
                                       rng_between(&rng, 0, 2) == 0 ? " " : "");
        }
        line = read_line(words);
        assert_true(line->ok || (line->err.kind == ERROR_USAGE && line->err.text[0] != '\0'));
        close_line(line);
    }
}

static void too_many_words_are_refused(void **state)
{
    struct line *line = test_calloc(1, sizeof *line);
    static char word[] = "x";
    static char *argv[OPTION_WORDS_MAX + 1];

    (void)state;
    for (int i = 0; i <= OPTION_WORDS_MAX; i++)
        argv[i] = word;
    line->arena = arena_new(1 << 20);
    line->group = (struct option_group){ .rows = plan_options, .base = &line->plan };
    line->args = (struct option_argv){ .groups = &line->group,
                                       .group_count = 1,
                                       .argc = OPTION_WORDS_MAX + 1,
                                       .argv = argv,
                                       .arena = line->arena };
    assert_false(option_read_argv(&line->args, &line->err));
    assert_non_null(strstr(line->err.text, "too many words"));
    close_line(line);
}

/* Bare numbers are minutes there; what was said under one name was said under the other. */
static void hammerdb_spellings(void **state)
{
    struct line *line = read_line("--pg_rampup 2 --pg_duration=0.5 --vu 7 --pg_raiseerror true "
                                  "--pg_host here --pg_dbase tpcc");

    (void)state;
    assert_true(line->ok);
    assert_int_equal(line->plan.warmup_ns, INT64_C(120000000000));
    assert_int_equal(line->plan.time_ns, INT64_C(30000000000));
    assert_int_equal(line->plan.connections, 7);
    assert_int_equal(line->plan.on_error, ON_ERROR_STOP);
    assert_string_equal(line->plan.pgsql_host, "here");
    assert_string_equal(line->plan.pgsql_db, "tpcc");
    assert_true(option_given(&line->args, "time"));
    assert_true(option_given(&line->args, "connections"));
    assert_false(option_given(&line->args, "workers"));
    assert_false(option_given(&line->args, "interval"));
    close_line(line);
    line = read_line("--pg-duration 90s --pg-rampup 1min30s");
    assert_true(line->ok);
    assert_int_equal(line->plan.time_ns, INT64_C(90000000000));
    assert_int_equal(line->plan.warmup_ns, INT64_C(90000000000));
    close_line(line);
    line = read_line("--pg-duration -1");
    assert_false(line->ok);
    close_line(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_an_option),
        cmocka_unit_test(flags),
        cmocka_unit_test(words_stand_anywhere),
        cmocka_unit_test(spellings_of_sysbench),
        cmocka_unit_test(unknown_names_get_the_nearest),
        cmocka_unit_test(values_are_checked),
        cmocka_unit_test(passwords_are_overwritten),
        cmocka_unit_test(secrets_are_kept_and_never_shown),
        cmocka_unit_test(random_lines_do_no_harm),
        cmocka_unit_test(too_many_words_are_refused),
        cmocka_unit_test(hammerdb_spellings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
