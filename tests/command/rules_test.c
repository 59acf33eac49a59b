/*
 * rules_test.c - verdicts on measured shares, headlines, and data held against the client's count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "command/ledgers.h"
#include "command/rules.h"
#include "plan/plan.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

static const char *judge(int64_t part, int64_t whole, double low, double high)
{
    return rules_judge((double)part / (double)whole, rules_deviation(whole, low, high), low, high);
}

static void within_and_outside(void **state)
{
    (void)state;
    assert_string_equal(judge(1000, 100000, 0.009, 0.011), "pass");
    assert_string_equal(judge(1150, 100000, 0.009, 0.011), "fail");
    assert_string_equal(judge(850, 100000, 0.009, 0.011), "fail");
    assert_string_equal(judge(1000000, 100000, 9.5, 10.5), "pass"); /* lines an order */
    assert_string_equal(judge(1100000, 100000, 9.5, 10.5), "fail");
}

static void few_tell_little(void **state)
{
    (void)state;
    assert_string_equal(judge(10, 1000, 0.009, 0.011), "too few");
    assert_string_equal(judge(12, 1000, 0.009, 0.011), "too few");
    assert_string_equal(judge(0, 100, 0.009, 0.011), "too few");
    /* But none of ten thousand is no chance. */
    assert_string_equal(judge(0, 10000, 0.009, 0.011), "fail");
    assert_string_equal(judge(1000, 1000, 0.57, 0.63), "fail");
}

static void at_least_and_at_most(void **state)
{
    (void)state;
    assert_string_equal(judge(4400, 10000, 0.43, 1), "pass");
    assert_string_equal(judge(4200, 10000, 0.43, 1), "too few"); /* 2 standard deviations below */
    assert_string_equal(judge(4100, 10000, 0.43, 1), "fail");    /* 4 below */
    assert_string_equal(judge(100, 100, 0.9, 1), "pass");
    assert_string_equal(judge(70, 70, 0.9, 1), "too few");
    assert_string_equal(judge(0, 1000, 0, 0.01), "pass");
    assert_string_equal(judge(0, 800, 0, 0.01), "too few");
    assert_string_equal(judge(12, 1000, 0, 0.01), "too few");
    assert_string_equal(judge(30, 1000, 0, 0.01), "fail");
}

/* With p = 1 % a bound of 0.1 % takes 3 * sqrt(0.0099 / n) = 0.001: n = 89,100. */
static void how_many_are_enough(void **state)
{
    (void)state;
    assert_string_equal(judge(890, 89000, 0.009, 0.011), "too few");
    assert_string_equal(judge(892, 89200, 0.009, 0.011), "pass");
}

static void data_and_counts(void **state)
{
    (void)state;
    assert_true(ledger_balanced(10, 10, 0));
    assert_false(ledger_balanced(9, 10, 0));
    assert_false(ledger_balanced(11, 10, 0));
    assert_true(ledger_balanced(11, 10, 1));
    assert_true(ledger_balanced(10, 10, 1));
    assert_false(ledger_balanced(12, 10, 1));
    assert_false(ledger_balanced(9, 10, 1));
}

/* ---- as result.json has it ---- */

static bool never(const void *world)
{
    (void)world;
    return false;
}

static double ten(const void *world)
{
    (void)world;
    return 10;
}

static const struct tally tallies[] = { { "orders", "orders" },
                                        { "rolled", "of them rolled back" },
                                        { .name = NULL } };
static const struct rate_rule rules[] = {
    { "rolled_back", "orders rolled back", 1, 0, 0.4, 0.6, "rule 1", NULL },
    { "never", "what is not asked", 1, 0, 0, 1, NULL, never },
    { .name = NULL },
};
static const struct headline headlines[] = {
    { .name = "opm",
      .words = "orders a minute",
      .transaction = 1,
      .seconds = 60,
      .each = "shop",
      .units = ten,
      .terminals_each = 10,
      .low = 1,
      .high = 2,
      .source = "rule 2" },
    { .name = "tps", .words = "transactions a second", .transaction = -1, .seconds = 1 },
    { .name = NULL },
};
static const struct transaction transactions[] = { { .name = "a", .within_s = 5 },
                                                   { .name = "b" },
                                                   { .name = NULL } };
static const struct workload shop = { .name = "shop",
                                      .transactions = transactions,
                                      .tallies = tallies,
                                      .rates = rules,
                                      .headlines = headlines };

static void is_json(json_t *json, const char *wanted)
{
    char *bytes = json_dumps(json, JSON_COMPACT);

    assert_string_equal(bytes, wanted);
    free(bytes);
}

