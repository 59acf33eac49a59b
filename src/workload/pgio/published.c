/*
 * published.c - --compat pgio1: PGIO's loop as published, and what to know about its figures.
 *
 * A session calls mypgio() once, for all of RUN_TIME, in one transaction. The loop's rules are the
 * published ones (spec pgio 1.5): keys from 1 to SCALE - WORK_UNIT - 1; in each hundred operations
 * parity of the key decides until one kind's quota is met, statements are planned each time. What
 * it returns is named as there, and the rows updated beside it.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "plan/plan.h"
#include "workload/pgio/pgio.h"

enum { SQL_CALL };

#define SIGNATURE "mypgio(varchar, integer, bigint, bigint, integer, integer)"

static const char function_sql[] =
    "CREATE FUNCTION %s.mypgio(target varchar, update_pct integer, run_seconds bigint,\n"
    "  blocks bigint, work_unit integer, update_work_unit integer, OUT mypid integer,\n"
    "  OUT loop_iterations bigint, OUT sql_selects bigint, OUT sql_updates bigint,\n"
    "  OUT sql_select_max_tm numeric(12,8), OUT sql_update_max_tm numeric(12,8),\n"
    "  OUT select_blk_touch_cnt bigint, OUT update_blk_touch_cnt bigint,\n"
    "  OUT rows_updated bigint)\n"
    "LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "  finish timestamptz := clock_timestamp() + make_interval(secs => run_seconds);\n"
    "  began timestamptz;\n"
    "  took numeric;\n"
    "  first bigint;\n"
    "  total bigint;\n"
    "  changed bigint;\n"
    "  window_selects integer := 0;\n"
    "  window_updates integer := 0;\n"
    "  writes boolean;\n"
    "BEGIN\n"
    "  IF update_pct < 0 OR update_pct > 100 OR update_pct BETWEEN 51 AND 99 THEN\n"
    "    RAISE EXCEPTION 'UPDATE_PCT is 0 to 50, or 100';\n"
    "  END IF;\n"
    "  mypid := pg_backend_pid();\n"
    "  loop_iterations := 0; sql_selects := 0; sql_updates := 0; rows_updated := 0;\n"
    "  sql_select_max_tm := 0; sql_update_max_tm := 0;\n"
    "  select_blk_touch_cnt := 0; update_blk_touch_cnt := 0;\n"
    "  WHILE clock_timestamp() < finish LOOP\n"
    "    first := trunc(random() * (blocks - work_unit - 1) + 1);\n"
    "    writes := update_pct = 100 OR (update_pct > 0 AND\n"
    "      ((mod(first, 2) = 0 AND window_updates < update_pct)\n"
    "       OR window_selects >= 100 - update_pct));\n"
    "    began := clock_timestamp();\n"
    "    IF writes THEN\n"
    "      EXECUTE 'UPDATE ' || target || ' SET scratch = scratch + 1 WHERE mykey BETWEEN '\n"
    "        || first || ' AND ' || first + update_work_unit;\n"
    "      GET DIAGNOSTICS changed = ROW_COUNT;\n"
    "      took := extract(epoch FROM clock_timestamp() - began);\n"
    "      sql_update_max_tm := greatest(sql_update_max_tm, took);\n"
    "      sql_updates := sql_updates + 1;\n"
    "      rows_updated := rows_updated + changed;\n"
    "      window_updates := window_updates + 1;\n"
    "      update_blk_touch_cnt := update_blk_touch_cnt + update_work_unit;\n"
    "    ELSE\n"
    "      EXECUTE 'SELECT sum(scratch) FROM ' || target || ' WHERE mykey BETWEEN '\n"
    "        || first || ' AND ' || first + work_unit INTO total;\n"
    "      took := extract(epoch FROM clock_timestamp() - began);\n"
    "      sql_select_max_tm := greatest(sql_select_max_tm, took);\n"
    "      sql_selects := sql_selects + 1;\n"
    "      window_selects := window_selects + 1;\n"
    "      select_blk_touch_cnt := select_blk_touch_cnt + work_unit;\n"
    "    END IF;\n"
    "    loop_iterations := loop_iterations + 1;\n"
    "    IF window_selects + window_updates >= 100 THEN\n"
    "      window_selects := 0;\n"
    "      window_updates := 0;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "END $$";

bool pgio1_object(struct object_spec *object, const void *world, int index, struct arena *arena)
{
    (void)world;
    (void)arena;
    if (index > 0)
        return false;
    *object = (struct object_spec){ .name = "FUNCTION " SIGNATURE, .create = function_sql };
    return true;
}

/* Is it something that the published loop can do? */
static bool allowed(const struct pgio_options *options, const struct plan *plan, struct error *err)
{
    if (options->update_pct > 50 && options->update_pct < 100)
        return error_set(err, ERROR_USAGE, "--compat pgio1: UPDATE_PCT is 0 to 50, or 100");
    if (options->scan_pct > 0 || options->do_hotspot || options->hot_schema_frequency > 0 ||
        options->redo != PGIO_LITE || options->rand.kind != DISTRIBUTION_UNIFORM)
        return error_set(err, ERROR_USAGE,
                         "--compat pgio1: the published loop has no scans, hot spots, other "
                         "distributions or redo stress: leave them or the compat mode out");
    return !plan_paced(plan) ||
           error_set(err, ERROR_USAGE, "--compat pgio1: a session makes one call, without a rate");
}

