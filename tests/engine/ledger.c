/*
 * ledger.c - see ledger.h.
 */
#include "ledger.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

struct ledger_input {
    int64_t number;
    struct {
        int table;
        int64_t id;
    } picks[LEDGER_PICKS];
    int64_t amount;
    int fails_at; /* which statement divides by zero; -1: none */
};

static const struct statement statements[] = {
    [LEDGER_GET] = { .name = "get", .sql = "SELECT n FROM ledger{} WHERE id = $1" },
    [LEDGER_PUT] = { .name = "put", .sql = "UPDATE ledger{} SET n = $2 WHERE id = $1" },
    [LEDGER_ADD] = { .name = "add", .sql = "UPDATE ledger{} SET n = n + $2 WHERE id = $1" },
    [LEDGER_DIVIDE] = { .name = "divide",
                        .sql = "SELECT n / $2::int FROM ledger{} WHERE id = $1",
                        .discard_rows = true },
    [LEDGER_NOTE] = { .name = "note" },
    { .name = NULL },
};

static const struct tally tallies[] = {
    [LEDGER_TRIES] = { "tries", "tries that ended well" },
    [LEDGER_PICKED] = { "picked", "counters that they picked" },
    { .name = NULL },
};

static void draw(void *input, const void *world, struct draw *draw)
{
    const struct ledger_world *ledger = world;
    struct ledger_input *in = input;

    *in = (struct ledger_input){ .number = draw->number, .fails_at = -1 };
    for (int i = 0; i < LEDGER_PICKS; i++) {
        in->picks[i].table = (int)rng_between(&draw->rng, 1, ledger->instances);
        in->picks[i].id = rng_between(&draw->rng, 1, ledger->counters);
    }
    in->amount = rng_between(&draw->rng, 1, 9);
    if (rng_between(&draw->rng, 0, 3) == 0)
        in->fails_at = (int)rng_between(&draw->rng, 0, 19);
}

/* A real workload changes nothing; this one is a test's window. */
static void look(const struct ledger_input *in, const void *world)
{
    struct ledger_world *ledger = (struct ledger_world *)(uintptr_t)world;
    uint64_t hash = rng_mix((uint64_t)in->amount);

    if (!ledger->watched || ledger->seen_count == LEDGER_SEEN)
        return;
    for (int i = 0; i < LEDGER_PICKS; i++)
        hash = rng_mix(hash ^ (uint64_t)(in->picks[i].table * 1000 + in->picks[i].id));
    ledger->seen[ledger->seen_count++] = (struct seen_try){ in->number, hash };
}

static void run_single(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;

    look(in, world);
    txn_tally(txn, LEDGER_TRIES, 1);
    txn_tally(txn, LEDGER_PICKED, LEDGER_PICKS);
    txn_instance(txn, in->picks[0].table);
    txn_query(txn, LEDGER_ADD, in->picks[0].id, in->amount);
}

static void run_pair(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;
    struct reply get;

    look(in, world);
    txn_instance(txn, in->picks[0].table);
    txn_send(txn, LEDGER_ADD, in->picks[0].id, in->amount);
    get = txn_send(txn, LEDGER_GET, in->picks[0].id);
    txn_note(txn, (double)rows_whole(txn_rows(txn, get), 0, 0));
}

static void run_transfer(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;
    struct reply got[LEDGER_PICKS];

    look(in, world);
    txn_tally(txn, LEDGER_TRIES, 1);
    txn_tally(txn, LEDGER_PICKED, LEDGER_PICKS);
    txn_begin(txn);
    for (int i = 0; i < LEDGER_PICKS; i++) {
        txn_instance(txn, in->picks[i].table);
        got[i] = txn_send(txn, LEDGER_GET, in->picks[i].id);
    }
    for (int i = 0; i < LEDGER_PICKS; i++) {
        int64_t add = 1;
        for (int j = 0; j < i; j++) /* The same counter again: what was read is behind. */
            add += in->picks[j].table == in->picks[i].table && in->picks[j].id == in->picks[i].id;
        txn_instance(txn, in->picks[i].table);
        txn_send(txn, LEDGER_PUT, in->picks[i].id, rows_whole(txn_rows(txn, got[i]), 0, 0) + add);
    }
    txn_commit(txn);
}

