/*
 * aa.c - `pgdyno aa WORKLOAD`: what difference can this machine resolve?
 *
 * The same run is made twice a block, as A and as B, in turn: whatever differs between them is the
 * machine. Half of the width of the interval that compare would give is the resolution; it is kept
 * by host and family, and compare claims nothing smaller. Runs are child processes, so each is as
 * good as one that was begun by hand.
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "command/child.h"
#include "command/common.h"
#include "command/comparison.h"
#include "compare/sample.h"
#include "report/report.h"
#include "store/store.h"

#define LEVEL     0.05
#define SIDES     2
#define STAMP_MAX 40
#define SEED_HIGH INT64_C(9007199254740991) /* exact in every JSON reader */

struct aa_options {
    int64_t blocks;
    const char *metric;
};

static const struct option aa_rows[] = {
    { .name = "blocks",
      .type = OPTION_WHOLE,
      .at = offsetof(struct aa_options, blocks),
      .fallback = "6",
      .low = 2,
      .high = 1000,
      .marks = OPTION_ALSO,
      .topic = "aa",
      .since = "0.1",
      .help = "pairs of runs" },
    { .name = "metric",
      .type = OPTION_TEXT,
      .at = offsetof(struct aa_options, metric),
      .marks = OPTION_ALSO,
      .topic = "aa",
      .since = "0.1",
      .help = "path of the number that is looked at, as for compare" },
    { .name = NULL },
};

/* What one `aa` is about. */
struct aa {
    struct command_call *call;
    const struct aa_options *options;
    struct comparison comparison;
    struct metric metric;
    const char *words[CHILD_WORDS_MAX];
    int word_count; /* without the seed, which is the block's */
    int64_t seed;
    int said; /* memory that holds what the runs print: their last words tell why one failed */
    const char *said_path;
};

/* ---- the child's command line ---- */

/* What goes another way: the target by the environment, the rest is ours to say. */
static bool is_passed_on(const struct option *row)
{
    static const char *const own[] = { "target",    "results", "label",  "quiet", "seed",
                                       "rand-seed", "blocks",  "metric", "help" };

    for (int i = 0; i < COUNT_OF(own); i++)
        if (strcmp(row->name, own[i]) == 0)
            return false;
    return (row->marks & OPTION_SECRET) == 0 && strncmp(row->name, "pgsql-", 6) != 0;
}

static bool make_words(struct aa *aa, struct error *err)
{
    const struct command_call *call = aa->call;
    const struct option_argv *args = &call->args;

    aa->words[aa->word_count++] = "run";
    aa->words[aa->word_count++] = call->workload->name;
    aa->words[aa->word_count++] = "--quiet";
    for (int i = 0; i < args->given_count; i++) {
        const struct option_group *group;
        const struct option *row =
            option_find(call->groups, call->group_count, args->given[i]->name, &group);

        if (row == NULL || !is_passed_on(row))
            continue;
        if (aa->word_count >= CHILD_WORDS_MAX - 2)
            return error_set(err, ERROR_USAGE, "too many options to pass on to the runs");
        aa->words[aa->word_count++] = arena_format(call->arena, "--%s=%s", row->name,
                                                   option_show(row, group->base, call->arena));
    }
    return true;
}

/* ---- the runs ---- */

/* Inputs are the same within a block. */
static const char *seed_word(const struct aa *aa, int block)
{
    struct rng rng;

    rng_init(&rng, (uint64_t)aa->seed, 0, (uint64_t)block);
    return arena_format(aa->call->arena, "--seed=%lld", (long long)rng_between(&rng, 1, SEED_HIGH));
}

static bool run_one(struct aa *aa, int block, int side, struct error *err)
{
    const char *target = plan_target(&aa->call->plan, aa->call->arena);
    const struct child child = { .words = aa->words,
                                 .target = target[0] != '\0' ? target : NULL,
                                 .results = aa->call->plan.results,
                                 .output = aa->said_path,
                                 .label = side == 0 ? "aa-a" : "aa-b" };
    struct child_end end;
    int first = aa->comparison.run_count;
    bool good;

    aa->words[aa->word_count] = seed_word(aa, block);
    good = child_run(&child, &end, err);
    if (good && child_stopped())
        good = error_set(err, ERROR_INTERRUPTED, "interrupted in block %d", block);
    else if (good && (end.code != 0 || end.result == NULL))
        good = error_set(err, end.code != 0 ? (enum error_kind)end.code : ERROR_BUG,
                         "block %d, %s: %s", block, child.label,
                         end.said[0] != '\0' ? end.said : "the run left no result");
    good = good && compare_take(&aa->comparison, end.result, err);
    for (int i = first; i < aa->comparison.run_count; i++) {
        struct compared_run *run = &aa->comparison.runs[i];
        run->block = block;
        run->column = side;
        if (aa->metric.path == NULL)
            aa->metric = compare_metric(run->result,
                                        &(struct compare_options){ .metric = aa->options->metric },
                                        aa->call->arena);
        run->value = json_number_value(store_find(run->result, aa->metric.path));
    }
    child_end_free(&end);
    return good;
}

static void tell_block(const struct aa *aa, int block)
{
    double values[SIDES] = { 0 };

    for (int i = 0; i < aa->comparison.run_count; i++)
        if (aa->comparison.runs[i].block == block)
            values[aa->comparison.runs[i].column] = aa->comparison.runs[i].value;
    if (aa->call->plan.quiet || values[0] <= 0 || values[1] <= 0)
        return;
    printf("  block %2d of %lld   A %.6g   B %.6g   B/A %.3f\n", block,
           (long long)aa->options->blocks, values[0], values[1], values[1] / values[0]);
    fflush(stdout);
}

