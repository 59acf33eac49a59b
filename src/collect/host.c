/*
 * host.c - what the client's machine is, and what of it this process may use. A fact that cannot be
 * had is null.
 */
#include <libpq-fe.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/memory.h"
#include "collect/collect.h"
#include "collect/proc.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define PATH_ROOM   4096
#define WORD_MAX    256

static json_t *text_or_null(const char *text)
{
    json_t *value = text != NULL && *text != '\0' ? json_string(text) : NULL;
    return value != NULL ? value : json_null();
}

static json_t *positive_or_null(int64_t number)
{
    return number > 0 ? json_integer(number) : json_null();
}

/* The first line of a small file, or NULL. Owned. */
static char *read_line(const char *path)
{
    char text[WORD_MAX];
    if (!proc_read(path, text, sizeof(text)))
        return NULL;
    text[strcspn(text, "\n")] = '\0';
    return memory_text(text);
}

static void put_line(json_t *out, const char *key, const char *path)
{
    char *line = read_line(path);
    json_object_set_new(out, key, text_or_null(line));
    memory_free(line);
}

/* ---- cgroups: a limit may sit on any level above us ---- */

/* The limit in one folder; -1 when it has none to tell. */
static int64_t cpu_limit_at(const char *folder, bool v2)
{
    char text[WORD_MAX],
        *path = memory_format("%s/%s", folder, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    bool read = proc_read(path, text, sizeof(text));
    memory_free(path);
    if (!read)
        return -1;
    if (v2)
        return proc_cgroup_cpu_max(text);
    int64_t quota_us, period_us;
    if (!proc_whole(text, &quota_us))
        return -1;
    if (quota_us < 0)
        return PROC_UNLIMITED;
    path = memory_format("%s/cpu.cfs_period_us", folder);
    read = proc_read(path, text, sizeof(text));
    memory_free(path);
    if (!read || !proc_whole(text, &period_us) || period_us <= 0 || quota_us > INT64_MAX / 1000)
        return -1;
    return quota_us * 1000 / period_us;
}

static int64_t memory_limit_at(const char *folder, bool v2)
{
    char text[WORD_MAX];
    char *path = memory_format("%s/%s", folder, v2 ? "memory.max" : "memory.limit_in_bytes");
    bool read = proc_read(path, text, sizeof(text));
    memory_free(path);
    return read ? proc_cgroup_memory(text) : -1;
}

/* The smallest limit from our own folder up to the mount; inside a container the path may lead
 * nowhere, then the mount itself is ours. -1 when there is none. */
static int64_t smallest_limit(const char *mount, const char *path, bool v2,
                              int64_t (*limit_at)(const char *folder, bool v2))
{
    int64_t smallest = -1;
    char *folder = memory_format("%s%s", mount, path);
    size_t root = strlen(mount);
    for (;;) {
        int64_t limit = limit_at(folder, v2);
        if (limit >= 0 && (smallest < 0 || limit < smallest))
            smallest = limit;
        char *slash = strrchr(folder + root, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    memory_free(folder);
    return smallest;
}

static json_t *cgroup_facts(void)
{
    char *text = memory_make(1, PROC_FILE_MAX), path[PATH_ROOM];
    int version = 0;
    int64_t cpu = -1, memory = -1;
    if (proc_read("/proc/self/cgroup", text, PROC_FILE_MAX)) {
        if (access(CGROUP_ROOT "/cgroup.controllers", R_OK) == 0 &&
            proc_cgroup_path(text, "", path, sizeof(path))) {
            version = 2;
            cpu = smallest_limit(CGROUP_ROOT, path, true, cpu_limit_at);
            memory = smallest_limit(CGROUP_ROOT, path, true, memory_limit_at);
        } else {
            if (proc_cgroup_path(text, "cpu", path, sizeof(path))) {
                version = 1;
                cpu = smallest_limit(CGROUP_ROOT "/cpu", path, false, cpu_limit_at);
            }
            if (proc_cgroup_path(text, "memory", path, sizeof(path))) {
                version = 1;
                memory = smallest_limit(CGROUP_ROOT "/memory", path, false, memory_limit_at);
            }
        }
    }
    memory_free(text);
    return json_pack("{s:o, s:o, s:o}", "version", positive_or_null(version), "cpus",
                     cpu > 0 ? json_real((double)cpu / 1000.0) : json_null(), "memory_bytes",
                     positive_or_null(memory));
}

/* ---- the machine ---- */

static void put_cpus(json_t *out)
{
    char *text = memory_make(1, PROC_FILE_MAX), model[WORD_MAX] = "";
    json_object_set_new(out, "cpus", positive_or_null(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(out, "cpus_allowed", json_integer(cpus_allowed()));
    bool virtual = false;
    if (proc_read("/proc/cpuinfo", text, PROC_FILE_MAX)) {
        virtual = proc_cpuinfo_flag(text, "hypervisor");
        if (!proc_cpuinfo(text, "model name", model, sizeof(model)) &&
            !proc_cpuinfo(text, "Model", model, sizeof(model)))
            proc_cpuinfo(text, "CPU part", model, sizeof(model)); /* arm64 has numbers only */
    }
    memory_free(text);
    json_object_set_new(out, "cpu_model", text_or_null(model));
    json_object_set_new(out, "hypervisor", json_boolean(virtual));
    put_line(out, "cpu_governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    put_line(out, "clocksource",
             "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    put_line(out, "machine_vendor", "/sys/class/dmi/id/sys_vendor");
    put_line(out, "machine_model", "/sys/class/dmi/id/product_name");
    bool container = access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
    json_object_set_new(out, "container", json_boolean(container));
}

static void put_memory(json_t *out)
{
    char *text = memory_make(1, PROC_FILE_MAX);
    bool read = proc_read("/proc/meminfo", text, PROC_FILE_MAX);
    json_object_set_new(out, "memory_bytes",
                        positive_or_null(read ? proc_meminfo_bytes(text, "MemTotal") : -1));
    int64_t swap = read ? proc_meminfo_bytes(text, "SwapTotal") : -1;
    json_object_set_new(out, "swap_bytes", swap >= 0 ? json_integer(swap) : json_null());
    memory_free(text);
}

static json_t *libpq_version(void)
{
    int number = PQlibVersion();
    return json_sprintf("%d.%d", number / 10000, number % 10000);
}

json_t *collect_host(void)
{
    struct utsname name;
    json_t *out = json_object();
    bool known = uname(&name) == 0;
    json_object_set_new(out, "hostname", text_or_null(known ? name.nodename : NULL));
    json_object_set_new(out, "kernel",
                        known ? json_sprintf("%s %s", name.sysname, name.release) : json_null());
    json_object_set_new(out, "architecture", text_or_null(known ? name.machine : NULL));
    put_cpus(out);
    put_memory(out);
    json_object_set_new(out, "cgroup", cgroup_facts());
    json_object_set_new(out, "libpq", libpq_version());
    json_object_set_new(out, "openssl", text_or_null(OpenSSL_version(OPENSSL_VERSION)));
    return out;
}
