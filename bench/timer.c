/*
 * timer.c - a bare timer loop: how late does this machine wake up a thread that only waits?
 *
 * The floor for the lateness of an open loop (bench/lateness): instants of a fixed rate or of a
 * Poisson process, epoll_pwait2 as in the engine, timer slack 1 ns, nothing else. Prints the
 * percentiles of the lateness in us.
 *
 * usage: timer RATE SECONDS [constant]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)NS_PER_S + now.tv_nsec;
}

static int by_size(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static double percentile_us(const int64_t *late_ns, int64_t count, double percent)
{
    int64_t rank = (int64_t)ceil((double)count * percent / 100);

    return (double)late_ns[rank > 0 ? rank - 1 : 0] / 1000;
}

int main(int argc, char **argv)
{
    double rate = argc > 2 ? strtod(argv[1], NULL) : 0;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
    int constant = argc > 3 && strcmp(argv[3], "constant") == 0;
    int64_t count = (int64_t)(rate * seconds), begin_ns, *late_ns;
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event;
    double sum = 0;

    if (count < 1 || epoll_fd < 0) {
        fprintf(stderr, "usage: timer RATE SECONDS [constant]\n");
        return 2;
    }
    late_ns = calloc((size_t)count, sizeof *late_ns);
    if (late_ns == NULL)
        return 5;
    prctl(PR_SET_TIMERSLACK, 1UL);
    srand48(1);
    begin_ns = now_ns();
    for (int64_t i = 0; i < count; i++) {
        int64_t due_ns, left_ns;
        sum += constant ? 1 : -log1p(-drand48());
        due_ns = begin_ns + (int64_t)(sum / rate * NS_PER_S);
        while ((left_ns = due_ns - now_ns()) > 0) {
            struct timespec limit = { .tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S };
            if (syscall(SYS_epoll_pwait2, epoll_fd, &event, 1, &limit, NULL, (size_t)0) < 0)
                return 5;
        }
        late_ns[i] = now_ns() - due_ns;
    }
    qsort(late_ns, (size_t)count, sizeof *late_ns, by_size);
    printf("{\"count\": %lld, \"p50_us\": %.1f, \"p99_us\": %.1f, \"p99.9_us\": %.1f, "
           "\"max_us\": %.1f}\n",
           (long long)count, percentile_us(late_ns, count, 50), percentile_us(late_ns, count, 99),
           percentile_us(late_ns, count, 99.9), percentile_us(late_ns, count, 100));
    free(late_ns);
    return 0;
}
