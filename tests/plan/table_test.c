/*
 * table_test.c - walks every row of the plan's options: what a row must have, it has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <string.h>

#include "plan/option_value.h"
#include "plan/plan.h"

#define HELP_MAX   69
#define NAMES_MAX  512
#define STORED_NOT (OPTION_IGNORED | OPTION_REFUSED)

static bool is_topic(const char *topic)
{
    static const char *const topics[] = { "target", "sessions", "run", "data", "output" };

    for (int i = 0; i < COUNT_OF(topics); i++)
        if (strcmp(topics[i], topic) == 0)
            return true;
    return false;
}

static void rows_are_whole(void **state)
{
    (void)state;
    for (const struct option *row = plan_options; row->name != NULL; row++) {
        /* A refusal's help is a sentence of an error, not a line of --help. */
        bool line = (row->marks & OPTION_REFUSED) == 0;

        if (row->help == NULL || (line && strlen(row->help) > HELP_MAX) || row->help[0] == '\0')
            fail_msg("--%s: help is missing or longer than %d", row->name, HELP_MAX);
        if (row->help[strlen(row->help) - 1] == '.')
            fail_msg("--%s: help ends with a full stop", row->name);
        if (row->topic == NULL || !is_topic(row->topic))
            fail_msg("--%s: topic", row->name);
        if (row->since == NULL || row->since[0] == '\0')
            fail_msg("--%s: since", row->name);
        if (row->low > row->high)
            fail_msg("--%s: low is above high", row->name);
        if ((row->type == OPTION_CHOICE) != (row->choices != NULL && row->type == OPTION_CHOICE))
            fail_msg("--%s: a choice without choices", row->name);
        if (row->text != NULL && row->text[strlen(row->text) - 1] != '.')
            fail_msg("--%s: text is not sentences", row->name);
        for (const char *c = row->name; *c != '\0'; c++)
            if (!islower((unsigned char)*c) && *c != '-' && !isdigit((unsigned char)*c))
                fail_msg("--%s: a name is small letters, digits and dashes", row->name);
    }
}

static void fallbacks_parse_and_show_as_they_are_typed(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct plan plan = { 0 };

    (void)state;
    for (const struct option *row = plan_options; row->name != NULL; row++) {
        struct option_value value;
        struct error err = { 0 };

        if (row->fallback == NULL)
            continue;
        if (!option_parse(row, row->fallback, &value, &err))
            fail_msg("--%s: %s", row->name, err.text);
        option_store(row, &plan, &value, arena);
        assert_string_equal(option_show(row, &plan, arena), row->fallback);
        assert_true(option_is_default(row, &plan));
    }
    arena_free(arena);
}

static void choices_have_help(void **state)
{
    (void)state;
    for (const struct option *row = plan_options; row->name != NULL; row++)
        for (const struct choice *choice = row->choices; choice != NULL && choice->word != NULL;
             choice++)
            if (choice->help == NULL || choice->help[0] == '\0')
                fail_msg("--%s=%s: help is missing", row->name, choice->word);
}

static void add_name(char names[][64], int *count, const char *name, int length)
{
    assert_true(*count < NAMES_MAX && length < 64 && length > 0);
    memcpy(names[*count], name, (size_t)length);
    names[*count][length] = '\0';
    for (int i = 0; i < *count; i++)
        if (option_name_same(names[i], names[*count]))
            fail_msg("--%s is there twice", names[i]);
    (*count)++;
}

static void names_and_letters_are_unique(void **state)
{
    static char names[NAMES_MAX][64];
    bool letters[256] = { false };
    int count = 0;

    (void)state;
    for (const struct option *row = plan_options; row->name != NULL; row++) {
        add_name(names, &count, row->name, (int)strlen(row->name));
        for (const char *at = row->aliases; at != NULL && *at != '\0';) {
            int length = (int)strcspn(at, ",");

            add_name(names, &count, at, length);
            at += length + (at[length] == ',');
        }
        if (row->letter != 0 && letters[(unsigned char)row->letter])
            fail_msg("-%c is there twice", row->letter);
        letters[(unsigned char)row->letter] = row->letter != 0;
    }
}

/* Every field of the struct is written by exactly one row that owns it. */
static void fields_have_one_owner(void **state)
{
    (void)state;
    for (const struct option *row = plan_options; row->name != NULL; row++) {
        if ((row->marks & STORED_NOT) != 0 || row->fallback == NULL)
            continue;
        for (const struct option *other = plan_options; other != row; other++)
            if ((other->marks & STORED_NOT) == 0 && other->at == row->at && other->fallback != NULL)
                fail_msg("--%s and --%s write the same field", row->name, other->name);
    }
}

static void json_keeps_secrets_and_foreign_spellings_out(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct plan plan;
    struct option_group group = { .rows = plan_options, .base = &plan };
    json_t *json;

    (void)state;
    option_defaults(&group, 1, arena);
    plan.target = plan.pgsql_password = plan.pgsql_db = "geheim";
    json = option_json(&group);
    assert_null(json_object_get(json, "target"));
    assert_null(json_object_get(json, "pgsql-password"));
    assert_null(json_object_get(json, "pgsql-db"));
    assert_null(json_object_get(json, "db-ps-mode"));
    assert_null(json_object_get(json, "threads"));
    assert_true(json_real_value(json_object_get(json, "time")) == 10.0);
    assert_int_equal(json_integer_value(json_object_get(json, "connections")), 1);
    assert_string_equal(json_string_value(json_object_get(json, "protocol")), "auto");
    assert_string_equal(json_string_value(json_object_get(json, "seed")), "random");
    assert_true(json_is_null(json_object_get(json, "label")));
    assert_int_equal(json_array_size(json_object_get(json, "percentiles")), 7);
    json_decref(json);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(fallbacks_parse_and_show_as_they_are_typed),
        cmocka_unit_test(choices_have_help),
        cmocka_unit_test(names_and_letters_are_unique),
        cmocka_unit_test(fields_have_one_owner),
        cmocka_unit_test(json_keeps_secrets_and_foreign_spellings_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
