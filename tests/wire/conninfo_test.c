/*
 * conninfo_test.c - no secret may survive in anything shown, and nothing else may get lost.
 */
#include "wire/conninfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void says(const char *conninfo, const char *key, const char *wanted)
{
    char *value = conninfo_value(conninfo, key);
    if (wanted == NULL)
        assert_null(value);
    else
        assert_string_equal(value, wanted);
    memory_free(value);
}

static void a_key_is_added_or_overridden(void **state)
{
    (void)state;
    static const char *const strings[] = {
        "host=a.example port=5 user='us er' password='p\\'w\\\\d' dbname=d application_name=x",
        "postgresql://us%20er:p'w%5Cd@a.example:5/d?application_name=x",
        "postgres://us%20er@a.example:5/d?application_name=x&password=p'w%5Cd",
    };
    for (int i = 0; i < COUNT_OF(strings); i++) {
        char *with = conninfo_with(strings[i], "application_name", "pgdyno it's \\");
        says(with, "application_name", "pgdyno it's \\");
        says(with, "host", "a.example");
        says(with, "port", "5");
        says(with, "user", "us er");
        says(with, "password", "p'w\\d");
        says(with, "dbname", "d");
        memory_free(with);
    }
}

static void odd_forms_keep_their_meaning(void **state)
{
    (void)state;
    char *with = conninfo_with("", "application_name", "a");
    assert_string_equal(with, "application_name=a");
    memory_free(with);
    with = conninfo_with("postgresql:///?host=/tmp/s&port=7", "dbname", "b");
    says(with, "host", "/tmp/s");
    says(with, "port", "7");
    says(with, "dbname", "b");
    memory_free(with);
    with = conninfo_with("postgresql://h1:1,[::1]:2/d?target_session_attrs=read-write", "user", "");
    says(with, "host", "h1,::1");
    says(with, "port", "1,2");
    says(with, "user", "");
    says(with, "target_session_attrs", "read-write");
    memory_free(with);
    with = conninfo_with("service=s options='-c a=b -c c=d'", "options", NULL);
    assert_string_equal(with, "service=s");
    memory_free(with);
    with = conninfo_with("nonsense", "options", "x");
    assert_string_equal(with, "nonsense");
    memory_free(with);
}

static void checking_gives_libpqs_reason(void **state)
{
    (void)state;
    struct error err;
    assert_true(conninfo_check("host=a sslmode=verify-full", &err));
    assert_false(conninfo_check("host=a sslmode=verify-fool", &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_true(conninfo_check("postgresql://a,b/c?sslmode=require", &err));
    assert_false(conninfo_check("host=a foo=bar", &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.text, "\"foo\""));
    assert_int_not_equal(err.text[strlen(err.text) - 1], '\n');
}

static void broken_strings_do_not_tell(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "host=a password=open sesame",
        "host=a password=open sesame=1",
        "password='sesame",
        "host=a password=open\"sesame x\"sesame",
        "postgresql://u:sesame@h:port:port/d x=",
        "postgresql://u:sesame@[::1/d",
        "postgresql://u:%zzsesame@h/d",
        "postgresql://u:x?sesame@h/d",
        "postgresql://u:x?se=sam&sesame=@h/d",
        "postgresql://u:\"sesame\"@[h/d",
        "postgresql://h/d?sslpassword=x=sesame",
    };
    for (int i = 0; i < COUNT_OF(broken); i++) {
        struct error err = { 0 };
        if (conninfo_check(broken[i], &err))
            continue; /* another libpq may take it */
        if (strstr(err.text, "sesame") != NULL)
            fail_msg("%s tells: %s", broken[i], err.text);
        char *shown = conninfo_public(broken[i]);
        assert_null(strstr(shown, "sesame"));
        memory_free(shown);
    }
}

static void shown_without_secrets(void **state)
{
    (void)state;
    char *shown = conninfo_public("host=h user=u password=sesame sslpassword=sesame2 dbname='d b'");
    assert_null(strstr(shown, "sesame"));
    assert_null(strstr(shown, "password"));
    says(shown, "host", "h");
    says(shown, "dbname", "d b");
    memory_free(shown);
    shown = conninfo_public("postgresql://u:sesame@h:1/d?sslpassword=sesame2");
    assert_null(strstr(shown, "sesame"));
    says(shown, "user", "u");
    says(shown, "port", "1");
    memory_free(shown);
}

static void scrubbed(const char *conninfo, const char *before, const char *after)
{
    char *text = memory_text(before);
    conninfo_scrub(conninfo, text);
    assert_string_equal(text, after);
    memory_free(text);
}

static void secrets_leave_messages(void **state)
{
    (void)state;
    scrubbed("user=u password=sesame", "open sesame: sesamesesame!", "open ...: ......!");
    scrubbed("user=u password=abc", "abc \"abc\" abcd xabc", "... \"...\" abcd xabc");
    scrubbed("user=u password=a", "a cat: a", ". cat: .");
    scrubbed("user=sesame password=sesame", "role \"sesame\"", "role \"sesame\"");
    scrubbed("postgresql://u:ses%61me@h/d", "ses%61me sesame", "... ...");
    scrubbed("sslpassword=longsecret sslkey=k", "key k: longsecret", "key k: ...");
    scrubbed("user=u", "nothing", "nothing");
    scrubbed("postgresql://u:sesame@[h/d", "bad: sesame", "bad: ...");
    setenv("PGPASSWORD", "from the env", 1);
    scrubbed("user=u", "<from the env>", "<...>");
    unsetenv("PGPASSWORD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_added_or_overridden),
        cmocka_unit_test(odd_forms_keep_their_meaning),
        cmocka_unit_test(checking_gives_libpqs_reason),
        cmocka_unit_test(broken_strings_do_not_tell),
        cmocka_unit_test(shown_without_secrets),
        cmocka_unit_test(secrets_leave_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
