/*
 * settings.h - a list of server settings: our own for this machine, and a person's from a file.
 */
#ifndef SERVER_SETTINGS_H
#define SERVER_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "server/limits.h"
#include "server/server.h"

#define SETTINGS_MAX 256

struct settings {
    struct server_setting rows[SETTINGS_MAX];
    int count;
};

/* Our choice. `disk_bytes` is the size of the file system that the data are on. */
void settings_choose(int major, const struct limits *limits, int64_t disk_bytes,
                     struct settings *out);
/* Lines `name = value` or `name value`, # comments, values plain or in single quotes, as in
 * postgresql.conf. `origin` names the text in messages. A setting by which we hold the server
 * (where its data and sockets are, who may enter) is refused: ERROR_PLAN. */
bool settings_parse(const char *content, const char *origin, struct settings *out,
                    struct error *err);
/* The same of what settings_render() wrote: nothing is refused, the comment is the reason. */
bool settings_parse_ours(const char *content, struct settings *out, struct error *err);
/* Puts the rows of `over` into `base`, replacing those of the same name. */
void settings_merge(struct settings *base, const struct settings *over);
void settings_set(struct settings *settings, const char *name, const char *value, const char *why);
/* Lines for postgresql.conf. */
void settings_render(const struct settings *settings, struct text *out);

#endif
