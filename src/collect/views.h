/*
 * views.h - which of the server's views are watched during a run, a row a view and the columns that
 * a range of majors has of it. A new metric is a column of a row here, or of the snapshot's row
 * that it refers to. Private to the room.
 */
#ifndef COLLECT_VIEWS_H
#define COLLECT_VIEWS_H

#include <jansson.h>
#include <stdbool.h>

#include "collect/query.h"

enum view_when {
    VIEW_EDGE,  /* read where the window begins and ends */
    VIEW_SECOND /* and once a second */
};

struct view {
    const char *name; /* `statistics.<name>`; NULL ends the table */
    enum view_when when;
    const char *sql; /* NULL: the rows of that name in the snapshot's table */
    enum query_shape shape;
    int min_major, max_major; /* 0: any; of rows with their own SQL */
    const char *need;         /* SQL condition without which it is not asked, or NULL */
    const char *keys;         /* of a list: the columns that tell its rows apart, " a b " */
    const char *gauges;       /* amounts, told as they were at the end, with their growth */
};

extern const struct view view_rows[];

#define VIEW_LIST_MAX   500 /* rows that are read of a list that may be longer */
#define VIEW_LIST_ROWS  "500"
#define VIEW_STATEMENTS "@statements@" /* in SQL: where the extension pg_stat_statements lives */

/* One statement that reads all views of this major and moment whose condition holds, as one JSON
 * object; `holds[i]` is about row i. `statements` may be NULL. Owned. */
char *views_sql(int major, enum view_when when, const bool *holds, const char *statements);
/* One statement with a boolean column for each row: may it be asked? Owned. */
char *views_needs_sql(int major);

/* The answer as {"at_s", "started", "<view>": {...} or [...]}: columns of rows that share a view
 * are put together. Owned. */
json_t *views_gather(json_t *answer);

/* What the counters grew by between two answers, {"<view>": {"<column>": ...}}: of a list the sum,
 * and "rows" with those that changed most. Views whose counters were reset or went back meanwhile
 * are null, and all are after a restart; `notes` tells. Pure; owned. */
json_t *views_difference(const json_t *begin, const json_t *end, json_t *notes);

/* The same in short, for a line of the series. */
json_t *views_short(const json_t *begin, const json_t *end);

#endif
