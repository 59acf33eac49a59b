/*
 * waits.c - see waits.h. Names of wait events changed in 13 (light locks) and 17 (I/O); a rule
 * compares without regard to case, and the few names that differ otherwise are in a table.
 */
#include "collect/waits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

#define EVENTS_TOP 20
#define CHAIN_MAX  64

const char *const wait_class_names[WAIT_CLASSES] = {
    [WAIT_CPU] = "cpu",           [WAIT_IO_READ] = "io_read",         [WAIT_IO_WRITE] = "io_write",
    [WAIT_WAL] = "wal",           [WAIT_REPLICATION] = "replication", [WAIT_LOCK] = "lock",
    [WAIT_INTERNAL] = "internal", [WAIT_BUFFER_PIN] = "buffer_pin",   [WAIT_CLIENT] = "client",
    [WAIT_IPC] = "ipc",           [WAIT_TIMEOUT] = "timeout",         [WAIT_OTHER] = "other",
};

/* ---- names ---- */

/* Old names that are more than another spelling; a type of NULL stays. */
static const struct {
    const char *type, *event, *new_type, *new_event;
} aliases[] = {
    { "LWLock", "buffer_io", "IPC", "BufferIo" },
    { "LWLock", "BufferIO", "IPC", "BufferIo" },
    { "IPC", "BufferIO", "IPC", "BufferIo" },
    { "LWLock", "CLogControlLock", "LWLock", "XactSLRU" },
    { "LWLock", "clog", "LWLock", "XactBuffer" },
    { "LWLock", "CLogTruncationLock", "LWLock", "XactTruncation" },
    { "LWLock", "SubtransControlLock", "LWLock", "SubtransSLRU" },
    { "LWLock", "subtrans", "LWLock", "SubtransBuffer" },
    { "LWLock", "MultiXactOffsetControlLock", "LWLock", "MultiXactOffsetSLRU" },
    { "LWLock", "MultiXactMemberControlLock", "LWLock", "MultiXactMemberSLRU" },
    { "LWLock", "proc", "LWLock", "LockFastPath" },
    { "LWLock", "wal_insert", "LWLock", "WALInsert" },
    { "LWLock", "OldSnapshotTimeMapLock", "LWLock", "OldSnapshotTimeMap" },
    { "IPC", "ClogGroupUpdate", "IPC", "XactGroupUpdate" },
};

/* Types of events that 17 spells with one capital a word: "WALSync" became "WalSync". */
static const struct {
    const char *old, *new;
} respelled[] = {
    { "WAL", "Wal" },
    { "SLRU", "Slru" },
    { "DSM", "Dsm" },
    { "BufFile", "Buffile" },
};

static void copy(char *out, const char *from)
{
    snprintf(out, WAIT_NAME_MAX, "%.*s", WAIT_NAME_MAX - 1, from);
}

/* "buffer_mapping" of 12 is "BufferMapping", "ProcArrayLock" is "ProcArray". */
static void modernise_lock(char *name)
{
    size_t length = strlen(name);
    char *to = name;
    bool first = true;

    if (length > 4 && strcmp(name + length - 4, "Lock") == 0 && strchr(name, '_') == NULL) {
        name[length - 4] = '\0';
        return;
    }
    if (!islower((unsigned char)name[0]))
        return;
    for (const char *at = name; *at != '\0'; at++) {
        if (*at == '_') {
            first = true;
            continue;
        }
        *to++ = first ? (char)toupper((unsigned char)*at) : *at;
        first = false;
    }
    *to = '\0';
}

struct wait_name wait_canonical(const char *type, const char *event)
{
    struct wait_name name;

    copy(name.type, type);
    copy(name.event, event);
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].type, type) == 0 && strcmp(aliases[i].event, event) == 0) {
            copy(name.type, aliases[i].new_type);
            copy(name.event, aliases[i].new_event);
            return name;
        }
    if (strcmp(type, "LWLock") == 0)
        modernise_lock(name.event);
    for (size_t i = 0; i < sizeof respelled / sizeof respelled[0]; i++)
        if (strcmp(type, "IO") == 0 &&
            strncmp(event, respelled[i].old, strlen(respelled[i].old)) == 0)
            memcpy(name.event, respelled[i].new, strlen(respelled[i].new));
    return name;
}

