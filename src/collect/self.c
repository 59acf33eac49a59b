/*
 * self.c - what this process itself uses: when the client is at its limit, the numbers are about
 * the client. CPU time comes from the process' clock, which also knows threads that have ended;
 * the wait for a core only the kernel's files of the living threads tell.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/collect.h"
#include "collect/proc.h"

#define SMALL_FILE 256

/* The sum over all threads; -1 when this kernel does not tell. */
static int64_t run_delay_ns(void)
{
    DIR *folder = opendir("/proc/self/task");
    int64_t sum = -1;
    if (folder == NULL)
        return -1;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[sizeof("/proc/self/task//schedstat") + sizeof(entry->d_name)];
        char text[SMALL_FILE];
        int64_t run_ns, delay_ns;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", entry->d_name);
        if (proc_read(path, text, sizeof(text)) && proc_schedstat(text, &run_ns, &delay_ns))
            sum = (sum < 0 ? 0 : sum) + delay_ns;
    }
    closedir(folder);
    return sum;
}

static json_t *share(int64_t now_ns, int64_t before_ns, int64_t span_ns)
{
    if (now_ns < 0 || before_ns < 0 || span_ns <= 0)
        return json_null();
    int64_t used_ns = now_ns > before_ns ? now_ns - before_ns : 0; /* a thread may have ended */
    return json_real((double)used_ns / (double)span_ns);
}

json_t *collect_self_second(struct collect_self *state)
{
    const struct collect_self now = {
        .at_ns = clock_now_ns(),
        .cpu_ns = clock_process_cpu_ns(),
        .run_delay_ns = run_delay_ns(),
    };
    int64_t span_ns = state->at_ns == 0 ? 0 : now.at_ns - state->at_ns;
    char text[SMALL_FILE];
    int64_t resident =
        proc_read("/proc/self/statm", text, sizeof(text)) ? proc_statm_resident(text) : -1;
    json_t *out =
        json_pack("{s:o, s:o, s:o}", "cpu", share(now.cpu_ns, state->cpu_ns, span_ns), "run_delay",
                  share(now.run_delay_ns, state->run_delay_ns, span_ns), "rss_bytes",
                  resident >= 0 ? json_integer(resident * sysconf(_SC_PAGESIZE)) : json_null());
    *state = now;
    return out;
}