/* NULL: there is no such row. */
static const char *verdict_of(const json_t *rates, const char *name)
{
    size_t index;
    json_t *row;

    json_array_foreach(rates, index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            return json_string_value(json_object_get(row, "verdict"));
    }
    return NULL;
}

/* 60 of a and 30 of b are done, 30 of b rolled back; and tallies. */
static struct recorder *record(void)
{
    static const char *const names[] = { "a", "b" };
    struct recorder *recorder = recorder_new(&(struct recorder_layout){ .lane_count = 2,
                                                                        .transaction_count = 2,
                                                                        .statement_count = 1,
                                                                        .tally_count = 2,
                                                                        .transaction_names = names,
                                                                        .statement_names = names,
                                                                        .interval_ns = 1 });

    for (int i = 0; i < 90; i++) {
        struct lane *lane = recorder_lane(recorder, i % 2);
        lane_committed(lane, i % 3 == 0, PHASE_MEASURE, 1);
        lane_tally(lane, 0, 20);
        lane_tally(lane, 1, 10);
    }
    /* It ended, but no order came of it. */
    for (int i = 0; i < 30; i++)
        lane_transaction(recorder_lane(recorder, 0),
                         &(struct transaction_record){ .transaction = 1,
                                                       .phase = PHASE_MEASURE,
                                                       .outcome = OUTCOME_ROLLED_BACK,
                                                       .attempts = 1,
                                                       .done_ns = 1 });
    return recorder;
}

static void the_tree(void **state)
{
    struct plan plan = { 0 };
    struct recorder *recorder = record();
    struct rules_facts facts = { &shop, NULL, &plan, recorder, 30 * NS_PER_S, NULL };
    struct rules_told told;

    (void)state;
    rules_tell(&told, &facts);
    is_json(told.tallies, "{\"orders\":1800,\"rolled\":900}");
    is_json(told.headlines,
            "[{\"name\":\"opm\",\"words\":\"orders a minute\",\"value\":60.0},"
            "{\"name\":\"tps\",\"words\":\"transactions a second\",\"value\":4.0}]");
    is_json(told.rates,
            "[{\"name\":\"rolled_back\",\"words\":\"orders rolled back\",\"part\":900,"
            "\"whole\":1800,\"share\":0.5,\"low\":0.40000000000000002,"
            "\"high\":0.59999999999999998,\"verdict\":\"pass\",\"source\":\"rule 1\"},"
            "{\"name\":\"never\",\"words\":\"what is not asked\",\"part\":900,\"whole\":1800,"
            "\"share\":0.5,\"low\":0.0,\"high\":1.0,\"verdict\":\"not applicable\","
            "\"source\":null},"
            "{\"name\":\"opm_per_shop\",\"words\":\"orders a minute and shop\",\"part\":30,"
            "\"whole\":10,\"share\":6.0,\"low\":1.0,\"high\":2.0,"
            "\"verdict\":\"not applicable\",\"source\":\"rule 2\"}]");
    assert_null(told.terminals);
    rules_release(&told);
    facts.measured_ns = 0;
    rules_tell(&told, &facts);
    is_json(told.headlines,
            "[{\"name\":\"opm\",\"words\":\"orders a minute\",\"value\":null},"
            "{\"name\":\"tps\",\"words\":\"transactions a second\",\"value\":null}]");
    rules_release(&told);
    recorder_free(recorder);
}

static void with_terminals(void **state)
{
    struct plan plan = { .terminals = 100, .pace_scale = 1 };
    struct recorder *recorder = record();
    struct rules_facts facts = { &shop, NULL, &plan, recorder, 30 * NS_PER_S, NULL };
    struct rules_told told;

    (void)state;
    rules_tell(&told, &facts);
    assert_string_equal(verdict_of(told.rates, "opm_per_shop"), "fail");
    assert_int_equal(json_integer_value(json_object_get(told.terminals, "wanted")), 100);
    assert_int_equal(json_integer_value(json_object_get(told.terminals, "count")), 100);
    /* 60 took 1 ns, within 5 s; b is not bound to a time. */
    assert_string_equal(verdict_of(told.rates, "a_in_time"), "too few");
    assert_null(verdict_of(told.rates, "b_in_time"));
    rules_release(&told);
    plan.pace_scale = 2;
    rules_tell(&told, &facts);
    assert_string_equal(verdict_of(told.rates, "opm_per_shop"), "not applicable");
    rules_release(&told);
    recorder_free(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_and_outside),   cmocka_unit_test(few_tell_little),
        cmocka_unit_test(at_least_and_at_most), cmocka_unit_test(how_many_are_enough),
        cmocka_unit_test(data_and_counts),      cmocka_unit_test(the_tree),
        cmocka_unit_test(with_terminals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
