/*
 * client_test.c - whose fault it was that a worker had no CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "command/client.h"

static const struct engine_facts facts = { .worker_count = 2,
                                           .protocol = PROTOCOL_PREPARED,
                                           .measure_end_ns = 10 * NS_PER_S };

/* Two workers, of which the second computed and waited so long, in seconds of the ten. */
static json_t *told(int computed_s, int waited_s, int shared_cpus)
{
    const struct engine_worker_use uses[] = {
        { .tid = 1, .cpu_ns = NS_PER_S, .run_delay_ns = NS_PER_S, .lateness_p99_ns = 3000 },
        { .tid = 2,
          .cpu_ns = computed_s * NS_PER_S,
          .run_delay_ns = waited_s * NS_PER_S,
          .lateness_p50_ns = 2000,
          .lateness_p99_ns = 2500 },
    };

    return client_json(uses, &facts, 0, shared_cpus);
}

static void verdict(json_t *client, bool saturated, bool shares, const char *words)
{
    const char *why = json_string_value(json_object_get(client, "why"));

    assert_int_equal(json_is_true(json_object_get(client, "saturated")), saturated);
    assert_int_equal(json_is_true(json_object_get(client, "shares_cpus")), shares);
    assert_non_null(strstr(why, words));
    assert_int_equal(why[0] != '\0', saturated);
    json_decref(client);
}

static void enough_for_all(void **state)
{
    (void)state;
    verdict(told(3, 2, 0), false, false, "");
    verdict(told(3, 2, 2), false, false, "");
}

static void starved(void **state)
{
    (void)state;
    verdict(told(2, 7, 0), true, false, "worker 2 of 2 computed 20 % of the time and waited");
    verdict(told(2, 7, 2), true, true, "the 2 CPUs of this machine together");
    verdict(told(2, 7, 1), true, true, "the 1 CPU of this machine together");
}

/* Whoever is beside it: a faster server would not have been noticed. */
static void busy(void **state)
{
    (void)state;
    verdict(told(9, 0, 0), true, false, "use more --workers");
    verdict(told(9, 0, 2), true, false, "use more --workers");
}

static void of_the_worst_worker(void **state)
{
    json_t *client = told(1, 1, 0);

    (void)state;
    assert_float_equal(json_number_value(json_object_get(client, "lateness_p50_ms")), 0.002, 1e-9);
    assert_float_equal(json_number_value(json_object_get(client, "lateness_p99_ms")), 0.003, 1e-9);
    json_decref(client);
}

static int shared(const char *target_text, const char *host_text)
{
    json_t *target = json_loads(target_text, JSON_DECODE_ANY, NULL);
    json_t *host = json_loads(host_text, 0, NULL);
    int cpus = client_shared_cpus(target, host);

    json_decref(target);
    json_decref(host);
    return cpus;
}

static void who_shares(void **state)
{
    (void)state;
    assert_int_equal(shared("{\"here\": true}", "{\"cpus\": 2, \"cpus_allowed\": 2}"), 2);
    assert_int_equal(shared("{\"here\": true}", "{\"cpus\": 2, \"cpus_allowed\": 1}"), 0);
    assert_int_equal(shared("{\"here\": true}", "{\"cpus\": null, \"cpus_allowed\": null}"), 0);
    assert_int_equal(shared("{\"here\": false}", "{\"cpus\": 2, \"cpus_allowed\": 2}"), 0);
    assert_int_equal(shared("null", "{\"cpus\": 2, \"cpus_allowed\": 2}"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enough_for_all),      cmocka_unit_test(starved),    cmocka_unit_test(busy),
        cmocka_unit_test(of_the_worst_worker), cmocka_unit_test(who_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
