/*
 * watch.c - see watch.h. The watch is one atomic number. It is handed over by writing the other's
 * number, so that nobody takes it in between; the other learns it from its eventfd.
 */
#include "engine/watch.h"

#include <unistd.h>

#include "base/clock.h"

#define TURN_NS (100 * NS_PER_MS)
#define SOON_NS NS_PER_MS /* due within it: anybody may claim */

void watch_join(struct watch *watch, struct watcher *watcher, int wake_fd)
{
    watcher->watch = watch;
    watcher->wake_fd = wake_fd;
    watcher->number = watch->last != NULL ? watch->last->number + 1 : 1;
    watcher->next = watch->last != NULL ? watch->last->next : watcher;
    if (watch->last != NULL)
        watch->last->next = watcher;
    watch->last = watcher;
}

static bool is_keeper(const struct watcher *watcher)
{
    return atomic_load(&watcher->watch->keeper) == watcher->number;
}

bool watch_may_claim(struct watcher *watcher, int64_t now_ns)
{
    int nobody = 0;

    if (watcher->watch == NULL || is_keeper(watcher) ||
        atomic_compare_exchange_strong(&watcher->watch->keeper, &nobody, watcher->number))
        return true;
    return atomic_load(&watcher->watch->next_ns) <= now_ns + SOON_NS;
}

void watch_claimed(struct watcher *watcher, int64_t due_ns)
{
    if (watcher->watch != NULL && is_keeper(watcher))
        atomic_store(&watcher->watch->next_ns, due_ns);
}

static bool hand_over(struct watcher *watcher)
{
    static const uint64_t one = 1;

    for (struct watcher *other = watcher->next; other != watcher; other = other->next) {
        if (!atomic_exchange(&other->willing, false))
            continue;
        atomic_store(&watcher->watch->keeper, other->number);
        (void)!write(other->wake_fd, &one, sizeof one);
        return true;
    }
    return false;
}

void watch_pass(struct watcher *watcher, bool free_session, int64_t now_ns)
{
    if (watcher->watch == NULL || !is_keeper(watcher))
        return;
    if (watcher->turn_ends_ns == 0)
        watcher->turn_ends_ns = now_ns + TURN_NS;
    if (free_session && now_ns < watcher->turn_ends_ns)
        return;
    watcher->turn_ends_ns = 0;
    if (!hand_over(watcher) && !free_session)
        atomic_store(&watcher->watch->keeper, 0);
}

void watch_be_willing(struct watcher *watcher, bool free_session)
{
    bool willing = free_session && watcher->watch != NULL && !is_keeper(watcher);

    if (atomic_load(&watcher->willing) != willing)
        atomic_store(&watcher->willing, willing);
}
