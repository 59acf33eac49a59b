/*
 * watch.h - what was seen of machine and server while a run was measured.
 */
#ifndef COMMAND_WATCH_H
#define COMMAND_WATCH_H

#include <jansson.h>

#include "collect/collect.h"
#include "engine/engine.h"

/* Ends the watching, when the load is over and before its commits are counted: {"machine",
 * "statistics", "waits", "events"}, owned. What failed is appended to `notes`. `collect` may be
 * NULL. */
json_t *watch_end(struct collect_watch *watch, struct collect *collect, struct engine *engine,
                  json_t *notes);

#endif
