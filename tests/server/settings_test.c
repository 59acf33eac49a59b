/* What a settings file may say, and that what is chosen can be written and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "server/settings.h"

static const char *value_of(const struct settings *settings, const char *name)
{
    for (int i = 0; i < settings->count; i++)
        if (strcmp(settings->rows[i].name, name) == 0)
            return settings->rows[i].value;
    return NULL;
}

static void reads_postgresql_conf(void **state)
{
    struct settings *settings = MEMORY_NEW(struct settings);
    struct error err;

    (void)state;
    assert_true(settings_parse("# a comment\n"
                               "Work_Mem = 12MB   # why not\n"
                               "\n"
                               "search_path 'a, \"b\"'\r\n"
                               "  DateStyle='it''s # not \\'so'#x\n"
                               "empty = ''\n"
                               "work_mem=13MB",
                               "x.conf", settings, &err));
    assert_int_equal(settings->count, 4);
    assert_string_equal(value_of(settings, "work_mem"), "13MB");
    assert_string_equal(value_of(settings, "search_path"), "a, \"b\"");
    assert_string_equal(value_of(settings, "datestyle"), "it's # not 'so");
    assert_string_equal(value_of(settings, "empty"), "");
    assert_string_equal(settings->rows[0].why, "from x.conf");
    memory_free(settings);
}

static void names_what_is_wrong(void **state)
{
    static const struct {
        const char *content, *text;
    } cases[] = {
        { "a = 1\nport = 5433\n", "in x.conf, line 2: pgdyno holds its server by this setting, "
                                  "leave it out: port" },
        { "LISTEN_addresses = '*'", "leave it out: listen_addresses" },
        { "data_directory = '/'", "leave it out: data_directory" },
        { "include = 'other.conf'", "leave it out: include" },
        { "unix_socket_directories '/tmp'", "leave it out: unix_socket_directories" },
        { "hba_file = '/x'", "leave it out: hba_file" },
        { "= 3", "line 1: a line must be: name = value" },
        { "work_mem\n", "no value is given to work_mem" },
        { "work_mem = # nothing\n", "no value is given to work_mem" },
        { "work_mem = 1 2", "for work_mem" },
        { "a = 'b\n'", "the quote is not closed in the value of a" },
        { "a = 'b", "the quote is not closed in the value of a" },
    };
    struct settings *settings = MEMORY_NEW(struct settings);
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(settings_parse(cases[i].content, "x.conf", settings, &err));
        assert_int_equal(err.kind, ERROR_PLAN);
        assert_non_null(strstr(err.text, cases[i].text));
    }
    memory_free(settings);
}

static void too_much_is_refused(void **state)
{
    struct settings *settings = MEMORY_NEW(struct settings);
    struct error err;
    struct text text;

    (void)state;
    text_init(&text, 1 << 20);
    for (int i = 0; i < SETTINGS_MAX; i++)
        text_format(&text, "a%d = 1\n", i);
    assert_false(settings_parse(text.bytes, "x.conf", settings, &err));
    text_clear(&text);
    text_add(&text, "a = ");
    for (int i = 0; i < 200; i++)
        text_add_char(&text, 'x');
    assert_false(settings_parse(text.bytes, "x.conf", settings, &err));
    assert_non_null(strstr(err.text, "too long is the value of a"));
    text_close(&text);
    memory_free(settings);
}

static void written_and_read_back(void **state)
{
    struct settings *before = MEMORY_NEW(struct settings), *after = MEMORY_NEW(struct settings);
    struct error err;
    struct text text;

    (void)state;
    settings_set(before, "a", "it's a \\ back", "some \n reason");
    settings_set(before, "b", "", "nothing");
    text_init(&text, 1 << 16);
    settings_render(before, &text);
    assert_string_equal(text.bytes, "a = 'it''s a \\\\ back'  # some \\x0A reason\n"
                                    "b = ''  # nothing\n");
    assert_true(settings_parse_ours(text.bytes, after, &err));
    assert_int_equal(after->count, 2);
    assert_string_equal(after->rows[0].value, before->rows[0].value);
    assert_string_equal(after->rows[1].why, "nothing");
    text_close(&text);
    memory_free(before);
    memory_free(after);
}

static void later_ones_win(void **state)
{
    struct settings *base = MEMORY_NEW(struct settings), *over = MEMORY_NEW(struct settings);

    (void)state;
    settings_set(base, "a", "1", "x");
    settings_set(base, "b", "1", "x");
    settings_set(over, "b", "2", "y");
    settings_set(over, "c", "3", "y");
    settings_merge(base, over);
    assert_int_equal(base->count, 3);
    assert_string_equal(value_of(base, "a"), "1");
    assert_string_equal(value_of(base, "b"), "2");
    assert_string_equal(value_of(base, "c"), "3");
    memory_free(base);
    memory_free(over);
}

static void chosen_by_memory_and_disk(void **state)
{
    static const char *const durable[] = { "fsync", "full_page_writes", "synchronous_commit",
                                           "wal_level", "autovacuum" };
    struct settings *settings = MEMORY_NEW(struct settings);
    struct limits limits = { .memory_bytes = INT64_C(8) << 30, .cpus = 4 };

    (void)state;
    settings_choose(17, &limits, INT64_C(100) << 30, settings);
    assert_string_equal(value_of(settings, "shared_buffers"), "2048MB");
    assert_string_equal(value_of(settings, "effective_cache_size"), "6144MB");
    assert_string_equal(value_of(settings, "maintenance_work_mem"), "512MB");
    assert_string_equal(value_of(settings, "work_mem"), "32MB");
    assert_string_equal(value_of(settings, "max_wal_size"), "5120MB");
    assert_null(value_of(settings, "log_checkpoints"));
    assert_null(value_of(settings, "max_worker_processes"));
    for (size_t i = 0; i < sizeof durable / sizeof *durable; i++)
        assert_null(value_of(settings, durable[i]));
    for (int i = 0; i < settings->count; i++)
        assert_true(settings->rows[i].why[0] != '\0');

    limits = (struct limits){ .memory_bytes = INT64_C(256) << 20, .cgroup = true, .cpus = 32 };
    settings_choose(12, &limits, INT64_C(4) << 30, settings);
    assert_string_equal(value_of(settings, "shared_buffers"), "64MB");
    assert_string_equal(value_of(settings, "work_mem"), "4MB");
    assert_string_equal(value_of(settings, "max_wal_size"), "1024MB");
    assert_string_equal(value_of(settings, "max_worker_processes"), "32");
    assert_string_equal(value_of(settings, "checkpoint_completion_target"), "0.9");
    assert_non_null(strstr(settings->rows[1].why, "control group"));
    memory_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_postgresql_conf), cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(too_much_is_refused),   cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(later_ones_win),        cmocka_unit_test(chosen_by_memory_and_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
