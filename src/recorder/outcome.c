/*
 * outcome.c - the words for what is counted, once for JSON, help and reports.
 */
#include "recorder/recorder.h"

const struct outcome_row outcome_table[OUTCOME_COUNT] = {
    [OUTCOME_COMMITTED] = { "committed", "the server said that it committed" },
    [OUTCOME_ROLLED_BACK] = { "rolled_back", "rolled back on purpose, as the workload says" },
    [OUTCOME_FAILED] = { "failed", "ended by an error, counted by SQLSTATE" },
    [OUTCOME_UNKNOWN] = { "unknown", "the connection was lost during COMMIT" },
    [OUTCOME_DROPPED] = { "dropped", "never sent: too late already, or left over from warm-up" },
    [OUTCOME_UNFINISHED] = { "unfinished", "still running when the run had to end" },
};

const char *const phase_names[PHASE_COUNT] = { "warmup", "measure" };

const char *const query_kind_names[QUERY_KINDS] = { "read", "write", "other" };

const char *const connect_part_names[CONNECT_PARTS] = { "tcp", "tls", "auth", "ready" };
