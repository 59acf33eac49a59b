/*
 * sampler.c - see sampler.h.
 *
 * A session's counters are published up to a second late. Where the window begins with the load
 * they are exact at its beginning, so they are read at the end when the sessions have gone, which
 * is exact as well. After a warm-up both readings are late by the same, on average.
 */
#include "collect/sampler.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/asker.h"
#include "collect/collect.h"
#include "collect/events.h"
#include "collect/query.h"
#include "collect/views.h"
#include "collect/waits.h"

#define GONE_NS      NS_PER_S
#define GONE_LOOK_NS (10 * NS_PER_MS)
#define OLD_LAG_NS   (550 * NS_PER_MS) /* up to 14 a file may be that old */
#define CHAIN_EVERY  2                 /* of the samples, at 10 a second */
#define SLOW_SHARE   10 /* a statement may take a tenth of the time to the next one */

struct sampler {
    struct asker asker; /* the thread's while there is one */
    int64_t period_ns;
    bool cold;

    pthread_t thread;
    bool made;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t said;
    int64_t start_ns, begin_ns, end_ns, over_ns; /* 0: not known */
    bool quit;
    json_t *server_line, *waits_line; /* of the latest second; NULL: none */

    /* The thread's until it is joined. */
    json_t *begin, *end, *last; /* answers */
    int64_t begin_at_ns, end_at_ns, last_at_ns;
    int64_t begin_commits, end_commits; /* our own, which the server had counted by then */
    int64_t first_wait_ns;              /* when sampling began in the window; 0: not yet */
    int64_t last_wait_ns;
    struct waits waits, second_waits;
    bool locks_matter;
    int64_t sample; /* number of the next one */
    struct events events;
};

/* ---- opening ---- */

static void *sampler_main(void *arg);
static json_t *take_edge(struct sampler *sampler, int64_t *at_ns, int64_t *commits);

struct sampler *sampler_open(const struct sampler_setup *setup)
{
    struct sampler *sampler = MEMORY_NEW(struct sampler);
    pthread_condattr_t monotonic;

