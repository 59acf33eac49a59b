/*
 * nearest.h - which known name did someone mean?
 *
 * Offer every known name in turn; the best one so far is kept, if it is near enough to be a
 * plausible slip of the finger. '-' and '_' count as the same. Any thread.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#define NEAREST_NAME_MAX 64 /* longer names are near to nothing */

struct nearest {
    const char *wanted; /* what was typed; the caller sets it and zeroes the rest */
    const char *best;   /* borrowed from the offers; NULL when none is near */
    int distance;       /* of the best */
};

void nearest_offer(struct nearest *nearest, const char *name);

/* Insertions, deletions, exchanges and swaps of neighbours that lead from one name to the other. */
int nearest_distance(const char *a, const char *b);

#endif
