/*
 * vacuum.h - --vacuum: after the run the workload's tables are vacuumed, then a checkpoint is made.
 * Outside the measured window, after the books and the check.
 */
#ifndef COMMAND_VACUUM_H
#define COMMAND_VACUUM_H

#include <jansson.h>
#include <stdbool.h>

struct measure;
struct store;

/* As the plan asks for it; not when the operator wanted the run to end. Each step is said in the
 * result's log. SIGINT and SIGTERM end it, and the run's result stays what it is. Gives {"state":
 * "done", "skipped", "unfinished", "interrupted" or "refused", "why", "seconds", "steps": [{"what",
 * "began", "seconds", "bytes_before", "bytes_after", "error"}]}, owned; NULL when it was not asked
 * for or there are no tables. */
json_t *vacuum_after(const struct measure *measure, struct store *store, bool interrupted);

#endif
