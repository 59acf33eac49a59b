/*
 * table.h - what is asked of the server, one row a metric. A new metric is a new row.
 *
 * Rows of the same name are alternatives by version, or add their columns to the same object.
 * Private to the room.
 */
#ifndef COLLECT_TABLE_H
#define COLLECT_TABLE_H

#include <stdbool.h>

#include "collect/query.h"

struct table_row {
    const char *name; /* key in the snapshot; NULL ends the table */
    int min_major;    /* the first major that has it */
    int max_major;    /* the last one; 0: still there */
    enum query_shape shape;
    bool bare;        /* to be asked without our local settings */
    const char *need; /* SQL condition without which the statement would be refused; or NULL */
    const char *sql;
};

extern const struct table_row table_rows[];

/* The next row after `row` (NULL: the first) that a server of this major has; NULL at the end. */
const struct table_row *table_next(const struct table_row *row, int major);

#endif
