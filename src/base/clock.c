/*
 * clock.c - see clock.h.
 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

int64_t clock_boot_ns(void)
{
    return read_ns(CLOCK_BOOTTIME);
}

int64_t clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_process_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_sleep_until_ns(int64_t at_ns)
{
    struct timespec at = { .tv_sec = at_ns / NS_PER_S, .tv_nsec = at_ns % NS_PER_S };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

void clock_stamp(int64_t wall_ns, char *out, size_t size)
{
    time_t seconds = wall_ns / NS_PER_S;
    struct tm when;

    gmtime_r(&seconds, &when);
    strftime(out, size, "%Y%m%dT%H%M%SZ", &when);
}

void clock_iso(int64_t wall_ns, char *out, size_t size)
{
    time_t seconds = wall_ns / NS_PER_S;
    struct tm when;
    char date[32];

    gmtime_r(&seconds, &when);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &when);
    snprintf(out, size, "%s.%03dZ", date, (int)(wall_ns % NS_PER_S / NS_PER_MS));
}
