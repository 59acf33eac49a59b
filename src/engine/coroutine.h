/*
 * coroutine.h - a body of plain C that can wait in mid call.
 *
 * A coroutine is a stack of its own. It is born once with makecontext and moves from then on by the
 * compiler's setjmp and longjmp, which make no system call. When its body has returned it
 * goes back to its pool and carries the next one, so a pool grows only as large as the number of
 * transactions that were ever in flight at once. A coroutine never leaves its worker's thread.
 *
 * A pool that blocks has no stacks: its one body runs on the caller's, and waits where it stands.
 */
#ifndef ENGINE_COROUTINE_H
#define ENGINE_COROUTINE_H

#include <stdbool.h>

struct coroutine;

/* One a worker; zeroed by the caller, ended by coroutine_pool_close() when none is in flight. */
struct coroutine_pool {
    struct coroutine *idle;
    int born;
    unsigned char *slab; /* memory of stacks that are still to be born */
    int slab_left;
    /* NULL, or what a body's wait calls: it returns true when the body may go on, and false when it
     * never will; then the body is left from its first frame. Set before the first is taken. */
    bool (*block)(void *arg);
    void *block_arg;
};
void coroutine_pool_close(struct coroutine_pool *pool);

/* A coroutine from the pool, ready to carry `body`; it runs when started. */
struct coroutine *coroutine_take(struct coroutine_pool *pool, void (*body)(void *arg), void *arg);
/* Runs it until it waits (true) or its body has returned (false). On the worker's own stack only.
 * In a pool that blocks true means that it waits in vain: all that may follow is
 * coroutine_drop(). */
bool coroutine_start(struct coroutine *coroutine);
/* The same; not in a pool that blocks. */
bool coroutine_resume(struct coroutine *coroutine);
/* Gives control back to coroutine_resume(); returns when resumed again. On the coroutine's stack
 * only. */
void coroutine_wait(struct coroutine *coroutine);
/* Abandons a body that waits: the wait does not return but leaves from the body's first frame. */
void coroutine_drop(struct coroutine *coroutine);
/* Back to the pool; its body must have returned or been dropped. */
void coroutine_give(struct coroutine_pool *pool, struct coroutine *coroutine);

#endif