/* ---- classes ---- */

/* The first row that fits decides. A star at either end stands for anything. */
static const struct {
    const char *type, *event;
    enum wait_class found;
} rules[] = {
    { "IO", "Wal*", WAIT_WAL },
    { "IO", "Aio*", WAIT_IO_READ },
    { "IO", "DataFilePrefetch", WAIT_IO_READ },
    { "IO", "*Read", WAIT_IO_READ },
    { "IO", "*", WAIT_IO_WRITE },
    { "IPC", "SyncRep", WAIT_REPLICATION },
    { "IPC", "BufferIo", WAIT_IO_READ },
    { "IPC", "XactGroupUpdate", WAIT_INTERNAL },
    { "IPC", "ProcArrayGroupUpdate", WAIT_INTERNAL },
    { "IPC", "*", WAIT_IPC },
    { "LWLock", "WALWrite", WAIT_WAL },
    { "LWLock", "WALInsert", WAIT_WAL },
    { "LWLock", "WALBufMapping", WAIT_WAL },
    { "LWLock", "SyncRep", WAIT_REPLICATION },
    { "LWLock", "*", WAIT_INTERNAL },
    { "Lock", "*", WAIT_LOCK },
    { "BufferPin", "*", WAIT_BUFFER_PIN },
    { "Buffer", "*", WAIT_BUFFER_PIN },
    { "Client", "*", WAIT_CLIENT },
    { "Timeout", "SpinDelay", WAIT_INTERNAL },
    { "Timeout", "*", WAIT_TIMEOUT },
    { "*", "*", WAIT_OTHER },
};

static bool fits(const char *pattern, const char *word)
{
    size_t length = strlen(pattern), whole = strlen(word);

    if (strcmp(pattern, "*") == 0)
        return true;
    if (pattern[0] == '*')
        return whole >= length - 1 && strcasecmp(word + whole - (length - 1), pattern + 1) == 0;
    if (pattern[length - 1] == '*')
        return strncasecmp(word, pattern, length - 1) == 0;
    return strcasecmp(word, pattern) == 0;
}

static bool is_empty(const char *text)
{
    return text == NULL || *text == '\0';
}

bool wait_classify(const char *state, const char *type, const char *event, enum wait_class *found)
{
    struct wait_name name;

    if (is_empty(state))
        return false;
    if (strncmp(state, "idle in transaction", strlen("idle in transaction")) == 0) {
        *found = WAIT_CLIENT;
        return true;
    }
    if (strcmp(state, "active") != 0 && strncmp(state, "fastpath", strlen("fastpath")) != 0)
        return false;
    *found = WAIT_CPU;
    if (is_empty(type))
        return true;
    name = wait_canonical(type, is_empty(event) ? "" : event);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (fits(rules[i].type, name.type) && fits(rules[i].event, name.event)) {
            *found = rules[i].found;
            return true;
        }
    return true;
}

static int find_pid(const struct wait_session *sessions, int count, int pid)
{
    for (int i = 0; i < count; i++)
        if (sessions[i].pid == pid)
            return i;
    return -1;
}

/* Deeper, from one that may be waiting itself. `left`: steps that may still be made. */
static enum wait_class follow(const struct wait_session *sessions, int count, int at, int *left)
{
    const struct wait_session *session = &sessions[at];
    enum wait_class found, best = WAIT_CLASSES;

    if (--*left < 0 || is_empty(session->state))
        return WAIT_LOCK; /* A circle; or it may not be seen. */
    if (!wait_classify(session->state, session->type, session->event, &found))
        return WAIT_CLASSES;
    if (found != WAIT_LOCK)
        return found;
    /* Some only stand before it in the queue; what any of them leads to is what all wait for. */
    for (int i = 0; i < session->blocker_count && (best == WAIT_CLASSES || best == WAIT_LOCK);
         i++) {
        int blocker = find_pid(sessions, count, session->blockers[i]);
        found = blocker >= 0 ? follow(sessions, count, blocker, left) : WAIT_LOCK;
        best = found != WAIT_CLASSES ? found : best;
    }
    return best;
}

