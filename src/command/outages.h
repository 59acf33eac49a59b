/*
 * outages.h - the engine's list of outages as JSON, for the result.
 */
#ifndef COMMAND_OUTAGES_H
#define COMMAND_OUTAGES_H

#include <jansson.h>

struct engine_facts;

/* An array of {"at_s", "seconds", "ended", "code", "failed", "unknown", "refused"}. Owned. */
json_t *outages_json(const struct engine_facts *facts);

#endif
