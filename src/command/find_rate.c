/*
 * find_rate.c - see find_rate.h.
 */
#include "command/find_rate.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "command/child.h"
#include "command/common.h"
#include "store/store.h"

#define FIND_HIGH   1.05 /* of the closed loop's rate: more it cannot do */
#define FIND_MOST   1e7  /* --rate takes no more */
#define FIND_LEAST  1.0  /* transactions a second that are worth a try */
#define TRY_MAX     FIND_TRIES_MAX
#define LABEL_SHOWN 48

/* ---- the search ---- */

bool find_limit_read(const char *text, struct find_limit *limit, struct error *err)
{
    static const char *const figures[] = { "mean", "p50",   "p75",    "p90", "p95",
                                           "p99",  "p99.9", "p99.99", "max" };
    char unit[4] = "", end;
    int read = sscanf(text, "%7[a-z0-9.] <= %lf%3[a-z]%c", limit->figure, &limit->ms, unit, &end);
    bool known = false;

    for (int i = 0; i < COUNT_OF(figures) && read >= 1; i++)
        known = known || strcmp(figures[i], limit->figure) == 0;
    if (read == 3 && strcmp(unit, "s") == 0)
        limit->ms *= 1000;
    else if (read == 3 && strcmp(unit, "us") == 0)
        limit->ms /= 1000;
    else if (read != 3 || strcmp(unit, "ms") != 0)
        read = 0;
    if (known && read == 3 && limit->ms > 0 && limit->ms <= 3.6e6)
        return true;
    return error_set(err, ERROR_USAGE,
                     "--find-rate: found %.40s, wanted is a limit such as 'p99<=20ms', of mean, "
                     "p50, p75, p90, p95, p99, p99.9, p99.99 or max",
                     text);
}

double find_next(const struct find_search *search)
{
    double middle = (search->low + search->high) / 2;

    if (search->tries >= FIND_TRIES_MAX || search->high < FIND_LEAST ||
        search->high - search->low <= FIND_CLOSE * search->high)
        return 0;
    return middle < 100 ? middle : floor(middle);
}

void find_take(struct find_search *search, double rate, bool met)
{
    search->tries++;
    if (met)
        search->low = rate;
    else
        search->high = rate;
}

/* ---- the runs ---- */

struct finding {
    struct command_call *call;
    struct find_limit limit;
    const char *target; /* a secret; NULL: as the child finds it */
    json_t *report;     /* find-rate.json */
    int made;
};

/* What one run gave. */
struct found_run {
    double per_s, figure_ms; /* the figure NAN when there is none */
    bool met;
    char *path; /* owned */
};

static bool is_ours(const struct option *row)
{
    static const char *const names[] = { "find-rate", "rate",   "results", "label",
                                         "quiet",     "format", "help" };

    for (int i = 0; i < COUNT_OF(names); i++)
        if (strcmp(row->name, names[i]) == 0)
            return true;
    return (row->marks & (OPTION_SECRET | OPTION_IGNORED | OPTION_REFUSED)) != 0 ||
           strncmp(row->name, "pgsql-", 6) == 0;
}

/* What was said on the command line, from the rows: argv itself may be overwritten. */
static void make_words(const struct finding *finding, const char **words, double rate)
{
    const struct command_call *call = finding->call;
    int count = 0;

    words[count++] = "run";
    words[count++] = call->workload->name;
    for (int i = 0; i < call->args.given_count && count < CHILD_WORDS_MAX - 8; i++) {
        const struct option *row = call->args.given[i];
        const struct option_group *group = NULL;
        if (is_ours(row) ||
            option_find(call->args.groups, call->args.group_count, row->name, &group) != row)
            continue;
        words[count++] = arena_format(call->arena, "--%s=%s", row->name,
                                      option_show(row, group->base, call->arena));
    }
    if (rate > 0)
        words[count++] = arena_format(call->arena, "--rate=%.9g", rate);
    words[count] = NULL;
}

static void read_outcome(const struct finding *finding, int code, struct found_run *outcome)
{
    struct error ignored;
    json_t *result = store_read(outcome->path, &ignored), *figure;
    char *path = memory_format("summary.latency_ms.response.%s", finding->limit.figure);

    figure = result != NULL ? store_find(result, path) : NULL;
    outcome->figure_ms = json_is_number(figure) ? json_number_value(figure) : (double)NAN;
    outcome->per_s = json_number_value(store_find(result, "summary.transactions.per_s"));
    outcome->met = code == ERROR_NONE && outcome->figure_ms <= finding->limit.ms;
    memory_free(path);
    json_decref(result);
}

static void keep(struct finding *finding, const char *list, double rate,
                 const struct found_run *outcome)
{
    const char *slash = strrchr(outcome->path, '/');
    json_t *one =
        json_pack("{s:o, s:f, s:o, s:b, s:s}", "rate", rate > 0 ? json_real(rate) : json_null(),
                  "per_s", outcome->per_s, "response_ms",
                  isnan(outcome->figure_ms) ? json_null() : json_real(outcome->figure_ms), "met",
                  outcome->met, "result", slash != NULL ? slash + 1 : "");

    json_array_append_new(json_object_get(finding->report, list), one);
}

static void tell(const struct finding *finding, const char *what, double rate,
                 const struct found_run *outcome)
{
    char asked[48] = "closed loop";

    if (rate > 0)
        snprintf(asked, sizeof asked, "%.6g/s", rate);
    if (isnan(outcome->figure_ms))
        printf("  %-10s %-14s %s of response beyond what was seen\n", what, asked,
               finding->limit.figure);
    else
        printf("  %-10s %-14s %.1f transactions/s, %s %.3f ms%s\n", what, asked, outcome->per_s,
               finding->limit.figure, outcome->figure_ms, outcome->met ? ", met" : "");
    fflush(stdout);
}

