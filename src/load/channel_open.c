/*
 * channel_open.c - see channel_open.h.
 *
 * Only libpq's own way to connect walks a list of hosts with a timeout for each; so that one is
 * kept, in a thread, and who waits for it can go. The last of the two that leaves tidies up.
 */
#include "load/channel_open.h"

#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "base/memory.h"
#include "load/job.h"

#define PARAMETERS_MAX 16
#define LOOK_NS        (20 * NS_PER_MS)

struct opening {
    char *keys[PARAMETERS_MAX + 1], *values[PARAMETERS_MAX + 1]; /* owned */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    PGconn *conn; /* the connecting thread's until `done`, then the other's */
    bool done, left;
};

bool channel_beside(void *(*work)(void *context), void *context)
{
    sigset_t all, before;
    pthread_t thread;
    bool ok;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = pthread_create(&thread, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (ok)
        pthread_detach(thread);
    return ok;
}

static struct opening *opening_new(const char *const *keys, const char *const *values)
{
    struct opening *opening = MEMORY_ARRAY(struct opening, 1);
    pthread_condattr_t monotonic;

    for (int i = 0; keys[i] != NULL && i < PARAMETERS_MAX; i++) {
        opening->keys[i] = memory_text(keys[i]);
        opening->values[i] = memory_text(values[i]);
    }
    pthread_mutex_init(&opening->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&opening->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return opening;
}

static void opening_free(struct opening *opening)
{
    for (int i = 0; opening->keys[i] != NULL; i++) {
        memory_free(opening->keys[i]);
        memory_free(opening->values[i]);
    }
    pthread_cond_destroy(&opening->changed);
    pthread_mutex_destroy(&opening->lock);
    memory_free(opening);
}

static void *connect_it(void *context)
{
    struct opening *opening = context;
    PGconn *conn = PQconnectdbParams((const char *const *)opening->keys,
                                     (const char *const *)opening->values, 1);
    bool left;

    pthread_mutex_lock(&opening->lock);
    opening->conn = conn;
    opening->done = true;
    left = opening->left;
    pthread_cond_signal(&opening->changed);
    pthread_mutex_unlock(&opening->lock);
    if (left) {
        PQfinish(conn);
        opening_free(opening);
    }
    return NULL;
}

static bool is_left(const struct channel_care *care, int64_t begin_ns, struct error *err)
{
    if (job_stopped() || (care != NULL && __atomic_load_n(&care->abandon, __ATOMIC_RELAXED) != 0))
        return !error_set(err, ERROR_INTERRUPTED, "interrupted while connecting");
    if (care != NULL && care->bound_ns > 0 && clock_now_ns() - begin_ns > care->bound_ns)
        return !error_set(err, ERROR_SERVER, "the server does not answer");
    return false;
}

PGconn *channel_connect(const char *const *keys, const char *const *values,
                        const struct channel_care *care, struct error *err)
{
    struct opening *opening = opening_new(keys, values);
    int64_t begin_ns = clock_now_ns();
    PGconn *conn = NULL;
    bool done;

    if (!channel_beside(connect_it, opening)) {
        opening_free(opening);
        error_set(err, ERROR_MACHINE, "no thread to be had");
        return NULL;
    }
    pthread_mutex_lock(&opening->lock);
    while (!opening->done && !is_left(care, begin_ns, err)) {
        int64_t until_ns = clock_now_ns() + LOOK_NS;
        struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };
        pthread_cond_timedwait(&opening->changed, &opening->lock, &until);
    }
    done = opening->done;
    opening->left = !done;
    conn = opening->conn;
    pthread_mutex_unlock(&opening->lock);
    if (done)
        opening_free(opening);
    return conn;
}
