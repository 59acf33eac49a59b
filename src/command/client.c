/*
 * client.c - see client.h.
 *
 * A worker that computes nearly all the time has no room left: a faster server would not have been
 * noticed. One that is ready to run and waits for a CPU most of the time is starved by something
 * beside it, and what it measures includes that wait; on a machine that it has together with the
 * server that is the common case, and no fault of the client. One that does not come round to its
 * timers is no measure of anything else either, whatever kept it.
 */
#include "command/client.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"

#define BUSY_SHARE    0.90              /* CPU alone */
#define NEVER_IDLE    0.97              /* CPU and waiting for it: it was never out of work */
#define STARVED_SHARE 0.90              /* CPU and waiting for it ... */
#define WAITING_SHARE 0.30              /* ... when so much of it is waiting, or */
#define LONG_SHARE    0.50              /* so much of the whole time */
#define LATE_NS       (100 * NS_PER_MS) /* a timer so late leaves no response time to be trusted */

struct verdict {
    int worker; /* -1: none is saturated */
    bool starved;
    double cpu, delay;
};

static double share(int64_t part_ns, int64_t window_ns)
{
    return window_ns > 0 && part_ns > 0 ? (double)part_ns / (double)window_ns : 0;
}

static void judge(struct verdict *verdict, int worker, double cpu, double delay)
{
    bool starved = (cpu + delay >= STARVED_SHARE && delay >= WAITING_SHARE) || delay >= LONG_SHARE;

    if ((cpu < BUSY_SHARE && cpu + delay < NEVER_IDLE && !starved) ||
        (verdict->worker >= 0 && cpu + delay <= verdict->cpu + verdict->delay))
        return;
    *verdict = (struct verdict){ .worker = worker, .starved = starved, .cpu = cpu, .delay = delay };
}

int client_shared_cpus(const json_t *target, const json_t *host)
{
    json_int_t cpus = json_integer_value(json_object_get(host, "cpus"));
    json_int_t allowed = json_integer_value(json_object_get(host, "cpus_allowed"));

    /* Held to some of them, the client has itself to blame. */
    return json_is_true(json_object_get(target, "here")) && allowed == cpus ? (int)cpus : 0;
}

static char *explain(const struct verdict *verdict, int count, int shared_cpus)
{
    if (verdict->starved && shared_cpus > 0)
        return memory_format(
            "client and server have the %d CPU%s of this machine together, and worker %d of %d "
            "computed %.0f %% of the time and waited for one another %.0f %%; compare such runs "
            "with each other only, or run pgdyno on another machine",
            shared_cpus, shared_cpus == 1 ? "" : "s", verdict->worker + 1, count,
            100 * verdict->cpu, 100 * verdict->delay);
    if (verdict->starved)
        return memory_format("worker %d of %d computed %.0f %% of the time and waited for a CPU "
                             "another %.0f %%: others use its CPUs too, perhaps the server",
                             verdict->worker + 1, count, 100 * verdict->cpu, 100 * verdict->delay);
    return memory_format(
        "worker %d of %d computed %.0f %% of the time; use more --workers or another "
        "machine",
        verdict->worker + 1, count, 100 * verdict->cpu);
}

/* When no worker computed too much: did they all come round in time? Owned; "" when they did. */
static char *explain_late(int64_t late_ns, int stalled_intervals)
{
    if (late_ns > LATE_NS)
        return memory_format("timers were late by %.0f ms (p99); use more --workers, fewer "
                             "--connections, or another machine",
                             (double)late_ns / (double)NS_PER_MS);
    if (stalled_intervals > 0)
        return memory_format("in %d interval%s a worker did not come round in time",
                             stalled_intervals, stalled_intervals == 1 ? "" : "s");
    return memory_text("");
}

static json_t *milliseconds(int64_t ns)
{
    return json_real(round((double)ns) / 1e6);
}

static json_t *sessions_json(const struct engine_facts *facts)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "done_mean", facts->session_done.mean,
                     "done_deviation", facts->session_done.deviation, "busy_s_mean",
                     facts->session_busy_s.mean, "busy_s_deviation",
                     facts->session_busy_s.deviation);
}

json_t *client_json(const struct engine_worker_use *uses, const struct engine_facts *facts,
                    int stalled_intervals, int shared_cpus)
{
    int64_t window_ns = facts->measure_end_ns - facts->measure_begin_ns;
    int count = facts->worker_count;
    struct verdict verdict = { .worker = -1 };
    json_t *json = json_object(), *workers = json_array();
    int64_t cpu_ns = 0, delay_ns = 0, late_ns = 0, middle_ns = 0;
    char *why;

    for (int i = 0; i < count; i++) {
        const struct engine_worker_use *use = &uses[i];
        json_t *worker = json_object();
        judge(&verdict, i, share(use->cpu_ns, window_ns), share(use->run_delay_ns, window_ns));
        cpu_ns += use->cpu_ns;
        delay_ns += use->run_delay_ns > 0 ? use->run_delay_ns : 0;
        late_ns = use->lateness_p99_ns > late_ns ? use->lateness_p99_ns : late_ns;
        middle_ns = use->lateness_p50_ns > middle_ns ? use->lateness_p50_ns : middle_ns;
        json_object_set_new(worker, "tid", json_integer(use->tid));
        json_object_set_new(worker, "cpu", json_real(share(use->cpu_ns, window_ns)));
        json_object_set_new(worker, "run_delay",
                            use->run_delay_ns < 0 ? json_null()
                                                  : json_real(share(use->run_delay_ns, window_ns)));
        json_object_set_new(worker, "lateness_p99_ms", milliseconds(use->lateness_p99_ns));
        json_object_set_new(worker, "lateness_max_ms", milliseconds(use->lateness_max_ns));
        json_array_append_new(workers, worker);
    }
    why = verdict.worker >= 0 ? explain(&verdict, count, shared_cpus)
                              : explain_late(late_ns, stalled_intervals);
    json_object_set_new(json, "protocol", json_string(protocol_name(facts->protocol)));
    json_object_set_new(json, "saturated", json_boolean(why[0] != '\0'));
    json_object_set_new(json, "shares_cpus",
                        json_boolean(verdict.worker >= 0 && verdict.starved && shared_cpus > 0));
    json_object_set_new(json, "why", json_string(why));
    json_object_set_new(json, "cpu_cores", json_real(share(cpu_ns, window_ns)));
    json_object_set_new(json, "run_delay_cores", json_real(share(delay_ns, window_ns)));
    json_object_set_new(json, "lateness_p50_ms", milliseconds(middle_ns));
    json_object_set_new(json, "lateness_p99_ms", milliseconds(late_ns));
    json_object_set_new(json, "workers", workers);
    json_object_set_new(json, "sessions", sessions_json(facts));
    memory_free(why);
    return json;
}
