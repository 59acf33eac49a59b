/*
 * compat.c - see compat.h.
 *
 * A compat mode takes over what hides trouble, too: so whatever it did is said in the result.
 */
#include "command/compat.h"

#include <string.h>

#include "base/text.h"
#include "recorder/recorder.h"

void compat_settle(struct command_call *call)
{
    bool (*redraws)(const void *world) = call->workload->redraws;
    bool imitates = redraws != NULL && redraws(call->world);

    if (call->plan.retry == RETRY_AUTO)
        call->plan.retry = imitates ? RETRY_REDRAW : RETRY_SAME;
    if (call->plan.retries == RETRIES_AUTO)
        call->plan.retries = imitates ? RETRIES_ENDLESS : RETRIES_DEFAULT;
    /* The same values would be a duplicate for ever. */
    call->plan.retry_unique = imitates && call->plan.retry == RETRY_REDRAW;
    if (call->workload->isolation != NULL && call->plan.isolation == ISOLATION_DEFAULT)
        call->plan.isolation = call->workload->isolation(call->world);
    if (call->workload->says_texts && call->plan.protocol == PROTOCOL_AUTO)
        call->plan.protocol = PROTOCOL_SIMPLE;
}

static void note_retries(struct text *words, const struct plan *plan)
{
    if (!plan->retry_unique)
        return;
    text_add(words, "compat: 40001, 40P01 and 23505 (unique violation) are retried with new random "
                    "values, ");
    if (plan->retries < 0)
        text_add(words, "without limit");
    else
        text_format(words, "at most %lld times, where sysbench has no limit",
                    (long long)plan->retries);
}

static void add_note(json_t *notes, struct text *words)
{
    if (words->length > 0)
        json_array_append_new(notes, json_string(words->bytes));
    text_clear(words);
}

void compat_note(json_t *notes, const struct command_call *call, int64_t events, int64_t committed)
{
    const struct workload *workload = call->workload;
    struct text words;

    text_init(&words, WORKLOAD_SQL_MAX);
    if (workload->declares_wide != NULL && workload->declares_wide(call->world))
        text_add(&words, "compat: parameters are declared int8 and varchar where the columns are "
                         "int4 and char");
    add_note(notes, &words);
    note_retries(&words, &call->plan);
    add_note(notes, &words);
    if (events > 1)
        text_format(&words,
                    "compat: sysbench counts rows as events, and so does --format sysbench: the "
                    "%lld transactions of %lld rows counted here are %lld events",
                    (long long)committed, (long long)events, (long long)(committed * events));
    add_note(notes, &words);
    for (int i = 0; workload->remark != NULL && workload->remark(&words, call->world, i); i++)
        add_note(notes, &words);
    text_close(&words);
}

/* The level is said in BEGIN, so it is that of transaction blocks alone. */
void compat_note_isolation(json_t *notes, const struct command_call *call,
                           const struct recorder_layout *layout, const struct phase_totals *totals)
{
    int64_t blocks = 0;

    for (int i = workload_statement_count(call->workload); i < layout->statement_count; i++)
        if (strcmp(layout->statement_names[i], "begin") == 0)
            blocks += totals->statements[i].kind[QUERY_OTHER];
    if (call->plan.isolation != ISOLATION_DEFAULT && blocks == 0)
        json_array_append_new(
            notes,
            json_string("--isolation did nothing: no transaction of this workload is a block that "
                        "BEGIN opens; set default_transaction_isolation for the role or in the "
                        "conninfo's options instead"));
}

struct report_sysbench compat_sysbench(const struct command_call *call)
{
    json_t *options = call->group_count > 1 ? option_json(&call->groups[1]) : json_object();
    struct report_sysbench sysbench = report_sysbench_of(options);

    json_decref(options);
    return sysbench;
}
