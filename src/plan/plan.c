/*
 * plan.c - checks a plan as a whole, and says where its target is.
 */
#include "plan/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LABEL_MAX        64
#define TARGET_TEXT_MAX  (1 << 20)
#define LOCAL_MAJOR_HIGH 999

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

const char *protocol_name(int protocol)
{
    static const char *const names[] = { "prepared", "extended", "simple", "auto" };

    return protocol >= 0 && protocol < COUNT_OF(names) ? names[protocol] : "?";
}

const char *isolation_name(int isolation)
{
    static const char *const names[] = { "default", "read committed", "repeatable read",
                                         "serializable" };

    return isolation >= 0 && isolation < COUNT_OF(names) ? names[isolation] : "?";
}

/* ---- the target ---- */

/* A conninfo (has '=') or a URI, as libpq tells them apart from a database's name. */
static bool is_conninfo(const char *text)
{
    return strchr(text, '=') != NULL || strstr(text, "://") != NULL;
}

static bool has_sysbench_target(const struct plan *plan)
{
    return is_set(plan->pgsql_host) || is_set(plan->pgsql_port) || is_set(plan->pgsql_user) ||
           is_set(plan->pgsql_password) || is_set(plan->pgsql_db) || is_set(plan->pgsql_sslmode);
}

/* Appends "key='value' ", quoted as libpq wants it. */
static void add_keyword(struct text *out, const char *key, const char *value)
{
    if (!is_set(value))
        return;
    text_format(out, "%s%s='", out->length > 0 ? " " : "", key);
    for (; *value != '\0'; value++) {
        if (*value == '\'' || *value == '\\')
            text_add_char(out, '\\');
        text_add_char(out, *value);
    }
    text_add_char(out, '\'');
}

/* In a conninfo the last word about a keyword counts, so what --pgsql-db says itself wins. */
static const char *sysbench_target(const struct plan *plan, struct arena *arena)
{
    struct text out;
    const char *target;

    if (is_set(plan->pgsql_db) && strstr(plan->pgsql_db, "://") != NULL)
        return plan->pgsql_db;
    text_init(&out, TARGET_TEXT_MAX);
    add_keyword(&out, "host", plan->pgsql_host);
    add_keyword(&out, "port", plan->pgsql_port);
    add_keyword(&out, "user", plan->pgsql_user);
    add_keyword(&out, "password", plan->pgsql_password);
    add_keyword(&out, "sslmode", plan->pgsql_sslmode);
    if (is_set(plan->pgsql_db) && is_conninfo(plan->pgsql_db))
        text_format(&out, "%s%s", out.length > 0 ? " " : "", plan->pgsql_db);
    else
        add_keyword(&out, "dbname", plan->pgsql_db);
    target = arena_text(arena, out.bytes);
    text_close(&out);
    return target;
}

const char *plan_target_from(const struct plan *plan, const struct plan_environment *environment,
                             struct arena *arena)
{
    if (is_set(plan->target))
        return plan->target;
    if (has_sysbench_target(plan))
        return sysbench_target(plan, arena);
    if (is_set(environment->target))
        return environment->target;
    if (is_set(environment->host) || is_set(environment->hostaddr) || is_set(environment->port) ||
        is_set(environment->service) || is_set(environment->database))
        return "";
    return "local";
}

const char *plan_target(const struct plan *plan, struct arena *arena)
{
    struct plan_environment environment = {
        .target = getenv("PGDYNO_TARGET"),
        .host = getenv("PGHOST"),
        .hostaddr = getenv("PGHOSTADDR"),
        .port = getenv("PGPORT"),
        .service = getenv("PGSERVICE"),
        .database = getenv("PGDATABASE"),
    };

    return plan_target_from(plan, &environment, arena);
}

bool plan_target_local(const char *target, int *major, struct error *err)
{
    int64_t number = 0;
    const char *at;

    err->kind = ERROR_NONE;
    *major = 0;
    if (strcmp(target, "local") == 0)
        return true;
    if (strncmp(target, "local:", 6) != 0)
        return false;
    for (at = target + 6; isdigit((unsigned char)*at) && number <= LOCAL_MAJOR_HIGH; at++)
        number = number * 10 + (*at - '0');
    if (*at != '\0' || number == 0 || number > LOCAL_MAJOR_HIGH)
        return error_set(err, ERROR_USAGE,
                         "--target=local:MAJOR: wanted is a major version, as local:17, or local "
                         "for the newest");
    *major = (int)number;
    return true;
}

/* ---- the whole ---- */

static bool check_target(const struct plan *plan, struct error *err)
{
    int major;
    bool local = plan->target != NULL && plan_target_local(plan->target, &major, err);

    if (plan->target != NULL && !local && err->kind != ERROR_NONE)
        return false;
    /* A script's variable that was not set: never an occasion to make a server, or to drop data. */
    if (plan->target != NULL && plan->target[0] == '\0')
        return error_set(err, ERROR_USAGE,
                         "--target is empty: leave it out for libpq's variables or a local server");
    if (is_set(plan->target) && has_sysbench_target(plan))
        return error_set(err, ERROR_USAGE,
                         "--target and sysbench's --pgsql-* both say where the "
                         "server is: give one of them");
    /* The text is not repeated: it may be a password that slipped in. */
    if (is_set(plan->target) && !local && !is_conninfo(plan->target))
        return error_set(err, ERROR_USAGE,
                         "--target is no target: wanted is a conninfo (host=... dbname=...), a URI "
                         "(postgresql://...), local or local:MAJOR");
    if (is_set(plan->pgsql_db) && strstr(plan->pgsql_db, "://") != NULL &&
        (is_set(plan->pgsql_host) || is_set(plan->pgsql_port) || is_set(plan->pgsql_user) ||
         is_set(plan->pgsql_password) || is_set(plan->pgsql_sslmode)))
        return error_set(err, ERROR_USAGE,
                         "--pgsql-db is a URI that says it all: leave the other --pgsql-* out");
    if (plan->settings != NULL && !local && (is_set(plan->target) || has_sysbench_target(plan)))
        return error_set(err, ERROR_USAGE,
                         "--settings is for a local target: the settings of "
                         "another server are not pgdyno's to change");
    return true;
}

