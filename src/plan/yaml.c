/*
 * yaml.c - see yaml.h. libyaml gives events; a stack of open lists and mappings makes the tree.
 */
#include "plan/yaml.h"

#include <string.h>
#include <yaml.h>

#include "base/text.h"

#define SHOWN_MAX 60

struct reader {
    const char *origin;
    struct arena *arena;
    struct yaml *root;
    struct yaml *open[YAML_DEPTH_MAX], *last[YAML_DEPTH_MAX];
    int depth, nodes, documents;
    const char *key; /* of the entry that comes next */
    yaml_mark_t key_mark;
    struct error *err;
};

static bool refuse(const struct reader *reader, yaml_mark_t mark, const char *words)
{
    return error_set(reader->err, ERROR_PLAN, "%s:%d:%d: %s", reader->origin, (int)mark.line + 1,
                     (int)mark.column + 1, words);
}

static const char *safe(const char *words, struct arena *arena)
{
    struct text text;
    const char *copy;

    text_init(&text, YAML_BYTES_MAX * 8);
    text_add_safe(&text, words);
    if (text.length > SHOWN_MAX)
        memcpy(text.bytes + SHOWN_MAX - 3, "...", 4);
    copy = arena_text(arena, text.bytes);
    text_close(&text);
    return copy;
}

static bool is_known(const struct yaml *map, const char *key)
{
    return yaml_find(map, key) != NULL;
}

/* Puts a node where the reader is. NULL: refused. */
static struct yaml *place(struct reader *reader, enum yaml_kind kind, yaml_mark_t mark)
{
    struct yaml *node;
    int at = reader->depth - 1;

    if (++reader->nodes > YAML_NODES_MAX) {
        refuse(reader, mark, "the plan is too large: it has more than 20000 entries");
        return NULL;
    }
    node = ARENA_NEW(reader->arena, struct yaml);
    node->kind = kind;
    node->line = (int)mark.line + 1;
    node->column = (int)mark.column + 1;
    node->key = reader->key;
    reader->key = NULL;
    if (at < 0) {
        reader->root = node;
        return node;
    }
    if (reader->last[at] != NULL)
        reader->last[at]->next = node;
    else
        reader->open[at]->first = node;
    reader->last[at] = node;
    reader->open[at]->count++;
    return node;
}

static bool open_node(struct reader *reader, enum yaml_kind kind, yaml_mark_t mark)
{
    struct yaml *node;

    if (reader->depth > 0 && reader->open[reader->depth - 1]->kind == YAML_MAP &&
        reader->key == NULL)
        return refuse(reader, mark, "a key must be a plain word");
    if (reader->depth == YAML_DEPTH_MAX)
        return refuse(reader, mark, "lists and mappings are nested too deeply: 8 levels at most");
    node = place(reader, kind, mark);
    if (node == NULL)
        return false;
    reader->open[reader->depth] = node;
    reader->last[reader->depth++] = NULL;
    return true;
}

static bool read_key(struct reader *reader, const char *text, yaml_mark_t mark)
{
    const struct yaml *map = reader->open[reader->depth - 1];

    if (text[0] == '\0')
        return refuse(reader, mark, "a key is empty");
    if (map->count >= YAML_KEYS_MAX)
        return refuse(reader, mark, "a mapping has at most 500 keys");
    if (is_known(map, text))
        return refuse(reader, mark,
                      arena_format(reader->arena, "%s: stands here twice, first in line %d",
                                   safe(text, reader->arena), yaml_find(map, text)->line));
    reader->key = arena_text(reader->arena, text);
    reader->key_mark = mark;
    return true;
}

static bool read_value(struct reader *reader, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    struct yaml *node;

    if (strlen(text) != event->data.scalar.length)
        return refuse(reader, event->start_mark, "a value holds a zero byte");
    if (reader->depth > 0 && reader->open[reader->depth - 1]->kind == YAML_MAP &&
        reader->key == NULL)
        return read_key(reader, text, event->start_mark);
    node = place(reader, YAML_VALUE, event->start_mark);
    if (node == NULL)
        return false;
    node->text = arena_text(reader->arena, text);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return true;
}

/* Anchors and tags hang on three kinds of events. */
static bool is_plain(struct reader *reader, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor != NULL || event->type == YAML_ALIAS_EVENT)
        return refuse(reader, event->start_mark,
                      "anchors and aliases (& and *) are not taken in a plan: write it out, or put "
                      "it in quotes");
    if (tag != NULL)
        return refuse(reader, event->start_mark, "tags (!) are not taken in a plan");
    return true;
}

static bool take(struct reader *reader, const yaml_event_t *event)
{
    if (!is_plain(reader, event))
        return false;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++reader->documents > 1)
            return refuse(reader, event->start_mark, "a plan is one document: found a second one");
        return true;
    case YAML_SCALAR_EVENT:
        return read_value(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(reader, YAML_LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return open_node(reader, YAML_MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader->depth--;
        return true;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_ALIAS_EVENT:
        break;
    }
    return true;
}

/* What libyaml says, with the place that it means. */
static bool complain(const struct reader *reader, const yaml_parser_t *parser)
{
    yaml_mark_t mark = parser->problem_mark;
    const char *words = parser->problem != NULL ? parser->problem : "this is no YAML";

    if (strstr(words, "cannot start any token") != NULL)
        return refuse(reader, mark,
                      "no value begins with this character; if it is a tab, indent with spaces");
    return refuse(reader, mark, safe(words, reader->arena));
}

static bool walk(struct reader *reader, yaml_parser_t *parser)
{
    yaml_event_t event;
    bool good = true, end = false;

    while (good && !end) {
        if (!yaml_parser_parse(parser, &event))
            return complain(reader, parser);
        end = event.type == YAML_STREAM_END_EVENT;
        good = take(reader, &event);
        yaml_event_delete(&event);
    }
    return good;
}

struct yaml *yaml_read(const char *content, size_t size, const char *origin, struct arena *arena,
                       struct error *err)
{
    struct reader reader = { .origin = origin, .arena = arena, .err = err };
    yaml_parser_t parser;
    bool good;

    if (size > YAML_BYTES_MAX) {
        error_set(err, ERROR_PLAN, "%s: a plan has at most 1 MB, this has %zu bytes", origin, size);
        return NULL;
    }
    if (!yaml_parser_initialize(&parser)) {
        error_set(err, ERROR_MACHINE, "%s: no memory for reading it", origin);
        return NULL;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)content, size);
    good = walk(&reader, &parser);
    yaml_parser_delete(&parser);
    if (good && reader.root == NULL)
        good = error_set(err, ERROR_PLAN, "%s:1:1: the plan is empty", origin);
    return good ? reader.root : NULL;
}

static bool same_key(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
            return false;
    return *a == *b;
}

struct yaml *yaml_find(const struct yaml *map, const char *key)
{
    for (struct yaml *node = map->first; node != NULL; node = node->next)
        if (node->key != NULL && same_key(node->key, key))
            return node;
    return NULL;
}

const char *yaml_show(const struct yaml *node, struct arena *arena)
{
    if (node->kind == YAML_LIST)
        return "a list";
    if (node->kind == YAML_MAP)
        return "a mapping";
    return node->text[0] != '\0' ? safe(node->text, arena) : "nothing";
}
