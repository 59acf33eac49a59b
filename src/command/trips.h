/*
 * trips.h - round trips of a run in its result: `network` and `round_trips`, and the file with each
 * of them.
 */
#ifndef COMMAND_TRIPS_H
#define COMMAND_TRIPS_H

#include <jansson.h>

struct engine_facts;
struct store;

/* What the kernel says of the way to the server; NULL when no session had a TCP socket. Owned. */
json_t *trips_network_json(const struct engine_facts *facts);
/* Exact figures of all that were kept, which go into the file round_trips.csv of the result; NULL
 * when none were. Owned. */
json_t *trips_json(const struct engine_facts *facts, struct store *store);

#endif