static bool check_label(const char *label, struct error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";

    if (label == NULL)
        return true;
    if (*label == '\0' || strlen(label) > LABEL_MAX || label[strspn(label, allowed)] != '\0')
        return error_set(err, ERROR_USAGE,
                         "--label: wanted are 1 to %d letters, digits, dots, underscores and "
                         "dashes",
                         LABEL_MAX);
    return true;
}

/* FROM..TO/TIME; false: not of that form, or not rates and a time above 0. */
static bool read_ramp(const char *text, struct ramp *ramp)
{
    const char *dots = strstr(text, "..");
    char from[32], unit[4] = "s", end;
    size_t length = dots != NULL ? (size_t)(dots - text) : sizeof from;
    int read;

    if (length == 0 || length >= sizeof from)
        return false;
    memcpy(from, text, length); /* by itself: "100." is a number too */
    from[length] = '\0';
    if (sscanf(from, "%lf%c", &ramp->from, &end) != 1)
        return false;
    read = sscanf(dots + 2, "%lf/%lf%3[a-z]%c", &ramp->to, &ramp->seconds, unit, &end);
    if (read != 2 && read != 3)
        return false;
    if (strcmp(unit, "ms") == 0)
        ramp->seconds /= 1000;
    else if (strcmp(unit, "min") == 0)
        ramp->seconds *= 60;
    else if (strcmp(unit, "h") == 0)
        ramp->seconds *= 3600;
    else if (strcmp(unit, "s") != 0)
        return false;
    return ramp->from > 0 && ramp->to > 0 && ramp->seconds > 0 && ramp->from <= 1e7 &&
           ramp->to <= 1e7 && ramp->seconds <= 31536000;
}

bool plan_open_loop(const struct plan *plan)
{
    return plan->rate_per_s > 0 || plan->ramp.to > 0;
}

bool plan_paced(const struct plan *plan)
{
    return plan_open_loop(plan) || plan->terminals != 0;
}

static bool check_terminals(const struct plan *plan, struct error *err)
{
    if (plan->terminals == 0)
        return true;
    if (plan_open_loop(plan))
        return error_set(err, ERROR_USAGE,
                         "--terminals is a load of its own: leave --rate and --ramp out");
    if (plan->think_ns > 0)
        return error_set(err, ERROR_USAGE,
                         "--terminals think by the rules of the workload: leave --think out");
    if (plan->engine == ENGINE_THREAD)
        return error_set(err, ERROR_USAGE,
                         "--terminals is for --engine=coroutine: a thread that waits for its "
                         "session cannot look after terminals");
    if (plan->terminals > 0 && plan->connections > plan->terminals)
        return error_set(err, ERROR_USAGE,
                         "--terminals=%lld share the connections: %lld of these would have "
                         "nothing to do",
                         (long long)plan->terminals,
                         (long long)(plan->connections - plan->terminals));
    return true;
}

static bool check_load(const struct plan *plan, struct error *err)
{
    if (is_set(plan->ramp_text) && plan->ramp.to <= 0)
        return error_set(err, ERROR_USAGE,
                         "--ramp: found %s, wanted FROM..TO/TIME with rates up to 10 million a "
                         "second, such as 100..5000/60s",
                         plan->ramp_text);
    if (plan->rate_per_s > 0 && plan->ramp.to > 0)
        return error_set(err, ERROR_USAGE, "--rate and --ramp are two loads: give one of them");
    if (plan->think_ns > 0 && plan_open_loop(plan))
        return error_set(err, ERROR_USAGE,
                         "--think is for the closed loop; with --rate or --ramp the schedule alone "
                         "says when transactions start");
    return check_terminals(plan, err);
}

static bool check_engine(const struct plan *plan, struct error *err)
{
    if (plan->engine != ENGINE_THREAD)
        return true;
    if (plan->workers > 0)
        return error_set(err, ERROR_USAGE,
                         "--workers is for --engine=coroutine: with --engine=thread each "
                         "connection has a thread of its own");
    if (plan->connections > ENGINE_THREADS_MAX)
        return error_set(err, ERROR_PLAN,
                         "--engine=thread has a thread for each connection and is for %d at most, "
                         "not %lld; --engine=coroutine is for any number",
                         ENGINE_THREADS_MAX, (long long)plan->connections);
    return true;
}

void plan_settle(struct plan *plan, bool time_given)
{
    plan->ramp.to = 0;
    if (is_set(plan->ramp_text) && !read_ramp(plan->ramp_text, &plan->ramp))
        plan->ramp.to = 0;
    if (plan->transactions > 0 && !time_given)
        plan->time_ns = 0;
}

bool plan_check(const struct plan *plan, struct error *err)
{
    if (!check_target(plan, err) || !check_label(plan->label, err) || !check_load(plan, err) ||
        !check_engine(plan, err))
        return false;
    if (plan->time_ns == 0 && plan->transactions == 0)
        return error_set(err, ERROR_USAGE,
                         "a run needs an end: give --time or --transactions more than 0");
    if (!is_set(plan->results))
        return error_set(err, ERROR_USAGE, "--results: wanted is a folder");
    return true;
}
