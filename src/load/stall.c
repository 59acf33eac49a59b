/*
 * stall.c - see stall.h.
 */
#include "load/stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "load/job.h"

#define GIVEN_UP_AFTER 2                 /* times the patience */
#define TOLD_AFTER_NS  (300 * NS_PER_MS) /* a question is answered sooner as a rule */
#define SEEN_NS        NS_PER_S

enum finding {
    FINDING_NONE, /* not asked: somebody else asks, or it was lately */
    FINDING_AT_WORK,
    FINDING_AWAITS_US,
    FINDING_GONE,
    FINDING_UNKNOWN, /* it lives but does not tell: no connection is left for us */
    FINDING_UNANSWERED
};

/* A session of another role shows no state. */
static const char ask_sql[] =
    "SELECT coalesce(wait_event_type, ''), coalesce(wait_event, ''), CASE WHEN wait_event_type ="
    " 'Lock' THEN array_to_string(pg_blocking_pids(pid), ', ') ELSE '' END"
    " FROM pg_stat_activity WHERE pid = $1::int";

void stall_open(struct stall *stall, const struct load_setup *setup)
{
    *stall = (struct stall){ .setup = setup, .owner = pthread_self() };
    stall->care = (struct channel_care){ .still = stall_still, .context = stall };
    pthread_mutex_init(&stall->lock, NULL);
}

void stall_close(struct stall *stall)
{
    pthread_mutex_destroy(&stall->lock);
}

static int64_t patience_ns(const struct stall *stall)
{
    return stall->setup->plan->connect_timeout_ns;
}

static int whole_seconds(int64_t since_ns)
{
    return (int)((clock_now_ns() - since_ns) / NS_PER_S);
}

/* ---- asking ---- */

/* The question itself is not waited for longer than its own time. */
static bool until_passed(void *context, struct channel *channel, int64_t since_ns,
                         struct error *err)
{
    const int64_t *until_ns = context;

    (void)channel;
    (void)since_ns;
    return clock_now_ns() < *until_ns || error_set(err, ERROR_SERVER, "no answer");
}

static enum finding understand(const PGresult *found, int pid, char *words, size_t size)
{
    const char *type, *event;

    if (PQntuples(found) == 0)
        return FINDING_GONE;
    type = PQgetvalue(found, 0, 0);
    event = PQgetvalue(found, 0, 1);
    if (strcmp(type, "Client") == 0)
        return FINDING_AWAITS_US;
    if (strcmp(type, "Lock") == 0)
        snprintf(words, size, "session %d waits for a lock that session %s holds", pid,
                 PQgetvalue(found, 0, 2));
    else if (strcmp(event, "SyncRep") == 0)
        snprintf(words, size, "session %d waits for a synchronous standby", pid);
    return FINDING_AT_WORK;
}

static enum finding ask(const struct stall *stall, int pid, char *words, size_t size)
{
    int64_t until_ns = clock_now_ns() + patience_ns(stall);
    struct channel_care care = { .bound_ns = patience_ns(stall),
                                 .still = until_passed,
                                 .context = &until_ns };
    struct channel channel = { .care = &care };
    enum finding finding = FINDING_UNANSWERED;
    char number[16];
    const char *values[] = { number };
    struct error err;
    PGresult *found;

    snprintf(number, sizeof number, "%d", pid);
    if (!channel_open(&channel, stall->setup->conninfo, patience_ns(stall), &err))
        return channel.refused ? FINDING_UNKNOWN : FINDING_UNANSWERED;
    found = channel_ask(&channel, ask_sql, 1, values, &err);
    if (found != NULL)
        finding = understand(found, pid, words, size);
    else if (channel.sqlstate[0] != '\0')
        finding = FINDING_UNKNOWN;
    PQclear(found);
    channel_close(&channel);
    return finding;
}

/* Asks when it is time to, one session after the other; a question that nobody answered counts for
 * all that have waited since. */