/* One run; rate 0 is the closed loop. False: it left no figures, `err` says why. */
static bool run_at(struct finding *finding, const char *list, double rate,
                   struct found_run *outcome, struct error *err)
{
    const struct plan *plan = &finding->call->plan;
    const char *words[CHILD_WORDS_MAX];
    char *label =
        memory_format("%.*s%sfind%02d", LABEL_SHOWN, plan->label != NULL ? plan->label : "",
                      plan->label != NULL ? "-" : "", ++finding->made);
    struct child child = {
        .words = words, .target = finding->target, .results = plan->results, .label = label
    };
    char *log = memory_format("%s/find-rate.log", plan->results);
    struct child_end end;
    bool good;

    *outcome = (struct found_run){ .path = NULL };
    make_words(finding, words, rate);
    child.output = log;
    good = child_run(&child, &end, err);
    if (good && child_stopped())
        good = error_set(err, ERROR_INTERRUPTED, "interrupted; the runs that were made are kept");
    else if (good && (end.result == NULL || (end.code != 0 && end.code != ERROR_RATE)))
        good = error_set(err, end.code != 0 ? (enum error_kind)end.code : ERROR_BUG, "%.1000s",
                         end.said);
    if (good) {
        outcome->path = memory_text(end.result);
        read_outcome(finding, end.code, outcome);
        keep(finding, list, rate, outcome);
        tell(finding, list, rate, outcome);
    }
    child_end_free(&end);
    memory_free(label);
    memory_free(log);
    return good;
}

static bool search(struct finding *finding, struct find_search *found, struct error *err)
{
    struct found_run outcome;
    double rate;

    if (!run_at(finding, "closed", 0, &outcome, err))
        return false;
    memory_free(outcome.path);
    found->high = fmin(FIND_MOST, outcome.per_s * FIND_HIGH);
    while ((rate = find_next(found)) > 0) {
        if (!run_at(finding, "tries", rate, &outcome, err))
            return false;
        memory_free(outcome.path);
        find_take(found, rate, outcome.met);
    }
    return true;
}

static bool measure(struct finding *finding, double rate, struct error *err)
{
    static const double shares[] = { 0.5, 0.7, 0.9 };
    struct found_run outcome;

    for (int i = 0; i < COUNT_OF(shares) && rate > 0; i++) {
        if (!run_at(finding, "measured", rate * shares[i], &outcome, err))
            return false;
        memory_free(outcome.path);
    }
    return true;
}

static bool write_report(struct finding *finding, const struct find_search *found,
                         struct error *err)
{
    const char *results = finding->call->plan.results;
    char stamp[20];
    char *path;
    bool good;

    clock_stamp(clock_wall_ns(), stamp, sizeof stamp);
    path = memory_format("%s/%s-find-rate.json", results, stamp);
    json_object_set_new(finding->report, "highest_rate",
                        found->low > 0 ? json_real(found->low) : json_null());
    json_object_set_new(finding->report, "not_met_at", json_real(found->high));
    good = json_dump_file(finding->report, path, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0 ||
           error_set(err, ERROR_MACHINE, "cannot write %s", path);
    if (good)
        printf("written: %s\n", path);
    memory_free(path);
    return good;
}

static bool find(struct finding *finding, struct error *err)
{
    struct find_search found = { 0 };
    struct error wrote;
    bool good = search(finding, &found, err);

    if (good && found.low > 0)
        printf("highest rate with %s <= %g ms: %.6g/s\n", finding->limit.figure, finding->limit.ms,
               found.low);
    good = good && measure(finding, found.low, err);
    if (finding->made > 0 && !write_report(finding, &found, &wrote) && good) {
        *err = wrote;
        good = false;
    }
    if (good && found.low <= 0)
        good = error_set(err, ERROR_RATE,
                         "no rate met %s <= %g ms: the lowest that was tried is "
                         "%.6g/s",
                         finding->limit.figure, finding->limit.ms, found.high);
    return good;
}

enum error_kind find_rate_run(struct command_call *call, const char *limit, struct error *err)
{
    struct finding finding = { .call = call };
    struct child_signals signals;

    if (!find_limit_read(limit, &finding.limit, err))
        return err->kind;
    if (call->plan.rate_per_s > 0 || call->plan.ramp.to > 0 || call->plan.terminals != 0 ||
        call->plan.think_ns > 0)
        error_set(err, ERROR_USAGE,
                  "--find-rate looks for the rate itself: leave --rate, --ramp, "
                  "--think and --terminals out");
    else if (call->plan.transactions > 0 || call->plan.time_ns == 0)
        error_set(err, ERROR_USAGE, "--find-rate wants runs that end by --time");
    else
        err->kind = ERROR_NONE;
    if (err->kind != ERROR_NONE)
        return err->kind;
    finding.target = plan_target(&call->plan, call->arena);
    if (finding.target[0] == '\0')
        finding.target = NULL;
    finding.report = json_pack("{s:s, s:s, s:[], s:[], s:[]}", "workload", call->workload->name,
                               "limit", limit, "closed", "tries", "measured");
    child_catch(&signals);
    find(&finding, err);
    child_release(&signals);
    json_decref(finding.report);
    return err->kind;
}
