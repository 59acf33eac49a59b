/*
 * child.c - see child.h. Which result is the child's is found by looking: the newest folder with
 * its label that was not there before. So the child needs no way of its own to tell.
 */
#include "command/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/leave.h"
#include "base/memory.h"

#define POLL_NS         (50 * NS_PER_MS)
#define ENVIRONMENT_MAX 4096
#define TAIL_BYTES      8192
#define OWN_PROGRAM     "/proc/self/exe"
#define TARGET_VARIABLE "PGDYNO_TARGET="
#define NOT_BEGUN       127

extern char **environ;

static volatile sig_atomic_t told;
static volatile pid_t running; /* 0: none */

/* ---- signals ---- */

static void pass_on(int number)
{
    pid_t child = running;
    int before = errno;

    told = 1;
    if (child > 0)
        kill(child, number);
    errno = before;
}

void child_catch(struct child_signals *signals)
{
    struct sigaction action = { .sa_handler = pass_on };

    told = 0;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, &signals->before_interrupt);
    sigaction(SIGTERM, &action, &signals->before_terminate);
}

void child_release(const struct child_signals *signals)
{
    sigaction(SIGINT, &signals->before_interrupt, NULL);
    sigaction(SIGTERM, &signals->before_terminate, NULL);
}

bool child_stopped(void)
{
    return told != 0;
}

/* ---- its result ---- */

/* "<stamp>-<workload>-<label>", with a number behind it when that was there already. */
static bool has_label(const char *name, const char *label)
{
    size_t length = strlen(name), size = strlen(label);
    const char *digits;

    if (length > size && strcmp(name + length - size, label) == 0)
        return name[length - size - 1] == '-';
    digits = strrchr(name, '-');
    if (digits == NULL || digits[1] == '\0' || digits[1 + strspn(digits + 1, "0123456789")] != '\0')
        return false;
    length = (size_t)(digits - name);
    return length > size && strncmp(name + length - size, label, size) == 0 &&
           name[length - size - 1] == '-';
}

/* The name of the newest result with that label, "" when there is none. Names begin with a time. */
static void newest(const struct child *child, char *out, size_t size)
{
    DIR *list = opendir(child->results);
    const struct dirent *entry;

    out[0] = '\0';
    if (list == NULL)
        return;
    while ((entry = readdir(list)) != NULL)
        if (has_label(entry->d_name, child->label) && strcmp(entry->d_name, out) > 0)
            snprintf(out, size, "%s", entry->d_name);
    closedir(list);
}

static char *find_result(const struct child *child, const char *before)
{
    char name[NAME_MAX + 1];
    struct stat facts;
    char *path, *file;
    bool there;

    newest(child, name, sizeof name);
    if (name[0] == '\0' || strcmp(name, before) == 0)
        return NULL;
    path = memory_format("%s/%s", child->results, name);
    file = memory_format("%s/result.json", path);
    there = stat(file, &facts) == 0;
    memory_free(file);
    if (there)
        return path;
    memory_free(path);
    return NULL;
}

/* The last thing that the program said of itself, with its further lines. */
static void read_last_words(const struct child *child, int64_t from, struct child_end *end)
{
    char tail[TAIL_BYTES + 1];
    FILE *file = child->output != NULL ? fopen(child->output, "re") : NULL;
    const char *found = NULL;
    size_t got = 0;

    if (file == NULL)
        return;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) - from > TAIL_BYTES)
        from = ftell(file) - TAIL_BYTES;
    if (fseek(file, from, SEEK_SET) == 0)
        got = fread(tail, 1, TAIL_BYTES, file);
    fclose(file);
    tail[got] = '\0';
    for (const char *at = tail; (at = strstr(at, "pgdyno: ")) != NULL; at++)
        if (at == tail || at[-1] == '\n')
            found = at + strlen("pgdyno: ");
    if (found != NULL)
        snprintf(end->said, sizeof end->said, "%.*s", (int)strcspn(found, "\n"), found);
}

/* ---- the process ---- */

struct launch {
    char *argv[CHILD_WORDS_MAX + 8], *environment[ENVIRONMENT_MAX];
    char *results, *label, *target; /* owned */
    int output;
};

static bool open_output(const struct child *child, struct launch *launch, struct error *err)
{
    const char *path = child->output != NULL ? child->output : "/dev/null";

    launch->output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return launch->output >= 0 ||
           error_set(err, ERROR_MACHINE, "cannot write %s: %s", path, strerror(errno));
}

