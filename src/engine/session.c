/*
 * session.c - saying and hearing, see session.h.
 *
 * Outside of a transaction block every statement has a Sync of its own, for a Sync is where an
 * implicit transaction commits. Inside a block with the pipeline on, one Sync closes all that was
 * said before a wait.
 */
#include "engine/session.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

#define SAID_MASK (TXN_REPLIES_MAX - 1)

_Static_assert((TXN_REPLIES_MAX & SAID_MASK) == 0, "numbers wrap by masking");

void session_init(struct session *session, struct run *run, int index)
{
    session->run = run;
    session->index = index;
    session->stream_key = rng_stream((uint64_t)run->plan->seed, (uint64_t)index);
    session->inputs = memory_make(2, run->input_size);
    session->input = session->inputs;
    session->next_input = (char *)session->inputs + run->input_size;
    session->status = 'I';
    session->tired = run->pauses; /* The first one is keyed in, too. */
    if (run->protocol == PROTOCOL_PREPARED)
        session->prepared = prepared_new(run_statement_total(run), run->plan->statement_cache);
}

void session_close(struct session *session)
{
    wire_close(session->wire);
    session->wire = NULL;
    prepared_free(session->prepared);
    session->prepared = NULL;
    memory_free(session->inputs);
    session->inputs = session->input = session->next_input = NULL;
    rows_store_close(&session->store);
    arena_free(session->room);
    session->room = NULL;
}

void session_start_connection(struct session *session)
{
    session->farewell = false;
    session->syncs_sent = session->syncs_seen = session->unsynced = 0;
    session->status = 'I';
    if (session->prepared != NULL)
        prepared_forget(session->prepared);
}

void session_record_connect(const struct session *session, bool reopened)
{
    struct lane *lane = session->io->lane;

    lane_connect(lane, session->connecting.took_ns, reopened);
    for (int i = 0; i < CONNECT_PARTS; i++)
        if (session->connecting.part_ns[i] >= 0)
            lane_connect_part(lane, (enum connect_part)i, session->connecting.part_ns[i]);
}

void session_start_attempt(struct session *session)
{
    session->txn = (struct txn){ .session = session, .instance = 1 };
    session->said_count = session->answered_count = 0;
    session->fresh_said = session->fresh_seen = 0;
    session->failed = session->completed_unsynced = false;
    session->await_sync = false;
    if (LIKELY(!session->farewell))
        session->error_code[0] = '\0';
    rows_store_reset(&session->store);
    if (UNLIKELY(session->room != NULL))
        arena_reset(session->room);
}

static void encode_prepared(struct session *session, int index, int instance,
                            const struct value *values, int count)
{
    const struct shape *shape = &session->run->shapes[index];
    struct wire_out *out = &session->io->out;
    struct prepared_slot use = prepared_use(session->prepared, shape->key + instance - 1);

    if (UNLIKELY(use.fresh)) {
        assert(shape->sql != NULL && "the workload says that it does not use the statement");
        if (use.evicted)
            wire_add_close_statement(out, use.name);
        wire_add_parse(out, use.name, shape->sql[shape->instance_count == 1 ? 0 : instance - 1],
                       &shape->wire);
        session->fresh_slots[session->fresh_said++ & SAID_MASK] = use.slot;
    }
    wire_add_bind(out, use.name, &shape->wire, values, count);
}

static void encode_simple(struct session *session, const char *sql, const struct value *values,
                          int count)
{
    struct text text;

    if (count == 0) {
        wire_add_query(&session->io->out, sql);
        return;
    }
    text_init(&text, WIRE_MESSAGE_MAX);
    wire_interpolate(&text, sql, values, count);
    wire_add_query(&session->io->out, text.bytes);
    text_close(&text);
}

/* The next number, and the place where its answer is kept. */
static inline uint32_t expect(struct session *session, int index)
{
    uint32_t number = session->said_count++;
    struct said *said = &session->said[number & SAID_MASK];

    HOT_ASSERT(number - session->answered_count < TXN_REPLIES_MAX &&
               "too many answers outstanding");
    said->shape = index;
    said->sent_ns = session->io->now_ns;
    said->rows = (struct rows){ .store = &session->store };
    return number;
}

/* A workload without a server is answered at once. */
static void answer_at_once(struct session *session, int index)
{
    session->answered_count = session->said_count;
    lane_statement(session->io->lane, &(struct statement_record){ .statement = index,
                                                                  .phase = session->phase,
                                                                  .kind = QUERY_READ,
                                                                  .latency_ns = 0,
                                                                  .rows = 1 });
}

