/*
 * ping.c - how long it takes to ask the server for nothing.
 *
 * The measurement that providers are compared by: SELECT 1, 200 times on one connection. Here every
 * round trip is kept, over as many connections as one likes, and the kernel's own time for the way
 * stands beside it: what is above that is spent in the server, or in a pooler before it.
 */
#include "workload/ping/ping.h"

#include "plan/plan.h"

enum { SQL_ONE };
enum { TALLY_TRIPS };

struct ping_options {
    int64_t count;
};

struct ping_world {
    struct ping_options options;
};

static const struct option option_rows[] = {
    { .name = "count",
      .type = OPTION_WHOLE,
      .at = offsetof(struct ping_options, count),
      .fallback = "200",
      .low = 1,
      .high = 1000000,
      .marks = OPTION_SHAPES,
      .unit = "round trips",
      .topic = "ping",
      .since = "0.1",
      .help = "for each connection, unless --time or --transactions ends it",
      .text = "Several connections share their sum: whichever is free takes the next." },
    { .name = NULL },
};

static bool ping_open(void *world, const void *options, struct error *err)
{
    (void)err;
    ((struct ping_world *)world)->options = *(const struct ping_options *)options;
    return true;
}

static bool ping_settle(void *world, struct plan *plan, const struct option_argv *said,
                        struct error *err)
{
    const struct ping_world *ping = world;

    (void)err;
    if (option_given(said, "time") || option_given(said, "transactions"))
        return true;
    plan->transactions = ping->options.count * plan->connections;
    plan->time_ns = 0;
    return true;
}

static const struct statement statements[] = {
    [SQL_ONE] = { .name = "one", .sql = "SELECT 1", .discard_rows = true },
    { .name = NULL },
};

static void ping_draw(void *input, const void *world, struct draw *draw)
{
    (void)input;
    (void)world;
    (void)draw;
}

static void ping_run(struct txn *txn, const void *input, const void *world)
{
    (void)input;
    (void)world;
    txn_query(txn, SQL_ONE);
    txn_tally(txn, TALLY_TRIPS, 1);
}

static const struct transaction transactions[] = {
    { .name = "ping",
      .summary = "SELECT 1",
      .weight = 1,
      .input_size = sizeof(int64_t),
      .draw = ping_draw,
      .run = ping_run },
    { .name = NULL },
};

static const struct tally tallies[] = {
    [TALLY_TRIPS] = { "round_trips", "round trips" },
    { .name = NULL },
};

static const struct headline headlines[] = {
    { .name = "ping_min_us", .words = "us, the fastest round trip", .figure = "min_us" },
    { .name = "ping_p50_us", .words = "us, half of them are faster", .figure = "p50_us" },
    { .name = "ping_p99_us", .words = "us, 99 of 100 are", .figure = "p99_us" },
    { .name = "tcp_rtt_us",
      .words = "us of it is the network, by the kernel's shortest round trip",
      .figure = "tcp_rtt_us" },
    { .name = "above_tcp_us",
      .words = "us above that at p50: the server, and a pooler when there is one",
      .figure = "above_tcp_us" },
    { .name = NULL },
};

const struct workload workload_ping = {
    .name = "ping",
    .summary = "SELECT 1: every round trip, and the network's share of it",
    .family = "ping",
    .options = option_rows,
    .options_size = sizeof(struct ping_options),
    .world_size = sizeof(struct ping_world),
    .statements = statements,
    .transactions = transactions,
    .needs_server = true,
    .open = ping_open,
    .settle = ping_settle,
    .keeps_times = true,
    .tallies = tallies,
    .headlines = headlines,
};
