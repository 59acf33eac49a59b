/*
 * Tests for verdict/: evidence as it was recorded of runs with a known limit, and what must come of
 * it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "verdict/verdict.h"

#define FIGURES_MAX 20

struct known {
    enum figure figure; /* rows end where `set` is false */
    double value;
    bool set;
};
#define IS(figure, value)   \
    {                       \
        figure, value, true \
    }

struct recorded {
    const char *limit, *runner_up; /* NULL: none */
    struct known known[FIGURES_MAX];
};

/* What nearly every run on a machine of one's own knows. */
#define QUIET_MACHINE                                                                          \
    IS(FIGURE_CLIENT_SATURATED, 0), IS(FIGURE_CLIENT_SHARES, 0), IS(FIGURE_MACHINE_BUSY, 0.3), \
        IS(FIGURE_SERVER_PART, 0.7), IS(FIGURE_CLIENT_BUSY, 0.2), IS(FIGURE_OPEN_LOOP, 0),     \
        IS(FIGURE_UTILISATION, 0.3)

static const struct recorded records[] = {
    { "client",
      NULL,
      { IS(FIGURE_CLIENT_SATURATED, 1), IS(FIGURE_CLIENT_SHARES, 0), IS(FIGURE_CLIENT_BUSY, 0.99),
        IS(FIGURE_OUTSIDE, 0.9), IS(FIGURE_ACTIVE_SHARE, 0.1), IS(FIGURE_MACHINE_BUSY, 0.6) } },
    { "shared_cpus",
      NULL,
      { IS(FIGURE_CLIENT_SATURATED, 1), IS(FIGURE_CLIENT_SHARES, 1), IS(FIGURE_MACHINE_BUSY, 0.99),
        IS(FIGURE_SERVER_PART, 0.4), IS(FIGURE_OUTSIDE, 0.7), IS(FIGURE_CLIENT_BUSY, 0.95) } },
    { "server_cpu",
      NULL,
      { IS(FIGURE_CLIENT_SATURATED, 0), IS(FIGURE_MACHINE_BUSY, 0.99), IS(FIGURE_SERVER_PART, 0.8),
        IS(FIGURE_WAIT_CPU, 0.9), IS(FIGURE_OUTSIDE, 0.5), IS(FIGURE_OPEN_LOOP, 0),
        IS(FIGURE_UTILISATION, 0.99), IS(FIGURE_ACTIVE_SHARE, 0.9) } },
    { "steal",
      "server_cpu",
      { IS(FIGURE_STEAL, 0.4), IS(FIGURE_MACHINE_BUSY, 0.9), IS(FIGURE_SERVER_PART, 0.9),
        IS(FIGURE_WAIT_CPU, 0.9) } },
    { "cpu_limit",
      NULL,
      { IS(FIGURE_THROTTLED, 0.6), IS(FIGURE_MACHINE_BUSY, 0.4), IS(FIGURE_SERVER_PART, 0.9),
        IS(FIGURE_WAIT_CPU, 0.9) } },
    { "network",
      "concurrency",
      { QUIET_MACHINE, IS(FIGURE_ROUND_TRIPS, 0.8), IS(FIGURE_ACTIVE_SHARE, 0.6) } },
    /* A proxy that delays: the kernel sees the way to the proxy only. */
    { "network",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_ROUND_TRIPS, 0.01), IS(FIGURE_OUTSIDE, 0.9),
        IS(FIGURE_ACTIVE_SHARE, 0.1), IS(FIGURE_WAIT_CPU, 1) } },
    { "network_loss", NULL, { QUIET_MACHINE, IS(FIGURE_RETRANSMITS, 0.02) } },
    { "storage_reads",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_IO_READ, 0.9), IS(FIGURE_PAGE_CACHE, 0.1),
        IS(FIGURE_DEVICE_BUSY, 1), IS(FIGURE_READ_MS, 1.5) } },
    { "page_cache",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_IO_READ, 0.7), IS(FIGURE_PAGE_CACHE, 1),
        IS(FIGURE_DEVICE_BUSY, 0.01) } },
    { "storage_cap",
      "storage_reads",
      { IS(FIGURE_DEVICE_CAP, 1), IS(FIGURE_WAIT_IO_READ, 0.6), IS(FIGURE_DEVICE_BUSY, 0.95) } },
    { "wal_flush",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_WAL, 0.85), IS(FIGURE_FLUSH_BUSY, 0.9),
        IS(FIGURE_FLUSH_MS, 3), IS(FIGURE_WAL_MB_PER_S, 2) } },
    { "wal_bandwidth",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_WAL, 0.6), IS(FIGURE_WAL_MB_PER_S, 350),
        IS(FIGURE_DEVICE_BUSY, 0.95) } },
    /* synchronous_commit = off: nobody waits for the disk. */
    { "wal_write",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_WAL, 0.6), IS(FIGURE_WAL_MB_PER_S, 40),
        IS(FIGURE_NO_FLUSH, 1) } },
    { "checkpoint",
      "writes",
      { QUIET_MACHINE, IS(FIGURE_CHECKPOINTS, 5), IS(FIGURE_CHECKPOINT_DIP, 0.6),
        IS(FIGURE_CHECKPOINT_REQUEST, 1), IS(FIGURE_WAIT_IO_WRITE, 0.3),
        IS(FIGURE_BACKEND_WRITES, 0.05) } },
    { "writes",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_WAIT_IO_WRITE, 0.6), IS(FIGURE_BACKEND_WRITES, 0.7) } },
    { "replication",
      "wal_flush",
      { QUIET_MACHINE, IS(FIGURE_WAIT_REPLICATION, 0.6), IS(FIGURE_WAIT_WAL, 0.35) } },
    /* Eight sessions and one row: most wait, and the holder is at its commit. */
    { "row_locks",
      "wal_flush",
      { QUIET_MACHINE, IS(FIGURE_WAIT_LOCK, 0.77), IS(FIGURE_WAIT_WAL, 0.66),
        IS(FIGURE_FLUSH_BUSY, 0.4) } },
    { "internal", NULL, { QUIET_MACHINE, IS(FIGURE_WAIT_INTERNAL, 0.5) } },
    { "memory",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_MEMORY_PRESSURE, 0.4), IS(FIGURE_SWAP_MB_PER_S, 30) } },
    { "temporary_files", NULL, { QUIET_MACHINE, IS(FIGURE_TEMP_MB_PER_S, 150) } },
    { "vacuum", NULL, { QUIET_MACHINE, IS(FIGURE_DEAD_GROWTH, 1.5), IS(FIGURE_AUTOVACUUM, 1) } },
    { "plan",
      "concurrency",
      { QUIET_MACHINE, IS(FIGURE_SEQUENTIAL, 0.99), IS(FIGURE_ACTIVE_SHARE, 1) } },
    { "connecting", NULL, { QUIET_MACHINE, IS(FIGURE_CONNECTS, 1) } },
    { "rate",
      NULL,
      { IS(FIGURE_OPEN_LOOP, 1), IS(FIGURE_RATE_KEPT, 1), IS(FIGURE_UTILISATION, 0.3),
        IS(FIGURE_ACTIVE_SHARE, 0.9) } },
    { "concurrency",
      NULL,
      { QUIET_MACHINE, IS(FIGURE_ACTIVE_SHARE, 0.95), IS(FIGURE_OUTSIDE, 0.05),
        IS(FIGURE_WAIT_CPU, 0.95) } },
    /* Dead rows are more each second of a short run: what sessions wait for comes first. */
    { "wal_flush",
      "vacuum",
      { QUIET_MACHINE, IS(FIGURE_DEAD_GROWTH, 3), IS(FIGURE_AUTOVACUUM, 1),
        IS(FIGURE_WAIT_WAL, 0.4) } },
    /* Its timers were late once; it had little to do. */
    { "wal_flush",
      NULL,
      { IS(FIGURE_CLIENT_SATURATED, 1), IS(FIGURE_CLIENT_SHARES, 0), IS(FIGURE_CLIENT_BUSY, 0.1),
        IS(FIGURE_WAIT_WAL, 0.5) } },
    /* Nothing is seen of the server: whatever it is, it is not known. */
    { NULL,
      NULL,
      { IS(FIGURE_CLIENT_SATURATED, 0), IS(FIGURE_CLIENT_BUSY, 0.2), IS(FIGURE_OPEN_LOOP, 0) } },
};

