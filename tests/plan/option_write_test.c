/*
 * option_write_test.c - values as they would be typed, the lines of --help, mdoc.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "plan/option_value.h"
#include "plan/plan.h"

struct box {
    bool flag;
    int choice;
    int64_t whole, duration, size;
    double real;
    const char *text;
    struct percentiles list;
};

static const struct choice colours[] = { { "red", 1, "like blood" },
                                         { "green", 2, "like grass" },
                                         { "mauve", CHOICE_REFUSED, "nobody knows what it is" },
                                         { NULL, 0, NULL } };

#define ROW(n, t, f) .name = n, .type = t, .at = offsetof(struct box, f), .since = "0"
static const struct option rows[] = {
    { ROW("flag", OPTION_FLAG, flag), .topic = "box", .fallback = "on", .help = "a flag" },
    { ROW("colour", OPTION_CHOICE, choice), .topic = "box", .fallback = "red", .choices = colours,
      .help = "a hue" },
    { ROW("whole", OPTION_WHOLE, whole), .topic = "box", .fallback = "7", .letter = 'w',
      .help = "a number" },
    { ROW("duration", OPTION_DURATION, duration), .topic = "box", .fallback = "1s",
      .help = "a time" },
    { ROW("size", OPTION_SIZE, size), .topic = "box", .fallback = "8kB", .help = "a size" },
    { ROW("real", OPTION_REAL, real), .topic = "box", .fallback = "0.1", .help = "a real",
      .unit = "%" },
    { ROW("text", OPTION_TEXT, text), .help = "a path", .unit = "file", .topic = "other" },
    { ROW("list", OPTION_PERCENTILES, list), .topic = "box", .fallback = "50,99.9",
      .help = "a list", .text = ".begins with a dot. Ends \\ here." },
    { ROW("hidden", OPTION_FLAG, flag), .topic = "box", .marks = OPTION_HIDDEN | OPTION_ALSO,
      .help = "not seen" },
    { .name = NULL },
};

static void shown_as_typed(void **state)
{
    static const struct {
        const char *name, *typed, *shown;
    } values[] = {
        { "duration", "90", "90s" },
        { "duration", "120", "2min" },
        { "duration", "1500ms", "1500ms" },
        { "duration", "1h30m", "90min" },
        { "duration", "0", "0s" },
        { "size", "1048576", "1MB" },
        { "size", "1000", "1000" },
        { "real", "1e3", "1000" },
        { "real", "0.30000000000000004", "0.30000000000000004" },
        { "list", "99,50", "50,99" },
        { "colour", "green", "green" },
        { "flag", "no", "off" },
        { "whole", "1e3", "1000" },
        { "text", "a b", "a b" },
    };
    struct arena *arena = arena_new(1 << 20);
    struct box box;
    struct option_group group = { rows, &box };

    (void)state;
    memset(&box, 0x5a, sizeof box);
    option_defaults(&group, 1, arena);
    assert_null(box.text);
    for (int i = 0; i < COUNT_OF(values); i++) {
        const struct option *row = option_find(&group, 1, values[i].name, NULL);
        struct error err;

        assert_true(option_is_default(row, &box));
        assert_true(option_set(row, &box, values[i].typed, arena, &err));
        assert_string_equal(option_show(row, &box, arena), values[i].shown);
        /* What is shown reads back as the same. */
        assert_true(option_set(row, &box, option_show(row, &box, arena), arena, &err));
        assert_string_equal(option_show(row, &box, arena), values[i].shown);
        assert_false(option_is_default(row, &box));
        option_defaults(&group, 1, arena);
    }
    arena_free(arena);
}

static char *written(void (*write)(FILE *, const struct option *, const char *), const char *topics)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);

    write(out, rows, topics);
    fclose(out);
    return bytes;
}

static void help_is_aligned(void **state)
{
    char *help = written(option_write_help, NULL);

    (void)state;
    assert_string_equal(help, "\nbox:\n"
                              "      --[no-]flag      a flag\n"
                              "      --colour WORD    a hue: red, green [red]\n"
                              "  -w, --whole N        a number [7]\n"
                              "      --duration TIME  a time [1s]\n"
                              "      --size SIZE      a size [8kB]\n"
                              "      --real N         a real [0.1 %]\n"
                              "      --list LIST      a list [50,99.9]\n"
                              "\nother:\n"
                              "      --text FILE      a path\n");
    free(help);
    help = written(option_write_help, "other,whole");
    assert_string_equal(help, "\nbox:\n  -w, --whole N    a number [7]\n"
                              "\nother:\n      --text FILE  a path\n");
    free(help);
}

static void help_fits_the_terminal(void **state)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);

    (void)state;
    option_write_help(out, plan_options, NULL);
    fclose(out);
    for (const char *line = bytes; *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 100)
            fail_msg("too long: %.*s", (int)strcspn(line, "\n"), line);
    assert_null(strstr(bytes, "--threads"));
    assert_null(strstr(bytes, "--verbosity"));
    free(bytes);
}

static void man_escapes(void **state)
{
    char *man = written(option_write_man, "list");

    (void)state;
    assert_non_null(strstr(man, ".It Fl -list Ns = Ns Ar LIST\nA list.\n"));
    assert_non_null(strstr(man, "\n\\&.begins with a dot.\nEnds \\e here.\n"));
    free(man);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_as_typed),
        cmocka_unit_test(help_is_aligned),
        cmocka_unit_test(help_fits_the_terminal),
        cmocka_unit_test(man_escapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