/* A B, B A, A B, ...: what drifts steadily falls on both alike. */
static bool run_all(struct aa *aa, struct error *err)
{
    for (int block = 1; block <= aa->options->blocks; block++) {
        int first = (block + 1) % SIDES;

        if (!run_one(aa, block, first, err) || !run_one(aa, block, 1 - first, err))
            return false;
        tell_block(aa, block);
    }
    return true;
}

/* ---- what came of it ---- */

/* So wide would the interval be with that many blocks, as runs vary here. */
static double half_width_with(const struct ratio *ratio, int blocks)
{
    struct ratio other = *ratio;

    other.error = ratio->error * sqrt((double)ratio->base_count / blocks);
    other.freedom = blocks - 1;
    return ratio_half_width(&other, LEVEL);
}

static void tell(const struct aa *aa, const struct ratio *ratio, double half_width,
                 const char *host, const char *family)
{
    double low = 0, high = 0;

    ratio_interval(ratio, LEVEL, &low, &high);
    printf("A beside A, %s: ratio %.4f, interval %.4f to %.4f over %d blocks\n", aa->metric.words,
           exp(ratio->log_mean), low, high, ratio->base_count);
    printf("%s tells %.2f %% at best for %s in so many blocks; %.2f %% in %d, %.2f %% in %d\n",
           host, 100 * half_width, family, 100 * half_width_with(ratio, 2 * ratio->base_count),
           2 * ratio->base_count, 100 * half_width_with(ratio, 4 * ratio->base_count),
           4 * ratio->base_count);
}

/* Half of the width; when the interval does not even hold 1, its farther end. */
static double resolution_of(const struct ratio *ratio)
{
    double half = ratio_half_width(ratio, LEVEL), low = 1, high = 1;

    ratio_interval(ratio, LEVEL, &low, &high);
    if (low <= 1 && high >= 1)
        return half;
    command_say("A and A differ beyond their interval: something on this machine changes between "
                "runs, and the farther end of the interval is taken");
    return fmax(fabs(1 - low), fabs(high - 1));
}

static bool judge(struct aa *aa, struct error *err)
{
    struct cell a = compare_cell(&aa->comparison, 0, 0), b = compare_cell(&aa->comparison, 0, 1);
    double *values = ARENA_ARRAY(aa->call->arena, double, 2 * a.count + 2);
    int count = a.count == b.count ? compare_pair(&a, &b, values, values + a.count) : 0;
    json_t *result = aa->comparison.runs[0].result, *found;
    const char *host = json_string_value(store_find(result, "host.hostname"));
    const char *family = json_string_value(json_object_get(result, "family"));
    char stamp[STAMP_MAX];
    struct ratio ratio;
    double half_width;
    bool kept;

    if (count < 2 || host == NULL || family == NULL)
        return error_set(err, ERROR_PLAN, "the runs have no number above 0 at %s", aa->metric.path);
    ratio = ratio_of_blocks(values, values + a.count, count, 1);
    half_width = resolution_of(&ratio);
    tell(aa, &ratio, half_width, host, family);
    clock_iso(clock_wall_ns(), stamp, sizeof stamp);
    found = json_pack("{s:f, s:f, s:i, s:s, s:s, s:s}", "half_width", half_width, "ratio",
                      exp(ratio.log_mean), "blocks", count, "workload", aa->call->workload->name,
                      "metric", aa->metric.path, "when", stamp);
    kept = resolution_keep(host, family, found, err);
    json_decref(found);
    return kept;
}

static bool measure(struct aa *aa, struct error *err)
{
    struct child_signals signals;
    bool good;

    aa->comparison = (struct comparison){ .arena = aa->call->arena,
                                          .notes = json_array(),
                                          .row_count = 1,
                                          .column_count = SIDES,
                                          .paired = true };
    aa->seed = aa->call->plan.seed != 0 ? aa->call->plan.seed : (int64_t)rng_fresh_seed();
    if (!make_words(aa, err))
        return false;
    aa->said = memfd_create("pgdyno-aa", MFD_CLOEXEC);
    if (aa->said >= 0)
        aa->said_path = arena_format(aa->call->arena, "/proc/self/fd/%d", aa->said);
    child_catch(&signals);
    good = run_all(aa, err);
    child_release(&signals);
    if (aa->said >= 0)
        close(aa->said);
    good = good && judge(aa, err);
    comparison_close(&aa->comparison);
    return good;
}

static enum error_kind run(int argc, char **argv, struct error *err)
{
    struct aa_options options = { 0 };
    struct command_call call = { .own = &options };
    struct aa *aa = MEMORY_NEW(struct aa);

    aa->call = &call;
    aa->options = &options;
    if (command_read(&call, &command_aa, argc, argv, err))
        measure(aa, err);
    memory_free(aa);
    command_close(&call);
    return err->kind;
}

const struct command command_aa = {
    .name = "aa",
    .summary = "what difference this machine can resolve",
    .usage = "WORKLOAD [options]",
    .text = "Makes the same run twice a block, A and B in turn, and holds them against each other: "
            "what differs is the machine. Half of the width of the interval is the smallest "
            "difference that it can tell; it is kept for this host and the workload's family, and "
            "compare claims nothing smaller. The data must be there: see load. Options of run hold "
            "for each of the runs.",
    .topics = "target,sessions,run,data,output",
    .takes_workload = true,
    .options = aa_rows,
    .run = run,
};