static struct evidence evidence_of(const struct recorded *recorded)
{
    struct evidence evidence = evidence_nothing();

    for (int i = 0; i < FIGURES_MAX && recorded->known[i].set; i++)
        evidence.value[recorded->known[i].figure] = recorded->known[i].value;
    return evidence;
}

static const char *name_of(const struct finding *finding)
{
    return finding->rule != NULL ? finding->rule->name : "none";
}

static void recorded_evidence_gives_its_limit(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(records); i++) {
        struct evidence evidence = evidence_of(&records[i]);
        struct verdict verdict = verdict_judge(&evidence);
        const char *limit = records[i].limit != NULL ? records[i].limit : "none";

        if (strcmp(name_of(&verdict.limit), limit) != 0)
            print_error("record %d\n", i);
        assert_string_equal(name_of(&verdict.limit), limit);
        if (records[i].runner_up != NULL)
            assert_string_equal(name_of(&verdict.runner_up), records[i].runner_up);
        assert_true(verdict.limit.score >= 0 && verdict.limit.score <= 1);
        assert_true(verdict.runner_up.score <= verdict.limit.score);
    }
}

/* So that no rule is without a record. */
static void every_rule_is_recorded(void **state)
{
    (void)state;
    for (const struct rule *rule = verdict_rules; rule->name != NULL; rule++) {
        bool seen = false;
        for (int i = 0; i < COUNT_OF(records); i++)
            seen = seen || (records[i].limit != NULL && strcmp(records[i].limit, rule->name) == 0);
        assert_true(seen);
        assert_true(rule->full > rule->from);
        assert_true(rule->area < AREA_NONE);
        assert_non_null(rule->sentence);
        assert_non_null(rule->next);
    }
    for (int figure = 0; figure < FIGURE_COUNT; figure++)
        assert_true(figure_rows[figure].name != NULL && figure_rows[figure].words != NULL);
}

