/*
 * evidence.h - what a finished result says about its limit, and the verdict on it.
 */
#ifndef COMMAND_EVIDENCE_H
#define COMMAND_EVIDENCE_H

#include <jansson.h>

#include "verdict/verdict.h"

/* Reads the figures from the tree of a result; what is not there is unknown. Pure. */
struct evidence evidence_of(json_t *result);
/* `verdict` of the result. Pure; owned. */
json_t *evidence_verdict(json_t *result);

#endif
