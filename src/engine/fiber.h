/*
 * fiber.h - tells the sanitizers which stack we are on.
 *
 * AddressSanitizer keeps shadow of every stack and, to find uses after return, a second stack for
 * locals; ThreadSanitizer keeps a stack of calls. All of them must hear of each switch, and of
 * frames that a dropped body leaves behind. Without a sanitizer there is nothing to tell, but that
 * valgrind, where its header is there, hears of each stack when it is made: it guesses otherwise.
 */
#ifndef ENGINE_FIBER_H
#define ENGINE_FIBER_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define FIBER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define FIBER_THREAD
#endif
#endif

/* For the functions that jump: instrumented code would unpoison or count wrongly in between. */
#define FIBER_BLIND __attribute__((no_sanitize_address, no_sanitize_thread))

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif
#ifndef VALGRIND_STACK_REGISTER
#define VALGRIND_STACK_REGISTER(start, end) 0u
#define VALGRIND_STACK_DEREGISTER(number)   ((void)(number))
#endif

#if defined(FIBER_ADDRESS)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

void __asan_handle_no_return(void);

struct fiber {
    void *inside, *outside; /* the second stacks */
    const void *bottom;     /* of the worker's stack */
    size_t size;
    unsigned number; /* of this stack */
};

static inline void fiber_enter(struct fiber *fiber, const void *bottom, size_t size)
{
    __sanitizer_start_switch_fiber(&fiber->outside, bottom, size);
}

static inline void fiber_entered(struct fiber *fiber)
{
    __sanitizer_finish_switch_fiber(fiber->inside, &fiber->bottom, &fiber->size);
}

static inline void fiber_leave(struct fiber *fiber)
{
    __sanitizer_start_switch_fiber(&fiber->inside, fiber->bottom, fiber->size);
}

static inline void fiber_left(struct fiber *fiber)
{
    __sanitizer_finish_switch_fiber(fiber->outside, NULL, NULL);
}

static inline void fiber_drop_frames(void)
{
    __asan_handle_no_return();
}

static inline void fiber_dropped(struct fiber *fiber)
{
    (void)fiber;
}

static inline void fiber_forget(struct fiber *fiber, void *bottom, size_t size)
{
    (void)fiber;
    __asan_unpoison_memory_region(bottom, size); /* Others may get this memory. */
}

#elif defined(FIBER_THREAD)
#include <sanitizer/tsan_interface.h>

struct fiber {
    void *inside, *outside;
    unsigned number; /* of the stack */
};

static inline void fiber_enter(struct fiber *fiber, const void *bottom, size_t size)
{
    (void)bottom;
    (void)size;
    if (fiber->inside == NULL)
        fiber->inside = __tsan_create_fiber(0);
    fiber->outside = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->inside, 0);
}

static inline void fiber_entered(struct fiber *fiber)
{
    (void)fiber;
}

static inline void fiber_leave(struct fiber *fiber)
{
    __tsan_switch_to_fiber(fiber->outside, 0);
}

static inline void fiber_left(struct fiber *fiber)
{
    (void)fiber;
}

static inline void fiber_drop_frames(void)
{
}

/* Called outside: the calls that never returned are forgotten with the fiber. */
static inline void fiber_dropped(struct fiber *fiber)
{
    __tsan_destroy_fiber(fiber->inside);
    fiber->inside = NULL;
}

static inline void fiber_forget(struct fiber *fiber, void *bottom, size_t size)
{
    (void)bottom;
    (void)size;
    if (fiber->inside != NULL)
        __tsan_destroy_fiber(fiber->inside);
}

#else

struct fiber {
    unsigned number; /* of the stack */
};

/* Outside: before and after a turn of the coroutine. */
#define fiber_enter(fiber, bottom, size)  ((void)0)
#define fiber_left(fiber)                 ((void)0)
/* Inside: at the beginning of a turn and before its end. */
#define fiber_entered(fiber)              ((void)0)
#define fiber_leave(fiber)                ((void)0)
/* Inside, before jumping out of a body; and outside, once it has been left that way. */
#define fiber_drop_frames()               ((void)0)
#define fiber_dropped(fiber)              ((void)0)
/* Whatever is known of the stack's memory is forgotten. */
#define fiber_forget(fiber, bottom, size) ((void)0)

#endif

/* The stack is made. */
static inline void fiber_begin(struct fiber *fiber, unsigned char *bottom, size_t size)
{
    fiber->number = VALGRIND_STACK_REGISTER(bottom, bottom + size - 1);
    (void)bottom;
    (void)size;
}

/* And given back. */
static inline void fiber_end(struct fiber *fiber, unsigned char *bottom, size_t size)
{
    VALGRIND_STACK_DEREGISTER(fiber->number);
    fiber_forget(fiber, bottom, size);
    (void)bottom;
    (void)size;
}

#endif
