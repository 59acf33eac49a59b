/*
 * probe.h - what a worker's thread learns about itself: the CPU it used, how long it waited for
 * one, and how late it came to its timers. Thread: the worker's.
 *
 * A timer that is due each 10 ms bounds every wait in epoll, and how late it is seen is the
 * client's own lateness. A wait in recv() ends when the server answers, which tells nothing about
 * us; so a worker that waits there is sent to epoll for a short while after each 10 ms, and only
 * the timer at the end of that counts.
 */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include "engine/worker.h"

#define PROBE_NS (10 * NS_PER_MS)

/* Sets the first timer. */
void probe_start(struct worker *worker, int64_t now_ns);
/* The measured window begins; it ends, and worker->use is filled. */
void probe_begin(struct worker *worker);
void probe_end(struct worker *worker);
/* The timer was due: what it says, and the next one. */
void probe_passed(struct worker *worker, int64_t now_ns);

#endif
