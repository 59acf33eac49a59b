/*
 * verify.c - see verify.h.
 *
 * A check reads all the data, and these may be large: `auto` gives it a minute, and what is not
 * known by then is said to be unknown.
 */
#include "command/verify.h"

#include <string.h>

#include "base/clock.h"
#include "command/recorded.h"
#include "load/load.h"

#define AUTO_LIMIT_NS     (60 * NS_PER_S)
#define DIFFERENCES_KEPT  200
#define SQLSTATE_CANCELED "57014"

struct verifying {
    json_t *differences, *cannot_hold;
    int64_t checked, failed;
    bool unfinished;
};

static void keep(void *context, const struct load_checked *checked)
{
    struct verifying *verifying = context;

    if (checked->refused && strstr(checked->found, SQLSTATE_CANCELED) != NULL) {
        verifying->unfinished = true;
        return;
    }
    if (checked->excuse != NULL) {
        json_array_append_new(verifying->cannot_hold,
                              json_pack("{s:s, s:s, s:s}", "what", checked->what, "found",
                                        checked->found, "why", checked->excuse));
        return;
    }
    verifying->checked++;
    if (!checked->refused && strcmp(checked->found, checked->wanted) == 0)
        return;
    verifying->failed++;
    if (json_array_size(verifying->differences) < DIFFERENCES_KEPT)
        json_array_append_new(verifying->differences,
                              json_pack("{s:s, s:s, s:s}", "what", checked->what, "found",
                                        checked->found, "wanted", checked->wanted));
}

static const char *when_word(int when)
{
    return when == CHECK_ALWAYS ? "always" : when == CHECK_NEVER ? "never" : "auto";
}

static json_t *skipped(const struct command_call *call, const char *why)
{
    return json_pack("{s:s, s:s, s:s}", "when", when_word(call->plan.check), "state", "skipped",
                     "why", why);
}

static const char *state_of(const struct verifying *verifying)
{
    if (verifying->failed > 0)
        return "failed";
    return verifying->unfinished ? "unfinished" : "passed";
}

json_t *verify_data(const struct command_call *call, const char *conninfo, bool worth_it)
{
    struct load_setup setup = {
        .plan = &call->plan, .workload = call->workload, .world = call->world, .conninfo = conninfo
    };
    struct verifying verifying = { .differences = NULL };
    int when = call->plan.check;
    int64_t begin_ns = clock_now_ns();
    struct error err = { .kind = ERROR_NONE };
    json_t *told;

    if (call->workload->check == NULL || (when == CHECK_AUTO && !call->workload->check_after_run))
        return NULL;
    if (when == CHECK_NEVER)
        return skipped(call, "--check never");
    if (when == CHECK_AUTO && !worth_it)
        return skipped(call, "the run did not end as planned; --check always looks all the same");
    setup.world = recorded_world(call, conninfo, true);
    verifying.differences = json_array();
    verifying.cannot_hold = json_array();
    setup.check_limit_ns = when == CHECK_AUTO ? AUTO_LIMIT_NS : 0;
    if (load_check(&setup, keep, &verifying, &err))
        told = json_pack("{s:s, s:s}", "when", when_word(when), "state", state_of(&verifying));
    else
        told = json_pack("{s:s, s:s, s:s}", "when", when_word(when), "state", "unanswered", "why",
                         err.text);
    if (verifying.unfinished)
        json_object_set_new(told, "why",
                            json_string("it takes more than a minute; --check always waits"));
    json_object_set_new(told, "seconds", json_real((double)(clock_now_ns() - begin_ns) / NS_PER_S));
    json_object_set_new(told, "checked", json_integer(verifying.checked));
    json_object_set_new(told, "failed", json_integer(verifying.failed));
    json_object_set_new(told, "differences", verifying.differences);
    json_object_set_new(told, "cannot_hold", verifying.cannot_hold);
    return told;
}

bool verify_failed(const json_t *verified)
{
    return verified != NULL && json_integer_value(json_object_get(verified, "failed")) > 0;
}