static void run_undo(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;

    look(in, world);
    txn_tally(txn, LEDGER_TRIES, 1);
    txn_tally(txn, LEDGER_PICKED, LEDGER_PICKS);
    txn_begin(txn);
    txn_instance(txn, in->picks[0].table);
    txn_send(txn, LEDGER_ADD, in->picks[0].id, in->amount);
    txn_query(txn, LEDGER_GET, in->picks[0].id);
    txn_rollback(txn);
}

static void run_text(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;
    char *sql = txn_room(txn, 200), *again = txn_room(txn, 200);
    struct reply got;
    const char *note;
    int length;

    look(in, world);
    txn_begin(txn);
    length = snprintf(sql, 200, "UPDATE ledger%d SET note = note || '%d' WHERE id = %d",
                      in->picks[0].table, (int)in->amount, (int)in->picks[0].id);
    txn_send_text(txn, LEDGER_NOTE, sql, length);
    txn_instance(txn, in->picks[0].table);
    txn_send(txn, LEDGER_ADD, in->picks[0].id, (int64_t)1);
    length = snprintf(again, 200, "SELECT note FROM ledger%d WHERE id = %d", in->picks[0].table,
                      (int)in->picks[0].id);
    got = txn_send_text(txn, LEDGER_NOTE, again, length);
    /* What was read earlier in the block is said again: texts are lent until its end. */
    note = rows_text(txn_rows(txn, got), 0, 0);
    for (int i = 0; i < 20; i++)
        txn_query(txn, LEDGER_GET, in->picks[0].id);
    length = snprintf(again, 200, "UPDATE ledger%d SET note = right('%s', 30) WHERE id = %d",
                      in->picks[0].table, note, (int)in->picks[0].id);
    txn_send_text(txn, LEDGER_NOTE, again, length);
    txn_commit(txn);
}

static void run_blind(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_input *in = input;

    look(in, world);
    txn_tally(txn, LEDGER_TRIES, 1);
    txn_tally(txn, LEDGER_PICKED, LEDGER_PICKS);
    txn_begin(txn);
    for (int i = 0; i < LEDGER_PICKS; i++) {
        txn_instance(txn, in->picks[i].table);
        txn_send(txn, LEDGER_ADD, in->picks[i].id, (int64_t)1);
    }
    txn_commit(txn);
}

/* Twenty statements of as many tables as there are: with a small cache each is parsed again. */
static void run_doubt(struct txn *txn, const void *input, const void *world)
{
    const struct ledger_world *ledger = world;
    const struct ledger_input *in = input;

    look(in, world);
    txn_begin(txn);
    for (int i = 0; i < 20; i++) {
        txn_instance(txn, (in->picks[0].table + i * 7) % ledger->instances + 1);
        txn_send(txn, LEDGER_ADD, in->picks[1].id, (int64_t)1);
        txn_send(txn, LEDGER_DIVIDE, in->picks[1].id, (int64_t)(i == in->fails_at ? 0 : 1));
    }
    txn_commit(txn);
}

#define KIND(kind_name)                                                                           \
    {                                                                                             \
        .name = #kind_name, .weight = 1, .input_size = sizeof(struct ledger_input), .draw = draw, \
        .run = run_##kind_name                                                                    \
    }
static const struct transaction kinds_table[LEDGER_KINDS] = {
    [LEDGER_SINGLE] = KIND(single), [LEDGER_PAIR] = KIND(pair), [LEDGER_TRANSFER] = KIND(transfer),
    [LEDGER_UNDO] = KIND(undo),     [LEDGER_TEXT] = KIND(text), [LEDGER_BLIND] = KIND(blind),
    [LEDGER_DOUBT] = KIND(doubt),
};

static int count_instances(const void *world)
{
    return ((const struct ledger_world *)world)->instances;
}

const struct workload *ledger_open(const enum ledger_kind *kinds, int count)
{
    static struct transaction transactions[LEDGER_KINDS + 1];
    static const struct workload ledger = { .name = "ledger",
                                            .family = "ledger",
                                            .world_size = sizeof(struct ledger_world),
                                            .statements = statements,
                                            .transactions = transactions,
                                            .tallies = tallies,
                                            .needs_server = true,
                                            .instance_count = count_instances };

    memset(transactions, 0, sizeof transactions);
    for (int i = 0; i < count; i++)
        transactions[i] = kinds_table[kinds[i]];
    return &ledger;
}
