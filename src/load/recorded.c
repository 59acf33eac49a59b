/*
 * recorded.c - what a load has said of the data that it made: the options that they are of.
 */
#include <string.h>

#include "load/channel.h"
#include "load/load.h"
#include "load/stall.h"

/* Of the schema that a load would write to; no row when none has. */
static PGresult *ask(struct channel *channel, const char *family, struct error *err)
{
    const char *const values[] = { family };
    PGresult *there = channel_ask(
        channel,
        "SELECT to_regclass(format('%I.pgdyno_dataset', current_schema())), has_table_privilege("
        "to_regclass(format('%I.pgdyno_dataset', current_schema())), 'SELECT') IS TRUE",
        0, NULL, err);
    struct text sql;
    PGresult *found = NULL;

    if (there == NULL || PQgetisnull(there, 0, 0) || PQgetvalue(there, 0, 1)[0] != 't')
        return there;
    text_init(&sql, 1024);
    text_format(&sql,
                "SELECT detail -> 'parameters' FROM %s WHERE family = $1 AND kind = 'data set'",
                PQgetvalue(there, 0, 0));
    found = channel_ask(channel, sql.bytes, 1, values, err);
    text_close(&sql);
    PQclear(there);
    return found;
}

bool load_recorded(const struct load_setup *setup, json_t **parameters, struct error *err)
{
    struct stall stall;
    struct channel channel = { .care = &stall.care };
    PGresult *found = NULL;

    *parameters = NULL;
    stall_open(&stall, setup);
    if (channel_open(&channel, setup->conninfo, setup->plan->connect_timeout_ns, err))
        found = ask(&channel, setup->workload->family, err);
    if (found != NULL && PQntuples(found) == 1 && PQnfields(found) == 1 &&
        !PQgetisnull(found, 0, 0))
        *parameters = json_loads(PQgetvalue(found, 0, 0), 0, NULL);
    PQclear(found);
    channel_close(&channel);
    stall_close(&stall);
    return found != NULL;
}
