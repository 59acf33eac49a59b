/*
 * run.c - see run.h.
 */
#include "engine/run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/connector.h"

#define INPUT_ALIGN  16
#define CLAIM_SHARE  32   /* transactions that a worker claims at a time ... */
#define CLAIM_PLENTY 8192 /* ... while more than these are left: above CLAIM_SHARE a worker */

static const char *begin_sql(int isolation)
{
    switch (isolation) {
    case ISOLATION_READ_COMMITTED:
        return "BEGIN ISOLATION LEVEL READ COMMITTED";
    case ISOLATION_REPEATABLE_READ:
        return "BEGIN ISOLATION LEVEL REPEATABLE READ";
    case ISOLATION_SERIALIZABLE:
        return "BEGIN ISOLATION LEVEL SERIALIZABLE";
    default:
        return "BEGIN";
    }
}

static void init_built_in(struct run *run, int which, const char *name, const char *sql)
{
    struct shape *shape = &run->shapes[run->statement_count + which];

    shape->name = name;
    shape->key = (int64_t)run->statement_count * run->instance_count + which;
    shape->instance_count = 1;
    shape->sql = MEMORY_ARRAY(char *, 1);
    shape->sql[0] = memory_text(sql);
    shape->discard_rows = true;
}

static void clear_shape(struct shape *shape)
{
    for (int i = 0; i < shape->instance_count; i++)
        memory_free(shape->sql[i]);
    memory_free(shape->sql);
    shape->sql = NULL;
    shape->instance_count = 0;
}

/* Makes the texts of all instances, or none when they are made each time. */
static void write_shape(struct run *run, int index)
{
    const struct statement *statement = &run->workload->statements[index];
    struct shape *shape = &run->shapes[index];
    struct text sql;

    clear_shape(shape);
    if (shape->name == NULL || (statement->sql == NULL && statement->write_sql == NULL))
        return;
    shape->sql = MEMORY_ARRAY(char *, run->instance_count);
    text_init(&sql, WORKLOAD_SQL_MAX);
    for (int i = 0; i < run->instance_count; i++) {
        workload_sql(run->workload, run->world, index, i + 1, &sql);
        if (sql.length == 0)
            break;
        shape->sql[shape->instance_count++] = memory_text(sql.bytes);
    }
    text_close(&sql);
    if (shape->instance_count == 0)
        clear_shape(shape);
}

static void init_shape(struct run *run, int index)
{
    struct shape *shape = &run->shapes[index];

    shape->name = run->workload->statements[index].name;
    shape->key = (int64_t)index * run->instance_count;
    shape->discard_rows = run->workload->statements[index].discard_rows;
    if (run->workload->uses != NULL && !run->workload->uses(run->world, index))
        shape->name = NULL;
    write_shape(run, index);
}

static void init_mix(struct run *run)
{
    const struct workload *workload = run->workload;

    run->weights = MEMORY_ARRAY(double, run->transaction_count);
    run->weight_total = 0;
    for (int i = 0; i < run->transaction_count; i++) {
        run->weights[i] = workload->weight != NULL ? workload->weight(run->world, i)
                                                   : workload->transactions[i].weight;
        run->weight_total += run->weights[i];
    }
}

void run_init(struct run *run, const struct engine_setup *setup)
{
    outages_init(&run->outages);
    run->plan = setup->plan;
    run->on_over = setup->on_over;
    run->context = setup->context;
    run->protocol =
        setup->plan->protocol == PROTOCOL_AUTO ? PROTOCOL_PREPARED : setup->plan->protocol;
    run->workload = setup->workload;
    run->world = setup->world;
    run->pauses = run->workload->pauses != NULL && run->workload->pauses(run->world);
    run->rests = run->pauses || run->plan->think_ns > 0;
    run->statement_count = workload_statement_count(run->workload);
    run->transaction_count = workload_transaction_count(run->workload);
    run->instance_count = workload_instances(run->workload, run->world);
    run->tally_count = workload_tally_count(run->workload);
    assert(run->tally_count <= TXN_TALLIES_MAX);
    run->input_size = INPUT_ALIGN;
    for (int i = 0; i < run->transaction_count; i++) {
        size_t size = run->workload->transactions[i].input_size;
        assert(size <= TXN_INPUT_MAX);
        while (run->input_size < size)
            run->input_size += INPUT_ALIGN;
    }
    init_mix(run);
    run->shapes = MEMORY_ARRAY(struct shape, run->statement_count + BUILT_IN_COUNT);
    for (int i = 0; i < run->statement_count; i++)
        init_shape(run, i);
    init_built_in(run, BUILT_IN_BEGIN, "begin", begin_sql(run->plan->isolation));
    init_built_in(run, BUILT_IN_COMMIT, "commit", "COMMIT");
    init_built_in(run, BUILT_IN_ROLLBACK, "rollback", "ROLLBACK");
}

