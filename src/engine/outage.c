/*
 * outage.c - see outage.h. Nothing here is on the path of a run without errors, so a lock will do.
 */
#include "engine/outage.h"

#include <stdio.h>
#include <string.h>

void outages_init(struct outages *outages)
{
    pthread_mutex_init(&outages->lock, NULL);
    atomic_init(&outages->open, false);
}

void outages_close(struct outages *outages)
{
    pthread_mutex_destroy(&outages->lock);
}

/* The row of the open outage, or of the last one. */
static struct engine_outage *last(struct outages *outages)
{
    return &outages->list[outages->unlisted > 0 ? ENGINE_OUTAGES_MAX : outages->count - 1];
}

static void begin(struct outages *outages, int64_t now_ns, const char *code)
{
    struct engine_outage *outage;

    if (outages->count < ENGINE_OUTAGES_MAX)
        outages->count++;
    else
        outages->unlisted++;
    outage = last(outages);
    *outage = (struct engine_outage){ .begin_ns = now_ns };
    snprintf(outage->code, sizeof outage->code, "%s", code);
}

void outages_bad(struct outages *outages, int64_t now_ns, const char *code, enum outcome outcome)
{
    struct engine_outage *outage;

    pthread_mutex_lock(&outages->lock);
    if (!outages_open(outages)) {
        if (outages->count == 0 || now_ns - outages->last_end_ns > OUTAGE_SAME_NS)
            begin(outages, now_ns, code);
        atomic_store(&outages->open, true);
    }
    outage = last(outages);
    outage->ended = false;
    outage->failed += outcome == OUTCOME_FAILED;
    outage->unknown += outcome == OUTCOME_UNKNOWN;
    outage->refused += outcome == OUTCOME_COUNT;
    pthread_mutex_unlock(&outages->lock);
}

void outages_good(struct outages *outages, int64_t now_ns)
{
    struct engine_outage *outage;

    pthread_mutex_lock(&outages->lock);
    /* An answer that came before the first failure proves nothing. */
    if (outages_open(outages) && now_ns > last(outages)->begin_ns) {
        outage = last(outages);
        outage->ended = true;
        outage->end_ns = outages->last_end_ns = now_ns;
        atomic_store(&outages->open, false);
    }
    pthread_mutex_unlock(&outages->lock);
}

void outages_tell(struct outages *outages, int64_t end_ns, struct engine_facts *facts)
{
    if (outages_open(outages)) {
        struct engine_outage *outage = last(outages);
        outage->end_ns = end_ns > outage->begin_ns ? end_ns : outage->begin_ns;
    }
    facts->outage_open = outages_open(outages);
    facts->outage_count = outages->count;
    facts->outages_unlisted = outages->unlisted;
    memcpy(facts->outages, outages->list, sizeof facts->outages);
}
