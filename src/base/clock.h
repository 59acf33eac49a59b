/*
 * clock.h - one monotonic clock for all measuring, one wall clock for dates. Nanoseconds. Any
 * thread.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

static inline double clock_seconds(int64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

int64_t clock_now_ns(void);         /* CLOCK_MONOTONIC: only differences mean something */
int64_t clock_wall_ns(void);        /* since 1970, UTC: for dates, never for durations */
int64_t clock_boot_ns(void);        /* since the machine was started, sleep included */
int64_t clock_thread_cpu_ns(void);  /* CPU time that this thread has used */
int64_t clock_process_cpu_ns(void); /* all threads, those that have ended too */
void clock_sleep_until_ns(
    int64_t at_ns); /* absolute on clock_now_ns(); returns early on a signal */

/* "20261130T181500Z" of a wall time, for names; `out` has at least 17 bytes. */
void clock_stamp(int64_t wall_ns, char *out, size_t size);
/* "2026-11-30T18:15:00.123Z", for records; `out` has at least 25 bytes. */
void clock_iso(int64_t wall_ns, char *out, size_t size);

#endif
