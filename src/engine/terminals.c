/*
 * terminals.c - see terminals.h.
 *
 * Terminals that key or think are in a heap by due time. Those that are due leave it, in that
 * order, for a ring of waiting ones, or put what is deferred into a queue and go back. Times are
 * since the run's start, so that all is made before it.
 */
#include "engine/terminals.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/pacer.h"
#include "engine/run.h"

#define THINKING_SALT UINT64_C(0x7468696e6b)
#define PLACE_SALT    UINT64_C(0x706c616365)
#define THINK_CUT     10 /* times the mean (TPC-C clause 5.2.5.4) */
#define QUEUE_FIRST   64

/* The transaction that it keys in, waits for, or thinks about. */
struct terminal {
    uint32_t sequence;
    int transaction;
    int64_t due_ns;
};

struct due {
    int64_t due_ns;
    int place; /* of its terminal in `each` */
};

struct terminals {
    const struct run *run;
    int first, step, count; /* place p is terminal number first + p * step of the run */
    struct terminal *each;
    struct due *heap;
    int heap_count;
    int *waiting; /* a ring of `count` places */
    int waiting_first, waiting_count;
    struct terminal_task *queue; /* a ring of deferred ones, as large as need be */
    int64_t queue_first, queue_count, queue_size;
    struct terminal_task task; /* the first that waits */
};

/* ---- the heap ---- */

static void heap_add(struct terminals *terminals, int64_t due_ns, int place)
{
    struct due *heap = terminals->heap;
    int at = terminals->heap_count++;

    while (at > 0 && heap[(at - 1) / 2].due_ns > due_ns) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = (struct due){ .due_ns = due_ns, .place = place };
}

