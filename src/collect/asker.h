/*
 * asker.h - the sampler's connection: what is asked over it, written for this server and role and
 * prepared once. Private to the room. One thread at a time.
 */
#ifndef COLLECT_ASKER_H
#define COLLECT_ASKER_H

#include <jansson.h>
#include <libpq-fe.h>
#include <stdbool.h>

struct collect;

enum ask {
    ASK_SECOND, /* the views of each second */
    ASK_EDGE,   /* all views */
    ASK_WAITS,  /* load sessions by what they are at: is checkpointer, state, type, event, count */
    ASK_CHAINS, /* sessions: is checkpointer, state, type, event, pid, is a load session, blockers
                 */
    ASK_COUNT
};

#define ASKER_NOTES_MAX 8

struct asker {
    struct collect *collect; /* NULL: there was no connection to be had */
    char *application;       /* name of the load sessions; owned */
    char *since; /* SQL condition: others of that name were there before, or "true"; owned */
    char *sql[ASK_COUNT]; /* NULL: not asked, or not any more */
    bool prepared[ASK_COUNT], pooled;
    char *notes[ASKER_NOTES_MAX]; /* what failed, each once */
    int note_count;
};

/* Connects as `other` did. False: there is a note. */
bool asker_open(struct asker *asker, const struct collect *other, const char *application);
void asker_close(struct asker *asker);

/* NULL: it failed, and will not be asked again. Owned: PQclear(). */
PGresult *asker_ask(struct asker *asker, enum ask which);
/* The views, gathered; NULL as above. Owned. */
json_t *asker_views(struct asker *asker, enum ask which);
/* The one value of a statement, or NULL. Owned. */
char *asker_text(struct asker *asker, const char *sql);
/* A statement that counts the load sessions there are. Owned. */
char *asker_count_sql(struct asker *asker);

#endif
