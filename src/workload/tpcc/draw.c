/*
 * draw.c - what the user at a terminal types in (clauses 2.4.1 to 2.8.1): a pure function of the
 * random stream.
 */
#include <string.h>

#include "workload/tpcc/names.h"
#include "workload/tpcc/nurand.h"
#include "workload/tpcc/tpcc.h"

#define PERCENT_ROLLED_BACK    1
#define PERCENT_REMOTE_LINE    1
#define PERCENT_REMOTE_PAYMENT 15
#define PERCENT_BY_NAME        60

_Static_assert(sizeof(struct tpcc_new_order) <= TXN_INPUT_MAX, "an input fits");
_Static_assert(sizeof((struct tpcc_customer){ 0 }.last) == LAST_NAME_MAX, "a name fits");

static bool in_percent(int percent, struct rng *rng)
{
    return rng_between(rng, 1, 100) <= percent;
}

/* ---- where ---- */

static bool stays_at_home(const struct tpcc_world *world, int64_t streams)
{
    if (world->options.home != TPCC_HOME_AUTO)
        return world->options.home == TPCC_HOME_FIXED;
    return streams > 1 && streams >= (int64_t)world->warehouses * world->sets;
}

/* A terminal has a warehouse, and for Stock-Level a district of it, for as long as it lives
 * (clause 2.8.1.1); of ten terminals at a warehouse each has another district. */
static struct tpcc_place draw_place(const struct tpcc_world *world, struct draw *draw)
{
    int64_t homes = (int64_t)world->warehouses * world->sets, home;

    if (!stays_at_home(world, draw->streams))
        return (struct tpcc_place){
            .set = world->sets == 1 ? 1 : (int32_t)rng_between(&draw->rng, 1, world->sets),
            .warehouse = (int32_t)rng_between(&draw->rng, 1, world->warehouses),
            .district = (int32_t)rng_between(&draw->rng, 1, TPCC_DISTRICTS),
        };
    home = draw->stream % homes;
    return (struct tpcc_place){
        .set = (int32_t)(home / world->warehouses) + 1,
        .warehouse = (int32_t)(home % world->warehouses) + 1,
        .district = (int32_t)(draw->stream / homes % TPCC_DISTRICTS) + 1,
    };
}

/* The same with a district of this transaction alone. */
static struct tpcc_place draw_place_anew(const struct tpcc_world *world, struct draw *draw)
{
    struct tpcc_place place = draw_place(world, draw);

    place.district = (int32_t)rng_between(&draw->rng, 1, TPCC_DISTRICTS);
    return place;
}

/* Any warehouse but that one; that one when it is alone. */
static int32_t draw_other(const struct tpcc_world *world, int32_t warehouse, struct rng *rng)
{
    int32_t other;

    if (world->warehouses == 1)
        return warehouse;
    other = (int32_t)rng_between(rng, 1, world->warehouses - 1);
    return other + (other >= warehouse);
}

/* ---- who ---- */

static int32_t draw_number(struct rng *rng)
{
    return (int32_t)nurand(rng, NURAND_A_CUSTOMER, 1, TPCC_CUSTOMERS, NURAND_C_CUSTOMER);
}

/* By name or by number; the place is the caller's. */
static void draw_who(struct tpcc_customer *customer, struct rng *rng)
{
    customer->number = 0;
    memset(customer->last, 0, sizeof customer->last);
    if (in_percent(PERCENT_BY_NAME, rng))
        last_name(customer->last, (int)nurand(rng, NURAND_A_LAST, 0, 999, NURAND_C_LAST_RUN));
    else
        customer->number = draw_number(rng);
}

/* ---- New-Order ---- */

static bool comes_before(const struct tpcc_line *a, const struct tpcc_line *b)
{
    if (a->supplier != b->supplier)
        return a->supplier < b->supplier;
    if (a->item != b->item)
        return a->item < b->item;
    return a->number < b->number;
}

/* Stock is locked in one order by everybody, so that orders wait for each other but never in a
 * circle. */
static void sort_lines(struct tpcc_line *lines, int count)
{
    for (int i = 1; i < count; i++) {
        struct tpcc_line line = lines[i];
        int at = i;
        for (; at > 0 && comes_before(&line, &lines[at - 1]); at--)
            lines[at] = lines[at - 1];
        lines[at] = line;
    }
}

void tpcc_new_order_draw(void *input, const void *world, struct draw *draw)
{
    struct tpcc_new_order *order = input;
    struct rng *rng = &draw->rng;

    order->at = draw_place_anew(world, draw);
    order->customer = draw_number(rng);
    order->line_count = (int8_t)rng_between(rng, TPCC_LINES_MIN, TPCC_LINES_MAX);
    order->unused_item = in_percent(PERCENT_ROLLED_BACK, rng);
    order->remote_count = 0;
    for (int i = 0; i < order->line_count; i++) {
        struct tpcc_line *line = &order->lines[i];
        line->number = (int8_t)(i + 1);
        line->item = (int32_t)nurand(rng, NURAND_A_ITEM, 1, TPCC_ITEMS, NURAND_C_ITEM);
        line->supplier = order->at.warehouse;
        if (in_percent(PERCENT_REMOTE_LINE, rng))
            line->supplier = draw_other(world, order->at.warehouse, rng);
        line->quantity = (int8_t)rng_between(rng, 1, 10);
        order->remote_count =
            (int8_t)(order->remote_count + (line->supplier != order->at.warehouse));
    }
    if (order->unused_item)
        order->lines[order->line_count - 1].item = TPCC_UNUSED_ITEM;
    sort_lines(order->lines, order->line_count);
}

/* ---- the others ---- */

void tpcc_payment_draw(void *input, const void *world, struct draw *draw)
{
    struct tpcc_payment *payment = input;
    struct rng *rng = &draw->rng;

    payment->at = draw_place_anew(world, draw);
    payment->customer.warehouse = payment->at.warehouse;
    payment->customer.district = payment->at.district;
    if (in_percent(PERCENT_REMOTE_PAYMENT, rng)) {
        payment->customer.warehouse = draw_other(world, payment->at.warehouse, rng);
        payment->customer.district = (int32_t)rng_between(rng, 1, TPCC_DISTRICTS);
    }
    draw_who(&payment->customer, rng);
    payment->hundredths = (int32_t)rng_between(rng, 100, 500000);
}

void tpcc_order_status_draw(void *input, const void *world, struct draw *draw)
{
    struct tpcc_order_status *status = input;

    status->at = draw_place_anew(world, draw);
    status->customer.warehouse = status->at.warehouse;
    status->customer.district = status->at.district;
    draw_who(&status->customer, &draw->rng);
}

void tpcc_delivery_draw(void *input, const void *world, struct draw *draw)
{
    struct tpcc_delivery *delivery = input;

    delivery->at = draw_place(world, draw);
    delivery->carrier = (int32_t)rng_between(&draw->rng, 1, 10);
}

void tpcc_stock_level_draw(void *input, const void *world, struct draw *draw)
{
    struct tpcc_stock_level *level = input;

    level->at = draw_place(world, draw);
    level->threshold = (int32_t)rng_between(&draw->rng, 10, 20);
}