void run_close(struct run *run)
{
    for (int i = 0; run->shapes != NULL && i < run->statement_count + BUILT_IN_COUNT; i++)
        clear_shape(&run->shapes[i]);
    memory_free(run->shapes);
    run->shapes = NULL;
    memory_free(run->weights);
    run->weights = NULL;
    outages_close(&run->outages);
}

/* Says what to do about the refusals that new users meet. */
static bool refuse_shape(const struct run *run, const struct shape *shape, const PGresult *result,
                         struct error *err)
{
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (code == NULL)
        return error_set(err, ERROR_SERVER, "the server went away while statement %s was described",
                         shape->name);
    if (strcmp(code, "42P01") == 0)
        return error_set(err, ERROR_PLAN,
                         "statement %s cannot run: %s (%s); make the data first: pgdyno load %s",
                         shape->name, message, code, run->workload->name);
    return error_set(err, ERROR_PLAN, "statement %s cannot run: %s (%s); its text is: %s",
                     shape->name, message, code, shape->sql[0]);
}

/* The type a parameter is declared as: the column's, or the wider one that sysbench declares. */
static uint32_t declared_type(const struct run *run, uint32_t type)
{
    enum { INT4 = 23, INT8 = 20, BPCHAR = 1042, VARCHAR = 1043 };

    if (run->workload->declares_wide == NULL || !run->workload->declares_wide(run->world))
        return type;
    return type == INT4 ? INT8 : type == BPCHAR ? VARCHAR : type;
}

/* The answer to what was sent about it, when it is good. Owned. */
static PGresult *take_answer(const struct run *run, const struct shape *shape, PGconn *conn,
                             int sent, struct error *err)
{
    char doing[96];
    PGresult *result = connector_answer(conn, sent, run->plan->connect_timeout_ns);

    if (PQresultStatus(result) == PGRES_COMMAND_OK)
        return result;
    snprintf(doing, sizeof doing, "while statement %s was described", shape->name);
    if (result == NULL)
        connector_no_answer(conn, run->plan->connect_timeout_ns, doing, err);
    else
        refuse_shape(run, shape, result, err);
    PQclear(result);
    return NULL;
}

/* Prepares one instance of it without a name. */
static bool parse_shape(const struct run *run, const struct shape *shape, int instance,
                        PGconn *conn, struct error *err)
{
    int sent = PQsendPrepare(conn, "", shape->sql[instance], 0, NULL);
    PGresult *result = take_answer(run, shape, conn, sent, err);

    PQclear(result);
    return result != NULL;
}

static bool describe_shape(const struct run *run, struct shape *shape, PGconn *conn,
                           struct error *err)
{
    PGresult *result;
    bool ok = true;

    if (!parse_shape(run, shape, 0, conn, err))
        return false;
    result = take_answer(run, shape, conn, PQsendDescribePrepared(conn, ""), err);
    if (result == NULL) {
        ok = false;
    } else if (PQnparams(result) > WIRE_PARAMS_MAX) {
        ok = error_set(err, ERROR_BUG, "statement %s takes %d values; %d can be sent", shape->name,
                       PQnparams(result), WIRE_PARAMS_MAX);
    } else {
        shape->wire.param_count = PQnparams(result);
        for (int i = 0; i < shape->wire.param_count; i++)
            shape->wire.param_types[i] = declared_type(run, PQparamtype(result, i));
        wire_shape_settle(&shape->wire);
    }
    PQclear(result);
    return ok;
}

/* The workload's questions to its data. */
static bool ask_all(struct run *run, PGconn *conn, int64_t *commits, struct error *err)
{
    int64_t limit_ns = run->plan->connect_timeout_ns;
    struct text sql;
    bool ok = true;

    if (run->workload->ask == NULL)
        return true;
    text_init(&sql, WORKLOAD_SQL_MAX);
    for (int i = 0; ok && run->workload->ask(&sql, run->world, i); i++) {
        PGresult *result = connector_answer(conn, PQsendQuery(conn, sql.bytes), limit_ns);
        ok = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;
        if (ok) {
            run->workload->answer(run->world, i, strtoll(PQgetvalue(result, 0, 0), NULL, 10));
            (*commits)++;
        } else if (result == NULL) {
            connector_no_answer(conn, limit_ns, "when asked about the data", err);
        } else {
            error_set(err, ERROR_PLAN,
                      "the data cannot be asked: %s; make them first: pgdyno load %s",
                      PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY), run->workload->name);
        }
        PQclear(result);
        text_clear(&sql);
    }
    text_close(&sql);
    return ok;
}

