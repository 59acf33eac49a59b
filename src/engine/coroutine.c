/*
 * coroutine.c - see coroutine.h.
 *
 * The compiler's own __builtin_setjmp and __builtin_longjmp save five words and nothing else: a
 * switch is a dozen instructions, where libc's _setjmp and _longjmp take ninety (they mangle
 * pointers and look for cleanup handlers that we do not have). A jump must leave the function that
 * holds its target, so each of the functions that jump stays a function of its own. Where a body
 * blocks nothing is hot, and libc's own are used: every tool knows them.
 */
#include "engine/coroutine.h"

#include <assert.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/memory.h"
#include "engine/fiber.h"

#ifdef FIBER_ADDRESS
#define STACK_BYTES ((size_t)256 * 1024) /* red zones around every local */
#else
#define STACK_BYTES \
    ((size_t)32 * 1024) /* bodies use 1 to 2 KiB; one or two pages are ever touched */
#endif
#define GUARDED_MAX   256 /* stacks of a pool: the kernel counts each guard as two mappings */
#define SLAB_STACKS   64  /* the others have no guard, and share a mapping */
#define STAGGER_BYTES 512 /* equal stack tops would share the same few cache sets */
#define STAGGER_STEPS 8

#define JUMP_WORDS 5
/* noipa: gcc must not tell their callers which registers they leave alone, for a jump arrives with
 * whatever was in them elsewhere. */
#if defined(__clang__)
#define STAYS_A_FUNCTION __attribute__((noinline)) FIBER_BLIND
#else
#define STAYS_A_FUNCTION __attribute__((noipa)) FIBER_BLIND
#endif

struct coroutine {
    void *inside[JUMP_WORDS], *outside[JUMP_WORDS], *first_frame[JUMP_WORDS];
    void (*body)(void *arg);
    void *arg;
    bool in_flight, killed;
    bool (*block)(void *arg); /* as in the pool; then all stacks below are NULL */
    void *block_arg;
    unsigned char *stack;     /* with the guard page below it */
    unsigned char *stack_low; /* above the guard page */
    struct coroutine *next;
    struct fiber fiber;
    jmp_buf left; /* the body's first frame, when it blocks */
};

#define COROUTINE_BYTES ((sizeof(struct coroutine) + 63) / 64 * 64)

static void STAYS_A_FUNCTION jump(void **where)
{
    __builtin_longjmp(where, 1);
}

/* Saves where we are in `here` and goes to `where`; returns when somebody jumps here. */
static void STAYS_A_FUNCTION change(void **here, void **where)
{
    if (__builtin_setjmp(here) == 0)
        jump(where);
}

static void STAYS_A_FUNCTION carry_one(struct coroutine *coroutine)
{
    if (__builtin_setjmp(coroutine->first_frame) == 0)
        coroutine->body(coroutine->arg);
    /* Something must follow the call: clang would make it the last jump of a frame already gone. */
    __asm__ volatile("");
}

/* The first function on the new stack. Each turn of the loop carries one body. */
static void carry(unsigned low, unsigned high)
{
    struct coroutine *coroutine = (struct coroutine *)(((uintptr_t)high << 32) | low);

    fiber_entered(&coroutine->fiber);
    for (;;) {
        fiber_leave(&coroutine->fiber);
        change(coroutine->inside, coroutine->outside);
        fiber_entered(&coroutine->fiber);
        carry_one(coroutine);
        coroutine->in_flight = false;
    }
}

static size_t guard_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Memory for the next stack of a pool. NULL: there is none. */
static unsigned char *map_stack(struct coroutine_pool *pool)
{
    size_t whole = guard_bytes() + STACK_BYTES;
    int count = pool->born <= GUARDED_MAX ? 1 : SLAB_STACKS;
    unsigned char *stack;

    if (pool->slab_left == 0) {
        stack = mmap(NULL, whole * (size_t)count, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED)
            return NULL;
        pool->slab = stack;
        pool->slab_left = count;
    }
    stack = pool->slab;
    pool->slab += whole;
    pool->slab_left--;
    /* Beyond the kernel's limit of mappings the guard is lost, not the run. What overflows a stack
     * does so on one of the first as well. */
    if (count == 1)
        (void)mprotect(stack, guard_bytes(), PROT_NONE);
    return stack;
}

/* A stack with its guard page below and its coroutine on top, where the frames that run first are:
 * what a switch touches lies side by side. NULL: no memory. */
static struct coroutine *make_stack(struct coroutine_pool *pool)
{
    size_t whole = guard_bytes() + STACK_BYTES;
    size_t at = whole - (size_t)(pool->born % STAGGER_STEPS) * STAGGER_BYTES - COROUTINE_BYTES;
    unsigned char *stack = map_stack(pool);
    struct coroutine *coroutine;

