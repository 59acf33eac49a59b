/*
 * describe.h - what became of the target once the sessions were open: hosts, encryption, poolers.
 */
#ifndef COMMAND_DESCRIBE_H
#define COMMAND_DESCRIBE_H

#include <jansson.h>
#include <stdbool.h>

struct engine_facts;

/* Adds to collect_target()'s object; NULL is fine. */
void describe_target(json_t *target, const struct engine_facts *facts, bool local);

#endif
