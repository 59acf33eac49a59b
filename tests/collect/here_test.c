/*
 * here_test.c - when the server is this machine.
 */
#include "collect/here.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool only_ten(const char *address)
{
    return strcmp(address, "10.0.0.5") == 0;
}

static bool judge(const char *host, const char *address, const char *server, bool pooled)
{
    const struct here_facts facts = { host, address, server, pooled };
    return here_judge(&facts, only_ten);
}

static void without_a_pooler(void **state)
{
    (void)state;
    assert_true(judge("/run/postgresql", NULL, NULL, false));
    assert_true(judge("@abstract", "", "", false));
    assert_true(judge("localhost", "127.0.0.1", "127.0.0.1", false));
    assert_true(judge("localhost", "127.9.9.9", "172.17.0.2", false)); /* a container */
    assert_true(judge("x", "::1", "::1", false));
    assert_true(judge("x", "10.0.0.5", "10.0.0.5", false));
    assert_false(judge("x", "10.0.0.6", "10.0.0.6", false));
    assert_false(judge("x", "1270.0.0.1", NULL, false));
    assert_false(judge("", "", "", false));
    assert_false(judge(NULL, NULL, NULL, false));
}

static void through_a_pooler(void **state)
{
    (void)state;
    assert_false(judge("/run/pgbouncer", NULL, "10.0.0.6", true));
    assert_true(judge("/run/pgbouncer", NULL, "10.0.0.5", true));
    assert_true(judge("/run/pgbouncer", NULL, NULL, true));
    assert_false(judge("localhost", "127.0.0.1", "10.0.0.6", true));
}

static void addresses(void **state)
{
    (void)state;
    assert_true(here_is_loopback("::ffff:127.0.0.1"));
    assert_false(here_is_loopback("::ffff:10.0.0.1"));
    assert_false(here_is_loopback("128.0.0.1"));
    assert_false(here_is_loopback(""));
    assert_true(here_is_own("127.0.0.1"));
    assert_false(here_is_own("192.0.2.77"));
    assert_false(here_is_own(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_pooler),
        cmocka_unit_test(through_a_pooler),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