uint32_t session_say(struct session *session, int index, int instance, const struct value *values,
                     int count)
{
    const struct shape *shape = &session->run->shapes[index];
    const struct plan *plan = session->run->plan;
    uint32_t number = expect(session, index);
    const char *sql;

    HOT_ASSERT(instance >= 1 && instance <= session->run->instance_count);
    if (UNLIKELY(session->wire == NULL)) {
        answer_at_once(session, index);
        return number;
    }
    HOT_ASSERT(count == shape->wire.param_count && "values do not match the statement");
    if (LIKELY(session->run->protocol == PROTOCOL_PREPARED)) {
        encode_prepared(session, index, instance, values, count);
    } else {
        sql = shape->sql[shape->instance_count == 1 ? 0 : instance - 1];
        if (session->run->protocol == PROTOCOL_SIMPLE) {
            encode_simple(session, sql, values, count);
            session->syncs_sent++;
            return number;
        }
        wire_add_parse(&session->io->out, &wire_unnamed, sql, &shape->wire);
        wire_add_bind(&session->io->out, &wire_unnamed, &shape->wire, values, count);
    }
    if (plan->pipeline && session->txn.in_block) {
        wire_add_execute(&session->io->out);
        session->unsynced++;
    } else {
        wire_add_execute_sync(&session->io->out);
        session->unsynced = 0;
        session->syncs_sent++;
    }
    return number;
}

uint32_t session_say_text(struct session *session, int index, const char *sql, int length)
{
    uint32_t number = expect(session, index);

    (void)length;
    if (session->wire == NULL) {
        answer_at_once(session, index);
        return number;
    }
    session_sync(session); /* A simple query is a sync point of its own. */
    wire_add_query(&session->io->out, sql);
    session->syncs_sent++;
    return number;
}

void session_sync(struct session *session)
{
    if (session->unsynced == 0)
        return;
    wire_add_sync(&session->io->out);
    session->unsynced = 0;
    session->syncs_sent++;
}

static bool lose(struct session *session)
{
    /* A server that said why it goes away (57P01 and the like) is believed. */
    if (session->error_code[0] == '\0') {
        snprintf(session->error_code, sizeof session->error_code, "%s",
                 wire_lost_code(session->wire));
        snprintf(session->error_text, sizeof session->error_text, "%s",
                 wire_lost_text(session->wire));
    } else if (!session->farewell) {
        return false;
    }
    session->error_shape = session->answered_count < session->said_count
                               ? session->said[session->answered_count & SAID_MASK].shape
                               : -1;
    return false;
}

/* What was answered before the end is good: it is taken first, and the loss is met by whatever is
 * said next. */
static bool lose_unless_answered(struct session *session)
{
    return session_can_go_on(session) || lose(session);
}

bool session_flush(struct session *session)
{
    enum wire_state state;

    if (session->wire == NULL)
        return true;
    state = wire_flush(session->wire, &session->io->out);
    session->want_write = state == WIRE_WANT_WRITE;
    session->unsent = state != WIRE_OK;
    return state == WIRE_LOST ? lose(session) : true;
}

bool session_go_on_sending(struct session *session)
{
    return session_flush(session) && (!session->unsent || session_receive(session));
}

/* The server answered COMMIT with ROLLBACK: the block had failed, perhaps behind our back. */
static void hear_refused_commit(struct session *session, int shape)
{
    if (session->failed)
        return;
    session->failed = true;
    session->error_shape = shape;
    snprintf(session->error_code, sizeof session->error_code, "commit:rollback");
    snprintf(session->error_text, sizeof session->error_text,
             "the server answered COMMIT with ROLLBACK");
}

/* A statement is done. What it is follows from the answer (spec sysbench 5.3): rows make it a read,
 * changed rows a write. False: nobody asked. */
static bool hear_complete(struct session *session, const struct wire_message *message)
{
    struct said *said = &session->said[session->answered_count & SAID_MASK];
    int64_t changed = -1;
    char kind = 'O';
    enum query_kind query = QUERY_OTHER;

    if (UNLIKELY(session->answered_count == session->said_count))
        return false;
    if (LIKELY(message->type == 'C'))
        wire_read_complete(message, &changed, &kind);
    if (kind == 'S' || said->rows.count > 0) {
        query = QUERY_READ;
    } else if (changed > 0) {
        query = QUERY_WRITE;
        said->rows.count = changed;
    }
    session->answered_count++;
    session->completed_unsynced = kind != 'R';
    if (UNLIKELY(kind == 'R') && session->txn.ending && !session->txn.rolled_back)
        hear_refused_commit(session, said->shape);
    if (LIKELY(session->state != SESSION_ROLLING))
        lane_statement(session->io->lane, &(struct statement_record){
                                              .statement = said->shape,
                                              .phase = session->phase,
                                              .kind = query,
                                              .latency_ns = session->io->now_ns - said->sent_ns,
                                              .rows = said->rows.count });
    return true;
}