/* One call a session: a run by count, without a warm-up, that ends when the last one does. */
bool pgio1_settle(void *world, struct plan *plan, const struct option_argv *said, struct error *err)
{
    struct pgio_world *pgio = world;

    if (!pgio_settle(world, plan, said, err) || !allowed(&pgio->options, plan, err))
        return false;
    if (plan->transactions > 0 || plan->time_ns < NS_PER_S || plan->time_ns % NS_PER_S != 0)
        return error_set(err, ERROR_USAGE,
                         "--compat pgio1: --time is whole seconds, and there is no --transactions");
    pgio->run_s = plan->time_ns / NS_PER_S;
    plan->transactions = plan->connections;
    plan->time_ns = 0;
    plan->warmup_ns = 0;
    plan->think_ns = 0;
    plan->retries = 0;
    return true;
}

const struct statement pgio1_statements[] = {
    [SQL_CALL] = { .name = "mypgio",
                   .sql = "SELECT loop_iterations, sql_selects, sql_updates, rows_updated FROM "
                          "mypgio('pgio{}', $1, $2, $3, $4, $5)" },
    { .name = NULL },
};

struct call_input {
    int table;
};

static void call_draw(void *input, const void *world, struct draw *draw)
{
    ((struct call_input *)input)->table = pgio_draw_table(world, draw);
}

static void call_run(struct txn *txn, const void *input, const void *world)
{
    const struct pgio_world *pgio = world;
    const struct pgio_options *options = &pgio->options;
    const struct rows *rows;

    txn_instance(txn, ((const struct call_input *)input)->table);
    rows = txn_query(txn, SQL_CALL, options->update_pct, pgio->run_s, pgio->blocks,
                     options->work_unit, options->update_work_unit);
    for (int i = 0; i < PGIO1_TALLIES; i++)
        txn_tally(txn, i, rows_whole(rows, 0, i));
}

const struct transaction pgio1_transactions[] = {
    { .name = "mypgio",
      .summary = "the published loop, for all of RUN_TIME",
      .weight = 1,
      .input_size = sizeof(struct call_input),
      .draw = call_draw,
      .run = call_run },
    { .name = NULL },
};

bool pgio1_remark(struct text *out, const void *world, int index)
{
    const struct pgio_world *pgio = world;
    static const char *const words[] = {
        "compat pgio1: one transaction a session: no commit is ever waited for, rows stay locked "
        "until the end, dead rows cannot be removed, and counters of the server do not move during "
        "the run",
        "compat pgio1: RIOPS are PostgreSQL's requests to the kernel, whose cache may serve them: "
        "they are no I/O of a device; and they are those of the whole database",
        "compat pgio1: the published scripts count reads from before the sessions are launched "
        "and time from after it; here nobody starts before all are connected",
    };

    if (index < COUNT_OF(words)) {
        text_add(out, words[index]);
        return true;
    }
    if (index > COUNT_OF(words) || pgio->options.update_pct == 0)
        return false;
    text_add(out, "compat pgio1: with updates, sessions on one table wait for each other's locks "
                  "and deadlock; the original drops those that died without a word, here they are "
                  "transactions that failed");
    return true;
}
