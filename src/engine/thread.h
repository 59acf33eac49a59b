/*
 * thread.h - the thread engine: a worker with one session, which waits by blocking (design D1).
 *
 * Transactions run on the thread's own stack, so that debuggers, ThreadSanitizer and helgrind see
 * an ordinary program; and it is a second opinion about what a server does. All but the wait is
 * the worker's. Thread: the worker.
 */
#ifndef ENGINE_THREAD_H
#define ENGINE_THREAD_H

#include "engine/worker.h"

/* The `block` of the worker's pool (coroutine.h), `arg` is the worker: says what was said, then
 * reads what the server answers, and looks at the clock meanwhile, until the body may go on. False:
 * it never will, for the reason in worker->in_vain. */
bool thread_wait(void *arg);

/* A body was left for worker->in_vain: what follows from it is done. */
void thread_go_on(struct worker *worker);

#endif