static bool hear_row(struct session *session, const struct wire_message *message)
{
    struct said *said = &session->said[session->answered_count & SAID_MASK];

    if (UNLIKELY(session->answered_count == session->said_count))
        return false;
    said->rows.count++;
    if (session->run->shapes[said->shape].discard_rows || session->failed)
        return true;
    if (said->rows.kept++ == 0)
        said->rows.first = session->store.row_count;
    return rows_store_add(&session->store, message);
}

static void hear_error(struct session *session, const struct wire_message *message)
{
    struct wire_error error;
    bool asked = session->answered_count < session->said_count;

    session->completed_unsynced = false;
    /* It is the answer to a statement: what follows answers the next. */
    session->answered_count += asked;
    if (session->failed) /* The first one is the cause. */
        return;
    /* Nothing is outstanding: this is about the connection, not about a statement. */
    session->farewell = session_at_sync(session);
    session->failed = !session->farewell;
    if (session->failed && session->state == SESSION_RUNNING)
        session->state = SESSION_FAILING;
    if (!wire_read_error(message, &error))
        return;
    session->error_shape =
        asked ? session->said[(session->answered_count - 1) & SAID_MASK].shape : -1;
    snprintf(session->error_code, sizeof session->error_code, "%s",
             error.sqlstate[0] != '\0' ? error.sqlstate : "XX000");
    snprintf(session->error_text, sizeof session->error_text, "%s", error.message);
}

static bool hear_ready(struct session *session, const struct wire_message *message)
{
    if (UNLIKELY(session->syncs_seen == session->syncs_sent) ||
        UNLIKELY(!wire_read_ready(message, &session->status)))
        return false;
    session->syncs_seen++;
    if (session->completed_unsynced && session->status == 'I')
        lane_server_commit(session->io->lane, 1);
    session->completed_unsynced = false;
    return true;
}

/* Messages that come once in a while. */
static bool hear_other(struct session *session, const struct wire_message *message)
{
    switch (message->type) {
    case 'E':
        hear_error(session, message);
        return true;
    case 'I': /* An empty query. */
        return hear_complete(session, message);
    case '1':
        session->fresh_seen += session->fresh_seen < session->fresh_said;
        return true;
    case '2':
    case '3':
    case 'n':
    case 'T':
    case 't':
    case 'S':
    case 'N':
    case 'A':
        return true;
    default:
        return false;
    }
}

/* False: a message that we cannot bear. */
static inline bool hear(struct session *session, const struct wire_message *message)
{
    if (message->type == 'D')
        return hear_row(session, message);
    if (message->type == 'C')
        return hear_complete(session, message);
    if (message->type == 'Z')
        return hear_ready(session, message);
    return hear_other(session, message);
}

static bool lose_protocol(struct session *session, char type)
{
    snprintf(session->error_code, sizeof session->error_code, "protocol");
    snprintf(session->error_text, sizeof session->error_text,
             "a message of type 0x%02x came where none was expected", (unsigned char)type);
    session->error_shape = -1;
    return false;
}

/* Inlined where it is called, across files too: the worker's loop is hot, and not its only caller.
 */
INLINED_ANYWHERE bool session_receive(struct session *session)
{
    struct wire_message message;

    do {
        enum wire_state state = wire_receive(session->wire, &session->io->in);
        if (UNLIKELY(state == WIRE_LOST))
            return lose_unless_answered(session);
        if (state != WIRE_OK) {
            /* TLS has something to say before it can hear: the worker comes back with room. */
            if (UNLIKELY(state == WIRE_WANT_WRITE))
                session->want_write = session->unsent = true;
            return true;
        }
        session->io->now_ns = clock_now_ns();
        while (wire_next(session->wire, &message))
            if (UNLIKELY(!hear(session, &message)))
                return lose_protocol(session, message.type);
        wire_done_reading(session->wire);
        if (UNLIKELY(wire_lost(session->wire)))
            return lose_unless_answered(session);
    } while (wire_more(session->wire));
    return true;
}

bool session_can_go_on(const struct session *session)
{
    if (session->state != SESSION_RUNNING || session->failed)
        return false;
    return session->await_sync ? session_at_sync(session)
                               : session->answered_count > session->awaited;
}
