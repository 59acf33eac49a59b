/*
 * describe.h - what became of the target once the sessions were open: hosts, encryption, poolers;
 * and of the run when it is over.
 */
#ifndef COMMAND_DESCRIBE_H
#define COMMAND_DESCRIBE_H

#include <jansson.h>
#include <stdbool.h>

#include "report/report.h"

struct engine_facts;

/* Adds to collect_target()'s object; NULL is fine. */
void describe_target(json_t *target, const struct engine_facts *facts, bool local);

/* Prints a result that was just written. */
void describe_result(const struct report_style *style, const json_t *result, const char *path,
                     bool as_sysbench);

#endif
