/*
 * timers.h - a worker's sessions that wait for an instant: thinking, or pausing between
 * transactions. A binary heap by due time, with room for every session from the start. Thread: the
 * worker.
 */
#ifndef ENGINE_TIMERS_H
#define ENGINE_TIMERS_H

#include <stdint.h>

struct session;

struct timer {
    int64_t due_ns;
    struct session *session;
};

struct timers {
    struct timer *heap;
    int count, size;
};

void timers_init(struct timers *timers, int size);
void timers_close(struct timers *timers);
void timers_add(struct timers *timers, int64_t due_ns, struct session *session);
/* The session that is due first, if it is due at `now_ns`; else NULL. */
struct session *timers_take(struct timers *timers, int64_t now_ns);
/* The first due time; INT64_MAX when none waits. */
int64_t timers_next_ns(const struct timers *timers);

#endif