    pthread_mutex_init(&sampler->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&sampler->said, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sampler->cold = setup->cold;
    sampler->period_ns = NS_PER_S / (setup->rate > 0 ? setup->rate : 1);
    if (!asker_open(&sampler->asker, setup->collect, setup->application))
        return sampler;
    if (sampler->cold)
        sampler->begin = take_edge(sampler, &sampler->begin_at_ns, &sampler->begin_commits);
    sampler->made = pthread_create(&sampler->thread, NULL, sampler_main, sampler) == 0;
    return sampler;
}

/* ---- a sample ---- */

static bool is_true(const PGresult *result, int row, int column)
{
    return PQgetvalue(result, row, column)[0] == 't';
}

static bool checkpointer_works(const PGresult *result, int row)
{
    const char *event = PQgetvalue(result, row, 3);

    /* Nothing at all: not to be seen by this role, or on its CPU. */
    return event[0] != '\0' && strncmp(event, "CheckpointerMain", strlen("CheckpointerMain")) != 0;
}

static void count_waits(struct sampler *sampler, const PGresult *result, struct waits *sample,
                        int64_t at_ns)
{
    for (int i = 0; i < PQntuples(result); i++) {
        if (is_true(result, i, 0))
            events_checkpointer(&sampler->events, clock_seconds(at_ns),
                                checkpointer_works(result, i));
        else
            waits_add(sample, PQgetvalue(result, i, 1), PQgetvalue(result, i, 2),
                      PQgetvalue(result, i, 3), strtoll(PQgetvalue(result, i, 4), NULL, 10));
    }
}

static void read_blockers(struct wait_session *session, const char *words)
{
    char *end;

    while (session->blocker_count < WAIT_BLOCKERS) {
        long pid = strtol(words, &end, 10);
        if (end == words)
            return;
        session->blockers[session->blocker_count++] = (int)pid;
        words = end;
    }
}

static void count_root(struct waits *sample, enum wait_class root)
{
    if (root != WAIT_CLASSES)
        sample->roots[root]++;
}

static void count_chains(struct sampler *sampler, const PGresult *result, struct waits *sample,
                         int64_t at_ns)
{
    int count = PQntuples(result) < WAIT_SESSIONS ? PQntuples(result) : WAIT_SESSIONS;
    struct wait_session *sessions = MEMORY_ARRAY(struct wait_session, count + 1);
    enum wait_class found;

    for (int i = 0; i < count; i++) {
        sessions[i] = (struct wait_session){ .pid = (int)strtol(PQgetvalue(result, i, 4), NULL, 10),
                                             .load = is_true(result, i, 5),
                                             .state = PQgetvalue(result, i, 1),
                                             .type = PQgetvalue(result, i, 2),
                                             .event = PQgetvalue(result, i, 3) };
        read_blockers(&sessions[i], PQgetvalue(result, i, 6));
        if (is_true(result, i, 0))
            events_checkpointer(&sampler->events, clock_seconds(at_ns),
                                checkpointer_works(result, i));
    }
    sample->chain_samples = 1;
    for (int i = 0; i < count; i++) {
        if (!sessions[i].load)
            continue;
        waits_add(sample, sessions[i].state, sessions[i].type, sessions[i].event, 1);
        if (wait_classify(sessions[i].state, sessions[i].type, sessions[i].event, &found) &&
            found == WAIT_LOCK)
            count_root(sample, wait_root(sessions, count, i));
    }
    memory_free(sessions);
}

static bool do_locks_matter(const struct waits *sample)
{
    int64_t all = 0;

    for (int i = 0; i < WAIT_CLASSES; i++)
        all += sample->direct[i];
    return (double)sample->direct[WAIT_LOCK] > WAIT_LOCKS_MATTER * (double)all;
}

static bool in_window(struct sampler *sampler, int64_t at_ns)
{
    bool within;

    pthread_mutex_lock(&sampler->lock);
    within = sampler->begin_ns != 0 && at_ns >= sampler->begin_ns && sampler->over_ns == 0 &&
             (sampler->end_ns == 0 || at_ns < sampler->end_ns);
    pthread_mutex_unlock(&sampler->lock);
    return within;
}

static void take_sample(struct sampler *sampler, int64_t at_ns)
{
    bool chains = sampler->locks_matter && sampler->sample % CHAIN_EVERY == 0 &&
                  sampler->asker.sql[ASK_CHAINS] != NULL;
    struct waits sample = { .samples = 1 };
    PGresult *result = asker_ask(&sampler->asker, chains ? ASK_CHAINS : ASK_WAITS);

    sampler->sample++;
    if (result == NULL)
        return;
    if (chains)
        count_chains(sampler, result, &sample, at_ns);
    else
        count_waits(sampler, result, &sample, at_ns);
    PQclear(result);
    sampler->locks_matter = do_locks_matter(&sample);
    waits_add_all(&sampler->second_waits, &sample);
    if (!in_window(sampler, at_ns))
        return;
    waits_add_all(&sampler->waits, &sample);
    if (sampler->first_wait_ns == 0)
        sampler->first_wait_ns = at_ns;
    sampler->last_wait_ns = at_ns;
}

/* ---- a reading of the views ---- */

static void keep_line(struct sampler *sampler, json_t *server, json_t *waits)
{
    pthread_mutex_lock(&sampler->lock);
    json_decref(sampler->server_line);
    json_decref(sampler->waits_line);
    sampler->server_line = server;
    sampler->waits_line = waits;
    pthread_mutex_unlock(&sampler->lock);
}

/* Whatever was read also is a look at events; the last answer is replaced. */
static void look(struct sampler *sampler, json_t *answer, int64_t asked_ns)
{
    int64_t at_ns = (asked_ns + clock_now_ns()) / 2;
    double at_s = clock_seconds(at_ns);
    double behind_s = json_number_value(json_object_get(answer, "at_s")) - at_s;

    events_look(&sampler->events, at_s, behind_s, answer);
    json_decref(sampler->last);
    sampler->last = json_incref(answer);
    sampler->last_at_ns = at_ns;
}

static void take_second(struct sampler *sampler)
{
    int64_t asked_ns = clock_now_ns(), before_ns = sampler->last_at_ns;
    json_t *answer = asker_views(&sampler->asker, ASK_SECOND), *before = json_incref(sampler->last),
           *line;

    if (answer != NULL)
        look(sampler, answer, asked_ns);
    line = answer != NULL && before != NULL ? views_short(before, answer) : json_null();
    if (json_is_object(line))
        json_object_set_new(line, "seconds",
                            json_real(clock_seconds(sampler->last_at_ns - before_ns)));
    keep_line(sampler, line, waits_second_json(&sampler->second_waits));
    sampler->second_waits = (struct waits){ 0 };
    json_decref(before);
    json_decref(answer);
}

/* From 15 on what this session has done so far can be published before it is read. */
static json_t *take_edge(struct sampler *sampler, int64_t *at_ns, int64_t *commits)
{
    int64_t asked_ns = clock_now_ns();
    json_t *answer;

    if (sampler->asker.collect->major >= 15)
        memory_free(asker_text(&sampler->asker, "SELECT pg_stat_force_next_flush()::text"));
    *commits = sampler->asker.collect->own_commits;
    answer = asker_views(&sampler->asker, ASK_EDGE);
    *at_ns = (asked_ns + clock_now_ns()) / 2;
    if (answer != NULL)
        look(sampler, answer, asked_ns);
    return answer;
}

/* ---- the thread ---- */

enum duty { DUTY_SLEEP, DUTY_BEGIN, DUTY_END, DUTY_SAMPLE, DUTY_SECOND, DUTY_QUIT };

struct dues {
    int64_t sample_ns, second_ns, until_ns;
};

/* With the lock held. */
static enum duty next_duty(const struct sampler *sampler, struct dues *dues, int64_t now_ns)
{
    bool begun = sampler->begin_ns != 0 && now_ns >= sampler->begin_ns;