/* What the answers mean: whether the data will do, and texts that hang on them. */
static bool settle_answers(struct run *run, struct error *err)
{
    if (run->workload->accept != NULL && !run->workload->accept(run->world, err))
        return false;
    for (int i = 0; i < run->statement_count; i++)
        if (run->workload->statements[i].write_sql != NULL)
            write_shape(run, i);
    return true;
}

/* Instances differ by a number only, so the first is described for all; whether the last is there
 * tells that the data are as large as the plan says. */
static bool describe_all(struct run *run, PGconn *conn, int64_t *commits, struct error *err)
{
    if (!ask_all(run, conn, commits, err) || !settle_answers(run, err))
        return false;
    for (int i = 0; i < run->statement_count + BUILT_IN_COUNT; i++) {
        if (run->shapes[i].sql == NULL)
            continue;
        if (!describe_shape(run, &run->shapes[i], conn, err))
            return false;
        *commits += 2; /* Parse and Describe, each with its Sync. */
        if (run->shapes[i].instance_count > 1) {
            if (!parse_shape(run, &run->shapes[i], run->shapes[i].instance_count - 1, conn, err))
                return false;
            (*commits)++;
        }
    }
    return true;
}

static void say(const struct run *run, PGconn *conn, const char *sql)
{
    PQclear(connector_answer(conn, PQsendQuery(conn, sql), run->plan->connect_timeout_ns));
}

bool run_describe(struct run *run, PGconn *conn, int64_t *commits, struct error *err)
{
    bool ok;

    /* Behind a pooler in one block, so that a statement is described where it was parsed. */
    if (run->pooled)
        say(run, conn, "BEGIN");
    ok = describe_all(run, conn, commits, err);
    if (run->pooled)
        say(run, conn, "ROLLBACK");
    return ok;
}

bool run_statement(const struct run *run, int index, struct engine_statement *statement)
{
    const struct shape *shape;

    if (index >= run->statement_count)
        return false;
    shape = &run->shapes[index];
    *statement = (struct engine_statement){ .name = shape->name,
                                            .sql = shape->sql != NULL ? shape->sql[0] : NULL,
                                            .types = shape->wire.param_types,
                                            .type_count = shape->wire.param_count };
    return true;
}

int64_t run_statement_total(const struct run *run)
{
    return (int64_t)run->statement_count * run->instance_count + BUILT_IN_COUNT;
}

enum phase run_phase(const struct run *run, int64_t now_ns)
{
    return now_ns < run->measure_begin_ns ? PHASE_WARMUP : PHASE_MEASURE;
}

bool run_over(const struct run *run, int64_t now_ns)
{
    int64_t wanted = run->plan->transactions;

    return atomic_load(&run->stop) != STOP_NO || (run->end_ns != 0 && now_ns >= run->end_ns) ||
           (wanted > 0 && atomic_load(&run->claimed) >= wanted);
}

bool run_may_start(struct run *run, int64_t now_ns, enum phase *phase)
{
    *phase = run_phase(run, now_ns);
    if (UNLIKELY(atomic_load_explicit(&run->stop, memory_order_relaxed) != STOP_NO))
        return false;
    if (run->end_ns != 0 && now_ns >= run->end_ns)
        return false;
    if (*phase == PHASE_WARMUP || run->plan->transactions == 0)
        return true;
    return atomic_fetch_add_explicit(&run->claimed, 1, memory_order_relaxed) <
           run->plan->transactions;
}

int64_t run_claim_ahead(struct run *run)
{
    int64_t wanted = run->plan->transactions;

    if (wanted == 0)
        return CLAIM_PLENTY;
    if (wanted - atomic_load_explicit(&run->claimed, memory_order_relaxed) < CLAIM_PLENTY)
        return 0;
    atomic_fetch_add_explicit(&run->claimed, CLAIM_SHARE, memory_order_relaxed);
    return CLAIM_SHARE;
}

void run_stop_by_error(struct run *run, const char *code, const char *message)
{
    if (!atomic_exchange(&run->stopped_by_error, true)) {
        snprintf(run->stop_code, sizeof run->stop_code, "%s", code);
        snprintf(run->stop_message, sizeof run->stop_message, "%s", message);
    }
    atomic_compare_exchange_strong(&run->stop, &(int){ STOP_NO }, STOP_SOON);
}
