/*
 * timers.c - see timers.h.
 */
#include "engine/timers.h"

#include <stddef.h>

#include "base/memory.h"

void timers_init(struct timers *timers, int size)
{
    *timers = (struct timers){ .heap = MEMORY_ARRAY(struct timer, size), .size = size };
}

void timers_close(struct timers *timers)
{
    memory_free(timers->heap);
    *timers = (struct timers){ 0 };
}

void timers_add(struct timers *timers, int64_t due_ns, struct session *session)
{
    int at = timers->count++;

    if (timers->count > timers->size) { /* A session that was lost may still have its old timer. */
        timers->size *= 2;
        timers->heap = memory_resize(timers->heap, (size_t)timers->size * sizeof(struct timer));
    }
    while (at > 0 && timers->heap[(at - 1) / 2].due_ns > due_ns) {
        timers->heap[at] = timers->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    timers->heap[at] = (struct timer){ .due_ns = due_ns, .session = session };
}

struct session *timers_take(struct timers *timers, int64_t now_ns)
{
    struct session *first;
    struct timer last;
    int at = 0, child;

    if (timers->count == 0 || timers->heap[0].due_ns > now_ns)
        return NULL;
    first = timers->heap[0].session;
    last = timers->heap[--timers->count];
    while ((child = 2 * at + 1) < timers->count) {
        if (child + 1 < timers->count &&
            timers->heap[child + 1].due_ns < timers->heap[child].due_ns)
            child++;
        if (timers->heap[child].due_ns >= last.due_ns)
            break;
        timers->heap[at] = timers->heap[child];
        at = child;
    }
    timers->heap[at] = last;
    return first;
}

int64_t timers_next_ns(const struct timers *timers)
{
    return timers->count > 0 ? timers->heap[0].due_ns : INT64_MAX;
}
