/*
 * published.h - the published plans that come with pgdyno: beside its source, or where they are
 * installed.
 */
#ifndef COMMAND_PUBLISHED_H
#define COMMAND_PUBLISHED_H

#include "base/arena.h"

/* The plan of that name, in the arena; NULL when there is none. */
const char *published_find(const char *name, struct arena *arena);
/* `pgdyno list plans`. */
void published_list(struct arena *arena);

#endif
