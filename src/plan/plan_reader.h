/*
 * plan_reader.h - what the two halves of reading a plan share. Private to the room.
 */
#ifndef PLAN_PLAN_READER_H
#define PLAN_PLAN_READER_H

#include "plan/plan_file.h"
#include "plan/yaml.h"

struct plan_reader {
    const struct plan_file_source *source;
    struct arena *arena;
    struct plan_file *out;
    struct error *err;
};

/* "FILE:LINE:COLUMN: KEY: ..." of a node. Gives false. */
bool plan_wrong(const struct plan_reader *reader, const struct yaml *node, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* A key that nobody knows; `nearest` is the one that may have been meant, or NULL, and `known` all
 * of them as one text. */
bool plan_unknown(const struct plan_reader *reader, const struct yaml *node, const char *nearest,
                  const char *known);
/* A plain value that is not empty; NULL: refused. `wanted` says what is allowed. */
const char *plan_value(const struct plan_reader *reader, const struct yaml *node,
                       const char *wanted);
/* 1 to PLAN_NAME_MAX letters, digits, dots, underscores and dashes. */
bool plan_is_name(const char *text);

/* plan_grid.c: the lists `workloads`, and the options under `load`. */
bool plan_read_rows(struct plan_reader *reader, const struct yaml *list);
bool plan_read_load(struct plan_reader *reader, const struct yaml *map);

#endif
