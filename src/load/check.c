/*
 * check.c - puts a workload's checks to the server; judging the answers is the caller's.
 *
 * A question that the server refuses (a table is not there) is an answer too; not so when the role
 * may not ask it, which says nothing about the data, or when the server went away.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "load/channel.h"
#include "load/load.h"
#include "load/stall.h"

static void tell_rows(const PGresult *found,
                      void (*tell)(void *context, const struct load_checked *checked),
                      void *context)
{
    for (int row = 0; row < PQntuples(found); row++)
        tell(context, &(struct load_checked){
                          .what = PQgetvalue(found, row, 0),
                          .found = PQgetisnull(found, row, 1) ? "?" : PQgetvalue(found, row, 1),
                          .wanted = PQgetvalue(found, row, 2),
                          .excuse = PQnfields(found) > 3 && !PQgetisnull(found, row, 3)
                                        ? PQgetvalue(found, row, 3)
                                        : NULL,
                      });
}

/* The server ends a question that takes longer than what is left: 57014. */
static bool limit_statement(struct channel *channel, int64_t until_ns, struct error *err)
{
    int64_t left_ms = (until_ns - clock_now_ns()) / NS_PER_MS;
    char sql[64];

    snprintf(sql, sizeof sql, "SET statement_timeout = %lld",
             (long long)(left_ms > 0 ? left_ms : 1));
    return channel_run(channel, sql, "limiting the time of a check", err);
}

bool load_check(const struct load_setup *setup,
                void (*tell)(void *context, const struct load_checked *checked), void *context,
                struct error *err)
{
    struct stall stall;
    struct channel channel = { .care = &stall.care };
    struct text sql;
    bool ok = true;
    int64_t until_ns = clock_now_ns() + setup->check_limit_ns;

    stall_open(&stall, setup);
    if (!channel_open(&channel, setup->conninfo, setup->plan->connect_timeout_ns, err)) {
        stall_close(&stall);
        return false;
    }
    text_init(&sql, WORKLOAD_SQL_MAX);
    for (int i = 0; ok && setup->workload->check(&sql, setup->world, i); i++) {
        struct error refusal;
        PGresult *found;

        ok = setup->check_limit_ns == 0 || limit_statement(&channel, until_ns, err);
        if (!ok)
            break;
        found = channel_ask(&channel, sql.bytes, 0, NULL, &refusal);

        if (found != NULL) {
            tell_rows(found, tell, context);
        } else if (strcmp(channel.sqlstate, "42501") == 0) {
            ok = error_set(err, ERROR_PLAN, "the data cannot be checked: %s", refusal.text);
        } else if (channel.lost || channel.sqlstate[0] == '\0' ||
                   refusal.kind == ERROR_INTERRUPTED) {
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
    stall_close(&stall);
    return ok;
}
