/*
 * compiler.h - the GNU attributes we use, by name, so that no other file spells them.
 */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#define PRINTF_LIKE(text_at, first_at) __attribute__((format(printf, text_at, first_at)))
#define MUST_CHECK                     __attribute__((warn_unused_result))
#define ENDED_BY_NULL                  __attribute__((sentinel))
#define NEVER_RETURNS                  __attribute__((noreturn))
#define COLD                           __attribute__((cold, noinline)) /* keeps a hot caller small */
/* Of a function of a door: where it is called too, when gcc optimises the program across files. */
#if defined(__clang__)
#define INLINED_ANYWHERE
#else
#define INLINED_ANYWHERE __attribute__((always_inline)) inline
#endif
#define LIKELY(x)       __builtin_expect(!!(x), 1)
#define UNLIKELY(x)     __builtin_expect(!!(x), 0)
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* An assertion on the path of every statement: compiled in with -Dchecks=true, as the tests do. */
#ifdef PGDYNO_CHECKS
#include <assert.h>
#define HOT_ASSERT(truth) assert(truth)
#else
#define HOT_ASSERT(truth) ((void)sizeof(truth))
#endif

/* The double-width product; pedantic C has no name for it. */
__extension__ typedef unsigned __int128 uint128;

#endif
