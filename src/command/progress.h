/*
 * progress.h - how far a load is, for whoever waits: on a terminal one line a step that is written
 * over, elsewhere plain lines, at most one in two seconds.
 */
#ifndef COMMAND_PROGRESS_H
#define COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "load/load.h"

struct progress { /* the caller sets the first two and zeroes the rest */
    FILE *out;
    bool quiet;
    int64_t told_ns;
    bool troubled; /* trouble was told last */
    bool open;     /* a line on the terminal is not ended yet */
};

/* For struct load_setup; `context` is the struct progress. */
void progress_tell(void *context, const struct load_progress *now);
/* Ends a line that is still open. */
void progress_end(struct progress *progress);

/* "1,234,567" and "21.4 MB" into a buffer of at least 32 bytes; gives it back. */
const char *progress_count(int64_t number, char *out);
const char *progress_size(int64_t bytes, char *out);

#endif
