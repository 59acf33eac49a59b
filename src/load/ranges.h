/*
 * ranges.h - which rows are done: a sorted set of row ranges that neither touch nor overlap.
 *
 * Pure: no server, no clock. The set owns its memory; one thread at a time.
 */
#ifndef LOAD_RANGES_H
#define LOAD_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct range {
    int64_t first, last; /* both inclusive */
};

struct ranges { /* zeroed is empty; ranges_close() gives the memory back */
    struct range *list;
    int count, size;
};

void ranges_close(struct ranges *ranges);
void ranges_clear(struct ranges *ranges);
/* Adds a range; false when part of it was there already (the set then holds the union). */
bool ranges_add(struct ranges *ranges, int64_t first, int64_t last);
int64_t ranges_rows(const struct ranges *ranges);
bool ranges_hold(const struct ranges *ranges, int64_t first, int64_t last);

/* The lowest missing piece of [from, last], at most `rows_max` long; false when nothing is
 * missing. */
bool ranges_missing(const struct ranges *ranges, struct range within, int64_t rows_max,
                    struct range *out);

#endif
