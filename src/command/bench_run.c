/*
 * bench_run.c - carries out the steps of a bench that are still to be done, and says how far it is.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command/bench.h"
#include "store/store.h"

#define OVERHEAD_NS (4 * NS_PER_S) /* of a run, until one has been seen */
#define TELL_NS     NS_PER_S
#define TIME_SIZE   32

/* ---- telling ---- */

const char *bench_time(int64_t ns, char *out)
{
    int64_t seconds = (ns + NS_PER_S / 2) / NS_PER_S;

    if (seconds < 100)
        snprintf(out, TIME_SIZE, "%d s", (int)seconds);
    else if (seconds < 100 * 60)
        snprintf(out, TIME_SIZE, "%d min", (int)((seconds + 30) / 60));
    else
        snprintf(out, TIME_SIZE, "%d h %d min", (int)(seconds / 3600), (int)(seconds / 60 % 60));
    return out;
}

int64_t bench_left_ns(const struct bench *bench)
{
    int64_t each_ns = bench->measured > 0 ? bench->overhead_ns / bench->measured : OVERHEAD_NS;
    int64_t left_ns = 0;

    for (int i = 0; i < bench->step_count; i++)
        if (bench->steps[i].state == STEP_WAITING)
            left_ns += bench->rows[bench->steps[i].row].planned_ns + each_ns;
    return left_ns;
}

static int count_state(const struct bench *bench, enum bench_state state)
{
    int count = 0;

    for (int i = 0; i < bench->step_count; i++)
        count += bench->steps[i].state == state;
    return count;
}

void bench_wait(void *context)
{
    struct bench *bench = context;
    int64_t now_ns = clock_now_ns(), left_ns;
    char passed[TIME_SIZE], left[TIME_SIZE];

    if (!isatty(STDOUT_FILENO) || now_ns - bench->told_ns < TELL_NS)
        return;
    bench->told_ns = now_ns;
    left_ns = bench_left_ns(bench) - (now_ns - bench->step_begin_ns);
    printf("\r  %s of about %s, %s left in all   ",
           bench_time(now_ns - bench->step_begin_ns, passed),
           bench_time(bench->rows[bench->steps[bench->at].row].planned_ns, left),
           bench_time(left_ns > 0 ? left_ns : 0, (char[TIME_SIZE]){ 0 }));
    fflush(stdout);
}

static void end_line(void)
{
    if (isatty(STDOUT_FILENO))
        fputs("\r\033[K", stdout);
}

static void tell_begin(const struct bench *bench, const struct bench_step *step)
{
    char left[TIME_SIZE];

    printf("[%d/%d] block %d  %s  %s  (%s left)\n", bench->at + 1, bench->step_count, step->block,
           bench->targets[step->target].plan->name, bench->rows[step->row].name,
           bench_time(bench_left_ns(bench), left));
    fflush(stdout);
}

static void tell_result(const struct bench *bench, const struct bench_step *step)
{
    const char *path = json_string_value(json_object_get(step->entry, "result"));
    struct error ignored;
    json_t *result =
        path != NULL
            ? store_read(arena_format(bench->arena, "%s/%s", bench->folder, path), &ignored)
            : NULL;

    end_line();
    if (step->state == STEP_FAILED)
        printf("  failed: %s\n", json_string_value(json_object_get(step->entry, "error")));
    else if (result != NULL)
        printf("  %.1f transactions/s, p99 %.3f ms\n",
               json_number_value(store_find(result, "summary.transactions.per_s")),
               json_number_value(store_find(result, "summary.latency_ms.response.p99")));
    json_decref(result);
    fflush(stdout);
}