enum wait_class wait_root(const struct wait_session *sessions, int count, int at)
{
    int left = CHAIN_MAX;

    return follow(sessions, count, at, &left);
}

/* ---- adding up ---- */

static void count_event(struct waits *waits, const struct wait_name *name, int64_t count)
{
    int at = 0;

    while (at < waits->event_count && (strcmp(waits->events[at].name.event, name->event) != 0 ||
                                       strcmp(waits->events[at].name.type, name->type) != 0))
        at++;
    if (at == WAIT_EVENTS_MAX)
        return;
    if (at == waits->event_count)
        waits->events[waits->event_count++].name = *name;
    waits->events[at].count += count;
}

void waits_add(struct waits *waits, const char *state, const char *type, const char *event,
               int64_t count)
{
    enum wait_class found;
    struct wait_name name;

    if (!wait_classify(state, type, event, &found))
        return;
    waits->direct[found] += count;
    if (is_empty(type))
        return;
    name = wait_canonical(type, is_empty(event) ? "" : event);
    count_event(waits, &name, count);
}

void waits_add_all(struct waits *waits, const struct waits *more)
{
    waits->samples += more->samples;
    waits->chain_samples += more->chain_samples;
    for (int i = 0; i < WAIT_CLASSES; i++) {
        waits->direct[i] += more->direct[i];
        waits->roots[i] += more->roots[i];
    }
    for (int i = 0; i < more->event_count; i++)
        count_event(waits, &more->events[i].name, more->events[i].count);
}

/* ---- telling ---- */

static json_t *classes_json(const double *sessions)
{
    json_t *json = json_object();

    for (int i = 0; i < WAIT_CLASSES; i++)
        json_object_set_new(json, wait_class_names[i], json_real(sessions[i]));
    return json;
}

static int by_count(const void *a, const void *b)
{
    const struct wait_event *one = a, *other = b;

    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return strcmp(one->name.event, other->name.event);
}

static json_t *events_json(const struct waits *waits)
{
    struct waits sorted = *waits;
    json_t *list = json_array();

    qsort(sorted.events, (size_t)sorted.event_count, sizeof sorted.events[0], by_count);
    for (int i = 0; i < sorted.event_count && i < EVENTS_TOP; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:f}", "type", sorted.events[i].name.type,
                                        "event", sorted.events[i].name.event, "aas",
                                        (double)sorted.events[i].count / (double)waits->samples));
    return list;
}

json_t *waits_json(const struct waits *waits, int64_t missed)
{
    double direct[WAIT_CLASSES], charged[WAIT_CLASSES], all = 0;
    int64_t roots = 0;
    json_t *json;

    if (waits->samples == 0)
        return json_null();
    for (int i = 0; i < WAIT_CLASSES; i++) {
        direct[i] = charged[i] = (double)waits->direct[i] / (double)waits->samples;
        all += direct[i];
        roots += waits->roots[i];
    }
    /* Chains were not looked at each time; their shares stand for the rest. */
    for (int i = 0; i < WAIT_CLASSES && roots > 0; i++)
        charged[i] = (i == WAIT_LOCK ? 0 : direct[i]) +
                     direct[WAIT_LOCK] * (double)waits->roots[i] / (double)roots;
    json = json_pack("{s:I, s:I, s:I, s:f}", "samples", (json_int_t)waits->samples, "missed",
                     (json_int_t)missed, "chain_samples", (json_int_t)waits->chain_samples,
                     "average_active_sessions", all);
    json_object_set_new(json, "classes", classes_json(charged));
    json_object_set_new(json, "classes_direct", classes_json(direct));
    json_object_set_new(json, "events", events_json(waits));
    return json;
}

json_t *waits_second_json(const struct waits *waits)
{
    json_t *json;

    if (waits->samples == 0)
        return json_null();
    json = json_pack("{s:I}", "samples", (json_int_t)waits->samples);
    for (int i = 0; i < WAIT_CLASSES; i++)
        if (waits->direct[i] > 0)
            json_object_set_new(json, wait_class_names[i],
                                json_real((double)waits->direct[i] / (double)waits->samples));
    return json;
}
