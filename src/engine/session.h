/*
 * session.h - one connection under load, and the attempt that is being made on it.
 *
 * A session speaks: it encodes statements into its worker's outgoing buffer, reads answers, and
 * knows which of what it said was answered. It decides nothing about failure (attempt.h) nor about
 * time (worker.h). Thread: its worker, all of it.
 */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "base/rng.h"
#include "engine/connector.h"
#include "engine/coroutine.h"
#include "engine/prepared.h"
#include "engine/reopen.h"
#include "engine/rows.h"
#include "engine/run.h"
#include "engine/schedule.h"
#include "engine/terminals.h"
#include "engine/timers.h"
#include "engine/watch.h"

enum session_state {
    SESSION_IDLE,      /* no transaction in flight */
    SESSION_RUNNING,   /* a coroutine waits for answers */
    SESSION_FAILING,   /* an error came: waiting until the server is at a sync point */
    SESSION_ROLLING,   /* our own ROLLBACK after an error is out */
    SESSION_THINKING,  /* between transactions, until a timer */
    SESSION_REOPENING, /* the connection is gone, a new one is asked for */
    SESSION_LOST,      /* the connection is gone for good */
};

/* What the sessions of a worker share, one after the other. */
struct session_io {
    struct schedule *schedule;   /* open loop; NULL: closed */
    struct terminals *terminals; /* NULL: sessions are no terminals' */
    bool paced;                  /* one of these two says when a session has something to do */
    bool reserved;               /* `arrival` is claimed and not started: one ahead of time */
    bool exhausted;              /* the schedule has no more */
    struct arrival arrival;
    struct watcher watcher; /* of arrivals that are far apart */
    /* Open loop: sessions without a transaction, by next_idle, that which rests longest first.
     * `idle_last` is the last as long as there is a first. */
    struct session *idle, *idle_last;
    int64_t last_due_ns, last_sent_ns; /* open loop: of the last that was started */
    struct timers timers;              /* sessions that think */
    int thinking;
    struct reopener *reopener; /* NULL: a workload without a server */
    struct mailbox mailbox;
    int epoll_fd;     /* the worker's */
    int reopening;    /* sessions that wait for a new connection */
    int64_t reopened; /* connections opened anew */
    struct wire_out out;
    struct wire_in in;
    int64_t now_ns; /* read when something arrived and before a transaction starts */
    struct lane *lane;
    struct coroutine_pool pool;
    /* Until then, and for so many, a transaction may start without further questions. */
    int64_t steady_until_ns, claimed;
    int in_flight;        /* sessions that are neither idle nor lost */
    int lost;             /* sessions whose connection is gone */
    int64_t last_done_ns; /* end of the last measured transaction */
};

/* Something said and not fully answered. */
struct said {
    int shape;
    int64_t sent_ns;
    struct rows rows;
};

struct txn {
    struct session *session;
    int instance;
    bool in_block;    /* between BEGIN and COMMIT or ROLLBACK */
    bool rolled_back; /* on purpose */
    bool ending;      /* COMMIT is out and not answered */
    bool tallied;     /* the session's tallies are of this attempt */
};

/* What a query touches comes first and is packed: between two queries of a session its cache lines
 * are gone, and each costs more than many instructions. */
struct session {
    enum session_state state;
    int index; /* its stream of inputs */
    struct run *run;
    struct session_io *io;
    struct wire *wire;           /* NULL: lost, or a workload without a server */
    struct coroutine *coroutine; /* carries transactions one after the other; NULL when idle */
    struct prepared *prepared;
    void *input;
    void *next_input; /* of the transaction after it, drawn while the server works */

    /* the transaction in flight */
    uint64_t stream_key, sequence; /* of its random stream */
    int64_t scheduled_ns, sent_ns;
    int attempts;
    int transaction;

    /* the attempt: numbers count from 0 in each. Zeroed together, so they stand together. */
    uint32_t said_count, answered_count;
    int fresh_said, fresh_seen;
    bool failed, completed_unsynced; /* a CommandComplete whose commit is not confirmed yet */
    bool await_sync; /* the wait is for a sync point rather than for answer `awaited` */
    uint32_t awaited;
    struct txn txn;
    int syncs_sent, syncs_seen, unsynced;
    enum phase phase;
    int next_transaction;
    bool drawn;      /* next_input and next_transaction are */
    char status;     /* of the last ReadyForQuery: I, T, E */
    bool want_write; /* the descriptor is watched for room */
    bool unsent;     /* the kernel or TLS did not take everything yet */
    bool tired;      /* a pause comes before its next transaction */
    bool listed;     /* in its worker's list of idle ones; it may be busy or lost meanwhile */
    bool farewell;   /* the server said why it goes, unasked; error_code is its reason, for good */
    struct terminal_task task;        /* under terminals */
    int64_t since_connect;            /* transactions over on this connection */
    int64_t done_count, done_ns;      /* committed in the measured window, and time they took */
    struct arena *room;               /* for txn_room(); NULL until it is asked for */
    int64_t tallies[TXN_TALLIES_MAX]; /* of the attempt, once it is `tallied` */
    struct rows_store store;
    char error_code[ERROR_CODE_MAX];
    struct said said[TXN_REPLIES_MAX];

    int fresh_slots[TXN_REPLIES_MAX]; /* statements parsed in this attempt, in order */
    char error_text[ERROR_SAMPLE_MAX];
    int error_shape;
    void *inputs;                 /* owned: room for both */
    int host;                     /* row of engine_facts.hosts where it was opened */
    struct connecting connecting; /* what the last connecting took */
    struct session *next_idle;
    struct engine_trips *trips; /* NULL: times are not kept */
    struct {                    /* while it is with the reopener (reopen.h) */
        struct session *next;
        struct wire *old; /* the connection before; the server is given time to be rid of it */
        struct wire *wire;
        int64_t due_ns, pause_ns;
        struct error err;
    } reopen;
};

/* The session's arrays are made, nothing is said. */
void session_init(struct session *session, struct run *run, int index);
void session_close(struct session *session); /* also closes its connection, politely */

/* The session has a new connection on which nothing was said yet. */
void session_start_connection(struct session *session);
/* Tells the recorder how long connecting took. */
void session_record_connect(const struct session *session, bool reopened);
/* Forgets the last attempt; called before each. */
void session_start_attempt(struct session *session);

/* Says a statement (encodes it); the number of its answer. */
uint32_t session_say(struct session *session, int shape, int instance, const struct value *values,
                     int count);
/* Says SQL text as a simple query, timed as that shape. */
uint32_t session_say_text(struct session *session, int shape, const char *sql, int length);
/* Ends a pipeline: what was said so far will be answered without more. */
void session_sync(struct session *session);
/* Hands what was said to the kernel. False: the connection is lost. */
bool session_flush(struct session *session);
/* There may be room again for what was `unsent`; TLS may have waited for it in order to read.
 * False: the connection is lost. */
bool session_go_on_sending(struct session *session);

/* Reads what has arrived. False: the connection is lost (error_code says why). Afterwards
 * session_can_go_on() tells whether the waiting coroutine may run. */
bool session_receive(struct session *session);
bool session_can_go_on(const struct session *session);
/* True when everything said has been answered up to a sync point. */
static inline bool session_at_sync(const struct session *session)
{
    return session->syncs_seen == session->syncs_sent && session->unsynced == 0;
}

#endif