static int heap_take(struct terminals *terminals)
{
    struct due *heap = terminals->heap, last;
    int place = heap[0].place, at = 0, child;

    last = heap[--terminals->heap_count];
    while ((child = 2 * at + 1) < terminals->heap_count) {
        if (child + 1 < terminals->heap_count && heap[child + 1].due_ns < heap[child].due_ns)
            child++;
        if (heap[child].due_ns >= last.due_ns)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return place;
}

/* ---- cycles ---- */

static int number_of(const struct terminals *terminals, int place)
{
    return terminals->first + place * terminals->step;
}

struct draw terminals_draw(const struct run *run, int number, uint32_t sequence)
{
    struct draw draw = { .number = (int64_t)sequence * run->plan->terminals + number,
                         .stream = number,
                         .streams = run->plan->terminals,
                         .key = rng_stream((uint64_t)run->plan->seed, (uint64_t)number),
                         .sequence = sequence };

    rng_at(&draw.rng, draw.key, draw.sequence);
    return draw;
}

static int64_t scaled_ns(const struct run *run, double seconds)
{
    return (int64_t)(seconds / run->plan->pace_scale * (double)NS_PER_S);
}

/* Chooses what the terminal does next. */
static const struct transaction *choose(struct terminals *terminals, int place)
{
    struct terminal *terminal = &terminals->each[place];
    struct draw draw =
        terminals_draw(terminals->run, number_of(terminals, place), terminal->sequence);

    terminal->transaction = pacer_pick(terminals->run, &draw);
    return &terminals->run->workload->transactions[terminal->transaction];
}

/* After the input of that number. */
static double think_s(const struct terminals *terminals, int place, double mean_s)
{
    struct draw draw = terminals_draw(terminals->run, number_of(terminals, place),
                                      terminals->each[place].sequence);
    double drawn;

    rng_at(&draw.rng, draw.key ^ THINKING_SALT, draw.sequence);
    drawn = -log1p(-rng_unit(&draw.rng)) * mean_s;
    return drawn < THINK_CUT * mean_s ? drawn : THINK_CUT * mean_s;
}

/* It thinks from `now_ns` on, then keys the next one in. */
static void next_cycle(struct terminals *terminals, int place, int64_t now_ns)
{
    struct terminal *terminal = &terminals->each[place];
    const struct run *run = terminals->run;
    double mean_s = run->workload->transactions[terminal->transaction].think_mean_s;
    int64_t due_ns = now_ns + scaled_ns(run, think_s(terminals, place, mean_s));

    terminal->sequence++;
    due_ns += scaled_ns(run, choose(terminals, place)->keying_s);
    terminal->due_ns = due_ns > now_ns ? due_ns : now_ns + 1; /* Time goes on. */
    heap_add(terminals, terminal->due_ns, place);
}

/* As if it had been there for a while: somewhere in its first cycle. */
static void first_cycle(struct terminals *terminals, int place)
{
    struct terminal *terminal = &terminals->each[place];
    const struct transaction *transaction = choose(terminals, place);
    struct draw draw = terminals_draw(terminals->run, number_of(terminals, place), 0);

    rng_at(&draw.rng, draw.key ^ PLACE_SALT, 0);
    terminal->due_ns = scaled_ns(
        terminals->run, rng_unit(&draw.rng) * (transaction->keying_s + transaction->think_mean_s));
    heap_add(terminals, terminal->due_ns, place);
}

struct terminals *terminals_new(const struct run *run, int worker, int workers)
{
    struct terminals *terminals = MEMORY_NEW(struct terminals);
    int64_t all = run->plan->terminals;

    terminals->run = run;
    terminals->first = worker;
    terminals->step = workers;
    terminals->count = worker < all ? (int)((all - worker + workers - 1) / workers) : 0;
    terminals->each = MEMORY_ARRAY(struct terminal, terminals->count);
    terminals->heap = MEMORY_ARRAY(struct due, terminals->count);
    terminals->waiting = MEMORY_ARRAY(int, terminals->count);
    terminals->queue_size = QUEUE_FIRST;
    terminals->queue = MEMORY_ARRAY(struct terminal_task, QUEUE_FIRST);
    for (int place = 0; place < terminals->count; place++)
        first_cycle(terminals, place);
    return terminals;
}

void terminals_free(struct terminals *terminals)
{
    if (terminals == NULL)
        return;
    memory_free(terminals->each);
    memory_free(terminals->heap);
    memory_free(terminals->waiting);
    memory_free(terminals->queue);
    memory_free(terminals);
}

/* ---- what is due ---- */

static struct terminal_task task_of(const struct terminals *terminals, int place)
{
    const struct terminal *terminal = &terminals->each[place];

    return (struct terminal_task){ .number = number_of(terminals, place),
                                   .sequence = terminal->sequence,
                                   .due_ns = terminals->run->start_ns + terminal->due_ns };
}

static void grow_queue(struct terminals *terminals)
{
    int64_t size = terminals->queue_size;
    struct terminal_task *larger = MEMORY_ARRAY(struct terminal_task, 2 * size);

    for (int64_t i = 0; i < terminals->queue_count; i++)
        larger[i] = terminals->queue[(terminals->queue_first + i) % size];
    memory_free(terminals->queue);
    terminals->queue = larger;
    terminals->queue_first = 0;
    terminals->queue_size = 2 * size;
}

static void put_off(struct terminals *terminals, int place)
{
    struct terminal_task task = task_of(terminals, place);

    task.deferred = true;
    if (terminals->queue_count == terminals->queue_size)
        grow_queue(terminals);
    terminals->queue[(terminals->queue_first + terminals->queue_count++) % terminals->queue_size] =
        task;
}

static void become_due(struct terminals *terminals, struct lane *lane, int64_t now_ns)
{
    const struct run *run = terminals->run;
    int place = heap_take(terminals);
    int64_t due_ns = run->start_ns + terminals->each[place].due_ns;

    if (run->workload->transactions[terminals->each[place].transaction].deferred) {
        put_off(terminals, place);
        lane_put_off(lane, run_phase(run, due_ns), now_ns - due_ns);
        next_cycle(terminals, place, now_ns - run->start_ns);
    } else {
        terminals
            ->waiting[(terminals->waiting_first + terminals->waiting_count++) % terminals->count] =
            place;
    }
}

void terminals_advance(struct terminals *terminals, struct lane *lane, int64_t now_ns)
{
    int64_t end_ns = terminals->run->end_ns;
    int64_t until_ns = end_ns != 0 && now_ns >= end_ns ? end_ns - 1 : now_ns;

    while (terminals_next_ns(terminals) <= until_ns)
        become_due(terminals, lane, now_ns);
}

int64_t terminals_next_ns(const struct terminals *terminals)
{
    return terminals->heap_count > 0 ? terminals->run->start_ns + terminals->heap[0].due_ns
                                     : INT64_MAX;
}

const struct terminal_task *terminals_first(struct terminals *terminals)
{
    if (terminals->waiting_count > 0)
        terminals->task = task_of(terminals, terminals->waiting[terminals->waiting_first]);
    else if (terminals->queue_count > 0)
        terminals->task = terminals->queue[terminals->queue_first];
    else
        return NULL;
    return &terminals->task;
}

void terminals_take(struct terminals *terminals)
{
    if (terminals->waiting_count > 0) {
        terminals->waiting_first = (terminals->waiting_first + 1) % terminals->count;
        terminals->waiting_count--;
    } else {
        terminals->queue_first = (terminals->queue_first + 1) % terminals->queue_size;
        terminals->queue_count--;
    }
}

void terminals_done(struct terminals *terminals, const struct terminal_task *task, int64_t now_ns)
{
    if (!task->deferred)
        next_cycle(terminals, (task->number - terminals->first) / terminals->step,
                   now_ns - terminals->run->start_ns);
}

void terminals_drop(struct terminals *terminals, struct lane *lane, int64_t now_ns)
{
    const struct run *run = terminals->run;
    struct terminal_task task = *terminals_first(terminals);
    struct draw draw = terminals_draw(run, task.number, task.sequence);

    terminals_take(terminals);
    lane_transaction(lane, &(struct transaction_record){
                               .transaction = pacer_pick(run, &draw),
                               .phase = run_phase(run, task.due_ns),
                               .outcome = OUTCOME_DROPPED,
                               .scheduled_ns = task.due_ns,
                               .sent_ns = now_ns,
                               .done_ns = now_ns,
                           });
    terminals_done(terminals, &task, now_ns);
}

void terminals_drop_rest(struct terminals *terminals, struct lane *lane, int64_t cut_ns)
{
    terminals_advance(terminals, lane, cut_ns - 1);
    while (terminals_first(terminals) != NULL)
        terminals_drop(terminals, lane, cut_ns);
}
