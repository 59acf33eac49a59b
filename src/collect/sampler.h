/*
 * sampler.h - watches the server during a run, on a connection and a thread of its own: its views
 * at the edges of the measured window and once a second, its load sessions several times a second.
 * Private to the room.
 *
 * The connection is named pgdyno-collect, gives each statement a second, and its commits are
 * counted so that the books can leave them out. What fails is one note, and is not tried again.
 */
#ifndef COLLECT_SAMPLER_H
#define COLLECT_SAMPLER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct collect;
struct sampler;

struct sampler_setup {
    struct collect *collect; /* whose server; borrowed until sampler_open() returns */
    const char *application; /* name of the load sessions */
    int64_t rate;            /* looks at them a second */
    bool cold;               /* the measured window begins with the load */
};

/* Owned: sampler_free(). Never NULL: without a connection it has a note. */
struct sampler *sampler_open(const struct sampler_setup *setup);
void sampler_free(struct sampler *sampler);

/* As collect_watch_clock() and collect_watch_over(). */
void sampler_clock(struct sampler *sampler, int64_t start_ns, int64_t begin_ns, int64_t end_ns);
void sampler_over(struct sampler *sampler);

/* The latest second: "server" and "waits" of a line of the series. */
void sampler_second(struct sampler *sampler, json_t *line);

/* Ends it: the last reading of the views, then the connection is closed. `hurry`: no waiting. Adds
 * "statistics", "waits" and "events" to `out`, and what failed to `notes`. Gives the commits of the
 * connection. */
int64_t sampler_end(struct sampler *sampler, bool hurry, json_t *out, json_t *notes);

#endif