void bench_show_schedule(const struct bench *bench)
{
    int64_t at_ns = 0;
    char begins[TIME_SIZE], lasts[TIME_SIZE];

    for (int i = 0; i < bench->step_count; i++) {
        const struct bench_step *step = &bench->steps[i];
        const struct bench_row *row = &bench->rows[step->row];
        if (step->state != STEP_WAITING)
            continue;
        printf("%5d  at %-12s block %-3d %-16s %s, %s\n", i + 1, bench_time(at_ns, begins),
               step->block, bench->targets[step->target].plan->name, row->name,
               bench_time(row->planned_ns, lasts));
        at_ns += row->planned_ns + OVERHEAD_NS;
    }
    printf(
        "%d runs on %d target%s in %d block%s, seed %lld, restore %s: about %s, beside loading\n",
        count_state(bench, STEP_WAITING), bench->plan.target_count,
        bench->plan.target_count == 1 ? "" : "s", bench->repeats, bench->repeats == 1 ? "" : "s",
        (long long)bench->seed, plan_restore_word(bench->plan.restore), bench_time(at_ns, begins));
}

/* ---- one step ---- */

static void judge_child(struct bench *bench, struct bench_step *step, const struct child_end *end)
{
    bool kept = end->result != NULL && (end->code == ERROR_NONE || end->code == ERROR_RATE);

    if (end->result != NULL)
        json_object_set_new(step->entry, "result",
                            json_string(end->result + strlen(bench->folder) + 1));
    json_object_set_new(step->entry, "exit_code", json_integer(end->code));
    step->state = kept ? STEP_DONE : STEP_FAILED;
    if (!kept && end->code == ERROR_NONE) {
        json_object_set_new(step->entry, "exit_code", json_integer(ERROR_BUG));
        json_object_set_new(step->entry, "error", json_string("the run left no result"));
    } else if (end->code != ERROR_NONE)
        json_object_set_new(step->entry, "error",
                            json_string(end->said[0] != '\0' ? end->said : "it said nothing"));
}

/* What was interrupted is not done; the result that it left is named all the same. */
static void note_interrupted(struct bench *bench, struct bench_step *step,
                             const struct child_end *end)
{
    json_t *list = json_object_get(step->entry, "interrupted");

    if (end->result == NULL)
        return;
    if (list == NULL) {
        list = json_array();
        json_object_set_new(step->entry, "interrupted", list);
    }
    json_array_append_new(list, json_string(end->result + strlen(bench->folder) + 1));
}

static bool run_child(struct bench *bench, struct bench_step *step, struct error *err)
{
    const struct bench_target *target = &bench->targets[step->target];
    const struct bench_row *row = &bench->rows[step->row];
    const char *words[BENCH_WORDS_MAX + 16];
    char *results = memory_format("%s/runs", bench->folder);
    char *output = memory_format("%s/logs/%s.log", bench->folder, step->id);
    char *seed = memory_format("--seed=%lld", (long long)step->seed), *settings = NULL, *bin = NULL;
    struct child child = { .words = words,
                           .target = bench->child_target,
                           .results = results,
                           .label = step->id,
                           .output = output,
                           .wait = bench_wait,
                           .context = bench };
    struct child_end end;
    int count = 0;
    bool good;

    for (; row->words[count] != NULL; count++)
        words[count] = row->words[count];
    words[count++] = seed;
    if (target->local && bench->plan.restore != RESTORE_TEMPLATE) {
        if (target->settings_path != NULL)
            words[count++] = settings = memory_format("--settings=%s", target->settings_path);
        if (target->plan->pg_bin != NULL)
            words[count++] = bin = memory_format("--pg-bin=%s", target->plan->pg_bin);
    }
    words[count] = NULL;
    good = child_run(&child, &end, err);
    if (good && (child_stopped() || end.code == ERROR_INTERRUPTED)) {
        note_interrupted(bench, step, &end);
        good = error_set(err, ERROR_INTERRUPTED, "interrupted");
    } else if (good) {
        judge_child(bench, step, &end);
    }
    child_end_free(&end);
    memory_free(results);
    memory_free(output);
    memory_free(seed);
    memory_free(settings);
    memory_free(bin);
    return good;
}

static bool carry_out(struct bench *bench, struct bench_step *step, struct error *err)
{
    if (!bench_prepare(bench, step, err))
        return false;
    if (bench->rows[step->row].kind == BENCH_POSTWRITE) {
        step->state = STEP_DONE;
        return bench_postwrite(bench, step, err);
    }
    return bench_precede(bench, step, err) && run_child(bench, step, err);
}