static enum finding look(struct stall *stall, struct channel *channel, int64_t since_ns)
{
    char words[sizeof stall->words] = "";
    int64_t now_ns = clock_now_ns();
    enum finding finding = FINDING_NONE;

    pthread_mutex_lock(&stall->lock);
    stall->seen_ns = now_ns;
    if (stall->unanswered && stall->asked_ns > since_ns && !stall->asking)
        finding = FINDING_UNANSWERED;
    if (stall->asking || now_ns - channel->asked_ns < patience_ns(stall)) {
        pthread_mutex_unlock(&stall->lock);
        return finding;
    }
    stall->asking = true;
    stall->asked_ns = channel->asked_ns = now_ns;
    stall->since_ns = since_ns;
    pthread_mutex_unlock(&stall->lock);
    finding = ask(stall, channel->pid, words, sizeof words);
    pthread_mutex_lock(&stall->lock);
    stall->asking = false;
    stall->unanswered = finding == FINDING_UNANSWERED;
    stall->seen_ns = clock_now_ns();
    memcpy(stall->words, words, sizeof words);
    pthread_mutex_unlock(&stall->lock);
    return finding;
}

/* ---- judging ---- */

static bool judge(const struct stall *stall, struct channel *channel, enum finding finding,
                  int64_t since_ns, struct error *err)
{
    int seconds = whole_seconds(since_ns);

    if (clock_now_ns() - since_ns < GIVEN_UP_AFTER * patience_ns(stall) || job_stopped())
        return true;
    switch (finding) {
    case FINDING_NONE:
    case FINDING_AT_WORK:
    case FINDING_UNKNOWN:
        return true;
    case FINDING_GONE:
        channel->lost = true;
        return error_set(err, ERROR_SERVER, "no answer for %d s: the session is gone", seconds);
    case FINDING_AWAITS_US:
        return error_set(err, ERROR_SERVER,
                         "no answer for %d s, and the server waits for us: the network between "
                         "does not carry everything",
                         seconds);
    case FINDING_UNANSWERED:
        break;
    }
    return error_set(err, ERROR_SERVER,
                     "the server has not answered for %d s, neither here nor on another connection",
                     seconds);
}

/* A wait of the calling thread itself, which tells nothing else meanwhile. */
static void tell(struct stall *stall, int64_t since_ns)
{
    char words[sizeof stall->words + 80];
    struct load_progress now = {
        .step = "waiting", .what = "", .elapsed_ns = clock_now_ns() - since_ns, .left_ns = -1
    };

    if (!pthread_equal(stall->owner, pthread_self()) || stall->setup->progress == NULL)
        return;
    now.trouble = stall_trouble(stall, words, sizeof words);
    if (now.trouble != NULL)
        stall->setup->progress(stall->setup->context, &now);
}

bool stall_still(void *context, struct channel *channel, int64_t since_ns, struct error *err)
{
    struct stall *stall = context;
    enum finding finding;

    if (clock_now_ns() - since_ns < patience_ns(stall))
        return true;
    finding = look(stall, channel, since_ns);
    tell(stall, since_ns);
    return judge(stall, channel, finding, since_ns, err);
}

const char *stall_trouble(struct stall *stall, char *words, size_t size)
{
    int64_t now_ns = clock_now_ns();

    words[0] = '\0';
    pthread_mutex_lock(&stall->lock);
    if (stall->unanswered || (stall->asking && now_ns - stall->asked_ns > TOLD_AFTER_NS))
        snprintf(words, size, "no answer for %d s, neither here nor on another connection",
                 whole_seconds(stall->since_ns));
    else
        snprintf(words, size, "%s", stall->words);
    if (!stall->asking && now_ns - stall->seen_ns > SEEN_NS)
        words[0] = '\0';
    pthread_mutex_unlock(&stall->lock);
    return words[0] != '\0' ? words : NULL;
}
