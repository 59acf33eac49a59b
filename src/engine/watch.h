/*
 * watch.h - whose turn it is to wait for the next arrival of an open loop.
 *
 * Any worker with a free session could start what is due next. But when each of them sleeps until
 * an arrival of its own, more threads are woken on more idle CPUs for the same work, and --workers
 * would change the times that a lightly loaded server seems to need. So when arrivals are far apart
 * one worker at a time keeps the watch and is alone to claim them, until its turn ends or it has no
 * free session; then it hands the watch to another that has one. Turns are short, so that all
 * sessions are used. What is due soon anybody may claim: at high rates there is no watch.
 *
 * Nobody waits for the watch: a worker that may not claim now looks again whenever something wakes
 * it, its clock probe at the latest.
 */
#ifndef ENGINE_WATCH_H
#define ENGINE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* One worker's part in it. While the workers run others touch nothing of it but `willing`. */
struct watcher {
    struct watch *watch;  /* NULL: this worker claims whenever it wants to */
    struct watcher *next; /* round all of them */
    int number;           /* from 1 */
    int wake_fd;          /* an eventfd that its loop listens to */
    atomic_bool willing;  /* it has a free session and not the watch */
    int64_t turn_ends_ns; /* of the watch that it keeps; 0: it has just got it */
};

struct watch {
    atomic_int keeper;            /* number of a watcher; 0: nobody */
    atomic_int_least64_t next_ns; /* nothing that is unclaimed is due before */
    struct watcher *last;         /* who came last; NULL: nobody yet */
};

/* From now on they take turns; both start zeroed. Before any of them runs; `wake_fd` is borrowed.
 */
void watch_join(struct watch *watch, struct watcher *watcher, int wake_fd);

/* May this worker claim an arrival? Takes the watch when nobody keeps it. Its own thread. */
bool watch_may_claim(struct watcher *watcher, int64_t now_ns);
/* It has, and that is when it is due. Its own thread. */
void watch_claimed(struct watcher *watcher, int64_t due_ns);
/* When the watch is this worker's and has to go on, because it has no free session or its turn is
 * over: to the next that is willing. With nobody willing it keeps it for another turn, or leaves it
 * to whoever comes. Its own thread, when it holds no claim. */
void watch_pass(struct watcher *watcher, bool free_session, int64_t now_ns);
/* Could it take the watch? Its own thread. */
void watch_be_willing(struct watcher *watcher, bool free_session);

#endif
