/*
 * check.c - puts a workload's checks to the server; judging the answers is the caller's.
 *
 * A question that the server refuses (a table is not there) is an answer too; only a server that
 * went away has not answered.
 */
#include <string.h>

#include "load/channel.h"
#include "load/load.h"

static void tell_rows(const PGresult *found,
                      void (*tell)(void *context, const struct load_checked *checked),
                      void *context)
{
    for (int row = 0; row < PQntuples(found); row++)
        tell(context, &(struct load_checked){
                          .what = PQgetvalue(found, row, 0),
                          .found = PQgetisnull(found, row, 1) ? "?" : PQgetvalue(found, row, 1),
                          .wanted = PQgetvalue(found, row, 2),
                      });
}

bool load_check(const struct load_setup *setup,
                void (*tell)(void *context, const struct load_checked *checked), void *context,
                struct error *err)
{
    struct channel channel = { .care = NULL };
    struct text sql;
    bool ok = true;

    if (!channel_open(&channel, setup->conninfo, setup->plan->connect_timeout_ns, err))
        return false;
    text_init(&sql, WORKLOAD_SQL_MAX);
    for (int i = 0; ok && setup->workload->check(&sql, setup->world, i); i++) {
        struct error refusal;
        PGresult *found = channel_ask(&channel, sql.bytes, 0, NULL, &refusal);

        if (found != NULL) {
            tell_rows(found, tell, context);
        } else if (channel.lost || channel.sqlstate[0] == '\0') {
            *err = refusal;
            ok = error_wrap(err, "checking the data");
        } else {
            tell(context, &(struct load_checked){
                              .what = "", .found = refusal.text, .wanted = "", .refused = true });
        }
        PQclear(found);
        text_clear(&sql);
    }
    text_close(&sql);
    channel_close(&channel);
    return ok;
}