    if (stack == NULL)
        return NULL;
    coroutine = (struct coroutine *)(void *)(stack + at);
    coroutine->stack = stack;
    coroutine->stack_low = stack + guard_bytes();
    return coroutine;
}

/* Enters the new stack for the first time, up to the wait for a body. */
static STAYS_A_FUNCTION void enter_first(struct coroutine *coroutine)
{
    uintptr_t self = (uintptr_t)coroutine;
    ucontext_t context;

    fiber_begin(&coroutine->fiber, coroutine->stack_low, STACK_BYTES);
    getcontext(&context);
    context.uc_link = NULL;
    context.uc_stack.ss_sp = coroutine->stack_low;
    context.uc_stack.ss_size = (size_t)((unsigned char *)coroutine - coroutine->stack_low);
    makecontext(&context, (void (*)(void))carry, 2, (unsigned)(self & UINT32_MAX),
                (unsigned)(self >> 32));
    fiber_enter(&coroutine->fiber, context.uc_stack.ss_sp, STACK_BYTES);
    if (__builtin_setjmp(coroutine->outside) == 0)
        setcontext(&context);
    fiber_left(&coroutine->fiber);
}

static struct coroutine *give_birth(struct coroutine_pool *pool)
{
    struct coroutine *coroutine;

    pool->born++;
    if (pool->block != NULL) {
        coroutine = MEMORY_NEW(struct coroutine);
        coroutine->block = pool->block;
        coroutine->block_arg = pool->block_arg;
        return coroutine;
    }
    coroutine = make_stack(pool);
    if (coroutine != NULL)
        enter_first(coroutine);
    return coroutine;
}

struct coroutine *coroutine_take(struct coroutine_pool *pool, void (*body)(void *arg), void *arg)
{
    struct coroutine *coroutine = pool->idle;

    if (coroutine != NULL)
        pool->idle = coroutine->next;
    else
        coroutine = give_birth(pool);
    if (coroutine == NULL)
        return NULL;
    coroutine->body = body;
    coroutine->arg = arg;
    coroutine->in_flight = true;
    return coroutine;
}

static __attribute__((noinline)) bool run_here(struct coroutine *coroutine)
{
    if (_setjmp(coroutine->left) != 0)
        return true;
    coroutine->body(coroutine->arg);
    coroutine->in_flight = false;
    return false;
}

static void block(struct coroutine *coroutine)
{
    if (!coroutine->block(coroutine->block_arg))
        longjmp(coroutine->left, 1);
}

bool coroutine_start(struct coroutine *coroutine)
{
    return coroutine->block != NULL ? run_here(coroutine) : coroutine_resume(coroutine);
}

bool coroutine_resume(struct coroutine *coroutine)
{
    fiber_enter(&coroutine->fiber, coroutine->stack_low, STACK_BYTES);
    change(coroutine->outside, coroutine->inside);
    fiber_left(&coroutine->fiber);
    return coroutine->in_flight;
}

void coroutine_wait(struct coroutine *coroutine)
{
    if (UNLIKELY(coroutine->block != NULL)) {
        block(coroutine);
        return;
    }
    fiber_leave(&coroutine->fiber);
    change(coroutine->inside, coroutine->outside);
    fiber_entered(&coroutine->fiber);
    if (UNLIKELY(coroutine->killed)) {
        fiber_drop_frames();
        jump(coroutine->first_frame);
    }
}

void coroutine_drop(struct coroutine *coroutine)
{
    if (!coroutine->in_flight)
        return;
    if (coroutine->block != NULL) { /* The body was left when it blocked in vain. */
        coroutine->in_flight = false;
        return;
    }
    coroutine->killed = true;
    coroutine_resume(coroutine);
    coroutine->killed = false;
    fiber_dropped(&coroutine->fiber);
    assert(!coroutine->in_flight && "a dropped body must not wait again");
}

void coroutine_give(struct coroutine_pool *pool, struct coroutine *coroutine)
{
    assert(!coroutine->in_flight);
    coroutine->next = pool->idle;
    pool->idle = coroutine;
}

void coroutine_pool_close(struct coroutine_pool *pool)
{
    while (pool->idle != NULL) {
        struct coroutine *coroutine = pool->idle;
        pool->idle = coroutine->next;
        if (coroutine->stack != NULL) {
            fiber_end(&coroutine->fiber, coroutine->stack_low, STACK_BYTES);
            munmap(coroutine->stack, guard_bytes() + STACK_BYTES); /* itself too */
        } else {
            memory_free(coroutine);
        }
    }
    if (pool->slab_left > 0)
        munmap(pool->slab, (guard_bytes() + STACK_BYTES) * (size_t)pool->slab_left);
    pool->slab_left = 0;
}