static void make_words(const struct child *child, struct launch *launch)
{
    int count = 0;

    launch->argv[count++] = memory_text("pgdyno");
    for (; child->words[count - 1] != NULL && count < CHILD_WORDS_MAX; count++)
        launch->argv[count] = memory_text(child->words[count - 1]);
    if (child->results != NULL)
        launch->argv[count++] = memory_format("--results=%s", child->results);
    if (child->label != NULL)
        launch->argv[count++] = memory_format("--label=%s", child->label);
}

static void make_environment(const struct child *child, struct launch *launch)
{
    int count = 0;

    for (char **entry = environ; *entry != NULL && count < ENVIRONMENT_MAX - 2; entry++)
        if (child->target == NULL || strncmp(*entry, TARGET_VARIABLE, strlen(TARGET_VARIABLE)) != 0)
            launch->environment[count++] = *entry;
    if (child->target != NULL)
        launch->target = memory_format(TARGET_VARIABLE "%s", child->target);
    if (launch->target != NULL)
        launch->environment[count++] = launch->target;
}

static void release(struct launch *launch)
{
    if (launch->output >= 0)
        close(launch->output);
    for (int i = 0; launch->argv[i] != NULL; i++)
        memory_free(launch->argv[i]);
    if (launch->target != NULL)
        explicit_bzero(launch->target, strlen(launch->target));
    memory_free(launch->target);
}

/* In the child: nothing but the kernel is called. */
NEVER_RETURNS static void become(const struct launch *launch, const sigset_t *mask, pid_t parent)
{
    int nothing = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 &&
        dup2(launch->output, STDOUT_FILENO) >= 0 && dup2(launch->output, STDERR_FILENO) >= 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execve(OWN_PROGRAM, launch->argv, launch->environment);
    }
    leave_at_once(NOT_BEGUN, "pgdyno: this program cannot be begun again\n");
}

/* Signals wait until the child is known, so that none gets lost between. */
static pid_t begin(const struct launch *launch)
{
    pid_t parent = getpid(), child;
    sigset_t ours, mask;

    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigprocmask(SIG_BLOCK, &ours, &mask);
    child = fork();
    if (child == 0)
        become(launch, &mask, parent);
    running = child;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return child;
}

static int wait_for(const struct child *child, pid_t process)
{
    int status = 0;
    pid_t got;

    while ((got = waitpid(process, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (child->wait != NULL)
            child->wait(child->context);
        clock_sleep_until_ns(clock_now_ns() + POLL_NS);
    }
    running = 0;
    if (got < 0)
        return ERROR_BUG;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ERROR_BUG;
}

static bool launch_and_wait(const struct child *child, struct launch *launch, struct child_end *end,
                            struct error *err)
{
    pid_t process;

    if (!open_output(child, launch, err))
        return false;
    make_words(child, launch);
    make_environment(child, launch);
    process = begin(launch);
    if (process < 0)
        return error_set(err, ERROR_MACHINE, "cannot begin another process: %s", strerror(errno));
    end->code = wait_for(child, process);
    if (end->code == NOT_BEGUN)
        return error_set(err, ERROR_MACHINE, "cannot begin this program again from %s",
                         OWN_PROGRAM);
    return true;
}

bool child_run(const struct child *child, struct child_end *end, struct error *err)
{
    struct launch launch = { .output = -1 };
    char before[NAME_MAX + 1] = "";
    struct stat facts;
    bool good;
    int64_t from = 0;

    *end = (struct child_end){ .code = ERROR_BUG };
    if (child->results != NULL && mkdir(child->results, 0777) < 0 && errno != EEXIST)
        return error_set(err, ERROR_MACHINE, "cannot make the folder %s: %s", child->results,
                         strerror(errno));
    if (child->results != NULL && child->label != NULL)
        newest(child, before, sizeof before);
    if (child->output != NULL && stat(child->output, &facts) == 0)
        from = (int64_t)facts.st_size;
    good = launch_and_wait(child, &launch, end, err);
    release(&launch);
    if (good)
        read_last_words(child, from, end);
    if (good && child->results != NULL && child->label != NULL)
        end->result = find_result(child, before);
    return good;
}

void child_end_free(struct child_end *end)
{
    memory_free(end->result);
    end->result = NULL;
}
