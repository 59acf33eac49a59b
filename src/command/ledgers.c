/*
 * ledgers.c - see ledgers.h.
 */
#include "command/ledgers.h"

#include <inttypes.h>

#include "base/memory.h"
#include "collect/collect.h"
#include "recorder/recorder.h"
#include "workload/workload.h"

bool ledger_balanced(int64_t growth, int64_t committed, int64_t unknown)
{
    return growth >= committed && growth <= committed + unknown;
}

static json_t *ask(const struct ledgers_asked *asked, const struct ledger *ledger)
{
    struct text sql;
    int64_t number;
    bool told = false;

    if (asked->collect == NULL)
        return json_null();
    text_init(&sql, WORKLOAD_SQL_MAX);
    ledger->write_sql(&sql, asked->world);
    told = sql.length > 0 && collect_whole(asked->collect, sql.bytes, &number);
    text_close(&sql);
    return told ? json_integer(number) : json_null();
}

json_t *ledgers_begin(const struct ledgers_asked *asked)
{
    const struct ledger *ledger = asked->workload->ledgers;
    json_t *list;

    if (ledger == NULL)
        return NULL;
    list = json_array();
    for (; ledger->name != NULL; ledger++) {
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(ledger->name));
        json_object_set_new(row, "words", json_string(ledger->words));
        json_object_set_new(row, "before", ask(asked, ledger));
        json_array_append_new(list, row);
    }
    return list;
}

/* Over the whole life of the sessions. What was under way at the end may have been committed. */
static void count_done(const struct ledger *ledger, const struct ledgers_asked *asked,
                       struct recorder *recorder, int64_t *committed, int64_t *unknown)
{
    int64_t each = ledger->each != NULL ? ledger->each(asked->world) : 1;

    *committed = *unknown = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        const struct phase_totals *totals = recorder_totals(recorder, (enum phase)phase);
        const int64_t *outcome = ledger->by_tally
                                     ? totals->all.outcome
                                     : totals->transactions[ledger->transaction].counts.outcome;
        *committed += each * outcome[OUTCOME_COMMITTED];
        *unknown += each * (outcome[OUTCOME_UNKNOWN] + outcome[OUTCOME_UNFINISHED]);
    }
    if (ledger->by_tally)
        *committed = recorder_tally(recorder, ledger->transaction);
}

static void judge(json_t *row, const struct ledger *ledger, const struct ledgers_asked *asked,
                  struct recorder *recorder, json_t *notes)
{
    const json_t *before = json_object_get(row, "before"), *after = json_object_get(row, "after");
    bool told = json_is_integer(before) && json_is_integer(after), balanced;
    int64_t growth = json_integer_value(after) - json_integer_value(before), committed, unknown;
    char *words;

    count_done(ledger, asked, recorder, &committed, &unknown);
    /* What a lost transaction had tallied nobody knows. */
    told = told && (!ledger->by_tally || unknown == 0);
    balanced = ledger_balanced(growth, committed, unknown);
    json_object_set_new(row, "growth", told ? json_integer(growth) : json_null());
    json_object_set_new(row, "committed", json_integer(committed));
    json_object_set_new(row, "unknown", json_integer(unknown));
    json_object_set_new(row, "balanced", told ? json_boolean(balanced) : json_null());
    if (!told || balanced)
        return;
    words = memory_format("%s grew by %" PRId64 ", but %" PRId64 " were committed, give or take "
                          "%" PRId64 " unknown: transactions were lost, or somebody else wrote",
                          ledger->words, growth, committed, unknown);
    json_array_append_new(notes, json_string(words));
    memory_free(words);
}

void ledgers_end(json_t *ledgers, const struct ledgers_asked *asked, struct recorder *recorder,
                 json_t *notes)
{
    size_t index;
    json_t *row;

    json_array_foreach(ledgers, index, row)
    {
        const struct ledger *ledger = &asked->workload->ledgers[index];
        json_object_set_new(row, "after", ask(asked, ledger));
        judge(row, ledger, asked, recorder, notes);
    }
}
