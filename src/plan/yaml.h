/*
 * yaml.h - a YAML text as a tree whose nodes know their line and column. Private to the room.
 *
 * A plan is a small file from a stranger, so what YAML has beyond lists, mappings and plain values
 * is refused: anchors and aliases (a text of a kilobyte can mean gigabytes by them), tags, several
 * documents, keys that are no plain values. Size, depth and the number of nodes are bounded.
 */
#ifndef PLAN_YAML_H
#define PLAN_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"

#define YAML_BYTES_MAX (1 << 20)
#define YAML_NODES_MAX 20000
#define YAML_KEYS_MAX  500 /* of a mapping */
#define YAML_DEPTH_MAX 8

enum yaml_kind { YAML_VALUE, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    int line, column; /* from 1 on */
    const char *key;  /* in a mapping; else NULL */
    const char *text; /* of a plain value; "" for one that is left out */
    bool quoted;      /* it stood in quotes */
    int count;        /* of a list or mapping */
    struct yaml *first, *next;
};

/* Reads `size` bytes; `origin` names the file in messages. NULL: ERROR_PLAN with file, line and
 * column. All in the arena. */
struct yaml *yaml_read(const char *content, size_t size, const char *origin, struct arena *arena,
                       struct error *err);

/* The entry of a mapping, '-' and '_' the same; NULL when there is none. */
struct yaml *yaml_find(const struct yaml *map, const char *key);
/* "a list", "a mapping", or the value itself, cut and made safe for a terminal; in the arena. */
const char *yaml_show(const struct yaml *node, struct arena *arena);

#endif