/* False: the bench ends here. */
static bool take_step(struct bench *bench, struct bench_step *step, struct error *err)
{
    static const char *const of_an_attempt[] = { "error",        "exit_code",    "result",
                                                 "state_before", "precondition", "whole_seconds" };
    char stamp[32];
    int64_t planned_ns = bench->rows[step->row].planned_ns;
    bool good;

    clock_iso(clock_wall_ns(), stamp, sizeof stamp);
    if (step->entry == NULL)
        step->entry = json_object();
    for (int i = 0; i < COUNT_OF(of_an_attempt); i++)
        json_object_del(step->entry, of_an_attempt[i]);
    json_object_set_new(step->entry, "begun", json_string(stamp));
    tell_begin(bench, step);
    bench->step_begin_ns = clock_now_ns();
    good = carry_out(bench, step, err);
    if (child_stopped() || (!good && err->kind == ERROR_INTERRUPTED)) {
        step->state = STEP_WAITING;
        end_line();
        return error_set(err, ERROR_INTERRUPTED, "interrupted");
    }
    if (!good) { /* it could not even be begun */
        step->state = STEP_FAILED;
        json_object_set_new(step->entry, "exit_code", json_integer(err->kind));
        json_object_set_new(step->entry, "error", json_string(err->text));
    }
    json_object_set_new(step->entry, "whole_seconds",
                        json_real((double)(clock_now_ns() - bench->step_begin_ns) / 1e9));
    bench->overhead_ns += clock_now_ns() - bench->step_begin_ns - planned_ns;
    bench->measured++;
    tell_result(bench, step);
    return true;
}

/* ---- all of them ---- */

/* Where several fit: interrupted, server, check, rate; else the first that was met. */
static enum error_kind judge(const struct bench *bench, struct error *err)
{
    static const int order[] = { ERROR_SERVER, ERROR_CHECK, ERROR_RATE };
    enum error_kind kind = ERROR_NONE;
    int failed = count_state(bench, STEP_FAILED), place = COUNT_OF(order) + 1;

    for (int i = 0; i < bench->step_count; i++) {
        int code = (int)json_integer_value(json_object_get(bench->steps[i].entry, "exit_code"));
        int at = 0;
        if (bench->steps[i].state == STEP_WAITING || code == 0)
            continue;
        while (at < COUNT_OF(order) && order[at] != code)
            at++;
        if (code == ERROR_RATE ? place > COUNT_OF(order) : at < place) {
            kind = (enum error_kind)code;
            place = at;
        }
    }
    err->kind = ERROR_NONE;
    err->text[0] = '\0';
    if (failed > 0)
        error_set(err, kind, "%d of %d runs failed; --retry-failed makes them again", failed,
                  bench->step_count);
    else if (kind != ERROR_NONE)
        error_set(err, kind, "a run did not keep its rate");
    return kind;
}

static enum error_kind end_early(struct bench *bench, struct error *err)
{
    error_set(err, ERROR_INTERRUPTED,
              "interrupted with %d of %d runs done; pgdyno bench %s goes on from here",
              count_state(bench, STEP_DONE), bench->step_count, bench->folder);
    return ERROR_INTERRUPTED;
}

enum error_kind bench_run_steps(struct bench *bench, struct error *err)
{
    struct child_signals signals;
    enum error_kind kind = ERROR_NONE;

    child_catch(&signals);
    bench_put_all_down(bench);
    if (!bench_write_index(bench, err))
        kind = err->kind;
    for (bench->at = 0; bench->at < bench->step_count && kind == ERROR_NONE; bench->at++) {
        struct bench_step *step = &bench->steps[bench->at];
        struct error wrote;
        if (step->state != STEP_WAITING)
            continue;
        if (!take_step(bench, step, err))
            kind = end_early(bench, err);
        if (!bench_write_index(bench, &wrote)) {
            *err = wrote;
            kind = wrote.kind;
        }
        if (kind == ERROR_NONE && step->state == STEP_FAILED && bench->plan.stop_on_failure)
            break;
    }
    if (bench->options.servers != BENCH_SERVERS_KEEP)
        bench_put_down(bench);
    child_release(&signals);
    return kind != ERROR_NONE ? kind : judge(bench, err);
}
