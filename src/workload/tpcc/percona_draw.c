/*
 * percona_draw.c - inputs as the script draws them, event by event (spec sysbench 4.4).
 */
#include "workload/tpcc/nurand.h"
#include "workload/tpcc/percona.h"

#define PERCENT_ROLLED_BACK   1
#define PERCENT_REMOTE_LINE   1
#define PERCENT_LOCAL_PAYMENT 85
#define PERCENT_BY_NAME       60
#define NAMES                 1000
#define AMOUNT_MAX            5000
#define QUANTITY_MAX          10

_Static_assert(sizeof(struct percona_new_order) <= TXN_INPUT_MAX, "an input fits");

static bool in_percent(int percent, struct rng *rng)
{
    return rng_between(rng, 1, 100) <= percent;
}

/* The script keeps its constants behind a flag that is 0, which Lua takes for true: it draws them
 * at each call. Added to what is as good as uniform, they leave nothing of the skew. */
static int32_t draw_nurand(const struct percona_world *world, struct rng *rng, const int64_t a_c[2],
                           const int64_t range[2])
{
    int64_t constant = world->fixed ? a_c[1] : rng_between(rng, 0, a_c[0]);

    return (int32_t)nurand(rng, a_c[0], range[0], range[1], constant);
}

/* The script goes on drawing while the draw is not `warehouse`, where it should while it is. */
static int32_t draw_other(const struct percona_world *world, int32_t warehouse, struct rng *rng)
{
    int64_t scale = world->options.scale;
    int32_t other;

    if (!world->fixed || scale == 1)
        return warehouse;
    other = (int32_t)rng_between(rng, 1, scale - 1);
    return other < warehouse ? other : other + 1;
}

static struct tpcc_place draw_place(const struct percona_world *world, struct rng *rng)
{
    struct tpcc_place place = { .set = (int32_t)rng_between(rng, 1, world->options.tables) };

    place.warehouse = (int32_t)rng_between(rng, 1, world->options.scale);
    place.district = (int32_t)rng_between(rng, 1, TPCC_DISTRICTS);
    return place;
}

static int32_t draw_number(const struct percona_world *world, struct rng *rng)
{
    static const int64_t a_c[2] = { NURAND_A_CUSTOMER, NURAND_C_CUSTOMER };
    static const int64_t range[2] = { 1, TPCC_CUSTOMERS };

    return draw_nurand(world, rng, a_c, range);
}

/* By name in six cases of ten. */
static void draw_customer(struct percona_customer *customer, const struct percona_world *world,
                          struct rng *rng)
{
    static const int64_t a_c[2] = { NURAND_A_LAST, NURAND_C_LAST_RUN };
    static const int64_t range[2] = { 0, NAMES - 1 };

    customer->number = in_percent(PERCENT_BY_NAME, rng) ? 0 : draw_number(world, rng);
    last_name(customer->last, draw_nurand(world, rng, a_c, range));
}

static void draw_line(struct percona_new_order *order, struct percona_line *line,
                      const struct percona_world *world, struct rng *rng)
{
    static const int64_t a_c[2] = { NURAND_A_ITEM, NURAND_C_ITEM };
    static const int64_t range[2] = { 1, TPCC_ITEMS };

    line->item = draw_nurand(world, rng, a_c, range);
    line->supplier = order->at.warehouse;
    if (in_percent(PERCENT_REMOTE_LINE, rng)) {
        line->supplier = draw_other(world, order->at.warehouse, rng);
        /* The script says so whatever came of it. */
        order->all_local =
            order->all_local && world->fixed && line->supplier == order->at.warehouse;
    }
    line->quantity = (int8_t)rng_between(rng, 1, QUANTITY_MAX);
    order->remote_count = (int8_t)(order->remote_count + (line->supplier != order->at.warehouse));
}

void percona_new_order_draw(void *input, const void *world, struct draw *draw)
{
    const struct percona_world *percona = world;
    struct percona_new_order *order = input;
    struct rng *rng = &draw->rng;

    *order = (struct percona_new_order){ .at = draw_place(percona, rng), .all_local = true };
    order->customer = draw_number(percona, rng);
    order->line_count = (int8_t)rng_between(rng, TPCC_LINES_MIN, TPCC_LINES_MAX);
    order->unused_item = in_percent(PERCENT_ROLLED_BACK, rng);
    for (int i = 0; i < order->line_count; i++)
        draw_line(order, &order->lines[i], percona, rng);
    if (order->unused_item)
        order->lines[order->line_count - (percona->fixed ? 1 : 2)].item = -1;
}

void percona_payment_draw(void *input, const void *world, struct draw *draw)
{
    const struct percona_world *percona = world;
    struct percona_payment *payment = input;
    struct rng *rng = &draw->rng;

    *payment = (struct percona_payment){ .at = draw_place(percona, rng) };
    payment->amount = (int32_t)rng_between(rng, 1, AMOUNT_MAX);
    payment->customer.warehouse = payment->at.warehouse;
    payment->customer.district = payment->at.district;
    draw_customer(&payment->customer, percona, rng);
    if (in_percent(PERCENT_LOCAL_PAYMENT, rng))
        return;
    payment->customer.warehouse = draw_other(percona, payment->at.warehouse, rng);
    payment->customer.district = (int32_t)rng_between(rng, 1, TPCC_DISTRICTS);
}

void percona_order_status_draw(void *input, const void *world, struct draw *draw)
{
    struct percona_order_status *status = input;

    *status = (struct percona_order_status){ .at = draw_place(world, &draw->rng) };
    status->customer.warehouse = status->at.warehouse;
    status->customer.district = status->at.district;
    draw_customer(&status->customer, world, &draw->rng);
}

void percona_delivery_draw(void *input, const void *world, struct draw *draw)
{
    struct percona_delivery *delivery = input;

    delivery->at = draw_place(world, &draw->rng);
    delivery->carrier = (int32_t)rng_between(&draw->rng, 1, 10);
}

void percona_stock_level_draw(void *input, const void *world, struct draw *draw)
{
    struct percona_stock_level *level = input;

    level->at = draw_place(world, &draw->rng);
    level->threshold = (int32_t)rng_between(&draw->rng, 10, 20);
}

void percona_purge_draw(void *input, const void *world, struct draw *draw)
{
    ((struct percona_purge *)input)->at = draw_place(world, &draw->rng);
}