    /* After a warm-up the end is read at once; else when all has been counted, by sampler_end(). */
    if (sampler->over_ns != 0 && begun && !sampler->cold && sampler->end_at_ns == 0)
        return DUTY_END;
    if (sampler->quit)
        return DUTY_QUIT;
    /* Not when it is over: that would be after the end. */
    if (begun && sampler->begin_at_ns == 0 && sampler->over_ns == 0)
        return DUTY_BEGIN;
    dues->until_ns = dues->sample_ns < dues->second_ns ? dues->sample_ns : dues->second_ns;
    if (sampler->begin_ns != 0 && !begun && sampler->begin_ns < dues->until_ns)
        dues->until_ns = sampler->begin_ns;
    if (sampler->start_ns == 0 || sampler->over_ns != 0) {
        dues->until_ns = now_ns + NS_PER_S;
        return DUTY_SLEEP;
    }
    if (now_ns >= dues->sample_ns)
        return DUTY_SAMPLE;
    return now_ns >= dues->second_ns ? DUTY_SECOND : DUTY_SLEEP;
}

/* The next instant of a grid that is not past; a slow answer moves it on. */
static int64_t next_ns(int64_t due_ns, int64_t period_ns, int64_t began_ns)
{
    int64_t now_ns = clock_now_ns(), earliest_ns = now_ns + SLOW_SHARE * (now_ns - began_ns) / 2;

    if (earliest_ns - began_ns <= period_ns)
        earliest_ns = now_ns;
    due_ns += period_ns;
    return due_ns > earliest_ns ? due_ns
                                : due_ns + ((earliest_ns - due_ns) / period_ns + 1) * period_ns;
}

static void do_duty(struct sampler *sampler, enum duty duty, struct dues *dues)
{
    int64_t began_ns = clock_now_ns();

    if (duty == DUTY_BEGIN) {
        sampler->begin = take_edge(sampler, &sampler->begin_at_ns, &sampler->begin_commits);
    } else if (duty == DUTY_END) {
        sampler->end = take_edge(sampler, &sampler->end_at_ns, &sampler->end_commits);
    } else if (duty == DUTY_SAMPLE) {
        take_sample(sampler, began_ns);
        dues->sample_ns = next_ns(dues->sample_ns, sampler->period_ns, began_ns);
    } else {
        take_second(sampler);
        dues->second_ns = next_ns(dues->second_ns, NS_PER_S, began_ns);
    }
}

static void *sampler_main(void *arg)
{
    struct sampler *sampler = arg;
    int64_t now_ns = clock_now_ns();
    struct dues dues = { .sample_ns = now_ns, .second_ns = now_ns };
    enum duty duty;

    prctl(PR_SET_TIMERSLACK, 1UL);
    pthread_mutex_lock(&sampler->lock);
    while ((duty = next_duty(sampler, &dues, clock_now_ns())) != DUTY_QUIT) {
        if (duty == DUTY_SLEEP) {
            const struct timespec until = { .tv_sec = dues.until_ns / NS_PER_S,
                                            .tv_nsec = dues.until_ns % NS_PER_S };
            pthread_cond_timedwait(&sampler->said, &sampler->lock, &until);
            continue;
        }
        pthread_mutex_unlock(&sampler->lock);
        do_duty(sampler, duty, &dues);
        pthread_mutex_lock(&sampler->lock);
    }
    pthread_mutex_unlock(&sampler->lock);
    return NULL;
}

/* ---- the door ---- */

void sampler_clock(struct sampler *sampler, int64_t start_ns, int64_t begin_ns, int64_t end_ns)
{
    pthread_mutex_lock(&sampler->lock);
    sampler->start_ns = start_ns;
    sampler->begin_ns = begin_ns;
    sampler->end_ns = end_ns;
    pthread_cond_signal(&sampler->said);
    pthread_mutex_unlock(&sampler->lock);
}

void sampler_over(struct sampler *sampler)
{
    pthread_mutex_lock(&sampler->lock);
    sampler->over_ns = clock_now_ns();
    pthread_cond_signal(&sampler->said);
    pthread_mutex_unlock(&sampler->lock);
}

void sampler_second(struct sampler *sampler, json_t *line)
{
    pthread_mutex_lock(&sampler->lock);
    json_object_set_new(line, "server",
                        sampler->server_line != NULL ? json_deep_copy(sampler->server_line)
                                                     : json_null());
    json_object_set_new(line, "waits",
                        sampler->waits_line != NULL ? json_deep_copy(sampler->waits_line)
                                                    : json_null());
    pthread_mutex_unlock(&sampler->lock);
}

static void end_thread(struct sampler *sampler)
{
    pthread_mutex_lock(&sampler->lock);
    sampler->quit = true;
    pthread_cond_signal(&sampler->said);
    pthread_mutex_unlock(&sampler->lock);
    if (sampler->made)
        pthread_join(sampler->thread, NULL);
    sampler->made = false;
}

/* Until the load sessions have gone, and with them their last counts have come. */
static void wait_for_counts(struct sampler *sampler)
{
    char *sql = asker_count_sql(&sampler->asker);
    int64_t until_ns = clock_now_ns() + GONE_NS;
    bool gone = false;

    while (!gone && clock_now_ns() < until_ns && sampler->asker.collect->conn != NULL) {
        char *left = asker_text(&sampler->asker, sql);
        gone = left == NULL || strcmp(left, "0") == 0;
        memory_free(left);
        if (!gone)
            clock_sleep_until_ns(clock_now_ns() + GONE_LOOK_NS);
    }
    memory_free(sql);
    if (sampler->asker.collect->major < 15)
        clock_sleep_until_ns(clock_now_ns() + OLD_LAG_NS);
}

static void leave_out_own(json_t *database, int64_t commits)
{
    json_t *counted = json_object_get(database, "xact_commit");

    if (json_is_integer(counted))
        json_object_set_new(database, "xact_commit",
                            json_integer(json_integer_value(counted) - commits));
}

static json_t *statistics_json(const struct sampler *sampler, bool exact, json_t *notes)
{
    json_t *json;

    if (sampler->begin == NULL || sampler->end == NULL)
        return json_null();
    json = views_difference(sampler->begin, sampler->end, notes);
    if (json_is_object(json)) {
        leave_out_own(json_object_get(json, "database"),
                      sampler->end_commits - sampler->begin_commits);
        json_object_set_new(json, "seconds",
                            json_real(clock_seconds(sampler->end_at_ns - sampler->begin_at_ns)));
        json_object_set_new(json, "lag_s", json_real(exact ? 0 : 1));
    }
    return json;
}

static json_t *waits_of(const struct sampler *sampler)
{
    bool ended = sampler->end_ns != 0 && sampler->end_ns < sampler->over_ns;
    int64_t window_end_ns = ended ? sampler->end_ns : sampler->over_ns;
    /* Given up half way, it has missed what was left of the window. */
    int64_t last_ns = sampler->asker.sql[ASK_WAITS] != NULL ? sampler->last_wait_ns : window_end_ns;
    int64_t span_ns = last_ns - sampler->first_wait_ns;
    int64_t wanted = span_ns / sampler->period_ns + 1, missed = wanted - sampler->waits.samples;

    return waits_json(&sampler->waits, missed > 0 ? missed : 0);
}

int64_t sampler_end(struct sampler *sampler, bool hurry, json_t *out, json_t *notes)
{
    bool exact = sampler->cold && !hurry && !sampler->asker.pooled;
    int64_t commits = 0;

    if (hurry && sampler->asker.collect != NULL)
        collect_hurry(sampler->asker.collect);
    end_thread(sampler);
    if (sampler->asker.collect != NULL && sampler->asker.collect->conn != NULL &&
        sampler->begin != NULL && sampler->end == NULL) {
        if (exact)
            wait_for_counts(sampler);
        sampler->end = take_edge(sampler, &sampler->end_at_ns, &sampler->end_commits);
    }
    for (int i = 0; i < sampler->asker.note_count; i++)
        json_array_append_new(notes, json_string(sampler->asker.notes[i]));
    json_object_set_new(out, "statistics", statistics_json(sampler, exact, notes));
    json_object_set_new(out, "waits", waits_of(sampler));
    json_object_set_new(out, "events",
                        sampler->events.known && sampler->start_ns != 0
                            ? events_json(&sampler->events, clock_seconds(sampler->start_ns))
                            : json_null());
    if (sampler->asker.collect != NULL)
        commits = sampler->asker.collect->own_commits;
    asker_close(&sampler->asker);
    return commits;
}

void sampler_free(struct sampler *sampler)
{
    if (sampler == NULL)
        return;
    end_thread(sampler);
    asker_close(&sampler->asker);
    json_decref(sampler->begin);
    json_decref(sampler->end);
    json_decref(sampler->last);
    json_decref(sampler->server_line);
    json_decref(sampler->waits_line);
    pthread_cond_destroy(&sampler->said);
    pthread_mutex_destroy(&sampler->lock);
    memory_free(sampler);
}