static void what_is_missing_is_told_once(void **state)
{
    struct evidence evidence = evidence_nothing();
    struct verdict verdict = verdict_judge(&evidence);

    (void)state;
    assert_null(verdict.limit.rule);
    assert_int_equal(verdict.missing_count, 3);
    for (int i = 0; i < verdict.missing_count; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(verdict.missing[i], verdict.missing[k]);
    /* Reads wait, and nobody knows where the blocks came from. */
    evidence.value[FIGURE_WAIT_IO_READ] = 0.25;
    verdict = verdict_judge(&evidence);
    assert_null(verdict.limit.rule);
}

/* A figure on the threshold is no limit; a little above it is one, and the score rises from there.
 */
static void scores_rise_from_the_threshold(void **state)
{
    struct evidence evidence = evidence_nothing();
    double last = 0;

    (void)state;
    evidence.value[FIGURE_WAIT_LOCK] = 0.2;
    assert_null(verdict_judge(&evidence).limit.rule);
    for (double share = 0.21; share < 0.6; share += 0.05) {
        struct verdict verdict;
        evidence.value[FIGURE_WAIT_LOCK] = share;
        verdict = verdict_judge(&evidence);
        assert_string_equal(name_of(&verdict.limit), "row_locks");
        assert_true(verdict.limit.score > last);
        last = verdict.limit.score;
    }
    assert_true(last < 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_evidence_gives_its_limit),
        cmocka_unit_test(every_rule_is_recorded),
        cmocka_unit_test(what_is_missing_is_told_once),
        cmocka_unit_test(scores_rise_from_the_threshold),
    };

    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
