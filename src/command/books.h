/*
 * books.h - the client's commits against the server's (design D6), and what went on meanwhile in
 * other databases of the server.
 */
#ifndef COMMAND_BOOKS_H
#define COMMAND_BOOKS_H

#include <jansson.h>
#include <stdint.h>

#include "collect/collect.h"
#include "engine/engine.h"

struct books {
    struct collect *collect; /* NULL: no server, no books */
    int64_t elsewhere;       /* ended transactions of other databases at the start; -1: not told */
};

/* What the load sessions are called in pg_stat_activity: the user's name for them, or ours. Owned.
 */
char *books_session_name(const char *conninfo);

/* Before the first load session. `collect` is borrowed until books_end(), and may be NULL. */
void books_begin(struct books *books, struct collect *collect);

/* After the load sessions have ended. {"client_commits", "server_commits", "difference", "ok",
 * "note", "elsewhere": transactions ended in other databases}, owned; what cannot be told is null.
 * NULL without a server. A note is added when the others were busy. */
json_t *books_end(const struct books *books, const struct engine_facts *facts,
                  int64_t client_commits, const char *application_name, json_t *notes);

#endif
