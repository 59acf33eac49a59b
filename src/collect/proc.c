/*
 * proc.c - see proc.h.
 */
#include "collect/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Version 1 says "no limit" with the largest number of whole pages. */
#define CGROUP_V1_UNLIMITED (INT64_C(1) << 60)

/* Reads digits and moves on; false when there is none or the number is too large. */
static bool take_whole(const char **at, int64_t *number)
{
    char *end;
    while (**at == ' ' || **at == '\t')
        (*at)++;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    long long value = strtoll(*at, &end, 10);
    if (errno != 0)
        return false;
    *number = value;
    *at = end;
    return true;
}

static bool is_end(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return *at == '\0';
}

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end == NULL ? at + strlen(at) : end + 1;
}

static bool copy(char *out, size_t size, const char *from, size_t length)
{
    if (size == 0)
        return false;
    if (length >= size)
        length = size - 1;
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

int64_t proc_meminfo_bytes(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = text; *at != '\0'; at = next_line(at)) {
        int64_t number;
        if (strncmp(at, key, length) != 0 || at[length] != ':')
            continue;
        at += length + 1;
        if (!take_whole(&at, &number) || strncmp(at, " kB", 3) != 0 || number > INT64_MAX / 1024)
            return -1;
        return number * 1024;
    }
    return -1;
}

bool proc_cpuinfo(const char *text, const char *key, char *out, size_t size)
{
    size_t length = strlen(key);
    for (const char *at = text; *at != '\0'; at = next_line(at)) {
        if (strncmp(at, key, length) != 0)
            continue;
        const char *value = at + length;
        while (*value == ' ' || *value == '\t')
            value++;
        if (*value != ':')
            continue; /* a longer key */
        value++;
        while (*value == ' ' || *value == '\t')
            value++;
        size_t count = strcspn(value, "\n");
        while (count > 0 && isspace((unsigned char)value[count - 1]))
            count--;
        return count > 0 && copy(out, size, value, count);
    }
    return false;
}

bool proc_cpuinfo_flag(const char *text, const char *flag)
{
    const char *at = strncmp(text, "flags", 5) == 0 ? text : strstr(text, "\nflags");
    size_t length = strlen(flag);
    if (at == NULL || length == 0)
        return false;
    at += *at == '\n' ? strlen("\nflags") : strlen("flags");
    const char *end = at + strcspn(at, "\n");
    for (at = strstr(at, flag); at != NULL && at < end; at = strstr(at + 1, flag))
        if (isspace((unsigned char)at[-1]) &&
            (at[length] == '\0' || isspace((unsigned char)at[length])))
            return true;
    return false;
}

bool proc_schedstat(const char *text, int64_t *run_ns, int64_t *delay_ns)
{
    int64_t slices;
    return take_whole(&text, run_ns) && take_whole(&text, delay_ns) && take_whole(&text, &slices) &&
           is_end(text);
}

int64_t proc_statm_resident(const char *text)
{
    int64_t total, resident;
    return take_whole(&text, &total) && take_whole(&text, &resident) ? resident : -1;
}

/* Is `word` one of the names, separated by commas, in [at, end)? */
static bool has_controller(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    while (at < end) {
        const char *stop = memchr(at, ',', (size_t)(end - at));
        if (stop == NULL)
            stop = end;
        if ((size_t)(stop - at) == length && memcmp(at, word, length) == 0)
            return true;
        at = stop + 1;
    }
    return false;
}

bool proc_cgroup_path(const char *text, const char *controller, char *out, size_t size)
{
    for (const char *at = text; *at != '\0'; at = next_line(at)) {
        size_t length = strcspn(at, "\n");
        const char *end = at + length;
        const char *names = memchr(at, ':', length);
        if (names == NULL)
            continue;
        names++;
        const char *path = memchr(names, ':', (size_t)(end - names));
        if (path == NULL || path + 1 >= end || path[1] != '/')
            continue;
        bool wanted = *controller == '\0' ? strncmp(at, "0::", 3) == 0
                                          : has_controller(names, path, controller);
        if (wanted)
            return copy(out, size, path + 1, (size_t)(end - path - 1));
    }
    return false;
}

int64_t proc_cgroup_cpu_max(const char *text)
{
    int64_t quota_us, period_us;
    if (strncmp(text, "max", 3) == 0 && (isspace((unsigned char)text[3]) || text[3] == '\0'))
        return PROC_UNLIMITED;
    if (!take_whole(&text, &quota_us) || !take_whole(&text, &period_us) || !is_end(text) ||
        period_us == 0 || quota_us > INT64_MAX / 1000)
        return -1;
    return quota_us * 1000 / period_us;
}

int64_t proc_cgroup_memory(const char *text)
{
    int64_t bytes;
    if (strncmp(text, "max", 3) == 0 && is_end(text + 3))
        return PROC_UNLIMITED;
    if (!take_whole(&text, &bytes) || !is_end(text))
        return -1;
    return bytes >= CGROUP_V1_UNLIMITED ? PROC_UNLIMITED : bytes;
}

bool proc_whole(const char *text, int64_t *number)
{
    while (isspace((unsigned char)*text))
        text++;
    bool negative = *text == '-';
    if (negative)
        text++;
    if (!take_whole(&text, number) || !is_end(text))
        return false;
    if (negative)
        *number = -*number;
    return true;
}

bool proc_read(const char *path, char *out, size_t size)
{
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t count = 0;
    while (length + 1 < size && (count = read(fd, out + length, size - 1 - length)) != 0) {
        if (count > 0)
            length += (size_t)count;
        else if (errno != EINTR)
            break;
    }
    close(fd);
    out[length] = '\0';
    return count >= 0 || length > 0;
}
