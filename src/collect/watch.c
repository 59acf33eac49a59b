/*
 * watch.c - the thread that reads the machine's counters at the two instants between which the run
 * is measured, and once a second besides.
 *
 * It sleeps otherwise, and nobody waits for it: those who make the load only leave word of the two
 * instants. The end is known beforehand only when it is, so that there may be two readings for
 * it, at the planned end and when the last transaction was over; the one nearer to the end of the
 * measured window is taken.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "collect/machine.h"
#include "collect/query.h"
#include "collect/sampler.h"

struct collect_watch {
    struct machine machine;
    struct sampler *sampler; /* NULL: the server is not watched */
    pthread_t thread;
    bool made; /* the thread could be made */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t said;
    int64_t begin_ns, end_ns; /* 0: not known */
    bool over, quit;
    json_t *second; /* the latest; NULL: none */

    /* The thread's until it is joined. */
    struct machine_reading begin, planned, last, ticks[2];
    int tick; /* of the ticks that holds the latest */
};

/* ---- the thread ---- */

static struct timespec timespec_of(int64_t at_ns)
{
    return (struct timespec){ .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };
}

/* With the lock held. */
static void sleep_until(struct collect_watch *watch, int64_t at_ns)
{
    const struct timespec at = timespec_of(at_ns);

    pthread_cond_timedwait(&watch->said, &watch->lock, &at);
}

/* Between two readings of the machine. */
static void take_second(struct collect_watch *watch)
{
    struct machine_reading *before = &watch->ticks[watch->tick];
    struct machine_reading *now = &watch->ticks[1 - watch->tick];
    json_t *second;

    machine_read(&watch->machine, now);
    watch->tick = 1 - watch->tick;
    if (before->at_ns == 0)
        return;
    second = machine_second_json(&watch->machine, before, now);
    pthread_mutex_lock(&watch->lock);
    json_decref(watch->second);
    watch->second = second;
    pthread_mutex_unlock(&watch->lock);
}

/* When something is to be read next, and whether that is so now. */
static struct machine_reading *due(struct collect_watch *watch, int64_t now_ns, int64_t *next_ns)
{
    if (watch->begin_ns == 0) {
        *next_ns = now_ns + NS_PER_S;
        return NULL;
    }
    if (watch->begin.at_ns == 0 && now_ns >= watch->begin_ns)
        return &watch->begin;
    if (watch->over)
        return &watch->last;
    if (watch->begin.at_ns == 0) {
        *next_ns = watch->begin_ns;
        return NULL;
    }
    if (watch->planned.at_ns == 0 && watch->end_ns != 0) {
        *next_ns = watch->end_ns;
        return now_ns >= watch->end_ns ? &watch->planned : NULL;
    }
    *next_ns = now_ns + NS_PER_S;
    return NULL;
}

