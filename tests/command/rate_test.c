/*
 * rate_test.c - the verdict on the rate of an open loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "command/rate.h"
#include "plan/plan.h"

static struct rate_verdict judge(int64_t scheduled, int64_t undone)
{
    return rate_judge(&(struct rate_facts){
        .scheduled = scheduled, .undone = undone, .oldest_ns = undone > 0 ? NS_PER_S : 0 });
}

static void what_was_not_done(void **state)
{
    (void)state;
    assert_true(judge(1000, 0).kept);
    assert_float_equal(judge(1000, 0).share, 1, 1e-6);
    assert_true(judge(1000, 10).kept);
    assert_false(judge(1000, 11).kept);
    assert_float_equal(judge(1000, 750).share, 0.25, 1e-6);
    assert_float_equal(judge(1000, 1000).share, 0, 1e-6);
    assert_false(judge(0, 0).kept); /* nothing was due: nothing was shown */
}

static void what_was_done_too_late(void **state)
{
    struct rate_facts facts = {
        .scheduled = 1000, .by_count = true, .due_ns = 10 * NS_PER_S, .sent_ns = 40 * NS_PER_S
    };

    (void)state;
    assert_float_equal(rate_judge(&facts).share, 0.25, 1e-6);
    assert_false(rate_judge(&facts).kept);
    facts.undone = 900; /* the smaller share counts */
    assert_float_equal(rate_judge(&facts).share, 0.1, 1e-6);
    facts.undone = 0;
    facts.sent_ns = facts.due_ns + 50 * NS_PER_MS;
    assert_true(rate_judge(&facts).kept);
    facts.sent_ns = 40 * NS_PER_S;
    facts.by_count = false; /* what is late within its window is no failure to keep the rate */
    assert_true(rate_judge(&facts).kept);
}

/* A short run that met a hiccup of the machine at its end is not one that was overloaded. */
static void a_hiccup_at_the_end(void **state)
{
    struct rate_facts facts = { .scheduled = 100, .undone = 5, .oldest_ns = RATE_JITTER_NS };

    (void)state;
    assert_true(rate_judge(&facts).kept);
    assert_float_equal(rate_judge(&facts).share, 0.95, 1e-6); /* told all the same */
    facts.oldest_ns++;
    assert_false(rate_judge(&facts).kept);
    facts.oldest_ns = 50 * NS_PER_MS;
    facts.latency_limited = true; /* dropped because it was late: each of them counts */
    assert_false(rate_judge(&facts).kept);
    facts = (struct rate_facts){
        .scheduled = 100, .by_count = true, .due_ns = NS_PER_S, .sent_ns = NS_PER_S + RATE_JITTER_NS
    };
    assert_true(rate_judge(&facts).kept);
    facts.sent_ns++;
    assert_false(rate_judge(&facts).kept);
    assert_false(rate_judge(&(struct rate_facts){ 0 }).kept);
}

static void told(const struct plan *plan, const char *wanted)
{
    json_t *json = rate_json(plan, &(struct rate_verdict){ .share = 0.5 });
    char *bytes = json_dumps(json, JSON_COMPACT);

    assert_string_equal(bytes, wanted);
    free(bytes);
    json_decref(json);
}

static void both_loads(void **state)
{
    struct plan plan = { .rate_per_s = 100, .arrival = ARRIVAL_CONSTANT };

    (void)state;
    told(&plan, "{\"arrival\":\"constant\",\"wanted_per_s\":100.0,\"ramp\":null,"
                "\"achieved_share\":0.5,\"kept\":false}");
    plan = (struct plan){ .ramp_text = "1..2/3s", .ramp = { .from = 1, .to = 2, .seconds = 3 } };
    told(&plan, "{\"arrival\":\"poisson\",\"wanted_per_s\":null,\"ramp\":\"1..2/3s\","
                "\"achieved_share\":0.5,\"kept\":false}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_done),
        cmocka_unit_test(what_was_done_too_late),
        cmocka_unit_test(a_hiccup_at_the_end),
        cmocka_unit_test(both_loads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
