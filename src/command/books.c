/*
 * books.c - see books.h.
 */
#include "command/books.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "wire/conninfo.h"

#define GONE_PATIENCE_NS (5 * NS_PER_S)
#define STOP_PATIENCE_NS (700 * NS_PER_MS) /* Ctrl-C: all is over within two seconds */
#define STOP_ANSWER_NS   (300 * NS_PER_MS) /* and a server that has stopped is left alone */
#define TOLERANCE        0.01              /* design D6 */
#define FEW              16  /* a visit of autovacuum or two is no difference in a very short run */
#define BUSY             500 /* transactions elsewhere that are worth a note ... */
#define BUSY_SHARE       0.01 /* ... when they are that much of ours */

char *books_session_name(const char *conninfo)
{
    char *name = conninfo_value(conninfo, "application_name");

    if (name == NULL && getenv("PGAPPNAME") != NULL)
        name = memory_text(getenv("PGAPPNAME"));
    return name != NULL ? name : memory_text("pgdyno");
}

/* Autovacuum's visits are in it. */
static int64_t ended_elsewhere(struct collect *collect)
{
    int64_t count;

    return collect_whole(collect,
                         "SELECT coalesce(sum(xact_commit + xact_rollback), 0)::bigint FROM"
                         " pg_catalog.pg_stat_database WHERE datname <> current_database()",
                         &count)
               ? count
               : -1;
}

void books_begin(struct books *books, struct collect *collect)
{
    *books = (struct books){ .collect = collect, .elsewhere = -1 };
    if (collect == NULL)
        return;
    books->elsewhere = ended_elsewhere(collect);
    collect_commits_begin(collect);
}

/* -1, and the reason in `words`, when it cannot be told. */
static int64_t server_commits(const struct books *books, const struct engine_facts *facts,
                              const char *application_name, struct text *words)
{
    char note[256] = "";
    int64_t commits = -1;

    if (facts->interrupted)
        collect_limit(books->collect, STOP_ANSWER_NS);
    /* There the sessions that the server counts are not ours, nor do they end with the run. */
    if (facts->pooling != POOLING_NONE)
        snprintf(note, sizeof note, "behind a pooler the server's commits cannot be told apart");
    else
        commits = collect_commits_end(books->collect, application_name,
                                      facts->interrupted ? STOP_PATIENCE_NS : GONE_PATIENCE_NS,
                                      note, sizeof note);
    if (facts->host_count > 1)
        snprintf(note, sizeof note, "the sessions are on several servers, only one is watched");
    text_add(words, note);
    return facts->host_count > 1 ? -1 : commits;
}

static json_t *elsewhere_json(const struct books *books, int64_t client_commits, json_t *notes)
{
    int64_t now = books->elsewhere >= 0 && !collect_is_hurried(books->collect)
                      ? ended_elsewhere(books->collect)
                      : -1;
    int64_t count = now - books->elsewhere;
    char *words;

    if (now < 0 || count < 0)
        return json_null();
    if (count >= BUSY && (double)count >= BUSY_SHARE * (double)client_commits) {
        words = memory_format("other databases of this server ended %lld transactions meanwhile: "
                              "they are in no figure here, but had their share of the machine",
                              (long long)count);
        json_array_append_new(notes, json_string(words));
        memory_free(words);
    }
    return json_integer(count);
}

json_t *books_end(const struct books *books, const struct engine_facts *facts,
                  int64_t client_commits, const char *application_name, json_t *notes)
{
    struct text words;
    int64_t server;
    double difference;
    json_t *json;

    if (books->collect == NULL)
        return NULL;
    text_init(&words, ERROR_TEXT_MAX);
    server = server_commits(books, facts, application_name, &words);
    difference =
        client_commits > 0 ? (double)(server - client_commits) / (double)client_commits : 0;
    json = json_object();
    json_object_set_new(json, "client_commits", json_integer(client_commits));
    json_object_set_new(json, "note", json_string(words.bytes));
    json_object_set_new(json, "server_commits", server < 0 ? json_null() : json_integer(server));
    json_object_set_new(json, "difference", server < 0 ? json_null() : json_real(difference));
    json_object_set_new(json, "ok",
                        server < 0 ? json_null()
                                   : json_boolean(fabs(difference) <= TOLERANCE ||
                                                  llabs(server - client_commits) <= FEW));
    json_object_set_new(json, "elsewhere", elsewhere_json(books, client_commits, notes));
    text_close(&words);
    return json;
}