static void *watch_main(void *arg)
{
    struct collect_watch *watch = arg;
    int64_t next_second_ns = clock_now_ns();

    prctl(PR_SET_TIMERSLACK, 1UL);
    pthread_mutex_lock(&watch->lock);
    while (watch->last.at_ns == 0 && (!watch->quit || (watch->over && watch->begin_ns != 0))) {
        int64_t now_ns = clock_now_ns(), next_ns;
        struct machine_reading *reading = due(watch, now_ns, &next_ns);
        if (reading == NULL && now_ns < next_second_ns) {
            sleep_until(watch, next_ns < next_second_ns ? next_ns : next_second_ns);
            continue;
        }
        pthread_mutex_unlock(&watch->lock);
        if (reading != NULL) {
            machine_read(&watch->machine, reading);
        } else {
            take_second(watch);
            next_second_ns = now_ns + NS_PER_S;
        }
        pthread_mutex_lock(&watch->lock);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/* ---- the door ---- */

static void look_for_server(struct collect_watch *watch, struct collect *collect,
                            const json_t *snapshot)
{
    const json_t *settings = json_object_get(snapshot, "all_settings");
    const char *why = NULL;
    double started_s = 0;
    int64_t pid = 0;

    if (collect == NULL) {
        why = "the workload needs no server";
    } else if (!collect_server_is_here(collect)) {
        why = "the server is on another machine: nothing is known of what that did";
    } else {
        pid = json_integer_value(json_object_get(collect->server, "pid"));
        started_s = json_number_value(json_object_get(collect->server, "start_s"));
    }
    machine_open(&watch->machine, (int)pid, started_s,
                 json_string_value(json_object_get(settings, "data_directory")), why);
}

struct collect_watch *collect_watch_start(struct collect *collect, const json_t *snapshot)
{
    struct collect_watch *watch = MEMORY_NEW(struct collect_watch);
    pthread_condattr_t monotonic;

    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->said, &monotonic);
    pthread_condattr_destroy(&monotonic);
    look_for_server(watch, collect, snapshot);
    watch->made = pthread_create(&watch->thread, NULL, watch_main, watch) == 0;
    return watch;
}

void collect_watch_server(struct collect_watch *watch, struct collect *collect,
                          const char *application, int64_t rate, bool cold)
{
    if (collect != NULL && rate > 0)
        watch->sampler = sampler_open(&(struct sampler_setup){
            .collect = collect, .application = application, .rate = rate, .cold = cold });
}

void collect_watch_clock(struct collect_watch *watch, int64_t start_ns, int64_t begin_ns,
                         int64_t end_ns)
{
    if (watch->sampler != NULL)
        sampler_clock(watch->sampler, start_ns, begin_ns, end_ns);
    pthread_mutex_lock(&watch->lock);
    watch->begin_ns = begin_ns;
    watch->end_ns = end_ns;
    pthread_cond_signal(&watch->said);
    pthread_mutex_unlock(&watch->lock);
}

void collect_watch_over(struct collect_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->over = true;
    pthread_cond_signal(&watch->said);
    pthread_mutex_unlock(&watch->lock);
    if (watch->sampler != NULL)
        sampler_over(watch->sampler);
}

void collect_watch_second(struct collect_watch *watch, json_t *line)
{
    pthread_mutex_lock(&watch->lock);
    json_object_set_new(line, "machine",
                        watch->second != NULL ? json_deep_copy(watch->second) : json_null());
    pthread_mutex_unlock(&watch->lock);
    if (watch->sampler != NULL)
        sampler_second(watch->sampler, line);
}

static void end_thread(struct collect_watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->quit = true;
    pthread_cond_signal(&watch->said);
    pthread_mutex_unlock(&watch->lock);
    if (watch->made)
        pthread_join(watch->thread, NULL);
    watch->made = false;
}

static int64_t off_ns(const struct machine_reading *reading, int64_t at_ns)
{
    if (reading->at_ns == 0)
        return INT64_MAX;
    return reading->at_ns > at_ns ? reading->at_ns - at_ns : at_ns - reading->at_ns;
}

json_t *collect_watch_machine(struct collect_watch *watch, int64_t begin_ns, int64_t end_ns,
                              int64_t queries)
{
    const struct machine_window window = { begin_ns, end_ns, queries };
    const struct machine_reading *end = &watch->last;

    end_thread(watch);
    if (off_ns(&watch->planned, end_ns) < off_ns(end, end_ns))
        end = &watch->planned;
    return machine_json(&watch->machine, &watch->begin, end, &window);
}

json_t *collect_watch_told(struct collect_watch *watch, struct collect *collect, bool hurry,
                           json_t *notes)
{
    json_t *out = json_object();

    if (watch->sampler != NULL)
        collect->own_commits += sampler_end(watch->sampler, hurry, out, notes);
    return out;
}

void collect_watch_free(struct collect_watch *watch)
{
    if (watch == NULL)
        return;
    end_thread(watch);
    sampler_free(watch->sampler);
    machine_reading_free(&watch->begin);
    machine_reading_free(&watch->planned);
    machine_reading_free(&watch->last);
    machine_reading_free(&watch->ticks[0]);
    machine_reading_free(&watch->ticks[1]);
    machine_close(&watch->machine);
    json_decref(watch->second);
    pthread_cond_destroy(&watch->said);
    pthread_mutex_destroy(&watch->lock);
    memory_free(watch);
}
