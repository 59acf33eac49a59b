/*
 * stall.h - a server that says nothing: is it at work, or gone?
 *
 * Building an index is silent for hours, and so is a server that stands still or a network that
 * carries nothing; keepalives do not tell, since a kernel answers them. So when a wait gets long
 * (plan->connect_timeout_ns) the server is asked over a connection of its own what the session
 * does. One that is at work is waited for. A wait of twice that time ends when nobody answers, when
 * the session waits for us as we wait for it, or when it is not there any more.
 */
#ifndef LOAD_STALL_H
#define LOAD_STALL_H

#include <pthread.h>

#include "load/channel.h"
#include "load/load.h"

struct stall {
    const struct load_setup *setup;
    struct channel_care care; /* for channels of the thread that opened this */
    pthread_t owner;
    pthread_mutex_t lock; /* of what follows */
    bool asking, unanswered;
    int64_t since_ns, asked_ns; /* of the last question: the wait it was about, and itself */
    int64_t seen_ns;            /* when such a wait was last seen to go on */
    char words[120];            /* what it waits for; "" when that is its own work */
};

void stall_open(struct stall *stall, const struct load_setup *setup);
void stall_close(struct stall *stall);

/* For struct channel_care; `context` is the struct stall. Any thread. */
bool stall_still(void *context, struct channel *channel, int64_t since_ns, struct error *err);

/* What a wait under way is about, for people; NULL when there is nothing to tell. Any thread. */
const char *stall_trouble(struct stall *stall, char *words, size_t size);

#endif
