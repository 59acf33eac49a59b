/*
 * process.c - runs one of PostgreSQL's programs and waits for it.
 *
 * Output goes to a file in memory rather than a pipe: nobody has to read while the program runs,
 * and a daemon that kept the descriptor could not keep us waiting.
 */
#include "server/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

#define POLL_NS   (2 * NS_PER_MS)
#define EXIT_ODD  127 /* what shells say of a program that could not be run */
#define STATUS_ON 128

/* All that the child needs, made before the fork: after it only the kernel may be called. */
struct start {
    const struct process *process;
    char *arguments[PROCESS_ARGUMENTS_MAX + 2];
    char *environment[8];
    int output;
};

static void prepare(struct start *start, const struct process *process)
{
    int n = 0;

    start->process = process;
    start->arguments[n++] = memory_text(process->program);
    for (int i = 0; process->arguments[i] != NULL; i++) {
        assert(n <= PROCESS_ARGUMENTS_MAX);
        start->arguments[n++] = memory_text(process->arguments[i]);
    }
    n = 0;
    start->environment[n++] =
        memory_text("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    start->environment[n++] = memory_text("LC_ALL=C");
    if (process->account != NULL) {
        start->environment[n++] = memory_format("HOME=%s", process->account->home);
        start->environment[n++] = memory_format("USER=%s", process->account->name);
    }
    if (process->library_path != NULL && process->library_path[0] != '\0')
        start->environment[n++] = memory_format("LD_LIBRARY_PATH=%s", process->library_path);
}

static void forget(struct start *start)
{
    for (char **word = start->arguments; *word != NULL; word++)
        memory_free(*word);
    for (char **word = start->environment; *word != NULL; word++)
        memory_free(*word);
    if (start->output >= 0)
        close(start->output);
}

static void child_say(const char *words)
{
    if (write(STDERR_FILENO, words, strlen(words)) < 0)
        _exit(EXIT_ODD);
}

static void child_run(const struct start *start)
{
    const struct process *process = start->process;
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    /* Handlers go with exec, but what is ignored or blocked stays so. */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setsid();
    umask(077);
    dup2(nothing, STDIN_FILENO);
    dup2(start->output, STDOUT_FILENO);
    dup2(start->output, STDERR_FILENO);
    if (chdir("/") < 0)
        child_say("cannot go to the root folder\n");
    if (process->account != NULL && !account_become(process->account)) {
        child_say("cannot become the account ");
        child_say(process->account->name);
        child_say(": this needs the right to change users, which a container may withhold\n");
        _exit(EXIT_ODD);
    }
    if (process->dies_with_us)
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* after the change of user, which clears it */
    execve(process->program, start->arguments, start->environment);
    child_say("cannot run ");
    child_say(process->program);
    child_say(errno == EACCES ? ": permission denied\n" : ": no such program\n");
    _exit(EXIT_ODD);
}

static void wait_for(pid_t child, const struct process *process, struct process_result *out)
{
    int64_t until_ns = clock_now_ns() + process->timeout_s * NS_PER_S;
    bool stopped = false;
    int status = 0;

    for (;;) {
        pid_t done = waitpid(child, &status, out->timed_out ? 0 : WNOHANG);

        if (done == child)
            break;
        if (done < 0 && errno != EINTR)
            break;
        if (!out->timed_out && clock_now_ns() > until_ns) {
            out->timed_out = true;
            kill(-child, SIGKILL);
            kill(child, SIGKILL);
        }
        if (!stopped && process->stopped != NULL && process->stopped()) {
            stopped = true;
            kill(-child, SIGTERM);
            kill(child, SIGTERM);
        }
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
    out->status = WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_ON + WTERMSIG(status);
}

static void read_output(int file, struct process_result *out)
{
    struct stat facts;
    off_t from = 0;
    ssize_t got;

    if (fstat(file, &facts) == 0 && facts.st_size >= PROCESS_OUTPUT_MAX)
        from = facts.st_size - (PROCESS_OUTPUT_MAX - 1);
    got = pread(file, out->output, PROCESS_OUTPUT_MAX - 1, from);
    out->output[got > 0 ? got : 0] = '\0';
}

bool process_run(const struct process *process, struct process_result *out, struct error *err)
{
    struct start start = { .output = memfd_create("output", MFD_CLOEXEC) };
    pid_t child;

    memset(out, 0, sizeof *out);
    if (start.output < 0)
        return error_set(err, ERROR_MACHINE, "cannot make a file in memory: %s", strerror(errno));
    prepare(&start, process);
    child = fork();
    if (child == 0)
        child_run(&start);
    if (child < 0) {
        error_set(err, ERROR_MACHINE, "cannot run %s: %s", process->program, strerror(errno));
        forget(&start);
        return false;
    }
    wait_for(child, process, out);
    read_output(start.output, out);
    forget(&start);
    return true;
}
