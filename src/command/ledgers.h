/*
 * ledgers.h - what the data themselves say was done, held against the client's count (design D6).
 */
#ifndef COMMAND_LEDGERS_H
#define COMMAND_LEDGERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct collect;
struct recorder;
struct workload;

struct ledgers_asked {
    struct collect *collect; /* NULL: it cannot be asked, or the answer would mean nothing */
    const struct workload *workload;
    const void *world;
};

/* Do the data agree? What is not known to have been committed may or may not be in them. Pure. */
bool ledger_balanced(int64_t growth, int64_t committed, int64_t unknown);

/* Asks each ledger of the workload before the load sessions connect: as result.json has them, but
 * for what is known at the end. NULL when the workload has none; owned. */
json_t *ledgers_begin(const struct ledgers_asked *asked);
/* Asks again when the sessions are gone, and fills in the rest. Those that do not balance append to
 * `notes`. NULL is fine. */
void ledgers_end(json_t *ledgers, const struct ledgers_asked *asked, struct recorder *recorder,
                 json_t *notes);

#endif
