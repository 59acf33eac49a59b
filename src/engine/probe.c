/*
 * probe.c - see probe.h.
 */
#include "engine/probe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define SHORT_NS (250 * NS_PER_US)
#define SOON_NS  (500 * NS_PER_US) /* beyond it the clock is to be looked at meanwhile */

/* Time on the CPU and time waiting for it, as the scheduler counts; -1 where it does not tell. */
static void read_schedule(int64_t *cpu_ns, int64_t *delay_ns)
{
    char path[64], line[96];
    int64_t run, delay;
    ssize_t length = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", gettid());
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, line, sizeof line - 1);
        close(fd);
    }
    *cpu_ns = clock_thread_cpu_ns();
    *delay_ns = -1;
    if (length > 0) {
        line[length] = '\0';
        if (sscanf(line, "%" SCNd64 " %" SCNd64, &run, &delay) == 2)
            *delay_ns = delay;
    }
}

void probe_begin(struct worker *worker)
{
    worker->measuring = true;
    histogram_reset(worker->lateness);
    read_schedule(&worker->cpu_begin_ns, &worker->delay_begin_ns);
}

void probe_end(struct worker *worker)
{
    int64_t cpu_ns, delay_ns;

    worker->use.tid = gettid();
    read_schedule(&cpu_ns, &delay_ns);
    worker->use.cpu_ns = cpu_ns - worker->cpu_begin_ns;
    worker->use.run_delay_ns =
        delay_ns < 0 || worker->delay_begin_ns < 0 ? -1 : delay_ns - worker->delay_begin_ns;
    worker->use.lateness_p50_ns = histogram_percentile_ns(worker->lateness, 50);
    worker->use.lateness_p99_ns = histogram_percentile_ns(worker->lateness, 99);
    worker->use.lateness_max_ns = worker->lateness->max_ns;
}

void probe_start(struct worker *worker, int64_t now_ns)
{
    worker->next_probe_ns = now_ns + PROBE_NS;
    worker->soon_ns = SOON_NS;
}

void probe_passed(struct worker *worker, int64_t now_ns)
{
    bool timed = !worker->alone || worker->soon_ns == 0;

    if (timed)
        histogram_record(worker->lateness, now_ns - worker->next_probe_ns);
    worker->soon_ns = timed ? SOON_NS : 0;
    worker->answered_soon = worker->answered_soon && timed;
    worker->next_probe_ns = now_ns + (timed ? PROBE_NS : SHORT_NS);
}
