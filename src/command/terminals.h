/*
 * terminals.h - terminals that share the connections: whether the workload has them, and what
 * result.json says of them.
 */
#ifndef COMMAND_TERMINALS_H
#define COMMAND_TERMINALS_H

#include <jansson.h>
#include <stdbool.h>

#include "command/command.h"
#include "command/rules.h"

struct command_call;

/* How many the rules of the workload want for its data; 0: they do not say. */
int64_t terminals_wanted(const struct workload *workload, const void *world);
/* Once the world is open: --terminals full becomes a number. ERROR_USAGE: a workload without
 * terminals, or too few of them. */
bool terminals_settle(struct command_call *call, struct error *err);

/* NULL without terminals; owned. */
json_t *terminals_json(const struct rules_facts *facts);
/* Appends a row for each transaction that the rules want to be done within a time; nothing without
 * terminals. */
void terminals_rates(json_t *rates, const struct rules_facts *facts);

#endif
